import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Tx } from "../db/database.ts";
import { DEFAULT_PROJECT, LEFT, type ProjectRole } from "./memberships.ts";

/** Selects the memberships of a row of `users`, for `membershipsIn`. Slugs have neither colons nor commas. */
export function membershipsOfUser(): RawBuilder<string | null> {
  return sql<string | null>`(select string_agg(m.project || ':' || m.role, ',') from project_members m
    where m.user_id = users.id)`;
}

/** Whether a row of `users` is in a project. */
export function isIn(project: string): RawBuilder<SqlBool> {
  const isMember = sql<SqlBool>`exists (select 1 from project_members m
    where m.user_id = users.id and m.project = ${project} and m.role <> ${sql.lit(LEFT)})`;
  if (project !== DEFAULT_PROJECT) return isMember;
  return sql<SqlBool>`(${isMember} or not exists (select 1 from project_members m where m.user_id = users.id))`;
}

/** Sets what a user is in a project. */
export async function setRole(
  tx: Tx,
  user_id: string,
  project: string,
  role: ProjectRole | typeof LEFT,
): Promise<void> {
  await tx.query
    .insertInto("project_members")
    .values({ project, user_id, role, created_at: tx.now() })
    .onConflict((conflict) => conflict.columns(["user_id", "project"]).doUpdateSet({ role }))
    .execute();
}

/** Adds people without any membership to the default project. Processes of the release before add such people. */
export async function joinDefault(tx: Tx): Promise<void> {
  await sql`insert into project_members (project, user_id, role, created_at)
    select ${DEFAULT_PROJECT}, id, 'member', created_at from users
    where not exists (select 1 from project_members m where m.user_id = users.id)
    on conflict do nothing`.execute(tx.query);
}
