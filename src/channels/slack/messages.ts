import type { Reader } from "../../db/database.ts";
import { homeOf } from "../../db/home.ts";
import type { Who } from "./clicks/click-context.ts";
import { isSlackChannel } from "./notifiable.ts";
import type { PostBody } from "./notices.ts";
import { readPlace } from "./place.ts";

/**
 * Returns whether a member was sent their message of a task only because the task was assigned to them, or changed. Messages in a channel
 * are never sent for that reason.
 *
 * @param channel - where the message is; null if it is a direct message
 */
export async function isAssignedOnly(
  reader: Reader,
  task_id: string,
  who: Who,
  channel: string | null,
): Promise<boolean> {
  if (channel !== null && isSlackChannel(channel)) return false;
  const rows = await reader.query
    .selectFrom("deliveries")
    .innerJoin("delivery_bodies", (join) =>
      join
        .onRef("delivery_bodies.delivery_id", "=", "deliveries.id")
        .onRef("delivery_bodies.home", "=", "deliveries.home"),
    )
    .leftJoin("delivery_places", (join) =>
      join
        .onRef("delivery_places.delivery_id", "=", "deliveries.id")
        .onRef("delivery_places.home", "=", "deliveries.home"),
    )
    .select(["deliveries.destination", "delivery_bodies.body", "delivery_places.place"])
    .where("deliveries.task_id", "=", task_id)
    .where("deliveries.home", "=", homeOf(task_id))
    .where("deliveries.kind", "=", "slack")
    .execute();
  const purposes = rows
    .map(({ body, ...row }) => ({ ...row, ...(JSON.parse(body) as PostBody) }))
    .filter((message) => isTo(who, message))
    .map(({ purpose = "decision" }) => purpose);
  return purposes.length > 0 && purposes.every((purpose) => purpose !== "decision");
}

/** Returns whether a message is to this member. Who is behind a handle or an address is known once it is posted. */
function isTo(
  { team_id, user_id }: Who,
  { destination, team, place }: { destination: string; team: string | null; place: string | null },
): boolean {
  const person = place === null ? null : readPlace(place).person;
  if (person !== null) return person.team_id === team_id && person.user_id === user_id;
  return destination === user_id && (team === null || team === team_id);
}
