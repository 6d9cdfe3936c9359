import { randomBytes } from "node:crypto";
import type { Config } from "../config.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import type { EventSubscriptionRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { newId } from "../lib/ids.ts";
import { standardSecret } from "../lib/standard-webhooks.ts";
import { isoTime } from "../lib/time.ts";
import { checkCallbackUrl, originOf } from "../outbound/outbound-url.ts";
import { untilSeen } from "../people/agent-memory.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectForNew, projectsOf } from "../people/projects.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { SUBSCRIPTIONS_HINT } from "./known.ts";
import type {
  CreateSubscriptionBody,
  EventType,
  ListSubscriptionsQuery,
  NewSubscriptionRecord,
  SubscriptionRecord,
  UpdateSubscriptionBody,
} from "./schema.ts";
import { findSubscription, listSubscriptionRows, openSecrets, sealSecrets } from "./store.ts";

interface Ctx {
  db: Db;
  config: Config;
}

/** Each event of the project is a delivery to each of them. A list of them has no pages. */
const SUBSCRIPTIONS_MAX = 20;
const SECRET_BYTES = 32;

/** Lists the subscriptions of the operator's projects, the oldest first. @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND */
export async function listSubscriptions(
  { db }: Pick<Ctx, "db">,
  caller: Caller,
  { project }: ListSubscriptionsQuery,
): Promise<SubscriptionRecord[]> {
  return (await listSubscriptionRows(db, await projectsOf(db, caller, project))).map(toRecord);
}

/** @throws ServiceError FORBIDDEN, SUBSCRIPTION_NOT_FOUND */
export async function readSubscription(
  { db }: Pick<Ctx, "db">,
  caller: Caller,
  id: string,
): Promise<SubscriptionRecord> {
  return toRecord(await requireSubscription(db, caller, id));
}

/**
 * Subscribes to events. What happens after the answer is sent. The secret is in this answer and nowhere else.
 * @throws ServiceError FORBIDDEN, VALIDATION_FAILED, PROJECT_ARCHIVED
 */
export async function createSubscription(
  { db, config }: Ctx,
  caller: Caller,
  { url, events, project: asked }: CreateSubscriptionBody,
): Promise<NewSubscriptionRecord> {
  requireOperatorOfSome(caller);
  requireUrl(config, url);
  const secret = newSecret();
  return untilSeen(db, async () =>
    db.write(async (tx) => {
      const project = await projectForNew(tx, caller, asked);
      await lockName(tx, "event_subscriptions");
      await requireRoom(tx, project);
      const now = tx.now();
      const id = newId("sub", now);
      const row: EventSubscriptionRow = {
        id,
        project,
        url,
        events: storedEvents(events),
        secret: sealSecrets(config, id, { current: secret, previous: null }),
        created_at: now,
        updated_at: now,
        rotated_at: null,
        disabled_at: null,
      };
      await tx.query.insertInto("event_subscriptions").values(row).execute();
      await recordSecurityEvent(tx, {
        type: "event_subscription_created",
        target: targetOf(row),
        details: detailsOf(row),
      });
      tx.hint(SUBSCRIPTIONS_HINT);
      return withSecret(row, secret);
    }),
  );
}

/** @throws ServiceError FORBIDDEN, SUBSCRIPTION_NOT_FOUND, VALIDATION_FAILED */
export async function updateSubscription(
  { db, config }: Ctx,
  caller: Caller,
  id: string,
  { url, events, disabled }: UpdateSubscriptionBody,
): Promise<SubscriptionRecord> {
  requireOperatorOfSome(caller);
  if (url != null) requireUrl(config, url);
  return untilSeen(db, async () =>
    db.write(async (tx) => {
      await lockName(tx, "event_subscriptions");
      const before = await requireSubscription(tx, caller, id);
      const now = tx.now();
      const set: Partial<EventSubscriptionRow> = {
        ...(url != null && { url }),
        ...(events != null && { events: storedEvents(events) }),
        ...(disabled != null && { disabled_at: disabled ? (before.disabled_at ?? now) : null }),
      };
      const names = Object.keys(set) as (keyof EventSubscriptionRow)[];
      const fields = names.filter((name) => set[name] !== before[name]);
      if (fields.length === 0) return toRecord(before);
      const after = { ...before, ...set, updated_at: now };
      await tx.query.updateTable("event_subscriptions").set(after).where("id", "=", id).execute();
      const details = { ...detailsOf(after), fields };
      await recordSecurityEvent(tx, { type: "event_subscription_changed", target: targetOf(after), details });
      tx.hint(SUBSCRIPTIONS_HINT);
      return toRecord(after);
    }),
  );
}

