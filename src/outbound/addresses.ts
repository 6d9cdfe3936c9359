import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressPolicy {
  /** Whether loopback and private networks are allowed. Metadata services and the like are always refused. */
  allowPrivate: boolean;
}

/** `never`: refused under every policy. `private`: refused unless private receivers are allowed. */
type Scope = "never" | "private" | "public";

interface Range {
  first: bigint;
  last: bigint;
  scope: Scope;
  name: string;
  /** The IPv4 addresses that an address of this range represents or leads to. */
  embedded?: (address: bigint) => bigint[];
}

const lowest32 = (address: bigint) => [address & 0xffff_ffffn];

/**
 * Special IPv4 addresses. The first match counts; an address without a match is public. The ranges follow IANA's
 * special-purpose registry, the metadata services what their vendors publish.
 */
const IPV4_RANGES = [
  range("100.100.100.200/32", "never", "a cloud metadata address"), // Alibaba
  range("168.63.129.16/32", "never", "a cloud metadata address"), // Azure's host, though the address looks public
  range("169.254.0.0/16", "never", "a link-local or cloud metadata address"),
  range("192.0.0.0/24", "never", "a reserved address"), // holds Oracle's metadata service, 192.0.0.192
  range("0.0.0.0/8", "never", "an unspecified address"), // connects to this very machine
  range("224.0.0.0/4", "never", "a multicast address"),
  range("255.255.255.255/32", "never", "the broadcast address"),
  range("240.0.0.0/4", "never", "a reserved address"),
  range("192.0.2.0/24", "never", "a documentation address"),
  range("198.51.100.0/24", "never", "a documentation address"),
  range("203.0.113.0/24", "never", "a documentation address"),
  range("192.88.99.0/24", "never", "a reserved address"),
  range("127.0.0.0/8", "private", "a loopback address"),
  range("10.0.0.0/8", "private", "a private address"),
  range("172.16.0.0/12", "private", "a private address"),
  range("192.168.0.0/16", "private", "a private address"),
  range("100.64.0.0/10", "private", "a shared (carrier-grade NAT) address"),
  // Refused only unless private receivers are allowed: some local proxies answer every name from this range.
  range("198.18.0.0/15", "private", "a benchmarking address"),
];

/** Special IPv6 addresses. The first match counts; an address without a match is reserved. */
const IPV6_RANGES = [
  range("::/128", "never", "an unspecified address"),
  range("::1/128", "private", "a loopback address"),
  range("::/96", "private", "an IPv4-compatible address", lowest32),
  range("::ffff:0:0/96", "private", "an IPv4-mapped address", lowest32),
  range("::ffff:0:0:0/96", "private", "an IPv4-translated address", lowest32),
  // In a network with IPv6 only, DNS64 answers with this prefix for every IPv4 receiver, so the address inside decides.
  // The prefix for local use can hold that address in several places, so it is always refused.
  range("64:ff9b::/96", "public", "a NAT64 address", lowest32),
  range("64:ff9b:1::/48", "never", "a local NAT64 address"),
  range("2002::/16", "private", "a 6to4 address", (address) => [(address >> 80n) & 0xffff_ffffn]),
  // A Teredo address holds the address of its server and, with all bits inverted, that of its client.
  range("2001::/32", "private", "a Teredo address", (address) => [
    (address >> 64n) & 0xffff_ffffn,
    (address & 0xffff_ffffn) ^ 0xffff_ffffn,
  ]),
  range("fe80::/10", "never", "a link-local address"),
  range("fd00:ec2::/32", "never", "a cloud metadata address"), // Amazon: metadata, container credentials, DNS
  range("fd20:ce::/32", "never", "a cloud metadata address"), // Google
  range("fd00:c1::/32", "never", "a cloud metadata address"), // Oracle
  range("fd00:42::42/128", "never", "a cloud metadata address"), // Scaleway
  range("fc00::/7", "private", "a private (unique local) address"),
  range("fec0::/10", "private", "a private (site-local) address"),
  range("ff00::/8", "never", "a multicast address"),
  range("2001:db8::/32", "never", "a documentation address"),
  range("3fff::/20", "never", "a documentation address"),
  range("2001::/23", "never", "a reserved address"),
  range("2000::/3", "public", "a public address"),
];

