import { DATABASES, type Bench } from "../support/bench.ts";
import { openPool } from "../support/client.ts";
import { measure, pace, quantile, sorted } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import type { Target } from "../support/target.ts";
import { completeAsk, createTasks, pollAsk } from "../support/tasks.ts";

const RATE = 100;
/** Polls that wait at the same time. */
const WAITING = 100;
const HOLDS = { same: { p50: 2, p99: 25 }, across: { p50: 30, p99: 100 } };

/**
 * Measures the time from the completion of a task until the response to its waiting poll: in one process, and from one
 * process to another.
 */
export async function wake(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const name = `${DATABASES[dialect]}, same process`;
    await withService(bench, { dialect, name }, async ([service]) =>
      complete(bench, { name, completing: service, polled: service, hold: HOLDS.same }),
    );
  }
  if (!bench.dialects.includes("postgres")) return;
  const name = "PostgreSQL, two replicas";
  await withService(bench, { dialect: "postgres", replicas: 2, name }, async ([completing, polled]) =>
    complete(bench, { name, completing, polled: polled!, hold: HOLDS.across }),
  );
}

interface Wakes {
  name: string;
  completing: Target;
  polled: Target;
  hold: { p50: number; p99: number };
}

async function complete(bench: Bench, { name, completing, polled, hold }: Wakes): Promise<void> {
  const pool = await openPool(completing.url, 16);
  const pollers = await openPool(polled.url, 2 * WAITING);
  const fromSending: number[] = [];
  const fromAnswer: number[] = [];

  const run = async (seconds: number) => {
    const count = Math.round(RATE * seconds);
    const ids = await createTasks(pool, count + WAITING);
    const poll = async (id: string) => pollers.ask(pollAsk(id)).then(() => performance.now());
    const polls = ids.slice(0, WAITING).map(poll);
    let next = 0;
    const figures = await measure(completing, async (ms, lateMs) =>
      pace(RATE, count, async (due) => {
        lateMs.push(performance.now() - due);
        const i = next++;
        polls[i + WAITING] = poll(ids[i + WAITING]!);
        const sent = performance.now();
        const completed = pool.ask(completeAsk(ids[i]!)).then(() => performance.now());
        const [completedAt, answeredAt] = await Promise.all([completed, polls[i]!]);
        ms.push(completedAt - sent);
        fromSending.push(answeredAt - sent);
        // A poll is woken at once, and may be answered before the completion is.
        fromAnswer.push(Math.max(answeredAt - completedAt, 0));
      }),
    );
    for (const id of ids.slice(next)) await pool.ask(completeAsk(id));
    await Promise.all(polls);
    return figures;
  };
  await run(bench.seconds);
  fromSending.length = fromAnswer.length = 0;
  const figures = await run(bench.seconds * 3);
  bench.say(`completing ${describe(figures)}`);

  for (const [from, unsorted] of [
    ["answer", fromAnswer],
    ["sending", fromSending],
  ] as const) {
    const ms = sorted(unsorted);
    for (const [quantileName, share] of [
      ["p50", 0.5],
      ["p99", 0.99],
    ] as const) {
      bench.figure({
        name: `${name}: poll's answer after the completion's ${from}, ${quantileName}`,
        value: quantile(ms, share),
        unit: "ms",
        // The service sends a response only after the write, which alone takes longer on a slow disk.
        ...((from === "answer" || bench.fsyncMs === 0) && { hold: { under: hold[quantileName] } }),
      });
    }
  }
  pool.close();
  pollers.close();
}
