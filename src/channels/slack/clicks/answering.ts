import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { ActionsBlock, ModalView } from "@slack/types";
import type { Entries } from "../../../../form/plan/entries.ts";
import { planForm, type Form } from "../../../../form/plan/plan.ts";
import { readPost } from "../../../../form/plan/post.ts";
import { answerOfForm } from "../../../actions/untouched.ts";
import { inRound, roundOf } from "../../../approvals/proposal.ts";
import { ownVote, sayNeed, sayOwn, sayTally } from "../../../approvals/words.ts";
import { anotherRound } from "../../../tasks/approving.ts";
import { isTerminal } from "../../../tasks/lifecycle.ts";
import { homeOf } from "../../../db/home.ts";
import type { Kind, Outcome } from "../../../deliveries/kinds.ts";
import { schedule } from "../../../deliveries/schedule.ts";
import { deleteDelivery, insertDelivery, newDelivery } from "../../../deliveries/store.ts";
import { ServiceError } from "../../../errors.ts";
import { HOUR, MINUTE, SECOND } from "../../../lib/time.ts";
import { answerAccountOf } from "../../../people/accounts.ts";
import { tryOnceWith, type RateLimit } from "../../../people/rate-limits.ts";
import { mayWith } from "../../../tasks/access.ts";
import { nextAttemptOf } from "../../../tasks/attempts-left.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../../tasks/store.ts";
import { completeTask } from "../../../tasks/tasks.ts";
import { isCheckUnavailable } from "../../../tasks/unavailable-check.ts";
import { fieldErrorsOf, isAboutAnswer, responseOf } from "../../answers.ts";
import { isDecidedAlready, storedAnswerOf } from "../../decided-already.ts";
import { touchedSince } from "../../touched.ts";
import { ACTION } from "./actions.ts";
import { SlackFailure } from "../client.ts";
import {
  callerAt,
  findTask,
  isUncertain,
  refusalOf,
  endedSentence,
  sayNothingSent,
  sentenceOf,
  show,
  postEphemeral,
  voterIn,
  type ClickContext,
  type SlackReply,
  type Who,
  type SlackContext,
} from "./click-context.ts";
import type { ModalState } from "./interaction.ts";
import type { SlackCaller } from "./people.ts";
import { modalOf, type ModalData, type ModalOptions } from "../modal/modal.ts";
import { noticeView } from "./notice.ts";
import { formFor, revisionOf, slackTaskOf } from "../task-view.ts";
import { errorsOfView } from "../modal/values.ts";

/** The entries of a modal, with their task. */
export interface Entered {
  task: TaskWithDocuments;
  data: ModalData;
  form: Form;
  entries: Entries;
  /** What the asker says of its present version; "" if nothing. */
  revision: string;
}

/** The result of an answer. */
export interface AnswerResult {
  /** The next view of the modal. */
  reply: SlackReply;
  /** The result in words, for a person whose modal is closed. */
  sentence: string;
  /** The task still needs an answer. */
  isOpen: boolean;
}

/** Gives the answer. @throws Error if the result is unknown */
export async function giveAnswer(
  context: ClickContext,
  caller: SlackCaller,
  entered: Entered,
  value: unknown,
): Promise<AnswerResult> {
  const { task, form, entries, data } = entered;
  try {
    const response = responseOf(answerOfForm(inRound(task), value));
    const done = await completeTask(context.ctx, caller, task.id, {
      response,
      round: data.round ?? null,
      version: versionIn(data),
    });
    const counted = countedOf(done, caller);
    if (counted !== null) return { reply: show(noticeView(...counted)), sentence: counted.join(". "), isOpen: false };
    if (done.status === "completed") return SENT;
    if (done.status === "rejected") return sentBack(entered, done);
    return closed("Automatic check failed", (await endedSentence(context, done)) ?? "");
  } catch (error) {
    if (error instanceof ServiceError && isAboutAnswer(error)) {
      const errors = errorsOfView(form, entries, fieldErrorsOf(planForm(form, entries), error));
      const sentence = `Nothing was sent. ${Object.values(errors).join(" ")}`;
      if (Object.keys(errors).length > 0)
        return { reply: { response_action: "errors", errors }, sentence, isOpen: true };
    }
    if (error instanceof ServiceError && isCheckUnavailable(error)) {
      const view = askedAgain(entered, task, { title: "Nothing was sent", text: error.message });
      const sentence = "Automatic check is unavailable. Nothing was sent; try again in a minute.";
      return { reply: show(view), sentence, isOpen: true };
    }
    const isRevised = error instanceof ServiceError && error.code === "TASK_REVISED";
    const revised = isRevised ? await findTask(context, task.id) : null;
    if (revised !== null) {
      const revision = await revisionOf(context.ctx.db, revised);
      const now = { ...entered, task: revised, form: formFor(revised), revision };
      return { reply: show(await changedView(context, now)), sentence: `Nothing was sent. ${REVISED}`, isOpen: true };
    }
    const title = isUncertain(error) ? "Not certain" : "Nothing was sent";
    const sentence = await sentenceOf(context, task, error, caller.person?.id);
    return { reply: show(askedAgain(entered, task, { title, text: sentence })), sentence, isOpen: true };
  }
}

