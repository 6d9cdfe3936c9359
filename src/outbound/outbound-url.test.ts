import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCallbackUrl, readOutboundUrl } from "./outbound-url.ts";
import { HOSTS_OF_THIS_MACHINE, UNUSABLE_URLS } from "./fixtures/urls.ts";

const STRICT = { allowPrivate: false };
const LENIENT = { allowPrivate: true };

test("every spelling of this machine and its networks is refused at once, without DNS", () => {
  assert.ok(HOSTS_OF_THIS_MACHINE.length >= 40);
  for (const host of HOSTS_OF_THIS_MACHINE) {
    assert.notEqual(checkCallbackUrl(`http://${host}:8080/path`, STRICT), null, host);
    assert.notEqual(checkCallbackUrl(`https://${host}/`, STRICT), null, host);
  }
});

test("metadata services stay refused where private receivers are allowed", () => {
  for (const host of [
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "0",
    "[::]",
  ]) {
    assert.match(
      checkCallbackUrl(`http://${host}/latest/meta-data`, LENIENT) ?? "allowed",
      /nothing may be sent/,
      host,
    );
  }
});

test("with private receivers allowed, this machine may be called", () => {
  for (const host of ["127.0.0.1", "[::1]", "localhost", "api.localhost", "10.1.2.3", "[fd00::2]"]) {
    assert.equal(checkCallbackUrl(`http://${host}:8080/`, LENIENT), null, host);
  }
});

test("ordinary URLs are allowed, whatever their names may resolve to later", () => {
  for (const url of [
    "https://example.com/hook?token=a%20b#fragment",
    "HTTPS://EXAMPLE.COM./",
    "http://example.com:8080",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://bücher.example/",
    "https://localhost.example.com/",
    "https://notlocalhost/",
  ]) {
    assert.equal(checkCallbackUrl(url, STRICT), null, url);
  }
});

test("unusable URLs are refused with a sentence", () => {
  for (const url of UNUSABLE_URLS) {
    assert.match(checkCallbackUrl(url, LENIENT) ?? "allowed", /^The URL .*\.$/, url.slice(0, 80));
  }
});

test("a URL may have 2,048 characters and not one more", () => {
  const longest = `https://example.com/${"a".repeat(2_048 - "https://example.com/".length)}`;
  assert.equal(checkCallbackUrl(longest, STRICT), null);
  assert.match(checkCallbackUrl(`${longest}a`, STRICT) ?? "allowed", /longer than 2048/);
});

test("what is not even text is a bad URL", () => {
  for (const value of [null, undefined, 7, {}, ["http://example.com"], Buffer.from("http://example.com")]) {
    assert.deepEqual(readOutboundUrl(value, LENIENT), { ok: false, error: "bad_url", message: "The URL is missing." });
  }
});
