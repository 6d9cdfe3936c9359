import type { Identity } from "../../../endings/answer-state.ts";
import { answerFact, endingOf, endings, fillText } from "../../../endings/sentences.ts";
import { directionFor } from "../../../languages/languages.ts";
import { t } from "../../../languages/text.ts";
import type { Fact } from "../../../form/payload/summary.ts";
import { cutText, oneLine } from "../../../form/plain-text.ts";
import { enteredIn } from "../../../form/plan/entered.ts";
import { entriesOfPost, type Entries } from "../../../form/plan/entries.ts";
import type { FieldError } from "../../../form/plan/check.ts";
import { answerHints } from "../../../form/plan/answer-hints.ts";
import { planForm, type Form } from "../../../form/plan/plan.ts";
import { SAID } from "../../../form/plan/conversation.ts";
import { readPost, type Notice } from "../../../form/plan/post.ts";
import { ACTIONS_MAX } from "../../actions/schema.ts";
import { answerOfForm } from "../../actions/untouched.ts";
import { inRound, roundOf } from "../../approvals/proposal.ts";
import { ownVote, sayCounted, sayNeed, sayOwn, sayTally } from "../../approvals/words.ts";
import type { StoredVote } from "../../approvals/store.ts";
import type { Db } from "../../db/database.ts";
import type { Logger } from "pino";
import type { FormToDraw, Drawing } from "../../drawing/drawing.ts";
import { ServiceError } from "../../errors.ts";
import { escapeHtml } from "../../http/page.ts";
import { drawRevision, ofVersion } from "../../http/task-drawing.ts";
import { parseJson, type JsonObject } from "../../lib/json.ts";
import { emailKey } from "../../lib/text.ts";
import { isInAuditExtra, nameOfAccount } from "../../people/accounts.ts";
import type { RecipientCaller } from "../../people/caller.ts";
import { mayWith, sayWhyNot } from "../../tasks/access.ts";
import { nextAttemptOf } from "../../tasks/attempts-left.ts";
import { answerStateOf } from "../../tasks/answer-state.ts";
import { askerLineOf } from "../../tasks/asker.ts";
import { isTerminal } from "../../tasks/lifecycle.ts";
import { listAuditEntries, type TaskWithDocuments } from "../../tasks/store.ts";
import { completeTask, type CompletionContext } from "../../tasks/tasks.ts";
import type { Unsent } from "../../tasks/shown-conversation.ts";
import { isCheckUnavailable } from "../../tasks/unavailable-check.ts";
import { withdrawDecision } from "../../tasks/withdraw.ts";
import { answererOf, fieldErrorsOf, isAboutAnswer, responseOf } from "../answers.ts";
import { optionOf, otherwiseOf } from "../../tasks/deadline-words.ts";
import { decidedOf, type Decided } from "../decided.ts";
import { revisedFor } from "../revised.ts";
import { touchedSince } from "../touched.ts";
import { isDecidedAlready } from "../decided-already.ts";
import { delegatedFromOf, type DelegatedFrom } from "../delegated.ts";
import { choicesOf } from "../email/choices.ts";
import { drawConversation, FORM, NONCE, say, unsentIn } from "./conversation.ts";
import type { Door, OpenedLink } from "./door.ts";
import { createNonce, isNonce } from "./proofs.ts";
import { momentText, openPage, messagePage, type MessagePage } from "./page.ts";

/*
 * The page behind a personal link. Opening it changes nothing, because mail scanners open links too. Its form posts an
 * answer like any other.
 */

export interface Answered {
  status: number;
  html: string;
}

/** The context of the pages behind links. */
export interface ActionContext extends CompletionContext {
  drawing: Drawing;
  log: Logger;
}

/** @param head - HTML that loads the style and the script of the pages */
export interface Pages {
  ctx: ActionContext;
  /** The channel that the link came through. */
  door: Door;
  head: string;
}

