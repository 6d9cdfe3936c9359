import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";
import { homeOf } from "../../src/db/home.ts";
import type { Schema } from "../../src/db/schema.ts";
import type { WebhookDelivery } from "../../src/deliveries/schema.ts";
import { MINUTE, SECOND } from "../../src/lib/time.ts";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { newTaskBody, startTestService, type TestService } from "../../test/support/service.ts";
import type { Random } from "../random.ts";
import type { Scene } from "./fault.ts";
import { createFaultyDb, type Failure, type FaultyDb } from "./faulty-db.ts";
import { CONVERSATION_CASES } from "./conversation-cases.ts";
import { HOOK_CASES } from "./hook-cases.ts";
import { MAIL_CASES } from "./mail-cases.ts";
import { PEOPLE_CASES } from "./people-cases.ts";
import { RESUME_CASES } from "./resume-cases.ts";
import { outcomeOf, outcomeOfCall, type Stage, type UseCase } from "./use-case.ts";
import { findTorn, type Query } from "./whole.ts";

/** More statements than any use case has. */
const STATEMENTS_MAX = 60;
const ATTEMPTS = 13;
/** The most overdue tasks that earlier use cases may leave. */
const DUE_MAX = 1000;
const TURNS_MAX = 30;
/** Stops after this many violations: later ones only follow from the first. */
const VIOLATIONS_ENOUGH = 4;
/**
 * Every table but nine, which are written outside the transaction of the request: `rate_windows` counts an attempt
 * before its outcome is known, `passkey_challenges` uses a challenge up before its answer is checked, `task_totals` counts
 * past hours in the background, `delivery_origins` says which receivers answered, `hook_questions` says which key
 * the task of a call gets, so that it is created once, `task_texts` and `search_position`
 * are filled in the background, `hook_calls` notes calls whatever becomes of them, and
 * `data_keys` gets a key before the first text that it encrypts.
 */
const TABLES = Object.keys({
  tasks: true,
  projects: true,
  project_members: true,
  calendars: true,
  agents: true,
  agent_tokens: true,
  local_agent: true,
  task_documents: true,
  task_responses: true,
  audit_entries: true,
  verification_attempts: true,
  deliveries: true,
  delivery_bodies: true,
  delivery_places: true,
  delivery_attempts: true,
  task_approvals: true,
  task_comments: true,
  task_versions: true,
  task_labels: true,
  task_snoozes: true,
  task_candidates: true,
  users: true,
  sessions: true,
  passkeys: true,
  personal_tokens: true,
  invitations: true,
  notification_choices: true,
  push_subscriptions: true,
  saved_views: true,
  service_keys: true,
  setup: true,
  email_identities: true,
  slack_installations: true,
  slack_installs_begun: true,
  security_events: true,
  oidc_links: true,
  oidc_sign_ins: true,
  escalation_templates: true,
  hook_rules: true,
  connections: true,
  resume_groups: true,
  resume_group_tasks: true,
  event_subscriptions: true,
} satisfies Record<
  Exclude<
    keyof Schema,
    | "rate_windows"
    | "passkey_challenges"
    | "task_totals"
    | "delivery_origins"
    | "task_texts"
    | "search_position"
    | "hook_questions"
    | "hook_calls"
    | "data_keys"
  >,
  true
>);

/** Use cases on one database: all of its rows are read for each statement, and each use case leaves some. */
const GROUP = 10;

/** Lets every statement of every use case fail once, on both databases. */
export const statements: Scene = {
  name: "each statement fails once",
  play: async (stage) => {
    const found: string[] = [];
    for (const dialect of ["sqlite", "postgres"] as const) {
      let struck = 0;
      for (let first = 0; first < USE_CASES.length; first += GROUP) {
        const group = await failGroup(dialect, USE_CASES.slice(first, first + GROUP), stage.random);
        struck += group.struck;
        found.push(...group.violations);
      }
      stage.say(`${USE_CASES.length} use-cases on ${dialect}, ${struck} statements failed`);
    }
    return found;
  },
};

/**
 * Lets every statement of every use case fail once on one database.
 * @param url - the address of an empty PostgreSQL database
 */
export async function failStatements({ random, say }: Parameters<Scene["play"]>[0], url: string): Promise<string[]> {
  const { struck, violations } = await failGroup("postgres", USE_CASES, random, url);
  say(`${USE_CASES.length} use-cases, ${struck} statements failed`);
  return violations;
}

