/** What `is:` can say about a task. */
export const SEARCHED_STATES = [
  "open",
  "closed",
  "waiting",
  "sent-back",
  "completed",
  "timed-out",
  "cancelled",
  "failed-checks",
  "urgent",
  "high",
  "low",
  "unassigned",
  "mine",
  "snoozed",
] as const;
export type SearchedState = (typeof SEARCHED_STATES)[number];

/** One of the things that a search asks for. All of them must hold. */
export type SearchTerm =
  /** Somewhere in what a list shows of a task. */
  | { kind: "text"; text: string }
  /** In the name of the agent or the person who asked. */
  | { kind: "from"; text: string }
  /** In the name or the email of the person that the task is assigned to, or who closed it. */
  | { kind: "by"; text: string }
  /** A whole label. */
  | { kind: "label"; text: string }
  | { kind: "is"; state: SearchedState };

/** Each term costs the database a look at every task. What follows the last one is one text. */
const TERMS_MAX = 12;

/** A word, or `name:` with or without a value behind it. A value in quotes may have blanks, and ends with the text if it is not closed. */
const TERM = /\s*(?:(?<name>from|by|label|is):)?(?:"(?<quoted>[^"]*)(?:"|$)|(?<word>\S+))/iy;

/**
 * Returns what a person searches for: words, texts in quotes, `from:<agent>`, `by:<person>`, `label:<label>` and `is:<state>`.
 * Everything else is a word, such as `is:` with an unknown state, or `order:17`. Nothing is an error, because people search while
 * they type.
 */
export function readSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (TERM.lastIndex = 0; ;) {
    const start = TERM.lastIndex;
    const found = TERM.exec(text);
    if (found === null) return terms;
    if (terms.length === TERMS_MAX - 1) return [...terms, { kind: "text", text: text.slice(start).trim() }];
    const { name, quoted, word } = found.groups!;
    const term = termOf(name?.toLowerCase(), (quoted ?? word!).trim(), found[0].trim());
    if (term !== null) terms.push(term);
  }
}

/** Returns what a search says after `is:` that is no state; null if there is no such thing. */
export function unknownStateOf(text: string): string | null {
  for (const term of readSearch(text)) {
    const [, state] = term.kind === "text" ? (/^is:(.+)$/is.exec(term.text) ?? []) : [];
    if (state !== undefined) return state;
  }
  return null;
}

/** @param whole - as it is written */
function termOf(name: string | undefined, value: string, whole: string): SearchTerm | null {
  if (value === "") return null;
  switch (name) {
    case "from":
    case "by":
    case "label":
      return { kind: name, text: value };
    case "is": {
      const state = SEARCHED_STATES.find((known) => known === value.toLowerCase());
      return state === undefined ? { kind: "text", text: whole } : { kind: "is", state };
    }
    default:
      return { kind: "text", text: value };
  }
}
