import type { ActionsBlock } from "@slack/types";
import { readPost } from "../../../../form/plan/post.ts";
import { planForm } from "../../../../form/plan/plan.ts";
import { roundOf } from "../../../approvals/proposal.ts";
import { ServiceError } from "../../../errors.ts";
import { SECOND } from "../../../lib/time.ts";
import { isOperatorOf } from "../../../people/caller.ts";
import { mayWith } from "../../../tasks/access.ts";
import { anotherRound } from "../../../tasks/approving.ts";
import { claimTask } from "../../../tasks/claims.ts";
import type { TaskWithDocuments } from "../../../tasks/store.ts";
import { completeTask } from "../../../tasks/tasks.ts";
import { withdrawDecision } from "../../../tasks/withdraw.ts";
import { responseOf } from "../../answers.ts";
import { ACTION } from "./actions.ts";
import {
  changedView,
  checkLater,
  closedResult,
  countedOf,
  giveAnswer,
  isOfOtherRound,
  isOfOtherVersion,
  noteOf,
  tellLate,
  unsentView,
  type Entered,
} from "./answering.ts";
import { CONFIRM_BLOCK } from "../modal/block-ids.ts";
import { SlackFailure } from "../client.ts";
import {
  callerAt,
  contextFor,
  findTask,
  refusalOf,
  endedSentence,
  nothingSentFor,
  sentenceOf,
  show,
  postEphemeral,
  type ClickContext,
  type SlackReply,
  type Who,
  type SlackContext,
} from "./click-context.ts";
import { parseInteraction, type ModalState, type PressedButton } from "./interaction.ts";
import type { SlackCaller } from "./people.ts";
import { entriesOfChoice, entriesOfOpened } from "../modal/form.ts";
import { modalOf, parseModalData } from "../modal/modal.ts";
import { createSlackLink } from "../links.ts";
import { isDecidedAlready } from "../../decided-already.ts";
import { noticeView } from "./notice.ts";
import { formFor, revisionOf, sentBackFor, slackTaskOf } from "../task-view.ts";
import { entriesOfView, errorsOfView } from "../modal/values.ts";

/** Slack waits three seconds. Longer work continues after the response. */
const ACK_MS = 2 * SECOND;

/**
 * Handles a click or a submitted form in Slack. Slack vouches for the person; access is checked as on every surface. (spec:
 * Channels)
 *
 * @param payload - of a request whose signature was checked
 * @param isNew - whether a press is here for the first time. A form is known by its view (checkLater)
 */
export async function handleInteraction(
  ctx: SlackContext,
  payload: unknown,
  isNew: () => Promise<boolean> = async () => true,
): Promise<SlackReply> {
  const interaction = parseInteraction(payload);
  switch (interaction?.kind) {
    case undefined:
      return null;
    case "pressed":
      return soon(ctx, null, async () => {
        const context = await contextFor(ctx, interaction.team);
        return context && (await isNew()) ? pressed(context, interaction, interaction.who) : null;
      });
    case "revised":
      return soon(ctx, null, async () => {
        const context = await contextFor(ctx, interaction.team);
        return context && reviseView(context, interaction.view);
      });
    case "submitted": {
      const context = await contextFor(ctx, interaction.team);
      if (context === null) return show(noticeView("Nothing was sent", NOT_CONNECTED));
      return submitted(context, interaction.view, interaction.who);
    }
  }
}

const NOT_CONNECTED = "This service is no longer connected to this workspace.";

/** Waits for `work` as long as Slack does. Later errors are logged. */
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
  return (error) => log.error({ err: error }, "A Slack interaction failed");
}

// --- Buttons of a message ----------------------------------------------------------------------------------------------

