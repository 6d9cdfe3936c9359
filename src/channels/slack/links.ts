import { t } from "../../../languages/text.ts";
import type { Config } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { isId } from "../../lib/ids.ts";
import { findTaskWithDocuments } from "../../tasks/store.ts";
import type { Door } from "../action/door.ts";
import { isProof, PROOF_CHARACTERS, proofOf } from "../action/proofs.ts";
import { SlackFailure } from "./client.ts";
import type { Who } from "./clicks/click-context.ts";
import { slackForm } from "./modal/form.ts";
import { slackCallerOf } from "./clicks/people.ts";
import type { Workspaces } from "./workspaces/workspaces.ts";

/*
 * A link lets one member of a workspace answer one task that Slack itself cannot ask. It contains the task, the member, their
 * user, if any, and the channel of the message that it was asked for in. It allows what that message allows. Nothing is stored
 * for it. It works until the task is closed, and access is checked at each use.
 */

interface Ctx {
  config: Config;
  db: Db;
}

const PATH = "/api/channels/slack/action/";
/** Placeholder for a member without a user. */
const NO_USER = "-";

/** The reason why a member gets a link. */
interface LinkOptions {
  /** The member's user, or null. */
  user_id: string | null;
  /** The channel of the message in which they asked for it. */
  channel: string;
}

/** Returns the URL of the page on which a member answers. */
export function createSlackLink(
  ctx: { config: Config },
  task_id: string,
  who: Who,
  { user_id, channel }: LinkOptions,
): string {
  const named = [task_id, who.team_id, who.user_id, user_id ?? NO_USER, channel];
  return `${ctx.config.publicUrl}${PATH}${[...named, proofOf(ctx, "slack_link", named.join(" "))].join(".")}`;
}

/** Links from Slack, which open the page of one task. */
export function createSlackDoor(ctx: Ctx, workspaces: Workspaces | null): Door {
  return {
    channel: "slack",
    path: PATH,
    again: () =>
      t("Press the button in Slack again for a new link. If that does not help, ask the person who sent the task."),
    gone: () => t("The account of this link was deactivated or belongs to someone else now."),
    open: async (token) => {
      const named = token.split(".");
      const proof = named.pop() ?? "";
      // An earlier release left out the channel. Such a link allows what a direct message allows.
      const [task_id = "", team_id = "", member_id = "", user_id = "", channel = null] = named;
      if (named.length < 4 || named.length > 5 || proof.length !== PROOF_CHARACTERS || !isId("tsk", task_id))
        return null;
      if (!isProof(ctx, "slack_link", named.join(" "), proof)) return null;
      const task = await findTaskWithDocuments(ctx.db, task_id);
      if (task === null) return null;
      if (workspaces === null) return { task, caller: null };
      const who = { team_id, user_id: member_id };
      const caller = await slackCallerOf(ctx.db, workspaces, who, task, channel).catch(unavailable);
      // The link is for that user, even if the member belongs to another user now.
      const isTheirs = user_id === NO_USER || caller.person?.id === user_id;
      return { task, caller: isTheirs ? caller : null };
    },
    formOf: slackForm,
  };
}

function unavailable(error: unknown): never {
  if (!(error instanceof SlackFailure)) throw error;
  const message = "Slack cannot confirm who this link is for right now. Nothing was sent.";
  throw new ServiceError("SLACK_UNAVAILABLE", { message, cause: error });
}
