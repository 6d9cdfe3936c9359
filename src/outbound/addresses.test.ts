import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { addressRefusal, isSameAddress } from "./addresses.ts";

const STRICT = { allowPrivate: false };
const LENIENT = { allowPrivate: true };

const NEVER = [
  ..."0.0.0.0 0.1.2.3 169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255".split(" "),
  ..."100.100.100.200 168.63.129.16 192.0.0.192 192.0.0.1 192.88.99.1".split(" "),
  ..."224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255".split(" "),
  ..."192.0.2.1 198.51.100.255 203.0.113.9".split(" "),
  ...":: fe80::1 febf:ffff::1 ff02::1 ff0e::1 2001:db8::1 3fff:fff::1 100::1 4000:: 5f00::1".split(" "),
  ..."fd00:ec2::254 FD00:EC2:0:0:0:0:0:254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42".split(" "),
  ..."2001:2::1 2001:10::1 2001:1ff:ffff::1 64:ff9b:1::808:808 64:ff9b:1:7f00:0:100::".split(" "),
  // Permanently refused addresses are refused in every notation.
  ..."::ffff:169.254.169.254 ::ffff:a9fe:a9fe 0:0:0:0:0:FFFF:A9FE:A9FE ::169.254.169.254 ::ffff:0.0.0.0".split(" "),
  ..."::ffff:0:169.254.169.254 64:ff9b::169.254.169.254 64:ff9b::6464:64c8 2002:a9fe:a9fe::1".split(" "),
  ..."2001:0:a9fe:a9fe::f7f7:f7f7 2001:0:808:808::5601:5601 ::ffff:255.255.255.255 ::ffff:224.0.0.1".split(" "),
];

const PRIVATE = [
  ..."127.0.0.1 127.255.255.255 10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1".split(" "),
  ..."100.64.0.0 100.127.255.255 198.18.0.1 198.19.255.255".split(" "),
  ..."::1 0:0:0:0:0:0:0:1 fc00::1 fd12:3456::1 fdff:ffff::1 fec0::1".split(" "),
  ..."::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::7f00:1 ::8.8.8.8".split(" "),
  ..."::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b::c0a8:1 64:ff9b::6440:1".split(" "),
  ..."2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 2001:0:808:808::80ff:fffe 2001:0:7f00:1::f7f7:f7f7".split(" "),
];

const PUBLIC = [
  ..."1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1".split(" "),
  ..."169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0".split(" "),
  ..."198.17.255.255 198.20.0.0 223.255.255.255 2000::1 2606:4700::1111 2001:200::1 2a00:1450::1".split(" "),
  // A network with IPv6 only reaches every public IPv4 receiver through this prefix.
  ..."64:ff9b::8.8.8.8".split(" "),
];

test("what is no receiver in any network is refused under every policy", () => {
  for (const address of NEVER) {
    assert.match(addressRefusal(address, STRICT) ?? "allowed", /nothing may be sent/, address);
    assert.match(addressRefusal(address, LENIENT) ?? "allowed", /nothing may be sent/, address);
  }
});

test("this machine and private networks are refused unless they are allowed, in every wrapping", () => {
  for (const address of PRIVATE) {
    assert.match(addressRefusal(address, STRICT) ?? "allowed", /private receivers are not allowed/, address);
    assert.equal(addressRefusal(address, LENIENT), null, address);
  }
});

test("public addresses are allowed, up to the edges of the ranges", () => {
  for (const address of PUBLIC) {
    assert.equal(addressRefusal(address, STRICT), null, address);
    assert.equal(addressRefusal(address, LENIENT), null, address);
  }
});

test("the sentence names what kind of address it is", () => {
  for (const [address, kind] of Object.entries({
    "::": "an unspecified address",
    "255.255.255.255": "the broadcast address",
    "fe80::1": "a link-local address",
    "ff02::1": "a multicast address",
    "64:ff9b:1::1": "a local NAT64 address",
    "::ffff:10.0.0.1": "an IPv4-mapped address that leads to a private address",
  })) {
    assert.ok(addressRefusal(address, STRICT)?.startsWith(`${address} is ${kind}, `), address);
  }
});

test("what is no plain address is refused: names, short forms, zones, nonsense", () => {
  for (const text of [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3.4.5",
    "[::1]",
    "::1%lo",
    "fe80::1%eth0",
  ]) {
    assert.match(addressRefusal(text, LENIENT) ?? "allowed", /not an address/, text);
  }
});

test("wrapping an IPv4 address in IPv6 never makes more of it allowed", () => {
  const octet = fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 16, 100, 127, 168, 169, 172, 192, 198, 224, 254, 255));
  const property = fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
    const plain = octets.join(".");
    const [left, right] = [Buffer.from(octets.slice(0, 2)), Buffer.from(octets.slice(2))];
    const hex = `${left.toString("hex")}:${right.toString("hex")}`;
    const wrapped = [`::ffff:${plain}`, `::ffff:${hex}`, `64:ff9b::${plain}`, `2002:${hex}::1`, `::ffff:0:${plain}`];
    for (const policy of [STRICT, LENIENT]) {
      if (addressRefusal(plain, policy) === null) continue;
      for (const address of wrapped) assert.notEqual(addressRefusal(address, policy), null, address);
    }
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("one address in two spellings is the same, two addresses never are", () => {
  assert.ok(isSameAddress("::1", "0:0:0:0:0:0:0:1"));
  assert.ok(isSameAddress("::ffff:127.0.0.1", "127.0.0.1"));
  assert.ok(!isSameAddress("::1", "127.0.0.1"));
  assert.ok(!isSameAddress("127.0.0.1", "127.0.0.2"));
  assert.ok(!isSameAddress("nonsense", "nonsense"));
});
