import type { Reader } from "../../../db/database.ts";
import { accountOf, type Account } from "../../../people/accounts.ts";
import type { MemberGrant, Person, RecipientCaller } from "../../../people/caller.ts";
import { isActiveIn } from "../../../people/caller.ts";
import { toPerson } from "../../../people/sign-in.ts";
import { findUserByAccount, findUserByEmail } from "../../../people/store.ts";
import { toldOf, type Told } from "../../../escalation/ladder.ts";
import { parseNotify } from "../../../tasks/notify.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { SlackFailure } from "../client.ts";
import { isAssignedOnly } from "../messages.ts";
import type { Who } from "./click-context.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

type WorkspaceLookup = Pick<Workspaces, "only" | "find">;

/** A member of a workspace who clicked. */
export type SlackCaller = RecipientCaller<MemberGrant> & { account: Account };

/**
 * Returns a member of a workspace as a caller for a task. A Slack id in the directory identifies the user, and then email
 * addresses are ignored. Otherwise the email that Slack has confirmed identifies the user. A deactivated user is unknown,
 * under any address.
 *
 * @param channel - where the message is in which they answer; null if it is a direct message
 * @throws SlackFailure if Slack cannot identify the member at the moment
 */
export async function slackCallerOf(
  reader: Reader,
  workspaces: WorkspaceLookup,
  { team_id, user_id }: Who,
  task: Told & Pick<TaskWithDocuments, "id" | "project">,
  channel: string | null,
): Promise<SlackCaller> {
  const is_assigned_only = await isAssignedOnly(reader, task.id, { team_id, user_id }, channel);
  const callerWith = (person: Person | null, email: string | null, named_by: string | null): SlackCaller => ({
    kind: "recipient",
    channel: "slack",
    person,
    email,
    account: { team_id, user_id },
    grant: { kind: "member", named_by, is_assigned_only },
  });
  const nobody = callerWith(null, null, null);
  const known = await findUserByAccount(reader, team_id, user_id);
  if (known !== null && !isActiveIn(known, task.project)) return nobody;
  const only = await onlyOf(workspaces);
  const named_by = isNamed(task, { team_id, user_id }, only) ? task.id : null;
  if (known !== null) return callerWith(toPerson(known), known.email, named_by);
  // A shared channel has people of other workspaces.
  const email = only === team_id ? await confirmedEmail(workspaces, { team_id, user_id }) : null;
  if (email === null) return callerWith(null, null, named_by);
  const found = await findUserByEmail(reader, email);
  if (found === null) return callerWith(null, email, named_by);
  if (!isActiveIn(found, task.project)) return nobody;
  // A user with a Slack id is identified by it alone, so this is another person.
  if (accountOf(found) !== null) return callerWith(null, null, named_by);
  return callerWith(toPerson(found), found.email, named_by);
}

/** Returns the only workspace, or null. If Slack cannot tell, addresses name no one, as with several workspaces. */
async function onlyOf(workspaces: WorkspaceLookup): Promise<string | null> {
  return workspaces.only().catch(unlessPassing);
}

/** Returns null for a permanent error. Rethrows a temporary one, so that the caller tries again. */
function unlessPassing(error: unknown): null {
  if (error instanceof SlackFailure && error.isFinal) return null;
  throw error;
}

/** Returns the confirmed email of a member. Other workspaces set the emails of their guests, so those do not count. */
async function confirmedEmail(workspaces: WorkspaceLookup, { team_id, user_id }: Who): Promise<string | null> {
  // Without the permission to read emails, people are identified only by their ids.
  const ask = async () => (await workspaces.find(team_id)).member(user_id);
  const member = await ask().catch(unlessPassing);
  return member?.team_id === team_id ? member.email : null;
}

/**
 * Returns whether `notify` names this member and no one else in Slack. Ids are unique within a workspace.
 * @param only - the workspace of entries without one; null if there are several
 */
function isNamed(task: Told, { team_id, user_id }: Who, only: string | null): boolean {
  const posts = parseNotify(toldOf(task)).filter(({ channel }) => channel === "slack");
  const targets = new Set(posts.map(({ via, target }) => `${via ?? only} ${target}`));
  return targets.size === 1 && targets.has(`${team_id} ${user_id}`);
}
