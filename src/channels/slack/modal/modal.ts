import type { InputBlock, KnownBlock, ModalView } from "@slack/types";
import type { Entries } from "../../../../form/plan/entries.ts";
import { demandOf } from "../../../../form/plan/messages.ts";
import { t } from "../../../../languages/text.ts";
import type { FormNode } from "../../../../form/plan/nodes.ts";
import { oneLine, plainLines } from "../../../../form/plain-text.ts";
import type { Form } from "../../../../form/plan/plan.ts";
import { planModal } from "./modal-plan.ts";
import type { ModalPlan, ModalField } from "./modal-plan.ts";
import { actionAt, blockOf, CONFIRM_BLOCK } from "./block-ids.ts";
import { askerElement, factsOf, factsOfAction, slackHint, taskSection, versionElements } from "./summary.ts";
import type { FactsOf, SlackTask } from "./summary.ts";
import { line, MAX, titled } from "./text.ts";

/** Data that a modal carries until it is submitted. */
export interface ModalData {
  /** Id of the task. */
  task: string;
  /** The channel of the message that opened it. */
  channel: string;
  ts: string;
  /** The questions it asks, as a short text. (modal-plan.ts) */
  shown: string;
  /** The round of approvals that it shows, if several people must approve. */
  round?: number;
  /** The version of the task that it shows, if that is not the first. */
  version?: number;
}

export interface ModalOptions {
  /** The channel of the message that opens it. */
  channel: string;
  ts: string;
  /** Shown first: why the last answer was rejected, or that the questions changed. */
  note?: { title: string; text: string };
  /** What the asker says of a version that is not the first. */
  revision?: string;
}

export const ANSWER_VIEW = "answer";

const MAX_BLOCKS = 100;
const MAX_BYTES = 250_000;
const MAX_FACTS = 10;
const MAX_TASK = 1_000;
const MAX_NOTE = 2_000;

/**
 * Returns the modal that asks for an answer, with the entries so far.
 *
 * @param entries - {} for a new form
 * @param facts - the facts of the payload, where they were read before: that takes time for a large one
 * @returns null if only the browser can ask this, perhaps because of the entries so far, or if the payload is redacted
 */
export function modalOf(
  task: SlackTask,
  form: Form,
  entries: Entries,
  options: ModalOptions,
  facts: FactsOf = factsOf(task, form),
): ModalView | null {
  if (task.redact_payload) return null;
  const plan = planModal(form, entries);
  if (plan === null) return null;
  const { id, round, version = 1 } = task;
  const { channel, ts } = options;
  const data: ModalData = {
    task: id,
    channel,
    ts,
    shown: plan.shown,
    ...(round !== undefined && { round }),
    ...(version > 1 && { version }),
  };
  const title = slackHint(task, form, "title");
  const asked: KnownBlock[] = [
    // The arguments of each of several actions are above its decision.
    ...(task.actions?.isList === true ? [] : facts(MAX_FACTS).blocks),
    { type: "divider" },
    ...blocksOf(plan, task, form),
    ...leftOutOf(plan),
    ...confirmOf(form),
  ];
  const revised = versionElements(task, options.revision ?? "");
  const above: KnownBlock[] = [
    ...noteOf(options.note),
    taskSection(task, MAX_TASK),
    ...revised.map((element) => ({ type: "context" as const, elements: [element] })),
  ];
  // The questions come first: it is left out of a modal that is full without it.
  const asker = above.length + asked.length < MAX_BLOCKS ? askerElement(task) : [];
  const view: ModalView = {
    type: "modal",
    callback_id: ANSWER_VIEW,
    private_metadata: JSON.stringify(data),
    title: line(typeof title === "string" ? title : "", MAX.viewTitle, "Your answer"),
    submit: line(form.hints.submit.label ?? "", MAX.viewTitle, t("Submit answer")),
    close: line("Cancel", MAX.viewTitle),
    blocks: [...above, ...(asker.length === 0 ? [] : [{ type: "context" as const, elements: asker }]), ...asked],
  };
  const isTooLarge = view.blocks.length > MAX_BLOCKS || Buffer.byteLength(JSON.stringify(view)) > MAX_BYTES;
  return isTooLarge ? null : view;
}

