import { SECOND } from "../../lib/time.ts";
import type { Alarm } from "./alarm.ts";
import type { EngineState } from "./state.ts";
import { beginReleased, makeTurn } from "./turn.ts";

/** The wait after a turn that failed. */
const ERROR_MS = 1 * SECOND;

/** One of the two loops. */
interface Loop {
  alarm: Alarm;
  /** @returns how long there is nothing to do, in milliseconds */
  turn: (state: EngineState) => Promise<number>;
  /** For the log. */
  onError: string;
  afterError?: () => void;
}

/**
 * Makes turn after turn while the engine runs. What was released has a loop of its own, because a look asks the whole
 * database: it may take long, or fail, while the home of a released delivery works.
 */
export async function runLoops(state: EngineState): Promise<void> {
  const { alarms, look } = state;
  await Promise.all([
    repeat(state, {
      alarm: alarms.due,
      turn: makeTurn,
      onError: "Looking for deliveries failed; trying again",
      afterError: () => {
        look.mustLook = true;
        // An alarm that rang during the turn must not turn failures into a busy loop.
        alarms.due.reset();
      },
    }),
    repeat(state, {
      alarm: alarms.released,
      turn: beginReleased,
      onError: "Deliveries whose response was sent could not begin yet",
    }),
  ]);
}

/** Sleeps between the turns until the next one, or until the alarm rings. */
async function repeat(state: EngineState, { alarm, turn, onError, afterError }: Loop): Promise<void> {
  while (state.mode === "running") {
    alarm.reset();
    let pause: number;
    try {
      pause = await turn(state);
    } catch (error) {
      state.log.error({ err: error }, onError);
      afterError?.();
      pause = ERROR_MS;
    }
    if (state.mode === "running") await alarm.sleep(pause);
  }
}
