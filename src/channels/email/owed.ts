import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { addOwed, DELIVERIES_HINT, owe } from "../../deliveries/store.ts";
import { emailKey } from "../../lib/text.ts";
import { recordNotification } from "../../tasks/audit.ts";
import type { Message, Purpose } from "../../tasks/messages.ts";
import type { Destination } from "../../tasks/notify.ts";
import { resolveIdentity } from "./identities.ts";

/** What stands in the body of an owed mail; it is written, and its link made, when it is sent. */
export interface OwedMail {
  purpose: Purpose;
  /** The id of whom it is from. */
  identity: string;
}

type EmailDestination = Extract<Destination, { channel: "email" }>;

/** Owes each address one mail; what has no sender is noted as failed. (spec: Create a task, notify) */
export async function oweMail(
  ctx: Pick<Context, "config">,
  tx: Tx,
  { task_id, purpose, at }: Message,
  to: readonly EmailDestination[],
): Promise<void> {
  const told = new Set<string>();
  for (const { identity: wanted, address } of to) {
    const sender = await resolveIdentity(ctx, tx, wanted);
    const name = `${"id" in sender ? sender.id : ""} ${emailKey(address)}`;
    if (told.has(name)) continue;
    told.add(name);
    if (!("id" in sender)) {
      await recordNotification(tx, task_id, { channel: "email", to: address, purpose, error: sender.error });
      continue;
    }
    const body: OwedMail = { purpose, identity: sender.id };
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
