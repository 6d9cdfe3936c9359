import { newId } from "../../src/lib/ids.ts";
import { DEFAULT_PROJECT } from "../../src/people/memberships.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { originsOf } from "../support/backlog.ts";
import { endTasks, reportWait, watchSignals } from "../support/callbacks.ts";
import { openPool } from "../support/client.ts";
import { startBlackHole } from "../support/receiver.ts";
import { OWN_WORK_MS, withService } from "../support/service.ts";
import { openDb, type Home, type Target } from "../support/target.ts";
import { completeAsk, createAsk, idOf } from "../support/tasks.ts";

const ENGINES = 1000;
/** Each takes ten seconds, so that attempts are under way for as long as the live engine is measured. */
const RESUMES_EACH = 4;
/** The most entries that a task has. */
const ENTRIES = 3;
const RATE = 50;
const LIVE = "live";

/**
 * Measures how long it takes until a live engine has the outcome of a task, while tasks end at a steady rate, and tasks that
 * have ended are to resume something in a thousand dead engines. Dead engines accept connections and never answer. Each has a
 * connection and an origin of its own.
 */
export async function deadEngines(bench: Bench): Promise<void> {
  const hole = await startBlackHole();
  const dead = originsOf(hole.port, ENGINES).map((url, i) => ({ name: `dead-${i}`, url }));
  for (const dialect of bench.dialects) {
    const watch = await watchSignals(LIVE);
    const prepare = async (home: Home) => connect(home, [...dead, { name: LIVE, url: watch.origin }]);
    await withService(bench, { dialect, prepare, computing: OWN_WORK_MS }, async ([service]) => {
      await resumeEach(
        service,
        dead.map(({ name }) => name),
      );
      // What follows is judged: the engines that never answer, and one that does.
      await service.forgetStalls();
      const { ms } = await endTasks(service, watch, RATE, bench.seconds * 10);
      reportWait(bench, `${DATABASES[dialect]}: resume of a live engine beside ${ENGINES} dead ones`, ms, watch);
      watch.close();
      // Attempts in progress would delay the graceful stop.
      return () => hole.reset();
    });
  }
  hole.close();
}

/** Writes connections before the service starts: over its API, a project has room for fewer. */
async function connect(home: Home, engines: readonly { name: string; url: string }[]): Promise<void> {
  const db = await openDb(home);
  await db.write(async (tx) => {
    const now = tx.now();
    for (const { name, url } of engines)
      await tx.query
        .insertInto("connections")
        .values({
          id: newId("con", now),
          project: DEFAULT_PROJECT,
          name,
          kind: "inngest",
          address: JSON.stringify({ url }),
          secret: null,
          allowed_agents: null,
          asks: null,
          created_at: now,
          updated_at: now,
          refused_at: null,
          refusal: null,
        })
        .execute();
  });
  await db.close();
}

/** Ends tasks that are to resume something over each of these connections. */
async function resumeEach(service: Target, connections: readonly string[]): Promise<void> {
  const pool = await openPool(service.url, 32);
  const entries = Array.from({ length: RESUMES_EACH }, () => connections).flat();
  const tasks = Array.from({ length: Math.ceil(entries.length / ENTRIES) }, (_, i) =>
    entries.slice(i * ENTRIES, (i + 1) * ENTRIES).map((connection) => ({ connection, signal: "approved" })),
  );
  await Promise.all(
    tasks.map(async (resume) => {
      const id = idOf(await pool.ask(createAsk({ resume })));
      await pool.ask(completeAsk(id));
    }),
  );
  pool.close();
}
