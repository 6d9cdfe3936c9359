import type { Reader } from "../db/database.ts";
import { findStoredVersions, type Period } from "./stored-totals.ts";
import { readTotals, type Totals } from "./totals.ts";

/*
 * The totals of one project in a past hour or day are kept in memory for as long as the stored totals of that hour or day are the
 * same: they are counted when a process needs them, and again after a task of that time was deleted.
 */

/** Numbers that are kept, of all projects. What was used longest ago is dropped. A day of a project has up to two thousand. */
const NUMBERS_MAX = 1_000_000;
/** Numbers of a period without any task. */
const NUMBERS_LEAST = 20;

interface Kept {
  numbers: number;
  periods: Map<string, Totals>;
}

const keptBy = new WeakMap<Reader, Kept>();

/**
 * Returns the totals of each of some projects in spans that start in `from` to `to`, in order. Spans without stored totals are
 * skipped.
 */
export async function findTotalsOf(
  reader: Reader,
  projects: readonly string[],
  span: number,
  range: { from: number; to: number; now: number },
): Promise<Period[]> {
  const periods: Period[] = [];
  for (const { start, version } of await findStoredVersions(reader, span, range)) {
    for (const project of projects) {
      const key = `${project} ${span} ${start} ${version}`;
      const kept = find(reader, key);
      const totals = kept ?? keep(reader, key, await readTotals(reader, start, start + span, [project]));
      periods.push({ start, totals });
    }
  }
  return periods;
}

function find(reader: Reader, key: string): Totals | null {
  const periods = keptBy.get(reader)?.periods;
  const totals = periods?.get(key);
  if (!periods || !totals) return null;
  // A map is in the order in which keys were set.
  periods.delete(key);
  periods.set(key, totals);
  return totals;
}

function keep(reader: Reader, key: string, totals: Totals): Totals {
  const kept = keptBy.get(reader) ?? { numbers: 0, periods: new Map<string, Totals>() };
  keptBy.set(reader, kept);
  if (!kept.periods.has(key)) kept.numbers += numbersIn(totals);
  kept.periods.set(key, totals);
  for (const [oldest, dropped] of kept.periods) {
    if (kept.numbers <= NUMBERS_MAX) break;
    kept.periods.delete(oldest);
    kept.numbers -= numbersIn(dropped);
  }
  return totals;
}

function numbersIn({ took, channels }: Totals): number {
  return NUMBERS_LEAST + channels.length + ("each" in took ? took.each.length : took.buckets.length);
}