/** Says what the decision of a person has come to while others are missing: a title and a text; null if nothing of theirs counts. */
export function countedOf(task: TaskWithDocuments, { person }: Pick<SlackCaller, "person">): [string, string] | null {
  const own = isTerminal(task.status) ? undefined : ownVote(task, person?.id ?? null);
  return own === undefined ? null : [sayOwn(own), sayTally(task.approvals) || sayNeed(task.approvals)];
}

/** Returns whether a modal shows other arguments than those that are up for approval now. */
export function isOfOtherRound({ task, data }: Entered): boolean {
  return task.approvals !== null && data.round !== roundOf(task);
}

/** Returns whether the task was revised since the modal was shown. */
export function isOfOtherVersion({ task, data }: Entered): boolean {
  return task.version !== versionIn(data);
}

function versionIn({ version = 1 }: ModalData): number {
  return version;
}

const REVISED = "The request has changed since. Check the new version, and send your answer again.";

/** Returns the form with what is asked now, and what was entered. What a person left as it was follows a new version. */
export async function changedView({ ctx }: ClickContext, entered: Entered): Promise<ModalView> {
  const { task, data } = entered;
  const text = isOfOtherVersion(entered) ? REVISED : anotherRound().message;
  const entries = await touchedSince(ctx.db, task, versionIn(data), entered.entries, formFor);
  return askedAgain({ ...entered, entries }, task, { title: "Nothing was sent", text });
}

const SENT: AnswerResult = { reply: { response_action: "clear" }, sentence: "Your answer was sent.", isOpen: false };

function sentBack(entered: Entered, now: TaskWithDocuments): AnswerResult {
  const { note = { title: "Sent back", text: "" } } = noteOf(now);
  return {
    reply: show(askedAgain(entered, now, note)),
    sentence: `Your answer was sent back. The next one is attempt ${nextAttemptOf(now)}. ${note.text}`,
    isOpen: true,
  };
}

function closed(title: string, sentence: string): AnswerResult {
  return { reply: show(noticeView(title, sentence)), sentence: `${title}. ${sentence}`, isOpen: false };
}

/** Returns the form again, with the entries and a note. */
function askedAgain(
  { form, entries, data, revision }: Entered,
  now: TaskWithDocuments,
  note: { title: string; text: string },
): ModalView {
  return modalOf(slackTaskOf(now), form, entries, { ...data, note, revision }) ?? noticeView(note.title, note.text);
}

/** Returns the note with the reason why the last answer was rejected. */
export function noteOf(task: TaskWithDocuments): Pick<ModalOptions, "note"> {
  if (task.status !== "rejected" || task.verifier_result === null) return {};
  const title = `The last answer was sent back. The next one is attempt ${nextAttemptOf(task)}.`;
  return { note: { title, text: task.verifier_result.reason ?? "" } };
}

/** A modal that says that nothing was sent, why, and what was entered. */
export function unsentView(why: string, { form, entries }: Entered): ModalView {
  const entered = planForm(form, entries).value;
  const more = entered === undefined ? "" : `\n\nWhat you entered:\n${JSON.stringify(entered, null, 2)}`;
  return noticeView("Nothing was sent", `${why}${more}`);
}

