/** Texts of strangers, made plain for what shows them without markup: a mail, a message, one line of a list. */

/** What turns the direction of the text behind it, or cannot be seen; blanks among it separate words. */
const UNSEEN = /[\u00AD\u180E\u200B\u202A-\u202E\u2060-\u2069\u206A-\u206F\uFEFF\uFFF9-\uFFFB\p{Cc}]+/gu;

/** More accents than any language puts on one letter; a heap of them covers what is around it. */
const HEAP = /(\p{M}{8})\p{M}+/gu;

/** In one line, and without what cannot be seen or hides something else. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNSEEN, (found) => (/[\s\u0085]/.test(found) ? " " : ""))
    .replaceAll(HEAP, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The same for each of its lines, with at most one empty line between two. */
export function plainLines(text: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map(oneLine)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
/** UTF-16 units of one character as people count them, on average. */
const MAX_UNITS = 16;

/**
 * The beginning of a plain text and what is left of it, "" where all fits. It is cut between two words if they are not too
 * long, and never within what people see as one character.
 *
 * @param max - characters as people count them
 */
export function splitText(text: string, max: number): readonly [string, string] {
  const room = max * MAX_UNITS;
  let count = 0;
  let end = 0;
  for (const { segment, index } of characters.segment(text.slice(0, room))) {
    if (++count > max) break;
    end = index + segment.length;
  }
  if (end >= text.length) return [text, ""];
  if (end === room) end = text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "").length;
  // Back to the last blank, if that is not far.
  const [blank] = /\s\S*$/.exec(`${text.slice(0, end)}${text.charAt(end)}`) ?? [];
  if (blank !== undefined && blank.length <= end / 3) end -= blank.length - 1;
  return [text.slice(0, end).trimEnd(), text.slice(end).trimStart()];
}

/** At most `max` characters, the last three of which are dots when something is left out. */
export function cutText(text: string, max: number): string {
  const [, rest] = splitText(text, max);
  return rest === "" ? text : `${splitText(text, max - 3)[0]}...`;
}