async function failGroup(
  dialect: "sqlite" | "postgres",
  useCases: readonly UseCase[],
  random: Random,
  url?: string,
): Promise<{ struck: number; violations: string[] }> {
  const violations: string[] = [];
  const taking = await startReceiver();
  const refusing = await startReceiver((response) => response.writeHead(500).end());
  const faulty = createFaultyDb();
  const { service, stop } = await startTestService(dialect, {
    db: faulty.wrap,
    deliveries: { random: random.next },
    // Calls of coding agents are not held.
    env: { SERVICE_HOOK_HOLD_SECONDS: "0", ...(url !== undefined && { SERVICE_DATABASE_URL: url }) },
  });
  const stage = { service, taking: taking.url, refusing: refusing.url };
  const where = service.ctx.db.dialect;
  let struck = 0;
  for (const useCase of useCases) {
    for (const failure of ["refused", "lost"] as const) {
      const found = await failEach(useCase, failure, { ...stage, faulty, random });
      struck += found.struck;
      violations.push(...found.violations.map((text) => `${useCase.name}, ${failure}, ${where}: ${text}`));
    }
  }
  await stop();
  await taking.close();
  await refusing.close();
  return { struck, violations };
}

async function failEach(
  useCase: UseCase,
  failure: Failure,
  { faulty, ...stage }: Stage & { faulty: FaultyDb; random: Random },
): Promise<{ struck: number; violations: string[] }> {
  const { db } = stage.service.ctx;
  const violations: string[] = [];
  for (let n = 1; n <= STATEMENTS_MAX; n++) {
    const found = (text: string) => void violations.push(`statement ${n}: ${text}`);
    const { act, check } = await useCase.prepare(stage);
    const before = await allRows(db);
    faulty.arm(n, failure);
    const told = await act();
    const hasStruck = faulty.disarm();
    if (told.startsWith("undeclared") || (!hasStruck && told !== "done")) found(told);
    if (told === "DATABASE_UNAVAILABLE") {
      const after = await allRows(db);
      const written = TABLES.filter((table) => !isDeepStrictEqual(after[table], before[table]));
      if (written.length > 0) found(`${written.join(", ")} changed, but the caller was told that nothing was written`);
    }
    for (const torn of await findTorn(queryOf(db))) found(torn);
    if (told !== "done") {
      const again = await act();
      if (again !== "done") found(`repeated, it gives ${again}`);
      for (const torn of await findTorn(queryOf(db))) found(`after its retry: ${torn}`);
    }
    const wrong = await check();
    if (wrong !== null) found(wrong);
    if (!hasStruck) return { struck: n - 1, violations };
    if (violations.length >= VIOLATIONS_ENOUGH) return { struck: n, violations };
  }
  return { struck: STATEMENTS_MAX, violations: [...violations, "It has more statements than were made to fail."] };
}

/**
 * Returns the rows of each table, as sorted texts. Failed requests are missing from the security log: they are noted after
 * their answer, and how many there were is written up to a minute later.
 */
async function allRows(db: Db): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const table of TABLES) {
    const only = table === "security_events" ? "where outcome <> 'failure'" : "";
    const rows = await queryOf(db)(`select * from ${table} ${only}`);
    all[table] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return all;
}

function queryOf(db: Db): Query {
  return async (text) => (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(db.query)).rows;
}

// --- Use cases -----------------------------------------------------------------------------------------------------

const readsTo =
  (path: (task: TaskRecord) => string): UseCase["prepare"] =>
  async ({ service }) => {
    const task = await service.create();
    const act = async () => outcomeOf(await service.call("GET", path(task)));
    return { act, check: async () => null };
  };

/** Ends or deletes a task; a retry gets `repeated`. */
const ends =
  (method: "POST" | "DELETE", action: string, repeated: number, wanted: string, body?: unknown): UseCase["prepare"] =>
  async ({ service, taking }) => {
    const { id } = await service.create({ callback_url: taking });
    let isRepeated = false;
    const act = async () => {
      const answer = await service.call(method, `/api/tasks/${id}${action}`, { body });
      const result = outcomeOf(answer, isRepeated ? repeated : undefined);
      isRepeated = result === "COMMIT_UNKNOWN";
      return result;
    };
    return { act, check: async () => expectStatus(service, id, wanted) };
  };

