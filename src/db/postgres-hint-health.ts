/** Whether hints of other processes arrive, and the warnings about it. */
export interface HintHealth {
  isHealthy(): boolean;
  /** Returns how many tests failed since the last success. */
  failedTests(): number;
  /** Hints arrive. Calls `onReset` if some may have been lost before. */
  succeed(): void;
  failTest(reason: string): void;
  /** Hints do not arrive. Warns once, until they arrive again. */
  fail(reason: string): void;
  /** Makes it unhealthy from now on, without a warning. */
  close(): void;
}

export interface HintHealthOptions {
  onReset: () => void;
  onWarning: (message: string) => void;
  onInfo: (message: string) => void;
}

export function createHintHealth({ onReset, onWarning, onInfo }: HintHealthOptions): HintHealth {
  let isHealthy = false;
  let isClosed = false;
  let isWarned = false;
  /** Whether hints of other processes may have been lost. */
  let isHearingLost = false;
  let failedTests = 0;

  function fail(reason: string): void {
    isHealthy = false;
    isHearingLost = true;
    if (isWarned || isClosed) return;
    isWarned = true;
    onWarning(`${reason} Until hints arrive again, the service looks for changes by other processes once a second.`);
  }

  return {
    isHealthy: () => isHealthy,
    failedTests: () => failedTests,
    succeed: () => {
      isHealthy = true;
      failedTests = 0;
      if (isWarned) onInfo("Hints from other processes arrive again.");
      isWarned = false;
      if (isHearingLost) onReset();
      isHearingLost = false;
    },
    failTest: (reason) => {
      failedTests++;
      fail(reason);
    },
    fail,
    close: () => {
      isClosed = true;
      isHealthy = false;
    },
  };
}
