import { isDeepStrictEqual } from "node:util";
import { own, wrappedHints } from "../../../form/plan/hints.ts";
import type { Fact } from "../../../form/payload/summary.ts";
import { cutText, oneLine, plainLines, splitText } from "../../../form/plain-text.ts";
import { fieldNames } from "../../../form/plan/plan.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { answerFact, endings, fillText } from "../../../endings/sentences.ts";
import { defaultLocale } from "../../../form/payload/format.ts";
import { directionFor } from "../../../languages/languages.ts";
import { t } from "../../../languages/text.ts";
import { isTimeZone } from "../../lib/time-zones.ts";
import { HOUR, MINUTE } from "../../lib/time.ts";
import type { Purpose } from "../../tasks/notices.ts";
import { optionOf, sayFallback, sayLeft } from "../../tasks/deadline-words.ts";
import { summaryOfTask } from "../payload-summary.ts";
import { choicesOf, formForMail } from "./choices.ts";
import type { Choices } from "./choices.ts";
import type { Answering, Ending, MessageOptions } from "./message.ts";

/** The parts of an email, in order. All texts are plain, bounded and not escaped. */
export interface Content {
  /** As the task runs. */
  direction: "ltr" | "rtl";
  subject: string;
  /** Shown after the subject in a list of emails. */
  preheader: string;
  lead: string;
  /** Why the person is asked another time, or what was said about the task; or null. */
  sentBack: { title: string; reason: Excerpt; advice: string } | null;
  /** The deadline, or how the task was closed. */
  deadline: string;
  /** Less than an hour is left. */
  isSoon: boolean;
  heading: string;
  /** Who asks, or null. */
  asker: string | null;
  /** The absent person that the task is for, or null. */
  delegated: string | null;
  /** The rest of the task after its heading, or null. */
  details: Excerpt | null;
  facts: readonly Fact[];
  /** What the email leaves out, or null. */
  more: string | null;
  /** For a recipient who cannot answer: who can, or how the task was closed. null for others. */
  statement: string | null;
  decision: { question: string; description: string | null; options: readonly Link[] } | null;
  /** Says what a click does, or that the recipient cannot answer. */
  promise: string;
  /** The page with everything, or null if the recipient may not open it. */
  review: Link | null;
  footer: readonly string[];
  settings: Link | null;
}

export interface Link {
  label: string;
  address: string;
}

/** The first lines of a text. `note` says where the rest is. */
interface Excerpt {
  text: string;
  note: string | null;
}

/** In characters as people count them. */
const MAX = {
  subject: 78,
  heading: 140,
  details: 1_000,
  reason: 2_000,
  question: 200,
  description: 400,
  label: 80,
  name: 80,
  /** In a subject, which has other things to say. */
  who: 30,
  asker: 240,
  preheader: 160,
};
const MAX_LINES = 20;
const MAX_FACTS = 5;

const PRODUCT = "Human Task Service";

/** Says why a person who can answer gets the email. */
function leadOf(purpose: Purpose): string {
  switch (purpose) {
    case "decision":
      return t("a decision is waiting for you");
    case "assigned":
      return t("a task was assigned to you");
    case "sent_back":
      return t("your answer was sent back");
    case "reminder":
      return t("a decision is still waiting for you");
    case "new_round":
      return t("what you approved was changed, so decide again");
    case "revised":
      return t("the request was changed, so decide about the new version");
    case "ended":
      return t("a task is closed");
    case "commented":
      return t("something new was said about a decision that is waiting for you");
  }
}