/** @returns null if it is not from this service */
export function parseModalData(private_metadata: string): ModalData | null {
  try {
    const data: unknown = JSON.parse(private_metadata);
    return isModalData(data) ? data : null;
  } catch {
    // Not JSON, so not from this service.
    return null;
  }
}

function isModalData(data: unknown): data is ModalData {
  if (typeof data !== "object" || data === null) return false;
  return ["task", "channel", "ts", "shown"].every((key) => typeof (data as Record<string, unknown>)[key] === "string");
}

function noteOf(note: ModalOptions["note"]): KnownBlock[] {
  if (note === undefined) return [];
  const text = titled(oneLine(note.title), plainLines(note.text), MAX_NOTE);
  return [{ type: "section", text }, { type: "divider" }];
}

function blocksOf({ parts }: ModalPlan, task: SlackTask, form: Form): KnownBlock[] {
  return parts.flatMap((part): KnownBlock[] => {
    switch (part.kind) {
      case "heading":
        return [{ type: "header", text: line(part.node.title, MAX.header) }, ...argsOf(part.node, task, form)];
      case "fixed":
        return [{ type: "section", text: titled(oneLine(part.node.title) || "-", shownValue(part.node), MAX.field) }];
      case "field":
        return [inputOf(part, task)];
    }
  });
}

/** Returns the arguments of an action, for the heading of its decision among several. */
function argsOf({ pointer }: FormNode, { actions }: SlackTask, form: Form): KnownBlock[] {
  const [, index] = /^\/decisions\/(\d+)$/.exec(pointer) ?? [];
  const action = actions?.isList === true ? actions.all[Number(index)] : undefined;
  return action === undefined ? [] : factsOfAction(action, form)(MAX_FACTS).blocks;
}

function inputOf({ node, element, optional, decides }: ModalField, { version = 1 }: SlackTask): InputBlock {
  const hint = [node.description, node.help, demandOf(node)]
    .map((text) => oneLine(text ?? ""))
    .filter((text) => text !== "")
    .join(" · ");
  return {
    type: "input",
    block_id: blockOf(node.name),
    label: line(node.title, MAX.label),
    element: { ...element, action_id: actionAt(element.action_id ?? "", version) },
    optional,
    ...(hint !== "" && { hint: line(hint, MAX.hint) }),
    ...(decides && { dispatch_action: true }),
  };
}

function shownValue(node: FormNode): string {
  if (node.kind === "text" && node.look === "password") return "Hidden";
  if ("options" in node) {
    const labels = node.options.filter(({ value }) => [node.value].flat().includes(value)).map(({ label }) => label);
    return oneLine(labels.join(", ")) || t("Empty");
  }
  const { value } = node;
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  return plainLines(text) || t("Empty");
}

function leftOutOf({ leftOut }: ModalPlan): KnownBlock[] {
  if (leftOut.length === 0) return [];
  const titles = leftOut.map((title) => oneLine(title) || "-").join(", ");
  return [{ type: "context", elements: [line(`Optional, in the browser only: ${titles}`, MAX.field)] }];
}

/** A modal has no second step, so a checkbox asks for the confirmation. */
function confirmOf(form: Form): InputBlock[] {
  const { confirm } = form.hints.submit;
  if (confirm === null) return [];
  const option = { text: line("Yes, send it", MAX.option), value: "0" };
  return [
    {
      type: "input",
      block_id: CONFIRM_BLOCK,
      label: line(confirm, MAX.label, "Please confirm"),
      element: { type: "checkboxes", action_id: CONFIRM_BLOCK, options: [option] },
    },
  ];
}
