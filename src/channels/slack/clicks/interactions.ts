import type { ActionsBlock } from "@slack/types";
import { readPost } from "../../../../form/plan/post.ts";
import { planForm } from "../../../../form/plan/plan.ts";
import { ServiceError } from "../../../errors.ts";
import { SECOND } from "../../../lib/time.ts";
import { mayWith } from "../../../tasks/access.ts";
import { claimTask } from "../../../tasks/claims.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { completeTask } from "../../../tasks/tasks.ts";
import { responseOf } from "../../answers.ts";
import { ACTION } from "./actions.ts";
import { checkLater, giveAnswer, noteOf, tellLate, unsentView, type Entered } from "./answering.ts";
import { CONFIRM_BLOCK } from "../modal/block-ids.ts";
import { SlackFailure } from "../client.ts";
import {
  callerAt,
  findTask,
  refusalOf,
  endedSentence,
  sentenceOf,
  show,
  whisper,
  type Desk,
  type SlackReply,
  type Who,
  type SlackContext,
} from "./desk.ts";
import { parseInteraction, type ModalState, type PressedButton } from "./interaction.ts";
import type { SlackCaller } from "./people.ts";
import { entriesOfChoice } from "../modal/form.ts";
import { modalOf, parseModalData } from "../modal/modal.ts";
import { createSlackLink } from "../links.ts";
import { noticeView } from "./notice.ts";
import { formFor, slackTaskOf } from "../showing.ts";
import { entriesOfView, errorsOfView } from "../modal/values.ts";

/** Slack waits three seconds; what takes longer goes on behind the answer. */
const ACK_MS = 2 * SECOND;

/**
 * Does what a person pressed or submitted in Slack, which vouches for who they are. What they may do is asked where it is
 * asked for everybody. (spec: Channels)
 *
 * @param payload - of a request whose signature was checked
 */
export async function handleInteraction(ctx: SlackContext, payload: unknown): Promise<SlackReply> {
  const interaction = parseInteraction(payload);
  switch (interaction?.kind) {
    case undefined:
      return null;
    case "pressed":
      return soon(ctx, null, async () => {
        const desk = await deskFor(ctx, interaction.team);
        return desk && pressed(desk, interaction, interaction.who);
      });
    case "revised":
      return soon(ctx, null, async () => {
        const desk = await deskFor(ctx, interaction.team);
        return desk && reviseView(desk, interaction.view);
      });
    case "submitted": {
      const desk = await deskFor(ctx, interaction.team);
      if (desk === null) return show(noticeView("Nothing was sent", NOT_CONNECTED));
      return submitted(desk, interaction.view, interaction.who);
    }
  }
}

const NOT_CONNECTED = "The server that asked is not connected to this workspace any more.";

/** Who serves a workspace; null: the app is not connected to it any more. */
async function deskFor(ctx: SlackContext, team: string): Promise<Desk | null> {
  try {
    const workspaces = ctx.slack;
    return workspaces === null ? null : { ctx, workspaces, slack: await workspaces.find(team) };
  } catch (error) {
    if (!(error instanceof SlackFailure && error.word === "no_team")) throw error;
    ctx.log.warn({ team }, "Something was pressed in a workspace of Slack that the app is not connected to");
    return null;
  }
}

/** Waits for `work` as long as Slack does; the rest of it goes on, and what goes wrong then is in the log. */
async function soon(ctx: SlackContext, late: SlackReply, work: () => Promise<SlackReply>): Promise<SlackReply> {
  const done = work();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<SlackReply>((resolve) => {
    timer = setTimeout(() => resolve(late), ACK_MS);
  });
  done.catch(onError(ctx));
  return Promise.race([done, patience]).finally(() => clearTimeout(timer));
}

function onError({ log }: SlackContext): (error: unknown) => void {
  return (error) => log.error({ err: error }, "What was pressed in Slack could not be done");
}

// --- Buttons of a message ----------------------------------------------------------------------------------------------

