import { writeFileSync } from "node:fs";
import type { Figure, Measured, Unit } from "./bench.ts";
import { quantile, type Figures } from "./load.ts";

/** Returns the turn with the median rate. */
export function median(turns: readonly Figures[]): Figures {
  return turns.toSorted((a, b) => a.rate - b.rate)[Math.floor(turns.length / 2)]!;
}

/** Returns one line about a period of load. */
export function describe({ rate, cpuUs, databaseCpuUs, ms, lateMs, memoryMb, stall }: Figures): string {
  return [
    `${Math.round(rate)}/s`.padStart(8),
    `${Math.round(cpuUs)} us CPU each`.padStart(16),
    ...(databaseCpuUs > 0 ? [`+ ${Math.round(databaseCpuUs)} us in the database`] : []),
    `p50 ${quantile(ms, 0.5).toFixed(1)} ms`.padStart(12),
    `p99 ${quantile(ms, 0.99).toFixed(1)} ms`.padStart(13),
    ...(lateMs.length > 0 ? [`sent late p99 ${quantile(lateMs, 0.99).toFixed(1)} ms`] : []),
    `${Math.round(memoryMb)} MB`.padStart(7),
    `stall ${stall.ms.toFixed(0)} ms (${stall.cpu_ms.toFixed(0)} computing), most computing ${stall.most_cpu_ms.toFixed(0)} ms`,
  ].join("  ");
}

/** Returns one line about a figure. */
export function line({ name, value, unit, hold, isMet, note }: Figure): string {
  const verdict = hold ? `  hold ${holdText(hold, unit)}: ${isMet ? "met" : "NOT MET"}` : "";
  return `${name}: ${withUnit(value, unit)}${verdict}${note === undefined ? "" : `  (${note})`}`;
}

/** Returns all figures, for a terminal. */
export function table(figures: readonly Figure[]): string {
  const rows = [["", "figure", "measured", "hold", ""], ...figures.map(cells)];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Returns all figures as a table in Markdown. */
export function markdown(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const [scenario, name, measured, hold, verdict] = cells(figure);
    return `| \`${scenario}\` | ${name} | ${measured} | ${hold} | ${verdict} | ${figure.note ?? ""} |`;
  });
  return ["| scenario | figure | measured | target | | |", "| --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}

const TABLE_BEGINS = "<!-- figures: written by npm run bench -- --markdown docs/benchmarks.md -->";
const TABLE_ENDS = "<!-- end of figures -->";

/** Returns the page with the new table between its two marker comments. @throws Error for a page without them */
export function replaceTable(page: string, figures: readonly Figure[]): string {
  const [begins, ends] = [page.indexOf(TABLE_BEGINS), page.indexOf(TABLE_ENDS)];
  if (begins === -1 || ends < begins) throw new Error(`The page has no place for the table: ${TABLE_BEGINS}`);
  const date = new Date().toISOString().slice(0, 10);
  return `${page.slice(0, begins)}${TABLE_BEGINS}\n\nMeasured ${date}.\n\n${markdown(figures)}\n\n${page.slice(ends)}`;
}

export function writeJson(path: string, figures: readonly Figure[]): void {
  writeFileSync(path, `${JSON.stringify({ measured_at: new Date().toISOString(), figures }, null, 2)}\n`);
}

function cells({ scenario, name, value, unit, hold, isMet }: Figure): [string, string, string, string, string] {
  const verdict = isMet === null ? "" : isMet ? "met" : "NOT MET";
  return [scenario, name, withUnit(value, unit), hold ? holdText(hold, unit) : "", verdict];
}

function holdText(hold: NonNullable<Measured["hold"]>, unit: Unit): string {
  return "under" in hold ? `under ${withUnit(hold.under, unit)}` : `at least ${withUnit(hold.atLeast, unit)}`;
}

function withUnit(value: number, unit: Unit): string {
  const text = Number.isInteger(value) || value >= 100 ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);
  return unit === "/s" || unit === "" ? `${text}${unit}` : `${text} ${unit}`;
}
