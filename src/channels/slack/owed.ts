import type { Config } from "../../config.ts";
import type { Tx } from "../../db/database.ts";
import { addOwed, DELIVERIES_HINT, owe } from "../../deliveries/store.ts";
import { recordNotification } from "../../tasks/audit.ts";
import type { Message } from "../../tasks/messages.ts";
import { personAt } from "../../tasks/routing.ts";
import { INACTIVE } from "../inactive.ts";
import type { Destination } from "../../tasks/notify.ts";

/** What stands in the body of an owed message; it is written when it is sent, as the task is then. */
export interface OwedPost {
  /** The workspace that `notify` names; null: the one there is. */
  team: string | null;
}

type SlackDestination = Extract<Destination, { channel: "slack" }>;

/**
 * Owes each channel or person one message, which is changed with its task from then on. For somebody who was deactivated, it
 * is noted as failed.
 */
export async function owePosts(
  { config }: { config: Config },
  tx: Tx,
  { task_id, purpose, at }: Message,
  to: readonly SlackDestination[],
): Promise<void> {
  // A message that is there already shows that an answer was sent back.
  if (purpose !== "decision") return;
  const told = new Set<string>();
  for (const destination of to) {
    const { team, target } = destination;
    const name = `${team ?? ""} ${target}`;
    if (told.has(name)) continue;
    told.add(name);
    const failed = (error: string) => recordNotification(tx, task_id, { channel: "slack", to: target, purpose, error });
    if ((await personAt(tx, destination))?.user?.active === false) {
      await failed(`${INACTIVE.error}: ${INACTIVE.message}`);
      continue;
    }
    if (config.slack === null) {
      await failed("not_set_up: This server has no Slack connection.");
      continue;
    }
    const body: OwedPost = { team };
    const owed = owe({
      kind: "slack",
      task_id,
      destination: target,
      origin: `slack:${team ?? ""}`,
      body: JSON.stringify(body),
      due_at: at,
    });
    await addOwed(tx, owed);
    if (owed.hold) tx.afterCommit(owed.hold);
    else tx.hint(DELIVERIES_HINT);
  }
}
