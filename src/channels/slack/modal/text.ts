import type { MrkdwnElement, PlainTextElement, TextObject } from "@slack/types";
import { oneLine, plainLines } from "../../../../form/plain-text.ts";

/*
 * Texts for Slack. Untrusted text is sent as `plain_text`, which has no markup. In bold it is `mrkdwn`, but only without marks
 * of its own. `&`, `<` and `>` are always escaped, because Slack interprets them in both.
 */

/** Slack's length limits, in UTF-16 units. */
export const MAX = {
  section: 3_000,
  field: 2_000,
  header: 150,
  button: 75,
  option: 75,
  label: 2_000,
  hint: 2_000,
  placeholder: 150,
  viewTitle: 24,
  confirmTitle: 100,
  confirmText: 300,
  error: 2_000,
};

export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Text that looks like a mention and must not notify anyone. Emails such as ada@example.com do not match. */
const MENTION = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_])/gu;
/** Invisible; prevents a line break. */
const WORD_JOINER = "\u2060";

/** @param text - without invisible characters (form/plain-text.ts) */
function withoutMentions(text: string): string {
  return text.replaceAll(MENTION, `@${WORD_JOINER}`);
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * An escaped text of at most `max` UTF-16 units. It is cut between characters as people see them, never within an escape,
 * and then ends with `end`.
 */
export function fitText(text: string, max: number, end = "..."): string {
  const plain = withoutMentions(text);
  const whole = escapeText(plain);
  if (whole.length <= max) return whole;
  let kept = "";
  for (const { segment } of characters.segment(plain.slice(0, max))) {
    const more = escapeText(segment);
    if (kept.length + more.length > max - end.length) break;
    kept += more;
  }
  // Back to the last blank, if that is not far.
  return `${kept.replace(/\s\S{0,20}$/, "").trimEnd()}${end}`;
}

/** Returns untrusted text in one line; `other` if nothing is visible. */
export function line(text: string, max: number, other = "-"): PlainTextElement {
  return literal(fitText(oneLine(text), max) || other);
}

/** Returns untrusted text with its line breaks. */
export function lines(text: string, max: number, other = "-"): PlainTextElement {
  return literal(fitText(plainLines(text), max) || other);
}

/** Returns untrusted text with its line breaks, in as many parts of at most `max` UTF-16 units as it needs. */
export function parts(text: string, max: number): PlainTextElement[] {
  const all: string[] = [];
  let part = "";
  for (const { segment } of characters.segment(withoutMentions(plainLines(text)))) {
    const escaped = escapeText(segment);
    // One character may be a chain of hundreds.
    const more = escaped.length > max ? "..." : escaped;
    if (part.length + more.length > max) {
      all.push(part);
      part = "";
    }
    part += more;
  }
  return [...all, part].filter((one) => one.trim() !== "").map(literal);
}

function literal(escaped: string): PlainTextElement {
  return { type: "plain_text", text: escaped, emoji: false };
}

/** @param escaped - escaped text, or our own. Slack turns nothing in it into a link or mention */
export function markup(escaped: string): MrkdwnElement {
  return { type: "mrkdwn", text: escaped, verbatim: true };
}

/** Slack's marks for bold, italics, code, quotes, lists and emoji. `snake_case` and `2 * 3` do not match. */
const MARKS = /(?<![\p{L}\p{N}])[*_~](?!\s)|(?<!\s)[*_~](?![\p{L}\p{N}])|`|^\s*>|:[\w+'-]+:/mu;

/**
 * Returns a bold line with text below it. If the texts contain marks, nothing is bold: Slack cannot escape marks, and shows
 * them as they are only in plain text.
 *
 * @param head - one line, not empty
 * @param below - plain lines, or ""
 */
export function titled(head: string, below: string, max: number, end = "..."): TextObject {
  const text = fitText(below === "" ? head : `${head}\n${below}`, max - 2, end);
  if (head.length > MAX_BOLD || MARKS.test(head) || MARKS.test(below)) return literal(text);
  const [first = "", ...rest] = text.split("\n");
  return markup([`*${first}*`, ...rest].join("\n"));
}

/** Longer text in bold is hard to read. */
const MAX_BOLD = 200;

/**
 * Returns a time that Slack shows in the reader's zone and language.
 *
 * @param epoch - milliseconds
 * @returns markup with a fallback in UTC
 */
export function moment(epoch: number): string {
  const fallback = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(epoch);
  return `<!date^${Math.floor(epoch / 1000)}^{date_short_pretty} at {time}|${fallback}>`;
}