export function contentOf(options: MessageOptions): Content {
  const { purpose, task, to, now } = options;
  const timeZone = to.time_zone !== null && isTimeZone(to.time_zone) ? to.time_zone : "UTC";
  const form = formForMail(task, timeZone, now);
  const hints = wrappedHints(task.form_definition, fieldNames(form.source));
  const { answering, need } = options;
  const direction = directionFor(task.locale ?? null, task.task);
  const place = placeOf(answering);
  const { heading, details } = titleOf(task, place);
  const at = momentOf(task.timeout_at, timeZone, now);
  const { facts, more } = summaryOf(options, { hints, timeZone, place });
  const isSoon = task.timeout_at - now.getTime() <= HOUR;
  const wanted = own(own(own(hints, "channels"), "email"), "subject");
  const asker = task.asker === null ? null : cutText(oneLine(task.asker), MAX.asker);
  const delegated = delegatedOf(options, timeZone);
  const about = { heading, asker, delegated, details, facts, more, settings: settingsOf(options) };
  const subject = subjectOf(options, wanted, oneLine(task.task) || heading);
  if (options.ending !== null)
    return endedContent(options, options.ending, { subject, heading, asker, timeZone, form });
  const headOf = (lead: string) => `${PRODUCT} · ${task.urgent ? t("urgent: {lead}", { lead }) : lead}`;
  const left = purpose === "reminder" ? sayLeft(task.timeout_at - now.getTime()) : null;
  const fallback = sayFallback(form, task, at);
  const otherwise = fallback === "" ? "" : `${fallback} `;
  if ("who_can_answer" in answering) {
    const statement = cutText(oneLine(answering.who_can_answer), MAX.description);
    const deadline =
      left === null
        ? t("An answer is due by {deadline}", { deadline: at })
        : t("An answer is due by {deadline}: {duration} left", { deadline: at, duration: left });
    return {
      ...about,
      direction,
      subject,
      preheader: preheaderOf(`${statement} ${deadline}.`, facts),
      lead: headOf(t("a decision is waiting for someone else")),
      sentBack: null,
      deadline,
      isSoon: false,
      statement,
      decision: null,
      promise: `${otherwise}${t("You cannot answer it. This email is for your information.")}`,
      review: answering.task_link === null ? null : { label: t("Open the task"), address: answering.task_link },
      footer: [recipientLine(to), t("You get this email because the task names your address."), taskLine(task)],
    };
  }
  const isBack = purpose === "sent_back";
  const notice = BEFORE_FACTS[purpose]?.(options) ?? null;
  const { link } = answering;
  const choices = isBack ? null : choicesFor(options, form);
  const deadline =
    left === null
      ? t("Answer by {deadline}", { deadline: at })
      : t("Answer by {deadline}: {duration} left", { deadline: at, duration: left });
  const next =
    choices === null
      ? t("You answer on the next page. Nothing is sent until you do.")
      : t("You confirm on the next page. Nothing is sent until you do.");
  return {
    ...about,
    direction,
    subject,
    preheader: notice === null || purpose !== "commented" ? preheaderOf(`${deadline}.`, facts) : firstOf(notice),
    lead: headOf(leadOf(purpose)),
    sentBack: notice,
    deadline,
    isSoon,
    statement: null,
    decision: choices === null ? null : decisionOf(choices, link, task.version),
    promise: `${need === "" ? "" : `${need} `}${otherwise}${next}`,
    review: {
      label: isBack ? t("Correct your answer") : choices === null ? t("Open the review") : t("Open the full review"),
      address: link,
    },
    footer: [
      recipientLine(to),
      // People reply to emails, and expect that the asker reads it.
      t("Replies to this email are not read. To ask or comment, open the page."),
      t(
        "The links in this email are personal and work until the task is closed. Please do not forward it: anyone who opens them can answer as you.",
      ),
      taskLine(task),
    ],
  };
}

/** How a closed task ended. `{who}` and the other facts of the sentences are open. */
function sentencesOf({ row, decided }: Ending): { title: string; says: string } {
  // No one decided what counts because no one answered.
  if (decided === null || row === "fallback") return endings()[row].email;
  const decision = decided.said;
  return row === "completed"
    ? { title: t("{decision} by {who}", { decision }), says: t("{decision} by {who} on {at}.", { decision }) }
    : { title: decision, says: t("{decision} on {at}.", { decision }) };
}

