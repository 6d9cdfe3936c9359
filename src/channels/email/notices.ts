import type { Config } from "../../config.ts";
import type { Tx } from "../../db/database.ts";
import { enqueue } from "../../deliveries/store.ts";
import { emailKey } from "../../lib/text.ts";
import type { Notice, Purpose } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { INACTIVE, recipientByEmail, recordUnreachable } from "../recipients.ts";
import { resolveIdentity } from "./identities.ts";

/** The stored body of an email delivery. The email and its link are created when it is sent. */
export interface MailBody {
  purpose: Purpose;
  /** The id of the sender identity. */
  identity: string;
  /** The user who had the address at that time, or null. An earlier release left it out. */
  user_id?: string | null;
}

/**
 * Enqueues one email for each sender and address. Records a failure if there is no sender or the person is deactivated.
 * (spec: Create a task, notify)
 */
export async function enqueueMail(
  ctx: { config: Config },
  tx: Tx,
  notice: Notice,
  to: readonly Destination[],
): Promise<void> {
  const { task_id, purpose, at } = notice;
  const seen = new Set<string>();
  for (const destination of to) {
    const sender = await resolveIdentity(ctx, tx, destination.via);
    const name = `${"id" in sender ? sender.id : ""} ${emailKey(destination.target)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const user = (await recipientByEmail(tx, destination))?.user ?? null;
    if (user?.active === false) {
      await recordUnreachable(tx, notice, destination, `${INACTIVE.error}: ${INACTIVE.message}`);
      continue;
    }
    if (!("id" in sender)) {
      await recordUnreachable(tx, notice, destination, sender.error);
      continue;
    }
    const body: MailBody = { purpose, identity: sender.id, user_id: user?.id ?? null };
    await enqueue(tx, {
      kind: "email",
      task_id,
      destination: destination.target,
      // Mail of one sender goes one way.
      origin: `email:${sender.id}`,
      body: JSON.stringify(body),
      due_at: at,
    });
  }
}
