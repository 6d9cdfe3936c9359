import { languageFor } from "../../languages/languages.ts";
import type { Config } from "../config.ts";
import type { Db, Tx } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { emailKey } from "../lib/text.ts";
import { isTimeZone } from "../lib/time-zones.ts";
import { recordSecurityEvent, type SecurityEvent } from "../security/record.ts";
import { absenceOf } from "./absence/absence.ts";
import { toAbsenceRecord } from "./absence/schema.ts";
import { actorOfUser } from "./actor.ts";
import type { Browser } from "./browser.ts";
import type { Caller, Person } from "./caller.ts";
import { countPasswordTry, DEVICE_COOKIE, type Bucket, type Devices } from "./devices.ts";
import { revokeInvitationOf } from "./invitations/store.ts";
import { isPasswordAllowed } from "./password-sign-in.ts";
import { isLimited, requirePasswordIsEnough } from "./passkeys/requirement.ts";
import { passkeysOf } from "./passkeys/store.ts";
import { toProjectRoles } from "./memberships.ts";
import { requireGoodPassword, wrongPassword, type Passwords } from "./passwords.ts";
import { clearTries, LOGIN_BY_EMAIL, LOGIN_BY_IP, sourceOf } from "./rate-limits.ts";
import type { LoginBody, Me, UpdateMeBody } from "./schema.ts";
import { endSession, endSessionsOf, startSession, type Cookies, type SessionStart } from "./sessions.ts";
import { findUser, findUserByEmail, lockUser, updateUser, type User } from "./store.ts";

/** Where a change of the password has the old one. */
const CURRENT_PASSWORD = "/password/current";

/** The context of sign-in. */
export interface SignInContext {
  config: Config;
  db: Db;
  passwords: Passwords;
  cookies: Cookies;
  devices: Devices;
}

/** The signed-in person, and their cookies: first the session. */
export interface SignedIn {
  me: Me;
  setCookies: string[];
}

/**
 * Signs a person in. Every failure looks the same and takes the same time: the address is unknown, the password wrong or
 * not set, the person deactivated. The session that the browser had ends. (spec: Auth, login)
 *
 * @throws ServiceError INVALID_CREDENTIALS, PASSWORD_SIGN_IN_OFF, RATE_LIMITED, OVERLOADED; PASSKEY_REQUIRED if the password
 *   is right, and the person must use the passkey that they have
 */
export async function signIn(ctx: SignInContext, browser: Browser, { email, password }: LoginBody): Promise<SignedIn> {
  if (ctx.config.signIn.passwords === "off") throw new ServiceError("PASSWORD_SIGN_IN_OFF");
  const { device, counted } = await countSignIn(ctx, browser, email);
  const user = await findUserByEmail(ctx.db, email);
  const known = user?.password_hash ?? null;
  if (!(await ctx.passwords.matches(password, known)) || !user) throw new ServiceError("INVALID_CREDENTIALS");

  const rehashed = await rehash(ctx.passwords, password, known);
  const cookie = ctx.cookies.make();
  const signedIn = await ctx.db.write(async (tx) => {
    // A change made while the password was checked wins: deactivated users and changed passwords fail here.
    const now = await lockUser(tx, user.id);
    if (!now?.active || now.password_hash !== known) throw new ServiceError("INVALID_CREDENTIALS");
    // Only now, so that strangers do not learn who is an operator.
    if (!isPasswordAllowed(ctx.config.signIn, now)) throw new ServiceError("PASSWORD_SIGN_IN_OFF");
    requirePasswordIsEnough(ctx.config, now, await passkeysOf(tx, now.id));
    if (rehashed !== null) await updateUser(tx, user.id, { password_hash: rehashed });
    // A success counts for an address and for a device, because hashing takes time for everyone.
    for (const bucket of counted) if (bucket[0] === LOGIN_BY_EMAIL) await clearTries(tx, ...bucket);
    await beginSession(tx, browser, now, { hash: cookie.hash, method: "password" });
    return now;
  });
  const setCookies = [cookie.setCookie, ctx.devices.remember(device, user.id, ctx.db.now())];
  return { me: meOf(toPerson(signedIn), isLimited(ctx.config, signedIn, "password"), ctx.db.now()), setCookies };
}

interface NewSession extends SessionStart {
  /** More for the event in the security log. */
  details?: SecurityEvent["details"];
}

/** Signs a person in after they proved who they are. The session that the browser had ends. */
export async function beginSession(
  tx: Tx,
  browser: Browser,
  user: Pick<User, "id" | "email">,
  { details, ...start }: NewSession,
): Promise<void> {
  const actor = actorOfUser(user);
  const former = browser.session === null ? null : await endSession(tx, browser.session);
  if (former !== null && former !== user.id)
    await recordSecurityEvent(tx, { type: "sessions_ended", target: { kind: "user", id: former }, actor });
  await startSession(tx, user.id, browser, start);
  const { method } = start;
  await recordSecurityEvent(tx, {
    type: "sign_in",
    actor,
    ...(method !== "password" && { details: { by: method, ...details } }),
  });
}

/** Counts an attempt to sign in. The user is read first only if the browser has a device cookie. */
async function countSignIn(
  { db, devices }: SignInContext,
  { address, cookie }: Browser,
  email: string,
): Promise<{ device: string | null; counted: readonly Bucket[] }> {
  const user = cookie?.includes(DEVICE_COOKIE) ? await findUserByEmail(db, email) : null;
  const device = user && devices.recognize(cookie, user.id, db.now());
  const strangers = [
    [LOGIN_BY_IP, sourceOf(address)],
    [LOGIN_BY_EMAIL, emailKey(email)],
  ] as const;
  return { device, counted: await countPasswordTry(db, device, strangers) };
}

