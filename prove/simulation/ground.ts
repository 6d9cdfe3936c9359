/** The database of all runs, and a view of what is committed there. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, PostgresDialect } from "kysely";
import { Client } from "pg";
import { pino } from "pino";
import { createPatternHost } from "../../json-schema/pattern-worker-host.ts";
import { readConfig } from "../../src/config.ts";
import type { Db } from "../../src/db/database.ts";
import { createLocalHints } from "../../src/db/hints.ts";
import { openPool, openSessions, poolOf, type Session } from "../../src/db/postgres-pool.ts";
import { readOne, writeAll, writeOne, type Access } from "../../src/db/postgres-transactions.ts";
import type { Schema } from "../../src/db/schema.ts";
import { openSqlite } from "../../src/db/sqlite.ts";
import { ServiceError } from "../../src/errors.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { SECOND } from "../../src/lib/time.ts";
import { decisionInAnswer, type DecisionReader } from "../../src/tasks/decision-in-answer.ts";
import { postgres } from "../../test/support/postgres.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY } from "../../test/support/service.ts";
import { addCalendars } from "./calendars.ts";
import { addPeople } from "./people.ts";
import type { Owed, Stand } from "./story.ts";
import { inRealTime, type RealWork } from "./virtual-time.ts";
import type { ProcessContext } from "./world.ts";

/** The resources that all runs share. */
export interface Ground {
  db: Db;
  observer: Observer;
  /** The work of the database that is no part of this program. */
  work: RealWork;
  shared: Pick<ProcessContext, "config" | "log" | "metrics" | "schemas" | "largeBodies" | "verify">;
}

/** A separate connection that sees only committed data. */
export interface Observer {
  deliveries(): Promise<DeliveryRow[]>;
  /** Returns when a task times out, or its step is due; null if nothing is due. */
  nextDue(): Promise<number | null>;
  /** Returns the entries of all trails. */
  entries(): Promise<TrailRow[]>;
  notes(task_id: string): Promise<{ destination: string; body: string; status: string }[]>;
  /** Returns what a task owes to engines and listeners, in the order of its ids. */
  owed(task_id: string): Promise<Owed[]>;
}

interface TrailRow {
  task_id: string;
  seq: number;
  action: string;
}

export interface DeliveryRow extends Omit<Stand, "at"> {
  id: string;
  kind: string;
  task_id: string;
}

/** Rows of these are removed before each run: first what refers to others. */
const TABLES = [
  "delivery_attempts",
  "delivery_bodies",
  "delivery_origins",
  "deliveries",
  "audit_entries",
  "verification_attempts",
  "task_approvals",
  "task_comments",
  "task_versions",
  "task_labels",
  "task_snoozes",
  "task_texts",
  "task_candidates",
  "task_responses",
  "task_documents",
  "task_totals",
  "tasks",
  "event_subscriptions",
  "data_keys",
] as const;

/** Removes what a run has left. People and calendars stay. */
export async function clear({ db }: Ground): Promise<void> {
  await db.write(async ({ query }) => {
    for (const table of TABLES) await query.deleteFrom(table as "tasks").execute();
    await query.updateTable("users").set({ last_assigned_at: null }).execute();
  });
}

export interface Opened {
  ground: Ground;
  close: () => Promise<void>;
}

const NOTHING: RealWork = { isBusy: () => false, quiet: async () => {} };

/** Opens a new SQLite database, in memory where the system supports it. */
export async function openOnSqlite(): Promise<Opened> {
  const dataDir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "service-simulation-"));
  const errors: unknown[] = [];
  const db = await openSqlite({ dataDir, onError: (error) => void errors.push(error) });
  const connection = new DatabaseSync(join(dataDir, "service.db"), { readOnly: true });
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const observer = observerOf(async (sql, params) => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = connection.prepare(sql)));
    return statement.all(...params);
  });
  const opened = await open({ db, observer, work: NOTHING }, dataDir);
  return {
    ...opened,
    close: async () => {
      connection.close();
      await opened.close();
      await db.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (errors.length > 0) throw new AggregateError(errors, "Effects threw after a commit.");
    },
  };
}

