import type {
  ActionsBlock,
  Button,
  ContextBlock,
  ContextBlockElement,
  PlainTextElement,
  SectionBlock,
} from "@slack/types";
import { answerFact, endings, fillText } from "../../../endings/sentences.ts";
import { cutText, oneLine, plainLines } from "../../../form/plain-text.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { ACTION, chooseAction, openWith, valueOf } from "./clicks/actions.ts";
import { actionChoices, directChoices, slackForm } from "./modal/form.ts";
import type { Choices } from "./modal/form.ts";
import { modalOf } from "./modal/modal.ts";
import { sayFallback } from "../../tasks/deadline-words.ts";
import type { Decided } from "../decided.ts";
import type { DelegatedFrom } from "../delegated.ts";
import {
  askedElement,
  askerElement,
  factBlocks,
  factsOf,
  nameOfTask,
  taskSection,
  versionElements,
} from "./modal/summary.ts";
import type { FactsOf, SlackTask } from "./modal/summary.ts";
import { fitText, line, lines, markup, MAX, moment } from "./modal/text.ts";

export interface SlackMessage {
  /** For notifications and clients without blocks. */
  text: string;
  blocks: (SectionBlock | ContextBlock | ActionsBlock)[];
}

export interface MessageOptions {
  /** Name of the assignee; null if unassigned. */
  assignee: string | null;
  /** The absent person that the assignee stands in for; null if for no one. */
  delegated_from?: DelegatedFrom | null;
  /** Name of the claim holder; null if unclaimed. */
  claimed_by: string | null;
  /** Says who can answer, for a reader who cannot. null if the reader, or someone in the channel, can answer. */
  answered_by_others: string | null;
  /** A reader may be able to claim the task. */
  mayClaim: boolean;
  /** What others have decided, where several people must approve; "" otherwise. */
  approvals?: string;
  /** What the asker says of a version that is not the first; "" otherwise. */
  revision?: string;
  /** What was changed since the reader of a direct message approved it; "" otherwise. */
  changed?: string;
  /** A verifier checks the answer after it was sent. */
  is_verified: boolean;
  /** Absolute URL of the task in the dashboard. */
  link: string;
  /** IANA name; for times among the facts. */
  time_zone: string;
  now: Date;
}

const MAX_FACTS = 4;
/** A payload of so few fields is shown whole: a section of Slack has no room for more. */
const MAX_ALL = 10;
const MAX_NAME = 80;
const MAX_TEXT = 300;
const MAX_LINE = 600;

/** The message that asks for a decision. */
export function messageOf(task: SlackTask, options: MessageOptions): SlackMessage {
  const form = slackForm(task, options.time_zone, options.now);
  const { answered_by_others } = options;
  if (answered_by_others !== null) return informingMessageOf(task, form, { ...options, answered_by_others });
  const factsFor = factsOf(task, form);
  const canAnswer = isExpressible(task, form, factsFor);
  const all = factsFor(MAX_ALL);
  const facts = all.hasUnseen ? factsFor(MAX_FACTS) : all;
  // One press is enough only for a payload that the message shows.
  const isOnePress = canAnswer && !options.is_verified && !facts.hasUnseen;
  const choices = choicesOf(task, form, { canAnswer, isOnePress });
  const about: ContextBlockElement[] = [
    ...askerElement(task),
    ...askedElement(task),
    markup(`Answer by ${moment(task.timeout_at)}`),
    ...lineOf(sayFallback(form, task)),
    ...lineOf(options.approvals),
    ...(options.assignee === null ? [] : [line(`Assigned to ${nameOf(options.assignee)}`, MAX.field)]),
    ...delegatedElements(options),
    ...(options.claimed_by === null ? [] : [line(`${nameOf(options.claimed_by)} is working on this`, MAX.field)]),
    line(`Task ${task.id}`, MAX.field),
  ];
  return {
    text: fitText(`${urgencyOf(task)}Decision needed: ${nameOfTask(task)}`, MAX_TEXT),
    blocks: [
      openSection(task),
      ...versionElements(task, options.revision ?? "").map(context),
      ...lineOf(options.changed).map(context),
      ...facts.blocks,
      ...(canAnswer ? [] : [context(line("Open in browser to answer.", MAX.field))]),
      { type: "context", elements: about },
      { type: "actions", elements: buttonsOf(task, form, options, canAnswer, choices) },
    ],
  };
}

