import type { Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { emailKey } from "../lib/text.ts";
import { MINUTE } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Browser } from "./browser.ts";
import type { Caller, SessionCaller } from "./caller.ts";
import { countPasswordTry } from "./devices.ts";
import { wrongPassword } from "./passwords.ts";
import { LOGIN_BY_EMAIL } from "./rate-limits.ts";
import { issuerKey, listLinks } from "./oidc/links.ts";
import type { ConfirmationWay, ConfirmBody } from "./session-schema.ts";
import { renewSession } from "./sessions.ts";
import { meOf, type SignedIn, type SignInContext } from "./sign-in.ts";
import { isPasswordAllowed } from "./password-sign-in.ts";
import { findUser, lockUser, type User } from "./store.ts";

/*
 * A session that was left open must not be enough to change who has access. Routes that do so declare `needsConfirmation`:
 * the person must have proved who they are a short time ago. Tokens are not asked, because there is nobody to ask.
 *
 * There are several ways to prove it: with the password (below) and with the account at the sign-in provider (oidc/sign-in.ts).
 * A way adds itself to `ConfirmationWay` and to `listConfirmationWays`, checks its proof, and calls `confirmSession`.
 */

/** How long a proof counts. */
const FRESH_MS = 10 * MINUTE;

/** Returns whether a proof of the time `confirmedAt` still counts. Both are epoch milliseconds. */
export function isConfirmed(confirmedAt: number, now: number): boolean {
  return now - confirmedAt < FRESH_MS;
}

type WaysContext = Pick<SignInContext, "config" | "db">;

/**
 * @param now - epoch milliseconds
 * @throws ServiceError CONFIRMATION_REQUIRED
 */
export function requireConfirmed(caller: Caller, now: number): void {
  if (caller.kind === "user" && !isConfirmed(caller.confirmedAt, now)) throw new ServiceError("CONFIRMATION_REQUIRED");
}

interface Proof {
  /** Of the cookie that replaces that of the session. */
  newHash: string;
  by: ConfirmationWay;
  /** Checks again, while the row of the person is held. Default: true. */
  stillCounts?: (user: User) => boolean;
}

/**
 * Notes that the person themselves uses their session. It gets a new cookie, and the old one ends.
 * @throws ServiceError UNAUTHENTICATED if the session has ended or the proof no longer counts
 */
export async function confirmSession(
  tx: Tx,
  { user: { id }, session }: SessionCaller,
  { newHash, by, stillCounts = () => true }: Proof,
): Promise<void> {
  const now = await lockUser(tx, id);
  if (!now?.active || !stillCounts(now)) throw new ServiceError("UNAUTHENTICATED");
  if (!(await renewSession(tx, session, newHash))) throw new ServiceError("UNAUTHENTICATED");
  await recordSecurityEvent(tx, {
    type: by === "password" ? "password_confirmed" : "identity_confirmed",
    target: { kind: "user", id },
    details: { email: now.email, ...(by !== "password" && { by }) },
  });
}

/** Returns how the caller can prove who they are. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listConfirmationWays(ctx: WaysContext, caller: Caller): Promise<ConfirmationWay[]> {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in first." });
  const user = await findUser(ctx.db, caller.user.id);
  if (!user) throw new ServiceError("UNAUTHENTICATED");
  const { signIn } = ctx.config;
  const issuer = signIn.oidc === null ? null : issuerKey(signIn.oidc.issuer);
  const links = await listLinks(ctx.db, [user.id]);
  return [
    ...(user.password_hash !== null && isPasswordAllowed(signIn, user) ? (["password"] as const) : []),
    ...(links.some((link) => link.issuer === issuer) ? (["oidc"] as const) : []),
  ];
}

/**
 * Confirms a session with the password.
 *
 * @throws ServiceError FORBIDDEN unless the caller is signed in; PASSWORD_SIGN_IN_OFF, VALIDATION_FAILED, RATE_LIMITED,
 *   OVERLOADED
 */
export async function confirm(
  ctx: SignInContext,
  caller: Caller,
  browser: Browser,
  { password }: ConfirmBody,
): Promise<SignedIn> {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to confirm your password." });
  const { id } = caller.user;
  const user = await findUser(ctx.db, id);
  if (!user) throw new ServiceError("UNAUTHENTICATED");
  if (!isPasswordAllowed(ctx.config.signIn, user)) throw new ServiceError("PASSWORD_SIGN_IN_OFF");
  const device = ctx.devices.recognize(browser.cookie, id, ctx.db.now());
  await countPasswordTry(ctx.db, device, [[LOGIN_BY_EMAIL, emailKey(user.email ?? id)]]);
  if (!(await ctx.passwords.matches(password, user.password_hash))) throw wrongPassword("/password");

  const cookie = ctx.cookies.make();
  await ctx.db.write(async (tx) => {
    // It may have been changed elsewhere while the password was checked.
    const stillCounts = ({ password_hash }: User) => password_hash === user.password_hash;
    await confirmSession(tx, caller, { newHash: cookie.hash, by: "password", stillCounts });
  });
  const setCookies = [cookie.setCookie, ctx.devices.remember(device, id, ctx.db.now())];
  return { me: meOf(caller.user), setCookies };
}
