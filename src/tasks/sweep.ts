import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import { SECOND } from "../lib/time.ts";

/** Something that is done when its time comes, however many processes watch for it. */
export interface SweepOptions {
  /** What one run does at most; a run that did as much is followed by another at once. */
  batch: number;
  /** Does what is due. @returns how much that was */
  run: () => Promise<number>;
  /** When something falls due next, epoch milliseconds; null: nothing is known of. */
  next: () => Promise<number | null>;
  /** For the log. */
  onError: string;
}

export interface Sweep {
  /** Looks now. */
  wake(): void;
  stop(): Promise<void>;
}

/** How long a sweep relies on what it knows; then it looks again. */
const LOOK_EVERY_MS = 10 * SECOND;
/** Where something due is held by somebody else; also the least time between two looks. */
const LEFT_OVER_MS = 50;
/** After an error. */
const AGAIN_MS = 1 * SECOND;

/** Runs a sweep until it is stopped: with a timer at the next time, and a look every ten seconds. */
export function startSweep({ db, log }: { db: Db; log: Logger }, { batch, run, next, onError }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isWoken = false;
  let running: Promise<void> | null = null;

  async function sweep(): Promise<void> {
    let wait: number;
    do {
      isWoken = false;
      wait = await sweepOnce();
    } while (isWoken && !isStopped);
    running = null;
    if (!isStopped) timer = setTimeout(start, wait);
  }

  /** @returns for how long there is nothing to do, in milliseconds */
  async function sweepOnce(): Promise<number> {
    try {
      // One batch a turn: others who want to write get in between.
      let done = batch;
      while (!isStopped && done === batch) done = await run();
      const at = await next();
      // What is due and was left over is being done by somebody else.
      return at === null ? LOOK_EVERY_MS : Math.min(Math.max(at - db.now(), LEFT_OVER_MS), LOOK_EVERY_MS);
    } catch (error) {
      log.error({ err: error }, onError);
      return AGAIN_MS;
    }
  }

  function start(): void {
    running = sweep();
  }

  start();
  return {
    wake: () => {
      if (running !== null) isWoken = true;
      else if (!isStopped) {
        clearTimeout(timer);
        start();
      }
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
