import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "../context.ts";
import { isEqual } from "../../json-schema/equality.ts";
import { createBatcher } from "../lib/batch.ts";
import type { Db, Tx } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import { checkCallbackUrl } from "../outbound/outbound-url.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { isStorableText } from "../lib/text.ts";
import type { Caller } from "../people/caller.ts";
import { readVerifierConfig } from "../verifier/config.ts";
import { requireMay } from "./access.ts";
import { actorOf } from "./attribution.ts";
import { addCandidates } from "./candidates.ts";
import { requireFits, requireSchema, requireTakesObjects } from "./client-schemas.ts";
import type { Announce } from "./messages.ts";
import type { Actor } from "./move.ts";
import { parseNotify, type Destination } from "./notify.ts";
import { noteChoice, parseAssignTo, route, type Routing } from "./routing.ts";
import type { CreateTaskBody } from "./schema.ts";
import { addTask, addTasks, type NewTask } from "./new-task-store.ts";
import {
  addAuditEntry,
  findTaskIdByKey,
  findWholeTask,
  parseJson,
  toTask,
  type TaskDocuments,
  type WholeTask,
} from "./store.ts";

export interface Created {
  task: WholeTask;
  /** The key was bound to this task before; nothing was written. */
  isReplay: boolean;
  /** It is a replay, and asks for something else than the task was created with. */
  isMismatch: boolean;
}

/** Tries to write a new task, and gives it as it was written; null when its idempotency key is taken. */
export type TaskCreator = (task: NewTask, asked: Asked | null) => Promise<NewTask | null>;

/** Whom a request wants a task to go to. */
interface Asked {
  routing: Routing | null;
  notify: readonly Destination[];
}

/** Told to whoever shows tasks as they come: there are new ones. */
export const CREATED_HINT = "created";
/** It is told this often at most. */
const ANNOUNCE_EVERY_MS = 200;

/** What the checks of one request may take of a turn of the event loop; the next check then waits for another. */
const CHECKING_MS = 5;
/** Tasks that are written together, and such groups at once. */
const GROUPS = { items: 64, under_way: 2 };
/** Characters of JSON of a task that is written together with others. */
const GROUPED_CHARACTERS_MAX = 16_384;

/** Creations that wait in the same turn of the event loop are written together. */
export function createTaskCreator(db: Db, announce: Announce): TaskCreator {
  const batcher = createBatcher<NewTask, boolean>(
    GROUPS,
    async (tasks) => {
      const added = await addTasks(db, tasks);
      return tasks.map(({ task }) => added.has(task.id));
    },
    (error) => !(error instanceof ServiceError),
  );
  const tell = createTeller(() => db.hints.publish([CREATED_HINT]));
  return async (rows, asked) => {
    const written = await write(rows, asked);
    if (written !== null) tell();
    return written;
  };

  async function write(rows: NewTask, asked: Asked | null): Promise<NewTask | null> {
    if (asked !== null) return db.write((tx) => addRouted(tx, rows, asked, announce));
    // Large ones hold up the others: on SQLite the event loop, on PostgreSQL the driver, which writes arrays slowly.
    const isLarge = rows.task.listed_length + rows.task.schemas_length > GROUPED_CHARACTERS_MAX;
    const isAdded = await (isLarge ? db.write((tx) => addTask(tx, rows)) : batcher.add(rows));
    return isAdded ? rows : null;
  }
}

/** Tells at once, and then again where there was reason to meanwhile. */
function createTeller(tell: () => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  return function tellInTime() {
    isDue = timer !== null;
    if (isDue) return;
    tell();
    timer = setTimeout(() => {
      timer = null;
      if (isDue) tellInTime();
    }, ANNOUNCE_EVERY_MS);
    timer.unref();
  };
}

/**
 * Finds the people of a task, writes it for them, and owes them word of it; who they are is decided and written in one
 * transaction.
 */