/** The round of approvals that a page shows. */
const ROUND = "~round";
/** The version of the task that a page shows. */
const VERSION = "~version";
/** Changes that a page lists. It shows the whole payload as well. */
const MAX_CHANGES = 10;
/** Posted by the button that takes a decision back. */
const TAKE_BACK = "~take-back";

/** Returns the status that opening a link would have, for programs that check links. Draws nothing. */
export async function statusOfAction(pages: Pages, token: string): Promise<Answered["status"]> {
  const known = await openOrEnded(pages, await pages.door.open(token));
  return "ended" in known ? known.ended.status : 200;
}

/** Returns the page that a link opens. (spec: Channels, email action) @param choice - the index in `?choice=` @param version - that of the mail with the link */
export async function showAction(
  pages: Pages,
  token: string,
  { choice, version }: { choice: string | null; version: number },
): Promise<Answered> {
  const link = await pages.door.open(token);
  const known = await openOrEnded(pages, link);
  if ("ended" in known) return endedPage(pages, token, known.ended, link);
  if (ownVoteOf(known) !== undefined) return decidedPage(pages, token, known, {});
  if (choice === null || version === known.task.version) return show(pages, token, known, { choice });
  const text = t(
    "The request was changed after this link was sent. Nothing is chosen yet: check the new version below.",
  );
  return show(pages, token, known, { notice: { text, is_bad: false } });
}

/**
 * Handles a post of the page. Only an accepted answer uses up the link; where several people must approve, it works until
 * the task is closed.
 */
export async function postAction(pages: Pages, token: string, body: string): Promise<Answered> {
  const { ctx } = pages;
  const entries = entriesOfPost(body);
  const link = await pages.door.open(token);
  // What is said about a closed task counts too.
  if (entries[SAID.kind] !== undefined && link !== null && link.caller !== null)
    return sayAndShow(pages, token, { task: link.task, caller: link.caller }, entries);
  const known = await openOrEnded(pages, link);
  if ("ended" in known) return endedPage(pages, token, known.ended, link, entries);
  const { task, caller } = known;
  const nonce = entries[NONCE]?.[0];
  const isOwnPage = isNonce(ctx, token, nonce ?? "", ctx.db.now());
  if (entries[TAKE_BACK] !== undefined) return takeBack(pages, token, known, isOwnPage);
  const version = versionIn(entries);
  if (version !== task.version) return revisedPage(pages, token, known, entries);
  const round = task.approvals === null ? null : Number(entries[ROUND]?.[0]);
  if (round !== null && round !== roundOf(task)) return changedPage(pages, token, known, entries);
  if (!isOwnPage)
    return show(pages, token, known, {
      status: 403,
      posted: { entries, errors: [], notice: null },
      notice: {
        text: nonce
          ? t("Nothing was sent yet, because this page was open for a long time. Check your answer and submit again.")
          : t(
              "Nothing was sent yet, because the answer did not come from this page. Check your answer and submit again.",
            ),
        is_bad: true,
      },
    });
  const form = formOf(pages, task, zoneOf(caller));
  const posted = readPost(form, entries);
  if (posted.act === "show") return show(pages, token, known, { status: posted.errors.length > 0 ? 422 : 200, posted });
  try {
    const response = responseOf(answerOfForm(task, posted.value));
    const done = await completeTask(ctx, caller, task.id, { response, round, version });
    const after = { task: done, stored: done, caller };
    if (ownVoteOf(after) !== undefined && !isTerminal(done.status)) return await decidedPage(pages, token, after, {});
    if (done.status !== "rejected")
      return await endedPage(
        pages,
        token,
        await endOf(pages, done, caller, { isNow: true }),
        { task: done, caller },
        entries,
      );
    return await show(pages, token, after, { posted: { entries, errors: [], notice: null } });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refused(pages, token, known, { form, entries, error });
  }
}