async function pressed(context: ClickContext, button: PressedButton, who: Who): Promise<SlackReply> {
  const { click, channel, ts, trigger } = button;
  const tell = (sentence: string, ...more: readonly ActionsBlock[]) =>
    postEphemeral(context, { channel }, who.user_id, sentence, ...more);

  const task = await findTask(context, button.task_id);
  if (task === null) return tell("This task was deleted. Nothing was sent.");
  const ended = await endedSentence(context, task);
  if (ended !== null) return tell(await nothingSentFor(context, task, ended, { who, channel }));
  const caller = await callerAt(context, who, task, channel).catch(async (error: unknown) =>
    tell(await sentenceOf(context, task, error)),
  );
  if (caller === null) return null;
  if (!(await mayWith(context.ctx.db, caller, "complete", task))) return tell(await refusalOf(context, task, caller));
  try {
    switch (click.act) {
      case "claim":
      case "takeOver":
        await claimTask(context.ctx, caller, task.id, click.act === "takeOver");
        return null;
      case "takeBack":
        await withdrawDecision(context.ctx, caller, task.id);
        return await tell("You took it back. Nothing of yours counts until you decide again.");
      case "answer":
        return await openForm(context, task, caller, { trigger, channel, ts, index: click.index });
      case "link":
        return await postLink(context, task, caller, channel);
      case "choose": {
        const { round, version } = button;
        if (version !== task.version)
          return await tell(
            `The request has changed since. Nothing was sent. See version ${task.version} in the message.`,
          );
        if (task.approvals !== null && round !== roundOf(task))
          return await tell(`${anotherRound().message} Nothing was sent.`);
        const form = formFor(task);
        const entries = entriesOfChoice(form, click.index, task.action !== null);
        if (entries === null)
          return await tell("This button is outdated. Nothing was sent. Use Answer or open the task in the browser.");
        const response = responseOf(planForm(form, entries).value);
        const done = await completeTask(context.ctx, caller, task.id, { response, round, version });
        const counted = countedOf(done, caller);
        if (counted !== null) return await tell(counted.join(". "), takeBack(task));
        return done.status === "rejected" ? await tell(sentBackFor(done).text) : null;
      }
    }
  } catch (error) {
    const sentence = await sentenceOf(context, task, error, caller.person?.id);
    const isHeld = error instanceof ServiceError && error.code === "TASK_ALREADY_CLAIMED";
    return isHeld && isOperatorOf(caller, task.project)
      ? postEphemeral(context, { channel }, who.user_id, sentence, takeOver(task))
      : tell(sentence);
  }
}

async function openForm(
  context: ClickContext,
  task: TaskWithDocuments,
  caller: SlackCaller,
  { trigger, channel, ts, index }: { trigger: string; channel: string; ts: string; index: number | null },
): Promise<null> {
  const form = formFor(task);
  const entries = entriesOfOpened(form, index);
  const revision = await revisionOf(context.ctx.db, task);
  const view = modalOf(slackTaskOf(task), form, entries, { channel, ts, revision, ...noteOf(task) });
  if (view === null) return postLink(context, task, caller, channel, index);
  await context.slack.openView(trigger, view);
  return null;
}

/**
 * Gives a person who may answer a personal link, for tasks that Slack cannot ask.
 * @param index - of the option that is chosen there
 */
async function postLink(
  context: ClickContext,
  task: TaskWithDocuments,
  caller: SlackCaller,
  channel: string,
  index: number | null = null,
): Promise<null> {
  const link = createSlackLink(context.ctx, task.id, caller.account, { user_id: caller.person?.id ?? null, channel });
  const version = task.version === 1 ? "" : `&version=${task.version}`;
  const url = index === null ? link : `${link}?choice=${index}${version}`;
  const text = { type: "plain_text", text: "Open the form" } as const;
  return postEphemeral(
    context,
    { channel },
    caller.account.user_id,
    "This link is personal: anyone who has it can answer as you. It opens this task until the task is closed.",
    { type: "actions", elements: [{ type: "button", action_id: ACTION.browser, text, url }] },
  );
}

