/** Whose waiting it is: that of a call of the client, which `working` counts, or of anybody. */
export type Waiter = "call" | "anybody";
/** A call of the client waits or ends. Code of the test may wait for a call in turn, and nobody knows that it does. */
export type Worker = "call" | "test";

/** Counts who waits for time to pass and who works, and notices when nothing happens any more. */
export interface Activity {
  readonly waiting: Record<Waiter, number>;
  readonly working: Record<Worker, number>;
  /** Counts what happens, so that it is seen when nothing does. */
  happened: number;
}

/** As they are before a test replaces them. */
const { setTimeout } = globalThis;
const { setImmediate } = globalThis as { setImmediate?: (act: () => void) => unknown };
const BUSY_TURN_MS = 5;
/** Turns without a change after which work no longer holds time up: a call was lost, or the test's own code waits for one. */
const BUSY_TURNS = { call: 1000, test: 100 };

export function createActivity(): Activity {
  return { waiting: { call: 0, anybody: 0 }, working: { call: 0, test: 0 }, happened: 0 };
}

/**
 * Resolves once the program has come to where it only waits.
 * @param isBrief - whether what is due next is minor, and not worth much waiting
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

/** Lets the program have a turn of its event loop, and later on some time. */
function turn(quiet: number, isBrief: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (quiet > 1) setTimeout(resolve, BUSY_TURN_MS);
    else if (setImmediate !== undefined && (quiet === 0 || isBrief)) setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
