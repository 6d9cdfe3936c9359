import type { JsonObject } from "../json.ts";
import type { AuditEntry, CreateTask, ListedTask, ListQuery, TaskOutcome, TaskRecord } from "../shapes.ts";
import { isSame } from "./fit.ts";
import { createIds } from "./ids.ts";
import { Refusal } from "./refusal.ts";
import { onlyAddress, requireFits } from "./requests.ts";
import type { Timeline } from "./timeline.ts";

/** Whoever answers or withdraws, for the record. */
export interface Actor {
  type: "human" | "agent" | "system";
  email: string | null;
}

export interface Answer {
  response: JsonObject;
  by: Actor;
  via: string | null;
  /** What the verifier says of it, where the task has one; it passes when left out. */
  verdict?: { passed: boolean; reason: string } | undefined;
}

interface Stored {
  record: TaskRecord;
  audit: AuditEntry[];
  /** The deadline's entry in the timeline. */
  forget: () => void;
}

export interface Found {
  record: TaskRecord;
  isReplay: boolean;
  /** It is a replay, and asks for something else than the task was created with. */
  isMismatch: boolean;
}

/** The tasks of the service, and what can become of them. (spec: States and transitions) */
export interface Tasks {
  /** The task that a key is bound to. */
  findByKey(key: string | null, body: unknown): Found | null;
  create(request: CreateTask): TaskRecord;
  /** null: it has ended, or is gone. */
  findOpen(id: string): TaskRecord | null;
  /** @throws Refusal TASK_NOT_FOUND */
  get(id: string): TaskRecord;
  list(query: ListQuery): { rows: ListedTask[]; next: string | null };
  audit(id: string): readonly AuditEntry[];
  /** @throws Refusal TASK_NOT_FOUND, TASK_ALREADY_TERMINAL, VALIDATION_FAILED */
  answer(id: string, answer: Answer): TaskRecord;
  cancel(id: string, by: Actor, reason: string | null): TaskRecord;
  remove(id: string): void;
  /** Adds to the trail what belongs to no transition. */
  note(id: string, action: string, extra: JsonObject): void;
}

export interface TasksOptions {
  timeline: Timeline;
  /** Told once of each task that has ended. */
  onEnded: (task: TaskRecord) => void;
}

const AGENT: Actor = { type: "agent", email: null };
const SYSTEM: Actor = { type: "system", email: null };
const PAGE_ROWS = 50;

