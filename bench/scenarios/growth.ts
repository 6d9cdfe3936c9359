import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench, type Dialect } from "../support/bench.ts";
import { get, openPool, requestBytes, type Answer, type Pool } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { reportProcesses } from "../support/service.ts";
import { ASSIGNEE, NO_HIT, ONE_HIT, tasksOfAYear, writeTasks, type SeededTask } from "../support/seed.ts";
import { makeHome, SERVICE, startTarget, type Home, type Target } from "../support/target.ts";
import { completeAsk, createAsks, idOf, pollAsk } from "../support/tasks.ts";

const FEW = 1000;
const MANY = 1_000_000;
const HOLD = 1.3;
const TURNS = 5;
/** The page size, equal for both services. It is smaller than the number of open tasks in the small database. */
const LIMIT = 25;
/** Number of ended tasks that are polled. */
const SAMPLES = 500;
/** How the names of acts begin that have no target. */
const INFORMATION = "for information: ";

/** Compares the cost of a request among a million tasks with the cost among a thousand. The services take turns. */
export async function growth(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const homes = { few: await seed(bench, dialect, FEW), many: await seed(bench, dialect, MANY) };
    const services = { few: await startOn(homes.few), many: await startOn(homes.many) };
    const few = await open(homes.few, services.few);
    const many = await open(homes.many, services.many);
    for (const name of Object.keys(few.acts)) {
      const costs = { few: [] as Cost[], many: [] as Cost[] };
      for (let turn = 0; turn <= TURNS; turn++) {
        const both = {
          few: await repeat(few, name, bench.seconds / 6),
          many: await repeat(many, name, bench.seconds / 6),
        };
        // The first turn warms up the engine.
        if (turn === 0) continue;
        costs.few.push(both.few);
        costs.many.push(both.many);
      }
      reportGrowth(bench, `${DATABASES[dialect]}: ${name}`, middle(costs.few), middle(costs.many));
    }
    await reportProcesses(bench, `${DATABASES[dialect]}, ${MANY} tasks`, [many.service]);
    for (const { pool, service, home } of [few, many]) {
      pool.close();
      await service.stop();
      await home.remove();
    }
  }
}

interface Cost {
  /** The median in milliseconds. */
  ms: number;
  /** Processor time of the service and of the database server per request, in microseconds. */
  cpuUs: number;
}

/** Does one measured operation. Returns how long its measured part took, in milliseconds. */
type Act = () => Promise<number>;

interface Seeded {
  home: Home;
  service: Target;
  pool: Pool;
  acts: Record<string, Act>;
}

interface SeededHome {
  home: Home;
  /** Ids of some completed tasks. */
  ended: string[];
}

