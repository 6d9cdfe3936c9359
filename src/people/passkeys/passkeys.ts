import type { Config } from "../../config.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { PasskeyRow } from "../../db/schema.ts";
import { ServiceError } from "../../errors.ts";
import { isId, newId } from "../../lib/ids.ts";
import { isoTime } from "../../lib/time.ts";
import { recordSecurityEvent } from "../../security/record.ts";
import { requireOperator, type Caller, type SessionCaller } from "../caller.ts";
import { requireOperatorLeft } from "../last-operator.ts";
import { isLinked } from "../oidc/links.ts";
import { countTry, PASSKEY_BY_SESSION } from "../rate-limits.ts";
import { endSessionsOf, renewSession, type Cookies } from "../sessions.ts";
import { findUser, lockOperators, lockUser, type User } from "../store.ts";
import { CHALLENGE_MS, makeChallenge, takeChallenge } from "./challenge.ts";
import { isLimited, mustUsePasskey, requirePassword, usableOf } from "./requirement.ts";
import type { AddPasskeyBody, PasskeyRecord, RenamePasskeyBody } from "./schema.ts";
import { requireSite } from "./site.ts";
import { deletePasskeys, insertPasskey, passkeysOf, updatePasskey } from "./store.ts";
import { ALGORITHMS, readClientData, verifyNewCredential } from "./verify.ts";

export interface PasskeyContext {
  config: Config;
  db: Db;
  cookies: Cookies;
}

/** More than anybody has devices. */
const PASSKEYS_MAX = 20;
/** What browsers call the service when they ask. */
const SERVICE_NAME = "Human Task Service";

/** Lists the caller's own passkeys, the oldest first. @throws ServiceError FORBIDDEN unless the caller is signed in */
export async function listPasskeys({ db, config }: PasskeyContext, caller: Caller): Promise<PasskeyRecord[]> {
  const { user } = requireSession(caller);
  return toRecords(config, await passkeysOf(db, user.id));
}

/** Lists the passkeys of a user, for operators. @throws ServiceError FORBIDDEN, USER_NOT_FOUND */
export async function listPasskeysOfUser(
  { db, config }: PasskeyContext,
  caller: Caller,
  id: string,
): Promise<PasskeyRecord[]> {
  requireOperator(caller);
  if (!isId("usr", id) || !(await findUser(db, id))) throw new ServiceError("USER_NOT_FOUND");
  return toRecords(config, await passkeysOf(db, id));
}

/**
 * Returns the options with which a browser makes a passkey for the caller.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; PASSKEYS_UNAVAILABLE, PASSKEY_NEEDS_PASSWORD,
 *   PASSKEY_REQUIRED, PASSKEY_LIMIT
 */
export async function creationOptions({ db, config }: PasskeyContext, caller: Caller): Promise<{ public_key: object }> {
  const { user, session, isLimited } = requireSession(caller);
  const site = requireSite(config);
  const known = await findUser(db, user.id);
  if (!known) throw new ServiceError("UNAUTHENTICATED");
  const passkeys = await passkeysOf(db, user.id);
  requireMayAdd(config, known, isLimited, passkeys);
  const name = user.email ?? user.display_name ?? user.id;
  return {
    public_key: {
      rp: { id: site.rpId, name: SERVICE_NAME },
      user: { id: Buffer.from(user.id).toString("base64url"), name, displayName: user.display_name ?? name },
      challenge: makeChallenge(config, { purpose: "register", holder: session }, db.now()),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      timeout: CHALLENGE_MS,
      attestation: "none",
      // A device that has one of them does not make another.
      excludeCredentials: usableOf(config, passkeys).map(describeCredential),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      extensions: { credProps: true },
    },
  };
}

/** A passkey for the lists in a browser's options. */
export function describeCredential({ credential_id, transports }: PasskeyRow): object {
  return { type: "public-key", id: credential_id, transports: JSON.parse(transports) as unknown };
}

/**
 * Adds a passkey to the caller's account. A limited session becomes an ordinary one, with a new cookie.
 *
 * @returns `setCookie`: null if the session keeps its cookie
 * @throws ServiceError FORBIDDEN unless the caller is signed in; PASSKEYS_UNAVAILABLE, PASSKEY_EXPIRED, PASSKEY_OTHER_SITE,
 *   PASSKEY_NOT_VERIFIED, PASSKEY_ALREADY_ADDED, PASSKEY_NEEDS_PASSWORD, PASSKEY_REQUIRED, PASSKEY_LIMIT,
 *   VALIDATION_FAILED, RATE_LIMITED
 */
export async function addPasskey(
  ctx: PasskeyContext,
  caller: Caller,
  { name, credential }: AddPasskeyBody,
): Promise<{ passkey: PasskeyRecord; setCookie: string | null }> {
  const { config, db } = ctx;
  const { user, session, method, isLimited: wasLimited } = requireSession(caller);
  const site = requireSite(config);
  await countTry(db, [[PASSKEY_BY_SESSION, session]]);
  const data = readClientData(credential);
  await takeChallenge(db, config, { purpose: "register", holder: session }, data.challenge);
  const verified = await verifyNewCredential(site, credential, data);
  const cookie = wasLimited ? ctx.cookies.make() : null;
  const row = await db.write(async (tx) => {
    const now = await lockUser(tx, user.id);
    if (!now?.active) throw new ServiceError("UNAUTHENTICATED");
    // Another request may have added one since.
    requireMayAdd(config, now, isLimited(config, now, method), await passkeysOf(tx, user.id));
    const fresh = {
      id: newId("psk", tx.now()),
      user_id: user.id,
      rp_id: site.rpId,
      ...verified,
      name,
      created_at: tx.now(),
      last_used_at: null,
    };
    if (!(await insertPasskey(tx, fresh))) throw new ServiceError("PASSKEY_ALREADY_ADDED");
    if (cookie !== null && !(await renewSession(tx, session, cookie.hash, "passkey")))
      throw new ServiceError("UNAUTHENTICATED");
    await record(tx, "passkey_added", now, [fresh]);
    return fresh;
  });
  return { passkey: toRecords(config, [row])[0]!, setCookie: cookie?.setCookie ?? null };
}

