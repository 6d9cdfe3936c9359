/**
 * Rewrites an ECMA-262 pattern (flag `u`, as JSON Schema requires) for RE2, which matches in linear time. The result
 * must only tell whether a text matches. So every group becomes a plain group, and laziness is dropped. Constructs that
 * RE2 cannot express are not translated: look-around (except at the very start, see below), back-references, counts
 * over 1,000, inline flags, rare Unicode properties, and patterns that would compile to a large automaton.
 *
 * `^(?=.*\d)(?!.*\s).{8,}$`: lookaheads right after a leading `^` become separate patterns that must or must not match
 * at the start of the text. Password rules and zod's email pattern have this form.
 *
 * The pattern must be valid: call `patternProblem` first.
 */

export interface LinearPattern {
  /** RE2 syntax. */
  readonly source: string;
  /** It begins with `^`, so a search can stop at the first dead end. */
  readonly anchored: boolean;
  /** The maximum number of states of the automaton. */
  readonly size: number;
  /** The maximum number of boundaries of character classes. */
  readonly ranges: number;
  /** Like `size`, but each state counts with its own ranges. This is the cost of compiling. */
  readonly weight: number;
}

export interface Translation extends LinearPattern {
  /** Patterns that must match at the start of the text as well. A `negated` one must not match. */
  readonly guards: readonly (LinearPattern & { readonly negated: boolean })[];
}

const MAX_REPEAT = 1_000;
const MAX_SIZE = 1_500;
const MAX_WEIGHT = 12_000;
const MAX_NESTING = 100;
/** The cost of `\p{...}` in a class: the larger tables have about 700 ranges. */
const PROPERTY_RANGES = 700;

const SPACE =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NOT_SPACE =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const ANY_BUT_LINE_END = "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";

/** Shorthands as RE2 writes them inside a class, with the number of their ranges. */
const SHORTHANDS: Readonly<Record<string, readonly [string, number]>> = {
  d: ["0-9", 1],
  D: ["\\D", 2],
  w: ["0-9A-Z_a-z", 4],
  W: ["\\W", 5],
  s: [SPACE, 11],
  S: [NOT_SPACE, 12],
};

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Thrown when RE2 cannot express a construct. */
class Untranslatable extends Error {}

/** Returns null if only a native regular expression can match this pattern. */
export function translatePattern(pattern: string): Translation | null {
  const reader: Reader = { text: pattern, at: 0, depth: 0 };
  try {
    const guards: (LinearPattern & { negated: boolean })[] = [];
    const anchored = pattern.startsWith("^");
    if (anchored) {
      reader.at = 1;
      while (pattern.startsWith("(?=", reader.at) || pattern.startsWith("(?!", reader.at)) {
        const negated = pattern[reader.at + 2] === "!";
        reader.at += 3;
        const part = readAlternatives(reader);
        reader.at += 1;
        guards.push({ negated, ...finish(`^(?:${part.source})`, part, true) });
      }
    }
    const part = readAlternatives(reader);
    // In `^a|b`, the anchor and the lookaheads behind it belong to the first branch only.
    if (anchored && part.branches > 1) {
      if (guards.length > 0) return null;
      return { ...finish(`^${part.source}`, part, false), guards };
    }
    return { ...finish(anchored ? `^(?:${part.source})` : part.source, part, anchored), guards };
  } catch (error) {
    if (error instanceof Untranslatable) return null;
    throw error;
  }
}

function finish(source: string, part: Part, anchored: boolean): LinearPattern {
  if (part.size > MAX_SIZE || part.weight > MAX_WEIGHT) throw new Untranslatable();
  return { source, anchored, size: part.size + 3, ranges: part.ranges, weight: part.weight + 3 };
}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

interface Part {
  source: string;
  size: number;
  ranges: number;
  weight: number;
  branches: number;
}

/** Reads up to the closing parenthesis or the end, and does not consume it. */
function readAlternatives(reader: Reader): Part {
  if (++reader.depth > MAX_NESTING) throw new Untranslatable();
  const whole: Part = { source: "", size: 1, ranges: 0, weight: 1, branches: 1 };
  while (reader.at < reader.text.length && reader.text[reader.at] !== ")") {
    if (reader.text[reader.at] === "|") {
      reader.at++;
      whole.source += "|";
      whole.branches++;
      whole.size++;
      whole.weight++;
      continue;
    }
    const atom = readAtom(reader);
    const times = readCount(reader);
    whole.source += times === null ? atom.source : `${atom.source}${times.source}`;
    const copies = times === null ? 1 : times.copies;
    whole.size += copies * (atom.size + (times === null ? 0 : 1));
    whole.weight += copies * (atom.weight + (times === null ? 0 : 1));
    whole.ranges += atom.ranges;
  }
  reader.depth--;
  return whole;
}