export function createTasks({ timeline, onEnded }: TasksOptions): Tasks {
  const stored = new Map<string, Stored>();
  /** Of tasks that were deleted, this is what stays. */
  const tombstones = new Map<string, AuditEntry[]>();
  const newId = createIds();
  const isoNow = () => new Date(timeline.now()).toISOString();

  function find(id: string): Stored {
    const found = stored.get(id);
    if (found === undefined) throw new Refusal("TASK_NOT_FOUND");
    return found;
  }

  function requireOpen(id: string): Stored {
    const found = find(id);
    if (isTerminal(found.record.status)) throw new Refusal("TASK_ALREADY_TERMINAL");
    return found;
  }

  /** What every transition writes. */
  function move(
    task: Stored,
    changes: Partial<TaskRecord>,
    action: string,
    by: Actor,
    more: Partial<AuditEntry> = {},
  ): TaskRecord {
    const from_status = task.record.status;
    task.record = { ...task.record, ...changes, updated_at: isoNow() };
    const { record } = task;
    const extra = record.redact_payload ? null : (more.extra ?? null);
    add(task, { ...more, action, from_status, to_status: record.status, extra }, by);
    if (isTerminal(record.status)) {
      task.forget();
      onEnded(structuredClone(record));
    }
    return record;
  }

  function add(task: Stored, entry: Partial<AuditEntry> & { action: string }, by: Actor): void {
    task.audit.push(entryOf(task.record.id, entry, by));
  }

  function entryOf(task_id: string, entry: Partial<AuditEntry> & { action: string }, by: Actor): AuditEntry {
    return {
      id: newId("aud", timeline.now()),
      task_id,
      from_status: null,
      to_status: null,
      actor_type: by.type,
      actor_email: by.email,
      channel: null,
      verifier_reason: null,
      embed_sub: null,
      extra: null,
      created_at: isoNow(),
      ...entry,
    };
  }

  return {
    findByKey: (key, body) => {
      const found = [...stored.values()].find(({ record }) => record.idempotency_key === key);
      if (found === undefined) return null;
      const { record } = found;
      return { record: structuredClone(record), isReplay: true, isMismatch: !isSame(asked(record), asked(body)) };
    },

    create: (request) => {
      const now = timeline.now();
      const id = newId("tsk", now);
      const record = newRecord(id, request, now);
      const timeOut = (): void => {
        const task = find(id);
        move(task, { status: "timed_out", timed_out_at: isoNow() }, "timed_out", SYSTEM);
      };
      const forget = timeline.at(Date.parse(record.timeout_at), timeOut);
      const task: Stored = { record, audit: [], forget };
      stored.set(id, task);
      add(task, { action: "created", to_status: "created" }, AGENT);
      const routed = routingOf(record);
      if (routed !== null)
        add(
          task,
          {
            ...routed,
            extra: record.redact_payload ? null : routed.extra,
            from_status: "created",
            to_status: "created",
          },
          SYSTEM,
        );
      return structuredClone(record);
    },

    findOpen: (id) => {
      const record = stored.get(id)?.record;
      return record === undefined || isTerminal(record.status) ? null : structuredClone(record);
    },

    get: (id) => structuredClone(find(id).record),

    list: (query) =>
      listOf(
        Array.from(stored.values(), ({ record }) => record),
        query,
      ),

    audit: (id) => structuredClone(tombstones.get(id) ?? find(id).audit),

    answer: (id, { response, by, via, verdict = { passed: true, reason: "The answer is fine." } }) => {
      const task = requireOpen(id);
      const { record } = task;
      requireFits(record.response_schema, response, "/response");
      const extra = { response_keys: Object.keys(response) };
      const accepted = {
        status: "completed",
        response,
        completed_at: isoNow(),
        completed_by_email: by.email,
        completed_via_channel: via,
      } as const;
      if (!record.is_verified) return structuredClone(move(task, accepted, "completed", by, { channel: via, extra }));

      const { passed, reason } = verdict;
      const attempt = record.verification_attempt + (passed ? 0 : 1);
      const verifier_result = { passed, reason, attempt };
      if (passed)
        return structuredClone(move(task, { ...accepted, verifier_result }, "verified", by, { channel: via, extra }));
      const status = attempt < attemptsOf(record) ? "rejected" : "verification_exhausted";
      const changes = { status, verification_attempt: attempt, verifier_result } as const;
      return structuredClone(move(task, changes, status, by, { channel: via, extra, verifier_reason: reason }));
    },

    cancel: (id, by, reason) => {
      const cancelled = {
        status: "cancelled",
        cancelled_at: isoNow(),
        cancelled_by: by.email,
        cancel_reason: reason,
      } as const;
      const extra = reason === null ? null : { reason };
      return structuredClone(move(requireOpen(id), cancelled, "cancelled", by, { extra }));
    },

    remove: (id) => {
      const task = find(id);
      task.forget();
      stored.delete(id);
      tombstones.set(id, [entryOf(id, { action: "deleted", from_status: task.record.status }, AGENT)]);
    },

    note: (id, action, extra) => {
      const task = stored.get(id);
      if (task === undefined) return;
      const { status } = task.record;
      add(task, { action, from_status: status, to_status: status, extra }, SYSTEM);
    },
  };
}

export function isTerminal(status: TaskRecord["status"]): boolean {
  return status !== "created" && status !== "rejected";
}

/** Rejections that end a task. */
export function attemptsOf({ verifier_config }: TaskRecord): number {
  return Number(verifier_config?.["max_attempts"] ?? 3);
}

/** What a poll tells. (spec: Tasks, poll) */
export function outcomeOf(record: TaskRecord): TaskOutcome {
  const { id: task_id, idempotency_key, status, response, completed_at, timed_out_at } = record;
  const { completed_by_email, completed_via_channel, verification_attempt, verifier_result } = record;
  const { cancelled_at, cancelled_by, cancel_reason } = record;
  return {
    task_id,
    idempotency_key,
    status,
    response,
    completed_at,
    timed_out_at,
    completed_by_email,
    completed_via_channel,
    cancelled_at,
    cancelled_by,
    cancel_reason,
    verification_attempt,
    verifier_result,
  };
}

