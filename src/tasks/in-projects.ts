import { sql, type RawBuilder, type SqlBool } from "kysely";
import { DEFAULT_PROJECT } from "../people/memberships.ts";

/** Whether a task is in one of some projects. The index of the tasks of projects does not have those of the default one. */
export function isOfProjects(slugs: readonly string[]): RawBuilder<SqlBool> {
  if (slugs.length === 0) return sql<SqlBool>`1 = 0`;
  const isOneOf = sql<SqlBool>`tasks.project in (${sql.join(slugs)})`;
  return slugs.includes(DEFAULT_PROJECT) ? isOneOf : sql<SqlBool>`(${isOneOf} and tasks.project <> 'default')`;
}