function readAtom(reader: Reader): Part {
  const { text } = reader;
  const char = text[reader.at] ?? "";
  switch (char) {
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case ".":
      reader.at++;
      return { source: ANY_BUT_LINE_END, size: 1, ranges: 4, weight: 5, branches: 1 };
    case "^":
      reader.at++;
      return { source: "^", size: 1, ranges: 0, weight: 1, branches: 1 };
    case "$":
      reader.at++;
      return { source: "\\z", size: 1, ranges: 0, weight: 1, branches: 1 };
    case "\\": {
      const next = text[reader.at + 1];
      if (next === "b" || next === "B") {
        reader.at += 2;
        return { source: `\\${next}`, size: 1, ranges: 4, weight: 5, branches: 1 };
      }
      const item = readEscape(reader);
      if (item.code !== null) return literal(item.code);
      return { source: `[${item.source}]`, size: 1, ranges: item.ranges, weight: 1 + item.ranges, branches: 1 };
    }
    default: {
      const code = text.codePointAt(reader.at) ?? 0;
      reader.at += code > 0xffff ? 2 : 1;
      return literal(code);
    }
  }
}

function readGroup(reader: Reader): Part {
  const { text } = reader;
  reader.at++;
  if (text[reader.at] === "?") {
    if (text.startsWith("?:", reader.at)) reader.at += 2;
    else if (text.startsWith("?<", reader.at) && !/^\?<[=!]/.test(text.slice(reader.at, reader.at + 3)))
      reader.at = text.indexOf(">", reader.at) + 1;
    else throw new Untranslatable();
  }
  const inner = readAlternatives(reader);
  reader.at++;
  return { ...inner, source: `(?:${inner.source})`, branches: 1 };
}

/** Reads `*`, `+`, `?`, `{2}`, `{2,}` or `{2,5}`, each optionally lazy. Returns null if there is no count. */
function readCount(reader: Reader): { source: string; copies: number } | null {
  const { text } = reader;
  const char = text[reader.at];
  let source: string;
  let copies = 1;
  if (char === "*" || char === "+" || char === "?") {
    source = char;
    reader.at++;
  } else if (char === "{") {
    const end = text.indexOf("}", reader.at);
    const [min = "", max] = text.slice(reader.at + 1, end).split(",");
    const least = Number(min);
    const most = max === undefined || max === "" ? least : Number(max);
    if (least > MAX_REPEAT || most > MAX_REPEAT) throw new Untranslatable();
    source = max === undefined ? `{${least}}` : max === "" ? `{${least},}` : `{${least},${most}}`;
    copies = Math.max(1, most) + (max === "" ? 1 : 0);
    reader.at = end + 1;
  } else return null;
  if (text[reader.at] === "?") reader.at++;
  return { source, copies };
}

function readClass(reader: Reader): Part {
  const { text } = reader;
  reader.at++;
  const negated = text[reader.at] === "^";
  if (negated) reader.at++;
  let source = "";
  let ranges = 0;
  while (text[reader.at] !== "]") {
    const from = readClassItem(reader);
    if (from.code !== null && text[reader.at] === "-" && text[reader.at + 1] !== "]") {
      reader.at++;
      const to = readClassItem(reader);
      source += `${hex(from.code)}-${hex(to.code ?? 0)}`;
    } else source += from.code === null ? from.source : hex(from.code);
    ranges += from.ranges;
  }
  reader.at++;
  if (source === "") return everything(negated);
  return { source: `[${negated ? "^" : ""}${source}]`, size: 1, ranges: ranges + 1, weight: 2 + ranges, branches: 1 };
}

/** Returns `[^]`, which matches everything, or `[]`, which matches nothing. */
function everything(negated: boolean): Part {
  return { source: `[${negated ? "" : "^"}\\x{0}-\\x{10ffff}]`, size: 1, ranges: 1, weight: 2, branches: 1 };
}

/** One member of a class: a code point, or (`code` null) text that represents a set. */
interface Item {
  code: number | null;
  source: string;
  ranges: number;
}