// --- Work after the response to Slack ----------------------------------------------------------------------------------

/** Wait until the response to Slack has arrived, because it would replace an earlier update. */
const AFTER_ACK_MS = 0.5 * SECOND;

/** Shows the result of an answer: in the modal if it is still open, else in a message that only the person sees. */
export async function tellLate(
  context: ClickContext,
  { reply, sentence, isOpen }: AnswerResult,
  { data, view, who }: { data: ModalData; view: string; who: Who },
): Promise<void> {
  await delay(AFTER_ACK_MS);
  const title = isOpen ? "Nothing was sent" : "Answer sent";
  const shown = (reply as { view?: ModalView }).view;
  try {
    await context.slack.updateView(
      view,
      shown ?? noticeView(title, isOpen ? sentence : "Thank you. Your answer was sent to the agent."),
    );
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    await postEphemeral(
      context,
      { channel: data.channel },
      who.user_id,
      sentence,
      ...(isOpen ? [tryAgain(data.task)] : []),
    );
  }
}

function tryAgain(task_id: string): ActionsBlock {
  const text = { type: "plain_text", text: "Try again" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.answer, value: task_id, text }] };
}

/** A stored answer that is being checked. */
interface OwedAnswer {
  /** The workspace whose people are asked. */
  team: string;
  who: Who;
  view: string;
  data: ModalData;
  entries: Entries;
  /** How many answers had been refused before it. */
  verification_attempt: number;
}

/** Delay after which the stored answer is due. The process that took it is then done or gone; a verdict takes at most 30 s. */
const DUE_MS = 1 * MINUTE;

/**
 * Slack sends a form again that was not answered in time, and so does a person. The same entries in the same version of a view
 * are one answer: whatever the service replies shows another version.
 */
const SAME_FORM: RateLimit = { name: "slack-form", tries: 1, windowMs: 1 * HOUR };

const CHECKING = show(noticeView("Checking your answer", "This takes a moment. You can close this window."));

/**
 * Stores an answer whose check takes longer than Slack waits, and then checks it. If the process ends before that, the row
 * becomes due and another process checks the answer. An answer that was stored before costs no other attempt. (spec: Channels)
 *
 * @returns the reply, when the answer is stored
 */
export async function checkLater(
  context: ClickContext,
  entered: Entered,
  { view: { id: view, hash }, who }: { view: ModalState; who: Who },
): Promise<SlackReply> {
  const { ctx, slack } = context;
  const { task, data, entries } = entered;
  const { id: team } = await slack.team();
  const answer: OwedAnswer = { team, who, view, data, entries, verification_attempt: task.verification_attempt };
  const owed = await ctx.db.write(async (tx) => {
    if (!(await tryOnceWith(tx, SAME_FORM, JSON.stringify([view, hash, entries])))) return null;
    const delivery = newDelivery({
      kind: "slack_answer",
      task_id: task.id,
      destination: who.user_id,
      origin: `slack_answer:${task.id}`,
      body: JSON.stringify(answer),
      due_at: tx.now() + DUE_MS,
    });
    await insertDelivery(tx, delivery);
    return delivery.row;
  });
  if (owed === null) return repeatedReply(context, entered, { view, who });
  check(context, task.id, answer)
    .then(async () => ctx.db.write((tx) => deleteDelivery(tx, owed)))
    .catch((error: unknown) => ctx.log.error({ err: error }, "Could not check an answer from Slack; retrying"));
  return CHECKING;
}

/** Returns the reply to a form that was sent before: its answer is being checked, or the result. */
async function repeatedReply(
  context: ClickContext,
  entered: Entered,
  { view, who }: { view: string; who: Who },
): Promise<SlackReply> {
  const { query } = context.ctx.db;
  const owed = await query
    .selectFrom("deliveries")
    .innerJoin("delivery_bodies", (join) =>
      join
        .onRef("delivery_bodies.delivery_id", "=", "deliveries.id")
        .onRef("delivery_bodies.home", "=", "deliveries.home"),
    )
    .select("delivery_bodies.body")
    .where("deliveries.task_id", "=", entered.task.id)
    .where("deliveries.home", "=", homeOf(entered.task.id))
    .where("deliveries.kind", "=", "slack_answer")
    .where("deliveries.next_attempt_at", "is not", null)
    .execute();
  // The result will replace the reply.
  if (owed.some(({ body }) => (JSON.parse(body) as OwedAnswer).view === view)) return CHECKING;
  const task = await findTask(context, entered.task.id);
  if (task === null) return closed("This task was deleted", "Nothing was sent.").reply;
  const now = { ...entered, task, revision: await revisionOf(context.ctx.db, task) };
  const result = await closedResult(context, now, who);
  if (result !== null) return result.reply;
  if (task.status === "rejected") return sentBack(now, task).reply;
  return show(askedAgain(now, task, { title: "Nothing was sent", text: "Submit your answer again." }));
}

