import { performance } from "node:perf_hooks";
import { sql, type SqlBool } from "kysely";
import type { Logger } from "pino";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { idsFor, isAmong } from "../db/ids.ts";
import { forUpdateOfFree } from "../db/locks.ts";
import { TRIGRAMS } from "../db/texts.ts";
import { toInserted } from "../db/rows.ts";
import type { TaskRow } from "../db/schema.ts";
import { lowestId } from "../lib/ids.ts";
import { startRepeating } from "../lib/repeating.ts";
import { MINUTE, SECOND } from "../lib/time.ts";

/*
 * An index of three letters each only narrows a search: what it finds is compared with the search as if there were none. It is
 * filled in the background, so that no request pays for it. It follows the audit entries, because each change of what a search
 * finds has one, and `search_position` says how far. Tasks with later entries are compared with the search directly.
 *
 * A text may therefore say more than the task (a name that is not its any more), but never less.
 */

/**
 * Entries are followed only when they are this old: with a transaction that is still under way, an earlier one might become
 * visible later. Transactions end within seconds.
 */
const SETTLED_MS = 1 * MINUTE;

const SEARCHED = [
  "id",
  "task",
  "facts",
  "labels",
  "idempotency_key",
  "asked_by_kind",
  "asked_by_name",
  "assigned_to_email",
  "assigned_to_user_id",
  "completed_by_email",
  "completed_by_user_id",
  "cancelled_by",
] as const;
export type Searched = Pick<TaskRow, (typeof SEARCHED)[number]>;

/** Returns everything that a search finds of a task, in one text. */
export function searchedText(task: Searched): string {
  const parts = [
    task.task,
    task.facts,
    task.labels,
    task.idempotency_key,
    task.asked_by_kind === "admin" ? null : task.asked_by_name,
    task.assigned_to_email,
    task.completed_by_email,
    task.cancelled_by,
    task.assigned_to_user_id && markOf(task.assigned_to_user_id),
    task.completed_by_user_id && markOf(task.completed_by_user_id),
  ];
  const text = [...new Set(parts.filter((part) => part !== null))].join("\n");
  // The index of SQLite would end there.
  return text.replaceAll("\0", "\n");
}

/** Stands for a person in a text, because their name may change: the last letters of their id. */
export function markOf(userId: string): string {
  return `@${userId.slice(-8)}`;
}

/** Whether the database has an index of words. */
export async function hasWords(reader: Pick<Reader, "dialect" | "query">): Promise<boolean> {
  if (reader.dialect !== "postgres") return reader.dialect === "sqlite";
  const { rows } = await sql<{
    is_there: boolean;
  }>`select to_regclass(${TRIGRAMS}) is not null as is_there`.execute(reader.query);
  return rows[0]!.is_there;
}

/** Returns the entry behind which tasks are not in the index yet. */
export async function readPosition(reader: Reader, now: number): Promise<string> {
  const row = await reader.query.selectFrom("search_position").select("entry_id").executeTakeFirst();
  return startOf(row?.entry_id ?? "", now);
}

function settledAt(now: number): string {
  return lowestId("aud", Math.max(now - SETTLED_MS, 0));
}

/** If the clock was set back, new entries come before those that were followed. */
function startOf(position: string, now: number): string {
  const settled = settledAt(now);
  return position < settled ? position : settled;
}

/** Entries of one transaction. */
const BATCH = 25;

/**
 * Puts the tasks of the next entries into the index. Several processes may do this at once: one of them works.
 * @returns how many entries it followed; 0 if there are none
 */
export async function fillIndex({ db }: { db: Db }, limit = BATCH): Promise<number> {
  const start = await readPosition(db, db.now());
  if ((await selectEntries(db, start, db.now(), 1)).length === 0) return 0;
  return db.write(async (tx) => {
    const position = await lockPosition(tx);
    if (position === null) return 0;
    const now = tx.now();
    let entries = await selectEntries(tx, startOf(position, now), now, limit);
    if (entries.length === 0) return 0;
    const last = entries.at(-1)!;
    const ids = [...new Set(entries.map(({ task_id }) => task_id))];
    const tasks = await selectTasks(tx, ids, last.id);
    if (tx.dialect === "postgres") {
      const locked = await idsOfLocked(tx, ids, tasks);
      const end = entries.findIndex(({ task_id }) => locked.has(task_id));
      if (end !== -1) entries = entries.slice(0, end);
    }
    const followed = new Set(entries.map(({ task_id }) => task_id));
    await writeTexts(
      tx,
      tasks.filter(({ id, has_later }) => followed.has(id) && !has_later),
    );
    if (entries.length > 0)
      await tx.query
        .updateTable("search_position")
        .set({ entry_id: entries.at(-1)!.id })
        .execute();
    return entries.length;
  });
}

/** Pages of the index that are merged in one transaction. */
const MERGED_PAGES = 16;

/**
 * Merges a part of the index on SQLite, where each batch adds a small index of its own. Left to itself, SQLite would merge many of
 * them at once, which takes long.
 * @returns whether there may be more to merge
 */
