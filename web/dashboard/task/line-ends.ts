/** Returns a text with one kind of line end. Text fields of browsers have no other, so a change of them is none. */
export function withPlainLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
