import { hash } from "node:crypto";
import type { Db, Reader, Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";
import { isoTime } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { requireOperator, type Caller, type Person, type SessionCaller } from "./caller.ts";
import { isConfirmed } from "./confirmation.ts";
import type { SessionRecord } from "./session-schema.ts";
import { endSession, endSessionsExcept, endSessionsOf, liveSessionsOf } from "./sessions.ts";
import { findUser } from "./store.ts";

/** More sessions than a person can look through; the least recently used ones are left out. */
const LISTED_MAX = 200;

/** Lists the caller's own sessions, the most recently used first. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listSessions({ db }: { db: Db }, caller: Caller): Promise<SessionRecord[]> {
  const { user, session } = requireSession(caller);
  const rows = await liveSessionsOf(db, user.id)
    .selectAll()
    .orderBy("seen_at", "desc")
    .orderBy("created_at", "desc")
    .limit(LISTED_MAX)
    .execute();
  return rows.map((row) => ({
    id: idOf(row.hash),
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.seen_at),
    address: row.address,
    user_agent: row.user_agent,
    current: row.hash === session,
    confirmed: isConfirmed(row.confirmed_at ?? row.created_at, db.now()),
  }));
}

/**
 * Ends one of the caller's own sessions.
 * @returns whether it was the session of this request
 * @throws ServiceError FORBIDDEN unless the caller is signed in; NOT_FOUND
 */
export async function endOwnSession({ db }: { db: Db }, caller: Caller, id: string): Promise<boolean> {
  const { user, session } = requireSession(caller);
  return db.write(async (tx) => {
    const rows = await liveSessionsOf(tx, user.id).select("hash").execute();
    const hash = rows.map((row) => row.hash).find((one) => idOf(one) === id);
    // It may have ended since it was read.
    if (hash === undefined || (await endSession(tx, hash)) === null)
      throw new ServiceError("NOT_FOUND", { message: "You have no session with this id." });
    await recordEnded(tx, user);
    return hash === session;
  });
}

/** Ends the caller's other sessions. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function endOtherSessions({ db }: { db: Db }, caller: Caller): Promise<void> {
  const { user, session } = requireSession(caller);
  await db.write(async (tx) => {
    if (await endSessionsExcept(tx, user.id, session)) await recordEnded(tx, user);
  });
}

/** Ends all sessions of a user, and revokes their personal tokens. @throws ServiceError FORBIDDEN, USER_NOT_FOUND */
export async function endSessionsOfUser({ db }: { db: Db }, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  const user = isId("usr", id) ? await findUser(db, id) : null;
  if (!user) throw new ServiceError("USER_NOT_FOUND");
  await db.write(async (tx) => {
    if (await endSessionsOf(tx, id)) await recordEnded(tx, user);
  });
}

async function recordEnded(tx: Tx, { id, email }: Pick<Person, "id" | "email">): Promise<void> {
  await recordSecurityEvent(tx, { type: "sessions_ended", target: { kind: "user", id }, details: { email } });
}

function requireSession(caller: Caller): SessionCaller {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to see your sessions." });
  return caller;
}

/** An id that opens nothing: neither the secret of a session nor the key of its row can be found from it. */
function idOf(sessionHash: string): string {
  return `ses_${hash("sha256", `session id ${sessionHash}`, "hex").slice(0, 32)}`;
}

/** Returns when people were last seen in one of their sessions, epoch milliseconds. A person who is signed out is not there. */
export async function lastSeenOf(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.query
    .selectFrom("sessions")
    .select(({ fn }) => ["user_id", fn.max("seen_at").as("seen_at")])
    .where("user_id", "in", ids)
    .groupBy("user_id")
    .execute();
  return new Map(rows.map(({ user_id, seen_at }) => [user_id, seen_at]));
}
