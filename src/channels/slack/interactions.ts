import { setTimeout as delay } from "node:timers/promises";
import type { ActionsBlock, ModalView } from "@slack/types";
import { readPost } from "../../../form/post.ts";
import { own } from "../../../form/hints.ts";
import { plainLines } from "../../../form/plain-text.ts";
import { planForm } from "../../../form/plan.ts";
import type { Context } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { SECOND } from "../../lib/time.ts";
import { isId } from "../../lib/ids.ts";
import type { SlackCaller } from "../../people/caller.ts";
import { mayAtOnce } from "../../tasks/access.ts";
import { claimTask } from "../../tasks/claims.ts";
import { findWholeTask, type WholeTask } from "../../tasks/store.ts";
import { completeTask } from "../../tasks/tasks.ts";
import { fieldErrorsOf, responseOf } from "../answers.ts";
import { ACTION, parseAction } from "./actions.ts";
import { CONFIRM_BLOCK } from "./block-ids.ts";
import { SlackFailure, type Slack } from "./client.ts";
import { entriesOfChoice } from "./form.ts";
import { modalOf, parseModalData, type ModalData, type ModalOptions } from "./modal.ts";
import { nameOf, slackCallerOf } from "./people.ts";
import { endOf, formFor, slackTaskOf } from "./showing.ts";
import { noticeView } from "./notice.ts";
import { fitText, MAX } from "./text.ts";
import { entriesOfView, errorsOfView } from "./values.ts";

interface Desk {
  ctx: Context;
  slack: Slack;
}

/** The body of an answer to Slack; null: an empty one. */
export type SlackReply = object | null;

/** Slack waits three seconds; what takes longer goes on behind the answer. */
const ACK_MS = 2 * SECOND;
/** Until the answer to Slack has surely arrived: what it says would replace what is shown before. */
const AFTER_ACK_MS = 0.5 * SECOND;

/**
 * Does what somebody has pressed or submitted in Slack. Who they are Slack vouches for; what they may is asked where all else
 * is. (spec: Channels)
 *
 * @param payload - of a request whose signature was checked
 */
export async function handleInteraction(ctx: Context, payload: unknown): Promise<SlackReply> {
  const who = {
    team_id: text(payload, "user", "team_id") || text(payload, "team", "id"),
    user_id: text(payload, "user", "id"),
  };
  switch (text(payload, "type")) {
    case "block_actions":
      return soon(ctx, null, async () => {
        const desk = await deskFor(ctx, payload);
        if (desk === null) return null;
        return own(payload, "view") == null ? pressed(desk, payload, who) : reviseView(desk, payload);
      });
    case "view_submission": {
      const desk = await deskFor(ctx, payload);
      return desk === null ? show(noticeView("Nothing was sent", NOT_CONNECTED)) : submitted(desk, payload, who);
    }
    default:
      return null;
  }
}

const NOT_CONNECTED = "The server that asked is not connected to this workspace any more.";

/** Where something was pressed; in a channel that is shared, that is not the workspace of who pressed it. null: gone. */
async function deskFor(ctx: Context, payload: unknown): Promise<Desk | null> {
  const team =
    text(payload, "view", "app_installed_team_id") || text(payload, "message", "team") || text(payload, "team", "id");
  try {
    return ctx.slack === null ? null : { ctx, slack: await ctx.slack.find(team) };
  } catch (error) {
    if (!(error instanceof SlackFailure && error.word === "no_team")) throw error;
    ctx.log.warn({ team }, "Something was pressed in a workspace of Slack that the app is not connected to");
    return null;
  }
}

/** Waits for `work` as long as Slack does; the rest of it goes on, and what goes wrong then is in the log. */
async function soon(ctx: Context, late: SlackReply, work: () => Promise<SlackReply>): Promise<SlackReply> {
  const done = work();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<SlackReply>((resolve) => {
    timer = setTimeout(() => resolve(late), ACK_MS);
  });
  done.catch((error: unknown) => ctx.log.error({ err: error }, "What was pressed in Slack could not be done"));
  return Promise.race([done, patience]).finally(() => clearTimeout(timer));
}

