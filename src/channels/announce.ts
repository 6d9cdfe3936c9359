import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { recordNotification } from "../tasks/audit.ts";
import type { Announce, Message } from "../tasks/messages.ts";
import type { Destination } from "../tasks/notify.ts";
import { oweMail } from "./email/owed.ts";

/** Everybody is told once, however often they are named. */
export function createAnnounce(ctx: Pick<Context, "config">): Announce {
  return async (tx, message, to) => {
    const mails = to.filter((destination) => destination.channel === "email");
    if (mails.length > 0) await oweMail(ctx, tx, message, mails);
    for (const destination of to)
      if (destination.channel === "slack") await sayThatSlackIsOff(tx, message, destination);
  };
}

async function sayThatSlackIsOff(
  tx: Tx,
  { task_id, purpose }: Message,
  { target }: Extract<Destination, { channel: "slack" }>,
): Promise<void> {
  const error = "not_set_up: This server has no Slack connection.";
  await recordNotification(tx, task_id, { channel: "slack", to: target, purpose, error });
}