/** The name is plain text, in which Slack finds no marks. */
function delegatedElements({ delegated_from = null }: Pick<MessageOptions, "delegated_from">): ContextBlockElement[] {
  if (delegated_from === null) return [];
  const { name, until } = delegated_from;
  return [line(`For ${nameOf(name)}, who is away`, MAX.field), markup(`Away until ${moment(until)}`)];
}

function lineOf(text = ""): PlainTextElement[] {
  return text === "" ? [] : [line(text, MAX_LINE)];
}

/** The message to a person who cannot answer, for their information. */
function informingMessageOf(
  task: SlackTask,
  form: Form,
  {
    answered_by_others,
    approvals,
    claimed_by,
    link,
    revision = "",
    delegated_from = null,
  }: MessageOptions & { answered_by_others: string },
): SlackMessage {
  return {
    text: fitText(`${urgencyOf(task)}For your information: ${nameOfTask(task)}`, MAX_TEXT),
    blocks: [
      openSection(task),
      ...versionElements(task, revision).map(context),
      ...factsOf(task, form)(MAX_FACTS).blocks,
      context(line(`${answered_by_others} You cannot answer it. This message is for your information.`, MAX.field)),
      {
        type: "context",
        elements: [
          ...askerElement(task),
          ...askedElement(task),
          markup(`Answer by ${moment(task.timeout_at)}`),
          ...lineOf(sayFallback(form, task)),
          ...lineOf(approvals),
          ...delegatedElements({ delegated_from }),
          ...(claimed_by === null ? [] : [line(`${nameOf(claimed_by)} is working on this`, MAX.field)]),
          line(`Task ${task.id}`, MAX.field),
        ],
      },
      { type: "actions", elements: [openButton(task, link)] },
    ],
  };
}

function urgencyOf({ urgent }: SlackTask): string {
  return urgent ? "Urgent: " : "";
}

/** The first block of the message about an open task. */
function openSection(task: SlackTask): SectionBlock {
  if (!task.urgent) return taskSection(task);
  return taskSection({ ...task, task: `${urgencyOf(task)}${plainLines(task.task) || `Task ${task.id}`}` });
}

/** Whether Slack can show the form. A form may copy from the payload, so a redacted payload keeps it out of Slack. */
function isExpressible(task: SlackTask, form: Form, facts: FactsOf): boolean {
  return modalOf(task, form, {}, { channel: "", ts: "" }, facts) !== null;
}

/** Returns the decision of which each option is a button. Of an action it always is: some buttons open the modal. */
function choicesOf(
  { actions }: SlackTask,
  form: Form,
  { canAnswer, isOnePress }: { canAnswer: boolean; isOnePress: boolean },
): Choices | null {
  if (actions === null) return isOnePress ? directChoices(form) : null;
  const choices = canAnswer ? actionChoices(form) : null;
  if (choices === null || isOnePress) return choices;
  return { ...choices, isComplete: choices.isComplete.map(() => false), hasDetails: false };
}

function buttonsOf(
  task: SlackTask,
  form: Form,
  { assignee, mayClaim, link }: MessageOptions,
  canAnswer: boolean,
  choices: Choices | null,
): Button[] {
  const button = (action_id: string, text: string) => buttonOf(task, action_id, text);
  return [
    ...(choices === null ? [] : choiceButtons(choices, form, button)),
    ...(canAnswer && choices === null ? [button(ACTION.answer, "Answer")] : []),
    ...(canAnswer ? [] : [button(ACTION.link, "Answer in the browser")]),
    ...(choices?.hasDetails === true ? [button(ACTION.answer, "Add details")] : []),
    openButton(task, link),
    ...(assignee === null && mayClaim ? [button(ACTION.claim, "Claim")] : []),
  ];
}

function openButton(task: SlackTask, link: string): Button {
  return { ...buttonOf(task, ACTION.browser, "Open in browser"), url: link };
}

function buttonOf(task: SlackTask, action_id: string, text: string): Button {
  return { type: "button", action_id, text: line(text, MAX.button), value: valueOf(task) };
}