async function seed(bench: Bench, dialect: Dialect, count: number): Promise<SeededHome> {
  const home = await makeHome(dialect);
  const ended: string[] = [];
  const every = Math.max(Math.floor(count / SAMPLES), 1);
  const began = performance.now();
  await writeTasks(home, sampled(tasksOfAYear(count, Date.now()), every, ended));
  bench.say(`${count} tasks written in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return { home, ended };
}

async function startOn({ home }: SeededHome): Promise<Target> {
  const service = await startTarget(SERVICE, home);
  await untilIdle(service);
  return service;
}

async function open({ home, ended }: SeededHome, service: Target): Promise<Seeded> {
  const pool = await openPool(service.url, 2);
  return { home, service, pool, acts: await actsOn(pool, ended) };
}

const IDLE_SHARE = 0.1;
const IDLE_MAX_MS = 120_000;

/** Waits until the work that a start leaves for later is done: two seconds in a row used almost no processor time. */
async function untilIdle(service: Target): Promise<void> {
  service.rest();
  const end = performance.now() + IDLE_MAX_MS;
  for (let quiet = 0; quiet < 2 && performance.now() < end;) {
    const before = service.cpuSeconds();
    const databaseCpu = service.countDatabaseCpu();
    await delay(1000);
    quiet = service.cpuSeconds() - before + databaseCpu() < IDLE_SHARE ? quiet + 1 : 0;
  }
  await service.longestStall();
}

/** Yields all tasks, and adds the id of about one in `every` to `ended`, if the task was completed. */
function* sampled(tasks: Iterable<SeededTask>, every: number, ended: string[]): Generator<SeededTask> {
  let since = 0;
  for (const task of tasks) {
    const [{ id, status }] = task.tasks;
    since++;
    if (since >= every && status === "completed") {
      ended.push(id);
      since = 0;
    }
    yield task;
  }
}

async function actsOn(pool: Pool, ended: readonly string[]): Promise<Record<string, Act>> {
  const createAsk = createAsks({ schemas: "distinct" });
  const reading = (path: string, mark: string): Act => timed(async () => pool.ask(get(path, mark)));
  const list = (query: string, mark = '"id":"tsk_') => reading(`/api/tasks?limit=${LIMIT}&${query}`, mark);
  const polls = ended.map(pollAsk);
  let at = 0;
  const { head } = await pool.ask(get(`/api/tasks?limit=${LIMIT}`, '"id":"tsk_'));
  const dana = await signIn(pool, ASSIGNEE);
  const asDana = (method: "GET" | "POST", path: string, mark: string, body?: string) =>
    pool.ask({ bytes: requestBytes(method, path, body, dana), status: 200, marks: [mark] });
  const operator = await signInOperatorOf(pool, "default");
  const asOperator = (path: string, mark: string): Act =>
    timed(async () => pool.ask({ bytes: requestBytes("GET", path, undefined, operator), status: 200, marks: [mark] }));
  const second = /\r\nlink: <([^>]+)>/i.exec(head)![1]!;
  return {
    create: timed(async () => pool.ask(createAsk())),
    "poll of an ended task": timed(async () => pool.ask(polls[(at += 7) % polls.length]!)),
    "poll woken by the completion": async () => {
      const id = idOf(await pool.ask(createAsk()));
      const polled = pool.ask(pollAsk(id));
      const began = performance.now();
      await pool.ask(completeAsk(id));
      await polled;
      return performance.now() - began;
    },
    "list, newest first": list(""),
    "list, second page": reading(second, '"id":"tsk_'),
    "list, open, newest first": list("terminal=false"),
    "list, open, by deadline": list("terminal=false&sort=deadline"),
    "list, status=created": list("status=created", '"status":"created"'),
    "list, of one person": list(`assigned_to=${ASSIGNEE}`, `"assigned_to_email":"${ASSIGNEE}"`),
    "search, no hit": list(`q=${NO_HIT}`, "[]"),
    "search, one old hit": list(`q=${ONE_HIT}`, ONE_HIT),
    "search, many hits": list("q=refund"),
    "inbox of one person": timed(async () =>
      asDana("GET", `/api/tasks?limit=${LIMIT}&terminal=false`, `"assigned_to_email":"${ASSIGNEE}"`),
    ),
    claim: async () => {
      const id = idOf(await pool.ask(createAsk()));
      const assign = requestBytes("POST", `/api/tasks/${id}/assign`, JSON.stringify({ email: ASSIGNEE }));
      await pool.ask({ bytes: assign, status: 200, marks: [] });
      const began = performance.now();
      await asDana("POST", `/api/tasks/${id}/claim`, `"claimed_by_email":"${ASSIGNEE}"`, "{}");
      return performance.now() - began;
    },
    counts: reading("/api/tasks/counts", '"due_within_hour":'),
    "counts of an operator of one project": asOperator("/api/tasks/counts", '"due_within_hour":'),
    "counts of one person": timed(async () => asDana("GET", "/api/tasks/counts", '"due_within_hour":')),
    stats: reading("/api/stats", '"window_days":30'),
    "stats of one project": asOperator("/api/stats", '"window_days":30'),
    "stats by group": reading("/api/stats/groups", '"by_agent":'),
    [`${INFORMATION}audit list`]: reading(`/api/audit?limit=${LIMIT}`, '"kind":'),
  };
}

const OPERATOR = "olga@example.com";
const PASSWORD = "correct horse battery staple";

const post = (pool: Pool, path: string, status: number, body: object) =>
  pool.ask({ bytes: requestBytes("POST", path, JSON.stringify(body)), status, marks: [] });

async function signInOperatorOf(pool: Pool, project: string): Promise<string> {
  const session = await signIn(pool, OPERATOR);
  const { body } = await pool.ask(get("/api/users?limit=100", OPERATOR));
  const users = JSON.parse(body.toString()) as { id: string; email: string }[];
  const user_id = users.find(({ email }) => email === OPERATOR)!.id;
  await post(pool, `/api/projects/${project}/members`, 201, { user_id, role: "operator" });
  return session;
}

/** Creates a user and signs them in. @returns header lines of their session */
async function signIn(pool: Pool, email: string): Promise<string> {
  await post(pool, "/api/users", 201, { email, password: PASSWORD });
  const { head } = await post(pool, "/api/auth/login", 200, { email, password: PASSWORD });
  return `cookie: ${/\r\nset-cookie: ([^;]+)/i.exec(head)![1]}\r\nsec-fetch-site: same-origin\r\n`;
}

function timed(ask: () => Promise<Answer>): Act {
  return async () => {
    const began = performance.now();
    await ask();
    return performance.now() - began;
  };
}

async function repeat({ service, acts }: Seeded, name: string, seconds: number): Promise<Cost> {
  const act = acts[name]!;
  const ms: number[] = [];
  const before = service.cpuSeconds();
  const databaseCpu = service.countDatabaseCpu();
  const end = performance.now() + seconds * 1000;
  do ms.push(await act());
  while (performance.now() < end);
  const cpu = service.cpuSeconds() - before + databaseCpu();
  return { ms: quantile(sorted(ms), 0.5), cpuUs: (cpu / ms.length) * 1e6 };
}

/** Returns the median of each measure over all turns. */
function middle(costs: readonly Cost[]): Cost {
  const of = (values: number[]) => quantile(sorted(values), 0.5);
  return { ms: of(costs.map(({ ms }) => ms)), cpuUs: of(costs.map(({ cpuUs }) => cpuUs)) };
}

function reportGrowth(bench: Bench, name: string, few: Cost, many: Cost): void {
  const isInformation = name.includes(INFORMATION);
  const [time, cpu] = [many.ms / few.ms, many.cpuUs / few.cpuUs];
  bench.figure({
    name: `${name}, ${MANY} tasks beside ${FEW}`,
    value: Math.max(time, cpu),
    unit: "times",
    ...(!isInformation && { hold: { under: HOLD } }),
    note:
      `p50 ${few.ms.toFixed(2)} to ${many.ms.toFixed(2)} ms, ${time.toFixed(2)} times; ` +
      `CPU ${few.cpuUs.toFixed(0)} to ${many.cpuUs.toFixed(0)} us, ${cpu.toFixed(2)} times`,
  });
}
