/** One thing that is proven, and how often by default. */
export interface Suite {
  name: string;
  /** What holds when it passes, in one sentence for a reader of the output. */
  promise: string;
  /** How many of `unit` a run makes: `short` in CI, `long` when somebody wants to know. */
  counts: { short: number; long: number; unit: string };
  /** @throws NotRun, or Error with every violation found; whoever reads it must be able to act on it */
  run(run: Run): Promise<void>;
}

export interface Run {
  /** Everything that is chosen at random comes from it alone. */
  seed: number;
  count: number;
  /** Prints a line of progress or of figures. */
  say(line: string): void;
}

/** This machine lacks what the suite needs; the message says what. */
export class NotRun extends Error {}