export async function mergeIndex({ db }: { db: Db }, pages = MERGED_PAGES): Promise<boolean> {
  if (db.dialect !== "sqlite") return false;
  return db.write(async ({ query }) => {
    const before = await changesOn(query);
    await sql`insert into task_words (task_words, rank) values ('merge', ${pages})`.execute(query);
    // The statement itself is a change.
    return (await changesOn(query)) - before > 1;
  });
}

/** Counts the changes of rows, also of those that the index is stored in. */
async function changesOn(query: Tx["query"]): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(query);
  return rows[0]!.changes;
}

/** @returns the position; null if another process is filling the index */
async function lockPosition(tx: Tx): Promise<string | null> {
  const row = await forUpdateOfFree(
    tx.dialect,
    tx.query.selectFrom("search_position").select("entry_id"),
  ).executeTakeFirst();
  return row?.entry_id ?? null;
}

async function selectEntries(reader: Reader, start: string, now: number, limit: number) {
  return reader.query
    .selectFrom("audit_entries")
    .select(["id", "task_id"])
    .where("id", ">", start)
    .where("id", "<", settledAt(now))
    .orderBy("id")
    .limit(limit)
    .modifyEnd(beyondHome("texts for searches"))
    .execute();
}

type FoundTask = Searched & { has_later: SqlBool };

/**
 * Selects tasks, and locks them against being deleted: a text may not outlive its task. Those that others have locked are left out,
 * because waiting for them with locks of one's own may be waiting for each other.
 */
async function selectTasks(tx: Tx, ids: readonly string[], last: string): Promise<FoundTask[]> {
  const hasLater = sql<SqlBool>`exists (select 1 from audit_entries a
    where a.task_id = tasks.id and a.home = tasks.home and a.id > ${last})`;
  return tx.query
    .selectFrom("tasks")
    .select([...SEARCHED, hasLater.as("has_later")])
    .where(isAmong(tx.dialect, "tasks.id", idsFor(tx, ids)))
    .$if(tx.dialect !== "sqlite", (select) => select.forKeyShare("tasks").skipLocked())
    .modifyEnd(beyondHome("texts for searches"))
    .execute();
}

async function idsOfLocked(tx: Tx, ids: readonly string[], found: readonly Searched[]): Promise<Set<string>> {
  const rows = await tx.query
    .selectFrom("tasks")
    .select("id")
    .where(isAmong(tx.dialect, "tasks.id", idsFor(tx, ids)))
    .modifyEnd(beyondHome("texts for searches"))
    .execute();
  const locked = new Set(rows.map(({ id }) => id));
  for (const { id } of found) locked.delete(id);
  return locked;
}

async function writeTexts(tx: Tx, tasks: readonly Searched[]): Promise<void> {
  if (tasks.length === 0) return;
  const rows = tasks.map((task) => ({
    number: null,
    task_id: task.id,
    text: searchedText(task),
    home: homeOf(task.id),
  }));
  await tx.query
    .insertInto("task_texts")
    .values(rows.map((row) => toInserted(tx.dialect, "task_texts", row)))
    .onConflict((conflict) =>
      conflict
        .columns(tx.dialect === "sqlite" ? ["task_id"] : ["task_id", "home"])
        .doUpdateSet((set) => ({ text: set.ref("excluded.text") }))
        .whereRef("task_texts.text", "<>", "excluded.text"),
    )
    .execute();
}

/** Pause while there is nothing to follow. */
const LOOK_EVERY_MS = 10 * SECOND;
/** While the service is busier than this, the index waits, but not for ever. */
const BUSY = 0.5;
const BUSY_WAIT_MS = 1 * SECOND;
const WAITS_MAX = 30;
/** After a batch, others get this many times as long as it took. */
const REST = 4;

/** Merges after a batch, at most; the others come after the next. */
const MERGES_MAX = 8;

/** Fills the index until it is stopped. */
export function startSearchIndex(ctx: { db: Db; log: Logger }): { stop(): Promise<void> } {
  let canFill: boolean | null = null;
  let waits = 0;
  let since = performance.eventLoopUtilization();

  async function fill(isStopped: () => boolean): Promise<number | null> {
    canFill ??= await hasWords(ctx.db);
    if (!canFill) return null;
    const { utilization } = performance.eventLoopUtilization(since);
    since = performance.eventLoopUtilization();
    if (utilization > BUSY && waits < WAITS_MAX) {
      waits++;
      return BUSY_WAIT_MS;
    }
    waits = 0;
    const began = performance.now();
    const done = await fillIndex(ctx);
    const isMerged = await merge(isStopped);
    since = performance.eventLoopUtilization();
    return done === 0 && isMerged ? LOOK_EVERY_MS : (performance.now() - began) * REST;
  }

  async function merge(isStopped: () => boolean): Promise<boolean> {
    for (let i = 0; i < MERGES_MAX; i++) if (isStopped() || !(await mergeIndex(ctx))) return true;
    return false;
  }

  const onError = "Filling the index of searches failed; trying again";
  return startRepeating(ctx, { run: fill, onError, retryMs: LOOK_EVERY_MS });
}
