import { type Expression, sql, type SqlBool } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { type BulkRead, type BulkWrite, readBulk, writeBulk } from "../db/bulk.ts";
import { type Db, type Dialect, type Reader, readStatement, type Tx, writeStatement } from "../db/database.ts";
import { homeOf, type Located } from "../db/home.ts";
import { type Ids, idsFor, isAmong, isOneOf, isSelected, type Locations, locationsFor } from "../db/ids.ts";
import { forUpdateOfFree } from "../db/locks.ts";
import { byShard } from "../db/shards.ts";
import { heldUntil, type HeldDelivery } from "./after-response.ts";
import { DELIVERIES_HINT, type OfDelivery } from "./store.ts";

/** Waits for an attempt, and has no lease. Spelled like the indexes that hold exactly these rows. */
export const isReady = sql<SqlBool>`lease_owner is null and next_attempt_at is not null`;

const KEY = ["id", "home"] as const;

/** The right to make the next attempt of a delivery. */
export interface Lease {
  /** The engine that makes the attempt. */
  owner: string;
  /** When other engines may make it again, in epoch milliseconds. */
  until: number;
}

export interface ClaimedDelivery extends Located {
  kind: string;
  task_id: string;
  destination: string;
  origin: string;
  cycle: number;
  attempt_count: number;
  lease_epoch: number;
  losses: number;
}

interface ClaimParams extends Locations {
  held: Ids;
  now: number;
  held_until: number;
  owner: string;
  until: number;
}

const CLAIMED = [
  "id",
  "home",
  "kind",
  "task_id",
  "destination",
  "origin",
  "cycle",
  "attempt_count",
  "lease_epoch",
  "losses",
] as const;

const claim = writeStatement<ClaimParams, ClaimedDelivery>((query, param, dialect) =>
  claimUpdate(query, param, dialect),
);

const claimWithBodies: BulkWrite<ClaimParams, ClaimedDelivery & { body: string | null }> = {
  atOnce: writeStatement((query, param, dialect) =>
    query
      .with("claimed", (cte) => claimUpdate(cte, param, dialect))
      .selectFrom("claimed")
      .leftJoin("delivery_bodies", (join) =>
        join.onRef("delivery_bodies.delivery_id", "=", "claimed.id").onRef("delivery_bodies.home", "=", "claimed.home"),
      )
      .selectAll("claimed")
      .select("delivery_bodies.body"),
  ),
  toParams: (params) => params,
  inSteps: async (tx, params) => {
    const claimed = await tx.run(claim, params);
    const bodies = await findBodies(tx, claimed);
    return claimed.map((row) => ({ ...row, body: bodies.get(row.id) ?? null }));
  },
};

function claimUpdate(
  query: Pick<Tx["query"], "updateTable" | "selectFrom">,
  param: <K extends keyof ClaimParams>(name: K) => ClaimParams[K],
  dialect: Dialect,
) {
  // Another process may have made a failed attempt since: then the row is held no longer, and is due at its own time.
  const isFree = sql<SqlBool>`${isReady} and next_attempt_at <= case
    when status = 'PENDING' and ${isAmong(dialect, "id", param("held"))}
    then cast(${param("held_until")} as bigint) else cast(${param("now")} as bigint) end`;
  const update = query
    .updateTable("deliveries")
    .set({ lease_owner: param("owner"), lease_until: param("until"), lease_epoch: sql<number>`lease_epoch + 1` })
    .returning(CLAIMED)
    .modifyEnd(beyondHome("claimed deliveries"));
  // Citus locks no rows in a subquery. The update waits for a row that is locked, and looks at its condition again.
  return dialect === "citus"
    ? update.where(isOneOf(dialect, KEY, { ids: param("ids"), homes: param("homes") })).where(isFree)
    : update.where(isSelected(dialect, KEY, () => selectFree(query, param, dialect, isFree)));
}

