import type { Random } from "../random.ts";

/**
 * JSON as written, not as parsed: an object is a list of members, so keys may repeat, come in any order and be
 * `__proto__`. `raw` is put into the text unchanged.
 */
export type Json = null | boolean | number | string | Json[] | { members: [string, Json][] } | { raw: string };

export function toText(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toText).join(",")}]`;
  if ("raw" in value) return value.raw;
  return `{${value.members.map(([key, member]) => `${JSON.stringify(key)}:${toText(member)}`).join(",")}}`;
}

export function fromValue(value: unknown): Json {
  if (Array.isArray(value)) return value.map(fromValue);
  if (typeof value === "object" && value !== null)
    return { members: Object.entries(value).map(([key, member]) => [key, fromValue(member)]) };
  return value as Json;
}

/** Text that is too long, too short or invalid for some field. */
const ODD_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udc00y",
  "😀",
  "e\u0301",
  "\u202eabc",
  "\ufeff",
  "\ufffe",
  "0",
  "null",
  "true",
  "-1",
  "1e999",
  "%00",
  "../../etc/passwd",
  "' or 1=1 --",
  "%s%n",
  "<script>alert(1)</script>",
  "${jndi:ldap://x.invalid/a}",
  "\r\nX-Injected: 1",
  "2026-02-30T25:61:61Z",
  "a".repeat(256),
  "ä".repeat(2_001),
  "a".repeat(10_001),
  "😀".repeat(10_000),
];

const ODD_NUMBERS = [
  0,
  -1,
  1,
  0.5,
  59,
  60,
  61,
  2_592_000,
  2_592_001,
  2 ** 31,
  2 ** 53,
  -(2 ** 53) - 2,
  1e15,
  1e308,
  5e-324,
].map((number): Json => number);

const ODD_RAWS = [
  "-0",
  "1.0",
  "60.0",
  "6e1",
  "1e400",
  "-1e999",
  "00",
  "1.",
  "NaN",
  "undefined",
  "'x'",
  "0.1000000000000000055511151231257827",
  "9".repeat(310),
  '"\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '"a\tb"',
  '"unfinished',
  "// comment\n1",
  '{"a":1,}',
  "[1,]",
  '{"\\u005f_proto__":{"x":1}}',
].map((raw): Json => ({ raw }));

/** Keys that have a meaning in JavaScript, or that JavaScript sorts. */
const ODD_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "0",
  "10",
  "2",
  "-1",
  "",
  "\0",
  "\ud800",
  "a/b",
  "a~0b",
  "length",
  "then",
  "😀",
];

/** Returns any JSON value. */
export function anyJson(random: Random, depth = 3): Json {
  switch (random.int(depth > 0 ? 9 : 6)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
      return random.pick(ODD_NUMBERS);
    case 2:
      return random.int(1_000_000) - 500_000;
    case 3:
      return random.pick(ODD_TEXTS);
    case 4:
      return ["yes", "Dana", "dana@example.com", "2026-01-31", "text", "refund"][random.int(6)]!;
    case 5:
      return random.int(2000) / 100;
    case 6:
      return Array.from({ length: random.int(4) }, () => anyJson(random, depth - 1));
    default:
      return anyObject(random, depth - 1);
  }
}

export function anyObject(random: Random, depth = 3): Json {
  return {
    members: Array.from({ length: random.int(5) }, () => [
      random.chance(0.1)
        ? random.pick(ODD_KEYS.slice(1))
        : random.pick(["a", "b", "amount", "customer", "note", "approved"]),
      anyJson(random, depth),
    ]),
  };
}

/** Returns `value` with one invalid or strange change somewhere in it. */
export function mutate(random: Random, value: Json): Json {
  const inner = isContainer(value) && random.chance(0.6);
  if (inner && Array.isArray(value) && value.length > 0) {
    const at = random.int(value.length);
    return value.map((item, i) => (i === at ? mutate(random, item) : item));
  }
  if (inner && !Array.isArray(value) && value.members.length > 0) {
    const { members } = value;
    const at = random.int(members.length);
    switch (random.int(8)) {
      case 0:
        return { members: members.filter((_, i) => i !== at) };
      case 1:
        return { members: [...members, members[at]!] };
      case 2:
        return { members: [...members, [members[at]![0], anyJson(random, 1)]] };
      case 3:
        return { members: [...members, [random.pick(ODD_KEYS), anyJson(random, 1)]] };
      case 4:
        return { members: members.map(([key, member], i) => [i === at ? random.pick(ODD_KEYS) : key, member]) };
      default:
        return { members: members.map(([key, member], i) => [key, i === at ? mutate(random, member) : member]) };
    }
  }
  switch (random.int(10)) {
    case 0:
      return null;
    case 1:
    case 2:
      return random.pick(ODD_TEXTS);
    case 3:
      return random.pick(ODD_NUMBERS);
    case 4:
      return random.pick(ODD_RAWS);
    case 5:
      return nested(random.pick([2, 60, 62, 63, 64, 65, 66, 500, 5000]), random.chance(0.5), value);
    case 6:
      return [value];
    case 7:
      return { members: [["value", value]] };
    default:
      return anyJson(random);
  }
}

function isContainer(value: Json): value is Json[] | { members: [string, Json][] } {
  return typeof value === "object" && value !== null && !("raw" in value);
}

function nested(depth: number, isList: boolean, core: Json): Json {
  const [open, close] = isList ? ["[", "]"] : ['{"a":', "}"];
  return { raw: open.repeat(depth) + toText(core) + close.repeat(depth) };
}
