import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { DataKey } from "../db/data-key.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { ConnectionRow } from "../db/schema.ts";
import { unsealFrom } from "../db/sealed.ts";
import {
  failure,
  type AbandonedDelivery,
  type DueDelivery,
  type Kind,
  type Kinds,
  type Postponed,
  type Outcome as Ended,
} from "../deliveries/kinds.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { nextAttemptAt } from "../callbacks/schedule.ts";
import { clearRefusal, findConnection, noteRefusal } from "./connection-store.ts";
import { deliveryKindOf, groupIn, placeOfSecrets, type ResumeBody } from "./entries.ts";
import { noteMeaning, takeGroup, takerOf, tasksOfGroup, WITH_GROUP, type Group } from "./groups.ts";
import { guardedHttp } from "./http.ts";
import {
  isLast,
  NotAnswered,
  type Connection,
  type Fields,
  type Other,
  type Outcome,
  type Resumed,
  type ResumeKind,
} from "./kind.ts";
import { RESUME_KINDS } from "./registered.ts";

/** How a task ended, read when an attempt begins: it is the same for all of them. */
export interface ReadOutcome {
  /** JSON of the body of the callback. */
  outcome: string;
  /** JSON of the response; null: there is none. */
  response: string | null;
}

export interface ResumeOptions {
  db: Db;
  sender: Sender;
  keys: Pick<Config, "secretKey" | "previous">;
  dataKey: DataKey;
  log: Logger;
  /** Returns how a task ended; null if it was deleted. */
  readOutcome(reader: Reader, task_id: string): Promise<ReadOutcome | "open" | null>;
  /** Adds to the audit trail of the task that it could not be resumed. */
  recordFailed(tx: Tx, delivery: AbandonedDelivery & { kind: string }): Promise<void>;
}

/** Attempts that may have reached the engine, by the beginnings of their errors. */
const CUT_OFF = /^(timeout|reset|aborted|protocol|internal|worker_lost)\b/;
/** Ends the error of an attempt that repeats a lost one, since its outcome ends the count of losses. */
const LOST_BEFORE = "This attempt was begun before, and was lost with its process.";

/** Returns a kind of delivery for each kind of engine. (beyond the spec: Resuming) */
export function createResumeKinds(options: ResumeOptions): Kinds {
  return Object.fromEntries(RESUME_KINDS.map((kind) => [deliveryKindOf(kind.name), createKind(kind, options)]));
}

function createKind(kind: ResumeKind, options: ResumeOptions): Kind {
  const { log, recordFailed } = options;
  return {
    hasLastingOrigins: true,
    send: async (delivery, signal) => keepLoss(delivery, await attempt(kind, options, delivery, signal)),
    nextAttemptAt,
    onAbandoned: async (tx, delivery) => {
      await recordFailed(tx, { ...delivery, kind: kind.name });
      const { id: delivery_id, task_id, attempts, last_error } = delivery;
      tx.afterCommit(() => log.warn({ delivery_id, task_id, attempts, last_error }, "Resume failed"));
    },
  };
}

