import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { ReadQueries, Reader, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { UserRow } from "../db/schema.ts";
import { contains } from "../db/texts.ts";
import { emailKey } from "../lib/text.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import { isIn, membershipsOfUser, setRole } from "./membership-store.ts";
import { DEFAULT_PROJECT, membershipsIn, type Memberships } from "./memberships.ts";

/** A person in the directory. Times are epoch milliseconds. */
export interface User extends Omit<UserRow, "is_operator" | "active"> {
  is_operator: boolean;
  active: boolean;
  projects: Memberships;
}

/** A row of a user with the text of their memberships. */
type FoundUser = UserRow & { memberships: string | null };

export function toUser({ memberships, ...row }: FoundUser): User {
  return {
    ...row,
    is_operator: row.is_operator === 1,
    active: row.active === 1,
    projects: membershipsIn(memberships),
  };
}

export function toUserRow({ projects: _elsewhere, ...user }: User): UserRow {
  return { ...user, is_operator: user.is_operator ? 1 : 0, active: user.active ? 1 : 0 };
}

function selectUsers(query: ReadQueries) {
  return query.selectFrom("users").selectAll("users").select(membershipsOfUser().as("memberships"));
}

export async function findUser(reader: Reader, id: string): Promise<User | null> {
  const row = await selectUsers(reader.query).where("id", "=", id).executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function findUserByEmail(reader: Reader, email: string): Promise<User | null> {
  const row = await selectUsers(reader.query).where("email_key", "=", emailKey(email)).executeTakeFirst();
  return row ? toUser(row) : null;
}

/**
 * The user with an account, active or not.
 * @param team_id - null: any workspace, if only one user has this id
 */
export async function findUserByAccount(reader: Reader, team_id: string | null, user_id: string): Promise<User | null> {
  const [team, user] = ACCOUNT_COLUMNS;
  const rows = await selectUsers(reader.query)
    .where(user, "=", user_id)
    .$if(team_id !== null, (query) => query.where(team, "=", team_id))
    .limit(2)
    .execute();
  return rows.length === 1 ? toUser(rows[0]!) : null;
}

/** Returns the users with these ids or addresses, active or not. */
export async function findUsersNamed(reader: Reader, names: readonly string[]): Promise<User[]> {
  if (names.length === 0) return [];
  const rows = await selectUsers(reader.query)
    .where((where) => where.or([where("id", "in", names), where("email_key", "in", names.map(emailKey))]))
    .execute();
  return rows.map(toUser);
}

/** Active users who share a project with a user and have `q` in their email or name, by name. Operators of all are in each. */
export async function listColleagues(reader: Reader, user: User, q: string, limit: number): Promise<User[]> {
  const projects = Object.keys(user.projects);
  const rows = await selectUsers(reader.query)
    .where("active", "=", 1)
    .where("id", "!=", user.id)
    .$if(!user.is_operator, (query) =>
      query.where((where) => where.or([where("is_operator", "=", 1), ...projects.map(isIn)])),
    )
    .$if(q !== "", (query) => query.where(isNamed(reader, q)))
    .orderBy(sql`lower(coalesce(display_name, email, id))`)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toUser);
}

/** Active users in a project who match every given criterion, least recently assigned first. */
export function membersOf(
  tx: Tx,
  project: string,
  group: { role: string | null; access_level: string | null; pool: string | null },
) {
  return selectUsers(tx.query)
    .where("active", "=", 1)
    .where(isIn(project))
    .$if(group.role !== null, (query) => query.where("role", "=", group.role))
    .$if(group.access_level !== null, (query) => query.where("access_level", "=", group.access_level))
    .$if(group.pool !== null, (query) => query.where("pool", "=", group.pool))
    .orderBy(sql`coalesce(last_assigned_at, 0)`)
    .orderBy("id");
}

/** Reads a user and holds the row until `tx` ends. */
export async function lockUser(tx: Tx, id: string): Promise<User | null> {
  const select = selectUsers(tx.query).where("id", "=", id);
  const row = await forUpdate(tx.dialect, select).executeTakeFirst();
  return row ? toUser(row) : null;
}

/** Active operators, held until `tx` ends, so that of two who leave at once one sees that the other has. */
export async function lockOperators(tx: Tx): Promise<User[]> {
  const select = selectUsers(tx.query).where("is_operator", "=", 1).where("active", "=", 1);
  const rows = await forUpdate(tx.dialect, select).orderBy("id").execute();
  return rows.map(toUser);
}

export async function hasOperator(reader: Reader): Promise<boolean> {
  const row = await reader.query
    .selectFrom("users")
    .select("id")
    .where("is_operator", "=", 1)
    .where("active", "=", 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether another user, active or not, has the address or the account. */
export async function isTaken(tx: Tx, user: UserRow): Promise<boolean> {
  const row = await tx.query
    .selectFrom("users")
    .select("id")
    .where("id", "!=", user.id)
    .where((where) =>
      where.or([
        where("email_key", "=", user.email_key),
        where.and(ACCOUNT_COLUMNS.map((column) => where(column, "=", user[column]))),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds a user as a member of projects.
 * @returns false when another user has the address or the account; then nothing was written
 */
export async function addUser(tx: Tx, row: UserRow, projects: readonly string[] = [DEFAULT_PROJECT]): Promise<boolean> {
  const added = await tx.query
    .insertInto("users")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (added === undefined) return false;
  for (const project of projects) await setRole(tx, row.id, project, "member");
  return true;
}

export async function updateUser(tx: Tx, id: string, set: Partial<UserRow>): Promise<void> {
  await tx.query.updateTable("users").set(set).where("id", "=", id).execute();
}

export interface UserFilter {
  project?: string | undefined;
  active?: boolean | undefined;
  role?: string | undefined;
  access_level?: string | undefined;
  pool?: string | undefined;
  q?: string | undefined;
}

/** Newest first, those below the id `before`. */
export async function listUsers(
  reader: Reader,
  filter: UserFilter,
  before: string | null,
  limit: number,
): Promise<User[]> {
  const { project, active, role, access_level, pool, q } = filter;
  const rows = await selectUsers(reader.query)
    .$if(project !== undefined, (query) => query.where(isIn(project!)))
    .$if(active !== undefined, (query) => query.where("active", "=", active ? 1 : 0))
    .$if(role !== undefined, (query) => query.where("role", "=", role!))
    .$if(access_level !== undefined, (query) => query.where("access_level", "=", access_level!))
    .$if(pool !== undefined, (query) => query.where("pool", "=", pool!))
    .$if(q !== undefined && q !== "", (query) => query.where(isNamed(reader, q!)))
    .$if(before !== null, (query) => query.where("id", "<", before!))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toUser);
}

function isNamed(reader: Reader, q: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains(reader, "email", q)} or ${contains(reader, "display_name", q)})`;
}

/** The active users of a project, by their addresses. */
export async function listUsersIn(reader: Reader, project: string): Promise<User[]> {
  const rows = await selectUsers(reader.query)
    .where("active", "=", 1)
    .where(isIn(project))
    .orderBy("email_key")
    .orderBy("id")
    .execute();
  return rows.map(toUser);
}

/** Deletes the views that only this person sees. */
export async function deleteViewsOf(tx: Tx, id: string): Promise<void> {
  await tx.query.deleteFrom("saved_views").where("user_id", "=", id).execute();
}
