import type { Logger } from "pino";
import type { Db, Tx } from "../db/database.ts";
import { insertRow } from "../db/rows.ts";
import type { SecurityEventRow } from "../db/schema.ts";
import { newId } from "../lib/ids.ts";
import { emailKey, toStorableText } from "../lib/text.ts";
import type { SecurityEventType, SecurityOutcome, TargetKind } from "./catalogue.ts";
import { currentSurroundings, SERVICE, type Actor, type Surroundings } from "./request.ts";

export interface SecurityEvent {
  type: SecurityEventType;
  /** Default: success. */
  outcome?: SecurityOutcome;
  /** Why it failed: an error code or another stable word. */
  reason?: string | null;
  target?: { kind: TargetKind; id: string } | null;
  /** Small, and without secrets. */
  details?: Record<string, string | number | boolean | null | readonly string[]> | null;
  /** Default: the caller of the current request. */
  actor?: Actor;
  /** How many alike are counted in this event. Default: 1. */
  count?: number;
}

const TEXT_MAX = 254;

export const insertEvent = insertRow("security_events");

/**
 * Records an event of the current request: in the transaction that makes the change, so that neither is stored without the
 * other, or by itself where nothing is changed. By itself it never fails the request.
 */
export async function recordSecurityEvent(where: Tx | Db, event: SecurityEvent): Promise<void> {
  const around = currentSurroundings();
  if (!("write" in where)) return recordIn(where, event, around);
  await where
    .write((tx) => recordIn(tx, event, around))
    .catch((error: unknown) => around.log?.error({ err: error, event: event.type }, NOT_STORED));
}

/** Records an event of the service itself, outside of any request. */
export async function recordOfService(db: Db, log: Logger, event: SecurityEvent): Promise<void> {
  await db.write((tx) => recordIn(tx, event, { ...SERVICE, log }));
}

export const NOT_STORED = "A security event could not be stored";

async function recordIn(tx: Tx, event: SecurityEvent, around: Surroundings): Promise<void> {
  const row = rowOf(event, around, tx.now());
  await tx.run(insertEvent, row);
  const { log } = around;
  if (log !== null) tx.afterCommit(() => logEvent(log, row));
}

/** The row of an event. Whatever a caller chose is cut. */
export function rowOf(
  event: SecurityEvent,
  { actor, source }: Omit<Surroundings, "log">,
  now: number,
): SecurityEventRow {
  const { kind, id, email } = event.actor ?? actor;
  return {
    id: newId("sec", now),
    at: now,
    type: event.type,
    outcome: event.outcome ?? "success",
    reason: event.reason ?? null,
    count: event.count ?? 1,
    actor_kind: kind,
    actor_id: id,
    actor_email: email === null ? null : emailKey(cut(email)),
    address: source.address,
    user_agent: source.user_agent,
    target_kind: event.target?.kind ?? null,
    target_id: event.target == null ? null : cut(event.target.id),
    details: event.details == null ? null : JSON.stringify(event.details, (_key, value: unknown) => cutValue(value)),
    request_id: source.request_id,
  };
}

function cutValue(value: unknown): unknown {
  return typeof value === "string" ? cut(value) : value;
}

function cut(text: string): string {
  return toStorableText(text, TEXT_MAX);
}

/** An event as the API and the log show it. */
export function describeEvent(row: SecurityEventRow) {
  return {
    outcome: row.outcome as SecurityOutcome,
    reason: row.reason,
    count: row.count,
    actor: { kind: row.actor_kind, id: row.actor_id, email: row.actor_email },
    source: { address: row.address, user_agent: row.user_agent },
    target: row.target_kind === null ? null : { kind: row.target_kind, id: row.target_id! },
    details: row.details === null ? null : (JSON.parse(row.details) as Record<string, unknown>),
    request_id: row.request_id,
  };
}

/** Writes the log line of an event. Its shape is described in docs/operating.md. */
export function logEvent(log: Logger, row: SecurityEventRow): void {
  log.info({ event: row.type, event_id: row.id, ...describeEvent(row) }, "Security event");
}
