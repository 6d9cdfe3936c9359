import type { ActionsBlock, ModalView } from "@slack/types";
import { endingOf, ENDINGS, fillText } from "../../../../endings/sentences.ts";
import { plainLines } from "../../../../form/plain-text.ts";
import type { Logger } from "pino";
import type { CompletionContext } from "../../../tasks/tasks.ts";
import { ServiceError } from "../../../errors.ts";
import { isId } from "../../../lib/ids.ts";
import { answerStateOf } from "../../../tasks/answer-state.ts";
import { nameOf, sayWhoCanAnswer } from "../../../tasks/answerers.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../../tasks/store.ts";
import { answererOf } from "../../answers.ts";
import { SlackFailure, type Slack } from "../client.ts";
import { slackCallerOf, type SlackCaller } from "./people.ts";
import { fitText, MAX } from "../modal/text.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

/** What taking answers from Slack needs. */
export interface SlackContext extends CompletionContext {
  log: Logger;
  /** null: Slack is off. */
  slack: Workspaces | null;
}

/** Where people of one workspace are served. */
export interface ClickContext {
  ctx: SlackContext;
  slack: Slack;
  workspaces: Workspaces;
}

/** The body of an answer to Slack; null: an empty one. */
export type SlackReply = object | null;

/** Who pressed something, as Slack says. */
export interface Who {
  team_id: string;
  user_id: string;
}

/** null: it is gone, or was never there. */
export async function findTask({ ctx }: ClickContext, id: string): Promise<TaskWithDocuments | null> {
  return isId("tsk", id) ? findTaskWithDocuments(ctx.db, id) : null;
}

/** How a task ended, in a sentence; null while it can be answered. */
export async function endedSentence({ ctx }: ClickContext, task: TaskWithDocuments): Promise<string | null> {
  const state = answerStateOf(task, null, ctx.db.now());
  if (state.how === "open") return null;
  const who = state.how === "completed" ? await answererOf(ctx.db, task) : null;
  const sentence = fillText(ENDINGS[endingOf(state, who)].chat, { who: who ?? "" });
  return state.how === "verification_exhausted" ? `${sentence} ${task.verifier_result?.reason ?? ""}`.trim() : sentence;
}

/** Who pressed something, for the task. @throws SlackFailure */
export async function callerAt(
  { ctx, workspaces }: ClickContext,
  who: Who,
  task: TaskWithDocuments,
): Promise<SlackCaller> {
  return slackCallerOf(ctx.db, workspaces, who, task);
}

/** Why somebody may not answer, and what they can do about it. */
export async function refusalOf(
  { ctx }: ClickContext,
  task: TaskWithDocuments,
  { person, email }: SlackCaller,
): Promise<string> {
  const who = await sayWhoCanAnswer(ctx.db, task);
  const isForOne = task.assigned_to_user_id !== null || task.assigned_to_email !== null;
  const isKnown = person !== null || (email !== null && isForOne);
  return `${who} ${isKnown ? "" : `${UNKNOWN} `}Nothing was sent.`;
}

const UNKNOWN =
  "This server does not know your Slack account: if you should answer, ask its operator to add you to the users.";

/** What went wrong, for the person; whatever is not theirs to know is thrown on. */
export async function sentenceOf(context: ClickContext, { id }: TaskWithDocuments, error: unknown): Promise<string> {
  if (error instanceof SlackFailure) return `Slack did not take this: ${error.message} Nothing was sent.`;
  if (!(error instanceof ServiceError)) throw error;
  const now = await findTask(context, id);
  const ended = now === null ? "This task is gone." : await endedSentence(context, now);
  // The answer may have been stored although nobody could say so.
  if (isUncertain(error)) return ended ?? "The connection to the database was lost at that moment. Try again.";
  if (ended !== null) return `${ended} Nothing was sent.`;
  if (error.code === "TASK_ALREADY_CLAIMED" && now !== null)
    return `${(await nameOf(context.ctx.db, now.claimed_by_user_id, now.claimed_by_email)) ?? "Somebody"} is on it already.`;
  return error.code === "CLAIM_NEEDS_A_PERSON" ? error.message : `${error.message} Nothing was sent.`;
}

/** Nobody can say whether something was stored. */
export function isUncertain(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
}

/** Lets the modal show something else. */
export function show(view: ModalView): SlackReply {
  return { response_action: "update", view };
}

/** Says something to one person alone, with what they can do about it. */
export async function postEphemeral(
  { slack, ctx }: ClickContext,
  channel: string,
  user: string,
  sentence: string,
  ...more: readonly ActionsBlock[]
): Promise<null> {
  const text = fitText(plainLines(sentence), MAX.section);
  try {
    const said = { type: "section", text: { type: "plain_text", text } } as const;
    await slack.postEphemeral({ channel }, user, { text, blocks: [said, ...more] });
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    ctx.log.warn({ err: error, channel }, "Somebody in Slack could not be told what became of their click");
  }
  return null;
}
