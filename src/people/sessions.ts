import { createHmac, hash, randomBytes } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import { languageFor } from "../../languages/languages.ts";
import type { Config } from "../config.ts";
import type { Logger } from "pino";
import { readStatement, writeStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import type { UserRow } from "../db/schema.ts";
import { startHourly } from "../lib/hourly.ts";
import { isOneOfSecrets, keyringOf } from "../lib/keys.ts";
import { toStorableText } from "../lib/text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/time.ts";
import { absenceOf, type AbsenceColumns } from "./absence/absence.ts";
import type { Person } from "./caller.ts";
import { tidyInvitations } from "./invitations/store.ts";
import { joinDefault, membershipsOfUser } from "./membership-store.ts";
import { membershipsIn } from "./memberships.ts";
import { tidySignIns } from "./oidc/links.ts";
import { tidyChallenges } from "./passkeys/challenge.ts";
import { revokePersonalTokensOf, tidyPersonalTokens } from "./personal-tokens/store.ts";
import { tidyWindows } from "./rate-limits.ts";

export const COOKIE_NAME = "service_session";
/** A session ends this long after it began, used or not. */
const LIFE_MS = 7 * DAY;
/** And this long after it was last used. */
const IDLE_MS = 24 * HOUR;
/** Using a session is written down this often at most. */
const SEEN_EVERY_MS = 10 * MINUTE;
const SECRET_BYTES = 32;

/** Creates and reads session cookies. (spec: Authentication, session cookie) */
export interface Cookies {
  /** Returns a new secret, as a cookie and as the hash that the database stores. */
  make(): { setCookie: string; hash: string };
  /** Returns the hash of the secret in a cookie, or null if the cookie is invalid. */
  open(value: string): string | null;
  /** The header value that deletes the cookie. */
  readonly forget: string;
}

/**
 * A cookie holds a random secret and its signature. Forged cookies are rejected without a query, and a copy of the database
 * does not help an attacker sign in.
 */
export function createCookies(config: Pick<Config, "secretKey" | "previous" | "publicUrl">): Cookies {
  const { current, accepted } = keyringOf(config, "session");
  const secure = config.publicUrl.startsWith("https:");
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
  const sign = (key: Uint8Array, secret: string) => createHmac("sha256", key).update(secret).digest("base64url");

  return {
    make: () => {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const value = `${secret}.${sign(current, secret)}`;
      const setCookie = stringifySetCookie({ name: COOKIE_NAME, value, ...attributes, maxAge: LIFE_MS / SECOND });
      return { setCookie, hash: hashOf(secret) };
    },
    open: (value) => {
      const [secret = "", signature = "", ...more] = value.split(".");
      const expected = accepted.map((key) => sign(key, secret));
      return more.length === 0 && isOneOfSecrets(signature, expected) ? hashOf(secret) : null;
    },
    forget: stringifySetCookie({ name: COOKIE_NAME, value: "", ...attributes, maxAge: 0 }),
  };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** The value of our cookie in a request's header, or null. */
export function readCookie(header: string, name: string = COOKIE_NAME): string | null {
  return parseCookie(header)[name] ?? null;
}

/** Where a session is started, so that its person recognizes it in the list of their sessions. */
export interface SessionSource {
  /** The network address of the caller. */
  address: string;
  userAgent: string | null;
}

/** The ways to prove who one is: to sign in, and to confirm a change. In the order in which pages offer them. */
export const SIGN_IN_METHODS = ["passkey", "password", "oidc"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

const ADDRESS_MAX = 64;
const USER_AGENT_MAX = 300;

/** What began a session. */
export interface SessionStart {
  /** The hash of its secret. */
  hash: string;
  method: SignInMethod;
  /** When the person proved who they are, epoch milliseconds. Default: now. */
  confirmedAt?: number;
}

/** Begins a session; every sign-in has one of its own. */
export async function startSession(
  tx: Tx,
  userId: string,
  source: SessionSource,
  { hash: sessionHash, method, confirmedAt }: SessionStart,
): Promise<void> {
  const now = tx.now();
  await tx.query
    .insertInto("sessions")
    .values({
      hash: sessionHash,
      user_id: userId,
      created_at: now,
      seen_at: now,
      address: toStorableText(source.address, ADDRESS_MAX),
      user_agent: source.userAgent ? toStorableText(source.userAgent, USER_AGENT_MAX) : null,
      confirmed_at: confirmedAt ?? now,
      signed_in_with: method,
    })
    .execute();
}

type SessionUser = Pick<UserRow, "id" | "email" | "display_name" | "is_operator" | "time_zone" | "language"> &
  AbsenceColumns;

const selectSession = readStatement<
  { hash: string; born_after: number; seen_after: number },
  SessionUser & {
    memberships: string | null;
    seen_at: number;
    created_at: number;
    confirmed_at: number | null;
    signed_in_with: string | null;
  }
>((query, param) =>
  query
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select([
      "users.id",
      "users.email",
      "users.display_name",
      "users.is_operator",
      "users.time_zone",
      "users.language",
      "users.absent_from",
      "users.absent_until",
      "users.delegate_user_id",
      membershipsOfUser().as("memberships"),
      "sessions.seen_at",
      "sessions.created_at",
      "sessions.confirmed_at",
      "sessions.signed_in_with",
    ])
    .where("sessions.hash", "=", param("hash"))
    .where("sessions.created_at", ">", param("born_after"))
    .where("sessions.seen_at", ">", param("seen_after"))
    .where("users.active", "=", 1),
);

const updateSeen = writeStatement<{ hash: string; seen_at: number }>((query, param) =>
  query
    .updateTable("sessions")
    .set({ seen_at: param("seen_at") })
    .where("hash", "=", param("hash")),
);

/** A session that has not ended. */
export interface LiveSession {
  user: Person;
  /** When the person last proved who they are in this session, epoch milliseconds. */
  confirmedAt: number;
  /** How they proved it. */
  method: SignInMethod;
}

/**
 * Returns the session, or null. Every request queries the database, so that an ended session stops at once on
 * every replica.
 */
export async function findSession(db: Db, sessionHash: string): Promise<LiveSession | null> {
  const now = db.now();
  const [row] = await db.run(selectSession, {
    hash: sessionHash,
    born_after: now - LIFE_MS,
    seen_after: now - IDLE_MS,
  });
  if (!row) return null;
  // If this write fails, the only effect is that the person may have to sign in a little earlier.
  if (now - row.seen_at >= SEEN_EVERY_MS)
    await db.writeOne(updateSeen, { hash: sessionHash, seen_at: now }).catch(() => {});
  const { id, email, display_name, is_operator, time_zone, memberships } = row;
  const user = {
    id,
    email,
    display_name,
    is_operator: is_operator === 1,
    time_zone,
    language: languageFor([row.language]),
    projects: membershipsIn(memberships),
    absence: absenceOf(row),
  };
  const method = (row.signed_in_with ?? "password") as SignInMethod;
  return { user, confirmedAt: row.confirmed_at ?? row.created_at, method };
}

/** The sessions of a user that have not ended. */
export function liveSessionsOf(reader: Reader & { now(): number }, userId: string) {
  const now = reader.now();
  return reader.query
    .selectFrom("sessions")
    .where("user_id", "=", userId)
    .where("created_at", ">", now - LIFE_MS)
    .where("seen_at", ">", now - IDLE_MS);
}

/**
 * Ends one session, at once and everywhere, open polls and streams included. The user's other sessions go on.
 * @returns whose it was; null if it had ended before
 */
export async function endSession(tx: Tx, sessionHash: string): Promise<string | null> {
  const ended = await tx.query
    .deleteFrom("sessions")
    .where("hash", "=", sessionHash)
    .returning("user_id")
    .executeTakeFirst();
  if (ended) tx.hint(signedOutHint(ended.user_id));
  return ended?.user_id ?? null;
}

/**
 * Gives a session a new secret after its person proved who they are, so that a stolen copy of the old cookie gains nothing.
 * @param method - how they did. A password takes nothing from a session that something stronger began.
 * @returns false if the session has ended
 */
export async function renewSession(
  tx: Tx,
  sessionHash: string,
  newHash: string,
  method: SignInMethod,
): Promise<boolean> {
  const now = tx.now();
  const renewed = await tx.query
    .updateTable("sessions")
    .set({
      hash: newHash,
      seen_at: now,
      confirmed_at: now,
      ...(method !== "password" && { signed_in_with: method }),
    })
    .where("hash", "=", sessionHash)
    .returning("user_id")
    .executeTakeFirst();
  if (!renewed) return false;
  tx.hint(signedOutHint(renewed.user_id));
  // An installation in Slack that was begun in this session goes on in it.
  await tx.query
    .updateTable("slack_installs_begun")
    .set({ session: newHash })
    .where("session", "=", sessionHash)
    .execute();
  return true;
}

/**
 * Ends every session of a user, at once and everywhere, open polls and streams included, and revokes their personal tokens.
 * @returns whether there were any sessions
 */
export async function endSessionsOf(tx: Tx, userId: string): Promise<boolean> {
  await revokePersonalTokensOf(tx, userId);
  return endSessionsExcept(tx, userId, null);
}

/**
 * Ends the sessions of a user, except one. Their personal tokens stay.
 * @param except - the hash of a session that goes on
 * @returns whether there were any
 */
export async function endSessionsExcept(tx: Tx, userId: string, except: string | null): Promise<boolean> {
  const ended = await tx.query
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(except !== null, (query) => query.where("hash", "!=", except))
    .returning("hash")
    .execute();
  if (ended.length > 0) tx.hint(signedOutHint(userId));
  return ended.length > 0;
}

/** The hint that sessions of a user ended. Open polls and streams of this user then check their session. */
export function signedOutHint(userId: string): string {
  return `signed_out:${userId}`;
}

/** Deletes expired sessions, personal tokens, links, rate-limit windows, states of completed sign-ins and used challenges. */
export async function tidyPeople({ db }: { db: Db }): Promise<void> {
  await db.write(async (tx) => {
    const now = tx.now();
    await tx.query
      .deleteFrom("sessions")
      .where((where) => where.or([where("created_at", "<=", now - LIFE_MS), where("seen_at", "<=", now - IDLE_MS)]))
      .execute();
    await joinDefault(tx);
    await tidyWindows(tx);
    await tidySignIns(tx);
    await tidyPersonalTokens(tx);
    await tidyInvitations(tx);
    await tidyChallenges(tx);
  });
}

/** Tidies every hour until it is stopped. */
export function startTidying(ctx: { db: Db; log: Logger }): { stop(): Promise<void> } {
  return startHourly(ctx, {
    run: async () => tidyPeople(ctx),
    onError: "Removing ended sessions failed; trying again in an hour",
  });
}
