import { readStatement, writeStatement, type Db } from "../../db/database.ts";
import type { PersonalTokenRow } from "../../db/schema.ts";
import { hashOfToken } from "../../lib/tokens.ts";
import { MINUTE } from "../../lib/time.ts";
import type { PersonalTokenCaller } from "../caller.ts";
import { toPerson } from "../sign-in.ts";
import { findUser } from "../store.ts";
import { PERSONAL_TOKEN } from "./token.ts";

/** How often the use of a token is written down, at most. */
const USED_EVERY_MS = 1 * MINUTE;
const selectToken = readStatement<{ hash: string; now: number }, PersonalTokenRow>((query, param) =>
  query
    .selectFrom("personal_tokens")
    .selectAll()
    .where("hash", "=", param("hash"))
    .where("expires_at", ">", param("now")),
);

const selectTokenById = readStatement<{ id: string; now: number }, PersonalTokenRow>((query, param) =>
  query.selectFrom("personal_tokens").selectAll().where("id", "=", param("id")).where("expires_at", ">", param("now")),
);

const updateUsed = writeStatement<{ id: string; last_used_at: number }>((query, param) =>
  query
    .updateTable("personal_tokens")
    .set({ last_used_at: param("last_used_at") })
    .where("id", "=", param("id")),
);

/**
 * Returns the caller that a personal token belongs to, and null if it is unknown, expired or of a deactivated person. The
 * database is asked each time, so that a revoked token stops at once on every replica.
 */
export async function callerWithPersonalToken(db: Db, token: string): Promise<PersonalTokenCaller | null> {
  if (!PERSONAL_TOKEN.isOne(token)) return null;
  const now = db.now();
  const [row] = await db.run(selectToken, { hash: hashOfToken(token), now });
  const caller = await callerOfRow(db, row);
  // If this cannot be written, the token is good all the same.
  if (caller !== null && now - (row!.last_used_at ?? 0) >= USED_EVERY_MS)
    await db.writeOne(updateUsed, { id: row!.id, last_used_at: now }).catch(() => {});
  return caller;
}

/** Finds the caller of a token again. null: it was revoked, has expired, or its person was deactivated. */
export async function refreshPersonalToken(db: Db, token_id: string): Promise<PersonalTokenCaller | null> {
  const [row] = await db.run(selectTokenById, { id: token_id, now: db.now() });
  return callerOfRow(db, row);
}

async function callerOfRow(db: Db, row: PersonalTokenRow | undefined): Promise<PersonalTokenCaller | null> {
  const user = row === undefined ? null : await findUser(db, row.user_id);
  if (!user?.active) return null;
  return { kind: "personal_token", person: toPerson(user), token_id: row!.id };
}
