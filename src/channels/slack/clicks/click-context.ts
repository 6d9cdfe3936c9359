import type { ActionsBlock, ModalView } from "@slack/types";
import { answerFact, endingOf, endings, fillText } from "../../../../endings/sentences.ts";
import { plainLines } from "../../../../form/plain-text.ts";
import type { Logger } from "pino";
import { sayCounted } from "../../../approvals/words.ts";
import type { CompletionContext } from "../../../tasks/tasks.ts";
import { ServiceError } from "../../../errors.ts";
import { isId } from "../../../lib/ids.ts";
import { answerStateOf } from "../../../tasks/answer-state.ts";
import { sayWhyNot } from "../../../tasks/access.ts";
import { nameOf } from "../../../tasks/answerers.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../../tasks/store.ts";
import { answererOf } from "../../answers.ts";
import { SlackFailure, type Slack, type Whereabouts } from "../client.ts";
import { fallbackOf } from "../task-view.ts";
import { slackCallerOf, type SlackCaller } from "./people.ts";
import { fitText, MAX } from "../modal/text.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

/** The context of answers from Slack. */
export interface SlackContext extends CompletionContext {
  log: Logger;
  /** null if Slack is off. */
  slack: Workspaces | null;
}

/** The context of a click in one workspace. */
export interface ClickContext {
  ctx: SlackContext;
  slack: Slack;
  workspaces: Workspaces;
}

/** The body of a response to Slack; null for an empty body. */
export type SlackReply = object | null;

/** The member who clicked, according to Slack. */
export interface Who {
  team_id: string;
  user_id: string;
}

/** Returns the context of a workspace; null if the app is no longer connected to it. */
export async function contextFor(ctx: SlackContext, team: string): Promise<ClickContext | null> {
  try {
    const workspaces = ctx.slack;
    return workspaces === null ? null : { ctx, workspaces, slack: await workspaces.find(team) };
  } catch (error) {
    if (!(error instanceof SlackFailure && error.word === "no_team")) throw error;
    ctx.log.warn({ team }, "Slack sent something from a workspace that is not connected");
    return null;
  }
}

/** Returns the task, or null if it does not exist. */
export async function findTask({ ctx }: ClickContext, id: string): Promise<TaskWithDocuments | null> {
  return isId("tsk", id) ? findTaskWithDocuments(ctx.db, id) : null;
}

/** Returns how a task was closed, as a sentence; null while it is open. */
export async function endedSentence({ ctx }: ClickContext, task: TaskWithDocuments): Promise<string | null> {
  const state = answerStateOf(task, null, ctx.db.now());
  if (state.how === "open") return null;
  const who = state.how === "completed" ? await answererOf(ctx.db, task) : null;
  const sentence = fillText(endings()[endingOf(state, who)].chat, {
    who: who ?? "",
    answer: answerFact(fallbackOf(task)),
  });
  return state.how === "verification_exhausted" ? `${sentence} ${task.verifier_result?.reason ?? ""}`.trim() : sentence;
}

/** Says that a click about a closed task changed nothing, and whether an earlier decision of the person counted. */
export function sayNothingSent(ended: string, task: TaskWithDocuments, user_id: string | null): string {
  const counted = sayCounted(task, user_id);
  return counted === "" ? `${ended} Nothing was sent.` : `${ended} ${counted} Nothing else was sent.`;
}

/** The same for a member, who is looked up only where several people decide. @param channel - as for `callerAt` */
export async function nothingSentFor(
  context: ClickContext,
  task: TaskWithDocuments,
  ended: string,
  { who, channel }: { who: Who; channel: string },
): Promise<string> {
  return sayNothingSent(ended, task, await voterIn(context, task, { who, channel }));
}

/** Returns the user id of a member where several people decide; null otherwise, or if Slack cannot tell who it is. */
export async function voterIn(
  context: ClickContext,
  task: TaskWithDocuments,
  { who, channel }: { who: Who; channel: string },
): Promise<string | null> {
  if (task.approvals === null) return null;
  try {
    return (await callerAt(context, who, task, channel)).person?.id ?? null;
  } catch (error) {
    if (error instanceof SlackFailure) return null;
    throw error;
  }
}

/**
 * Returns the member who clicked as a caller for the task.
 *
 * @param channel - of the message in which they answer
 * @throws SlackFailure
 */
export async function callerAt(
  { ctx, workspaces }: ClickContext,
  who: Who,
  task: TaskWithDocuments,
  channel: string,
): Promise<SlackCaller> {
  return slackCallerOf(ctx.db, workspaces, who, task, channel);
}

/** Returns why a person may not answer, and what they can do. */
export async function refusalOf({ ctx }: ClickContext, task: TaskWithDocuments, caller: SlackCaller): Promise<string> {
  const { person, email } = caller;
  const who = await sayWhyNot(ctx.db, caller, task);
  const isForOne = task.assigned_to_user_id !== null || task.assigned_to_email !== null;
  const isKnown = person !== null || (email !== null && isForOne);
  return `${who} ${isKnown ? "" : `${UNKNOWN} `}Nothing was sent.`;
}

export const UNKNOWN = "You don't have an account here. Ask an operator to add you.";
const NO_CLAIM = "You need an account here to claim tasks. You can answer without a claim.";

/** Returns what went wrong, for the person. Rethrows unexpected errors. @param user_id - of the person; null if unknown */
export async function sentenceOf(
  context: ClickContext,
  { id }: TaskWithDocuments,
  error: unknown,
  user_id: string | null = null,
): Promise<string> {
  if (error instanceof SlackFailure) return `Slack returned an error: ${error.message} Nothing was sent.`;
  if (!(error instanceof ServiceError)) throw error;
  const now = await findTask(context, id);
  if (now === null) return `This task was deleted.${isUncertain(error) ? "" : " Nothing was sent."}`;
  const ended = await endedSentence(context, now);
  // The answer may be stored although the commit was not confirmed.
  if (isUncertain(error))
    return ended === null
      ? "The connection to the database was lost. Try again."
      : `${ended} ${sayCounted(now, user_id)}`.trim();
  if (ended !== null) return sayNothingSent(ended, now, user_id);
  if (error.code === "TASK_ALREADY_CLAIMED")
    return `${(await nameOf(context.ctx.db, now.claimed_by_user_id, now.claimed_by_email)) ?? "Someone"} is already working on this.`;
  return error.code === "CLAIM_NEEDS_A_PERSON" ? NO_CLAIM : `${error.message} Nothing was sent.`;
}

/** Returns whether it is unknown if the answer was stored. */
export function isUncertain(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
}

/** Makes the modal show another view. */
export function show(view: ModalView): SlackReply {
  return { response_action: "update", view };
}

/** Posts a message that only one person sees, with buttons for what they can do. */
export async function postEphemeral(
  { slack, ctx }: ClickContext,
  place: Whereabouts,
  user: string,
  sentence: string,
  ...more: readonly ActionsBlock[]
): Promise<null> {
  const text = fitText(plainLines(sentence), MAX.section);
  try {
    const said = { type: "section", text: { type: "plain_text", text } } as const;
    await slack.postEphemeral(place, user, { text, blocks: [said, ...more] });
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    ctx.log.warn(
      { err: error, channel: place.channel },
      "Could not tell a person in Slack what became of what they did",
    );
  }
  return null;
}