// --- Buttons of a message ----------------------------------------------------------------------------------------------

interface Who {
  team_id: string;
  user_id: string;
}

async function pressed(desk: Desk, payload: unknown, who: Who): Promise<SlackReply> {
  const action = list(payload, "actions")[0];
  const click = parseAction(text(action, "action_id"));
  if (click === null || click.act === "browser" || click.act === "input") return null;
  const channel = text(payload, "channel", "id") || text(payload, "container", "channel_id");
  const ts = text(payload, "message", "ts") || text(payload, "container", "message_ts");
  const tell = (sentence: string) => whisper(desk, channel, who.user_id, sentence);

  const task = await findTask(desk, text(action, "value"));
  if (task === null) return tell("This task is gone. Nothing was sent.");
  const over = await sayHowItEnded(desk, task);
  if (over !== null) return tell(`${over} Nothing was sent.`);
  const caller = await slackCallerOf(desk.ctx, desk.slack, who, task);
  if (!mayAtOnce(caller, "complete", task)) return tell(await whoCan(desk, task, caller));
  try {
    switch (click.act) {
      case "claim":
      case "takeOver":
        await claimTask(desk.ctx, caller, task.id, click.act === "takeOver");
        return null;
      case "answer":
        return await openForm(desk, task, { trigger: text(payload, "trigger_id"), channel, ts, tell });
      case "choose": {
        const form = formFor(task);
        const entries = entriesOfChoice(form, click.index);
        if (entries === null)
          return await tell("This button is out of date. Nothing was sent; use Answer or the browser.");
        const response = responseOf(planForm(form, entries).value);
        const done = await completeTask(desk.ctx, caller, task.id, { response });
        return done.status === "rejected" ? await tell(`Sent back: ${done.verifier_result?.reason ?? ""}`) : null;
      }
    }
  } catch (error) {
    const sentence = await sentenceOf(desk, task, error);
    const isHeld = error instanceof ServiceError && error.code === "TASK_ALREADY_CLAIMED";
    return isHeld && caller.user?.is_operator
      ? whisper(desk, channel, who.user_id, sentence, takeOver(task))
      : tell(sentence);
  }
}

function takeOver({ id }: WholeTask): ActionsBlock {
  const text = { type: "plain_text", text: "Take over" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.takeOver, value: id, text }] };
}

async function openForm(
  { slack, ctx }: Desk,
  task: WholeTask,
  {
    trigger,
    channel,
    ts,
    tell,
  }: { trigger: string; channel: string; ts: string; tell: (text: string) => Promise<null> },
): Promise<null> {
  const view = modalOf(slackTaskOf(task), formFor(task), {}, { channel, ts, ...noteOf(task) });
  if (view === null) return tell(`This one needs the browser: ${ctx.config.publicUrl}/tasks/${task.id}`);
  await slack.openView(trigger, view);
  return null;
}

function noteOf({ status, verifier_result }: WholeTask): Pick<ModalOptions, "note"> {
  if (status !== "rejected" || verifier_result === null) return {};
  return { note: { title: "The last answer was sent back", text: verifier_result.reason ?? "" } };
}

// --- The modal ---------------------------------------------------------------------------------------------------------

interface Submitted {
  task: WholeTask;
  data: ModalData;
  form: ReturnType<typeof formFor>;
  entries: ReturnType<typeof entriesOfView>;
}

async function readView(desk: Desk, view: unknown): Promise<Submitted | null> {
  const data = parseModalData(text(view, "private_metadata"));
  const task = data === null ? null : await findTask(desk, data.task);
  if (data === null || task === null) return null;
  const form = formFor(task);
  return { task, data, form, entries: entriesOfView(form, own(own(view, "state"), "values"), data) };
}

/** What was entered asks for other fields. */
async function reviseView(desk: Desk, payload: unknown): Promise<null> {
  const view = own(payload, "view");
  const read = await readView(desk, view);
  if (read === null) return null;
  const { task, form, entries, data } = read;
  const next = modalOf(slackTaskOf(task), form, entries, data);
  if (next === null) return null;
  try {
    await desk.slack.updateView(text(view, "id"), next, text(view, "hash"));
  } catch (error) {
    // Something else was entered meanwhile, which has its own update.
    if (!(error instanceof SlackFailure && error.word === "hash_conflict")) throw error;
  }
  return null;
}