/** Opens a new PostgreSQL database. */
export async function openOnPostgres(): Promise<Opened> {
  const { url, drop } = await (await postgres()).createDatabase();
  const connection = new Client({ connectionString: url });
  await connection.connect();
  const counter = createCounter();
  const { db, close } = await openCounted(url, counter);
  const observer = observerOf(async (sql, params) => {
    let last = 0;
    const text = sql.replaceAll("?", () => `$${++last}`);
    counter.enter();
    try {
      const { rows } = await inRealTime(() => connection.query<object>(text, params));
      return rows;
    } finally {
      counter.leave();
    }
  });
  const dataDir = mkdtempSync(join(tmpdir(), "service-simulation-"));
  const opened = await open({ db, observer, work: counter }, dataDir);
  return {
    ...opened,
    close: async () => {
      await connection.end();
      await opened.close();
      await close();
      await drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function open(on: Omit<Ground, "shared">, dataDir: string): Promise<Opened> {
  const { config } = readConfig(
    {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      SERVICE_SECRET_KEY: "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=",
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    },
    () => {
      throw new Error("all secrets are given");
    },
  );
  await addPeople(on.db);
  await addCalendars(on.db);
  const schemas = createPatternHost();
  const decisionIn: DecisionReader = async (...given) => decisionInAnswer(...given);
  const metrics = createMetrics({ waiting: () => 0, deliveriesInFlight: () => ({}), overdueSeconds: async () => 0 });
  const shared = {
    config,
    log: pino({ level: "silent" }),
    metrics,
    schemas,
    // Values are small here.
    largeBodies: { decisionIn },
    // The simulation has no verifier.
    verify: () => Promise.reject(new ServiceError("VERIFIER_PROVIDER_ERROR")),
  };
  return { ground: { ...on, shared }, close: () => schemas.close() };
}

function observerOf(read: (sql: string, params: string[]) => Promise<unknown[]>): Observer {
  return {
    deliveries: async () =>
      (await read(
        `select id, kind, task_id, status, cycle, attempt_count, next_attempt_at, last_attempt_at, last_error,
           lease_owner, lease_until from deliveries order by id`,
        [],
      )) as DeliveryRow[],
    nextDue: async () => {
      const [row] = (await read(
        `select min(timeout_at) as deadline, min(next_step_at) as step from tasks where ended_at is null`,
        [],
      )) as [{ deadline: number | null; step: number | null }];
      const due = [row.deadline, row.step].filter((at) => at !== null);
      return due.length === 0 ? null : Math.min(...due);
    },
    entries: async () =>
      (await read("select task_id, seq, action from audit_entries order by task_id, seq", [])) as TrailRow[],
    notes: async (task_id) =>
      (await read(
        `select d.destination, b.body, d.status from deliveries d join delivery_bodies b on b.delivery_id = d.id
         where d.kind = 'note' and d.task_id = ? order by d.id`,
        [task_id],
      )) as { destination: string; body: string; status: string }[],
    owed: async (task_id) =>
      (await read(
        `select d.id, d.kind, d.status, b.body,
           (select cast(count(*) as integer) from delivery_attempts a where a.delivery_id = d.id and a.outcome = 'failed') as failures
         from deliveries d join delivery_bodies b on b.delivery_id = d.id
         where (d.kind like 'resume.%' or d.kind = 'event') and d.task_id = ? order by d.id`,
        [task_id],
      )) as Owed[],
  };
}

const LIMITS = { statementMs: 5 * SECOND, idleInTransactionMs: 10 * SECOND };

/** Counts what is in progress. */
function createCounter(): RealWork & { enter(): void; leave(): void } {
  let inProgress = 0;
  let rested = Promise.withResolvers<void>();
  return {
    isBusy: () => inProgress > 0,
    quiet: () => rested.promise,
    enter: () => void inProgress++,
    leave: () => {
      if (--inProgress > 0) return;
      rested.resolve();
      rested = Promise.withResolvers();
    },
  };
}

/** Opens the connections of the service to PostgreSQL, and counts those in use. Its clock and its hints are the simulation's. */
async function openCounted(
  url: string,
  counter: ReturnType<typeof createCounter>,
): Promise<{ db: Db; close: () => Promise<void> }> {
  const limited = await openPool(url, LIMITS, { max: 20, application_name: "simulation" });
  const sessions = openSessions(limited, () => true);
  const counted = async (): Promise<Session> => {
    counter.enter();
    try {
      const session = await inRealTime(() => sessions.open());
      return {
        run: (statement) => inRealTime(() => session.run(statement)),
        query: (sql, parameters) => inRealTime(() => session.query(sql, parameters)),
        release: (destroy) => {
          inRealTime(() => session.release(destroy));
          counter.leave();
        },
      };
    } catch (error) {
      counter.leave();
      throw error;
    }
  };
  const pool = {
    options: {},
    connect: async () => {
      const session = await counted();
      const client = await poolOf(session).connect();
      return { ...client, release: () => session.release() };
    },
    end: async () => {},
  };
  const query = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const on: Access = { dialect: "postgres", sessions: { open: counted, pool }, query, now: Date.now };
  const hints = createLocalHints();
  const reader = {
    dialect: "postgres",
    query,
    run: async (statement, params) => readOne(on, statement, params),
  } satisfies Pick<Db, "dialect" | "query" | "run">;
  const db: Db = {
    ...reader,
    hints,
    heavy: reader,
    now: on.now,
    lookAlone: async (_name, look) => look(),
    shardOf: () => 0,
    write: async (fn) => {
      const { value, effects } = await writeAll(on, fn);
      for (const effect of effects) effect();
      return value;
    },
    writeOne: async (statement, params) => writeOne(on, statement, params),
    ping: async () => {},
    close: async () => {},
  };
  return {
    db,
    close: async () => {
      await hints.close();
      await limited.pool.end();
    },
  };
}
