/** What a scenario is given, and what it gives back. */
export interface Bench {
  /** How long one turn of one program takes; what needs more samples takes a multiple of it. */
  seconds: number;
  /** Each fsync takes this much longer than it does anyway. */
  fsyncMs: number;
  dialects: readonly Dialect[];
  /** Prints a line. */
  say(line: string): void;
  /** Prints a figure and keeps it for the table at the end. */
  figure(measured: Measured): void;
}

export type Dialect = "sqlite" | "postgres";
export const DATABASES: Record<Dialect, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

export interface Measured {
  name: string;
  value: number;
  unit: Unit;
  /** What is to hold; without it the figure is for information. */
  hold?: { under: number } | { atLeast: number };
  /** What else a reader of this figure wants to know. */
  note?: string;
}

export type Unit = "ms" | "us" | "s" | "%" | "/s" | "MB" | "times" | "";

/** A measured figure as it stands in the table. */
export interface Figure extends Measured {
  scenario: string;
  /** null: nothing was to hold. */
  isMet: boolean | null;
}

export function compareWithFloor(scenario: string, measured: Measured): Figure {
  const { value, hold } = measured;
  if (!hold) return { scenario, ...measured, isMet: null };
  return { scenario, ...measured, isMet: "under" in hold ? value < hold.under : value >= hold.atLeast };
}