/**
 * Makes a new secret. It and the one before sign for a day, so that the receiver can change without a gap.
 * @throws ServiceError FORBIDDEN, SUBSCRIPTION_NOT_FOUND
 */
export async function rotateSecret({ db, config }: Ctx, caller: Caller, id: string): Promise<NewSubscriptionRecord> {
  requireOperatorOfSome(caller);
  const secret = newSecret();
  return db.write(async (tx) => {
    await lockName(tx, "event_subscriptions");
    const before = await requireSubscription(tx, caller, id);
    const now = tx.now();
    const previous = openSecrets(config, before)?.current ?? null;
    const after = {
      ...before,
      secret: sealSecrets(config, id, { current: secret, previous }),
      rotated_at: now,
      updated_at: now,
    };
    await tx.query.updateTable("event_subscriptions").set(after).where("id", "=", id).execute();
    await recordSecurityEvent(tx, {
      type: "event_subscription_rotated",
      target: targetOf(after),
      details: detailsOf(after),
    });
    return withSecret(after, secret);
  });
}

/** Deletes a subscription. What was not sent yet is not sent. @throws ServiceError FORBIDDEN, SUBSCRIPTION_NOT_FOUND */
export async function deleteSubscription({ db }: Pick<Ctx, "db">, caller: Caller, id: string): Promise<void> {
  requireOperatorOfSome(caller);
  await untilSeen(db, async () =>
    db.write(async (tx) => {
      await lockName(tx, "event_subscriptions");
      const row = await requireSubscription(tx, caller, id);
      await tx.query.deleteFrom("event_subscriptions").where("id", "=", id).execute();
      await recordSecurityEvent(tx, {
        type: "event_subscription_deleted",
        target: targetOf(row),
        details: detailsOf(row),
      });
      tx.hint(SUBSCRIPTIONS_HINT);
    }),
  );
}

/** @throws ServiceError FORBIDDEN, SUBSCRIPTION_NOT_FOUND, also for one of a project of others */
async function requireSubscription(reader: Reader, caller: Caller, id: string): Promise<EventSubscriptionRow> {
  const projects = requireOperatorOfSome(caller);
  const row = await findSubscription(reader, id);
  if (row === null || projects?.includes(row.project) === false) throw new ServiceError("SUBSCRIPTION_NOT_FOUND");
  return row;
}

/** @throws ServiceError VALIDATION_FAILED */
function requireUrl({ callbacks }: Config, url: string): void {
  const problem = checkCallbackUrl(url, { allowPrivate: callbacks.allowPrivate });
  if (problem !== null) throw invalid("/url", problem);
}

async function requireRoom(tx: Tx, project: string): Promise<void> {
  const { count } = await tx.query
    .selectFrom("event_subscriptions")
    .select((select) => select.fn.countAll().as("count"))
    .where("project", "=", project)
    .executeTakeFirstOrThrow();
  if (Number(count) >= SUBSCRIPTIONS_MAX)
    throw invalid("/project", `The project has ${SUBSCRIPTIONS_MAX} subscriptions, which is the maximum.`);
}

/** Each once. */
function storedEvents(events: readonly EventType[]): string {
  return JSON.stringify([...new Set(events)].toSorted());
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64");
}

function targetOf({ id }: EventSubscriptionRow) {
  return { kind: "event_subscription", id } as const;
}

function detailsOf({ project, url }: EventSubscriptionRow) {
  return { project, origin: originOf(url) };
}

function withSecret(row: EventSubscriptionRow, secret: string): NewSubscriptionRecord {
  return { ...toRecord(row), secret: standardSecret(Buffer.from(secret, "base64")) };
}

function toRecord({ secret: _hidden, events, ...row }: EventSubscriptionRow): SubscriptionRecord {
  return {
    ...row,
    events: JSON.parse(events) as EventType[],
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    rotated_at: isoTime(row.rotated_at),
    disabled_at: isoTime(row.disabled_at),
  };
}
