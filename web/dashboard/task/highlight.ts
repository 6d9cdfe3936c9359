/** A part of a source. null: neither of these. */
export interface Token {
  readonly kind: "comment" | "string" | "number" | "word" | null;
  readonly text: string;
  /** Where it begins in the source. */
  readonly start: number;
}

interface Language {
  /** What begins a comment that ends with its line. */
  readonly line: readonly string[];
  /** What begins and ends other comments. */
  readonly block: readonly (readonly [start: string, end: string])[];
  readonly quotes: string;
  /** Quotes whose texts may have several lines. */
  readonly long: readonly string[];
  readonly words: ReadonlySet<string>;
  /** Whether words may be in capitals. */
  readonly isLoose?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const C_COMMENTS = { line: ["//"], block: [["/*", "*/"]] } as const;
const HASH = { line: ["#"], block: [] } as const;

const SCRIPT: Language = {
  ...C_COMMENTS,
  quotes: `"'\``,
  long: ["`"],
  words: words(
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
  ),
};
const C_LIKE: Language = {
  ...C_COMMENTS,
  quotes: `"'`,
  long: [],
  words: words(
    "abstract as async await auto bool boolean break byte case catch chan char class const continue crate default defer delete do double dyn else enum explicit export extends extern false final finally float fn for foreach func function fun go goto guard if impl implements import in inline int interface internal is lazy let long loop map match mod mut namespace new nil null nullptr object operator override package private protected protocol public pub range readonly ref return sealed select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while yield",
  ),
};
const PYTHON: Language = {
  ...HASH,
  quotes: `"'`,
  long: [`"""`, "'''"],
  words: words(
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return try while with yield",
  ),
};
const RUBY: Language = {
  ...HASH,
  quotes: `"'`,
  long: [],
  words: words(
    "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require",
  ),
};
const SHELL: Language = {
  ...HASH,
  quotes: `"'`,
  long: [`"`, "'"],
  words: words(
    "case do done elif else esac exit export fi for function if in local readonly return select set shift source then trap unset until while cd echo sudo",
  ),
};
const SQL: Language = {
  line: ["--"],
  block: [["/*", "*/"]],
  quotes: `'"`,
  long: [],
  isLoose: true,
  words: words(
    "add all alter and as asc between begin by case cascade check column commit constraint create cross database default delete desc distinct drop else end exists false fetch for foreign from full function grant group having if in index inner insert into is join key left like limit not null offset on or order outer over partition primary references returning revoke right rollback row select set table then to transaction trigger true truncate union unique update using values view when where with",
  ),
};
const CONFIG: Language = { ...HASH, quotes: `"'`, long: [], words: words("true false null yes no on off") };
const JSON_TEXT: Language = { line: [], block: [], quotes: `"`, long: [], words: words("true false null") };
const CSS: Language = {
  line: [],
  block: [["/*", "*/"]],
  quotes: `"'`,
  long: [],
  words: words("important media import supports layer container"),
};

const LANGUAGES: Readonly<Record<string, Language>> = Object.assign(Object.create(null) as Record<string, Language>, {
  ...named(SCRIPT, "javascript js jsx mjs cjs typescript ts tsx ecmascript"),
  ...named(C_LIKE, "c h cpp c++ cc csharp cs c# java kotlin kt go golang rust rs swift scala dart php"),
  ...named(PYTHON, "python py python3"),
  ...named(RUBY, "ruby rb"),
  ...named(SHELL, "sh bash shell zsh console shellscript"),
  ...named(SQL, "sql postgresql postgres mysql sqlite plsql tsql"),
  ...named(CONFIG, "yaml yml toml ini dockerfile docker makefile hcl terraform properties"),
  ...named(JSON_TEXT, "json json5 jsonc jsonl ndjson geojson"),
  ...named(CSS, "css scss less"),
});

function named(language: Language, names: string): Record<string, Language> {
  return Object.fromEntries(names.split(" ").map((name) => [name, language]));
}

/** Longer sources stay plain, in characters: each token is an element of the page. */
const MAX_LENGTH = 50_000;

/**
 * Returns the parts of a source by what they are, in linear time whatever it is; null if its language is unknown, or if it is too
 * long. It knows comments, texts, numbers and words of a language, no more.
 */
export function highlight(text: string, language: string | null): readonly Token[] | null {
  const known = LANGUAGES[language?.toLowerCase() ?? ""];
  if (known === undefined || text.length > MAX_LENGTH) return null;
  const tokens: Token[] = [];
  const unclosed: Unclosed = new Map();
  let plain = 0;
  let at = 0;
  const add = (kind: Token["kind"], end: number): void => {
    if (at > plain) tokens.push({ kind: null, text: text.slice(plain, at), start: plain });
    tokens.push({ kind, text: text.slice(at, end), start: at });
    at = plain = end;
  };
  while (at < text.length) {
    const comment = endOfComment(text, at, known);
    if (comment !== null) {
      add("comment", comment);
      continue;
    }
    const string = endOfString(text, at, known, unclosed);
    if (string !== null) {
      add("string", string);
      continue;
    }
    const word = wordAt(text, at);
    if (word === "") at += 1;
    else if (/^\d/.test(word)) add("number", at + word.length);
    else if (known.words.has(known.isLoose === true ? word.toLowerCase() : word)) add("word", at + word.length);
    else at += word.length;
  }
  if (at > plain) tokens.push({ kind: null, text: text.slice(plain), start: plain });
  return tokens;
}

function wordAt(text: string, at: number): string {
  const word = /\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$]*/uy;
  word.lastIndex = at;
  return word.exec(text)?.[0] ?? "";
}

function endOfComment(text: string, at: number, { line, block }: Language): number | null {
  if (line.some((start) => text.startsWith(start, at))) {
    // In shells and addresses, such a character within a word begins no comment.
    if (at > 0 && !/[\s;,(){}[\]]/.test(text.charAt(at - 1))) return null;
    return endOr(text.indexOf("\n", at), text);
  }
  const found = block.find(([start]) => text.startsWith(start, at));
  if (found === undefined) return null;
  const [start, close] = found;
  const end = text.indexOf(close, at + start.length);
  return end < 0 ? text.length : end + close.length;
}

/** Until where a quote has no counterpart. Looking for it from each quote would take quadratic time. */
type Unclosed = Map<string, number>;

function endOfString(text: string, at: number, { quotes, long }: Language, unclosed: Unclosed): number | null {
  const quote = long.find((one) => one.length > 1 && text.startsWith(one, at)) ?? text.charAt(at);
  if (quote.length === 1 && !quotes.includes(quote)) return null;
  if (at < (unclosed.get(quote) ?? 0)) return null;
  const isLong = long.includes(quote);
  let end = at + quote.length;
  while (end < text.length) {
    if (text.startsWith(quote, end)) return end + quote.length;
    if (!isLong && text.charAt(end) === "\n") break;
    end += text.charAt(end) === "\\" ? 2 : 1;
  }
  if (isLong) return text.length;
  unclosed.set(quote, end);
  return null;
}

function endOr(end: number, text: string): number {
  return end < 0 ? text.length : end;
}