/** The content about a closed task. Of the payload and of the answer it has what was decided about actions. */
function endedContent(
  options: MessageOptions,
  ending: Ending,
  {
    subject,
    heading,
    asker,
    timeZone,
    form,
  }: Pick<Content, "subject" | "heading" | "asker"> & { timeZone: string; form: Form },
): Content {
  const { task, to, answering, now } = options;
  const { who, at, reason, decided } = ending;
  const moment = (epoch: number) => momentOf(epoch, timeZone, now);
  const facts = {
    who: cutText(oneLine(who ?? ""), MAX.name),
    at: moment(at),
    deadline: moment(task.timeout_at),
    answer: answerFact(ending.tells_answer ? (optionOf(form, task.on_timeout, task) ?? decided?.said ?? null) : null),
  };
  const sentences = sentencesOf(ending);
  const says = fillText(sentences.says, facts);
  const lines = plainLines(reason ?? "");
  const details =
    lines === ""
      ? null
      : excerptOf(t("Reason: {reason}", { reason: lines }), MAX.reason, t("The full reason is with the task."));
  const link = "task_link" in answering ? answering.task_link : null;
  return {
    direction: directionFor(options.task.locale ?? null, options.task.task),
    subject,
    preheader: says,
    lead: `${PRODUCT} · ${leadOf("ended")}`,
    sentBack: null,
    deadline: fillText(sentences.title, facts),
    isSoon: false,
    heading,
    asker,
    delegated: null,
    details,
    facts: decided?.facts ?? [],
    more: decided?.left_out == null ? null : `+ ${decided.left_out}`,
    statement: says,
    decision: null,
    promise: t("There is nothing more to do."),
    review: link === null ? null : { label: t("Open the task"), address: link },
    footer: [
      recipientLine(to),
      t("You get this email because an earlier one told you about the task."),
      taskLine(task),
    ],
    settings: settingsOf(options),
  };
}

/** Where the recipient finds what is not in the email: the page of the link, or of the task; null if nowhere. */
type Place = "review" | "task" | null;

function placeOf(answering: Answering): Place {
  if ("link" in answering) return "review";
  return answering.task_link === null ? null : "task";
}

/** Returns "3 more fields on the review page". */
function elsewhereOf(left_out: string, place: Place): string {
  switch (place) {
    case "review":
      return t("{left_out} on the review page", { left_out });
    case "task":
      return t("{left_out} on the task's page", { left_out });
    case null:
      return t("{left_out} not shown here", { left_out });
  }
}

/** Returns "For Ada, who is away until Fri 20 Nov, 17:40 CET." */
function delegatedOf({ delegated_from, now }: MessageOptions, timeZone: string): string | null {
  if (delegated_from == null) return null;
  const person = cutText(oneLine(delegated_from.name), MAX.name);
  return t("For {person}, who is away until {time}.", { person, time: momentOf(delegated_from.until, timeZone, now) });
}

function preheaderOf(first: string, facts: readonly Fact[]): string {
  const firstFacts = facts.slice(0, 2).map(({ title, text }) => `${title}: ${text}`);
  return `${first} ${firstFacts.join(" - ")}`.trim();
}

/** Returns the beginning of what an email is about. */
function firstOf({ title, reason }: NonNullable<Content["sentBack"]>): string {
  return cutText(reason.text === "" ? title : `${title}: ${oneLine(reason.text)}`, MAX.preheader);
}

function settingsOf({ settings_link }: MessageOptions): Link | null {
  return settings_link === null ? null : { label: t("Your settings"), address: settings_link };
}

function recipientLine(to: MessageOptions["to"]): string {
  return t("For {person}", { person: recipientOf(to) });
}

function taskLine({ id }: Pick<MessageOptions["task"], "id">): string {
  return t("Task {id}", { id });
}

function recipientOf({ name, address }: MessageOptions["to"]): string {
  const known = cutText(oneLine(name ?? ""), MAX.name);
  return known === "" ? oneLine(address) : `${known} (${oneLine(address)})`;
}

/** Returns "Fri 20 Nov, 17:40 CET". It has the day, because an email may be read later than today. */
function momentOf(epoch: number, timeZone: string, now: Date): string {
  const isOtherYear = new Date(epoch).getUTCFullYear() !== now.getUTCFullYear();
  const left = epoch - now.getTime();
  const isMinutes = left >= 0 && left < 5 * MINUTE;
  return new Intl.DateTimeFormat(defaultLocale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(isOtherYear ? { year: "numeric" } : {}),
    hour: "2-digit",
    minute: "2-digit",
    ...(isMinutes ? { second: "2-digit" } : {}),
    timeZoneName: "short",
    timeZone,
  }).format(epoch);
}