async function submitted(desk: Desk, payload: unknown, who: Who): Promise<SlackReply> {
  const view = own(payload, "view");
  const read = await readView(desk, view);
  if (read === null) return show(noticeView("This task is gone", "Nothing was sent."));
  const { task, data, form, entries } = read;
  const over = await sayHowItEnded(desk, task);
  if (over !== null) return show(unsent(over, entriesText(read)));
  const posted = readPost(form, entries);
  if (posted.act === "show") {
    if (posted.errors.length > 0)
      return { response_action: "errors", errors: errorsOfView(form, entries, posted.errors) };
    if (posted.notice === "confirm")
      return { response_action: "errors", errors: { [CONFIRM_BLOCK]: "Tick this to send the answer." } };
    const note = { title: "There is more to answer", text: "Your answers so far have brought up other questions." };
    const next = modalOf(slackTaskOf(task), form, entries, { ...data, note });
    return show(next ?? noticeView("This one needs the browser", `${desk.ctx.config.publicUrl}/tasks/${task.id}`));
  }
  const caller = await slackCallerOf(desk.ctx, desk.slack, who, task);
  if (!mayAtOnce(caller, "complete", task)) return show(unsent(await whoCan(desk, task, caller), entriesText(read)));

  const judge = () => answer(desk, caller, read, posted.value);
  const isSlow = task.verifier_config !== null && !task.redact_payload;
  let isLate = isSlow;
  const result = judge().then(async (reply) => {
    // The modal shows that the answer is being checked: what came of it is shown there, and not before.
    if (isLate) await delay(AFTER_ACK_MS);
    if (isLate) await tellLate(desk, reply, { view: text(view, "id"), user: who.user_id, channel: data.channel });
    return reply;
  });
  const checking = show(noticeView("Checking your answer", "This takes a moment. You can close this window."));
  if (isSlow) {
    result.catch((error: unknown) => desk.ctx.log.error({ err: error }, "An answer from Slack could not be taken"));
    return checking;
  }
  return soon(desk.ctx, checking, async () => result).then((reply) => {
    isLate = reply === checking;
    return reply;
  });
}

/** Gives the answer. @returns what the modal then shows */
async function answer(desk: Desk, caller: SlackCaller, read: Submitted, value: unknown): Promise<SlackReply> {
  const { task, form, entries, data } = read;
  try {
    const done = await completeTask(desk.ctx, caller, task.id, { response: responseOf(value) });
    if (done.status === "completed") return { response_action: "clear" };
    if (done.status !== "rejected")
      return show(noticeView("The answer failed the checks", (await sayHowItEnded(desk, done)) ?? ""));
    const again = modalOf(slackTaskOf(done), form, entries, { ...data, ...noteOf(done) });
    return show(again ?? noticeView("Sent back", done.verifier_result?.reason ?? ""));
  } catch (error) {
    if (error instanceof ServiceError && (error.code === "VALIDATION_FAILED" || error.code === "MALFORMED_REQUEST")) {
      const errors = errorsOfView(form, entries, fieldErrorsOf(planForm(form, entries), error));
      if (Object.keys(errors).length > 0) return { response_action: "errors", errors };
    }
    const title = isUncertain(error) ? "What became of this" : "Nothing was sent";
    const sentence = await sentenceOf(desk, task, error);
    const again = modalOf(slackTaskOf(task), form, entries, { ...data, note: { title, text: sentence } });
    return show(again ?? noticeView(title, sentence));
  }
}

/** Where Slack no longer waits: in the modal if it is still open, else to the person alone. */
async function tellLate(
  desk: Desk,
  reply: SlackReply,
  { view, user, channel }: { view: string; user: string; channel: string },
): Promise<void> {
  const shown = own(reply, "view") as ModalView | undefined;
  const errors = own(reply, "errors");
  const next =
    shown ??
    (errors === undefined
      ? noticeView("Answer sent", "Thank you. Whoever asked has your answer now.")
      : noticeView("Nothing was sent", Object.values(errors as Record<string, string>).join(" ")));
  try {
    await desk.slack.updateView(view, next);
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    await whisper(desk, channel, user, `${next.title.text}.`);
  }
}

