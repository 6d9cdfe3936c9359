import { createRandom, type Random } from "../random.ts";

/** A task whose payload is meant to be slow to render. */
export interface DrawnCase {
  /** The kind of payload, for messages. */
  shape: string;
  payload: Record<string, unknown>;
  payload_schema: unknown;
  form_definition: unknown;
}

/** The longest Markdown text that the service formats. */
const MARKDOWN_MAX = 40_000;

const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Texts of a given length that are slow for some Markdown parser. */
const MARKDOWN: Readonly<Record<string, (length: number) => string>> = {
  underlines: repeated("a\n=\n"),
  quotes: repeated("> a\n\n"),
  "deep quotes": (length) => repeated(`${"> ".repeat(19)}a\n`)(length),
  images: (length) => {
    const count = Math.min(1_900, Math.floor(length / 7));
    return "![a".repeat(count) + "](b)".repeat(count);
  },
  links: (length) => {
    const count = Math.min(1_900, Math.floor(length / 5));
    return "[a".repeat(count) + "](b)".repeat(count);
  },
  brackets: (length) => repeated("[")(Math.min(length, 1_900)),
  table: (length) => `| a | b |\n| - | - |\n${repeated("| x | y |\n")(length)}`,
  "wide table": (length) => {
    const count = Math.floor(length / 8);
    return `|${"a|".repeat(count)}\n|${"-|".repeat(count)}\n|${"x|".repeat(count)}\n`;
  },
  list: repeated("- a\n"),
  "loose list": repeated("1. a\n\n"),
  "stepped list": (length) => {
    let text = "";
    for (let i = 0; text.length < length; i++) text += `${"  ".repeat(i % 18)}- a\n`;
    return text;
  },
  emphasis: (length) => repeated("*a **b ")(Math.min(length, 6_000)),
  "emphasis both ways": (length) => repeated("_a* ")(Math.min(length, 6_000)),
  definitions: repeated("[a]: b\n"),
  "definitions in use": (length) => `${repeated("[a]: b\n")(length / 2)}\n${"[a] ".repeat(1_900)}`,
  footnotes: repeated("[^a]: b\n\n"),
  "footnotes in use": (length) => {
    const count = Math.min(900, Math.floor(length / 20));
    const all = Array.from({ length: count }, (_, i) => i);
    return `${all.map((i) => `[^${i}]`).join(" ")}\n\n${all.map((i) => `[^${i}]: b\n`).join("\n")}`;
  },
  addresses: repeated("http://a.b/ "),
  "mail addresses": repeated("a.b@c.d "),
  ticks: (length) => {
    let text = "";
    for (let i = 1; text.length < length; i++) text += `${"`".repeat(i % 200)}a`;
    return text;
  },
  tags: repeated("<a "),
  comments: repeated("<!-- "),
  entities: repeated("&amp;"),
  fences: repeated("```\n"),
  indented: repeated("    a\n\n"),
  lines: repeated("***\n"),
  "line ends": repeated("\n"),
  blanks: repeated(" "),
  "hard breaks": repeated("a  \n"),
  escapes: repeated("\\["),
};

/** Payloads that are slow for other reasons. */
const OTHERS: Readonly<Record<string, (random: Random) => Pick<DrawnCase, "payload"> & Partial<DrawnCase>>> = {
  "a long line": (random) => ({ payload: { text: "x".repeat(random.between(50_000, 400_000)) } }),
  "a long line of blanks": (random) => ({ payload: { text: `a${" ".repeat(random.between(50_000, 400_000))}b` } }),
  "invisible characters": () => ({ payload: { text: "\u200B\u202E".repeat(50_000) } }),
  accents: () => ({ payload: { text: `e${"\u0301".repeat(200_000)}` } }),
  "deep JSON": (random) => ({ payload: { deep: nested(random.between(20, 60), random) } }),
  "JSON in a text": (random) => ({
    payload: { text: JSON.stringify(nested(60, random)) },
    payload_schema: { properties: { text: { format: "json" } } },
  }),
  "many keys": (random) => ({ payload: Object.fromEntries(times(random.between(2_000, 20_000), (i) => [`k${i}`, i])) }),
  "many changes": () => ({
    payload: Object.fromEntries(times(3_000, (i) => [`${i % 2 ? "after" : "before"}_${i >> 1}`, `${i}`])),
  }),
  "a large table": () => ({
    payload: { rows: times(3_000, (i) => ({ id: i, at: "2026-01-01T10:00:00Z", text: "x" })) },
  }),
  "texts that changed": (random) => ({
    payload: Object.fromEntries(
      times(4, (i) => [
        [`before_${i}`, words(random)],
        [`after_${i}`, words(random)],
      ]).flat() as [string, string][],
    ),
  }),
  "hints for rows": () => {
    const names = times(1_900, (i) => `none_${i}`);
    return {
      payload: { rows: times(500, (i) => ({ a: { b: i } })) },
      form_definition: { payload: { rows: { items: Object.fromEntries(names.map((name) => [name, {}])) } } },
    };
  },
};

const SHAPES: readonly string[] = [...Object.keys(MARKDOWN), ...Object.keys(OTHERS)];

/** Returns a case; every shape comes once before any is repeated. */
export function drawnCase(seed: number, index: number): DrawnCase {
  const random = createRandom(seed, index);
  const shape = SHAPES[(index + seed) % SHAPES.length]!;
  const other = OTHERS[shape];
  if (other !== undefined) return { shape, payload_schema: {}, form_definition: null, ...other(random) };
  const markdown = MARKDOWN[shape]!;
  const count = random.pick([1, 1, 4, 10]);
  const length = random.pick([2_000, 12_000, MARKDOWN_MAX - 1_000, MARKDOWN_MAX + 1_000]);
  const fields = times(count, (i) => [`text_${i}`, markdown(length)] as const);
  return {
    shape: `${shape}, ${count} x ${length}`,
    payload: Object.fromEntries(fields),
    payload_schema: { properties: Object.fromEntries(fields.map(([name]) => [name, { format: "markdown" }])) },
    form_definition: null,
  };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function nested(depth: number, random: Random): unknown {
  let value: unknown = "x".repeat(random.between(0, 50_000));
  for (let i = 0; i < depth; i++) value = random.chance(0.5) ? [value, i] : { [`k${i}`]: value, text: "*a*" };
  return value;
}

function words(random: Random): string {
  return times(6_000, () => `w${random.int(90)}`).join(" ");
}
