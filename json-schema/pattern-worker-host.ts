import { Worker } from "node:worker_threads";
import type { RefusalCode } from "./budget.ts";
import { questionKey } from "./run.ts";
import type { Schema } from "./schema.ts";
import { refusalInWords } from "./sentences.ts";
import type { VerdictInWords } from "./sentences.ts";
import { validate } from "./validate.ts";
import type { ValidateOptions } from "./validate.ts";
import type { PatternQuestion } from "./validate-with.ts";

/**
 * For the server: settles "pending" verdicts. Patterns that RE2 cannot match (look-around in the middle,
 * back-references, very large ones) are matched by the platform's engine in one worker, which is killed when it takes too
 * long. The event loop never waits, and when no such pattern is met the worker is not even started.
 */
export interface PatternHost {
  /** As `validate`, but never "pending": a pattern that cannot be matched in time is a refusal. Never rejects. */
  validate: (schema: Schema, instance: unknown, options?: ValidateOptions) => Promise<SettledVerdict>;
  /** Ends the worker. Validations that wait for it are refused. */
  close: () => Promise<void>;
}

export type SettledVerdict = Exclude<VerdictInWords, { status: "pending" }>;

export interface PatternHostOptions {
  /** For all patterns of one round together, from the moment the worker has them. Default 50. */
  limit_ms?: number;
  /** Validations that may wait for the worker; more are refused at once. Default 32. */
  queue?: number;
}

/** An answer may lead to further questions (a pattern behind a pattern); so many rounds are made. */
const MAX_ROUNDS = 10;
/** Starting a worker takes some 30 ms; if it has not come up after this it will not. */
const START_LIMIT_MS = 5_000;

interface Job {
  readonly questions: readonly PatternQuestion[];
  readonly settle: (answers: readonly (boolean | null)[] | RefusalCode) => void;
}

export function createPatternHost(options: PatternHostOptions = {}): PatternHost {
  const limitMs = options.limit_ms ?? 50;
  const maxWaiting = options.queue ?? 32;
  const waiting: Job[] = [];
  let worker: Worker | null = null;
  let isReady = false;
  let current: Job | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Ends the job at hand, kills the worker if it is to blame, and goes on with the next job. */
  function finish(result: readonly (boolean | null)[] | RefusalCode, kill: boolean): void {
    clearTimeout(timer);
    const job = current;
    current = null;
    if (kill) {
      void stop();
      // Who sent one slow pattern often sends more: the next worker comes up meanwhile.
      if (isReady) start();
    }
    job?.settle(result);
    next();
    if (current === null) worker?.unref();
  }

  async function stop(): Promise<void> {
    const stopped = worker;
    worker = null;
    isReady = false;
    stopped?.removeAllListeners();
    await stopped?.terminate();
  }

  function start(): void {
    const started = new Worker(new URL("./pattern-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    });
    worker = started;
    started.on("message", (message: "ready" | readonly (boolean | null)[]) => {
      if (message !== "ready") {
        finish(message, false);
        return;
      }
      isReady = true;
      clearTimeout(timer);
      if (current === null) started.unref();
      else post();
    });
    started.on("error", () => finish("pattern_too_slow", true));
    timer = setTimeout(() => finish("pattern_busy", true), START_LIMIT_MS);
  }

  function post(): void {
    if (current === null || worker === null) return;
    const job = current;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
    worker.postMessage(job.questions);
    timer = setTimeout(() => {
      // The loop may have been held up while the answer was already there: it is read before this runs.
      setImmediate(() => {
        if (current === job) finish("pattern_too_slow", true);
      });
    }, limitMs);
  }

  function next(): void {
    if (current !== null) return;
    current = waiting.shift() ?? null;
    if (current === null) return;
    if (worker === null) start();
    else worker.ref();
    if (isReady) post();
  }

  async function ask(questions: readonly PatternQuestion[]): Promise<readonly (boolean | null)[] | RefusalCode> {
    if (isClosed || waiting.length >= maxWaiting) return "pattern_busy";
    return new Promise((settle) => {
      waiting.push({ questions, settle });
      next();
    });
  }

  return {
    validate: async (schema, instance, validateOptions = {}) => {
      const answers = new Map<string, boolean>();
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const verdict = validate(schema, instance, { ...validateOptions, answers });
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
    },
    close: async () => {
      isClosed = true;
      for (const job of waiting.splice(0)) job.settle("pattern_busy");
      clearTimeout(timer);
      current?.settle("pattern_busy");
      current = null;
      await stop();
    },
  };
}
