import { defaultIdentity } from "../channels/email/identities.ts";
import type { Config } from "../config.ts";
import { DEFAULT_PROJECT } from "../people/memberships.ts";
import type { Db, Reader } from "../db/database.ts";
import type { NotificationChoicesRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { HOUR } from "../lib/time.ts";
import type { Caller, Person } from "../people/caller.ts";
import { lockUser, type User } from "../people/store.ts";
import { nextAt } from "./hours.ts";
import type { Digest, NotificationChoices, NotificationChoicesRecord, SetNotificationChoices } from "./schema.ts";
import { findChoices, putChoices } from "./store.ts";

interface Ctx {
  db: Db;
  config: Config;
}

/** The hint that a person chose when they get a digest. */
export const DIGEST_HINT = "digest";

/** Until a person chooses something else. */
const DEFAULT: NotificationChoices = { quiet_hours: null, muted_projects: [], digest: "off", digest_time: "08:00" };

/** How a person wants to be told. */
export async function choicesOf(reader: Reader, user_id: string): Promise<NotificationChoices> {
  const row = await findChoices(reader, user_id);
  return row === null ? DEFAULT : toChoices(row);
}

/** @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function getChoices(ctx: Ctx, caller: Caller): Promise<NotificationChoicesRecord> {
  const person = requireSignedIn(caller);
  return { ...(await choicesOf(ctx.db, person.id)), can_email: await canEmail(ctx, person) };
}

/** Returns whether one of a person's projects has a sender for email to them. */
async function canEmail(ctx: Ctx, { email, projects, is_operator }: Person): Promise<boolean> {
  if (email === null) return false;
  const own = is_operator ? [DEFAULT_PROJECT, ...Object.keys(projects)] : Object.keys(projects);
  for (const project of own) if ((await defaultIdentity(ctx, ctx.db, project)) !== null) return true;
  return false;
}

/**
 * Changes how the caller wants to be told; what is left out stays.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; VALIDATION_FAILED
 */
export async function setChoices(
  ctx: Ctx,
  caller: Caller,
  body: SetNotificationChoices,
): Promise<NotificationChoicesRecord> {
  const person = requireSignedIn(caller);
  const { id } = person;
  if (body.quiet_hours != null && body.quiet_hours.from === body.quiet_hours.until)
    throw invalid("/quiet_hours/until", "Must differ from `from`.");
  const can_email = await canEmail(ctx, person);
  return ctx.db.write(async (tx) => {
    const user = await lockUser(tx, id);
    if (!user?.active) throw new ServiceError("UNAUTHENTICATED");
    const before = await choicesOf(tx, id);
    const { quiet_hours = before.quiet_hours, ...given } = body;
    const muted_projects = [...new Set(given.muted_projects ?? before.muted_projects)].toSorted();
    const digest = given.digest ?? before.digest;
    const digest_time = given.digest_time ?? before.digest_time;
    const choices = { quiet_hours, muted_projects, digest, digest_time };
    await putChoices(tx, toRow(user, choices, tx.now()));
    if (digest !== "off") tx.hint(DIGEST_HINT);
    return { ...choices, can_email };
  });
}

/** Returns when the next digest of a person is due, epoch milliseconds; null: never. */
export function nextDigest(
  { time_zone }: Pick<User, "time_zone">,
  { digest, digest_time }: Pick<NotificationChoices, "digest" | "digest_time">,
  now: number,
): number | null {
  if (digest === "off") return null;
  return digest === "hourly" ? now + HOUR : nextAt(digest_time, time_zone ?? "UTC", now);
}

function toRow(user: User, choices: NotificationChoices, now: number): NotificationChoicesRow {
  const { quiet_hours, muted_projects, digest, digest_time } = choices;
  return {
    user_id: user.id,
    quiet_from: quiet_hours?.from ?? null,
    quiet_until: quiet_hours?.until ?? null,
    muted_projects: JSON.stringify(muted_projects),
    digest,
    digest_time,
    digest_due_at: nextDigest(user, choices, now),
  };
}

function toChoices({ quiet_from, quiet_until, muted_projects, digest, digest_time }: NotificationChoicesRow) {
  return {
    quiet_hours: quiet_from === null || quiet_until === null ? null : { from: quiet_from, until: quiet_until },
    muted_projects: JSON.parse(muted_projects) as string[],
    digest: digest as Digest,
    digest_time,
  };
}

/** @throws ServiceError FORBIDDEN */
export function requireSignedIn(caller: Caller): Person {
  if (caller.kind !== "user")
    throw new ServiceError("FORBIDDEN", { message: "Sign in to choose how you are notified." });
  return caller.user;
}