function newRecord(id: string, request: CreateTask, now: number): TaskRecord {
  const time = new Date(now).toISOString();
  const { assign_to = null, notify = null, verifier_config = null, form_definition = null } = request;
  const redact_payload = request.redact_payload ?? false;
  const email = assign_to?.["email"];
  return {
    id,
    idempotency_key: request.idempotency_key,
    status: "created",
    task: request.task,
    payload: request.payload,
    payload_schema: request.payload_schema,
    response_schema: request.response_schema,
    form_definition,
    assign_to,
    notify,
    verifier_config,
    callback_url: request.callback_url ?? null,
    is_verified: verifier_config !== null && !redact_payload,
    assigned_to_email: typeof email === "string" ? email : assign_to === null ? onlyAddress(notify ?? []) : null,
    assigned_to_user_id: null,
    claimed_by_email: null,
    claim_expires_at: null,
    response: null,
    verifier_result: null,
    verification_attempt: 0,
    timeout_seconds: request.timeout_seconds,
    timeout_at: new Date(now + request.timeout_seconds * 1000).toISOString(),
    redact_payload,
    created_at: time,
    updated_at: time,
    completed_at: null,
    timed_out_at: null,
    completed_by_email: null,
    completed_by_user_id: null,
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    completed_via_channel: null,
    cancelled_at: null,
    cancelled_by: null,
    cancel_reason: null,
  };
}

/** To whom a new task went, as the trail says it, in a directory where nobody is. */
function routingOf({ assign_to, assigned_to_email }: TaskRecord): { action: string; extra: JsonObject | null } | null {
  if (assigned_to_email !== null) {
    const by = assign_to === null ? "notify" : "email";
    return { action: "assigned", extra: { by, assigned_to_user_id: null, assigned_to_email } };
  }
  if (assign_to === null) return null;
  const { emails } = assign_to;
  if (!Array.isArray(emails)) return { action: "routing_unmatched", extra: null };
  const candidates = [...new Set(emails.map((email) => String(email).toLowerCase()))];
  return { action: "offered", extra: { candidates } };
}

const ASKED = [
  "task",
  "payload",
  "payload_schema",
  "response_schema",
  "form_definition",
  "timeout_seconds",
  "assign_to",
  "notify",
  "verifier_config",
  "redact_payload",
  "callback_url",
];

/** What makes two requests the same, without what says nothing. */
function asked(request: unknown): JsonObject {
  const values = ASKED.map((name) => [name, (request as JsonObject)[name]] as const);
  return Object.fromEntries(
    values.filter(([name, value]) => value != null && !(name === "redact_payload" && value === false)),
  );
}

function listOf(tasks: readonly TaskRecord[], query: ListQuery): { rows: ListedTask[]; next: string | null } {
  const { status, terminal, unassigned, assigned_to, q, key_prefix, sort, cursor, include } = query;
  const { limit = PAGE_ROWS, offset = 0 } = query;
  const compare = sort === "deadline" ? soonestFirst : newestFirst;
  const isNobodys = (task: TaskRecord) => task.assigned_to_email === null;
  const found = tasks
    .filter((task) => status === undefined || status.includes(task.status))
    .filter((task) => terminal === undefined || isTerminal(task.status) === terminal)
    .filter((task) => unassigned === undefined || isNobodys(task) === unassigned)
    .filter((task) => assigned_to === undefined || task.assigned_to_email?.toLowerCase() === assigned_to.toLowerCase())
    .filter((task) => q === undefined || task.task.toLowerCase().includes(q.toLowerCase()))
    .filter((task) => key_prefix === undefined || task.idempotency_key.startsWith(key_prefix))
    .toSorted(compare);
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const rest = found.filter((task) => after === null || compare(after, task) < 0).slice(offset);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map((task) => toListed(structuredClone(task), include === "schemas")),
    next: last !== undefined && rest.length > page.length ? btoa(JSON.stringify([last.timeout_at, last.id])) : null,
  };
}

/** Where in a list a task stands. */
type Position = Pick<TaskRecord, "id" | "timeout_at">;

function newestFirst(a: Position, b: Position): number {
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

function soonestFirst(a: Position, b: Position): number {
  return Date.parse(a.timeout_at) - Date.parse(b.timeout_at) || newestFirst(b, a);
}

/** @throws Refusal VALIDATION_FAILED */
function decodeCursor(cursor: string): Position {
  try {
    const [timeout_at, id] = JSON.parse(atob(cursor)) as unknown[];
    if (typeof timeout_at === "string" && typeof id === "string") return { timeout_at, id };
  } catch {
    // Not one of ours: said below.
  }
  const message = "Is not a cursor of this list; take it from the `Link` header as it stands.";
  throw new Refusal("VALIDATION_FAILED", [{ path: "/query/cursor", message }]);
}

function toListed(task: TaskRecord, withSchemas: boolean): ListedTask {
  const { payload_schema, response_schema, form_definition, ...rest } = task;
  return {
    ...rest,
    ...(withSchemas && { payload_schema, response_schema, form_definition }),
    ...(task.redact_payload && { payload: { _redacted: true } }),
  };
}