/** Stores what a page without scripts says about its task, and shows the page again with all that was entered. */
async function sayAndShow(
  pages: Pages,
  token: string,
  known: Pick<Open, "task" | "caller">,
  entries: Entries,
): Promise<Answered> {
  const refusal = await say(pages.ctx, token, known, entries).then(
    () => null,
    (error: unknown) => {
      if (error instanceof ServiceError) return error;
      throw error;
    },
  );
  const refused = refusal && { status: refusal.status, unsent: unsentIn(entries, refusal) };
  const link = await pages.door.open(token);
  const current = await openOrEnded(pages, link);
  if (!("ended" in current)) {
    const posted = { entries: await touchedOf(pages, current, entries), errors: [], notice: null };
    return show(pages, token, current, { ...refused, posted });
  }
  if (refused === null)
    return endedPage(
      pages,
      token,
      { ...current.ended, status: 200, says: [t("Your comment was added to the conversation below.")] },
      link,
      entries,
    );
  return endedPage(pages, token, current.ended, link, entries, refused.unsent);
}

// --- Approvals by several people ---------------------------------------------------------------------------------------

/** Returns the decision of the person that counts while the task is open. */
function ownVoteOf({ task, caller }: Pick<Open, "task" | "caller">): StoredVote | undefined {
  return ownVote(task, caller.person?.id ?? null);
}

/** Returns the page for a person whose decision counts while others are missing. @param says - first of all */
async function decidedPage(
  { ctx, door, head }: Pages,
  token: string,
  { task, caller }: Open,
  { status = 200, says = [] }: { status?: Answered["status"]; says?: readonly string[] },
): Promise<Answered> {
  const own = ownVoteOf({ task, caller });
  if (own === undefined) throw new Error(`Nothing of this person counts for task ${task.id}.`);
  const tally = sayTally(task.approvals) || sayNeed(task.approvals);
  const html = messagePage(head, {
    title: sayOwn(own),
    task: task.task,
    is_done: true,
    says: [...says, ...(tally === "" ? [] : [tally]), t("You can take it back until the task is closed.")],
    act: {
      label: t("Take it back"),
      action: `${door.path}${token}`,
      hidden: { [NONCE]: createNonce(ctx, token, ctx.db.now()), [TAKE_BACK]: "1" },
    },
  });
  return { status, html };
}

async function takeBack(pages: Pages, token: string, known: Open, isOwnPage: boolean): Promise<Answered> {
  const { ctx, door } = pages;
  let notice = { text: t("You took it back. Nothing of yours counts until you decide again."), is_bad: false };
  let status = 200;
  if (!isOwnPage) {
    status = 403;
    notice = {
      text: t("Nothing was taken back, because this page was open for a long time. Try again."),
      is_bad: true,
    };
  } else {
    try {
      await withdrawDecision(ctx, known.caller, known.task.id);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      status = error.status;
      notice = { text: error.message, is_bad: true };
    }
  }
  const link = await door.open(token);
  const current = await openOrEnded(pages, link);
  if ("ended" in current) return endedPage(pages, token, current.ended, link);
  return ownVoteOf(current) === undefined
    ? show(pages, token, current, { status, notice })
    : decidedPage(pages, token, current, { status, says: [notice.text] });
}

/** Returns the page after an answer about arguments that were changed since: the new ones, and what was entered. */
async function changedPage(pages: Pages, token: string, known: Open, entries: Entries): Promise<Answered> {
  const status = 409;
  if (ownVoteOf(known) !== undefined) {
    // Their own edit changed them, and was perhaps posted twice.
    const isAgain = isPostedAgain(pages, known, entries);
    const says = isAgain
      ? []
      : [t("What you just sent does not count: it was about arguments that were changed since.")];
    return decidedPage(pages, token, known, { status, says });
  }
  const text = t("Not sent: someone changed the arguments in the meantime. Check the new ones below and submit again.");
  const posted = { entries, errors: [], notice: null };
  return show(pages, token, known, { status, posted, notice: { text, is_bad: true } });
}

