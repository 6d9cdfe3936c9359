import assert from "node:assert/strict";
import { test } from "node:test";
import { isAllowedOrigin, parseOriginPattern, type OriginPattern } from "./web-origins.ts";

function pattern(text: string): OriginPattern {
  const parsed = parseOriginPattern(text);
  assert.ok("pattern" in parsed, `${text} ${"problem" in parsed ? parsed.problem : ""}`);
  return parsed.pattern;
}

void test("an origin is written as browsers write it, whoever wrote it how", () => {
  for (const [text, written] of [
    ["https://app.example.com", "https://app.example.com"],
    ["https://App.Example.com:443", "https://app.example.com"],
    ["https://app.example.com:8443", "https://app.example.com:8443"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://10.0.0.7", "https://10.0.0.7"],
    ["https://localhost:5173", "https://localhost:5173"],
    ["http://localhost", "http://localhost"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["https://*.example.com", "https://*.example.com"],
    ["https://*.shop.example.com:8443", "https://*.shop.example.com:8443"],
  ] as const)
    assert.equal(pattern(text), written);
});

void test("what is no origin to be let in is refused with its reason", () => {
  for (const [text, reason] of [
    ["app.example.com", /no scheme/],
    ["*", /no scheme/],
    ["null", /no scheme/],
    ["//app.example.com", /no scheme/],
    ["https://app.example.com/", /slash/],
    ["https://*.example.com/", /slash/],
    ["https://app.example.com/page", /more than an origin/],
    ["https://app.example.com?x", /more than an origin/],
    ["https://app.example.com#x", /more than an origin/],
    ["https://user@app.example.com", /more than an origin/],
    ["https://*.*.example.com", /more than one wildcard/],
    ["*://*.example.com", /more than one wildcard/],
    ["https://*", /wildcard in another place/],
    ["https://*.com", /wildcard in another place/],
    ["https://*.com:443", /wildcard in another place/],
    ["https://app.*.example.com", /wildcard in another place/],
    ["https://app*.example.com", /wildcard in another place/],
    ["https://*app.example.com", /wildcard in another place/],
    ["https://app.example.com:*", /wildcard in another place/],
    ["https://app.example.com:99999", /no host name/],
    ["https://", /slash/],
    ["https://app.example.com.", /no host name/],
    ["https://[::1]:3000", /no host name/],
    ["https://app_1.example.com", /no host name/],
    ["https://app.example.com;", /no host name/],
    ["https://app.example.com 'self'", /no host name/],
    ["https://*.0.0.1", /no host name/],
    ["ftp://app.example.com", /neither https nor http/],
    ["file://app.example.com", /neither https nor http/],
    ["http://app.example.com", /localhost and 127\.0\.0\.1 only/],
    ["http://localhost.example.com", /localhost and 127\.0\.0\.1 only/],
    ["http://127.0.0.2", /localhost and 127\.0\.0\.1 only/],
    ["http://*.localhost.example", /localhost and 127\.0\.0\.1 only/],
  ] as const) {
    const parsed = parseOriginPattern(text);
    assert.match("problem" in parsed ? parsed.problem : `${text} was taken`, reason, text);
  }
});

void test("an origin is let in when scheme, host and port are those of an entry", () => {
  const list = [pattern("https://app.example.com"), pattern("http://localhost:3001")];
  for (const origin of ["https://app.example.com", "http://localhost:3001"])
    assert.equal(isAllowedOrigin(list, origin), true, origin);
  for (const origin of [
    "http://app.example.com",
    "https://app.example.com/",
    "https://APP.example.com",
    "https://app.example.com:8443",
    "https://app.example.com.evil.example",
    "https://evil-app.example.com",
    "https://example.com",
    "https://localhost:3001",
    "http://localhost",
    "http://127.0.0.1:3001",
    "null",
    "",
    "*",
  ])
    assert.equal(isAllowedOrigin(list, origin), false, origin);
  assert.equal(isAllowedOrigin([], "https://app.example.com"), false);
});

void test("a wildcard is exactly one label", () => {
  const list = [pattern("https://*.example.com")];
  assert.equal(isAllowedOrigin(list, "https://shop.example.com"), true);
  for (const origin of [
    "https://example.com",
    "https://.example.com",
    "https://a.b.example.com",
    "https://shop.example.com:8443",
    "http://shop.example.com",
    "https://shop.example.com.evil.example",
    "https://shopexample.com",
    "https://evil.test/.example.com",
    "https://evil.test:1.example.com",
    "https://*.example.com.",
    "https://a b.example.com",
    "https://*.example.com",
    "https://a!.example.com",
    "https://a'.example.com",
    "https://~a.example.com",
    "https://SHOP.example.com",
    "https://\u00e4.example.com",
  ])
    assert.equal(isAllowedOrigin(list, origin), false, origin);
  const withPort = [pattern("https://*.example.com:8443")];
  assert.equal(isAllowedOrigin(withPort, "https://shop.example.com:8443"), true);
  assert.equal(isAllowedOrigin(withPort, "https://shop.example.com"), false);
});