async function addRouted(
  tx: Tx,
  rows: NewTask,
  { routing, notify }: Asked,
  announce: Announce,
): Promise<NewTask | null> {
  const routed = await route(tx, routing, notify);
  const { assigned_to_user_id, assigned_to_email, decision } = routed;
  const task = { ...rows.task, assigned_to_user_id, assigned_to_email, audit_seq: decision === null ? 1 : 2 };
  if (!(await addTask(tx, { ...rows, task }))) return null;
  await noteChoice(tx, routed);
  await addCandidates(tx, task.id, routed.candidates);
  if (decision !== null)
    await addAuditEntry(tx, {
      ...rows.audit,
      seq: 1,
      action: decision.action,
      from_status: task.status,
      actor_type: "system",
      actor_email: null,
      extra: task.redact_payload ? null : decision.extra,
    });
  await announce(tx, { task_id: task.id, purpose: "decision", at: task.created_at }, notify);
  return { ...rows, task };
}

/**
 * Creates a task, or finds the one that the idempotency key is bound to, for the life of that task and under any number
 * of calls at once. (spec: Create a task)
 *
 * @param body - as it came; `problem` says what its shape lacks. A replay is answered whatever is wrong with it, so that it
 *   survives rules that have become stricter since.
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED, RESPONSE_SCHEMA_NOT_OBJECT, VERIFIER_CONFIG_INVALID,
 *   VERIFIER_PROVIDER_UNKNOWN
 */
export async function createTask(ctx: Context, caller: Caller, body: unknown, problem: Error | null): Promise<Created> {
  requireMay(caller, "create");
  const request = body as CreateTaskBody;
  let documents: TaskDocuments;
  let asked: Asked | null;
  try {
    if (problem) throw problem;
    documents = toDocuments(request);
    asked = await checkRequest(ctx, request, documents);
  } catch (error) {
    const bound = await findReplay(ctx, body);
    if (bound) return bound;
    throw error;
  }
  // The insertion finds out whether the key is taken. It may be freed by a deletion, and taken again, before the winner is read.
  for (let attempt = 0; attempt < 5; attempt++) {
    const rows = newTask(request, documents, actorOf(caller), ctx.db.now());
    const written = await ctx.creator(rows, asked);
    if (written !== null)
      return { task: toTask({ ...written.task, ...documents, response: null }), isReplay: false, isMismatch: false };
    const bound = await findReplay(ctx, body);
    // Where the answer to the commit was lost and the writing repeated, the task that is found is this very one.
    if (bound) return bound.task.id === rows.task.id ? { ...bound, isReplay: false } : bound;
  }
  throw new ServiceError("OVERLOADED");
}

/** Comparing is linear in the smaller of the two, and the body is bounded. */
const UNLIMITED = { left: Number.POSITIVE_INFINITY };

/** The task that the key in `body` is bound to, or null; `body` may be anything. */
async function findReplay(ctx: Context, body: unknown): Promise<Created | null> {
  const key = isJsonObject(body) ? body["idempotency_key"] : undefined;
  if (typeof key !== "string" || key === "" || !isStorableText(key)) return null;
  const id = await findTaskIdByKey(ctx.db, key);
  const task = id === null ? null : await findWholeTask(ctx.db, id);
  return task && { task, isReplay: true, isMismatch: !isEqual(UNLIMITED, asked(task), known(body as JsonObject)) };
}

/** What the task was created with, as a request says it. */
function asked(task: WholeTask): JsonObject {
  return known({
    ...task,
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    assign_to: parseJson(task.assign_to),
    notify: parseJson(task.notify),
    verifier_config: parseJson(task.verifier_config),
  });
}

const KNOWN = [
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
] as const satisfies (keyof CreateTaskBody)[];

/** The fields that make two requests the same, without those that say nothing. */
function known(request: JsonObject): JsonObject {
  return Object.fromEntries(
    KNOWN.map((name) => [name, request[name]]).filter(
      ([name, value]) => value != null && !(name === "redact_payload" && value === false),
    ),
  );
}

