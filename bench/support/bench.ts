/** The settings of a scenario, and the functions that report its results. */
export interface Bench {
  /** How long one turn of one program takes. Scenarios that need more samples use a multiple of it. */
  seconds: number;
  /** Each fsync takes this many milliseconds longer than usual. */
  fsyncMs: number;
  dialects: readonly Dialect[];
  /** Prints a line. */
  say(line: string): void;
  /** Prints a figure, and keeps it for the table at the end. */
  figure(measured: Measured): void;
}

export type Dialect = "sqlite" | "postgres";
export const DATABASES: Record<Dialect, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

export interface Measured {
  name: string;
  value: number;
  unit: Unit;
  /** The target. A figure without a target is for information. */
  hold?: { under: number } | { atLeast: number };
  /** Further details for a reader of this figure. */
  note?: string;
}

export type Unit = "ms" | "us" | "s" | "%" | "/s" | "MB" | "times" | "";

/** A measured figure, as the table shows it. */
export interface Figure extends Measured {
  scenario: string;
  /** Null if the figure has no target. */
  isMet: boolean | null;
}

export function compareWithFloor(scenario: string, measured: Measured): Figure {
  const { value, hold } = measured;
  if (!hold) return { scenario, ...measured, isMet: null };
  return { scenario, ...measured, isMet: "under" in hold ? value < hold.under : value >= hold.atLeast };
}