/** Returns the page after an answer to a version that was replaced: the current one, and what was entered. */
async function revisedPage(pages: Pages, token: string, known: Open, entries: Entries): Promise<Answered> {
  const text = t("Not sent: the request was changed in the meantime. Check the new version below and submit again.");
  const posted = { entries: await touchedOf(pages, known, entries), errors: [], notice: null };
  return show(pages, token, known, { status: 409, posted, notice: { text, is_bad: true }, seen: versionIn(entries) });
}

/** The version that the page showed. Anything may have been posted. */
function versionIn(entries: Entries): number {
  return Number(entries[VERSION]?.[0] ?? 1);
}

/** Returns what a person has entered, where the page showed an earlier version: what they left as it was follows the new one. */
async function touchedOf(pages: Pages, { stored, caller }: Open, entries: Entries): Promise<Entries> {
  return touchedSince(pages.ctx.db, stored, versionIn(entries), entries, (task) => formOf(pages, task, zoneOf(caller)));
}

/** Returns whether a person has decided already what they post. */
function isPostedAgain(pages: Pages, { stored, caller }: Pick<Open, "stored" | "caller">, entries: Entries): boolean {
  const posted = readPost(formOf(pages, inRound(stored), zoneOf(caller)), entries);
  return posted.act === "answer" && isDecidedAlready(stored, caller.person?.id ?? null, posted.value);
}

/** Returns the page after an answer of which it is not known whether it was stored. */
async function unknownPage(pages: Pages, token: string, known: Open, entries: Entries): Promise<Answered> {
  if (ownVoteOf(known) !== undefined && isPostedAgain(pages, known, entries))
    return decidedPage(pages, token, known, {});
  const text = t(
    "We do not know yet whether your answer was stored, because the connection to the database was lost. Open this page again in a minute to see it, or submit again: it counts once.",
  );
  const posted = { entries, errors: [], notice: null };
  return show(pages, token, known, { status: 503, posted, notice: { text, is_bad: true } });
}

// --- Access, and the state of the task ---------------------------------------------------------------------------------

interface Open {
  /** With the arguments that are up for approval. */
  task: TaskWithDocuments;
  /** With the arguments that were asked for. */
  stored: TaskWithDocuments;
  caller: RecipientCaller;
}

interface EndedPage extends Omit<MessagePage, "more"> {
  status: Answered["status"];
  /** The answer of this task is shown below. */
  answered?: TaskWithDocuments;
  /** Nothing of what was posted was sent. */
  is_unsent?: boolean;
  /** A decision of the person counted for this task. What was posted now was not sent, unless it is the same. */
  counted?: TaskWithDocuments;
}

type Below = NonNullable<MessagePage["more"]> | null;

/** Returns the open task if the person may answer it now, else the page that says why not. */
async function openOrEnded({ ctx, door }: Pages, link: OpenedLink | null): Promise<Open | { ended: EndedPage }> {
  if (link === null) return { ended: unknown(door) };
  const { task, caller } = link;
  if (answerStateOf(task, null, ctx.db.now()).how !== "open")
    return { ended: await endOf({ ctx, door }, task, caller, {}) };
  if (caller !== null && (await mayWith(ctx.db, caller, "complete", task)))
    return { task: inRound(task), stored: task, caller };
  const why = caller === null ? door.gone() : await sayWhyNot(ctx.db, caller, task);
  return {
    ended: {
      status: 403,
      title: t("You cannot answer this task"),
      says: [
        `${why} ${t("Nothing was sent.")}`,
        t("If you think this is a mistake, ask the person who sent you this link."),
      ],
      task: task.task,
      is_unsent: true,
    },
  };
}

function unknown({ again }: Door): EndedPage {
  return {
    status: 404,
    title: t("This link doesn't work"),
    says: [t("The link may be incomplete, or the task was deleted. Nothing was sent."), again()],
  };
}