async function attempt(
  kind: ResumeKind,
  options: ResumeOptions,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<Ended | Postponed> {
  const { db, sender, dataKey, readOutcome } = options;
  const { id, task_id } = delivery;
  if (delivery.body === null) return failure("no_body", "The stored body is gone.");
  const body = JSON.parse(delivery.body) as ResumeBody;
  const row = body.connection === null ? null : await findConnection(db, body.connection);
  if (body.connection !== null && row === null)
    return { ...failure("no_connection", "An operator has deleted the connection."), is_final: true };
  const connection = row === null ? null : openConnection(options, row);
  if (connection === "unreadable")
    return failure("unreadable_secret", "The secret of the connection cannot be opened with SERVICE_SECRET_KEY.");
  const secret = body.sealed === null ? "{}" : await dataKey.unseal(placeOfSecrets(task_id), body.sealed);
  if (secret === null)
    return failure("unreadable_secret", "What is secret in the address cannot be opened with SERVICE_SECRET_KEY.");
  const ended = await readOutcome(db, task_id);
  if (ended === null || ended === "open") return NOTHING_TO_SEND;
  const address = { ...body.address, ...(JSON.parse(secret) as Fields) };
  const group = groupIn(kind, body.connection, address);
  const others = group === null ? [] : await othersOf(options, group, task_id);
  if (others === "not yet") return { ...NOTHING_TO_SEND, meaning: WITH_GROUP };
  if (group !== null && !(await takeGroup(db, group.key, id))) return afterTaker(db, group);
  try {
    const resumed = await kind.resume(
      {
        id,
        task_id,
        address,
        connection,
        value: body.select === "response" ? (ended.response ?? "null") : ended.outcome,
        outcome: JSON.parse(ended.outcome) as Outcome,
        now: Date.now(),
        wasCutOff: () => wasCutOff(db, delivery),
        others,
      },
      guardedHttp(sender, signal),
    );
    await noteAcceptance(options, row, resumed);
    if (isLast(resumed.meaning)) await noteMeaning(db, others, delivery.kind, resumed.meaning);
    return toOutcome(resumed);
  } catch (error) {
    if (error instanceof NotAnswered) return failure(error.error, error.message);
    throw error;
  }
}

const NOTHING_TO_SEND = { ok: true, is_needless: true, status_code: null, response_excerpt: null } as const;

/** Returns the other tasks of a group, unless one of them has not ended. One that was deleted counts as cancelled. */
async function othersOf(
  { db, readOutcome }: ResumeOptions,
  { key, size }: Group,
  task_id: string,
): Promise<(Other & { task_id: string })[] | "not yet"> {
  const tasks = await tasksOfGroup(db, key);
  if (tasks.length < size) return "not yet";
  const others: (Other & { task_id: string })[] = [];
  for (const other of tasks) {
    if (other.task_id === task_id) continue;
    const ended = await readOutcome(db, other.task_id);
    if (ended === "open") return "not yet";
    const outcome = ended === null ? deleted(other.task_id) : (JSON.parse(ended.outcome) as Outcome);
    others.push({ task_id: other.task_id, address: JSON.parse(other.address) as Fields, outcome });
  }
  return others;
}

/** The wait while the delivery that has taken the group makes its first attempt. */
const TAKER_MS = 500;

/** Another delivery resumes the group. This one shows what becomes of it. */
async function afterTaker(db: Db, { key }: Group): Promise<Ended | Postponed> {
  const taker = await takerOf(db, key);
  if (taker?.status === "PENDING" && taker.attempt_count === 0) return { postponed_ms: TAKER_MS };
  const meaning = taker?.meaning ?? WITH_GROUP;
  return { ...NOTHING_TO_SEND, meaning: isLast(meaning) ? meaning : WITH_GROUP };
}

function deleted(task_id: string): Outcome {
  return { task_id, status: "cancelled", response: null, completed_by_email: null };
}

function openConnection({ keys }: ResumeOptions, { id, address, secret }: ConnectionRow): Connection | "unreadable" {
  const opened = secret === null ? null : unsealFrom(keys, "connections", id, secret);
  if (secret !== null && opened === null) return "unreadable";
  return { address: JSON.parse(address) as Fields, secret: opened };
}

async function wasCutOff(db: Db, { id, task_id, losses }: DueDelivery): Promise<boolean> {
  if (losses > 0) return true;
  const attempts = await db.query
    .selectFrom("delivery_attempts")
    .select("error")
    .where("delivery_id", "=", id)
    .where("home", "=", homeOf(task_id))
    .execute();
  return attempts.some(({ error }) => error !== null && (CUT_OFF.test(error) || error.endsWith(LOST_BEFORE)));
}

/** Lets later attempts know of a loss, which may have reached the engine. */
function keepLoss({ losses }: DueDelivery, outcome: Ended | Postponed): Ended | Postponed {
  return "postponed_ms" in outcome || outcome.ok || losses === 0
    ? outcome
    : { ...outcome, message: `${outcome.message} ${LOST_BEFORE}` };
}

/** Marks a connection whose secret the engine refuses, and takes the mark back. An attempt does not fail because of it. */
async function noteAcceptance(
  { db, log }: ResumeOptions,
  row: ConnectionRow | null,
  { meaning, message }: Resumed,
): Promise<void> {
  if (row === null) return;
  const isRefused = meaning === "refused";
  if (isRefused === (row.refused_at !== null) || meaning === "later") return;
  await (isRefused ? noteRefusal(db, row.id, message) : clearRefusal(db, row.id)).catch((error: unknown) =>
    log.error({ err: error, connection: row.id }, "A connection could not be marked"),
  );
}

function toOutcome({ meaning, message, answer, wait_ms }: Resumed): Ended {
  const common = {
    meaning,
    status_code: answer?.status ?? null,
    response_excerpt: answer?.body.slice(0, EXCERPT_CHARACTERS) ?? null,
  };
  if (meaning === "done" || meaning === "done_already") return { ...common, ok: true };
  const error = meaning === "later" ? "http_status" : meaning;
  return { ...common, ok: false, error, message, is_final: meaning === "gone", wait_ms };
}

/** What is kept of an answer. */
const EXCERPT_CHARACTERS = 4_096;