/** Returns a new hash if the stored one was made with other parameters than today's, else null. */
async function rehash(passwords: Passwords, password: string, stored: string | null): Promise<string | null> {
  if (stored === null || passwords.isCurrent(stored)) return null;
  // A busy service does this at a later sign-in.
  return passwords.hash(password).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === "OVERLOADED") return null;
    throw error;
  });
}

/** Ends the session of the caller, if it is one. (spec: Auth, logout) */
export async function signOut({ db }: { db: Db }, caller: Caller | null): Promise<void> {
  if (caller?.kind !== "user") return;
  await db.write(async (tx) => {
    await endSession(tx, caller.session);
    await recordSecurityEvent(tx, { type: "sign_out" });
  });
}

/**
 * Renews the device cookie of a signed-in person while the secret key is rotated. So a browser that is used during a rotation
 * stays known after it. @returns the header value, or null if there is nothing to renew
 */
export function renewDevice(
  { db, devices }: Pick<SignInContext, "db" | "devices">,
  caller: Caller | null,
  cookie: string | undefined,
): string | null {
  return caller?.kind === "user" ? devices.renew(cookie, caller.user.id, db.now()) : null;
}

/** The current user; an anonymous caller gets an empty result, not an error. @param now - epoch milliseconds (spec: Auth, me) */
export function readMe(caller: Caller | null, now: number): Me {
  switch (caller?.kind) {
    case "user":
      return meOf(caller.user, caller.isLimited, now);
    case "admin":
      return { ...ANONYMOUS, authenticated: true, is_operator: true };
    case "agent":
      return { ...ANONYMOUS, authenticated: true, display_name: caller.name };
    // Other routes accept these credentials. This one does not.
    case "service_key":
    case "recipient":
    case "personal_token":
    case undefined:
      return ANONYMOUS;
  }
}

/**
 * Changes a person's own profile. A new password ends every session, and this browser gets a new one.
 *
 * @returns `setCookie`: null if the session stays
 * @throws ServiceError FORBIDDEN unless the caller is signed in; VALIDATION_FAILED, RATE_LIMITED, OVERLOADED
 */
export async function changeMe(
  ctx: SignInContext,
  caller: Caller,
  browser: Browser,
  { display_name, time_zone, language, password }: UpdateMeBody,
): Promise<{ me: Me; setCookie: string | null }> {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to change your profile." });
  if (time_zone != null && !isTimeZone(time_zone)) throw invalid("/time_zone", "Must be the IANA name of a time zone.");
  const { id } = caller.user;
  const change = password == null ? null : await checkPasswordChange(ctx, id, browser, password);
  const cookie = change && ctx.cookies.make();
  const after = await ctx.db.write(async (tx) => {
    const user = await lockUser(tx, id);
    if (!user?.active) throw new ServiceError("UNAUTHENTICATED");
    const set = {
      ...(display_name !== undefined && { display_name }),
      ...(time_zone !== undefined && { time_zone }),
      ...(language !== undefined && { language }),
      ...(change && { password_hash: change.fresh }),
    };
    await updateUser(tx, id, { ...set, updated_at: tx.now() });
    if (change && cookie) {
      // It was changed elsewhere while this request checked it.
      if (user.password_hash !== change.known) throw wrongPassword(CURRENT_PASSWORD);
      await endSessionsOf(tx, id);
      await revokeInvitationOf(tx, user);
      await startSession(tx, id, browser, { hash: cookie.hash, method: caller.method });
      await recordSecurityEvent(tx, { type: "password_changed", target: { kind: "user", id } });
    }
    return { ...user, ...set };
  });
  return { me: meOf(toPerson(after), caller.isLimited, ctx.db.now()), setCookie: cookie?.setCookie ?? null };
}

/** A session that was left open must not be enough to guess the password by. */
async function checkPasswordChange(
  { db, passwords, devices }: SignInContext,
  id: string,
  browser: Browser,
  password: { current: string; new: string },
): Promise<{ known: string | null; fresh: string }> {
  const user = await findUser(db, id);
  if (!user) throw new ServiceError("UNAUTHENTICATED");
  requireGoodPassword(password.new, "/password/new", user.email);
  const device = devices.recognize(browser.cookie, id, db.now());
  await countPasswordTry(db, device, [[LOGIN_BY_EMAIL, emailKey(user.email ?? id)]]);
  if (!(await passwords.matches(password.current, user.password_hash))) throw wrongPassword(CURRENT_PASSWORD);
  return { known: user.password_hash, fresh: await passwords.hash(password.new) };
}

const ANONYMOUS: Me = {
  authenticated: false,
  user_id: null,
  email: null,
  display_name: null,
  is_operator: false,
  projects: [],
  time_zone: null,
  language: null,
  absence: null,
};

/** @param isLimited - of their session @param now - epoch milliseconds */
export function meOf(person: Person, isLimited: boolean, now: number): Me {
  const { id, email, display_name, is_operator, time_zone, language } = person;
  const projects = toProjectRoles(person.projects);
  const absence = toAbsenceRecord(person.absence, now);
  const known = { user_id: id, email, display_name, is_operator, projects, time_zone, language, absence };
  const me = { authenticated: true, ...known };
  return isLimited ? { ...me, passkey_required: true } : me;
}

export function toPerson(user: User): Person {
  const { id, email, display_name, is_operator, time_zone, projects } = user;
  const language = languageFor([user.language]);
  return { id, email, display_name, is_operator, time_zone, language, projects, absence: absenceOf(user) };
}
