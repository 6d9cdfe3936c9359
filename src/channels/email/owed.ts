import type { Config } from "../../config.ts";
import type { Tx } from "../../db/database.ts";
import { addOwed, DELIVERIES_HINT, owe } from "../../deliveries/store.ts";
import { emailKey } from "../../lib/text.ts";
import { recordNotification } from "../../tasks/audit.ts";
import type { Message, Purpose } from "../../tasks/messages.ts";
import type { Destination } from "../../tasks/notify.ts";
import { personAt } from "../../tasks/routing.ts";
import { INACTIVE } from "../inactive.ts";
import { resolveIdentity } from "./identities.ts";

/** What stands in the body of an owed mail; it is written, and its link made, when it is sent. */
export interface OwedMail {
  purpose: Purpose;
  /** The id of whom it is from. */
  identity: string;
  /** The user who had the address then; null: nobody had it. An earlier release left it out. */
  user_id?: string | null;
}

type EmailDestination = Extract<Destination, { channel: "email" }>;

/**
 * Owes each address one mail. Without a sender, or for somebody who was deactivated, it is noted as failed. (spec: Create a
 * task, notify)
 */
export async function oweMail(
  ctx: { config: Config },
  tx: Tx,
  { task_id, purpose, at }: Message,
  to: readonly EmailDestination[],
): Promise<void> {
  const told = new Set<string>();
  for (const destination of to) {
    const { address } = destination;
    const sender = await resolveIdentity(ctx, tx, destination.identity);
    const name = `${"id" in sender ? sender.id : ""} ${emailKey(address)}`;
    if (told.has(name)) continue;
    told.add(name);
    const user = (await personAt(tx, destination))?.user ?? null;
    const failed = (error: string) =>
      recordNotification(tx, task_id, { channel: "email", to: address, purpose, error });
    if (user?.active === false) {
      await failed(`${INACTIVE.error}: ${INACTIVE.message}`);
      continue;
    }
    if (!("id" in sender)) {
      await failed(sender.error);
      continue;
    }
    const body: OwedMail = { purpose, identity: sender.id, user_id: user?.id ?? null };
    const owed = owe({
      kind: "email",
      task_id,
      destination: address,
      // Mail of one sender goes one way.
      origin: `email:${sender.id}`,
      body: JSON.stringify(body),
      due_at: at,
    });
    await addOwed(tx, owed);
    if (owed.hold) tx.afterCommit(owed.hold);
    else tx.hint(DELIVERIES_HINT);
  }
}