/** @throws ServiceError FORBIDDEN unless the caller is signed in; PASSKEY_NOT_FOUND */
export async function renamePasskey(
  { db, config }: PasskeyContext,
  caller: Caller,
  id: string,
  { name }: RenamePasskeyBody,
): Promise<PasskeyRecord> {
  const { user } = requireSession(caller);
  return db.write(async (tx) => {
    await lockUser(tx, user.id);
    const row = pick(await passkeysOf(tx, user.id), id);
    await updatePasskey(tx, id, { name });
    return toRecords(config, [{ ...row, name }])[0]!;
  });
}

/**
 * Removes one of the caller's own passkeys. Sessions go on.
 * @throws ServiceError FORBIDDEN unless the caller is signed in; PASSKEY_NOT_FOUND, LAST_PASSKEY, LAST_OPERATOR
 */
export async function removePasskey({ db, config }: PasskeyContext, caller: Caller, id: string): Promise<void> {
  const { user } = requireSession(caller);
  await db.write(async (tx) => {
    // Operators first: see `changeUser`.
    const operators = await lockOperators(tx);
    const now = await lockUser(tx, user.id);
    if (!now?.active) throw new ServiceError("UNAUTHENTICATED");
    const before = await passkeysOf(tx, user.id);
    const row = pick(before, id);
    await requireOneLeft(tx, config, now, before, [row]);
    await requireOperatorLeft(tx, config, { operators, after: now, removedPasskeys: [row] });
    await deletePasskeys(tx, [id]);
    await record(tx, "passkey_removed", now, [row]);
  });
}

/**
 * Removes all passkeys of a user who has lost them, and signs the user out everywhere.
 * @throws ServiceError FORBIDDEN, USER_NOT_FOUND, LAST_PASSKEY, LAST_OPERATOR
 */
export async function resetPasskeys({ db, config }: PasskeyContext, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  if (!isId("usr", id)) throw new ServiceError("USER_NOT_FOUND");
  await db.write(async (tx) => {
    const operators = await lockOperators(tx);
    const user = await lockUser(tx, id);
    if (!user) throw new ServiceError("USER_NOT_FOUND");
    const rows = await passkeysOf(tx, id);
    if (rows.length === 0) return;
    // Operators can reset each other, but not leave what is required by themselves.
    if (caller.kind === "user" && caller.user.id === id) await requireOneLeft(tx, config, user, rows, rows);
    await requireOperatorLeft(tx, config, { operators, after: user, removedPasskeys: rows });
    await deletePasskeys(
      tx,
      rows.map((row) => row.id),
    );
    await endSessionsOf(tx, id);
    await record(tx, "passkeys_reset", user, rows);
  });
}

async function record(
  tx: Tx,
  type: "passkey_added" | "passkey_removed" | "passkeys_reset",
  { id, email }: Pick<User, "id" | "email">,
  passkeys: readonly PasskeyRow[],
): Promise<void> {
  const names = passkeys.map(({ name }) => name);
  const details = { email, ...(type === "passkeys_reset" ? { passkeys: names } : { passkey: names[0]! }) };
  await recordSecurityEvent(tx, { type, target: { kind: "user", id }, details });
}

/**
 * A password must not be enough to add a passkey for somebody who needs one to sign in, and has one.
 * @param isLimited - of the session
 * @throws ServiceError PASSKEY_NEEDS_PASSWORD, PASSKEY_REQUIRED, PASSKEY_LIMIT
 */
function requireMayAdd(config: Config, user: User, isLimited: boolean, passkeys: readonly PasskeyRow[]): void {
  // One that does not sign in would be a disappointment at the next sign-in.
  requirePassword(user);
  if (isLimited && usableOf(config, passkeys).length > 0) throw new ServiceError("PASSKEY_REQUIRED");
  if (passkeys.length >= PASSKEYS_MAX) throw new ServiceError("PASSKEY_LIMIT");
}

/**
 * @throws ServiceError LAST_PASSKEY if a person who must use a passkey would have none left that works here, and no company
 *   account either
 */
async function requireOneLeft(
  tx: Tx,
  config: Config,
  person: Pick<User, "id" | "is_operator" | "projects">,
  before: readonly PasskeyRow[],
  removed: readonly PasskeyRow[],
): Promise<void> {
  if (!mustUsePasskey(config, person) || usableOf(config, removed).length === 0) return;
  if (usableOf(config, before).length > usableOf(config, removed).length) return;
  if (!(await isLinked(tx, config.signIn, person.id))) throw new ServiceError("LAST_PASSKEY");
}

/** @throws ServiceError PASSKEY_NOT_FOUND */
function pick(rows: readonly PasskeyRow[], id: string): PasskeyRow {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new ServiceError("PASSKEY_NOT_FOUND");
  return row;
}

function toRecords(config: Config, rows: readonly PasskeyRow[]): PasskeyRecord[] {
  const usable = new Set(usableOf(config, rows).map(({ id }) => id));
  return rows.map(({ id, name, created_at, last_used_at }) => ({
    id,
    name,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
    usable: usable.has(id),
  }));
}

function requireSession(caller: Caller): SessionCaller {
  if (caller.kind !== "user") throw new ServiceError("FORBIDDEN", { message: "Sign in to manage your passkeys." });
  return caller;
}
