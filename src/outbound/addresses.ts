import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressPolicy {
  /** Whether loopback and private networks may be reached. Metadata services and the like never may. */
  allowPrivate: boolean;
}

/** `never`: refused whatever the policy says. `private`: refused unless private receivers are allowed. */
type Scope = "never" | "private" | "public";

interface Range {
  first: bigint;
  last: bigint;
  scope: Scope;
  name: string;
  /** The IPv4 addresses that an address of this range is only another spelling of, or leads to. */
  embedded?: (address: bigint) => bigint[];
}

const lowest32 = (address: bigint) => [address & 0xffff_ffffn];

/**
 * Special IPv4 addresses; the first match counts, what matches none is public. Ranges after the IANA
 * special-purpose registry; metadata services as their vendors publish them.
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

/** Special IPv6 addresses; the first match counts, what matches none is reserved. */
const IPV6_RANGES = [
  range("::/128", "never", "an unspecified address"),
  range("::1/128", "private", "a loopback address"),
  range("::/96", "private", "an IPv4-compatible address", lowest32),
  range("::ffff:0:0/96", "private", "an IPv4-mapped address", lowest32),
  range("::ffff:0:0:0/96", "private", "an IPv4-translated address", lowest32),
  // Where a network has IPv6 only, DNS64 answers every IPv4 receiver's name from this prefix, so it is as good or bad
  // as the address in it. The prefix for local use can hold that address in several places: nobody can judge it.
  range("64:ff9b::/96", "public", "a NAT64 address", lowest32),
  range("64:ff9b:1::/48", "never", "a local NAT64 address"),
  range("2002::/16", "private", "a 6to4 address", (address) => [(address >> 80n) & 0xffff_ffffn]),
  // Teredo names its server and, with all bits turned, its client.
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
 * Why nothing may be sent to `address`, as a sentence, or null when it may. An IPv6 address that holds an IPv4 one
 * (mapped, translated, tunnelled) is judged by both.
 *
 * @param address - in the usual text form; anything else is refused, a zone (`%eth0`) included
 */
export function addressRefusal(address: string, policy: AddressPolicy): string | null {
  const verdict = judge(address);
  if (verdict === null) return `${shown(address)} is not an address that can be called.`;

  const { scope, name } = verdict;
  if (scope === "never") return `${shown(address)} is ${name}, where nothing may be sent.`;
  if (scope === "private" && !policy.allowPrivate) {
    return `${shown(address)} is ${name}, and private receivers are not allowed.`;
  }
  return null;
}

/** Whether two texts name the same IP address; an IPv4-mapped address and its IPv4 address are the same. */
export function isSameAddress(left: string, right: string): boolean {
  const [a, b] = [parse(left), parse(right)];
  return a !== null && b !== null && unmapped(a) === unmapped(b);
}

interface Verdict {
  scope: Scope;
  name: string;
}

function judge(address: string): Verdict | null {
  const parsed = parse(address);
  if (parsed === null) return null;
  return parsed.family === 4 ? judgeIPv4(parsed.value) : judgeIPv6(parsed.value);
}

function judgeIPv4(value: bigint): Verdict {
  return find(IPV4_RANGES, value) ?? { scope: "public", name: "a public address" };
}

function judgeIPv6(value: bigint): Verdict {
  const outer = find(IPV6_RANGES, value);
  if (outer === undefined) return { scope: "never", name: "a reserved address" };

  const verdicts: Verdict[] = [outer];
  for (const inner of outer.embedded?.(value) ?? []) {
    const { scope, name } = judgeIPv4(inner);
    verdicts.push({ scope, name: `${outer.name} that leads to ${name}` });
  }
  return (
    verdicts.find(({ scope }) => scope === "never") ??
    verdicts.findLast(({ scope }) => scope === "private") ?? { scope: "public", name: outer.name }
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
  // A zone picks a network card of this machine, so what it names is never public; `isIPv6` would let it pass.
  if (isIPv6(address) && !address.includes("%")) return { family: 6, value: valueOf(ipaddr.IPv6.parse(address)) };
  return null;
}

function valueOf(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return BigInt(`0x${Buffer.from(address.toByteArray()).toString("hex")}`);
}

/** One number line for both families: IPv4 where IPv4-mapped addresses lie. */
function unmapped({ family, value }: Parsed): bigint {
  return family === 4 ? (0xffffn << 32n) | value : value;
}

/** Short enough to quote, whatever came in as an address. */
function shown(address: string): string {
  return address.slice(0, 64);
}