/** Returns the page of a closed task. @param caller - null for a deactivated person */
async function endOf(
  { ctx, door }: Omit<Pages, "head">,
  task: TaskWithDocuments,
  caller: RecipientCaller | null,
  { isNow = false }: { isNow?: boolean },
): Promise<EndedPage> {
  const { db } = ctx;
  const about = { task: task.task };
  const moment = (ms: number) => momentText(ms, caller?.person?.time_zone ?? null);
  const state = answerStateOf(task, caller && viewerOf(caller), db.now());
  if (state.how === "open") throw new Error(`Task ${task.id} is open.`);
  const who = state.how === "completed" ? await answererOf(db, task) : null;
  const ending = endingOf(state, who);
  const facts = {
    who: who ?? "",
    at: moment(state.at),
    deadline: moment(task.timeout_at),
    answer: answerFact(state.how === "fallback" ? await fallbackFor({ ctx, door }, task, caller) : null),
  };
  const title = fillText(endings()[ending].page.title, facts);
  const says = fillText(endings()[ending].page.says, facts);
  const counted = sayCounted(task, caller?.person?.id ?? null);
  if (counted !== "" && !isNow && ending !== "own") {
    const { title: how, says: what } = endings()[ending].email;
    // Why a task ran out of time although people approved it.
    const end = ending === "timed_out" ? t("Too few people had approved by {deadline}.") : what;
    return {
      ...about,
      status: 409,
      title: fillText(how, facts),
      says: [`${counted} ${fillText(end, facts)}`],
      counted: task,
    };
  }
  if (state.how === "completed" && isNow)
    return { ...about, status: 200, is_done: true, ...sentPage(), answered: task };
  if (ending === "own" && task.completed_via_channel === door.channel)
    return { ...about, status: 410, is_done: true, title, says: [usedUp(facts.at)], answered: task };
  if (state.how === "verification_exhausted")
    return {
      ...about,
      status: isNow ? 200 : 409,
      title,
      says: await failedChecks(
        db,
        task,
        caller,
        isNow ? t("Your answer didn't pass the check and no attempts are left. The agent has been told.") : says,
      ),
    };
  return { ...about, status: 409, is_unsent: true, title, says: [says] };
}

/** Returns the answer that counts because no one gave one, in a word; null if there is none, or not for this person. */
async function fallbackFor(
  { ctx, door }: Omit<Pages, "head">,
  task: TaskWithDocuments,
  caller: RecipientCaller | null,
): Promise<string | null> {
  if (caller === null || !(await mayWith(ctx.db, caller, "read", task))) return null;
  return optionOf(formOf({ ctx, door }, task, zoneOf(caller)), parseJson(task.on_timeout), task);
}

function sentPage(): Pick<EndedPage, "title" | "says"> {
  return {
    title: t("Answer sent"),
    says: [t("Thank you. Your answer was sent to the agent. You can close this tab.")],
  };
}

function usedUp(at: string): string {
  return t("Your answer was sent on {time}. You've already used this link. There's nothing more to do.", { time: at });
}

/** Adds the reason for people who may read the task, because it may quote the answer. */
async function failedChecks(
  db: Db,
  task: TaskWithDocuments,
  caller: RecipientCaller | null,
  says: string,
): Promise<string[]> {
  const isReader = caller !== null && (await mayWith(db, caller, "read", task));
  const reason = isReader ? task.verifier_result?.reason : null;
  return [says, ...(reason ? [t("The reason: {reason}", { reason })] : [])];
}

function viewerOf({ person, email, account }: RecipientCaller): Identity {
  return { user_id: person?.id ?? null, email, account };
}

async function answerOf(pages: Pages, task: TaskWithDocuments): Promise<Below> {
  const { ctx } = pages;
  const { id, response, response_schema, redact_payload } = task;
  if (response === null || redact_payload) return null;
  const title = t("The answer");
  const now = new Date(ctx.db.now());
  const decided = decidedOf(task, { max: ACTIONS_MAX, time_zone: "UTC", now });
  if (decided !== null) return { title, html: sheetOf(rowsOf(decided)) };
  const answer = {
    id: `${id} answer`,
    payload: response,
    payload_schema: response_schema,
    // In the words in which it was asked for.
    form_definition: JSON.stringify({ payload: answerHints(formOf(pages, task, "UTC")) }),
    redact_payload,
  };
  return { title, html: await ctx.drawing.payload(answer, { time_zone: undefined, now }) };
}