/** Everything that the shape of a request does not tell. @returns whom it is for; null where nobody is named */
async function checkRequest(ctx: Context, request: CreateTaskBody, documents: TaskDocuments): Promise<Asked | null> {
  // Each check of a hostile schema or payload ends in time; all of one request in the same turn would add up.
  const started = performance.now();
  const isLong = () => performance.now() - started > CHECKING_MS;
  const payloadSchema = requireSchema(documents.payload_schema, "/payload_schema", request.payload_schema);
  if (isLong()) await nextTurn();
  requireTakesObjects(requireSchema(documents.response_schema, "/response_schema", request.response_schema));
  if (isLong()) await nextTurn();
  const routing = request.assign_to == null ? null : parseAssignTo(request.assign_to);
  const notify = request.notify == null ? [] : parseNotify(request.notify);
  if (request.verifier_config != null) readVerifierConfig(request.verifier_config, ctx.config.verifier.keyEnvs);
  if (request.callback_url != null) requireCallbackUrl(ctx, request.callback_url);
  await requireFits(ctx.patterns, payloadSchema, request.payload, "/payload");
  return routing === null && notify.length === 0 ? null : { routing, notify };
}

function requireCallbackUrl({ config }: Context, url: string): void {
  if (config.payloadKey === null)
    throw invalid(
      "/callback_url",
      "Callbacks are off on this server: it has no key to sign them with (SERVICE_PAYLOAD_KEY).",
    );
  const problem = checkCallbackUrl(url, { allowPrivate: config.callbacks.allowPrivate });
  if (problem !== null) throw invalid("/callback_url", problem);
}

function toDocuments(request: CreateTaskBody): TaskDocuments {
  const text = (value: unknown) => (value == null ? null : JSON.stringify(value));
  return {
    payload: JSON.stringify(request.payload),
    payload_schema: JSON.stringify(request.payload_schema),
    response_schema: JSON.stringify(request.response_schema),
    form_definition: text(request.form_definition),
    assign_to: text(request.assign_to),
    notify: text(request.notify),
    verifier_config: text(request.verifier_config),
  };
}

function newTask(request: CreateTaskBody, documents: TaskDocuments, actor: Actor, now: number): NewTask {
  const id = newId("tsk", now);
  return {
    task: {
      id,
      idempotency_key: request.idempotency_key,
      status: "created",
      task: request.task,
      timeout_seconds: request.timeout_seconds,
      timeout_at: now + request.timeout_seconds * 1000,
      redact_payload: request.redact_payload ? 1 : 0,
      verification_attempt: 0,
      verifier_result: null,
      assigned_to_user_id: null,
      assigned_to_email: null,
      claimed_by_user_id: null,
      claimed_by_email: null,
      claim_expires_at: null,
      callback_url: request.callback_url ?? null,
      listed_length:
        request.task.length +
        length(documents.payload, documents.assign_to, documents.notify, documents.verifier_config),
      schemas_length: length(documents.payload_schema, documents.response_schema, documents.form_definition),
      audit_seq: 1,
      created_at: now,
      updated_at: now,
      ended_at: null,
      completed_at: null,
      timed_out_at: null,
      completed_by_email: null,
      completed_by_user_id: null,
      completed_by_slack_team_id: null,
      completed_by_slack_user_id: null,
      completed_via_channel: null,
      cancelled_by: null,
      cancel_reason: null,
    },
    documents: { task_id: id, ...documents },
    audit: {
      task_id: id,
      seq: 0,
      id: newId("aud", now),
      action: "created",
      from_status: null,
      to_status: "created",
      actor_type: actor.type,
      actor_email: actor.email,
      channel: null,
      verifier_reason: null,
      embed_sub: null,
      extra: null,
      created_at: now,
    },
  };
}

function length(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
