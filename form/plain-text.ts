/** Makes untrusted texts safe for places without markup: an email, a message, one line of a list. */

/** Characters that change the direction of the text behind them, or are invisible. Blanks among them separate words. */
const UNSEEN = /[\u00AD\u180E\u200B\u202A-\u202E\u2060-\u2069\u206A-\u206F\uFEFF\uFFF9-\uFFFB\p{Cc}]+/gu;

/** More accents than any language puts on one letter. A heap of them covers the text around it. */
const HEAP = /(\p{M}{8})\p{M}+/gu;

/** One line of ASCII with single blanks. Most texts are, and the look at it takes a tenth of the time. */
const IS_ONE_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** Returns the text in one line, without characters that are invisible or hide others. */
export function oneLine(text: string): string {
  if (IS_ONE_LINE.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll(UNSEEN, (found) => (/[\s\u0085]/.test(found) ? " " : ""))
    .replaceAll(HEAP, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Does the same for each line, and keeps at most one empty line between two. */
export function plainLines(text: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map(oneLine)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Letters and signs of which each is a perceived character, whatever is beside it. */
const SINGLE = /^[ -~\u00A1-\u02FF]*$/;
/** UTF-16 units per perceived character, on average. */
const MAX_UNITS = 16;

/**
 * Splits a plain text into its beginning and the rest, "" if all fits. It cuts between two words if they are not too
 * long, and never within a perceived character.
 *
 * @param max - perceived characters
 */
export function splitText(text: string, max: number): readonly [string, string] {
  // A character has at least one unit. Counting characters takes much longer than a look at the length.
  if (text.length <= max) return [text, ""];
  const room = max * MAX_UNITS;
  let end = SINGLE.test(text.slice(0, max + 1)) ? max : endOf(text.slice(0, room), max);
  if (end >= text.length) return [text, ""];
  if (end === room) end = text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "").length;
  // Go back to the last blank, if it is not far.
  const [blank] = /\s\S*$/.exec(`${text.slice(0, end)}${text.charAt(end)}`) ?? [];
  if (blank !== undefined && blank.length <= end / 3) end -= blank.length - 1;
  return [text.slice(0, end).trimEnd(), text.slice(end).trimStart()];
}

/** Returns where the first `max` perceived characters of a text end. */
function endOf(text: string, max: number): number {
  let count = 0;
  let end = 0;
  for (const { segment, index } of characters.segment(text)) {
    if (++count > max) break;
    end = index + segment.length;
  }
  return end;
}

/** Returns at most `max` characters. If something is left out, the last three are dots. */
export function cutText(text: string, max: number): string {
  const [, rest] = splitText(text, max);
  return rest === "" ? text : `${splitText(text, max - 3)[0]}...`;
}
