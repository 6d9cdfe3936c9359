import type { Db, Reader } from "../db/database.ts";
import type { Located } from "../db/home.ts";
import { writeByShard } from "../db/shards.ts";
import type { DeliveryRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { isId } from "../lib/ids.ts";
import type { JsonObject } from "../lib/json.ts";
import { isoTime, SECOND } from "../lib/time.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectsOf } from "../people/projects.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type {
  DeliverySummary,
  ListDeliveriesQuery,
  RedeliverBody,
  WebhookDelivery,
  WholeWebhookDelivery,
} from "./schema.ts";
import {
  countDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  listByStatus,
  locate,
  readTitles,
  redeliver,
  type Redelivered,
} from "./admin-store.ts";
import { findBody } from "./claim.ts";
import { shownAs } from "./kinds.ts";
import { type DeliveryStatus } from "./store.ts";

interface Ctx {
  db: Db;
}

const DEFAULT_LIMIT = 50;
/** The most deliveries that one transaction redelivers. */
const REDELIVER_BATCH = 200;

/**
 * One page of callbacks, resumes and events, newest first. (wire: webhook-deliveries)
 * @returns `next`: the cursor of the next page, null on the last one
 */
export async function listWebhookDeliveries(
  { db }: Ctx,
  caller: Caller,
  { limit = DEFAULT_LIMIT, cursor, project, ...filter }: ListDeliveriesQuery,
): Promise<{ rows: WebhookDelivery[]; next: string | null }> {
  const projects = await projectsOf(db, caller, project);
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const found = await listDeliveries(projects === null ? db : db.heavy, { ...filter, projects }, before, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: await toRecords(db, page),
    next: found.length > limit && last ? encodeCursor([last.created_at, last.id]) : null,
  };
}

/** @throws ServiceError DELIVERY_NOT_FOUND */
export async function readWebhookDelivery({ db }: Ctx, caller: Caller, id: string): Promise<WholeWebhookDelivery> {
  const projects = requireOperatorOfSome(caller);
  requireDeliveryId(id);
  const row = await findDelivery(db, id, projects);
  if (!row) throw new ServiceError("DELIVERY_NOT_FOUND");
  const [body, all] = [await findBody(db, row), await listAttempts(db, row)];
  // An attempt that ended after the row was read is not shown: the record is of one moment.
  const attempts = all.filter(
    ({ cycle, attempt }) => cycle < row.cycle || (cycle === row.cycle && attempt <= row.attempt_count),
  );
  const [record] = await toRecords(db, [row]);
  return {
    ...record!,
    request: shownRequest(row, attempts.at(-1)?.started_at ?? null),
    body: shownBody(row, body),
    attempts: attempts.map(({ delivery_id: _same, home: _home, started_at, outcome, ...attempt }) => ({
      ...attempt,
      started_at: isoTime(started_at),
      outcome: outcome as "succeeded" | "failed",
    })),
  };
}

/** Starts a new cycle of attempts, from any status. @throws ServiceError DELIVERY_NOT_FOUND */
export async function redeliverOne({ db }: Ctx, caller: Caller, id: string): Promise<WebhookDelivery> {
  const projects = requireOperatorOfSome(caller);
  requireDeliveryId(id);
  const found = await locate(db, [id], projects);
  return db.write(async (tx) => {
    const [row] = await redeliver(tx, found);
    if (!row) throw new ServiceError("DELIVERY_NOT_FOUND");
    const details = { task_id: row.task_id, origin: row.origin };
    await recordSecurityEvent(tx, { type: "callback_redelivered", target: { kind: "callback", id }, details });
    const [record] = await toRecords(tx, [row]);
    return record!;
  });
}

/**
 * Redelivers many, in transactions of a bounded size. When one fails, those before it remain done.
 * @returns how many start a new cycle
 * @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED unless the deliveries are selected in exactly one way
 */
export async function redeliverMany({ db }: Ctx, caller: Caller, body: RedeliverBody): Promise<number> {
  const projects = requireOperatorOfSome(caller);
  const { ids, status, origin = null } = body;
  if (ids != null) {
    if (status != null) throw invalid("/status", "Can't be combined with `ids`.");
    if (origin != null) throw invalid("/origin", "Can't be combined with `ids`.");
    return redeliverIds(db, projects, [...new Set(ids)].filter((id) => isId("dlv", id)).toSorted());
  }
  if (status == null)
    throw new ServiceError("MALFORMED_REQUEST", {
      details: [{ path: "/status", message: "Is missing, and so is `ids`.", keyword: "required" }],
    });
  return redeliverByStatus(db, { status, origin, projects });
}

async function redeliverIds(db: Db, projects: readonly string[] | null, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (let i = 0; i < ids.length; i += REDELIVER_BATCH) {
    const batch = await locate(db, ids.slice(i, i + REDELIVER_BATCH), projects);
    count += await redeliverBatch(db, batch, { status: null, origin: null, projects });
  }
  return count;
}

async function redeliverByStatus(db: Db, only: Redelivered & { status: DeliveryStatus }): Promise<number> {
  // Rows that are created during the run are ignored, and each row is visited once.
  const until = db.now();
  let count = 0;
  let after = "";
  for (;;) {
    const page = { after, until, limit: REDELIVER_BATCH };
    const batch = await listByStatus(db, only, page);
    // A row may have left the status since it was listed.
    count += await redeliverBatch(db, batch, only);
    if (batch.length < REDELIVER_BATCH) return count;
    after = batch.at(-1)!.id;
  }
}

/** Redelivers one batch and records it, in a transaction for each shard. @returns how many */
async function redeliverBatch(db: Db, batch: readonly Located[], only: Redelivered): Promise<number> {
  const { status, origin } = only;
  const counts = await writeByShard(
    db,
    batch,
    ({ home }) => home,
    async (tx, some) => {
      const { length: count } = await redeliver(tx, some, status);
      if (count > 0)
        await recordSecurityEvent(tx, { type: "callbacks_redelivered", details: { count, status, origin } });
      return count;
    },
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Receivers of a summary. */
const RECEIVERS_MAX = 20;

/** Returns how many deliveries there are in each status, and the receivers where they fail, the most failures first. */
export async function summarizeDeliveries(
  { db }: Ctx,
  caller: Caller,
  project: string | undefined,
): Promise<DeliverySummary> {
  const projects = await projectsOf(db, caller, project);
  const { groups, isComplete } = await countDeliveries(db.heavy, projects);
  const counts: DeliverySummary["counts"] = { PENDING: 0, SUCCEEDED: 0, FAILED: 0, ABANDONED: 0 };
  const receivers = new Map<string, { origin: string; failed: number; retrying: number; newest: string }>();
  for (const { origin, status, count, newest } of groups) {
    counts[status as DeliveryStatus] += count;
    if (status !== "ABANDONED" && status !== "FAILED") continue;
    const known = receivers.get(origin) ?? { origin, failed: 0, retrying: 0, newest };
    known[status === "ABANDONED" ? "failed" : "retrying"] += count;
    if (newest > known.newest) known.newest = newest;
    receivers.set(origin, known);
  }
  const failing = [...receivers.values()]
    .toSorted((a, b) => b.failed - a.failed || b.retrying - a.retrying || (a.origin < b.origin ? -1 : 1))
    .slice(0, RECEIVERS_MAX);
  return {
    is_complete: isComplete,
    counts,
    failing: failing.map(({ newest: newest_id, ...receiver }) => ({ ...receiver, newest_id })),
  };
}

/** Shown instead of what only the receiver and the service may know. */
const MASKED = "...";

/** Returns how the latest attempt was sent, without what is secret; null for engines, whose requests have credentials. */
function shownRequest({ id, kind, task_id }: DeliveryRow, at: number | null): WholeWebhookDelivery["request"] {
  const { kind: shown } = shownAs(kind);
  if (shown === "resume") return null;
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(shown === "callback" && { "x-service-signature": MASKED, "x-service-task-id": task_id }),
      "webhook-id": id,
      "webhook-timestamp": at === null ? MASKED : String(Math.floor(at / SECOND)),
      "webhook-signature": MASKED,
    },
  };
}

/** What is encrypted in it says nothing. */
function shownBody({ kind }: DeliveryRow, body: string | null): string | null {
  if (body === null || shownAs(kind).kind !== "resume") return body;
  const { sealed: _hidden, ...shown } = JSON.parse(body) as JsonObject;
  return JSON.stringify(shown);
}

async function toRecords(reader: Reader, rows: readonly DeliveryRow[]): Promise<WebhookDelivery[]> {
  const titles = await readTitles(reader, rows);
  return rows.map((row) => toRecord(row, titles.get(row.task_id) ?? null));
}

function toRecord(row: DeliveryRow, task: string | null): WebhookDelivery {
  const { kind, engine } = shownAs(row.kind);
  const [connection, subscription] = (["con", "sub"] as const).map((prefix) =>
    isId(prefix, row.destination) ? row.destination : null,
  ) as [string | null, string | null];
  return {
    id: row.id,
    kind,
    engine,
    task_id: row.task_id,
    task,
    connection,
    subscription,
    url: connection === null && subscription === null ? row.destination : row.origin,
    status: row.status as DeliveryStatus,
    attempt_count: row.attempt_count,
    next_attempt_at: isoTime(row.next_attempt_at),
    last_attempt_at: isoTime(row.last_attempt_at),
    last_status_code: row.last_status_code,
    last_error: row.last_error,
    meaning: row.meaning,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Rejects malformed ids before any query. */
function requireDeliveryId(id: string): void {
  if (!isId("dlv", id)) throw new ServiceError("DELIVERY_NOT_FOUND");
}