function subjectOf(options: MessageOptions, hint: unknown, task: string): string {
  const subject = saidIn(options, hint, task);
  const isUrgent = options.task.urgent && options.ending === null;
  return cutText(isUrgent ? t("Urgent: {subject}", { subject }) : subject, MAX.subject);
}

/** Returns the subject of an email about a task that is not urgent. */
function saidIn({ purpose, answering, ending, said }: MessageOptions, hint: unknown, task: string): string {
  const wanted = typeof hint === "string" ? oneLine(hint) : "";
  const subject = wanted || task;
  if (ending !== null) {
    const title = fillText(sentencesOf(ending).title, { who: cutText(oneLine(ending.who ?? ""), MAX.who) });
    return `${title}: ${subject}`;
  }
  if ("who_can_answer" in answering) return t("For your information: {subject}", { subject });
  if (purpose === "sent_back") return t("Sent back: {subject}", { subject });
  if (purpose === "new_round" || purpose === "revised") return t("Changed: {subject}", { subject });
  if (purpose === "reminder") return t("Reminder: {subject}", { subject });
  if (purpose === "commented")
    return said?.is_reply ? t("Reply: {subject}", { subject }) : t("New comment: {subject}", { subject });
  return wanted || t("Decision needed: {subject}", { subject: task });
}

/** A short task is the heading. Of a long task the first line is the heading, and the rest follows. */
function titleOf({ id, task }: MessageOptions["task"], place: Place): Pick<Content, "heading" | "details"> {
  const lines = plainLines(task);
  if (lines === "") return { heading: taskLine({ id }), details: null };
  const whole = oneLine(lines);
  if (splitText(whole, MAX.heading)[1] === "") return { heading: whole, details: null };
  const [first = "", ...others] = lines.split("\n");
  const [heading, rest] = splitText(first, MAX.heading - 3);
  const behind = [...(rest === "" ? [] : [`...${rest}`]), ...others].join("\n").trim();
  return {
    heading: rest === "" ? heading : `${heading}...`,
    details: excerptOf(behind, MAX.details, sayWhole(place)),
  };
}

function sayWhole(place: Place): string {
  switch (place) {
    case "review":
      return t("The full text is on the review page.");
    case "task":
      return t("The full text is on the task's page.");
    case null:
      return t("The full text is not shown here.");
  }
}

/** @param lines - plain lines */
function excerptOf(lines: string, max: number, note: string): Excerpt {
  const first = lines.split("\n").slice(0, MAX_LINES).join("\n").trim();
  const text = first === lines ? cutText(lines, max) : cutText(`${first}\n...`, max);
  return { text, note: text === lines ? null : note };
}

function sentBackOf({ task, sent_back }: MessageOptions): Content["sentBack"] {
  const elsewhere = t("See the reason on the review page.");
  // A reason may quote the answer or the payload.
  const reason = task.redact_payload ? "" : plainLines(sent_back?.reason ?? "");
  return {
    title:
      sent_back === null
        ? t("Sent back")
        : t("Sent back. Your next answer is attempt {attempt}.", { attempt: sent_back.attempt }),
    reason:
      reason === ""
        ? { text: "", note: elsewhere }
        : excerptOf(reason, MAX.reason, t("The full reason is on the review page.")),
    advice: t("Your last answer was not accepted. Change or resend it on the review page."),
  };
}

/** Says what somebody said about the task. */
function saidOf({ task, said }: MessageOptions): Content["sentBack"] {
  const elsewhere = t("Read it on the review page.");
  const text = task.redact_payload ? "" : plainLines(said?.text ?? "");
  const reason = text === "" ? { text: "", note: elsewhere } : excerptOf(text, MAX.reason, elsewhere);
  const more =
    said != null && said.left_out > 0
      ? { note: `+ ${elsewhereOf(said.left_out.toLocaleString(defaultLocale()), "review")}` }
      : {};
  return {
    title: cutText(oneLine(said?.title ?? ""), MAX.heading) || t("Something new was said"),
    reason: { ...reason, ...more },
    advice: t("To reply, open the review page. You can also answer at once."),
  };
}

