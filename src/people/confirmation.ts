import type { Tx } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { emailKey } from "../lib/text.ts";
import { MINUTE } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Browser } from "./browser.ts";
import type { Caller, SessionCaller } from "./caller.ts";
import { countPasswordTry } from "./devices.ts";
import { isLinked } from "./oidc/links.ts";
import { isLimited, isPasswordEnough, requirePasswordIsEnough, usableOf } from "./passkeys/requirement.ts";
import type { PasskeyAnswer, PasskeyRequestOptions } from "./passkeys/schema.ts";
import { findPasskey, passkeysOf } from "./passkeys/store.ts";
import { checkAnswer, noteUse, requestOptions } from "./passkeys/use.ts";
import { isPasswordAllowed } from "./password-sign-in.ts";
import { wrongPassword } from "./passwords.ts";
import { countTry, LOGIN_BY_EMAIL, PASSKEY_BY_SESSION } from "./rate-limits.ts";
import type { ConfirmBody } from "./session-schema.ts";
import { renewSession, SIGN_IN_METHODS, type SignInMethod } from "./sessions.ts";
import { meOf, type SignedIn, type SignInContext } from "./sign-in.ts";
import { findUser, lockUser, type User } from "./store.ts";

/*
 * A session that was left open must not be enough to change who has access. Routes that do so declare `needsConfirmation`:
 * the person must have proved who they are a short time ago. Tokens are not asked, because there is nobody to ask.
 *
 * Each way to prove it makes a `Proof`, and `confirmSession` does the rest: passkeys and passwords here, the account at the
 * sign-in provider in oidc/sign-in.ts. A new way is a `SignInMethod`, and `listConfirmationWays` says who has it.
 */

/** How long a proof counts. */
const FRESH_MS = 10 * MINUTE;

/** Returns whether a proof of the time `confirmedAt` still counts. Both are epoch milliseconds. */
export function isConfirmed(confirmedAt: number, now: number): boolean {
  return now - confirmedAt < FRESH_MS;
}

/**
 * @param now - epoch milliseconds
 * @throws ServiceError CONFIRMATION_REQUIRED
 */
export function requireConfirmed(caller: Caller, now: number): void {
  if (caller.kind === "user" && !isConfirmed(caller.confirmedAt, now)) throw new ServiceError("CONFIRMATION_REQUIRED");
}

/** A proof that was checked: the person themselves uses their session. */
interface Proof {
  method: SignInMethod;
  /** Checks again and notes the proof, while the row of the person is held. @returns why it no longer counts, or null */
  settle: (tx: Tx, user: User) => Promise<ServiceError | null>;
}

/**
 * Confirms a session. It gets a new cookie, and the old one ends.
 *
 * @param newHash - of the new cookie
 * @returns why the proof no longer counts, or null. The error must be thrown after the commit, so that what was noted stays.
 * @throws ServiceError UNAUTHENTICATED if the person was deactivated or the session has ended
 */
export async function confirmSession(
  tx: Tx,
  { user: { id }, session }: SessionCaller,
  newHash: string,
  { method, settle }: Proof,
): Promise<ServiceError | null> {
  const now = await lockUser(tx, id);
  if (!now?.active) throw new ServiceError("UNAUTHENTICATED");
  const problem = await settle(tx, now);
  if (problem !== null) return problem;
  if (!(await renewSession(tx, session, newHash, method))) throw new ServiceError("UNAUTHENTICATED");
  await recordSecurityEvent(tx, {
    type: method === "password" ? "password_confirmed" : "identity_confirmed",
    target: { kind: "user", id },
    details: { email: now.email, ...(method !== "password" && { by: method }) },
  });
  return null;
}

/** Returns how the caller can prove who they are. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listConfirmationWays(
  { config, db }: Pick<SignInContext, "config" | "db">,
  caller: Caller,
): Promise<SignInMethod[]> {
  const user = await findUser(db, requirePerson(caller).user.id);
  if (!user) throw new ServiceError("UNAUTHENTICATED");
  const passkeys = await passkeysOf(db, user.id);
  const has: Record<SignInMethod, boolean> = {
    passkey: usableOf(config, passkeys).length > 0,
    password:
      user.password_hash !== null && isPasswordAllowed(config.signIn, user) && isPasswordEnough(config, user, passkeys),
    oidc: await isLinked(db, config.signIn, user.id),
  };
  return SIGN_IN_METHODS.filter((method) => has[method]);
}

/**
 * Returns the options with which a browser asks for one of the caller's passkeys. null in it: the caller has none that works.
 * @throws ServiceError FORBIDDEN unless the caller is signed in
 */