/** Returns the result of an answer to a closed task; null while the task is open. */
export async function closedResult(context: ClickContext, entered: Entered, who: Who): Promise<AnswerResult | null> {
  const { task, form, entries } = entered;
  const ended = await endedSentence(context, task);
  if (ended === null) return null;
  // Perhaps this very answer closed it: it is here again, or its process ended just after that.
  const posted = readPost(form, entries);
  const { user_id, team_id } = answerAccountOf(task) ?? who;
  const isThis =
    task.completed_via_channel === "slack" &&
    user_id === who.user_id &&
    team_id === who.team_id &&
    posted.act === "answer" &&
    task.response !== null &&
    isDeepStrictEqual(JSON.parse(task.response), storedAnswerOf(task, posted.value));
  if (isThis) return SENT;
  const voter = await voterIn(context, task, { who, channel: entered.data.channel });
  if (posted.act === "answer" && isDecidedAlready(task, voter, posted.value))
    return closed("Your decision counted", ended);
  const sentence = sayNothingSent(ended, task, voter);
  return { reply: show(unsentView(sentence, entered)), sentence, isOpen: false };
}

/**
 * Answers from Slack as a kind of delivery: the answer is delivered to its task. A check that outlasts its attempt keeps
 * running; the next attempt picks up its result.
 */
export function createSlackAnswerKind(ctx: SlackContext): Kind {
  return {
    nextAttemptAt: schedule([0, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]),
    send: async ({ task_id, body }) => {
      const answer = JSON.parse(body ?? "null") as OwedAnswer | null;
      const workspaces = ctx.slack;
      if (answer === null || workspaces === null) return DONE;
      try {
        await check({ ctx, workspaces, slack: await workspaces.find(answer.team) }, task_id, answer);
        return DONE;
      } catch (error) {
        if (!(error instanceof SlackFailure)) throw error;
        return { ok: false, error: error.word, message: error.message, status_code: null, response_excerpt: null };
      }
    },
    onAbandoned: async (tx, { id, task_id, last_error }) => {
      tx.afterCommit(() =>
        ctx.log.error({ delivery_id: id, task_id, last_error }, "Could not check an answer from Slack"),
      );
    },
  };
}

const DONE: Outcome = { ok: true, status_code: null, response_excerpt: null };

async function check(context: ClickContext, task_id: string, answer: OwedAnswer): Promise<void> {
  const task = await findTaskWithDocuments(context.ctx.db, task_id);
  if (task === null) return;
  const revision = await revisionOf(context.ctx.db, task);
  const entered: Entered = { task, data: answer.data, form: formFor(task), entries: answer.entries, revision };
  await tellLate(context, await answerLate(context, entered, answer), answer);
}

async function answerLate(
  context: ClickContext,
  entered: Entered,
  { who, verification_attempt }: OwedAnswer,
): Promise<AnswerResult> {
  const { task, form, entries } = entered;
  const result = await closedResult(context, entered, who);
  if (result !== null) return result;
  const posted = readPost(form, entries);
  const value = posted.act === "answer" ? posted.value : undefined;
  // This answer, or another one, was rejected in the meantime.
  if (task.verification_attempt !== verification_attempt) return sentBack(entered, task);
  const caller = await callerAt(context, who, task, entered.data.channel);
  if (await mayWith(context.ctx.db, caller, "complete", task)) return giveAnswer(context, caller, entered, value);
  const why = await refusalOf(context, task, caller);
  return { reply: show(unsentView(why, entered)), sentence: why, isOpen: false };
}
