import type { Logger } from "pino";
import { beyondHome } from "../db/beyond-home.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import type { TaskTotalsRow } from "../db/schema.ts";
import { timeOfId } from "../lib/ids.ts";
import { startRepeating } from "../lib/repeating.ts";
import { DAY, HOUR, MINUTE } from "../lib/time.ts";
import type { Task } from "./store.ts";
import { readTotals, sumTotals, type Totals } from "./totals.ts";

/*
 * The totals of every past hour (UTC) are counted once and stored; those of a day are summed from its hours. A process
 * claims the row first, then counts, then writes under the version that it claimed. A change in a past span (a deletion)
 * raises the version in the same transaction: this drops a count in progress and deletes a stored one. Several processes
 * may do this at once.
 */

/** An hour that ended this long ago does not change any more, because transactions end within seconds. */
const SETTLED_MS = 10 * MINUTE;
/** Maximum clock difference between processes. A row from further ahead was written with a wrong clock. */
const AHEAD_MS = 1 * MINUTE;
/** Days for which totals are kept. (spec: Other, stats) */
const DAYS_KEPT = 366;
/** Interval of the checks for missing totals, and the pause after one was stored. */
const LOOK_EVERY_MS = 1 * MINUTE;
const BETWEEN_MS = 100;

type Key = Pick<TaskTotalsRow, "span" | "start">;
type Claim = Pick<TaskTotalsRow, "span" | "start" | "version">;
type Counted = Claim & { totals: Totals };

/** Totals of one hour or day. */
export interface Period {
  start: number;
  totals: Totals;
}

/** Cache of totals. Totals of one version never change, and parsing them is most of the work. */
const known = new WeakMap<Reader, Map<string, Totals>>();
/** A year of days and some hours. A larger cache is cleared. */
const KNOWN_MAX = 1000;

interface Spans {
  from: number;
  to: number;
  now: number;
}

/** Returns the stored totals of spans that start in `from` to `to`, in order. Missing ones are skipped. */
export async function findTotals(reader: Reader, span: number, spans: Spans): Promise<Period[]> {
  const last = known.get(reader);
  const kept = last && last.size < KNOWN_MAX ? last : new Map<string, Totals>();
  known.set(reader, kept);
  const keyOf = (start: number, version: string) => `${span} ${start} ${version}`;
  const found = await findStoredVersions(reader, span, spans);
  const unread = found.filter(({ start, version }) => !kept.has(keyOf(start, version)));
  if (unread.length > 0) {
    const read = await stored(reader, span, spans)
      .select(["start", "version", "computed_at", "totals"])
      .where("start", ">=", unread[0]!.start)
      .where("start", "<=", unread.at(-1)!.start)
      .execute();
    for (const row of read) kept.set(keyOf(row.start, versionOf(row)), JSON.parse(row.totals!) as Totals);
  }
  // What is missing here was forgotten between the two queries.
  return found.flatMap(({ start, version }) => {
    const totals = kept.get(keyOf(start, version));
    return totals ? [{ start, totals }] : [];
  });
}

/** Returns which spans have stored totals, in order. A span of the same version has the same tasks. */
export async function findStoredVersions(
  reader: Reader,
  span: number,
  spans: Spans,
): Promise<{ start: number; version: string }[]> {
  const rows = await stored(reader, span, spans).select(["start", "version", "computed_at"]).execute();
  return rows.map((row) => ({ start: row.start, version: versionOf(row) }));
}

function stored(reader: Reader, span: number, { from, to, now }: Spans) {
  return reader.query
    .selectFrom("task_totals")
    .where("span", "=", span)
    .where("start", ">=", from)
    .where("start", "<", to)
    .where("computed_at", "<=", now + AHEAD_MS)
    .orderBy("start");
}

function versionOf({ version, computed_at }: Pick<TaskTotalsRow, "version" | "computed_at">): string {
  return `${version} ${computed_at}`;
}