async function pressed(desk: Desk, button: PressedButton, who: Who): Promise<SlackReply> {
  const { click, channel, ts, trigger } = button;
  const tell = (sentence: string) => whisper(desk, channel, who.user_id, sentence);

  const task = await findTask(desk, button.task_id);
  if (task === null) return tell("This task is gone. Nothing was sent.");
  const over = await endedSentence(desk, task);
  if (over !== null) return tell(`${over} Nothing was sent.`);
  const caller = await callerAt(desk, who, task).catch(async (error: unknown) =>
    tell(await sentenceOf(desk, task, error)),
  );
  if (caller === null) return null;
  if (!(await mayWith(desk.ctx.db, caller, "complete", task))) return tell(await refusalOf(desk, task, caller));
  try {
    switch (click.act) {
      case "claim":
      case "takeOver":
        await claimTask(desk.ctx, caller, task.id, click.act === "takeOver");
        return null;
      case "answer":
        return await openForm(desk, task, caller, { trigger, channel, ts });
      case "link":
        return await whisperLink(desk, task, caller, channel);
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
    return isHeld && caller.person?.is_operator
      ? whisper(desk, channel, who.user_id, sentence, takeOver(task))
      : tell(sentence);
  }
}

async function openForm(
  desk: Desk,
  task: TaskWithDocuments,
  caller: SlackCaller,
  { trigger, channel, ts }: { trigger: string; channel: string; ts: string },
): Promise<null> {
  const view = modalOf(slackTaskOf(task), formFor(task), {}, { channel, ts, ...noteOf(task) });
  if (view === null) return whisperLink(desk, task, caller, channel);
  await desk.slack.openView(trigger, view);
  return null;
}

/** Gives somebody who may answer a link of their own, where Slack cannot ask. */
async function whisperLink(desk: Desk, task: TaskWithDocuments, caller: SlackCaller, channel: string): Promise<null> {
  const url = createSlackLink(desk.ctx, task.id, caller.account, caller.person?.id ?? null);
  const text = { type: "plain_text", text: "Open the form" } as const;
  return whisper(
    desk,
    channel,
    caller.account.user_id,
    "This link is for you alone: whoever has it answers as you. It opens this one task, until the task has ended.",
    { type: "actions", elements: [{ type: "button", action_id: ACTION.browser, text, url }] },
  );
}

// --- The modal ---------------------------------------------------------------------------------------------------------

async function readView(desk: Desk, view: ModalState): Promise<Entered | null> {
  const data = parseModalData(view.private_metadata);
  const task = data === null ? null : await findTask(desk, data.task);
  if (data === null || task === null) return null;
  const form = formFor(task);
  return { task, data, form, entries: entriesOfView(form, view.values, data) };
}

/** What was entered asks for other fields. */
async function reviseView(desk: Desk, view: ModalState): Promise<null> {
  const read = await readView(desk, view);
  if (read === null) return null;
  const { task, form, entries, data } = read;
  const next = modalOf(slackTaskOf(task), form, entries, data);
  if (next === null) return null;
  try {
    await desk.slack.updateView(view.id, next, view.hash);
  } catch (error) {
    // Something else was entered meanwhile, which has its own update.
    if (!(error instanceof SlackFailure && error.word === "hash_conflict")) throw error;
  }
  return null;
}

async function submitted(desk: Desk, view: ModalState, who: Who): Promise<SlackReply> {
  const read = await readView(desk, view);
  if (read === null) return show(noticeView("This task is gone", "Nothing was sent."));
  const { task, data, form, entries } = read;
  const over = await endedSentence(desk, task);
  if (over !== null) return show(unsentView(over, read));
  const posted = readPost(form, entries);
  if (posted.act === "show") {
    if (posted.errors.length > 0)
      return { response_action: "errors", errors: errorsOfView(form, entries, posted.errors) };
    if (posted.notice === "confirm")
      return { response_action: "errors", errors: { [CONFIRM_BLOCK]: "Tick this to send the answer." } };
    const note = { title: "There is more to answer", text: "Your answers so far have brought up other questions." };
    const next = modalOf(slackTaskOf(task), form, entries, { ...data, note });
    if (next !== null) return show(next);
  }
  const caller = await callerAt(desk, who, task);
  if (!(await mayWith(desk.ctx.db, caller, "complete", task)))
    return show(unsentView(await refusalOf(desk, task, caller), read));
  if (posted.act === "show") {
    await whisperLink(desk, task, caller, data.channel);
    return show(unsentView("This one needs the browser. A link for you alone stands where you opened this.", read));
  }

  const told = { data, view: view.id, who };
  if (task.verifier_config !== null && !task.redact_payload) {
    await checkLater(desk, read, told);
    return show(noticeView("Checking your answer", "This takes a moment. You can close this window."));
  }
  const given = giveAnswer(desk, caller, read, posted.value);
  const sending = show(noticeView("Still sending", "Keep this open until it says that your answer was sent."));
  const reply = await soon(desk.ctx, sending, async () => (await given).reply);
  if (reply === sending) void given.then(async (late) => tellLate(desk, late, told)).catch(onError(desk.ctx));
  return reply;
}

function takeOver({ id }: TaskWithDocuments): ActionsBlock {
  const text = { type: "plain_text", text: "Take over" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.takeOver, value: id, text }] };
}
