import type { Config } from "../../config.ts";
import type { Tx } from "../../db/database.ts";
import { homeOf } from "../../db/home.ts";
import { enqueue, LIVE } from "../../deliveries/store.ts";
import { emailKey } from "../../lib/text.ts";
import { isActiveIn } from "../../people/caller.ts";
import { findUserByAccount } from "../../people/store.ts";
import type { Notice, Purpose } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { absence, recordUnreachable } from "../recipients.ts";
import { recipientOf } from "./targets.ts";

/** The stored body of a Slack delivery. The message is created from the task when it is sent. */
export interface PostBody {
  /** The workspace in `notify`; null for the only one. */
  team: string | null;
  /** An earlier release left it out. */
  purpose?: Purpose;
}

const POSTED: ReadonlySet<Purpose> = new Set(["decision", "assigned", "new_round", "revised", "reminder"]);

/**
 * Enqueues one message for each room or person; it is updated with its task. Records a failure if the person is deactivated
 * or Slack is off.
 */
export async function enqueuePosts(
  { config }: { config: Config },
  tx: Tx,
  notice: Notice,
  to: readonly Destination[],
): Promise<void> {
  // The message that is there already shows that an answer was sent back, and how the task was closed.
  if (!POSTED.has(notice.purpose)) return;
  const seen = new Set<string>();
  for (const destination of to) {
    const { via: team, target } = destination;
    const name = `${team ?? ""} ${target}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const user = (await recipientOf(tx, destination))?.user ?? null;
    if (user !== null && !isActiveIn(user, notice.project)) {
      await recordUnreachable(tx, notice, destination, absence(user));
      continue;
    }
    if (config.channels.slack === null) {
      await recordUnreachable(tx, notice, destination, "not_set_up: This server has no Slack connection.");
      continue;
    }
    // The message that is there already shows that the task is theirs, and has replies about changes and reminders.
    if (notice.purpose !== "decision" && (await hasMessage(tx, notice.task_id, destination))) continue;
    const body: PostBody = { team, purpose: notice.purpose };
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

/** Returns whether the task has a message for the person behind a destination. */
async function hasMessage(tx: Tx, task_id: string, { target, via }: Destination): Promise<boolean> {
  const user = await findUserByAccount(tx, via, target);
  const names = new Set([target, ...(user?.email == null ? [] : [emailKey(user.email)])]);
  const rows = await tx.query
    .selectFrom("deliveries")
    .select("destination")
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .where("is_live", "=", LIVE.every_change)
    .where("kind", "=", "slack")
    .execute();
  return rows.some(({ destination }) => names.has(destination) || names.has(emailKey(destination)));
}