function rowsOf({ said, facts, left_out, messages }: Decided): Fact[] {
  const more = left_out === null ? [] : [{ title: t("More"), text: left_out }];
  return [{ title: t("Decision"), text: said }, ...facts, ...more, ...messages];
}

function sheetOf(rows: readonly Fact[]): string {
  const all = rows.map(
    ({ title, text }) => `<div><dt dir="auto">${escapeHtml(title)}</dt><dd dir="auto">${escapeHtml(text)}</dd></div>`,
  );
  return `<dl class="sheet entered">${all.join("")}</dl>`;
}

// --- Pages -----------------------------------------------------------------------------------------------------------

interface Shown {
  status?: Answered["status"];
  choice?: string | null;
  posted?: { entries: Entries; errors: readonly FieldError[]; notice: Notice | null };
  notice?: { text: string; is_bad: boolean };
  /** What was written in the conversation and not stored. */
  unsent?: Unsent;
  /** The version that the person has read. */
  seen?: number;
}

/** Returns the page with the form: new, or with the posted entries and a notice. */
async function show(
  pages: Pages,
  token: string,
  { task, stored, caller }: Open,
  { status = 200, choice = null, posted, notice, unsent, seen }: Shown,
): Promise<Answered> {
  const { ctx, door, head } = pages;
  const now = new Date(ctx.db.now());
  const chosen = choice === null ? null : choiceOf(formOf(pages, task, zoneOf(caller)), choice);
  const isBack = task.status === "rejected";
  const isOwn = isBack && (await isSentBackTo(ctx, task, caller));
  const said = isBack && !isOwn ? [notice?.text, othersSentBack(task)].filter(Boolean).join(" ") : notice?.text;
  const props: FormToDraw = {
    ...formPropsOf(door, task, caller),
    now: now.toISOString(),
    action: `${door.path}${token}`,
    hidden: {
      [NONCE]: createNonce(ctx, token, ctx.db.now()),
      [VERSION]: String(task.version),
      ...(task.approvals !== null && { [ROUND]: String(roundOf(task)) }),
    },
    ...(posted && { posted }),
    ...(chosen && { posted: { entries: chosen.entries, errors: [], notice: null } }),
    ...(isOwn && {
      sent_back: { reason: task.verifier_result?.reason ?? "", attempt: nextAttemptOf(task) },
    }),
    focuses: chosen?.name ?? posted === undefined,
  };
  const time_zone = caller.person?.time_zone ?? null;
  // What a drawing has of a round is kept under a name of its own.
  const round = roundOf(task);
  const drawn = round === 1 ? ofVersion(task) : { ...task, id: `${ofVersion(task).id} round ${round}` };
  // The form comes first. It must not wait for a slow payload.
  const [form, payload] = await Promise.all([
    ctx.drawing.form(props),
    ctx.drawing.payload(drawn, { time_zone: time_zone ?? undefined, now, wholeAt: `/tasks/${task.id}` }),
  ]);
  // After them: only so many drawings may wait, and each page would otherwise have one more of them.
  const conversation = await drawConversation(ctx, { task, caller }, { isPosted: true, ...(unsent && { unsent }) });
  const look = { max: MAX_CHANGES, time_zone: zoneOf(caller), now };
  const need = sayNeed(task.approvals);
  const delegated = await delegatedFromOf(ctx.db, task);
  const page = openPage(head, {
    task: task.task,
    asker: [askerLineOf(task), delegated && sayDelegated(delegated, time_zone)].filter(Boolean).join(" · ") || null,
    timeout_at: task.timeout_at,
    is_urgent: task.urgent === 1,
    otherwise: otherwiseOf(formOf(pages, task, zoneOf(caller)), task),
    time_zone,
    now,
    direction: directionFor(task.locale, task.task),
    // People who approve may have edited it since.
    revision: drawRevision(await revisedFor(ctx.db, stored, look, seen)),
    payload,
    form: form.html,
    data: form.data,
    conversation,
    notice: said === undefined ? null : { text: said, is_bad: notice?.is_bad ?? false },
    footer: [
      answersAs(caller),
      ...(need === "" ? [] : [need]),
      t("Nothing is sent until you submit."),
      t("Task {id}", { id: task.id }),
    ].join(" "),
  });
  return { status, html: page };
}