/**
 * Selects and locks those of the asked deliveries that are free. On PostgreSQL one after the other, by their keys: with a
 * long backlog, the database would else read all deliveries that are ready, and look for the asked ones among them.
 */
function selectFree(
  query: Pick<Tx["query"], "selectFrom">,
  param: <K extends keyof ClaimParams>(name: K) => ClaimParams[K],
  dialect: Dialect,
  isFree: Expression<SqlBool>,
): Expression<unknown> {
  const free = query.selectFrom("deliveries").where(isFree);
  if (dialect === "sqlite") return free.select("id").where(isAmong(dialect, "id", param("ids")));
  const one = free.select(KEY).where(sql<SqlBool>`deliveries.id = wanted.id and deliveries.home = wanted.home`);
  return sql`(
    select free.id, free.home
    from unnest(${param("ids")}::text[], ${param("homes")}::integer[]) as wanted (id, home)
    cross join lateral ${forUpdateOfFree(dialect, one)} as free
  )`;
}

/**
 * Takes a lease for each delivery of `due` that is due, and for each of `held`, whose response was sent. Leaves out those
 * that another engine has taken.
 */
export async function claimDeliveries(
  db: Db,
  { due, held }: { due: readonly Located[]; held: readonly Located[] },
  { owner, until }: Lease,
): Promise<(ClaimedDelivery & { body: string | null })[]> {
  const now = db.now();
  const heldIds = idsFor(
    db,
    held.map(({ id }) => id),
  );
  const claimOf = async (some: readonly Located[]) =>
    writeBulk(db, claimWithBodies, {
      ...locationsFor(db, some),
      held: heldIds,
      now,
      held_until: heldUntil(now),
      owner,
      until,
    });
  const claims = await Promise.allSettled(byShard(db, [...held, ...due], ({ home }) => home).map(claimOf));
  // What one shard gave belongs to this engine, whatever became of the others.
  const claimed = claims.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const failed = claims.find((one) => one.status === "rejected");
  if (failed !== undefined && claimed.length === 0) throw failed.reason;
  return claimed;
}

const setDue = writeStatement<Locations & { now: number; held_until: number }>((query, param, dialect) =>
  query
    .updateTable("deliveries")
    .set({ next_attempt_at: param("now") })
    .where(isOneOf(dialect, KEY, { ids: param("ids"), homes: param("homes") }))
    .where(isReady)
    .where("status", "=", "PENDING")
    .where("next_attempt_at", ">", param("now"))
    .where("next_attempt_at", "<=", param("held_until")),
);

/** Makes held rows due now, for the first engine that has a free slot. */
export async function makeDue(db: Db, held: readonly Located[]): Promise<void> {
  const now = db.now();
  for (const some of byShard(db, held, ({ home }) => home))
    await db.writeOne(setDue, { ...locationsFor(db, some), now, held_until: heldUntil(now) });
  db.hints.publish([DELIVERIES_HINT]);
}

const selectBody = readStatement<Located, { body: string }>((query, param) =>
  query
    .selectFrom("delivery_bodies")
    .select("body")
    .where("delivery_id", "=", param("id"))
    .where("home", "=", param("home")),
);

/** Reads the body of a delivery; null if it was deleted. */
export async function findBody(reader: Pick<Reader, "run">, { id, task_id }: OfDelivery): Promise<string | null> {
  const [row] = await reader.run(selectBody, { id, home: homeOf(task_id) });
  return row?.body ?? null;
}

const selectBodies = readStatement<Locations, { delivery_id: string; body: string }>((query, param, dialect) =>
  query
    .selectFrom("delivery_bodies")
    .select(["delivery_id", "body"])
    .where(isOneOf(dialect, ["delivery_id", "home"], { ids: param("ids"), homes: param("homes") })),
);

/** Reads bodies, by the id of their delivery. */
async function findBodies(
  reader: Pick<Reader, "run" | "dialect">,
  deliveries: readonly Located[],
): Promise<Map<string, string>> {
  const rows = await reader.run(selectBodies, locationsFor(reader, deliveries));
  return new Map(rows.map(({ delivery_id, body }) => [delivery_id, body]));
}

