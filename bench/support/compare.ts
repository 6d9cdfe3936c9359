import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "./bench.ts";

/** What one figure was in each round, before and after a change. */
export interface Compared {
  scenario: string;
  name: string;
  unit: Figure["unit"];
  before: number[];
  after: number[];
}

/**
 * Runs the scenarios with the benchmark of another checkout and with this one's, in turns, so that both meet the same
 * moods of the machine. Each checkout has its own benchmark, because a benchmark writes into its service's database.
 *
 * @param before the folder of the other checkout, installed
 * @param args for each run, without `--before`, `--rounds` and `--json`
 */
export function compareWith(before: string, rounds: number, args: readonly string[]): Compared[] {
  const compared = new Map<string, Compared>();
  const folder = mkdtempSync(join(tmpdir(), "hts-compare-"));
  const json = join(folder, "figures.json");
  try {
    for (let round = 0; round < rounds; round += 1) {
      // The one that goes first changes, since the first may find a colder machine.
      const turns = round % 2 === 0 ? (["before", "after"] as const) : (["after", "before"] as const);
      for (const turn of turns) {
        console.log(`\nround ${round + 1} of ${rounds}: ${turn}`);
        const cwd = turn === "before" ? before : process.cwd();
        const { status } = spawnSync(process.execPath, ["bench/main.ts", ...args, "--json", json], {
          cwd,
          stdio: "inherit",
        });
        if (status !== 0) throw new Error(`The benchmark in ${cwd} failed.`);
        const { figures } = JSON.parse(readFileSync(json, "utf8")) as { figures: Figure[] };
        for (const { scenario, name, unit, value } of figures) {
          const key = `${scenario} ${name}`;
          const entry = compared.get(key) ?? { scenario, name, unit, before: [], after: [] };
          entry[turn].push(value);
          compared.set(key, entry);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [...compared.values()].filter((entry) => entry.before.length === rounds && entry.after.length === rounds);
}

/** Returns a table in Markdown: the medians, their ratio, and the smallest and largest ratio of a round. */
export function comparison(compared: readonly Compared[]): string {
  const rows = compared.map(({ scenario, name, unit, before, after }) => {
    const ratios = before.map((value, i) => after[i]! / value).toSorted((a, b) => a - b);
    const [was, is] = [middle(before), middle(after)];
    const range = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`;
    return `| \`${scenario}\` | ${name} | ${short(was)} | ${short(is)} ${unit} | ${(is / was).toFixed(3)} | ${range} |`;
  });
  return [
    "| scenario | figure | before | after | after / before | of single rounds |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
