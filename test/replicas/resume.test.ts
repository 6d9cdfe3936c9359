import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { RESUME_KINDS } from "../../src/resume/registered.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { startA2a } from "../support/engines/a2a.ts";
import { startAgUi } from "../support/engines/ag-ui.ts";
import { startCamunda } from "../support/engines/camunda.ts";
import { startCloudflare } from "../support/engines/cloudflare.ts";
import type { Engine, Waiting } from "../support/engines/engine.ts";
import { startGithub } from "../support/engines/github.ts";
import { startInngest } from "../support/engines/inngest.ts";
import { startLanggraph } from "../support/engines/langgraph.ts";
import { startMastra } from "../support/engines/mastra.ts";
import { startStepFunctions } from "../support/engines/step-functions.ts";
import { startTemporal, type How } from "../support/engines/temporal.ts";
import { startUrl, VENDORS } from "../support/engines/url.ts";
import { pause } from "../support/pause.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";
import { makeRoom } from "../support/room.ts";
import { newTaskBody } from "../support/service.ts";

/** An engine, and what waits there for a task. */
interface Begun {
  engine: Pick<Engine, "connection" | "script">;
  waiting: Waiting;
  /** What goes on together with it: its task ends last. */
  others?: readonly Waiting[];
  /** Lets the searches of an engine show what has happened, where that takes time. */
  catchUp?: () => void;
}

type Begin = (t: TestContext) => Promise<Begun>;

/** Every way to resume something, by kind. Where a repetition could resume the next wait, there is a next one. */
const WAYS: Readonly<Record<string, Readonly<Record<string, Begin>>>> = {
  url: each(Object.keys(VENDORS) as (keyof typeof VENDORS)[], async (t, vendor) => {
    const engine = await startUrl(t, vendor);
    return { engine, waiting: await engine.wait() };
  }),
  temporal: each<How>(["signal", "update", "activity", "token"], async (t, how) => {
    const engine = await startTemporal(t);
    return { engine, waiting: await engine.wait(how) };
  }),
  langgraph: each(["python", "javascript"] as const, async (t, language) => {
    const engine = await startLanggraph(t, { language });
    return { engine, waiting: await engine.wait() };
  }),
  mastra: each(["step", "loop", "last"] as const, async (t, shape) => {
    const engine = await startMastra(t);
    return { engine, waiting: await engine.wait(shape) };
  }),
  inngest: {
    signal: async (t) => {
      const engine = await startInngest(t);
      return { engine, waiting: await engine.wait() };
    },
  },
  github: {
    review: async (t) => {
      const engine = await startGithub(t);
      return { engine, waiting: await engine.wait() };
    },
  },
  "step-functions": {
    token: async (t) => {
      const engine = await startStepFunctions(t);
      return { engine, waiting: await engine.wait() };
    },
  },
  cloudflare: {
    event: async (t) => {
      const engine = await startCloudflare(t);
      return { engine, waiting: await engine.wait(["approval", "approval"]) };
    },
  },
  "ag-ui": each(["replays run", "replays are refused"], async (t, replays) => {
    const engine = await startAgUi(t);
    engine.refusesReplays = replays === "replays are refused";
    const [waiting, ...others] = (await engine.waitForAll(2)) as [Waiting, Waiting];
    return { engine, waiting, others };
  }),
  camunda: each(["user_task", "job", "message"] as const, async (t, sort) => {
    const engine = await startCamunda(t, "basic");
    const waiting = await engine.waitFor(sort);
    if (sort === "message") for (let i = 0; i < 2; i++) engine.subscribe(waiting);
    return { engine, waiting, catchUp: engine.catchUp };
  }),
  a2a: each(["1.0", "0.3"] as const, async (t, version) => {
    const engine = await startA2a(t, { version, asksAgain: true });
    return { engine, waiting: await engine.wait() };
  }),
};

function each<Name extends string>(
  names: readonly Name[],
  begin: (t: TestContext, name: Name) => Promise<Begun>,
): Record<string, Begin> {
  return Object.fromEntries(names.map((name) => [name, (t: TestContext) => begin(t, name)]));
}

/**
 * How far the resume is when the process is killed. `answered`: a person has the confirmation of the answer, and the engine has
 * done nothing. `received`: the engine has the request, and has done nothing. `acted`: it has done what the request asks, and
 * has not answered.
 */
const MOMENTS = ["answered", "received", "acted"] as const;
type Moment = (typeof MOMENTS)[number];

/** What waits for a task, and when the process is killed: each of the two times. */
interface Case extends Begun {
  name: string;
  kills: readonly [Moment, Moment];
  task: string;
  /** Whether the engine has come to the moment of this kill. */
  isReached: boolean;
}

void test("every kind of engine is killed here", () => {
  assert.deepEqual(Object.keys(WAYS).toSorted(), RESUME_KINDS.map(({ name }) => name).toSorted());
});

for (const dialect of ["sqlite", "postgres"] as const)
  void test(
    `what waits goes on exactly once, in every engine, though the service is killed twice between the answer and the resume (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`,
    { timeout: 300_000 },
    (t) => survive(t, dialect),
  );