const MAX_NAME = 80;

/** Returns "For Ada, who is away until ..." */
function sayDelegated({ name, until }: DelegatedFrom, time_zone: string | null): string {
  return t("For {person}, who is away until {time}", {
    person: cutText(oneLine(name), MAX_NAME),
    time: momentText(until, time_zone),
  });
}

function answersAs({ account, email, person }: RecipientCaller): string {
  const name = email ?? person?.display_name ?? (account && nameOfAccount(account));
  return name === null ? t("You answer as yourself.") : t("You answer as {person}.", { person: name });
}

/** Returns whether the caller gave the answer that was rejected last. */
async function isSentBackTo({ db }: { db: Db }, task: TaskWithDocuments, caller: RecipientCaller): Promise<boolean> {
  const refused = (await listAuditEntries(db, task.id)).findLast(({ action }) => action === "rejected");
  if (refused === undefined) return false;
  if (refused.actor_email !== null)
    return caller.email !== null && emailKey(refused.actor_email) === emailKey(caller.email);
  // Some people are known only to their channel.
  return caller.account !== null && isInAuditExtra(parseJson<JsonObject>(refused.extra), caller.account);
}

/** For people who did not give the rejected answer. The form would ask them to change their own. */
function othersSentBack(task: TaskWithDocuments): string {
  const reason = task.verifier_result?.reason;
  const again = t("An answer was sent back. Please answer again (attempt {attempt}).", {
    attempt: nextAttemptOf(task),
  });
  return reason ? `${again} ${t("The reason: {reason}", { reason })}` : again;
}

/** Returns the entries for a choice that was clicked in the email. */
function choiceOf(form: Form, choice: string): { name: string; entries: Entries } | null {
  const choices = choicesOf(form);
  const option = /^\d$/.test(choice) ? choices?.options[Number(choice)] : undefined;
  return choices && option ? { name: choices.name, entries: { [choices.name]: [option.entry] } } : null;
}

function formPropsOf({ channel }: Door, task: TaskWithDocuments, caller: RecipientCaller) {
  return {
    task: {
      task_id: task.id,
      response_schema: task.response_schema,
      form_definition: task.form_definition,
      payload: task.payload,
      redact_payload: task.redact_payload,
      is_verified: task.verifier_config !== null && !task.redact_payload,
    },
    channel,
    time_zone: zoneOf(caller),
  } as const;
}

function formOf({ ctx, door }: Omit<Pages, "head">, task: TaskWithDocuments, time_zone: string): Form {
  const documents = {
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    payload: parseJson(task.payload),
  };
  return door.formOf(documents, time_zone, new Date(ctx.db.now()));
}

function zoneOf({ person }: RecipientCaller): string {
  return person?.time_zone ?? "UTC";
}

