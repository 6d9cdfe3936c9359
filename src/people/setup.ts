import { isLoopback } from "../config/hosts.ts";
import type { Config } from "../config.ts";
import type { Reader, Tx, Db } from "../db/database.ts";
import { invalid, ServiceError } from "../errors.ts";
import { isOneOfSecrets, keyringOf, type SecretRoots } from "../lib/keys.ts";
import { emailKey, isEmailAddress } from "../lib/text.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { actorOfUser } from "./actor.ts";
import type { Devices } from "./devices.ts";
import { requireGoodPassword, type Passwords } from "./passwords.ts";
import { countTry, SETUP_BY_IP, sourceOf } from "./rate-limits.ts";
import type { SetupBody, SetupResult } from "./schema.ts";
import { startSession, type Cookies } from "./sessions.ts";
import { addUser, hasOperator } from "./store.ts";
import { newUserRow } from "./users.ts";

/** The context of setup and sign-in. */
export interface PeopleContext {
  config: Config;
  db: Db;
  passwords: Passwords;
  cookies: Cookies;
  devices: Devices;
}

/** Returns whether there is no operator yet. (spec: Setup, status) */
export async function needsSetup({ db }: { db: Reader }): Promise<boolean> {
  const done = await db.query.selectFrom("setup").select("id").executeTakeFirst();
  return done === undefined && !(await hasOperator(db));
}

/** The token of the setup link, the same on every replica. It is invalid once there is an operator. */
export function setupToken(roots: SecretRoots): string {
  return keyringOf(roots, "setup").current.toString("base64url");
}

function isSetupToken(roots: SecretRoots, given: string): boolean {
  const tokens = keyringOf(roots, "setup").accepted.map((key) => key.toString("base64url"));
  return isOneOfSecrets(given, tokens);
}

/** The source of a setup request. */
export interface SetupSource {
  /** The address of the caller. */
  ip: string;
  userAgent: string | null;
  /** The host that the request names, without its port. */
  host: string;
  /** Whether its headers show that it came through a proxy. */
  isForwarded: boolean;
}

/**
 * Creates the first operator and signs them in. Of concurrent calls, in any number of processes, only one succeeds.
 * A caller from another machine needs the token of the setup link. (spec: Setup, operator)
 *
 * @throws ServiceError RATE_LIMITED, INVALID_SETUP_TOKEN, SETUP_ALREADY_COMPLETED, USER_ALREADY_EXISTS, VALIDATION_FAILED
 */
export async function setUpOperator(
  ctx: PeopleContext,
  source: SetupSource,
  { email, password, display_name, token }: SetupBody,
): Promise<SetupResult & { setCookies: string[] }> {
  await countTry(ctx.db, [[SETUP_BY_IP, sourceOf(source.ip)]]);
  const isTrusted = token == null ? isOwnMachine(ctx.config, source) : isSetupToken(ctx.config, token);
  if (!isTrusted) throw new ServiceError("INVALID_SETUP_TOKEN");
  if (!(await needsSetup(ctx))) throw new ServiceError("SETUP_ALREADY_COMPLETED");
  if (!isEmailAddress(email)) throw invalid("/email", "Must be an email address.");
  requireGoodPassword(password, "/password", email);

  const password_hash = await ctx.passwords.hash(password);
  const cookie = ctx.cookies.make();
  const user_id = await ctx.db.write(async (tx) => {
    const fields = { email, email_key: emailKey(email), display_name: display_name ?? null, is_operator: 1 };
    const row = newUserRow(tx, { ...fields, password_hash });
    if (!(await completeSetup(tx, row.id)) || (await hasOperator(tx)))
      throw new ServiceError("SETUP_ALREADY_COMPLETED");
    if (!(await addUser(tx, row))) throw new ServiceError("USER_ALREADY_EXISTS");
    const where = { address: source.ip, userAgent: source.userAgent };
    await startSession(tx, row.id, where, { hash: cookie.hash, method: "password" });
    const target = { kind: "user", id: row.id } as const;
    await recordSecurityEvent(tx, { type: "setup_completed", target, actor: actorOfUser(row) });
    return row.id;
  });
  const setCookies = [cookie.setCookie, ctx.devices.remember(null, user_id, ctx.db.now())];
  return { user_id, email, setCookies };
}

/** @returns false if setup was already completed */
async function completeSetup(tx: Tx, user_id: string): Promise<boolean> {
  const done = await tx.query
    .insertInto("setup")
    .values({ id: 1, user_id, completed_at: tx.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return done !== undefined;
}

/** Returns whether the request can only have come from this machine. (wire: setup/operator) */
function isOwnMachine({ host, publicUrl }: Config, source: SetupSource): boolean {
  return isLoopback(host) && isLoopback(new URL(publicUrl).hostname) && isLoopback(source.host) && !source.isForwarded;
}
