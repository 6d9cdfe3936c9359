import type { Series } from "./figures.ts";

/** The data of a bar: a name, and a count for each series. */
export type Row<Name extends string> = { readonly name: string } & Readonly<Record<Name, number>>;

export interface Part<Name extends string> extends Series<Name> {
  readonly count: number;
  /** Its start and its end, in counts. */
  readonly from: number;
  readonly to: number;
}

/** Returns the parts of a bar, stacked in the order of the series. Empty parts are left out. */
export function partsOf<Name extends string>(row: Row<Name>, series: readonly Series<Name>[]): Part<Name>[] {
  let to = 0;
  return series
    .map((one) => ({ ...one, count: row[one.name], from: to, to: (to += row[one.name]) }))
    .filter(({ count }) => count > 0);
}

export function totalOf<Name extends string>(row: Row<Name>, series: readonly Series<Name>[]): number {
  return series.reduce((sum, { name }) => sum + row[name], 0);
}

const STEPS = 4;
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Returns the numbers of an axis up to at least `largest`: whole, round, and in even steps. */
export function ticksTo(largest: number): number[] {
  const least = Math.max(largest / STEPS, 1);
  const grain = 10 ** Math.floor(Math.log10(least));
  const step = ROUND.map((round) => round * grain).find((size) => size >= least && Number.isInteger(size))!;
  return Array.from({ length: STEPS + 1 }, (_, i) => i * step);
}

/** Returns the maximum width of a text with this many characters, including a gap, in px. */
export function roomFor(characters: number): number {
  return 7 * characters + 8;
}

/**
 * Returns n if every nth name along an axis is shown, so that names do not touch. @param band - px from one to the next
 */
export function everyNth(names: readonly string[], band: number): number {
  const longest = Math.max(...names.map((name) => name.length));
  return Math.max(1, Math.ceil(roomFor(longest) / band));
}

const NAME_MAX = 16;

/** Returns a name that fits beside its bar. The table has the full names. */
export function shortened(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
}
