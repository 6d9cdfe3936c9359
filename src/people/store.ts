import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { UserRow } from "../db/schema.ts";
import { contains } from "../db/texts.ts";
import { emailKey } from "../lib/text.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";

/** A person in the directory. Times are epoch milliseconds. */
export interface User extends Omit<UserRow, "is_operator" | "active"> {
  is_operator: boolean;
  active: boolean;
}

export function toUser(row: UserRow): User {
  return { ...row, is_operator: row.is_operator === 1, active: row.active === 1 };
}

export async function findUser(reader: Reader, id: string): Promise<User | null> {
  const row = await reader.query.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function findUserByEmail(reader: Reader, email: string): Promise<User | null> {
  const row = await reader.query
    .selectFrom("users")
    .selectAll()
    .where("email_key", "=", emailKey(email))
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

/**
 * The user with an account, active or not.
 * @param team_id - null: any workspace, if only one user has this id
 */
export async function findUserByAccount(reader: Reader, team_id: string | null, user_id: string): Promise<User | null> {
  const [team, user] = ACCOUNT_COLUMNS;
  const rows = await reader.query
    .selectFrom("users")
    .selectAll()
    .where(user, "=", user_id)
    .$if(team_id !== null, (query) => query.where(team, "=", team_id))
    .limit(2)
    .execute();
  return rows.length === 1 ? toUser(rows[0]!) : null;
}

/** Active users who match every given criterion, least recently assigned first. */
export function membersOf(tx: Tx, group: { role: string | null; access_level: string | null; pool: string | null }) {
  return tx.query
    .selectFrom("users")
    .selectAll()
    .where("active", "=", 1)
    .$if(group.role !== null, (query) => query.where("role", "=", group.role))
    .$if(group.access_level !== null, (query) => query.where("access_level", "=", group.access_level))
    .$if(group.pool !== null, (query) => query.where("pool", "=", group.pool))
    .orderBy(sql`coalesce(last_assigned_at, 0)`)
    .orderBy("id");
}

/** Reads a user and holds the row until `tx` ends. */
export async function lockUser(tx: Tx, id: string): Promise<User | null> {
  const select = tx.query.selectFrom("users").selectAll().where("id", "=", id);
  const row = await forUpdate(tx.dialect, select).executeTakeFirst();
  return row ? toUser(row) : null;
}

/** Active operators, held until `tx` ends, so that of two who leave at once one sees that the other has. */
export async function lockOperators(tx: Tx): Promise<User[]> {
  const select = tx.query.selectFrom("users").selectAll().where("is_operator", "=", 1).where("active", "=", 1);
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

/** @returns false when another user has the address or the account; then nothing was written */
export async function addUser(tx: Tx, row: UserRow): Promise<boolean> {
  const added = await tx.query
    .insertInto("users")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return added !== undefined;
}

export async function updateUser(tx: Tx, id: string, set: Partial<UserRow>): Promise<void> {
  await tx.query.updateTable("users").set(set).where("id", "=", id).execute();
}

export interface UserFilter {
  active?: boolean | undefined;
  role?: string | undefined;
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
  const { active, role, pool, q } = filter;
  const rows = await reader.query
    .selectFrom("users")
    .selectAll()
    .$if(active !== undefined, (query) => query.where("active", "=", active ? 1 : 0))
    .$if(role !== undefined, (query) => query.where("role", "=", role!))
    .$if(pool !== undefined, (query) => query.where("pool", "=", pool!))
    .$if(q !== undefined && q !== "", (query) =>
      query.where((where) => where.or([contains(reader, "email", q!), contains(reader, "display_name", q!)])),
    )
    .$if(before !== null, (query) => query.where("id", "<", before!))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toUser);
}
