import type { Reader, Tx } from "../../db/database.ts";
import { homeOf } from "../../db/home.ts";
import { forUpdate } from "../../db/locks.ts";
import { emailKey } from "../../lib/text.ts";

/** The `kind` of deliveries that are emails. */
export const EMAIL_KIND = "email";

/** Lists the addresses that emails about a task were sent to, or will be. */
export async function listMailedAddresses(reader: Reader, task_id: string): Promise<string[]> {
  const rows = await reader.query
    .selectFrom("deliveries")
    .select("destination")
    .distinct()
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("kind", "=", EMAIL_KIND)
    .execute();
  return rows.map(({ destination }) => destination);
}

/** An email about a task to one address. */
export interface AddressedMail {
  id: string;
  destination: string;
  is_live: number;
  /** An attempt is still to be made, and none is under way. */
  is_waiting: boolean;
}

/** Lists the emails about a task to one address, sent or not, and locks them until `tx` ends. */
export async function lockMailsTo(tx: Tx, task_id: string, address: string): Promise<AddressedMail[]> {
  return (await lockMails(tx, task_id)).filter(({ destination }) => emailKey(destination) === emailKey(address));
}

/** Lists all emails about a task, sent or not, and locks them until `tx` ends. */
export async function lockMails(tx: Tx, task_id: string): Promise<AddressedMail[]> {
  const select = tx.query
    .selectFrom("deliveries")
    .select(["id", "is_live", "destination", "next_attempt_at", "lease_owner"])
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("kind", "=", EMAIL_KIND)
    .orderBy("id");
  const rows = await forUpdate(tx.dialect, select).execute();
  return rows.map(({ id, destination, is_live, next_attempt_at, lease_owner }) => ({
    id,
    destination,
    is_live,
    is_waiting: next_attempt_at !== null && lease_owner === null,
  }));
}