const selectDueOrigins = readStatement<{ now: number; limit: number }, { origin: string }>((query, param) =>
  query
    .selectFrom("deliveries")
    .select("origin")
    .where(isReady)
    .where("next_attempt_at", "<=", param("now"))
    .orderBy("next_attempt_at")
    .limit(param("limit"))
    .modifyEnd(beyondHome("due origins")),
);

/** Lists the origins of the deliveries that have been due the longest: one entry for each delivery. */
export async function listDueOrigins(reader: Reader, now: number, limit: number): Promise<string[]> {
  return (await reader.run(selectDueOrigins, { now, limit })).map(({ origin }) => origin);
}

const walkOrigins = readStatement<{ after: string; now: number; limit: number }, { origin: string; is_due: number }>(
  (query, param) =>
    query
      .withRecursive("heads(origin, n)", (heads) =>
        heads.selectNoFrom([nextOrigin(sql`${param("after")}`).as("origin"), sql<number>`1`.as("n")]).unionAll(
          heads
            .selectFrom("heads")
            .select([nextOrigin(sql`heads.origin`).as("origin"), sql<number>`heads.n + 1`.as("n")])
            .where("heads.origin", "is not", null)
            .where("heads.n", "<", param("limit")),
        ),
      )
      .selectFrom("heads")
      .select([
        sql<string>`heads.origin`.as("origin"),
        sql<number>`case when exists (select 1 from deliveries where ${isReady} and origin = heads.origin
          and next_attempt_at <= ${param("now")}) then 1 else 0 end`.as("is_due"),
      ])
      .where("heads.origin", "is not", null)
      .orderBy("heads.n")
      .modifyEnd(beyondHome("walk over origins")),
);

function nextOrigin(after: Expression<unknown>) {
  return sql<string | null>`(select origin from deliveries where ${isReady} and origin > ${after}
    order by origin, next_attempt_at limit 1)`;
}

/** The same on Citus, which has no recursion over shards: each shard reads all of its deliveries that wait. */
const groupOrigins = readStatement<{ after: string; now: number; limit: number }, { origin: string; is_due: number }>(
  (query, param) =>
    query
      .selectFrom("deliveries")
      .select(["origin", sql<number>`case when min(next_attempt_at) <= ${param("now")} then 1 else 0 end`.as("is_due")])
      .where(isReady)
      .where("origin", ">", param("after"))
      .groupBy("origin")
      .orderBy("origin")
      .limit(param("limit"))
      .modifyEnd(beyondHome("due origins")),
);

/**
 * Lists the origins that have due deliveries, among the next `limit` origins with deliveries that wait. Goes from origin to
 * origin along the index and skips the deliveries between, so the cost grows with the number of origins only.
 *
 * @returns `last`: the origin after which to continue; null at the end
 */
export async function walkDueOrigins(
  reader: Reader,
  after: string,
  now: number,
  limit: number,
): Promise<{ due: string[]; last: string | null }> {
  const rows = await reader.run(reader.dialect === "citus" ? groupOrigins : walkOrigins, { after, now, limit });
  return {
    due: rows.filter(({ is_due }) => is_due === 1).map(({ origin }) => origin),
    last: rows.length < limit ? null : rows.at(-1)!.origin,
  };
}

/** How many deliveries of an origin are wanted. */
export interface Wanted {
  origin: string;
  count: number;
}

const selectDueOfOrigin = readStatement<{ origin: string; now: number; count: number }, Located>((query, param) =>
  query
    .selectFrom("deliveries")
    .select(KEY)
    .where(isReady)
    .where("origin", "=", param("origin"))
    .where("next_attempt_at", "<=", param("now"))
    .orderBy("next_attempt_at")
    .limit(param("count"))
    .modifyEnd(beyondHome("due deliveries of origins")),
);

interface DueOf {
  wanted: readonly Wanted[];
  now: number;
}

