/** The kind of a wait: a call of the client, which `working` counts, or anything else. */
export type Waiter = "call" | "anybody";
/**
 * The kind of work: a call of the client, which waits or ends, or code of the test. Test code may wait for a call,
 * which cannot be detected.
 */
export type Worker = "call" | "test";

/** Counts waits and work, and detects when nothing happens. */
export interface Activity {
  readonly waiting: Record<Waiter, number>;
  readonly working: Record<Worker, number>;
  /** Counts events, to detect when none occur. */
  happened: number;
}

/** The original functions, in case a test replaces them. */
const { setTimeout } = globalThis;
const { setImmediate } = globalThis as { setImmediate?: (act: () => void) => unknown };
const BUSY_TURN_MS = 5;
/**
 * After this many turns without a change, work no longer stops time: a call was lost, or the test's own code waits for
 * one.
 */
const BUSY_TURNS = { call: 1000, test: 100 };

export function createActivity(): Activity {
  return { waiting: { call: 0, anybody: 0 }, working: { call: 0, test: 0 }, happened: 0 };
}

/**
 * Resolves once the program only waits.
 * @param isBrief - whether the next entry is minor and needs only a short wait
 */
export async function settle(activity: Activity, isBrief: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 2 || isBusy(activity, quiet); quiet++) {
    const seen = activity.happened;
    await turn(quiet, isBrief());
    if (activity.happened !== seen) quiet = -1;
  }
}

function isBusy({ waiting, working }: Activity, turns: number): boolean {
  return (working.call > waiting.call && turns < BUSY_TURNS.call) || (working.test > 0 && turns < BUSY_TURNS.test);
}

/** Gives the program a turn of its event loop, and later some time. */
function turn(quiet: number, isBrief: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (quiet > 1) setTimeout(resolve, BUSY_TURN_MS);
    else if (setImmediate !== undefined && (quiet === 0 || isBrief)) setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
