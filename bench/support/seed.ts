import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { Client } from "pg";
import { homeOf, isComputed, ofTask } from "../../src/db/home.ts";
import type {
  AuditEntryRow,
  Schema,
  TaskDocumentsRow,
  TaskResponseRow,
  TaskRow,
  TaskTextRow,
} from "../../src/db/schema.ts";
import { searchedText } from "../../src/tasks/search-index.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/time.ts";
import { openDb, type Home } from "./target.ts";
import { REFUND } from "./tasks.ts";

/** A task with all its rows, as the service would have written them. */
export interface SeededTask {
  tasks: [TaskRow];
  task_documents: [TaskDocumentsRow];
  task_responses: TaskResponseRow[];
  audit_entries: AuditEntryRow[];
}
/** And with its text for searches, as the service adds it in the background. */
type Rows = SeededTask & { task_texts: [TaskTextRow] };
type Table = keyof Rows;
const TABLES: readonly Table[] = ["tasks", "task_documents", "task_responses", "audit_entries", "task_texts"];

/** The assignee of a few hundred tasks, however many tasks there are. */
export const ASSIGNEE = "dana@example.com";
const ASSIGNED = 300;
const RESPONSE = JSON.stringify({ approved: true, amount_nnnnnnnn: 120, note_nnnnnnnn: "Paid back in full." });
const WINDOW = 29 * DAY;

/**
 * Yields `count` tasks of the last year, oldest first. 97 of a hundred have ended. The open tasks are among the
 * youngest, because no task lives longer than 30 days. Each open task has at least a day left.
 */
export function* tasksOfAYear(count: number, now: number): Generator<SeededTask> {
  const year = 365 * DAY;
  const openInWindow = (0.03 * year) / WINDOW;
  let open = 0;
  for (let i = 0; i < count; i++) {
    const created_at = now - year + Math.floor((i * (year - MINUTE)) / count);
    const before = Math.floor(open);
    if (created_at > now - WINDOW) open += openInWindow;
    const isOpen = Math.floor(open) > before;
    const assignee = Math.floor(((i + 1) * ASSIGNED) / count) > Math.floor((i * ASSIGNED) / count) ? ASSIGNEE : null;
    const email = assignee ?? (i % 5 < 2 ? `person-${i % 200}@example.com` : null);
    yield isOpen
      ? openTask(i, { created_at, timeout_at: created_at + 30 * DAY, email, isRejected: i % 20 === 0 })
      : endedTask(i, { created_at, email, now });
  }
}

export interface Open {
  created_at: number;
  timeout_at: number;
  email?: string | null;
  isRejected?: boolean;
}

/** Returns a task that waits for its answer, or for another answer after the verifier refused the first. */
export function openTask(i: number, { created_at, timeout_at, email = null, isRejected = false }: Open): SeededTask {
  const task = newTask(i, created_at, timeout_at, email);
  if (!isRejected) return { ...task, task_responses: [] };
  const verifier_result = JSON.stringify({ passed: false, reason: "The amount is not the order's.", attempt: 1 });
  const at = created_at + MINUTE;
  return {
    ...task,
    tasks: [
      { ...task.tasks[0], status: "rejected", verification_attempt: 1, verifier_result, audit_seq: 2, updated_at: at },
    ],
    task_responses: [],
    audit_entries: [
      ...task.audit_entries,
      entryOf(task.tasks[0].id, { action: "rejected", to_status: "rejected", created_at: at }),
    ],
  };
}

function endedTask(
  i: number,
  { created_at, email, now }: { created_at: number; email: string | null; now: number },
): SeededTask {
  const status = i % 100 < 6 ? "timed_out" : i % 100 < 9 ? "cancelled" : "completed";
  const task = newTask(i, created_at, created_at + DAY, email);
  const { id, listed_length } = task.tasks[0];
  // Most answers come within an hour.
  const took = status === "timed_out" ? DAY : SECOND * (5 + ((i * 7919) % 3500)) + ((i % 17) * HOUR) / 4;
  const ended_at = Math.min(created_at + took, now);
  const isCompleted = status === "completed";
  return {
    ...task,
    tasks: [
      {
        ...task.tasks[0],
        status,
        ended_at,
        updated_at: ended_at,
        audit_seq: 2,
        listed_length: listed_length + (isCompleted ? RESPONSE.length : 0),
        completed_at: isCompleted ? ended_at : null,
        timed_out_at: status === "timed_out" ? ended_at : null,
        completed_by_email: isCompleted ? email : null,
        completed_via_channel: isCompleted ? ["dashboard", "slack", "email"][i % 3]! : null,
      },
    ],
    task_responses: isCompleted ? [{ ...ofTask(id), response: RESPONSE }] : [],
    audit_entries: [...task.audit_entries, entryOf(id, { action: status, to_status: status, created_at: ended_at })],
  };
}

const DOCUMENTS = {
  payload: JSON.stringify(REFUND.payload),
  payload_schema: JSON.stringify(REFUND.payload_schema),
  response_schema: JSON.stringify(REFUND.response_schema),
};

