/** Rows under their titles, in columns as wide as what is in them. */
export function table(titles: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  if (rows.length === 0) return "None.";
  const lines = [titles, ...rows.map((row) => row.map((cell) => cell ?? "-"))];
  const widths = titles.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