/** Returns the page for an answer that the form accepts and the service rejects. */
async function refused(
  pages: Pages,
  token: string,
  known: Open,
  { form, entries, error }: { form: Form; entries: Entries; error: ServiceError },
): Promise<Answered> {
  const posted = (errors: readonly FieldError[]) => ({ entries, errors, notice: null });
  if (isAboutAnswer(error)) {
    const errors = fieldErrorsOf(planForm(form, entries), error);
    const notice = { text: `${t("Nothing was sent.")} ${error.message}`, is_bad: true };
    return show(pages, token, known, {
      status: 422,
      posted: posted(errors),
      ...(errors.length === 0 && { notice }),
    });
  }
  switch (error.code) {
    case "TASK_ALREADY_TERMINAL":
    case "TASK_NOT_FOUND":
    case "TASK_CHANGED":
    case "TASK_REVISED":
    case "COMMIT_UNKNOWN":
    case "NEEDS_A_PERSON":
    case "EXCLUDED":
    case "FORBIDDEN": {
      // The task has changed, or may have, so the page shows the current state.
      const link = await pages.door.open(token);
      const current = await openOrEnded(pages, link);
      if ("ended" in current) return endedPage(pages, token, current.ended, link, entries);
      if (error.code === "COMMIT_UNKNOWN") return unknownPage(pages, token, current, entries);
      if (current.task.version !== known.task.version) return revisedPage(pages, token, current, entries);
      if (roundOf(current.task) !== roundOf(known.task)) return changedPage(pages, token, current, entries);
      const text = t("Not sent: the task changed in the meantime. Check your answer and submit again.");
      return show(pages, token, current, { status: 409, posted: posted([]), notice: { text, is_bad: true } });
    }
    default: {
      const text = isCheckUnavailable(error)
        ? error.message
        : t("Nothing was sent yet. Your answer is still here. {problem} Submit again in a moment.", {
            problem: error.message,
          });
      const status = error.status === 502 || error.status === 500 ? 502 : 503;
      return show(pages, token, known, { status, posted: posted([]), notice: { text, is_bad: true } });
    }
  }
}

/** Returns a page without a form for answers. An unsent answer is shown so that it can be copied. @param unsaid - a comment that was not stored */
async function endedPage(
  pages: Pages,
  token: string,
  { status, is_unsent: isNone = false, answered, counted, ...page }: EndedPage,
  link: OpenedLink | null,
  entries?: Entries,
  unsaid?: Unsent,
): Promise<Answered> {
  const { caller = null } = link ?? {};
  const isOther =
    counted !== undefined &&
    entries !== undefined &&
    caller !== null &&
    !isPostedAgain(pages, { stored: counted, caller }, entries);
  if (isOther) page.says = [...page.says, t("Nothing else was sent.")];
  const is_unsent = isNone || isOther;
  const unsent = is_unsent && entries && link ? unsentOf(pages, link.task, entries) : null;
  const more = answered ? await answerOf(pages, answered) : unsent;
  const talk = link && (await talkAfterEnd(pages, token, link, unsaid));
  return { status, html: messagePage(pages.head, { ...page, more, talk }) };
}

/** Returns the conversation about a closed task, and the form that its comments are posted with; null if it is not for this person. */
async function talkAfterEnd(
  { ctx, door }: Pages,
  token: string,
  { task, caller }: OpenedLink,
  unsaid: Unsent | undefined,
): Promise<NonNullable<MessagePage["talk"]> | null> {
  if (answerStateOf(task, null, ctx.db.now()).how === "open") return null;
  if (caller === null || !(await mayWith(ctx.db, caller, "comment", task))) return null;
  const html = await drawConversation(
    ctx,
    { task, caller },
    { isPosted: true, ...(unsaid && { unsent: unsaid }) },
  ).catch((error: unknown) => {
    // What became of an answer is said also while too many pages are drawn. What was written and not stored is kept.
    if (error instanceof ServiceError && error.code === "OVERLOADED" && unsaid === undefined) return null;
    throw error;
  });
  if (html === null) return null;
  const hidden = { [NONCE]: createNonce(ctx, token, ctx.db.now()) };
  return { html, form: { id: FORM, action: `${door.path}${token}`, hidden } };
}

function unsentOf(pages: Pages, task: TaskWithDocuments, entries: Entries): Below {
  const entered = enteredIn(planForm(formOf(pages, task, "UTC"), entries));
  if (entered.length === 0) return null;
  return { title: t("Your unsent answer"), html: sheetOf(entered) };
}
