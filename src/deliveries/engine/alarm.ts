/** A sleep that can be ended early. */
export interface Alarm {
  /** Ends the sleep under way, and lets those after it return at once until `reset`. */
  ring(): void;
  reset(): void;
  /** @param ms - Infinity: until it is rung */
  sleep(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let isRung = false;
  let endSleep: (() => void) | null = null;
  return {
    ring: () => {
      isRung = true;
      endSleep?.();
    },
    reset: () => {
      isRung = false;
    },
    sleep: async (ms) => {
      if (isRung || ms <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms);
        endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      endSleep = null;
    },
  };
}
