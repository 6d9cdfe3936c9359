import { DATABASES, type Bench } from "../support/bench.ts";
import { oweCallbacks, originsOf } from "../support/backlog.ts";
import { endTasks, reportWait, watchCallbacks } from "../support/callbacks.ts";
import { startBlackHole } from "../support/receiver.ts";
import { OWN_WORK_MS, withService } from "../support/service.ts";
import type { Home } from "../support/target.ts";

const ORIGINS = 1000;
const ROWS_EACH = 50;
const RATE = 50;

/**
 * Measures how long the callbacks of a live receiver take while tasks end at a steady rate, and a thousand dead
 * receivers have 50 callbacks due each. Dead receivers accept connections and never answer.
 */
export async function blackHoles(bench: Bench): Promise<void> {
  const hole = await startBlackHole();
  const origins = originsOf(hole.port, ORIGINS);
  for (const dialect of bench.dialects) {
    const prepare = async (home: Home) => oweCallbacks(home, origins, ROWS_EACH);
    await withService(bench, { dialect, prepare, computing: OWN_WORK_MS }, async ([service]) => {
      const watch = await watchCallbacks();
      // The first requests and attempts compile what they use.
      await endTasks(service, watch, RATE, 2);
      await service.forgetStalls();
      const { ms } = await endTasks(service, watch, RATE, bench.seconds * 10);
      reportWait(bench, `${DATABASES[dialect]}: callback to a live receiver beside ${ORIGINS} dead ones`, ms, watch);
      watch.close();
      // Attempts in progress would delay the graceful stop.
      return () => hole.reset();
    });
  }
  hole.close();
}
