import { ServiceError } from "../errors.ts";
import { emailKey } from "../lib/text.ts";
import { MINUTE } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Browser } from "./browser.ts";
import type { Caller } from "./caller.ts";
import { countPasswordTry } from "./devices.ts";
import { wrongPassword } from "./passwords.ts";
import { LOGIN_BY_EMAIL } from "./rate-limits.ts";
import type { ConfirmBody } from "./session-schema.ts";
import { renewSession } from "./sessions.ts";
import { meOf, type SignedIn, type SignInContext } from "./sign-in.ts";
import { findUser, lockUser } from "./store.ts";

/*
 * A session that was left open must not be enough to change who has access. Routes that do so declare `needsConfirmation`:
 * the person must have given their password a short time ago. Tokens are not asked, because there is nobody to ask.
 */

/** How long a password counts after it was given. */
const FRESH_MS = 10 * MINUTE;

/** Returns whether a password that was given at `confirmedAt` still counts. Both are epoch milliseconds. */
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

/**
 * Confirms that the person themselves uses their session. The session gets a new cookie, and the old one ends.
 *
 * @throws ServiceError FORBIDDEN unless the caller is signed in; VALIDATION_FAILED, RATE_LIMITED, OVERLOADED
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
  const device = ctx.devices.recognize(browser.cookie, id, ctx.db.now());
  await countPasswordTry(ctx.db, device, [[LOGIN_BY_EMAIL, emailKey(user.email ?? id)]]);
  if (!(await ctx.passwords.matches(password, user.password_hash))) throw wrongPassword("/password");

  const cookie = ctx.cookies.make();
  await ctx.db.write(async (tx) => {
    const now = await lockUser(tx, id);
    // Changed or signed out elsewhere while the password was checked.
    if (!now?.active || now.password_hash !== user.password_hash) throw new ServiceError("UNAUTHENTICATED");
    if (!(await renewSession(tx, caller.session, cookie.hash))) throw new ServiceError("UNAUTHENTICATED");
    await recordSecurityEvent(tx, {
      type: "password_confirmed",
      target: { kind: "user", id },
      details: { email: user.email },
    });
  });
  const setCookies = [cookie.setCookie, ctx.devices.remember(device, id, ctx.db.now())];
  return { me: meOf(caller.user), setCookies };
}
