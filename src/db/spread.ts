/**
 * The statements that spread the tables of tasks over the nodes of Citus. They are run once, on a database whose tables are
 * up to date, and while no process uses it.
 */
import { sql, type RawBuilder } from "kysely";
import { HOMES, TASK_BOUND } from "./home.ts";

/** How many shards the homes are divided into, unless the operator says otherwise. What looks at all homes asks each shard. */
export const SHARDS = 8;
/** One home cannot be divided. */
export const SHARDS_MAX = HOMES;

/**
 * Returns the statements, in their order. All of them belong to one transaction.
 *
 * The keys of tasks from releases without homes do not lead to their home. Their keys stay on the coordinator, in a table
 * that every creation asks while it has rows (src/tasks/older-keys.ts).
 */
export function spreadStatements(shards: number): RawBuilder<unknown>[] {
  const [first, ...others] = Object.keys(TASK_BOUND);
  return [
    sql`create table older_keys (
      idempotency_key text not null, asked_by_id text not null, task_id text not null,
      primary key (idempotency_key, asked_by_id))`,
    sql`create index older_keys_by_task on older_keys (task_id)`,
    sql`insert into older_keys (idempotency_key, asked_by_id, task_id)
      select idempotency_key, asked_by_id, id from tasks where home <> ${HOME_OF_KEY}`,
    sql`drop index tasks_by_key`,
    sql`create unique index tasks_by_key on tasks (idempotency_key, asked_by_id, home)`,
    sql`select create_distributed_table(${sql.lit(first)}, 'home', shard_count => ${sql.lit(shards)}, colocate_with => 'none')`,
    ...others.map(
      (table) => sql`select create_distributed_table(${sql.lit(table)}, 'home', colocate_with => ${sql.lit(first)})`,
    ),
  ];
}

/** `homeOfKey` as an expression on a task. */
const HOME_OF_KEY = (() => {
  const digest = sql`sha256(convert_to(asked_by_id || e'\n' || idempotency_key, 'UTF8'))`;
  return sql`((get_byte(${digest}, 0) << 2) | (get_byte(${digest}, 1) >> 6))`;
})();