/** A word that is in one title only, however many tasks there are, and one that is in none. */
export const ONE_HIT = "marigold";
export const NO_HIT = "buttercup";
/** The task with the word: in a thousand tasks as in a million, it is an old one. */
const ONE_HIT_AT = 7;
const SYLLABLES = ["ba", "den", "ko", "lis", "mar", "no", "pe", "ran", "su", "ti", "vel", "wo"];

/** Returns a title with the name of a customer and an order, so that titles have as many different words as those of people. */
function titleOf(i: number): string {
  const name = (n: number) => [1, 12, 144].map((part) => SYLLABLES[Math.floor(n / part) % 12]!).join("");
  const flower = i === ONE_HIT_AT ? ` ${ONE_HIT}` : "";
  return `${REFUND.task} ${name((i * 7919) % 1728)} ${name((i * 104_729) % 1728)}, order ${(i * 15_485_863) % 1_000_003}${flower}`;
}

function newTask(i: number, created_at: number, timeout_at: number, email: string | null) {
  const id = idAt("tsk", created_at);
  const home = homeOf(id);
  const title = titleOf(i);
  const task: TaskRow = {
    id,
    home,
    project: "default",
    idempotency_key: `refund-${id.slice(-12)}-${i}`,
    status: "created",
    task: title,
    timeout_seconds: Math.round((timeout_at - created_at) / SECOND),
    timeout_at,
    redact_payload: 0,
    verification_attempt: 0,
    verifier_result: null,
    assigned_to_user_id: null,
    assigned_to_email: email,
    claimed_by_user_id: null,
    claimed_by_email: null,
    claim_expires_at: null,
    callback_url: null,
    listed_length: title.length + DOCUMENTS.payload.length,
    schemas_length: DOCUMENTS.payload_schema.length + DOCUMENTS.response_schema.length,
    audit_seq: 1,
    created_at,
    updated_at: created_at,
    ended_at: null,
    completed_at: null,
    timed_out_at: null,
    completed_by_email: null,
    completed_by_user_id: null,
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    cancelled_by: null,
    cancel_reason: null,
    completed_via_channel: null,
    asked_by_kind: "admin",
    asked_by_id: "admin",
    asked_by_name: "admin",
    on_behalf_of: null,
    decided_by_kind: null,
    decided_by_name: null,
    approvals: null,
    ladder: null,
    next_step_at: null,
    urgent: 0,
    delegated_from_user_id: null,
    delegated_from_email: null,
    delegated_until: null,
    waiting_on: null,
    version: 1,
    priority: 1,
    labels: null,
    facts: null,
    decision: null,
    decision_tone: null,
    question: null,
    edited: null,
  };
  const documents: TaskDocumentsRow = {
    task_id: id,
    home,
    ...DOCUMENTS,
    form_definition: null,
    assign_to: email === null ? null : JSON.stringify({ email }),
    notify: null,
    verifier_config: null,
    action: null,
    listed_action: null,
    approval_policy: null,
    escalation: null,
    on_timeout: null,
    resume: null,
    callback_events: null,
    locale: null,
  };
  return {
    tasks: [task] as [TaskRow],
    task_documents: [documents] as [TaskDocumentsRow],
    audit_entries: [entryOf(id, { action: "created", to_status: "created", created_at })],
  };
}

