import type { Db } from "../../db/database.ts";
import type { PersonalTokenRow } from "../../db/schema.ts";
import { ServiceError } from "../../errors.ts";
import { isId, newId } from "../../lib/ids.ts";
import { DAY, isoTime } from "../../lib/time.ts";
import { hashOfToken } from "../../lib/tokens.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { requireOperator, type Caller, type Person } from "../caller.ts";
import { findUser, lockUser } from "../store.ts";
import {
  daysOf,
  type CreatePersonalTokenBody,
  type NewPersonalTokenRecord,
  type PersonalTokenRecord,
} from "./schema.ts";
import { deletePersonalToken, insertPersonalToken, personalTokensOf, revokePersonalTokensOf } from "./store.ts";
import { PERSONAL_TOKEN } from "./token.ts";

interface Ctx {
  db: Db;
}

/** Live tokens of one person: more than anybody has assistants. */
const LIVE_TOKENS_MAX = 10;

/** Lists the caller's own tokens, the oldest first. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listPersonalTokens({ db }: Ctx, caller: Caller): Promise<PersonalTokenRecord[]> {
  return (await personalTokensOf(db, requireSignedIn(caller).id)).map(toRecord);
}

/** Lists the tokens of a user, for operators. @throws ServiceError FORBIDDEN, USER_NOT_FOUND */
export async function listPersonalTokensOf({ db }: Ctx, caller: Caller, id: string): Promise<PersonalTokenRecord[]> {
  requireOperator(caller);
  if (!isId("usr", id) || !(await findUser(db, id))) throw new ServiceError("USER_NOT_FOUND");
  return (await personalTokensOf(db, id)).map(toRecord);
}

/**
 * Creates a token for the caller. It is in this answer and nowhere else: only its hash is stored.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; PERSONAL_TOKEN_LIMIT
 */
export async function createPersonalToken(
  { db }: Ctx,
  caller: Caller,
  body: CreatePersonalTokenBody,
): Promise<NewPersonalTokenRecord> {
  const { id: user_id } = requireSignedIn(caller);
  const token = PERSONAL_TOKEN.create();
  return db.write(async (tx) => {
    const now = tx.now();
    const user = await lockUser(tx, user_id);
    if (!user?.active) throw new ServiceError("UNAUTHENTICATED");
    const live = (await personalTokensOf(tx, user_id)).filter(({ expires_at }) => expires_at > now);
    if (live.length >= LIVE_TOKENS_MAX) throw new ServiceError("PERSONAL_TOKEN_LIMIT");
    const row: PersonalTokenRow = {
      id: newId("ptk", now),
      user_id,
      name: body.name,
      prefix: PERSONAL_TOKEN.prefixOf(token),
      hash: hashOfToken(token),
      created_at: now,
      expires_at: now + daysOf(body) * DAY,
      last_used_at: null,
    };
    await insertPersonalToken(tx, row);
    await recordSecurityEvent(tx, {
      type: "personal_token_created",
      target: { kind: "user", id: user_id },
      details: { email: user.email, ...namesOf(row), expires_at: isoTime(row.expires_at) },
    });
    return { ...toRecord(row), token };
  });
}

/**
 * Revokes one of the caller's own tokens. Its next call is refused.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; NOT_FOUND
 */
export async function revokePersonalToken({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  const user = requireSignedIn(caller);
  await db.write(async (tx) => {
    const row = isId("ptk", id) ? await deletePersonalToken(tx, user.id, id) : null;
    if (row === null) throw new ServiceError("NOT_FOUND", { message: "You have no personal token with this id." });
    await recordSecurityEvent(tx, {
      type: "personal_token_revoked",
      target: { kind: "user", id: user.id },
      details: { email: user.email, ...namesOf(row) },
    });
  });
}

/** Revokes all tokens of a user, for operators. @throws ServiceError FORBIDDEN, USER_NOT_FOUND */
export async function revokeAllOf({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  await db.write(async (tx) => {
    if (!isId("usr", id) || !(await lockUser(tx, id))) throw new ServiceError("USER_NOT_FOUND");
    await revokePersonalTokensOf(tx, id);
  });
}

function requireSignedIn(caller: Caller): Person {
  if (caller.kind !== "user")
    throw new ServiceError("FORBIDDEN", { message: "Sign in to manage your personal tokens." });
  return caller.user;
}

function namesOf({ id, name, prefix }: PersonalTokenRow) {
  return { token_id: id, name, prefix };
}

function toRecord({ id, name, prefix, created_at, expires_at, last_used_at }: PersonalTokenRow): PersonalTokenRecord {
  return {
    id,
    name,
    prefix,
    created_at: isoTime(created_at),
    expires_at: isoTime(expires_at),
    last_used_at: isoTime(last_used_at),
  };
}
