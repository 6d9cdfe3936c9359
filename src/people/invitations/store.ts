import type { Reader, Tx } from "../../db/database.ts";
import type { InvitationRow } from "../../db/schema.ts";
import { DAY } from "../../lib/time.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import type { User } from "../store.ts";
import type { InvitationKind } from "./schema.ts";

/** How long an expired link is listed, so that operators see why a person could not use it. */
const LISTED_AFTER_MS = 30 * DAY;

/** The links of these people, expired ones included. A person has one at most. */
export async function invitationsOf(reader: Reader, userIds: readonly string[]): Promise<InvitationRow[]> {
  if (userIds.length === 0) return [];
  return reader.query.selectFrom("invitations").selectAll().where("user_id", "in", userIds).execute();
}

/** Stores the link of a person. The one before it is worthless from then on. */
export async function putInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  const { user_id: _same, ...changes } = row;
  await tx.query
    .insertInto("invitations")
    .values(row)
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(changes))
    .execute();
}

/** @returns the link with this hash if it has not expired, else null */
export async function findInvitation(reader: Reader & { now(): number }, hash: string): Promise<InvitationRow | null> {
  const row = await reader.query
    .selectFrom("invitations")
    .selectAll()
    .where("hash", "=", hash)
    .where("expires_at", ">", reader.now())
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a link that has not expired. @returns its kind; null if it is gone, so that of two who use it only one succeeds */
export async function takeInvitation(tx: Tx, userId: string, hash: string): Promise<InvitationKind | null> {
  const row = await tx.query
    .deleteFrom("invitations")
    .where("user_id", "=", userId)
    .where("hash", "=", hash)
    .where("expires_at", ">", tx.now())
    .returning("kind")
    .executeTakeFirst();
  return row ? (row.kind as InvitationKind) : null;
}

/** Deletes the link of a user, and records it if it could still be used. @returns whether there was one, expired or not */
export async function revokeInvitationOf(tx: Tx, { id, email }: Pick<User, "id" | "email">): Promise<boolean> {
  const row = await tx.query.deleteFrom("invitations").where("user_id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) return false;
  if (row.expires_at > tx.now())
    await recordSecurityEvent(tx, {
      type: "user_invitation_revoked",
      target: { kind: "user", id },
      details: { email, kind: row.kind },
    });
  return true;
}

/** Deletes links that expired long ago. */
export async function tidyInvitations(tx: Tx): Promise<void> {
  await tx.query
    .deleteFrom("invitations")
    .where("expires_at", "<=", tx.now() - LISTED_AFTER_MS)
    .execute();
}
