import type { Config } from "../config.ts";
import type { Reader } from "../db/database.ts";
import type { EventSubscriptionRow } from "../db/schema.ts";
import { sealFor, unsealFrom } from "../db/sealed.ts";
import { isId } from "../lib/ids.ts";
import { DAY } from "../lib/time.ts";

type Keys = Pick<Config, "secretKey" | "previous">;

/** The secrets of a subscription, as Base64. */
export interface Secrets {
  current: string;
  /** What was current before the last rotation; null: there was none. */
  previous: string | null;
}

/** How long the secret before signs beside a new one. */
const OVERLAP_MS = DAY;

export function sealSecrets(keys: Keys, id: string, secrets: Secrets): string {
  return sealFor(keys, "event_subscriptions", id, JSON.stringify(secrets));
}

/** @returns null: they cannot be opened with the secret key of this service */
export function openSecrets(keys: Keys, { id, secret }: Pick<EventSubscriptionRow, "id" | "secret">): Secrets | null {
  const text = unsealFrom(keys, "event_subscriptions", id, secret);
  return text === null ? null : (JSON.parse(text) as Secrets);
}

/** Returns the keys that sign at a time, in epoch milliseconds: the current one first. */
export function signingKeys(
  { current, previous }: Secrets,
  { rotated_at }: Pick<EventSubscriptionRow, "rotated_at">,
  now: number,
): Buffer[] {
  const isOverlapping = previous !== null && rotated_at !== null && now < rotated_at + OVERLAP_MS;
  return [current, ...(isOverlapping ? [previous] : [])].map((text) => Buffer.from(text, "base64"));
}

/** Rejects malformed ids before any query. */
export async function findSubscription(reader: Reader, id: string): Promise<EventSubscriptionRow | null> {
  if (!isId("sub", id)) return null;
  const select = reader.query.selectFrom("event_subscriptions").selectAll().where("id", "=", id);
  return (await select.executeTakeFirst()) ?? null;
}

/** Lists subscriptions, the oldest first. @param projects - null: of all */
export async function listSubscriptionRows(
  reader: Reader,
  projects: readonly string[] | null,
): Promise<EventSubscriptionRow[]> {
  return reader.query
    .selectFrom("event_subscriptions")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .orderBy("id")
    .execute();
}
