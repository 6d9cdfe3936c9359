import type { MrkdwnElement, PlainTextElement, TextObject } from "@slack/types";
import { oneLine, plainLines } from "../../../../form/plain-text.ts";

/*
 * Texts as Slack takes them. What strangers wrote is sent as `plain_text`, in which nothing is markup, or, where it stands in
 * bold, as `mrkdwn` that has no mark of its own. `&`, `<` and `>` are always escaped, since Slack reads them in either.
 */

/** The longest that Slack takes, in UTF-16 units of what is sent. */
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

/** What looks like a mention, and at which nobody is to be called. Addresses such as ada@example.com are none. */
const MENTION = /(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_])/gu;
/** Shows nothing and keeps the words around it in one line. */
const WORD_JOINER = "\u2060";

/** @param text - without what cannot be seen: see form/plain-text.ts */
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

/** One line of a stranger's text; `other` when nothing of it can be seen. */
export function line(text: string, max: number, other = "-"): PlainTextElement {
  return literal(fitText(oneLine(text), max) || other);
}

/** The same with its line ends. */
export function lines(text: string, max: number, other = "-"): PlainTextElement {
  return literal(fitText(plainLines(text), max) || other);
}

function literal(escaped: string): PlainTextElement {
  return { type: "plain_text", text: escaped, emoji: false };
}

/** @param escaped - escaped, or our own; nothing in it becomes a link or a mention by itself */
export function markup(escaped: string): MrkdwnElement {
  return { type: "mrkdwn", text: escaped, verbatim: true };
}

/** What Slack takes for bold, italics, code, a quote, a list or an emoji. `snake_case` and `2 * 3` are none of it. */
const MARKS = /(?<![\p{L}\p{N}])[*_~](?!\s)|(?<!\s)[*_~](?![\p{L}\p{N}])|`|^\s*>|:[\w+'-]+:/mu;

/**
 * A line in bold and what stands below it. Where the texts have marks of their own, nothing is bold: Slack has no way to
 * escape those, and shows them in plain text only.
 *
 * @param head - one line that is not empty
 * @param below - plain lines; "": none
 */
export function titled(head: string, below: string, max: number, end = "..."): TextObject {
  const text = fitText(below === "" ? head : `${head}\n${below}`, max - 2, end);
  if (head.length > MAX_BOLD || MARKS.test(head) || MARKS.test(below)) return literal(text);
  const [first = "", ...rest] = text.split("\n");
  return markup([`*${first}*`, ...rest].join("\n"));
}

/** Nobody reads more in bold. */
const MAX_BOLD = 200;

/**
 * A moment in the zone and the words of whoever reads it.
 *
 * @param epoch - milliseconds
 * @returns markup; what cannot show it so has it in UTC
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