/**
 * Returns why nothing may be sent to `address`, as a sentence, or null when sending is allowed. For an IPv6 address that
 * holds an IPv4 address (mapped, translated, tunnelled), both are checked.
 *
 * @param address - in the usual text form; any other text is refused, also one with a zone (`%eth0`)
 */
export function addressRefusal(address: string, policy: AddressPolicy): string | null {
  const classification = classify(address);
  if (classification === null) return `${abbreviated(address)} is not an address that can be called.`;

  const { scope, name } = classification;
  if (scope === "never") return `${abbreviated(address)} is ${name}, where nothing may be sent.`;
  if (scope === "private" && !policy.allowPrivate) {
    return `${abbreviated(address)} is ${name}, and private receivers are not allowed.`;
  }
  return null;
}

/** Returns whether two texts name the same IP address. An IPv4-mapped address is the same as its IPv4 address. */
export function isSameAddress(left: string, right: string): boolean {
  const [a, b] = [parse(left), parse(right)];
  return a !== null && b !== null && asIPv6Number(a) === asIPv6Number(b);
}

interface Classification {
  scope: Scope;
  name: string;
}

function classify(address: string): Classification | null {
  const parsed = parse(address);
  if (parsed === null) return null;
  return parsed.family === 4 ? classifyIPv4(parsed.value) : classifyIPv6(parsed.value);
}

function classifyIPv4(value: bigint): Classification {
  return find(IPV4_RANGES, value) ?? { scope: "public", name: "a public address" };
}

function classifyIPv6(value: bigint): Classification {
  const outer = find(IPV6_RANGES, value);
  if (outer === undefined) return { scope: "never", name: "a reserved address" };

  const found: Classification[] = [outer];
  for (const inner of outer.embedded?.(value) ?? []) {
    const { scope, name } = classifyIPv4(inner);
    found.push({ scope, name: `${outer.name} that leads to ${name}` });
  }
  return (
    found.find(({ scope }) => scope === "never") ??
    found.findLast(({ scope }) => scope === "private") ?? { scope: "public", name: outer.name }
  );
}

function find(ranges: readonly Range[], value: bigint): Range | undefined {
  return ranges.find(({ first, last }) => first <= value && value <= last);
}

function range(cidr: string, scope: Scope, name: string, embedded?: (address: bigint) => bigint[]): Range {
  const [text = "", prefix] = cidr.split("/");
  const parsed = parse(text);
  if (parsed === null) throw new RangeError(`${cidr} is no address range.`);

  const size = 1n << BigInt((parsed.family === 4 ? 32 : 128) - Number(prefix));
  return { first: parsed.value, last: parsed.value + size - 1n, scope, name, ...(embedded && { embedded }) };
}

interface Parsed {
  family: 4 | 6;
  value: bigint;
}

function parse(address: string): Parsed | null {
  if (isIPv4(address)) return { family: 4, value: valueOf(ipaddr.IPv4.parse(address)) };
  // A zone picks a network card of this machine, so the address is never public. `isIPv6` accepts zones.
  if (isIPv6(address) && !address.includes("%")) return { family: 6, value: valueOf(ipaddr.IPv6.parse(address)) };
  return null;
}

function valueOf(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return BigInt(`0x${Buffer.from(address.toByteArray()).toString("hex")}`);
}

/** Returns the address as an IPv6 number; an IPv4 address becomes the IPv4-mapped one. */
function asIPv6Number({ family, value }: Parsed): bigint {
  return family === 4 ? (0xffffn << 32n) | value : value;
}

/** Returns text that is short enough to quote: a receiver's name server may answer with any text. */
function abbreviated(address: string): string {
  return address.slice(0, 64);
}
