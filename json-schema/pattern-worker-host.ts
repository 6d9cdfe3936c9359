import { clockLimit, cpuLimit } from "../threads/time-limits.ts";
import { createWorkerCalls } from "../threads/worker-calls.ts";
import type { RefusalCode } from "./budget.ts";
import { questionKey } from "./run.ts";
import type { Schema } from "./schema.ts";
import { refusalInWords } from "./sentences.ts";
import type { VerdictInWords } from "./sentences.ts";
import { validate } from "./validate.ts";
import type { ValidateOptions } from "./validate.ts";
import type { PatternQuestion } from "./validate-with.ts";

/**
 * Settles "pending" verdicts on the server. The platform's engine matches patterns that RE2 cannot match (look-around
 * in the middle, back-references, very large patterns) in one worker, which is killed when it takes too long. The event
 * loop never waits. The worker starts only when such a pattern occurs.
 */
export interface PatternHost {
  /**
   * Works like `validate`, but never returns "pending": a pattern that cannot be matched in time is a refusal. Never
   * rejects.
   */
  validate: (schema: Schema, instance: unknown, options?: ValidateOptions) => Promise<SettledVerdict>;
  /**
   * Does the same with a validation that runs elsewhere.
   * @param attempt - validates with these answers, by `questionKey`. If it rejects, so does this.
   */
  settle: (attempt: (answers: ReadonlyMap<string, boolean>) => Promise<VerdictInWords>) => Promise<SettledVerdict>;
  /** Ends the worker. Validations that wait for it are refused. */
  close: () => Promise<void>;
}

export type SettledVerdict = Exclude<VerdictInWords, { status: "pending" }>;

export interface PatternHostOptions {
  /**
   * Limit for all patterns of one round, in milliseconds of CPU time. It is not elapsed time, so that a busy machine
   * does not shorten it. Default 50.
   */
  limit_ms?: number;
  /** How many validations may wait for the worker. Further ones are refused at once. Default 32. */
  queue?: number;
}

/** Limit of rounds. An answer may lead to further questions (a pattern behind a pattern). */
const MAX_ROUNDS = 10;
/** Limit of elapsed time for one round, in case the worker gets no CPU time at all. */
const CLOCK_LIMIT_MS = 5_000;
/** Starting a worker takes about 30 ms. */
const START_LIMIT_MS = 5_000;

type Answers = readonly (boolean | null)[];

export function createPatternHost({ limit_ms = 50, queue = 32 }: PatternHostOptions = {}): PatternHost {
  const calls = createWorkerCalls<readonly PatternQuestion[], Answers>({
    module: new URL("./pattern-worker.ts", import.meta.url),
    worker: { resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 } },
    startLimitMs: START_LIMIT_MS,
  });
  const limits = [cpuLimit(limit_ms), clockLimit(CLOCK_LIMIT_MS)];
  /** The current call and the waiting calls. The time limit applies to each call separately. */
  let asked = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function ask(questions: readonly PatternQuestion[]): Promise<Answers | RefusalCode> {
    if (asked > queue) return "pattern_busy";
    asked++;
    const mine = last.then(async () => calls.call(questions, { limits }));
    last = mine;
    const outcome = await mine;
    asked--;
    if ("answer" in outcome) return outcome.answer;
    return outcome.failed === "closed" || outcome.failed === "not started" ? "pattern_busy" : "pattern_too_slow";
  }

  const settle: PatternHost["settle"] = async (attempt) => {
    const answers = new Map<string, boolean>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const verdict = await attempt(answers);
      if (verdict.status !== "pending") return verdict;
      const found = await ask(verdict.questions);
      if (typeof found === "string") return refusalInWords(found);
      for (const [index, { pattern, text }] of verdict.questions.entries()) {
        const answer = found[index] ?? null;
        if (answer === null) return refusalInWords("pattern_too_slow");
        answers.set(questionKey(pattern, text), answer);
      }
    }
    return refusalInWords("too_expensive");
  };

  return {
    validate: (schema, instance, options = {}) =>
      settle(async (answers) => validate(schema, instance, { ...options, answers })),
    settle,
    close: calls.close,
  };
}
