import { t } from "../../../languages/text.ts";

/** The place where a text stops being JSON, and how to fix it. Line and column count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Deeper than the service accepts, and far below the limit of a stack. */
const MAX_DEPTH = 500;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** Matches up to the end of a text, or to a forbidden character. */
// oxlint-disable-next-line no-control-regex -- JSON excludes control characters
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const WORD = /[A-Za-z_$][\w$]*/y;

/**
 * Explains invalid JSON. Browsers use different messages for it, and not all of them include the position.
 * @returns null if `JSON.parse` accepts the text
 */
export function jsonProblem(text: string): JsonProblem | null {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };

  const readText = (): string | null => {
    at += 1;
    for (;;) {
      take(PLAIN);
      const next = text[at];
      if (next === '"') {
        at += 1;
        return null;
      }
      if (next === undefined) return t('This string is not closed: a " is missing.');
      if (next === "\n" || next === "\r") return t('A " is missing here. Write a line break in a string as \\n.');
      if (next !== "\\") return t("Control characters are not allowed in a string. Write \\u and four digits.");
      if (take(ESCAPE) === "") return t('After a backslash, use one of " \\ / b f n r t, or u and four digits.');
    }
  };

  /** Reads a list or object after its `[` or `{`. `readOne` reads one item or member. */
  const readList = (close: "]" | "}", readOne: () => string | null): string | null => {
    at += 1;
    take(SPACE);
    if (text[at] === close) {
      at += 1;
      return null;
    }
    for (;;) {
      const problem = readOne();
      if (problem !== null) return problem;
      take(SPACE);
      if (text[at] === close) {
        at += 1;
        return null;
      }
      if (text[at] !== ",") return t("A comma or the closing {close} is missing here.", { close });
      at += 1;
      take(SPACE);
      if (text[at] === close) return t("Remove the comma before this {close}.", { close });
    }
  };

  const readMember = (depth: number): string | null => {
    if (text[at] !== '"') return t("A property name in double quotes is missing here.");
    const problem = readText();
    if (problem !== null) return problem;
    take(SPACE);
    if (text[at] !== ":") return t("A colon is missing here, between the name and its value.");
    at += 1;
    return readValue(depth);
  };

  const readValue = (depth: number): string | null => {
    take(SPACE);
    if (depth > MAX_DEPTH) return t("Too many levels of nesting.");
    const next = text[at];
    if (next === undefined) return t("A value is missing here.");
    if (next === '"') return readText();
    if (next === "[") return readList("]", () => readValue(depth + 1));
    if (next === "{") return readList("}", () => readMember(depth + 1));
    if (next === "'") return t("Put strings and names in double quotes.");
    if (text.startsWith("//", at) || text.startsWith("/*", at)) return t("JSON has no comments.");
    if (take(NUMBER) !== "") return /[\d.]/.test(text[at] ?? "") ? t("Not a valid number.") : null;
    const start = at;
    const word = take(WORD);
    if (word === "true" || word === "false" || word === "null") return null;
    at = start;
    return word === ""
      ? t("A value is missing here.")
      : t('Not a valid value. Use true, false, null, a number, a "string", a list in [ ] or an object in { }.');
  };

  const found = readValue(1);
  if (found !== null) return place(text, at, found);
  take(SPACE);
  return at === text.length ? null : place(text, at, t("The JSON ends before this. Remove the rest."));
}

function place(text: string, at: number, message: string): JsonProblem {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1, message };
}
