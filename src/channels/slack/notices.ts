import type { Config } from "../../config.ts";
import type { Tx } from "../../db/database.ts";
import { enqueue } from "../../deliveries/store.ts";
import type { Notice } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { INACTIVE, recordUnreachable } from "../recipients.ts";
import { recipientOf } from "./targets.ts";

/** The stored body of a message that is to be posted; the message is written when it is sent, as the task is then. */
export interface PostBody {
  /** The workspace that `notify` names; null: the only one there is. */
  team: string | null;
}

/**
 * Enqueues one message for each room or person, which is changed with its task from then on. Where the person was
 * deactivated, or there is no app, it is noted as failed.
 */
export async function enqueuePosts(
  { config }: { config: Config },
  tx: Tx,
  notice: Notice,
  to: readonly Destination[],
): Promise<void> {
  // The message that is there already shows that an answer was sent back.
  if (notice.purpose !== "decision") return;
  const seen = new Set<string>();
  for (const destination of to) {
    const { via: team, target } = destination;
    const name = `${team ?? ""} ${target}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if ((await recipientOf(tx, destination))?.user?.active === false) {
      await recordUnreachable(tx, notice, destination, `${INACTIVE.error}: ${INACTIVE.message}`);
      continue;
    }
    if (config.channels.slack === null) {
      await recordUnreachable(tx, notice, destination, "not_set_up: This server has no Slack connection.");
      continue;
    }
    const body: PostBody = { team };
    await enqueue(tx, {
      kind: "slack",
      is_live: true,
      task_id: notice.task_id,
      destination: target,
      origin: `slack:${team ?? ""}`,
      body: JSON.stringify(body),
      due_at: notice.at,
    });
  }
}
