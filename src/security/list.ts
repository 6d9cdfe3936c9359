import type { Reader } from "../db/database.ts";
import type { SecurityEventRow } from "../db/schema.ts";
import { lowestId } from "../lib/ids.ts";
import { emailKey } from "../lib/text.ts";
import { SECOND } from "../lib/time.ts";
import type { SecurityEventType, SecurityOutcome } from "./catalogue.ts";

export interface SecurityEventFilter {
  type?: readonly SecurityEventType[] | undefined;
  outcome?: SecurityOutcome | undefined;
  /** An id or an email. */
  actor?: string | undefined;
  address?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined;
}

/** Lists events, newest first, that are older than the one with the id `before`. */
export async function listSecurityEvents(
  { query }: Reader,
  { type, outcome, actor, address, from, until }: SecurityEventFilter,
  before: string | null,
  limit: number,
): Promise<SecurityEventRow[]> {
  let select = query.selectFrom("security_events").selectAll();
  if (type !== undefined && type.length > 0) select = select.where("type", "in", type);
  if (outcome !== undefined) select = select.where("outcome", "=", outcome);
  if (actor !== undefined)
    select = actor.includes("@")
      ? select.where("actor_email", "=", emailKey(actor))
      : select.where("actor_id", "=", actor);
  if (address !== undefined) select = select.where("address", "=", address);
  // The time in an id is that of the event, or up to a second later.
  if (from !== undefined) select = select.where("at", ">=", from).where("id", ">=", lowestId("sec", Math.max(from, 0)));
  if (until !== undefined)
    select = select.where("at", "<", until).where("id", "<", lowestId("sec", Math.max(until + 2 * SECOND, 0)));
  if (before !== null) select = select.where("id", "<", before);
  return select.orderBy("id", "desc").limit(limit).execute();
}