const dueOfOrigins: BulkRead<DueOf, HeldDelivery> = {
  atOnce: readStatement<{ origins: unknown; counts: unknown; now: number }, HeldDelivery>((query, param) =>
    query
      .selectFrom(
        sql<Wanted>`unnest(${param("origins")}::text[], ${param("counts")}::int[])`.as<"wanted">(
          sql`wanted(origin, count)`,
        ),
      )
      .innerJoinLateral(
        (d) =>
          d
            .selectFrom("deliveries")
            .select(KEY)
            .where(isReady)
            .where(sql<SqlBool>`deliveries.origin = wanted.origin`)
            .where("next_attempt_at", "<=", param("now"))
            .orderBy("next_attempt_at")
            .limit(sql<number>`wanted.count`)
            .as("due"),
        (join) => join.onTrue(),
      )
      .select(["due.id", "due.home", "wanted.origin"])
      .modifyEnd(beyondHome("due deliveries of origins")),
  ),
  toParams: ({ wanted, now }) => ({
    origins: wanted.map(({ origin }) => origin),
    counts: wanted.map(({ count }) => count),
    now,
  }),
  inSteps: async (reader, { wanted, now }) => {
    const found: HeldDelivery[] = [];
    for (const { origin, count } of wanted)
      for (const due of await reader.run(selectDueOfOrigin, { origin, now, count })) found.push({ ...due, origin });
    return found;
  },
};

/** The same on Citus, which has no subquery with a limit for each row. */
const rankedOfOrigins = readStatement<{ origins: string[]; most: number; now: number }, HeldDelivery>((query, param) =>
  query
    .selectFrom(
      query
        .selectFrom("deliveries")
        .select([...KEY, "origin"])
        .select(sql<number>`row_number() over (partition by origin order by next_attempt_at)`.as("rank"))
        .where(isReady)
        .where(sql<SqlBool>`origin = any(${param("origins")})`)
        .where("next_attempt_at", "<=", param("now"))
        .as("ranked"),
    )
    .select([...KEY, "origin"])
    .where("rank", "<=", param("most"))
    .orderBy("rank")
    .modifyEnd(beyondHome("due deliveries of origins")),
);

/** Lists the deliveries of these origins that have been due the longest. They are not claimed yet. */
export async function listDueOf(reader: Reader, wanted: readonly Wanted[], now: number): Promise<HeldDelivery[]> {
  if (wanted.length === 0) return [];
  if (reader.dialect === "citus") return listRanked(reader, wanted, now);
  return readBulk(reader, dueOfOrigins, { wanted, now });
}

async function listRanked(reader: Reader, wanted: readonly Wanted[], now: number): Promise<HeldDelivery[]> {
  const left = new Map(wanted.map(({ origin, count }) => [origin, count]));
  const most = Math.max(...left.values());
  const found = await reader.run(rankedOfOrigins, { origins: [...left.keys()], most, now });
  return found.filter(({ origin }) => {
    const count = left.get(origin) ?? 0;
    left.set(origin, count - 1);
    return count > 0;
  });
}

const selectNextDue = readStatement<object, { next_attempt_at: number }>((query) =>
  query
    .selectFrom("deliveries")
    .select(sql<number>`next_attempt_at`.as("next_attempt_at"))
    .where(isReady)
    .orderBy("next_attempt_at")
    .limit(1)
    .modifyEnd(beyondHome("next due delivery")),
);

/** Returns when the earliest delivery without a lease is or was due, in epoch milliseconds; null when there is none. */
export async function findNextDue(reader: Reader): Promise<number | null> {
  const [row] = await reader.run(selectNextDue, {});
  return row?.next_attempt_at ?? null;
}

/** Returns how late the most overdue delivery without a lease is. */
export async function overdueSeconds(reader: Reader & { now(): number }): Promise<number> {
  const due = await findNextDue(reader);
  return due === null ? 0 : Math.max(0, reader.now() - due) / 1000;
}