function entryOf(task_id: string, entry: Pick<AuditEntryRow, "action" | "to_status" | "created_at">): AuditEntryRow {
  const isCreated = entry.action === "created";
  return {
    ...ofTask(task_id),
    seq: isCreated ? 0 : 1,
    id: idAt("aud", entry.created_at),
    from_status: isCreated ? null : "created",
    actor_type: isCreated ? "agent" : "human",
    agent_id: null,
    agent_name: null,
    actor_email: null,
    channel: null,
    verifier_reason: null,
    embed_sub: null,
    extra: null,
    ...entry,
  };
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns an id as `newId` makes it. Unlike there, `time` may be before the time of earlier ids. */
function idAt(prefix: "tsk" | "aud", time: number): string {
  let text = "";
  for (let i = 0, rest = time; i < 10; i++, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32]! + text;
  for (let half = 0; half < 4; half++) {
    const bits = Math.floor(Math.random() * 2 ** 20);
    for (let shift = 15; shift >= 0; shift -= 5) text += ALPHABET[(bits >> shift) & 31]!;
  }
  return `${prefix}_${text}`;
}

/** Writes tasks into the tables of a service that is not running. */
export async function writeTasks(home: Home, tasks: Iterable<SeededTask>): Promise<void> {
  // Create the tables.
  await (await openDb(home)).close();
  if (home.databaseUrl === null) writeSqlite(home.dataDir, withTexts(tasks));
  else await writePostgres(home.databaseUrl, withTexts(tasks));
}

function* withTexts(tasks: Iterable<SeededTask>): Generator<Rows> {
  for (const task of tasks) {
    const [row] = task.tasks;
    yield { ...task, task_texts: [{ number: null, ...ofTask(row.id), text: searchedText(row) }] };
  }
}

/** Everything that was written is in the index of searches. */
const ALL_FOLLOWED = "update search_position set entry_id = (select coalesce(max(id), '') from audit_entries)";

function writeSqlite(dataDir: string, tasks: Iterable<Rows>): void {
  const path = join(dataDir, "service.db");
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -262144");
  const indexes = database
    .prepare("select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null")
    .all() as { type: string; name: string; sql: string }[];
  for (const { type, name } of indexes) database.exec(`drop ${type} ${name}`);
  const inserts = new Map<Table, { statement: StatementSync; columns: string[] }>();
  database.exec("begin");
  for (const task of tasks) {
    for (const table of TABLES) {
      for (const row of task[table]) {
        let insert = inserts.get(table);
        if (!insert) {
          const columns = Object.keys(row).filter((column) => !isComputed("sqlite", table, column));
          const sql = `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
          insert = { statement: database.prepare(sql), columns };
          inserts.set(table, insert);
        }
        const values = row as unknown as Record<string, SQLInputValue>;
        insert.statement.run(...insert.columns.map((column) => values[column]!));
      }
    }
  }
  for (const { sql } of indexes) database.exec(sql);
  database.exec("insert into task_words (task_words) values ('rebuild')");
  database.exec(ALL_FOLLOWED);
  database.exec("commit");
  database.close();
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

const BATCH = 1000;
const WRITERS = 2;

async function writePostgres(url: string, tasks: Iterable<Rows>): Promise<void> {
  const writers = Array.from({ length: WRITERS }, () => new Client({ connectionString: url }));
  const [first] = writers as [Client];
  for (const writer of writers) {
    await writer.connect();
    await writer.query("set synchronous_commit = off; set maintenance_work_mem = '256MB'");
  }
  const { rows: indexes } = await first.query<{ name: string; sql: string }>(
    `select i.indexname as name, i.indexdef as sql from pg_indexes i left join pg_constraint c on c.conname = i.indexname
      where i.schemaname = 'public' and i.tablename = any($1) and c.conname is null`,
    [TABLES],
  );
  for (const { name } of indexes) await first.query(`drop index ${name}`);

  // Each writer takes the next batch when it has written the last one.
  const batches = batchesOf(tasks);
  await Promise.all(
    writers.map(async (writer) => {
      for (const batch of batches) {
        for (const table of TABLES) {
          const rows = batch.flatMap((task): object[] => task[table]) as Row[];
          if (rows.length > 0) await insertRows(writer, table, rows);
        }
      }
    }),
  );
  for (const { sql } of indexes) await first.query(sql);
  await first.query(ALL_FOLLOWED);
  for (const table of Object.keys(EVERY_TABLE)) await first.query(`vacuum analyze ${table}`);
  await first.query("checkpoint");
  for (const writer of writers) await writer.end();
}

type Row = Record<string, unknown>;

/** Values that are equal in all rows, such as the documents, are sent once. */
async function insertRows(writer: Client, table: Table, rows: readonly Row[]): Promise<void> {
  const [first] = rows as [Row];
  const columns = Object.keys(first);
  const own = columns.filter((column) => rows.some((row) => row[column] !== first[column]));
  const ownJson = JSON.stringify(rows.map((row) => Object.fromEntries(own.map((column) => [column, row[column]]))));
  await writer.query(
    `insert into ${table} (${columns.join(", ")})
      select ${columns.map((column) => `${own.includes(column) ? "own" : "shared"}.${column}`).join(", ")}
      from json_populate_recordset(null::${table}, $1) own, json_populate_record(null::${table}, $2) shared`,
    [ownJson, JSON.stringify(first)],
  );
}

/** PostgreSQL plans badly without statistics, so every table is analyzed. */
const EVERY_TABLE: Record<keyof Schema, true> = {
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
  delivery_origins: true,
  task_totals: true,
  task_candidates: true,
  task_approvals: true,
  task_comments: true,
  task_versions: true,
  task_labels: true,
  task_snoozes: true,
  task_texts: true,
  search_position: true,
  users: true,
  sessions: true,
  passkeys: true,
  passkey_challenges: true,
  personal_tokens: true,
  invitations: true,
  notification_choices: true,
  push_subscriptions: true,
  saved_views: true,
  service_keys: true,
  rate_windows: true,
  setup: true,
  email_identities: true,
  slack_installations: true,
  slack_installs_begun: true,
  security_events: true,
  oidc_links: true,
  oidc_sign_ins: true,
  escalation_templates: true,
  hook_questions: true,
  hook_rules: true,
  hook_calls: true,
  connections: true,
  resume_groups: true,
  resume_group_tasks: true,
  data_keys: true,
  event_subscriptions: true,
};

function* batchesOf(tasks: Iterable<Rows>): Generator<Rows[]> {
  let batch: Rows[] = [];
  for (const task of tasks) {
    batch.push(task);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
