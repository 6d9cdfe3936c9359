import type { ContextBlock, PlainTextElement, SectionBlock, TextObject } from "@slack/types";
import type { Fact } from "../../../../form/payload/summary.ts";
import { own, wrappedHints } from "../../../../form/plan/hints.ts";
import { oneLine, plainLines } from "../../../../form/plain-text.ts";
import { fieldNames } from "../../../../form/plan/plan.ts";
import type { Form } from "../../../../form/plan/plan.ts";
import type { Action } from "../../../actions/action.ts";
import type { Actions } from "../../../actions/request.ts";
import { summaryOfArgs, summaryOfTask } from "../../payload-summary.ts";
import type { PayloadSummary } from "../../payload-summary.ts";
import { line, MAX, titled } from "./text.ts";

/** The fields of a task that Slack needs. The deadline is in epoch milliseconds. (spec: Resources) */
export interface SlackTask {
  id: string;
  task: string;
  /** Who asks, in one line; null if nothing is said of it. */
  asker: string | null;
  payload: unknown;
  payload_schema: unknown;
  response_schema: unknown;
  form_definition: unknown;
  /** The actions that it asks about; null for another task. */
  actions: Actions | null;
  redact_payload: boolean;
  timeout_at: number;
  /** A step has marked it as urgent. */
  urgent: boolean;
  /** The answer that counts if no one gives one; null without any. */
  on_timeout: unknown;
  /** Where several people must approve: the round that its payload is of. */
  round?: number;
  /** How often its asker has revised it, and one more. 1 by default. */
  version?: number;
  /** A question to its asker has no reply. */
  isAsked?: boolean;
}

/** Longer tasks are cut; the browser shows the rest. */
const MAX_TASK = 2_900;
const MAX_FACT = 400;
const MAX_ASKER = 300;
const MAX_NOTE = 600;

/** Returns the version of a task that was revised, and what its asker says of it. @param note - "" without any */
export function versionElements({ version = 1, redact_payload }: SlackTask, note: string): PlainTextElement[] {
  if (version === 1) return [];
  const said = redact_payload ? "" : oneLine(note);
  return [line(said === "" ? `Version ${version}` : `Version ${version}: ${said}`, MAX_NOTE)];
}

/** Returns the task, with its first line in bold. */
export function taskSection({ id, task }: Pick<SlackTask, "id" | "task">, max = MAX_TASK): SectionBlock {
  const [head = "", ...rest] = plainLines(task).split("\n");
  const text = titled(head || `Task ${id}`, rest.join("\n").trim(), max, "... see the full text");
  return { type: "section", text };
}

/** Returns who asks, for the line of small texts below a task. */
export function askerElement({ asker }: Pick<SlackTask, "asker">): PlainTextElement[] {
  return asker === null ? [] : [line(asker, MAX_ASKER)];
}

/** Says that people wait for the asker. */
export function askedElement({ isAsked = false }: Pick<SlackTask, "isAsked">): PlainTextElement[] {
  return isAsked ? [line("Waits for the asker's reply", MAX_ASKER)] : [];
}

/** Returns the task in one line. */
export function nameOfTask({ id, task }: Pick<SlackTask, "id" | "task">): string {
  return oneLine(task) || `Task ${id}`;
}

export interface Facts {
  /** Facts of the payload, side by side, and a line about what is left out. */
  blocks: (SectionBlock | ContextBlock)[];
  /** Something of the payload is not shown, or cut. */
  hasUnseen: boolean;
}

/** Returns at most `max` facts. */
export type FactsOf = (max: number) => Facts;

/** Reads the facts that the task asks for, or the first ones. A redacted payload has none. */
export function factsOf(task: SlackTask, form: Form): FactsOf {
  if (task.redact_payload) return () => ({ blocks: [], hasUnseen: true });
  const hints = wrappedHints(task.form_definition, fieldNames(form.source));
  const { time_zone, now } = form;
  const summaryOf = summaryOfTask(task, { hints, channel: "slack", time_zone, now });
  return (max) => shownFacts(summaryOf(max));
}

/** Returns the arguments of one of several actions. */
export function factsOfAction(action: Action, { time_zone, now }: Form): FactsOf {
  const summaryOf = summaryOfArgs(action, { channel: "slack", time_zone, now });
  return (max) => shownFacts(summaryOf(max));
}

function shownFacts({ facts, left_out, has_unseen }: PayloadSummary): Facts {
  const more = left_out === null ? null : `${facts.length > 0 ? "+ " : ""}${left_out} not shown here`;
  return { blocks: factBlocks(facts, more), hasUnseen: has_unseen };
}

/** Returns at most ten facts side by side, and a line about what is left out. */
export function factBlocks(facts: readonly Fact[], more: string | null): Facts["blocks"] {
  const fields = facts.map(({ title, text }): TextObject => titled(title || "-", text, MAX_FACT));
  return [
    ...(fields.length === 0 ? [] : [{ type: "section" as const, fields }]),
    ...(more === null ? [] : [{ type: "context" as const, elements: [line(more, MAX.field)] }]),
  ];
}

/** `channels.slack.<key>` of the task's hints. */
export function slackHint(task: Pick<SlackTask, "form_definition">, form: Form, key: string): unknown {
  const hints = wrappedHints(task.form_definition, fieldNames(form.source));
  return own(own(own(hints, "channels"), "slack"), key);
}
