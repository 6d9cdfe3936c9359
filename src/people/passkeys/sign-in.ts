import { randomBytes } from "node:crypto";
import { stringifySetCookie } from "cookie";
import type { Config } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { HOUR, SECOND } from "../../lib/time.ts";
import type { Browser } from "../browser.ts";
import { countPasswordTry, type Devices } from "../devices.ts";
import { LOGIN_BY_IP, sourceOf } from "../rate-limits.ts";
import { readCookie, type Cookies } from "../sessions.ts";
import { beginSession, meOf, toPerson, type SignedIn } from "../sign-in.ts";
import { lockUser } from "../store.ts";
import type { PasskeyRequestOptions, PasskeySignInBody } from "./schema.ts";
import { requirePassword } from "./requirement.ts";
import { findPasskey } from "./store.ts";
import { checkAnswer, noteUse, requestOptions } from "./use.ts";

export interface PasskeySignInContext {
  config: Config;
  db: Db;
  cookies: Cookies;
  devices: Devices;
}

/**
 * The cookie of a browser that asked for a challenge. Without it, an answer could be carried into another person's browser,
 * which would then be signed in as the wrong person.
 */
const COOKIE = "service_passkey";
const PATH = "/api/auth";
const SECRET_BYTES = 16;
const LIFE_MS = 1 * HOUR;

/**
 * Returns the options with which a browser asks for a passkey to sign in. They are the same for everybody, so they tell
 * nothing about accounts. Nothing is stored.
 *
 * @returns `setCookie`: null if passkeys cannot be used at the public URL
 */
export function signInOptions(
  ctx: PasskeySignInContext,
  browser: Browser,
): PasskeyRequestOptions & { setCookie: string | null } {
  // Several pages of a browser share it.
  const holder = holderOf(browser) ?? randomBytes(SECRET_BYTES).toString("base64url");
  const public_key = requestOptions(ctx, { purpose: "sign_in", holder }, []);
  const setCookie = stringifySetCookie({
    name: COOKIE,
    value: holder,
    httpOnly: true,
    sameSite: "strict",
    path: PATH,
    secure: ctx.config.publicUrl.startsWith("https:"),
    maxAge: LIFE_MS / SECOND,
  });
  return { public_key, setCookie: public_key === null ? null : setCookie };
}

function holderOf({ cookie }: Browser): string | null {
  const value = readCookie(cookie ?? "", COOKIE);
  return value !== null && /^[\w-]{22}$/.test(value) ? value : null;
}

/**
 * Signs a person in with a passkey in place of the password, also where SERVICE_PASSWORD_SIGN_IN turns passwords off. Passkeys
 * of people who are deactivated are rejected like unknown ones.
 *
 * @throws ServiceError PASSKEY_NEEDS_PASSWORD, PASSKEYS_UNAVAILABLE, PASSKEY_EXPIRED, PASSKEY_OTHER_SITE, PASSKEY_NOT_VERIFIED,
 *   PASSKEY_NOT_ACCEPTED, VALIDATION_FAILED, RATE_LIMITED
 */
export async function signInWithPasskey(
  ctx: PasskeySignInContext,
  browser: Browser,
  { credential }: PasskeySignInBody,
): Promise<SignedIn> {
  const { db, devices } = ctx;
  const found = await findPasskey(db, credential.id);
  const device = found && devices.recognize(browser.cookie, found.user_id, db.now());
  // Not by account, unlike a password: nobody guesses a signature, and a stranger could use the account's limit up.
  await countPasswordTry(db, device, [[LOGIN_BY_IP, sourceOf(browser.address)]]);
  const use = { purpose: "sign_in", holder: holderOf(browser) ?? "" } as const;
  const { passkey, counter } = await checkAnswer(ctx, use, credential, found);

  const cookie = ctx.cookies.make();
  const signedIn = await db.write(async (tx) => {
    const user = await lockUser(tx, passkey.user_id);
    if (!user?.active) throw new ServiceError("PASSKEY_NOT_ACCEPTED");
    // Only its holder gets here, so this tells strangers nothing.
    requirePassword(user);
    if (!(await noteUse(tx, user, passkey, counter))) return null;
    await beginSession(tx, browser, user, { hash: cookie.hash, method: "passkey" });
    return user;
  });
  if (signedIn === null) throw new ServiceError("PASSKEY_NOT_ACCEPTED");
  const setCookies = [cookie.setCookie, devices.remember(device, signedIn.id, db.now())];
  return { me: meOf(toPerson(signedIn), false, db.now()), setCookies };
}
