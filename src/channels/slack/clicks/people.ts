import type { Reader } from "../../../db/database.ts";
import { accountOf, type Account } from "../../../people/accounts.ts";
import type { MemberGrant, Person, RecipientCaller } from "../../../people/caller.ts";
import { findUserByAccount, findUserByEmail } from "../../../people/store.ts";
import { parseNotify } from "../../../tasks/notify.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { SlackFailure } from "../client.ts";
import type { Who } from "./click-context.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

type WorkspaceLookup = Pick<Workspaces, "only" | "find">;

/** A member of a workspace who pressed something. */
export type SlackCaller = RecipientCaller<MemberGrant> & { account: Account };

/**
 * Who a member of a workspace is to a task: somebody of the directory, by their Slack id or else by the address that Slack
 * has confirmed. Of those whose Slack id stands in the directory no address is asked, and none of others names them.
 * Somebody who was deactivated is nobody, and stays so under any address.
 *
 * @throws SlackFailure where Slack cannot say who they are at the moment
 */
export async function slackCallerOf(
  reader: Reader,
  workspaces: WorkspaceLookup,
  { team_id, user_id }: Who,
  task: Pick<TaskWithDocuments, "id" | "notify">,
): Promise<SlackCaller> {
  const callerWith = (person: Person | null, email: string | null, named_by: string | null): SlackCaller => ({
    kind: "recipient",
    channel: "slack",
    person,
    email,
    account: { team_id, user_id },
    grant: { kind: "member", named_by },
  });
  const nobody = callerWith(null, null, null);
  const known = await findUserByAccount(reader, team_id, user_id);
  if (known?.active === false) return nobody;
  const only = await onlyOf(workspaces);
  const named_by = isNamed(task, { team_id, user_id }, only) ? task.id : null;
  if (known !== null) return callerWith(known, known.email, named_by);
  // In a channel that is shared there are people of other workspaces.
  const email = only === team_id ? await confirmedEmail(workspaces, { team_id, user_id }) : null;
  if (email === null) return callerWith(null, null, named_by);
  const found = await findUserByEmail(reader, email);
  if (found === null) return callerWith(null, email, named_by);
  if (!found.active) return nobody;
  // Whose Slack id is known is known by that alone: this is somebody else.
  if (accountOf(found) !== null) return callerWith(null, null, named_by);
  return callerWith(found, found.email, named_by);
}

/** Where it cannot be told whether there is one workspace, addresses name nobody, as with several. */
async function onlyOf(workspaces: WorkspaceLookup): Promise<string | null> {
  return workspaces.only().catch(unlessPassing);
}

/** What Slack refuses for good is not known; its own trouble passes, and whoever asked asks again. */
function unlessPassing(error: unknown): null {
  if (error instanceof SlackFailure && error.isFinal) return null;
  throw error;
}

/** The address that our workspace vouches for; those of its guests from elsewhere are whatever others have set. */
async function confirmedEmail(workspaces: WorkspaceLookup, { team_id, user_id }: Who): Promise<string | null> {
  // Without the permission to read addresses, people are known by their ids alone.
  const ask = async () => (await workspaces.find(team_id)).member(user_id);
  const member = await ask().catch(unlessPassing);
  return member?.team_id === team_id ? member.email : null;
}

/**
 * Whether `notify` names this member, and nobody else in Slack. Ids are a workspace's own.
 * @param only - the workspace that is meant where `notify` names none; null: there are several
 */
function isNamed(
  { notify }: Pick<TaskWithDocuments, "notify">,
  { team_id, user_id }: Who,
  only: string | null,
): boolean {
  const posts = parseNotify(notify).filter(({ channel }) => channel === "slack");
  const targets = new Set(posts.map(({ via, target }) => `${via ?? only} ${target}`));
  return targets.size === 1 && targets.has(`${team_id} ${user_id}`);
}
