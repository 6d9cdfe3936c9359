import type { Context } from "../../context.ts";
import type { SlackCaller } from "../../people/caller.ts";
import { findUserByEmail, findUserBySlack } from "../../people/store.ts";
import { parseNotify } from "../../tasks/notify.ts";
import type { WholeTask } from "../../tasks/store.ts";
import { SlackFailure, type Slack } from "./client.ts";

/**
 * Who pressed something: somebody of the directory, by their Slack id or else by the address that Slack has confirmed.
 * Somebody who was deactivated is nobody there, and stays so under any address.
 */
export async function slackCallerOf(
  { db }: Pick<Context, "db">,
  slack: Slack,
  { team_id, user_id }: { team_id: string; user_id: string },
  task: Pick<WholeTask, "id" | "notify">,
): Promise<SlackCaller> {
  const known = await findUserBySlack(db, team_id, user_id);
  // In a channel that is shared there are people of other workspaces: they are believed by their ids alone.
  const isOurs = team_id === (await slack.team()).id;
  const named_by = isOurs && isNamed(task, user_id) ? task.id : null;
  const caller = { kind: "slack", team_id, user_id, named_by } as const;
  if (known !== null)
    return {
      ...caller,
      email: known.email,
      user: known.active ? known : null,
      ...(!known.active && { named_by: null }),
    };
  const email = isOurs ? await confirmedEmail(slack, { team_id, user_id }) : null;
  const found = email === null ? null : await findUserByEmail(db, email);
  if (found?.active === false) return { ...caller, email, user: null, named_by: null };
  return { ...caller, email: found?.email ?? email, user: found };
}

/** The address that our workspace vouches for; those of its guests from elsewhere are whatever others have set. */
async function confirmedEmail(
  slack: Slack,
  { team_id, user_id }: { team_id: string; user_id: string },
): Promise<string | null> {
  try {
    const member = await slack.member(user_id);
    return member.team_id === team_id ? member.email : null;
  } catch (error) {
    // Without the permission to read addresses, people are known by their ids alone.
    if (error instanceof SlackFailure && error.isFinal) return null;
    throw error;
  }
}

/** Whether `notify` names this person, and nobody else in Slack. */
function isNamed({ notify }: Pick<WholeTask, "notify">, user_id: string): boolean {
  const to = notify === null ? [] : parseNotify(JSON.parse(notify) as string[]);
  const targets = new Set(to.flatMap((one) => (one.channel === "slack" ? [one.target] : [])));
  return targets.size === 1 && targets.has(user_id);
}
