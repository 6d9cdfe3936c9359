/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/;

/**
 * Returns a line of a table. (RFC 4180) A text that a spreadsheet would run as a formula gets an apostrophe in front, so that it
 * stays a text.
 *
 * @param cells - null: an empty cell
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
