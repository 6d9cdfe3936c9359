/** The first line of a longer text is its heading, and the rest comes below. */
const HEADING_LENGTH = 140;

/** Returns a task's text as a heading, and the text below it. */
export function headingOf(text: string): [first: string, rest: string] {
  if (text.length <= HEADING_LENGTH) return [text, ""];
  const [first = "", ...rest] = text.split("\n");
  return [first, rest.join("\n").trim()];
}
