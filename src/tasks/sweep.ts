import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import { SECOND } from "../lib/time.ts";

/** Work that is done when it is due. Several processes may do it side by side. */
export interface SweepOptions {
  /** The same in every process. */
  name: string;
  /** Maximum of one run. A run that reaches it is followed by another at once. */
  batch: number;
  /** Does the work that is due. @returns how many items it did */
  run: () => Promise<number>;
  /** Returns when the next item is due, in epoch milliseconds; null if there is none. */
  next: () => Promise<number | null>;
  /** For the log. */
  onError: string;
}

export interface Sweep {
  /** Looks now. */
  wake(): void;
  stop(): Promise<void>;
}

/** Maximum time between two checks. */
const LOOK_EVERY_MS = 10 * SECOND;
/** Wait while another process holds a due item; also the minimum time between two checks. */
const LEFT_OVER_MS = 50;
/** After an error, or while another process looks. */
const AGAIN_MS = 1 * SECOND;

/** Runs a sweep until it is stopped: when the next item is due, and at least every ten seconds. */
export function startSweep(
  { db, log }: { db: Pick<Db, "lookAlone" | "now">; log: Pick<Logger, "error"> },
  { name, batch, run, next, onError }: SweepOptions,
): Sweep {
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

  /** @returns milliseconds until the next check */
  async function sweepOnce(): Promise<number> {
    try {
      // One batch at a time, so that other writes get a turn in between.
      let done = batch;
      while (!isStopped && done === batch) {
        const ran = await db.lookAlone(`sweep: ${name}`, async () => ({ done: await run() }));
        if (ran === null) return AGAIN_MS;
        ({ done } = ran);
      }
      const at = await next();
      // Another process holds the items that are due and were left over.
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