/** All options look the same, so that none is suggested. */
function choiceButtons(
  { node, isComplete }: Choices,
  form: Form,
  button: (action_id: string, text: string) => Button,
): Button[] {
  const { confirm } = form.hints.submit;
  return node.options.map(({ label, description }, index) => {
    const name = oneLine(label) || `Option ${index + 1}`;
    if (isComplete[index] !== true) return button(openWith(index), name);
    const said = [
      cutText(oneLine(node.title), MAX_NAME),
      `Your answer: ${name}`,
      description,
      node.description,
      confirm,
    ];
    return {
      ...button(chooseAction(index), name),
      confirm: {
        title: line("Send this answer?", MAX.confirmTitle),
        text: lines(
          said
            .map((text) => oneLine(text ?? ""))
            .filter((text) => text !== "")
            .join("\n"),
          MAX.confirmText,
        ),
        confirm: line("Send answer", 30),
        deny: line("Go back", 30),
      },
    };
  });
}

export interface Ending {
  how: "completed" | "fallback" | "timed_out" | "cancelled" | "verification_exhausted";
  /** Name of the person who answered; null if unknown. */
  who: string | null;
  /** Slack member id of a person without an account here. Updating a message notifies no one. */
  member: string | null;
  /** The channel of the answer, such as `slack`. */
  via: string | null;
  /** Epoch milliseconds. */
  at: number;
  /** Label of the chosen option; null if there was none. Hidden if the payload is redacted. */
  decision: string | null;
  /** Who approved, where several people had to; "" otherwise. */
  approvals?: string;
  /** What was decided about the actions of the task; null without any, or if the payload is redacted. */
  decided: Decided | null;
}

const CHANNELS: ReadonlyMap<string | null, string> = new Map([
  ["slack", "in Slack"],
  ["email", "by email"],
  ["dashboard", "on the dashboard"],
  ["embed", "in an embedded form"],
  ["mcp", "through MCP"],
]);

/** The message after the task is closed: the outcome, and no buttons. */
export function endedMessageOf(
  task: SlackTask,
  ending: Ending,
  { time_zone, now }: Pick<MessageOptions, "time_zone" | "now">,
): SlackMessage {
  const form = slackForm(task, time_zone, now);
  const { summary, elements } = outcomeOf(ending, task.redact_payload);
  const { decided, approvals } = ending;
  return {
    text: fitText(`${summary}: ${nameOfTask(task)}`, MAX_TEXT),
    blocks: [
      taskSection(task),
      ...factsOf(task, form)(MAX_FACTS).blocks,
      ...(decided === null ? [] : factBlocks(decided.facts, decided.left_out && `+ ${decided.left_out}`)),
      {
        type: "context",
        elements: [
          ...elements,
          ...lineOf(approvals),
          ...askerElement(task),
          ...versionElements(task, ""),
          line(`Task ${task.id}`, MAX.field),
        ],
      },
    ],
  };
}

function outcomeOf(
  { how, who, member, via, at, decision, decided }: Ending,
  isRedacted: boolean,
): { summary: string; elements: ContextBlockElement[] } {
  const when = moment(at);
  switch (how) {
    case "completed": {
      const by = who === null ? "" : ` by ${nameOf(who)}`;
      const said = decision === null || isRedacted ? "" : oneLine(decision);
      const what = decided?.said ?? (said === "" ? "Answered" : `“${said}”`);
      const where = CHANNELS.get(via);
      const answered =
        member !== null && /^[A-Z0-9]+$/.test(member)
          ? [line(what, MAX.field), markup(`by <@${member}>`)]
          : [line(`${what}${by}`, MAX.field)];
      return {
        summary: `${what}${by}`,
        elements: [...answered, markup(when), ...(where === undefined ? [] : [line(where, MAX.field)])],
      };
    }
    case "fallback": {
      const answer = isRedacted ? null : oneLine(decision ?? "") || (decided?.said ?? null);
      const said = fillText(endings().fallback.chat, { answer: answerFact(answer) });
      return { summary: endings().fallback.email.title, elements: [line(said, MAX.field), markup(when)] };
    }
    case "timed_out":
      return { summary: "Timed out", elements: [markup(`Timed out ${when}`)] };
    case "cancelled":
      return { summary: "Cancelled", elements: [markup(`Cancelled ${when}`)] };
    case "verification_exhausted":
      return { summary: "Automatic check failed", elements: [markup(`Automatic check failed ${when}`)] };
  }
}

function nameOf(name: string): string {
  return cutText(oneLine(name), MAX_NAME) || "someone";
}

function context(element: ContextBlockElement): ContextBlock {
  return { type: "context", elements: [element] };
}