/** A moment before which nothing happened, at the start of a day; null while there are no tasks. */
export async function findFirstDay(reader: Reader): Promise<number | null> {
  const created = await reader.query
    .selectFrom("tasks")
    .select("id")
    .orderBy("id")
    .limit(1)
    .modifyEnd(beyondHome("counts and statistics"))
    .executeTakeFirst();
  if (!created) return null;
  // Under a clock that was set back, a task may have ended before another one was created.
  const ended = await reader.query
    .selectFrom("tasks")
    .select("ended_at")
    .where("ended_at", "is not", null)
    .orderBy("ended_at")
    .limit(1)
    .modifyEnd(beyondHome("counts and statistics"))
    .executeTakeFirst();
  return startOf(DAY, Math.min(timeOfId(created.id), ended?.ended_at ?? Number.POSITIVE_INFINITY));
}

export function startOf(span: number, time: number): number {
  return time - (time % span);
}

/** Forgets the totals in which a task is counted; in the transaction that deletes it. */
export async function forgetTotalsOf(tx: Tx, { id, ended_at }: Pick<Task, "id" | "ended_at">): Promise<void> {
  const times = ended_at === null ? [timeOfId(id)] : [timeOfId(id), ended_at];
  const keys = [HOUR, DAY].flatMap((span) =>
    [...new Set(times.map((time) => startOf(span, time)))].map((start) => ({ span, start })),
  );
  await tx.query
    .insertInto("task_totals")
    .values(inOrder(keys).map((key) => ({ ...key, version: 1 })))
    .onConflict((conflict) =>
      conflict
        .columns(["span", "start"])
        .doUpdateSet((set) => ({ version: set("task_totals.version", "+", 1), computed_at: null, totals: null })),
    )
    .execute();
}

/** Rows are always written in the same order, so that two transactions wait for each other instead of deadlocking. */
function inOrder(keys: Key[]): Key[] {
  return keys.toSorted((a, b) => a.span - b.span || a.start - b.start);
}

/**
 * Stores missing totals, newest first, of at most one day.
 * @returns how many were stored; 0 if none are missing
 */
export async function storeTotals({ db }: { db: Db }): Promise<number> {
  if (await isEmpty(db)) return 0;
  const now = db.now();
  const kept = startOf(DAY, now) - (DAYS_KEPT - 1) * DAY;
  await forgetAhead(db, now);
  await deleteOld(db, kept);
  const first = await findFirstDay(db.heavy);
  if (first === null) return 0;
  const settled = startOf(HOUR, now - SETTLED_MS);
  const oldest = Math.max(first, kept);
  const days = await findStarts(db.heavy, DAY, { from: oldest, to: settled, now });
  for (let day = startOf(DAY, settled); day >= oldest; day -= DAY) {
    const stored = days.has(day) ? 0 : await storeDay(db, day, { settled, now });
    if (stored > 0) return stored;
  }
  return 0;
}

/** There is nothing to count, and nothing was counted: a new service finds that out without starting a thread for it. */
async function isEmpty({ query }: Reader): Promise<boolean> {
  const [task] = await query
    .selectFrom("tasks")
    .select("id")
    .limit(1)
    .modifyEnd(beyondHome("counts and statistics"))
    .execute();
  const [total] = await query.selectFrom("task_totals").select("start").limit(1).execute();
  return task === undefined && total === undefined;
}

async function storeDay(db: Db, day: number, { settled, now }: { settled: number; now: number }): Promise<number> {
  const range = { from: day, to: Math.min(day + DAY, settled), now };
  const hours = await findStarts(db.heavy, HOUR, range);
  const wanted: Key[] = [];
  for (let start = range.from; start < range.to; start += HOUR)
    if (!hours.has(start)) wanted.push({ span: HOUR, start });
  if (day + DAY <= settled) wanted.push({ span: DAY, start: day });
  if (wanted.length === 0) return 0;

  const claims = await db.write((tx) => claim(tx, wanted));
  const counted: Counted[] = [];
  for (const hour of claims.filter(({ span }) => span === HOUR))
    counted.push({ ...hour, totals: await readTotals(db.heavy, hour.start, hour.start + HOUR) });
  const stored = await save(db, counted, now);

  const whole = claims.find(({ span }) => span === DAY);
  const parts = whole ? await findTotals(db.heavy, HOUR, range) : [];
  // If an hour was deleted in the meantime, the day has to wait.
  if (!whole || parts.length < DAY / HOUR) return stored;
  return stored + (await save(db, [{ ...whole, totals: sumTotals(parts.map(({ totals }) => totals)) }], now));
}