async function survive(t: TestContext, dialect: "sqlite" | "postgres"): Promise<void> {
  const folder = makeRoom("service-resume-");
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const store = await openStore(folder, database?.url);
  const env = { SERVICE_DATA_DIR: folder, ...(database && { SERVICE_DATABASE_URL: database.url }) };
  let service = await startProcess(env);
  t.after(async () => {
    await service.kill();
    await store.close();
    await database?.drop();
    rmSync(folder, { recursive: true });
  });
  const restart = async () => {
    await store.run(END_LEASES);
    await store.run(END_WAITS);
    return startProcess(env);
  };
  const cases = await Promise.all(casesOf().map((one) => begin(t, service, one)));

  // Those that are to be killed at their answer are answered last.
  const [atAnswer, later] = [cases.filter(isAnswered), cases.filter((one) => !isAnswered(one))];
  for (const one of cases) arm(one, 0);
  await Promise.all(later.map((one) => answer(service, one)));
  await untilReached(service, later);
  await Promise.all(atAnswer.map((one) => answer(service, one)));
  await service.kill();

  for (const one of cases) arm(one, 1);
  service = await restart();
  await untilReached(service, cases);
  await service.kill();

  for (const { engine, catchUp } of cases) {
    engine.script.length = 0;
    catchUp?.();
  }
  service = await restart();
  const ends = await Promise.all(cases.map((one) => endOf(service, store, one)));
  assert.deepEqual(
    ends.filter(
      ({ status, times }) => !["done", "done_already"].includes(status) || times.some((count) => count !== 1),
    ),
    [],
  );
}

function isAnswered({ kills }: Pick<Case, "kills">): boolean {
  return kills[0] === "answered";
}

function casesOf(): { kind: string; name: string; kills: [Moment, Moment]; start: Begin }[] {
  const pairs = MOMENTS.flatMap((first) => MOMENTS.map((second): [Moment, Moment] => [first, second]));
  return Object.entries(WAYS).flatMap(([kind, ways]) =>
    Object.entries(ways).flatMap(([way, start]) =>
      pairs.map((kills) => ({ kind, name: `${kind}, ${way}, killed when ${kills.join(" and ")}`, kills, start })),
    ),
  );
}

/** Starts an engine in which something waits, and creates its task. */
async function begin(
  t: TestContext,
  service: ServiceProcess,
  { kind, name, kills, start }: ReturnType<typeof casesOf>[number],
): Promise<Case> {
  const begun = await start(t);
  const { connection } = begun.engine;
  const to =
    connection === null
      ? {}
      : { connection: (await created(service, "/api/connections", { name: `to-${++made}`, kind, ...connection })).id };
  const ask = async ({ entry }: Waiting) =>
    (await created(service, "/api/tasks", { ...newTaskBody(), resume: [{ ...to, ...entry }] })).id;
  for (const other of begun.others ?? []) await answer(service, { task: await ask(other) });
  return { ...begun, name, kills, task: await ask(begun.waiting), isReached: false };
}
let made = 0;

async function created({ call }: ServiceProcess, path: string, body: object): Promise<{ id: string }> {
  const { status, body: made } = await call<{ id: string }>("POST", path, body);
  assert.equal(status, 201, JSON.stringify(made));
  return made;
}

async function answer({ call }: ServiceProcess, { task }: Pick<Case, "task">): Promise<void> {
  assert.equal((await call("POST", `/api/tasks/${task}/complete`, { response: { approved: true } })).status, 200);
}

/** Prepares the engine for a kill: it gives no answer. */
function arm(one: Case, kill: 0 | 1): void {
  const moment = one.kills[kill];
  one.isReached = moment === "answered";
  one.engine.script.splice(0, Infinity, { acts: moment === "acted", reached: () => void (one.isReached = true) });
}

/** Waits until each engine has come to the moment of its kill. Where a look was enough, the task is resumed by then. */
async function untilReached(service: ServiceProcess, cases: readonly Case[]): Promise<void> {
  for (const one of cases) while (!one.isReached && !(await statusOf(service, one)).isFinal) await pause();
}

async function statusOf({ call }: ServiceProcess, { task }: Case): Promise<{ status: string; isFinal: boolean }> {
  const { status } = (await call<TaskRecord>("GET", `/api/tasks/${task}`)).body.resume![0]!;
  return { status, isFinal: status !== "pending" };
}

async function endOf(service: ServiceProcess, store: Store, one: Case) {
  for (;;) {
    const { status, isFinal } = await statusOf(service, one);
    const all = [one.waiting, ...(one.others ?? [])];
    if (isFinal) return { name: one.name, status, times: all.map(({ received }) => received.length) };
    await store.run(END_WAITS);
    await pause();
  }
}

/** The database itself, to spare waits. */
interface Store {
  run(statement: string): Promise<void>;
  close(): Promise<void>;
}

/** Those of a process that was killed. Otherwise they lapse after 30 seconds. */
const END_LEASES = "update deliveries set lease_until = 0 where lease_owner is not null";
/** Makes each delivery due that waits for another attempt. */
const END_WAITS = "update deliveries set next_attempt_at = 0 where status = 'FAILED' and next_attempt_at > 0";

async function openStore(folder: string, url: string | undefined): Promise<Store> {
  if (url === undefined) {
    const run = async (statement: string) => {
      const database = new DatabaseSync(join(folder, "service.db"), { timeout: 10_000 });
      database.exec(statement);
      database.close();
    };
    return { run, close: async () => {} };
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  return { run: async (statement) => void (await client.query(statement)), close: () => client.end() };
}
