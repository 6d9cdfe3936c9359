import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import type { ActionsBlock, ModalView } from "@slack/types";
import type { Entries } from "../../../../form/plan/entries.ts";
import { planForm, type Form } from "../../../../form/plan/plan.ts";
import { readPost } from "../../../../form/plan/post.ts";
import type { Kind, Outcome } from "../../../deliveries/kinds.ts";
import { schedule } from "../../../deliveries/schedule.ts";
import { deleteDelivery, insertDelivery, newDelivery } from "../../../deliveries/store.ts";
import { ServiceError } from "../../../errors.ts";
import { MINUTE, SECOND } from "../../../lib/time.ts";
import { mayWith } from "../../../tasks/access.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../../tasks/store.ts";
import { completeTask } from "../../../tasks/tasks.ts";
import { fieldErrorsOf, responseOf } from "../../answers.ts";
import { ACTION } from "./actions.ts";
import { SlackFailure } from "../client.ts";
import {
  callerAt,
  isUncertain,
  refusalOf,
  endedSentence,
  sentenceOf,
  show,
  postEphemeral,
  type ClickContext,
  type SlackReply,
  type Who,
  type SlackContext,
} from "./click-context.ts";
import type { SlackCaller } from "./people.ts";
import { modalOf, type ModalData, type ModalOptions } from "../modal/modal.ts";
import { noticeView } from "./notice.ts";
import { formFor, slackTaskOf } from "../task-view.ts";
import { errorsOfView } from "../modal/values.ts";

/** What somebody entered in a modal. */
export interface Entered {
  task: TaskWithDocuments;
  data: ModalData;
  form: Form;
  entries: Entries;
}

/** What became of an answer. */
export interface AnswerResult {
  /** What the modal then shows. */
  reply: SlackReply;
  /** The same, for a person whose modal is gone. */
  sentence: string;
  /** Another answer is wanted. */
  isOpen: boolean;
}

/** Gives the answer. @throws Error where nobody can say what became of it */
export async function giveAnswer(
  context: ClickContext,
  caller: SlackCaller,
  entered: Entered,
  value: unknown,
): Promise<AnswerResult> {
  const { task, form, entries } = entered;
  try {
    const done = await completeTask(context.ctx, caller, task.id, { response: responseOf(value) });
    if (done.status === "completed") return SENT;
    if (done.status === "rejected") return sentBack(entered, done);
    return closed("The answer failed the checks", (await endedSentence(context, done)) ?? "");
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "VALIDATION_FAILED" || error.code === "MALFORMED_REQUEST")) {
      const errors = errorsOfView(form, entries, fieldErrorsOf(planForm(form, entries), error));
      const sentence = `Nothing was sent. ${Object.values(errors).join(" ")}`;
      if (Object.keys(errors).length > 0)
        return { reply: { response_action: "errors", errors }, sentence, isOpen: true };
    }
    const title = isUncertain(error) ? "What became of this" : "Nothing was sent";
    const sentence = await sentenceOf(context, task, error);
    return { reply: show(askedAgain(entered, task, { title, text: sentence })), sentence, isOpen: true };
  }
}

const SENT: AnswerResult = { reply: { response_action: "clear" }, sentence: "Your answer was sent.", isOpen: false };

function sentBack(entered: Entered, now: TaskWithDocuments): AnswerResult {
  const { note = { title: "Sent back", text: "" } } = noteOf(now);
  return {
    reply: show(askedAgain(entered, now, note)),
    sentence: `Your answer was sent back. ${note.text}`,
    isOpen: true,
  };
}

function closed(title: string, sentence: string): AnswerResult {
  return { reply: show(noticeView(title, sentence)), sentence: `${title}. ${sentence}`, isOpen: false };
}

/** The form once more, with what was entered and why. */
function askedAgain(
  { form, entries, data }: Entered,
  now: TaskWithDocuments,
  note: { title: string; text: string },
): ModalView {
  return modalOf(slackTaskOf(now), form, entries, { ...data, note }) ?? noticeView(note.title, note.text);
}

/** Why the last answer was sent back. */
export function noteOf({ status, verifier_result }: TaskWithDocuments): Pick<ModalOptions, "note"> {
  if (status !== "rejected" || verifier_result === null) return {};
  return { note: { title: "The last answer was sent back", text: verifier_result.reason ?? "" } };
}