async function findStarts(reader: Reader, span: number, spans: Spans): Promise<Set<number>> {
  return new Set((await findStoredVersions(reader, span, spans)).map(({ start }) => start));
}

/** Returns the versions under which these totals may be written. Deleting totals invalidates the version. */
async function claim(tx: Tx, keys: Key[]): Promise<Claim[]> {
  await tx.query
    .insertInto("task_totals")
    .values(inOrder(keys).map((key) => ({ ...key, version: 0 })))
    .onConflict((conflict) => conflict.columns(["span", "start"]).doNothing())
    .execute();
  return tx.query
    .selectFrom("task_totals")
    .select(["span", "start", "version"])
    .where((where) => where.or(keys.map((key) => where.and(key))))
    .where("computed_at", "is", null)
    .orderBy("span")
    .orderBy("start")
    .execute();
}

/**
 * Writes totals, except those that were deleted, or written by another process, since they were claimed.
 * @returns how many were written
 */
async function save(db: Db, counted: Counted[], computed_at: number): Promise<number> {
  if (counted.length === 0) return 0;
  return db.write(async (tx) => {
    let saved = 0;
    for (const { span, start, version, totals } of counted) {
      const { numUpdatedRows } = await tx.query
        .updateTable("task_totals")
        .set({ totals: JSON.stringify(totals), computed_at })
        .where("span", "=", span)
        .where("start", "=", start)
        .where("version", "=", version)
        .where("computed_at", "is", null)
        .executeTakeFirstOrThrow();
      saved += Number(numUpdatedRows);
    }
    return saved;
  });
}

/**
 * Forgets what was stored under a clock that was ahead and has been set back: those hours were not over. A row is wrong
 * only if something was written after it into an hour that had seemed settled, so at a time that lies at least
 * `SETTLED_MS` before its `computed_at`; looking more often than that finds it before the clock has caught up with it.
 */
async function forgetAhead(db: Db, now: number): Promise<void> {
  const ahead = await db.heavy.query
    .selectFrom("task_totals")
    .select("start")
    .where("computed_at", ">", now + AHEAD_MS)
    .limit(1)
    .execute();
  if (ahead.length === 0) return;
  await db.write((tx) =>
    tx.query
      .updateTable("task_totals")
      .set((set) => ({ version: set("version", "+", 1), computed_at: null, totals: null }))
      .where("computed_at", ">", now + AHEAD_MS)
      .execute(),
  );
}

async function deleteOld(db: Db, before: number): Promise<void> {
  const { old } = await db.heavy.query
    .selectFrom("task_totals")
    .select((select) => select.fn.countAll<number>().as("old"))
    .where("span", "in", [HOUR, DAY])
    .where("start", "<", before)
    .executeTakeFirstOrThrow();
  if (old > 0) await db.write((tx) => tx.query.deleteFrom("task_totals").where("start", "<", before).execute());
}

/** Keeps the totals complete until it is stopped. */
export function startTotals(ctx: { db: Db; log: Logger }): { stop(): Promise<void> } {
  return startRepeating(ctx, {
    // After an upgrade there is a year to count: others get in between.
    run: async () => ((await storeTotals(ctx)) > 0 ? BETWEEN_MS : LOOK_EVERY_MS),
    onError: "Storing totals of tasks failed; trying again",
    retryMs: LOOK_EVERY_MS,
  });
}
