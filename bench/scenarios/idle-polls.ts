import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openClient, openPool, type Client } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { openTask, writeTasks, type SeededTask } from "../support/seed.ts";
import { withService } from "../support/service.ts";
import { FLOORS, makeHome, startTarget, type Home, type Target } from "../support/target.ts";
import { completeAsk, pollAsk } from "../support/tasks.ts";

const POLLS = 10_000;
const DAY_MS = 86_400_000;
/** Connections opened at once, and the number of their local addresses. */
const AT_ONCE = 200;
const ADDRESSES = 4;
/**
 * Time for the cleanup after opening: timers of the connections, and garbage, which the engine collects when it is
 * idle.
 */
const SETTLING_MS = 25_000;
const WOKEN = 50;

/** Measures the memory and the processor time of ten thousand waiting polls, each for a different task. */
export async function idlePolls(bench: Bench): Promise<void> {
  await platform(bench);
  for (const dialect of bench.dialects) {
    const ids: string[] = [];
    const prepare = async (home: Home) => writeTasks(home, openTasks(ids));
    await withService(bench, { dialect, prepare }, async ([service]) =>
      waiting(bench, DATABASES[dialect], service, ids),
    );
  }
}

/** Measures how much memory the platform needs for waiting requests, whatever the program does with them. */
async function platform(bench: Bench): Promise<void> {
  const home = await makeHome("sqlite");
  const floor = await startTarget(FLOORS.hold, home);
  const before = floor.memoryMb();
  const held = await hold(
    floor,
    Array.from({ length: POLLS }, () => "tsk_00000000000000000000000000"),
  );
  await delay(SETTLING_MS);
  const after = floor.memoryMb();
  bench.figure({
    name: `bare node:http: resident memory with ${POLLS} requests held`,
    value: after,
    unit: "MB",
    note: `${before.toFixed(0)} MB before`,
  });
  for (const { client } of held) client.close();
  await floor.stop();
  await home.remove();
}

async function waiting(bench: Bench, name: string, service: Target, ids: readonly string[]): Promise<void> {
  const fresh = service.memoryMb();
  const pool = await openPool(service.url, 1);
  let answered = 0;
  // A read that is sent after those polls is answered, so the service holds them.
  const held = await hold(service, ids, async (first) => void (await pool.ask(get(`/api/tasks/${first}`))));
  for (const { poll } of held) poll.then(() => answered++).catch(() => {});
  // A poll that ends before it is woken has failed, and fails the scenario.
  const ended = Promise.race(held.map(({ poll }) => poll));
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
    hold: { under: 300 },
    note: `${fresh.toFixed(0)} MB before`,
  });
  bench.figure({ name: `${name}: processor time while they wait`, value: 100 * cpu, unit: "%", hold: { under: 1 } });

  const took: number[] = [];
  for (let i = 0; i < WOKEN; i++) {
    const at = Math.floor((i * POLLS) / WOKEN);
    const sent = performance.now();
    await pool.ask(completeAsk(ids[at]!));
    took.push((await held[at]!.poll) - sent);
  }
  bench.figure({
    name: `${name}: time until one of the polls responds to its answer, p50`,
    value: quantile(sorted(took), 0.5),
    unit: "ms",
  });
  for (const { client } of held) client.close();
  pool.close();
}

interface Held {
  client: Client;
  /** Resolves with the time of the answer, a value of `performance.now()`. */
  poll: Promise<number>;
}

/** Polls each task on its own connection. @param confirm - is called with the first id of each group that was sent */
async function hold(
  { url }: Target,
  ids: readonly string[],
  confirm: (id: string) => Promise<void> = async () => {},
): Promise<Held[]> {
  const held: Held[] = [];
  const poll = async (client: Client, id: string) => {
    await client.ask(pollAsk(id));
    return performance.now();
  };
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const clients = await Promise.all(some.map(async (_, i) => openClient(url, `127.0.0.${1 + (i % ADDRESSES)}`)));
    for (const [i, client] of clients.entries()) {
      const answer = poll(client, some[i]!);
      // The code that awaits the poll gets its error.
      answer.catch(() => {});
      held.push({ client, poll: answer });
    }
    await confirm(some[0]!);
  }
  return held;
}

function* openTasks(ids: string[]): Generator<SeededTask> {
  const now = Date.now();
  for (let i = 0; i < POLLS; i++) {
    const task = openTask(i, { created_at: now - POLLS + i, timeout_at: now + DAY_MS });
    ids.push(task.tasks[0].id);
    yield task;
  }
}
