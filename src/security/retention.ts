import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Db, Tx } from "../db/database.ts";
import { startHourly } from "../lib/hourly.ts";
import { lowestId } from "../lib/ids.ts";
import { DAY } from "../lib/time.ts";

interface Ctx {
  config: Pick<Config, "securityEventsDays">;
  db: Db;
}

/** Anyone can cause failures, so the oldest make room for new ones, however long the others are kept. */
const FAILURES_MAX = 200_000;
/** Rows that one transaction deletes; on SQLite, that is one turn of the event loop. */
const BATCH = 500;

/** Deletes events that are older than the setting says, and the oldest failures beyond the maximum. */
export async function tidySecurityEvents({ config, db }: Ctx, failuresMax = FAILURES_MAX): Promise<void> {
  await deleteUpTo(db, lowestId("sec", db.now() - config.securityEventsDays * DAY), null);
  const oldest = await db.heavy.query
    .selectFrom("security_events")
    .select("id")
    .where("outcome", "=", "failure")
    .orderBy("id", "desc")
    .offset(failuresMax)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined) await deleteUpTo(db, oldest.id, "failure");
}

async function deleteUpTo(db: Db, id: string, outcome: string | null): Promise<void> {
  const deleteBatch = async (tx: Tx) => {
    const select = tx.query
      .selectFrom("security_events")
      .select("id")
      .where("id", "<=", id)
      .$if(outcome !== null, (query) => query.where("outcome", "=", outcome!))
      .orderBy("id")
      .limit(BATCH);
    return tx.query.deleteFrom("security_events").where("id", "in", select).executeTakeFirst();
  };
  for (let deleted = BATCH; deleted === BATCH;) deleted = Number((await db.write(deleteBatch)).numDeletedRows);
}

/** Tidies every hour until it is stopped. */
export function startSecurityTidying(ctx: Ctx & { log: Logger }): { stop(): Promise<void> } {
  return startHourly(ctx, {
    run: async () => tidySecurityEvents(ctx),
    onError: "Removing old security events failed; trying again in an hour",
  });
}