/** Says what was changed since the person approved. */
function changedOf({ task, changed }: MessageOptions): Content["sentBack"] {
  const elsewhere = t("See what was changed on the review page.");
  const who = cutText(oneLine(changed?.who ?? ""), MAX.who);
  const lines = (changed?.facts ?? []).map(({ title, text }) => `${title}: ${text}`).join("\n");
  const reason =
    task.redact_payload || lines === ""
      ? { text: "", note: elsewhere }
      : { ...excerptOf(lines, MAX.reason, elsewhere), ...(changed?.left_out && { note: `+ ${changed.left_out}` }) };
  return {
    title: who === "" ? t("What you approved was changed") : t("{person} changed what you approved", { person: who }),
    reason,
    advice: t("Your approval does not count any more. Decide about the changed arguments."),
  };
}

/** Says what is different in the new version of a request, after what its asker says of it. */
function revisedOf({ task, revised }: MessageOptions): Content["sentBack"] {
  if (revised == null) return null;
  const elsewhere = t("See what was changed on the review page.");
  const who = cutText(oneLine(revised.who ?? ""), MAX.who);
  const changes = revised.facts.map(({ title, text }) => `${title}: ${text}`);
  const lines = [...(revised.note.trim() === "" ? [] : [revised.note, ""]), ...changes].join("\n").trim();
  return {
    title: who === "" ? t("The request was changed") : t("{person} changed the request", { person: who }),
    reason:
      task.redact_payload || lines === ""
        ? { text: "", note: elsewhere }
        : { ...excerptOf(lines, MAX.reason, elsewhere), ...(revised.left_out && { note: `+ ${revised.left_out}` }) },
    advice: t("Decide about the new version. Answers to the one before do not count."),
  };
}

/** What is said before the facts of a task, by why the email is sent. */
const BEFORE_FACTS: Partial<Record<Purpose, (options: MessageOptions) => Content["sentBack"]>> = {
  sent_back: sentBackOf,
  new_round: changedOf,
  revised: revisedOf,
  commented: saidOf,
};

/** Returns the facts that fit into an email, and what is left out. */
function summaryOf(
  { task, now }: MessageOptions,
  { hints, timeZone, place }: { hints: Readonly<Record<string, unknown>>; timeZone: string; place: Place },
): Pick<Content, "facts" | "more"> {
  if (task.redact_payload) {
    return { facts: [], more: sayConfidential(place) };
  }
  const summary = summaryOfTask(task, { hints, channel: "email", time_zone: timeZone, now });
  const { facts, left_out } = summary(MAX_FACTS);
  if (left_out === null) return { facts, more: null };
  return { facts, more: `${facts.length > 0 ? "+ " : ""}${elsewhereOf(left_out, place)}` };
}

function sayConfidential(place: Place): string {
  switch (place) {
    case "review":
      return t("This task is confidential, so details aren't in this email. See them on the review page.");
    case "task":
      return t("This task is confidential, so details aren't in this email. See them on the task's page.");
    case null:
      return t("This task is confidential, so details aren't in this email.");
  }
}

/** Options may depend on the payload and would reveal it. They are left out if the payload is redacted. */
function choicesFor({ task, now }: MessageOptions, form: Form): Choices | null {
  const choices = choicesOf(form);
  if (!task.redact_payload) return choices;
  const blind = choicesOf(formForMail({ ...task, payload: undefined }, form.time_zone, now));
  return isDeepStrictEqual(choices, blind) ? choices : null;
}

function decisionOf({ question, description, options }: Choices, link: string, version = 1): Content["decision"] {
  return {
    question: cutText(oneLine(question) || t("Your decision"), MAX.question),
    description: description === null ? null : cutText(oneLine(description), MAX.description) || null,
    options: options.map(({ label }, index) => ({
      label: furtherOf(cutText(oneLine(label) || t("Option {number}", { number: index + 1 }), MAX.label)),
      address: `${link}?choice=${index}${version === 1 ? "" : `&version=${version}`}`,
    })),
  };
}

/** Adds an ellipsis, because the link does not act at once. */
function furtherOf(label: string): string {
  return /[.…?!。？！]$/.test(label) ? label : `${label}…`;
}
