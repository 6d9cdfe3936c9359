import type { Reader } from "../../../db/database.ts";
import { beyondHome } from "../../../db/beyond-home.ts";
import { threadOfPlace } from "../../../db/migrations/0035-slack-threads.ts";
import { readPlace } from "../place.ts";
import type { Thread } from "./keys.ts";

/** Returns the id of the task whose message a thread belongs to; null if it is no message of ours. */
export async function findTaskOf(reader: Reader, { team, channel, ts }: Thread): Promise<string | null> {
  const rows = await reader.query
    .selectFrom("delivery_places")
    .innerJoin("deliveries", (join) =>
      join
        .onRef("deliveries.id", "=", "delivery_places.delivery_id")
        .onRef("deliveries.home", "=", "delivery_places.home"),
    )
    .select(["deliveries.task_id", "delivery_places.place"])
    // The index of this migration is on the expression.
    .where(threadOfPlace(reader.dialect === "sqlite" ? "sqlite" : "postgres"), "=", ts)
    .where("deliveries.kind", "=", "slack")
    .modifyEnd(beyondHome("task of a thread"))
    .execute();
  const found = rows.find(({ place }) => {
    const at = place === null ? null : readPlace(place);
    return at?.team === team && at.channel === channel;
  });
  return found?.task_id ?? null;
}
