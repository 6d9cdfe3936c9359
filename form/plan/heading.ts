/** Longer texts have their first line as heading, and the rest below. */
const HEADING_LENGTH = 140;

/** A task's text as a heading, and what stands below it. */
export function headingOf(text: string): [first: string, rest: string] {
  if (text.length <= HEADING_LENGTH) return [text, ""];
  const [first = "", ...rest] = text.split("\n");
  return [first, rest.join("\n").trim()];
}
