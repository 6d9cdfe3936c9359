import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { AuditEntryRecord, TaskRecord } from "../../src/tasks/schema.ts";
import { postgres } from "../../test/support/postgres.ts";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { newTaskBody } from "../../test/support/service.ts";
import { openDatabaseProxy, type TcpProxy } from "../../test/support/tcp-proxy.ts";
import { shuffled, type Scene, type Stage } from "./fault.ts";
import { startLoad, type Load } from "./load.ts";
import { findTorn, type Query } from "./whole.ts";

/**
 * For each commit: its text, which is cut, and an earlier text that only the same connection sends. An answer to the
 * earlier text shows that the commit happened. A transition is a single statement, which names the version of its task.
 */
const COMMITS = {
  move: { text: "before_seq", earlier: "before_seq" },
  deletion: { text: "commit\0", earlier: "delete from" },
};

interface Act extends Stage {
  proxy: TcpProxy;
  database: Client;
  load: Load;
}

/** Faults of the connection to PostgreSQL, and a database that does not answer. */
export const line: Scene = {
  name: "the line to PostgreSQL is slow, breaks, falls silent, or a statement takes too long",
  play: async (stage) => {
    const { url, drop } = await (await postgres()).createDatabase();
    const proxy = await openDatabaseProxy(url);
    const database = new Client({ connectionString: url });
    await database.connect();
    const query: Query = async (sql) => (await database.query<Record<string, unknown>>(sql)).rows;
    const receiver = await startReceiver();
    const service = await startProcess({ SERVICE_DATABASE_URL: proxy.url });
    const violations = await loseAnswers(service, proxy, query);
    const load = startLoad(service, stage.random, receiver);
    try {
      await load.progress();
      for (const strike of shuffled(stage.random, [beLate, cut, cutMidway, fallSilent, holdUp])) {
        await sleep(stage.random.between(0, 300));
        await strike({ ...stage, proxy, database, load });
        await load.progress();
      }
    } catch (error) {
      violations.push(String(error));
    }
    await proxy.pass();
    violations.push(...(await load.check(query)));
    stage.say(load.summary());
    await service.kill();
    await receiver.close();
    await proxy.close();
    await database.end();
    await drop();
    return violations;
  },
};

async function beLate({ proxy, random, load }: Act): Promise<void> {
  proxy.slow(random.between(20, 200));
  await load.progress(5);
  await proxy.pass();
}

async function cut({ proxy, random }: Act): Promise<void> {
  for (let i = random.between(5, 15); i > 0; i--) {
    proxy.cut();
    await sleep(random.between(5, 80));
  }
}

async function cutMidway({ proxy, random, load }: Act): Promise<void> {
  for (let i = random.between(5, 10); i > 0; i--) {
    proxy.cutAfter(random.between(1, 20_000));
    await load.progress(2);
  }
  await proxy.pass();
}

async function fallSilent({ proxy, load }: Act): Promise<void> {
  proxy.freeze();
  await load.refusal();
  await proxy.pass();
}

async function holdUp({ database, load }: Act): Promise<void> {
  await database.query("begin; lock table tasks in access exclusive mode");
  try {
    await load.refusal();
  } finally {
    await database.query("rollback");
  }
}

/** Loses the answer of a commit: the caller gets COMMIT_UNKNOWN, and learns the result by sending the request again. */
async function loseAnswers(service: ServiceProcess, proxy: TcpProxy, query: Query): Promise<string[]> {
  const violations: string[] = [];
  const call = (method: string, path: string, body?: unknown) => service.call<TaskRecord>(method, path, body);
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted)
      violations.push(`After a lost answer to the commit, ${what}: ${String(found)}, not ${String(wanted)}`);
  };
  /** Sends a request twice; the answer to the first commit is lost. @returns the second answer */
  const twice = async (commit: keyof typeof COMMITS, method: string, path: string, body?: unknown) => {
    const { text, earlier } = COMMITS[commit];
    proxy.cutAnswerTo(text, earlier);
    const first = await call(method, path, body);
    expect(`${method} is refused`, first.status, 503);
    expect(`${method} says why`, (first.body as { error_code?: string } | null)?.error_code, "COMMIT_UNKNOWN");
    expect(`${method} says when to retry`, first.headers.get("retry-after"), "1");
    return call(method, path, body);
  };

  const body = newTaskBody({ callback_url: "http://127.0.0.1:9/" });
  // An idempotent creation is safe to retry, and the service retries it by itself.
  const key = body.idempotency_key;
  proxy.cutAnswerTo(key, key);
  const created = await call("POST", "/api/tasks", body);
  expect("a creation succeeds", created.status, 201);
  expect("it is not a replay", created.headers.get("idempotent-replayed"), "false");
  expect("a second one is", (await call("POST", "/api/tasks", body)).headers.get("idempotent-replayed"), "true");
  const tasks = await query(`select id from tasks where idempotency_key = '${body.idempotency_key}'`);
  expect("there is one task", tasks.length, 1);

  const { id } = created.body;
  const ends = {
    complete: { status: "completed", body: { response: { approved: true } } },
    cancel: { status: "cancelled", body: undefined },
  };
  for (const [action, end] of Object.entries(ends)) {
    const task = action === "complete" ? id : (await call("POST", "/api/tasks", newTaskBody())).body.id;
    expect(
      `a second ${action} is refused`,
      (await twice("move", "POST", `/api/tasks/${task}/${action}`, end.body)).status,
      409,
    );
    expect(`${action} happened`, (await call("GET", `/api/tasks/${task}`)).body.status, end.status);
    const trail = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${task}/audit`);
    expect(`${action} is in the audit trail once`, trail.body.length, 2);
  }
  const owed = await query(`select id from deliveries where task_id = '${id}'`);
  expect("there is one callback", owed.length, 1);
  expect("a second deletion finds nothing", (await twice("deletion", "DELETE", `/api/tasks/${id}`)).status, 404);
  violations.push(...(await findTorn(query)));
  // The next fault counts its own tasks.
  for (const { id } of await query("select id from tasks")) await call("DELETE", `/api/tasks/${String(id)}`);
  return violations;
}
