/** One proof, and its default number of runs. */
export interface Suite {
  name: string;
  /** The property that holds if the suite passes, as one sentence for the output. */
  promise: string;
  /** How many of `unit` a run makes: `short` in CI, `long` by default outside it. */
  counts: { short: number; long: number; unit: string };
  /**
   * Returns what the suite needs that is no part of this project, and how to run it with that; null if it can run. A run
   * of all suites succeeds without it.
   */
  lacking?(): string | null;
  /** @throws NotRun, or Error with every violation, in words that a reader can act on */
  run(run: Run): Promise<void>;
}

export interface Run {
  /** The only source of random choices. */
  seed: number;
  count: number;
  /** Prints a line of progress or of figures. */
  say(line: string): void;
}

/** Thrown when this machine lacks what the suite needs; the message says what. */
export class NotRun extends Error {}
