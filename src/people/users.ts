import type { Db, Reader, Tx } from "../db/database.ts";
import { isAlreadyThere } from "../db/postgres-errors.ts";
import type { InvitationRow, OidcLinkRow, UserRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { isId, newId } from "../lib/ids.ts";
import { emailKey, isEmailAddress } from "../lib/text.ts";
import { isoTime } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { absenceOf, NO_ABSENCE } from "./absence/absence.ts";
import { toAbsenceRecord } from "./absence/schema.ts";
import { ACCOUNT_COLUMNS, accountOf, NO_ACCOUNT, requireWholeAccount, toAccountRecord } from "./accounts.ts";
import { requireOperator, type Caller } from "./caller.ts";
import { requireOperatorLeft, type SignInSettings } from "./last-operator.ts";
import { toInvitationRecord } from "./invitations/schema.ts";
import { invitationsOf, revokeInvitationOf } from "./invitations/store.ts";
import { listLinks, removeLinks } from "./oidc/links.ts";
import { DEFAULT_PROJECT, toProjectRoles } from "./memberships.ts";
import { findProject, requireSeesProject } from "./projects.ts";
import { requireGoodPassword, type Passwords } from "./passwords.ts";
import type { CreateUserBody, ListUsersQuery, UpdateUserBody, UserRecord } from "./schema.ts";
import { endSessionsOf } from "./sessions.ts";
import { recordUserChange, recordUserCreated } from "./user-events.ts";
import {
  addUser,
  deleteViewsOf,
  findUser,
  isTaken,
  listUsers,
  lockOperators,
  lockUser,
  toUser,
  toUserRow,
  updateUser,
  type User,
} from "./store.ts";

/** The context of user management. */
export interface UsersContext {
  config: SignInSettings;
  db: Db;
  passwords: Passwords;
}

const DEFAULT_LIMIT = 50;

/**
 * One page of the directory, newest first. (spec: Users)
 * @returns `next`: the cursor of the next page, null on the last one
 */
export async function listDirectory(
  { db }: UsersContext,
  caller: Caller,
  { limit = DEFAULT_LIMIT, cursor, ...filter }: ListUsersQuery,
): Promise<{ rows: UserRecord[]; next: string | null }> {
  requireOperator(caller);
  if (filter.project !== undefined) await requireSeesProject(db, caller, filter.project);
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const found = await listUsers(db, filter, before, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const beside = await besideUsers(
    db,
    page.map(({ id }) => id),
  );
  return {
    rows: page.map((user) => toUserRecord(user, beside, db.now())),
    next: found.length > limit && last ? encodeCursor([last.created_at, last.id]) : null,
  };
}

/** @throws ServiceError USER_NOT_FOUND */
export async function readUser({ db }: UsersContext, caller: Caller, id: string): Promise<UserRecord> {
  requireOperator(caller);
  requireUserId(id);
  const user = await findUser(db, id);
  if (!user) throw new ServiceError("USER_NOT_FOUND");
  return recordOf(db, user);
}

async function recordOf(reader: Reader & { now(): number }, user: User): Promise<UserRecord> {
  return toUserRecord(user, await besideUsers(reader, [user.id]), reader.now());
}

/** What other tables know of these users, and maybe of others. */
interface BesideUsers {
  links: readonly OidcLinkRow[];
  invitations: readonly InvitationRow[];
}

async function besideUsers(reader: Reader, ids: readonly string[]): Promise<BesideUsers> {
  return { links: await listLinks(reader, ids), invitations: await invitationsOf(reader, ids) };
}

/** @throws ServiceError USER_ALREADY_EXISTS, USER_NO_ADDRESS, VALIDATION_FAILED, OVERLOADED */
export async function createUser(ctx: UsersContext, caller: Caller, body: CreateUserBody): Promise<UserRecord> {
  requireOperator(caller);
  const fields = readFields(body);
  const password_hash = await hashOf(ctx, body.password ?? null, body.email ?? null);
  const projects = [...new Set(body.projects ?? [DEFAULT_PROJECT])];
  const user = await ctx.db.write(async (tx) => {
    await requireProjects(tx, projects);
    const fresh = newUserRow(tx, { ...fields, password_hash });
    requireAddress(fresh);
    if (!(await addUser(tx, fresh, projects))) throw new ServiceError("USER_ALREADY_EXISTS");
    const added = (await findUser(tx, fresh.id))!;
    await recordUserCreated(tx, added);
    return added;
  });
  return toUserRecord(user, { links: [], invitations: [] }, ctx.db.now());
}

/** @throws ServiceError VALIDATION_FAILED unless all exist */
async function requireProjects(tx: Tx, slugs: readonly string[]): Promise<void> {
  for (const [i, slug] of slugs.entries())
    if ((await findProject(tx, slug)) === null) throw invalid(`/projects/${i}`, "There is no such project.");
}

/**
 * Removes the accounts of a user at sign-in providers, and signs the user out everywhere. The next sign-in with a verified email
 * links an account again.
 *
 * @throws ServiceError USER_NOT_FOUND, LAST_OPERATOR
 */
export async function unlinkUser({ db, config }: UsersContext, caller: Caller, id: string): Promise<void> {
  requireOperator(caller);
  requireUserId(id);
  await db.write(async (tx) => {
    const operators = await lockOperators(tx);
    const user = await lockUser(tx, id);
    if (!user) throw new ServiceError("USER_NOT_FOUND");
    await requireOperatorLeft(tx, config, { operators, after: user, isUnlinked: true });
    const removed = await removeLinks(tx, id);
    if (removed.length === 0) return;
    await endSessionsOf(tx, id);
    for (const { issuer, subject } of removed)
      await recordSecurityEvent(tx, {
        type: "user_oidc_unlinked",
        target: { kind: "user", id },
        details: { email: user.email, issuer, subject },
      });
  });
}

/**
 * Changes what is given; `null` clears. Who is deactivated or demoted, or gets another password, is signed out
 * everywhere in the same transaction.
 *
 * @throws ServiceError USER_NOT_FOUND, USER_ALREADY_EXISTS, USER_NO_ADDRESS, LAST_OPERATOR, VALIDATION_FAILED, OVERLOADED
 */
export async function changeUser(
  ctx: UsersContext,
  caller: Caller,
  id: string,
  body: UpdateUserBody,
): Promise<UserRecord> {
  requireOperator(caller);
  requireUserId(id);
  const before = await findUser(ctx.db, id);
  if (!before) throw new ServiceError("USER_NOT_FOUND");
  const set: Partial<UserRow> = {
    ...readFields(body),
    // A flag that is null is as it was.
    ...(body.active != null && { active: body.active ? 1 : 0 }),
  };
  if (body.password !== undefined)
    set.password_hash = await hashOf(ctx, body.password, body.email === undefined ? before.email : body.email);
  // Read before the commit: a failure after it would say that nothing was stored.
  return ctx.db.write(async (tx) => recordOf(tx, await applyChange(ctx, tx, id, set)));
}

/** Signs the user out for good; what they decided stays theirs. (spec: User, soft delete) */
export async function deactivateUser(ctx: UsersContext, caller: Caller, id: string): Promise<UserRecord> {
  return changeUser(ctx, caller, id, { active: false });
}

async function applyChange({ config }: UsersContext, tx: Tx, id: string, set: Partial<UserRow>): Promise<User> {
  // Operators first, each by id: who changes one of them holds all of them.
  const operators = await lockOperators(tx);
  const before = await lockUser(tx, id);
  if (!before) throw new ServiceError("USER_NOT_FOUND");
  const row: UserRow = { ...toUserRow(before), ...set, updated_at: tx.now() };
  requireAddress(row);
  if (await isTaken(tx, row)) throw new ServiceError("USER_ALREADY_EXISTS");
  const after = { ...toUser({ ...row, memberships: null }), projects: before.projects };
  await requireOperatorLeft(tx, config, { operators, after });
  await updateUser(tx, id, { ...set, updated_at: row.updated_at }).catch((error: unknown) => {
    // The email was taken after the check above.
    throw isAlreadyThere(error) ? new ServiceError("USER_ALREADY_EXISTS") : error;
  });
  if (
    (before.active && !after.active) ||
    (before.is_operator && !after.is_operator) ||
    before.password_hash !== after.password_hash
  )
    await endSessionsOf(tx, id);
  // The person, the address or the password is another now than the one that the link was made for.
  if (!after.active || before.email_key !== after.email_key || before.password_hash !== after.password_hash)
    await revokeInvitationOf(tx, after);
  if (before.active && !after.active) {
    await deleteViewsOf(tx, id);
    tx.hint(DEPARTED);
  }
  await recordUserChange(tx, before, after);
  return after;
}

/** The hint that a person was deactivated. Their open tasks then go to others. */
export const DEPARTED = "departed";

type UserFields = Pick<CreateUserBody, "email" | "is_operator" | (typeof PLAIN_FIELDS)[number]>;

/** Fields that are stored unchanged. */
const PLAIN_FIELDS = [
  "display_name",
  "role",
  "access_level",
  "pool",
  ...ACCOUNT_COLUMNS,
] as const satisfies (keyof CreateUserBody)[];

/** Returns only the columns that the request names. @throws ServiceError VALIDATION_FAILED */
function readFields(body: UserFields): Partial<UserRow> {
  const set: Partial<UserRow> = {};
  if (body.email !== undefined) {
    if (body.email !== null && !isEmailAddress(body.email)) throw invalid("/email", "Must be an email address.");
    set.email = body.email;
    set.email_key = body.email === null ? null : emailKey(body.email);
  }
  for (const name of PLAIN_FIELDS) {
    const value = body[name];
    if (value !== undefined) set[name] = value;
  }
  if (body.is_operator != null) set.is_operator = body.is_operator ? 1 : 0;
  return set;
}

/** @throws ServiceError USER_NO_ADDRESS */
function requireAddress(user: UserRow): void {
  requireWholeAccount(user);
  if (user.email === null && accountOf(user) === null) throw new ServiceError("USER_NO_ADDRESS");
}

async function hashOf(
  { passwords }: UsersContext,
  password: string | null,
  email: string | null,
): Promise<string | null> {
  if (password === null) return null;
  requireGoodPassword(password, "/password", email);
  return passwords.hash(password);
}

/** Returns the row of a new, active user with the given fields. The others are null. */
export function newUserRow(tx: Tx, fields: Partial<UserRow>): UserRow {
  const now = tx.now();
  return {
    id: newId("usr", now),
    email: null,
    email_key: null,
    display_name: null,
    is_operator: 0,
    role: null,
    access_level: null,
    pool: null,
    ...NO_ACCOUNT,
    time_zone: null,
    language: null,
    password_hash: null,
    active: 1,
    last_assigned_at: null,
    created_at: now,
    updated_at: now,
    ...NO_ABSENCE,
    ...fields,
  };
}

/**
 * A user as the wire shows one; a password never leaves.
 * @param now - epoch milliseconds
 */
function toUserRecord(user: User, { links, invitations }: BesideUsers, now: number): UserRecord {
  const invitation = invitations.find(({ user_id }) => user_id === user.id);
  return {
    id: user.id,
    email: user.email,
    display_name: user.display_name,
    is_operator: user.is_operator,
    projects: toProjectRoles(user.projects),
    role: user.role,
    access_level: user.access_level,
    pool: user.pool,
    ...toAccountRecord(user),
    has_password: user.password_hash !== null,
    oidc_accounts: links
      .filter(({ user_id }) => user_id === user.id)
      .map(({ issuer, subject, created_at, used_at }) => ({
        issuer,
        subject,
        linked_at: isoTime(created_at),
        last_used_at: isoTime(used_at),
      })),
    invitation: invitation === undefined ? null : toInvitationRecord(invitation),
    active: user.active,
    absence: toAbsenceRecord(absenceOf(user), now),
    last_assigned_at: isoTime(user.last_assigned_at),
    created_at: isoTime(user.created_at),
    updated_at: isoTime(user.updated_at),
  };
}

function requireUserId(id: string): void {
  if (!isId("usr", id)) throw new ServiceError("USER_NOT_FOUND");
}
