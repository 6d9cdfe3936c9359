/** Finds the tasks that a sweep changes, and locks them for it. Several processes may sweep at once. */
import type { SelectQueryBuilder } from "kysely";
import { beyondHome, type BeyondHome } from "../db/beyond-home.ts";
import { readStatement, writeStatement, type Db, type Statement, type Tx } from "../db/database.ts";
import type { Located } from "../db/home.ts";
import { isOneOf, locationsFor, type Locations } from "../db/ids.ts";
import { forUpdateOfFree } from "../db/locks.ts";
import { writeByShard } from "../db/shards.ts";
import type { Schema, TaskRow } from "../db/schema.ts";
import { toTask, type Task } from "./store.ts";

type TaskQuery = SelectQueryBuilder<Schema, "tasks", object>;
type Param<P> = <K extends keyof P & string>(name: K) => P[K];

/** The parameters of every sweep: the time, and how many tasks it takes at most. */
interface Swept {
  now: number;
  limit: number;
}

/** The statements of one sweep. */
export interface DueTasks<P> {
  /** Locks tasks that are due and that no other transaction has locked. */
  lock: Statement<P & Swept, TaskRow>;
  /** Lists tasks that are due. */
  list: Statement<P & Swept, Located, "read">;
  /** Locks those of the listed tasks that are still due, and that no other transaction has locked. */
  lockListed: Statement<P & Swept & Locations, TaskRow>;
}

/**
 * @param where - limits a query to the tasks that are due
 * @param inOrder - puts it into the order in which they are taken
 */
export function dueTasks<P extends object>(
  name: BeyondHome,
  where: (tasks: TaskQuery, param: Param<P & Swept>) => TaskQuery,
  inOrder: (tasks: TaskQuery) => TaskQuery = (tasks) => tasks,
): DueTasks<P> {
  return {
    lock: writeStatement((query, param, dialect) => {
      const due = inOrder(where(query.selectFrom("tasks"), param)).limit(param("limit"));
      return forUpdateOfFree(dialect, due.selectAll("tasks")).modifyEnd(beyondHome(name));
    }),
    list: readStatement((query, param) =>
      inOrder(where(query.selectFrom("tasks"), param))
        .select(["tasks.id", "tasks.home"])
        .limit(param("limit"))
        .modifyEnd(beyondHome(name)),
    ),
    lockListed: writeStatement((query, param, dialect) => {
      const listed = { ids: param("ids"), homes: param("homes") };
      const due = where(query.selectFrom("tasks"), param);
      return forUpdateOfFree(dialect, due.where(isOneOf(dialect, ["id", "home"], listed)).selectAll("tasks"));
    }),
  };
}

/**
 * Runs `work` in a transaction that can lock the tasks that are due. On Citus, which locks rows of one shard only, the tasks
 * are listed first, and `work` runs once for each shard that has some.
 *
 * @param params - those that `due` takes
 * @param work - calls `lock`, and returns how many tasks it changed
 * @returns how many tasks were changed
 */
export async function sweepTasks<P extends object>(
  db: Db,
  due: DueTasks<P>,
  params: P & { limit: number },
  work: (tx: Tx, lock: () => Promise<Task[]>) => Promise<number>,
): Promise<number> {
  if (db.dialect !== "citus")
    return db.write((tx) =>
      work(tx, async () => (await tx.run(due.lock, { ...params, now: tx.now() })).map((row) => toTask(row))),
    );
  const listed = await db.run(due.list, { ...params, now: db.now() });
  const counts = await writeByShard(
    db,
    listed,
    ({ home }) => home,
    (tx, some) => {
      const lock = async () => {
        const rows = await tx.run(due.lockListed, { ...params, now: tx.now(), ...locationsFor(tx, some) });
        return rows.map((row) => toTask(row));
      };
      return work(tx, lock);
    },
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