export async function confirmOptions(ctx: SignInContext, caller: Caller): Promise<PasskeyRequestOptions> {
  const { user, session } = requirePerson(caller);
  const passkeys = usableOf(ctx.config, await passkeysOf(ctx.db, user.id));
  const use = { purpose: "confirm", holder: session } as const;
  return { public_key: passkeys.length > 0 ? requestOptions(ctx, use, passkeys) : null };
}

/**
 * Confirms a session with the password or a passkey.
 *
 * @throws ServiceError FORBIDDEN unless the caller is signed in; UNAUTHENTICATED, PASSWORD_SIGN_IN_OFF, PASSKEY_REQUIRED,
 *   VALIDATION_FAILED, RATE_LIMITED, OVERLOADED, and the errors of `checkAnswer`
 */
export async function confirm(
  ctx: SignInContext,
  caller: Caller,
  browser: Browser,
  { password, credential }: ConfirmBody,
): Promise<SignedIn> {
  const person = requirePerson(caller);
  if ((password === undefined) === (credential === undefined))
    throw invalid("/password", "Send either your password or the answer of a passkey as `credential`.");
  const proof =
    credential === undefined
      ? await provePassword(ctx, person, browser, password!)
      : await provePasskey(ctx, person, credential);
  const cookie = ctx.cookies.make();
  const problem = await ctx.db.write((tx) => confirmSession(tx, person, cookie.hash, proof));
  if (problem !== null) throw problem;
  const { user } = person;
  const device = ctx.devices.recognize(browser.cookie, user.id, ctx.db.now());
  const setCookies = [cookie.setCookie, ctx.devices.remember(device, user.id, ctx.db.now())];
  const method = proof.method === "password" ? person.method : proof.method;
  return { me: meOf(user, isLimited(ctx.config, user, method), ctx.db.now()), setCookies };
}

/** @throws ServiceError PASSWORD_SIGN_IN_OFF, PASSKEY_REQUIRED, VALIDATION_FAILED, RATE_LIMITED, OVERLOADED */
async function provePassword(
  { config, db, passwords, devices }: SignInContext,
  { user: { id } }: SessionCaller,
  browser: Browser,
  password: string,
): Promise<Proof> {
  const user = await findUser(db, id);
  if (!user) throw new ServiceError("UNAUTHENTICATED");
  if (!isPasswordAllowed(config.signIn, user)) throw new ServiceError("PASSWORD_SIGN_IN_OFF");
  requirePasswordIsEnough(config, user, await passkeysOf(db, id));
  const device = devices.recognize(browser.cookie, id, db.now());
  await countPasswordTry(db, device, [[LOGIN_BY_EMAIL, emailKey(user.email ?? id)]]);
  if (!(await passwords.matches(password, user.password_hash))) throw wrongPassword("/password");
  return {
    method: "password",
    // It may have been changed elsewhere while it was checked.
    settle: async (_tx, now) => (now.password_hash === user.password_hash ? null : new ServiceError("UNAUTHENTICATED")),
  };
}

/** @throws ServiceError RATE_LIMITED, and the errors of `checkAnswer` */
async function provePasskey(
  ctx: SignInContext,
  { user: { id }, session }: SessionCaller,
  answer: PasskeyAnswer,
): Promise<Proof> {
  await countTry(ctx.db, [[PASSKEY_BY_SESSION, session]]);
  const found = await findPasskey(ctx.db, answer.id);
  const own = found?.user_id === id ? found : null;
  const { passkey, counter } = await checkAnswer(ctx, { purpose: "confirm", holder: session }, answer, own);
  return {
    method: "passkey",
    settle: async (tx, now) =>
      (await noteUse(tx, now, passkey, counter)) ? null : new ServiceError("PASSKEY_NOT_ACCEPTED"),
  };
}

function requirePerson(caller: Caller): SessionCaller {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to confirm that it's you." });
  return caller;
}
