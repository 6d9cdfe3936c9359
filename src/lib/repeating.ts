import type { Logger } from "pino";

interface RepeatingOptions {
  /** Returns milliseconds until the next time. null: never again */
  run: (isStopped: () => boolean) => Promise<number | null>;
  /** For the log. */
  onError: string;
  /** Milliseconds until the next time after an error. */
  retryMs: number;
}

/** Does some work at once, and again each time that it asks for, until it is stopped. */
export function startRepeating(
  { log }: { log: Logger },
  { run, onError, retryMs }: RepeatingOptions,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function once(): Promise<void> {
    const waitMs = await run(() => isStopped).catch((error: unknown) => {
      log.error({ err: error }, onError);
      return retryMs;
    });
    if (isStopped || waitMs === null) return;
    timer = setTimeout(() => {
      running = once();
    }, waitMs);
    timer.unref();
  }

  let running = once();
  return {
    /** Waits for a run that has begun. */
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