/** A modal that says that nothing was sent, why, and what was entered. */
export function unsentView(why: string, { form, entries }: Entered): ModalView {
  const entered = planForm(form, entries).value;
  const more = entered === undefined ? "" : `\n\nWhat you entered:\n${JSON.stringify(entered, null, 2)}`;
  return noticeView("Nothing was sent", `${why}${more}`);
}

// --- What Slack no longer waits for -------------------------------------------------------------------------------------

/** Until the answer to Slack has surely arrived: what it says would replace what is shown before. */
const AFTER_ACK_MS = 0.5 * SECOND;

/** Shows what became of an answer: in the modal if it is still open, else to the person alone. */
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
      shown ?? noticeView(title, isOpen ? sentence : "Thank you. Whoever asked has your answer now."),
    );
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    await postEphemeral(context, data.channel, who.user_id, sentence, ...(isOpen ? [tryAgain(data.task)] : []));
  }
}

function tryAgain(task_id: string): ActionsBlock {
  const text = { type: "plain_text", text: "Try again" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.answer, value: task_id, text }] };
}

/** An answer of which a person was told that it is being checked. */
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

/** When the row of an answer falls due: by then the process that took it is done, or gone. A verdict takes 30 s at the most. */
const DUE_MS = 1 * MINUTE;

/**
 * Stores an answer whose verdict takes longer than Slack waits, and then has it checked. When the process ends before that,
 * the row falls due, and the answer is checked by whoever is there. (spec: Channels)
 *
 * @returns once it is stored: from then on nobody has to wait
 */
export async function checkLater(
  context: ClickContext,
  { task, data, entries }: Entered,
  { view, who }: { view: string; who: Who },
): Promise<void> {
  const { ctx, slack } = context;
  const { id: team } = await slack.team();
  const answer: OwedAnswer = { team, who, view, data, entries, verification_attempt: task.verification_attempt };
  const id = await ctx.db.write(async (tx) => {
    const owed = newDelivery({
      kind: "slack_answer",
      task_id: task.id,
      destination: who.user_id,
      origin: `slack_answer:${task.id}`,
      body: JSON.stringify(answer),
      due_at: tx.now() + DUE_MS,
    });
    await insertDelivery(tx, owed);
    return owed.row.id;
  });
  check(context, task.id, answer)
    .then(async () => ctx.db.write((tx) => deleteDelivery(tx, id)))
    .catch((error: unknown) =>
      ctx.log.error({ err: error }, "An answer from Slack could not be checked; trying again"),
    );
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
        ctx.log.error({ delivery_id: id, task_id, last_error }, "An answer from Slack was not checked"),
      );
    },
  };
}

const DONE: Outcome = { ok: true, status_code: null, response_excerpt: null };

async function check(context: ClickContext, task_id: string, answer: OwedAnswer): Promise<void> {
  const task = await findTaskWithDocuments(context.ctx.db, task_id);
  if (task === null) return;
  const entered: Entered = { task, data: answer.data, form: formFor(task), entries: answer.entries };
  await tellLate(context, await answerLate(context, entered, answer), answer);
}

async function answerLate(
  context: ClickContext,
  entered: Entered,
  { who, verification_attempt }: OwedAnswer,
): Promise<AnswerResult> {
  const { task, form, entries } = entered;
  const posted = readPost(form, entries);
  const value = posted.act === "answer" ? posted.value : undefined;
  const ended = await endedSentence(context, task);
  if (ended !== null) {
    // Perhaps by this very answer, just before its process ended.
    const isThis =
      task.completed_via_channel === "slack" && isDeepStrictEqual(JSON.parse(task.response ?? "null"), value);
    return isThis
      ? SENT
      : { reply: show(unsentView(ended, entered)), sentence: `${ended} Nothing was sent.`, isOpen: false };
  }
  // By then it was judged, or another answer was.
  if (task.verification_attempt !== verification_attempt) return sentBack(entered, task);
  const caller = await callerAt(context, who, task);
  if (await mayWith(context.ctx.db, caller, "complete", task)) return giveAnswer(context, caller, entered, value);
  const why = await refusalOf(context, task, caller);
  return { reply: show(unsentView(why, entered)), sentence: why, isOpen: false };
}
