import { SECOND } from "../../lib/time.ts";
import type { EngineState } from "./state.ts";
import { makeTurn } from "./turn.ts";

/** The wait after a turn that failed. */
const ERROR_MS = 1 * SECOND;

/** Makes turn after turn while the engine runs, and sleeps between them until the next look or until the alarm rings. */
export async function runLoop(state: EngineState): Promise<void> {
  const { alarm, log, look } = state;
  while (state.mode === "running") {
    alarm.reset();
    let pause: number;
    try {
      pause = await makeTurn(state);
    } catch (error) {
      log.error({ err: error }, "Looking for deliveries failed; trying again");
      look.mustLook = true;
      // An alarm that rang during the turn must not turn failures into a busy loop.
      alarm.reset();
      pause = ERROR_MS;
    }
    if (state.mode === "running") await alarm.sleep(pause);
  }
}