async function expectStatus(service: TestService, id: string, wanted: string): Promise<string | null> {
  const { status, body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  const found = status === 200 ? body.status : String(status);
  return found === wanted ? null : `the task is ${found}, not ${wanted}`;
}

/** Creates a task that has ended and whose callback is due. */
async function owe(service: TestService, callback_url: string): Promise<string> {
  const { id } = await service.create({ callback_url });
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  service.clock.advance(MINUTE);
  return id;
}

async function deliveriesOf(service: TestService, task_id: string): Promise<WebhookDelivery[]> {
  return (await service.call<WebhookDelivery[]>("GET", `/api/admin/webhook-deliveries?task_id=${task_id}`)).body;
}

/** Runs the delivery loop once, and waits for everything that it starts. */
async function turn({ ctx: { deliveries } }: TestService): Promise<void> {
  await deliveries.turn();
  await deliveries.settle();
}

/** Makes attempts until the callback has its final status: a lost lease repeats an attempt, and others may come first. */
async function expectDelivery(service: TestService, task_id: string, wanted: string): Promise<string | null> {
  let status: string | undefined;
  for (let i = 0; i < TURNS_MAX && status !== wanted; i++) {
    service.clock.advance(40 * SECOND);
    await turn(service);
    status = (await deliveriesOf(service, task_id))[0]?.status;
  }
  return status === wanted ? null : `the callback is ${status}, not ${wanted}`;
}

/** Leaves one attempt, so that the next one is the last. */
async function useUpAttempts({ ctx: { db } }: TestService, task_id: string): Promise<void> {
  await db.write(async (tx) => {
    const update = tx.query.updateTable("deliveries").set({ attempt_count: ATTEMPTS - 1, status: "FAILED" });
    const { id } = await update.where("task_id", "=", task_id).returning("id").executeTakeFirstOrThrow();
    const noted = {
      started_at: 0,
      duration_ms: 0,
      outcome: "failed",
      status_code: 500,
      error: null,
      response_excerpt: null,
    };
    for (let attempt = 1; attempt < ATTEMPTS; attempt++)
      await tx.query
        .insertInto("delivery_attempts")
        .values({ delivery_id: id, home: homeOf(task_id), cycle: 1, attempt, ...noted })
        .execute();
  });
}

const redelivers =
  (path: (id: string) => string, body: (id: string) => unknown): UseCase["prepare"] =>
  async ({ service, taking }) => {
    const task_id = await owe(service, taking);
    await turn(service);
    const { id } = (await deliveriesOf(service, task_id))[0]!;
    const act = async () =>
      outcomeOf(await service.call("POST", `/api/admin/webhook-deliveries${path(id)}`, { body: body(id) }));
    return { act, check: async () => expectDelivery(service, task_id, "SUCCEEDED") };
  };

const creates: UseCase["prepare"] = async ({ service, taking }) => {
  const body = newTaskBody({ callback_url: taking });
  let id = "";
  const act = async () => {
    const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    if (answer.status === 201) ({ id } = answer.body);
    return outcomeOf(answer);
  };
  return { act, check: async () => expectStatus(service, id, "created") };
};

const createsMany: UseCase["prepare"] = async ({ service, taking }) => {
  const more = [{}, {}, { assign_to: { email: "dana@example.com" } }, { labels: ["vip"] }, { callback_url: taking }];
  const tasks = more.map((fields) => newTaskBody(fields));
  let ids: (string | undefined)[] = [];
  const act = async () => {
    const answer = await service.call<{ results: { id?: string }[] }>("POST", "/api/tasks/batch", { body: { tasks } });
    if (answer.status === 200) ids = answer.body.results.map(({ id }) => id);
    return outcomeOf(answer);
  };
  const check = async () => {
    for (const [i, { idempotency_key }] of tasks.entries()) {
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${ids[i]}`);
      if (body.idempotency_key !== idempotency_key || body.status !== "created") return `task ${i} is not stored`;
    }
    return null;
  };
  return { act, check };
};

const replays: UseCase["prepare"] = async ({ service }) => {
  const body = newTaskBody();
  const { id } = await service.create(body);
  let found = "";
  const act = async () => {
    const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    if (answer.status === 201) found = answer.body.id;
    return outcomeOf(answer);
  };
  return { act, check: async () => (found === id ? null : `the key gives ${found}, not ${id}`) };
};

const sweeps: UseCase["prepare"] = async ({ service, taking }) => {
  const { id } = await service.create({ callback_url: taking, timeout_seconds: 60 });
  service.clock.advance(MINUTE);
  return {
    act: async () => outcomeOfCall(async () => timeOutDueTasks(service.ctx, DUE_MAX)),
    check: async () => expectStatus(service, id, "timed_out"),
  };
};

const fallsBack: UseCase["prepare"] = async ({ service, taking }) => {
  const on_timeout = { response: { approved: false } };
  const { id } = await service.create({ callback_url: taking, timeout_seconds: 60, on_timeout });
  service.clock.advance(MINUTE);
  return {
    act: async () => outcomeOfCall(async () => timeOutDueTasks(service.ctx, DUE_MAX)),
    check: async () => expectStatus(service, id, "completed"),
  };
};

const delivers =
  (isTaken: boolean, wanted: string): UseCase["prepare"] =>
  async ({ service, taking, refusing }) => {
    const task_id = await owe(service, isTaken ? taking : refusing);
    if (!isTaken) await useUpAttempts(service, task_id);
    // No caller waits for attempts and their outcomes: the loop tries again by itself, and this checks only that it does.
    const act = async () => {
      const result = await outcomeOfCall(async () => turn(service));
      return result === "DATABASE_UNAVAILABLE" ? "COMMIT_UNKNOWN" : result;
    };
    const check = async () => expectFreeSlots(service) ?? (await expectDelivery(service, task_id, wanted));
    return { act, check };
  };

/** A new deadline must be stored once, also if the answer of the first request was lost. */
const prolongs: UseCase["prepare"] = async ({ service: { call, create } }) => {
  const { id } = await create();
  const act = async () => outcomeOf(await call("PATCH", `/api/tasks/${id}`, { body: { timeout_seconds: 7200 } }));
  const check = async () => {
    const { body } = await call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
    const actions = body.map(({ action }) => action).join();
    return actions === "created,extended" ? null : `the trail says ${actions}`;
  };
  return { act, check };
};

/** Checks that an attempt that could not be started or recorded frees its slot. */
function expectFreeSlots({ ctx: { deliveries } }: TestService): string | null {
  const taken = Object.values(deliveries.inFlight()).reduce((sum, count) => sum + count, 0);
  return taken === 0 ? null : `${taken} slots are taken, but no attempt is in progress`;
}

const USE_CASES: readonly UseCase[] = [
  ...PEOPLE_CASES,
  ...MAIL_CASES,
  ...HOOK_CASES,
  ...RESUME_CASES,
  ...CONVERSATION_CASES,
  { name: "create", prepare: creates },
  { name: "create many", prepare: createsMany },
  { name: "create again", prepare: replays },
  { name: "complete", prepare: ends("POST", "/complete", 409, "completed", { response: { approved: true } }) },
  { name: "cancel", prepare: ends("POST", "/cancel", 409, "cancelled") },
  { name: "extend", prepare: prolongs },
  { name: "delete", prepare: ends("DELETE", "", 404, "404") },
  { name: "read", prepare: readsTo(({ id }) => `/api/tasks/${id}`) },
  { name: "poll", prepare: readsTo(({ id }) => `/api/tasks/${id}/poll?timeout=0`) },
  { name: "audit", prepare: readsTo(({ id }) => `/api/tasks/${id}/audit`) },
  { name: "review", prepare: readsTo(({ id }) => `/api/tasks/${id}/review`) },
  { name: "list", prepare: readsTo(() => "/api/tasks?limit=5") },
  { name: "search", prepare: readsTo(() => "/api/tasks?q=refund") },
  { name: "counts", prepare: readsTo(() => "/api/tasks/counts") },
  { name: "stats", prepare: readsTo(() => "/api/stats") },
  { name: "list of deliveries", prepare: readsTo(() => "/api/admin/webhook-deliveries") },
  {
    name: "redeliver one",
    prepare: redelivers(
      (id) => `/${id}/redeliver`,
      () => undefined,
    ),
  },
  {
    name: "redeliver by ids",
    prepare: redelivers(
      () => "/redeliver",
      (id) => ({ ids: [id] }),
    ),
  },
  {
    name: "redeliver by status",
    prepare: redelivers(
      () => "/redeliver",
      () => ({ status: "SUCCEEDED" }),
    ),
  },
  { name: "deadline sweep", prepare: sweeps },
  { name: "answer for the deadline", prepare: fallsBack },
  { name: "claim, attempt and outcome", prepare: delivers(true, "SUCCEEDED") },
  { name: "abandon", prepare: delivers(false, "ABANDONED") },
];
