import type { Reader, Tx } from "../../db/database.ts";
import type { PersonalTokenRow } from "../../db/schema.ts";
import { DAY } from "../../lib/time.ts";
import { recordSecurityEvent } from "../../security/record.ts";

/** How long an expired token is listed, so that its person sees why their assistant stopped. */
const LISTED_AFTER_MS = 30 * DAY;

/** The tokens of a user, the oldest first, expired ones included. */
export async function personalTokensOf(reader: Reader, userId: string): Promise<PersonalTokenRow[]> {
  return reader.query.selectFrom("personal_tokens").selectAll().where("user_id", "=", userId).orderBy("id").execute();
}

export async function insertPersonalToken(tx: Tx, row: PersonalTokenRow): Promise<void> {
  await tx.query.insertInto("personal_tokens").values(row).execute();
}

/** Deletes a token of a user. @returns the token; null: the user has none with this id */
export async function deletePersonalToken(tx: Tx, userId: string, id: string): Promise<PersonalTokenRow | null> {
  const row = await tx.query
    .deleteFrom("personal_tokens")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes all tokens of a user, and records it if there were any. @returns whether there were any */
export async function revokePersonalTokensOf(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.query
    .deleteFrom("personal_tokens")
    .where("user_id", "=", userId)
    .returning(["name", "prefix"])
    .execute();
  if (rows.length === 0) return false;
  await recordSecurityEvent(tx, {
    type: "personal_tokens_revoked",
    target: { kind: "user", id: userId },
    details: { tokens: rows.map(({ name, prefix }) => `${name} (${prefix})`) },
  });
  return true;
}

/** Deletes tokens that expired long ago. */
export async function tidyPersonalTokens(tx: Tx): Promise<void> {
  await tx.query
    .deleteFrom("personal_tokens")
    .where("expires_at", "<=", tx.now() - LISTED_AFTER_MS)
    .execute();
}