// --- Words -------------------------------------------------------------------------------------------------------------

async function sayHowItEnded({ ctx }: Desk, task: WholeTask): Promise<string | null> {
  const ended = endOf(task, ctx.db.now());
  switch (ended?.how) {
    case undefined:
      return null;
    case "completed":
      return `Already answered by ${(await nameOf(ctx.db, task.completed_by_user_id, task.completed_by_email)) ?? "somebody"}.`;
    case "timed_out":
      return "The time for this is over.";
    case "cancelled":
      return "This was cancelled; no answer is needed any more.";
    case "verification_exhausted":
      return `The answers failed the checks: ${task.verifier_result?.reason ?? "no reason was given"}.`;
  }
}

async function whoCan({ ctx }: Desk, task: WholeTask, { user }: SlackCaller): Promise<string> {
  const holder = await nameOf(ctx.db, task.assigned_to_user_id, task.assigned_to_email);
  if (holder !== null) return `This one is for ${holder}. Nothing was sent.`;
  return user === null
    ? "This server does not know you: ask its operator to add your address to the users. Nothing was sent."
    : "You may not answer this one. Nothing was sent.";
}

/** What went wrong, for the person; whatever is not theirs to know is thrown on. */
async function sentenceOf(desk: Desk, { id }: WholeTask, error: unknown): Promise<string> {
  if (error instanceof SlackFailure) return `Slack did not take this: ${error.message} Nothing was sent.`;
  if (!(error instanceof ServiceError)) throw error;
  const now = await findTask(desk, id);
  const over = now === null ? "This task is gone." : await sayHowItEnded(desk, now);
  // The answer may have been stored although nobody could say so.
  if (isUncertain(error)) return over ?? "The connection to the database was lost at that moment. Try again.";
  if (over !== null) return `${over} Nothing was sent.`;
  if (error.code === "TASK_ALREADY_CLAIMED" && now !== null)
    return `${(await nameOf(desk.ctx.db, now.claimed_by_user_id, now.claimed_by_email)) ?? "Somebody"} is on it already.`;
  return `${error.message} Nothing was sent.`;
}

function isUncertain(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "COMMIT_UNKNOWN";
}

function unsent(why: string, entered: string): ModalView {
  return noticeView("Nothing was sent", entered === "" ? why : `${why}\n\nWhat you entered:\n${entered}`);
}

function entriesText({ form, entries }: Submitted): string {
  return JSON.stringify(planForm(form, entries).value ?? {}, null, 2);
}

function show(view: ModalView): SlackReply {
  return { response_action: "update", view };
}

/** Says something to one person alone, with what they can do about it. */
async function whisper(
  { slack, ctx }: Desk,
  channel: string,
  user: string,
  sentence: string,
  ...more: readonly ActionsBlock[]
): Promise<null> {
  const text = fitText(plainLines(sentence), MAX.section);
  try {
    const said = { type: "section", text: { type: "plain_text", text } } as const;
    await slack.whisper({ channel }, user, { text, blocks: [said, ...more] });
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    ctx.log.warn({ err: error, channel }, "Somebody in Slack could not be told what became of their click");
  }
  return null;
}

// --- Reading what Slack sends ------------------------------------------------------------------------------------------

async function findTask({ ctx }: Desk, id: string): Promise<WholeTask | null> {
  return isId("tsk", id) ? findWholeTask(ctx.db, id) : null;
}

/** The text at a place in what Slack sent; "" where there is none. */
function text(from: unknown, ...keys: readonly string[]): string {
  const value = keys.reduce((part, key) => own(part, key), from);
  return typeof value === "string" ? value : "";
}

function list(from: unknown, key: string): readonly unknown[] {
  const value = own(from, key);
  return Array.isArray(value) ? value : [];
}
