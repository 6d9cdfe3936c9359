import type { Logger } from "pino";
import { HOUR } from "./time.ts";

interface HourlyOptions {
  run: () => Promise<void>;
  /** For the log. */
  onError: string;
}

/** Does some work every hour, the first time after an hour, until it is stopped. */
export function startHourly({ log }: { log: Logger }, { run, onError }: HourlyOptions): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const start = (): void => {
    running = run().catch((error: unknown) => log.error({ err: error }, onError));
  };
  const timer = setInterval(start, 1 * HOUR);
  timer.unref();
  return {
    /** Waits for a run that has begun. */
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