// --- The modal ---------------------------------------------------------------------------------------------------------

async function readView(context: ClickContext, view: ModalState): Promise<Entered | null> {
  const data = parseModalData(view.private_metadata);
  const task = data === null ? null : await findTask(context, data.task);
  if (data === null || task === null) return null;
  const form = formFor(task);
  const revision = await revisionOf(context.ctx.db, task);
  return { task, data, form, entries: entriesOfView(form, view.values, data), revision };
}

/** The entries changed which fields apply. */
async function reviseView(context: ClickContext, view: ModalState): Promise<null> {
  const read = await readView(context, view);
  if (read === null) return null;
  const { task, form, entries, data, revision } = read;
  const isChanged = isOfOtherVersion(read) || isOfOtherRound(read);
  const next = isChanged
    ? await changedView(context, read)
    : modalOf(slackTaskOf(task), form, entries, { ...data, revision });
  if (next === null) return null;
  try {
    await context.slack.updateView(view.id, next, view.hash);
  } catch (error) {
    // Something was entered in the meantime. It has its own update.
    if (!(error instanceof SlackFailure && error.word === "hash_conflict")) throw error;
  }
  return null;
}

async function submitted(context: ClickContext, view: ModalState, who: Who): Promise<SlackReply> {
  const read = await readView(context, view);
  if (read === null) return show(noticeView("This task was deleted", "Nothing was sent."));
  const { task, data, form, entries, revision } = read;
  const closed = await closedResult(context, read, who);
  if (closed !== null) return closed.reply;
  if (isOfOtherVersion(read)) return show(await changedView(context, read));
  const posted = readPost(form, entries);
  if (isOfOtherRound(read)) {
    // Their own edit changed them, and perhaps came twice.
    const voter = await callerAt(context, who, task, data.channel);
    const counted = countedOf(task, voter);
    const isAgain = posted.act === "answer" && isDecidedAlready(task, voter.person?.id ?? null, posted.value);
    return show(counted === null || !isAgain ? await changedView(context, read) : noticeView(...counted));
  }
  if (posted.act === "show") {
    if (posted.errors.length > 0)
      return { response_action: "errors", errors: errorsOfView(form, entries, posted.errors) };
    if (posted.notice === "confirm")
      return { response_action: "errors", errors: { [CONFIRM_BLOCK]: "Tick this box to send the answer." } };
    const note = { title: "More questions to answer", text: "Your answers changed which questions apply." };
    const next = modalOf(slackTaskOf(task), form, entries, { ...data, note, revision });
    if (next !== null) return show(next);
  }
  const caller = await callerAt(context, who, task, data.channel);
  if (!(await mayWith(context.ctx.db, caller, "complete", task)))
    return show(unsentView(await refusalOf(context, task, caller), read));
  if (posted.act === "show") {
    await postLink(context, task, caller, data.channel);
    return show(
      unsentView("Open in browser to answer. Your personal link is in the channel where you opened this.", read),
    );
  }

  if (task.verifier_config !== null && !task.redact_payload) return checkLater(context, read, { view, who });
  const target = { data, view: view.id, who };
  const given = giveAnswer(context, caller, read, posted.value);
  const sending = show(noticeView("Still sending", "Keep this window open until your answer is sent."));
  const reply = await soon(context.ctx, sending, async () => (await given).reply);
  if (reply === sending) void given.then(async (late) => tellLate(context, late, target)).catch(onError(context.ctx));
  return reply;
}

function takeBack({ id }: TaskWithDocuments): ActionsBlock {
  const text = { type: "plain_text", text: "Take it back" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.takeBack, value: id, text }] };
}

function takeOver({ id }: TaskWithDocuments): ActionsBlock {
  const text = { type: "plain_text", text: "Take over" } as const;
  return { type: "actions", elements: [{ type: "button", action_id: ACTION.takeOver, value: id, text }] };
}
