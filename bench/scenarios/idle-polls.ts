import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openClient, openPool, type Client } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { openTask, writeTasks, type SeededTask } from "../support/seed.ts";
import { withService } from "../support/service.ts";
import { completeAsk, pollAsk } from "../support/tasks.ts";

const POLLS = 10_000;
const DAY_MS = 86_400_000;
/** Connections opened at once, and the addresses they come from. */
const AT_ONCE = 200;
const ADDRESSES = 4;
/** For what opening them left behind: garbage, and timers of the connections. */
const SETTLING_MS = 8000;
const WOKEN = 50;

/** Ten thousand polls that wait, each for a task of its own: what they hold in memory, and what waiting costs. */
export async function idlePolls(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const ids: string[] = [];
    const name = DATABASES[dialect];
    await withService(
      bench,
      { dialect, prepare: async (home) => writeTasks(home, openTasks(ids)) },
      async ([service]) => {
        const fresh = service.memoryMb();
        const pool = await openPool(service.url, 1);
        const clients: Client[] = [];
        const polls: Promise<number>[] = [];
        let answered = 0;
        const poll = async (client: Client, i: number) => {
          await client.ask(pollAsk(ids[i]!));
          answered++;
          return performance.now();
        };
        while (clients.length < POLLS) {
          const from = clients.length;
          const opened = await Promise.all(
            Array.from({ length: AT_ONCE }, async (_, i) => openClient(service.url, `127.0.0.${1 + (i % ADDRESSES)}`)),
          );
          clients.push(...opened);
          polls.push(...opened.map(async (client, i) => poll(client, from + i)));
          // One that fails is heard of below.
          for (const held of polls.slice(from)) held.catch(() => {});
          // Read after those polls were: they are being held.
          await pool.ask(get(`/api/tasks/${ids[from]}`));
        }
        // None of these ends before it is woken, unless it fails; then this scenario does.
        const ended = Promise.race(polls);
        ended.catch(() => {});
        await delay(SETTLING_MS);

        service.rest();
        const before = { cpu: service.cpuSeconds(), at: performance.now() };
        await Promise.race([delay(bench.seconds * 3000), ended]);
        const cpu = (service.cpuSeconds() - before.cpu) / ((performance.now() - before.at) / 1000);
        if (answered > 0) throw new Error(`${answered} polls were answered that should wait`);
        bench.figure({
          name: `${name}: resident memory with ${POLLS} polls held`,
          value: service.memoryMb(),
          unit: "MB",
          hold: { under: 250 },
          note: `${fresh.toFixed(0)} MB before`,
        });
        bench.figure({
          name: `${name}: processor time while they wait`,
          value: 100 * cpu,
          unit: "%",
          hold: { under: 1 },
        });

        const took: number[] = [];
        for (let i = 0; i < WOKEN; i++) {
          const at = Math.floor((i * POLLS) / WOKEN);
          const sent = performance.now();
          await pool.ask(completeAsk(ids[at]!));
          took.push((await polls[at]!) - sent);
        }
        bench.figure({ name: `${name}: one of them woken after, p50`, value: quantile(sorted(took), 0.5), unit: "ms" });
        for (const client of [...clients, pool]) client.close();
      },
    );
  }
}

function* openTasks(ids: string[]): Generator<SeededTask> {
  const now = Date.now();
  for (let i = 0; i < POLLS; i++) {
    const task = openTask(i, { created_at: now - POLLS + i, timeout_at: now + DAY_MS });
    ids.push(task.tasks[0].id);
    yield task;
  }
}