function readClassItem(reader: Reader): Item {
  if (reader.text[reader.at] === "\\") {
    if (reader.text[reader.at + 1] === "b") {
      reader.at += 2;
      return character(8);
    }
    return readEscape(reader);
  }
  const code = reader.text.codePointAt(reader.at) ?? 0;
  reader.at += code > 0xffff ? 2 : 1;
  return character(code);
}

function readEscape(reader: Reader): Item {
  const { text } = reader;
  const char = text[reader.at + 1] ?? "";
  reader.at += 2;
  const shorthand = Object.hasOwn(SHORTHANDS, char) ? SHORTHANDS[char] : undefined;
  if (shorthand !== undefined) return { code: null, source: shorthand[0], ranges: shorthand[1] };
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control !== undefined) return character(control);
  switch (char) {
    case "c":
      return character((text.codePointAt(reader.at++) ?? 0) % 32);
    case "x":
      reader.at += 2;
      return character(Number.parseInt(text.slice(reader.at - 2, reader.at), 16));
    case "u":
      return character(readUnicodeEscape(reader));
    case "p":
    case "P":
      return readProperty(reader, char);
    default:
      // A digit or `\k<name>` refers back to a group. Every other character is a literal.
      if (/[0-9k]/.test(char)) throw new Untranslatable();
      return character(char.codePointAt(0) ?? 0);
  }
}

function readUnicodeEscape(reader: Reader): number {
  const { text } = reader;
  if (text[reader.at] === "{") {
    const end = text.indexOf("}", reader.at);
    const code = Number.parseInt(text.slice(reader.at + 1, end), 16);
    reader.at = end + 1;
    return code;
  }
  const high = Number.parseInt(text.slice(reader.at, reader.at + 4), 16);
  reader.at += 4;
  const low = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(text.slice(reader.at, reader.at + 6));
  if (high < 0xd800 || high > 0xdbff || low === null) return high;
  reader.at += 6;
  return (high - 0xd800) * 0x400 + (Number.parseInt(low[1] ?? "", 16) - 0xdc00) + 0x10000;
}

function readProperty(reader: Reader, char: string): Item {
  const end = reader.text.indexOf("}", reader.at);
  const name = reader.text.slice(reader.at + 1, end);
  reader.at = end + 1;
  const equals = name.indexOf("=");
  const key = equals < 0 ? null : name.slice(0, equals);
  const value = name.slice(equals + 1);
  if (key === null || key === "General_Category" || key === "gc") {
    const category = CATEGORIES.get(value) ?? value;
    if (category === "ASCII")
      return { code: null, source: char === "p" ? "\\x{0}-\\x{7f}" : "\\x{80}-\\x{10ffff}", ranges: 1 };
    if (/^(?:[CLMNPSZ][a-z]?|Any)$/.test(category))
      return { code: null, source: `\\${char}{${category}}`, ranges: PROPERTY_RANGES };
  } else if (key === "Script" || key === "sc") {
    return { code: null, source: `\\${char}{${value}}`, ranges: PROPERTY_RANGES / 10 };
  }
  throw new Untranslatable();
}

const CATEGORIES: ReadonlyMap<string, string> = new Map(
  (
    "Letter=L Cased_Letter=LC Uppercase_Letter=Lu Lowercase_Letter=Ll Titlecase_Letter=Lt Modifier_Letter=Lm " +
    "Other_Letter=Lo Mark=M Combining_Mark=M Nonspacing_Mark=Mn Spacing_Mark=Mc Enclosing_Mark=Me Number=N " +
    "Decimal_Number=Nd digit=Nd Letter_Number=Nl Other_Number=No Punctuation=P punct=P Connector_Punctuation=Pc " +
    "Dash_Punctuation=Pd Open_Punctuation=Ps Close_Punctuation=Pe Initial_Punctuation=Pi Final_Punctuation=Pf " +
    "Other_Punctuation=Po Symbol=S Math_Symbol=Sm Currency_Symbol=Sc Modifier_Symbol=Sk Other_Symbol=So " +
    "Separator=Z Space_Separator=Zs Line_Separator=Zl Paragraph_Separator=Zp Other=C Control=Cc cntrl=Cc Format=Cf " +
    "Private_Use=Co"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
);

function literal(code: number): Part {
  return { source: hex(code), size: 1, ranges: 1, weight: 2, branches: 1 };
}

function character(code: number): Item {
  return { code, source: "", ranges: 1 };
}

function hex(code: number): string {
  const char = String.fromCodePoint(code);
  return /^[A-Za-z0-9]$/.test(char) ? char : `\\x{${code.toString(16)}}`;
}
