import assert from "node:assert/strict";
import type { InputBlock, ModalView } from "@slack/types";
import type { Entries } from "../../../form/plan/entries.ts";
import { FIXTURE_ZONE } from "../../../form/fixtures/forms.ts";
import { FIXTURE_NOW } from "../../../form/fixtures/payloads.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { slackForm } from "../../../src/channels/slack/modal/form.ts";
import { modalOf, parseModalData } from "../../../src/channels/slack/modal/modal.ts";
import type { SlackTask } from "../../../src/channels/slack/modal/summary.ts";
import { entriesOfView } from "../../../src/channels/slack/modal/values.ts";
import type { State } from "./inputs.ts";
import { checkModal, submitted } from "./surfaces.ts";

/** Modals as a person sees them. */

/** The place of the message. */
export const MESSAGE = { channel: "C0123456789", ts: "1763647200.000100" };

export function formOf(task: SlackTask): Form {
  return slackForm(task, FIXTURE_ZONE, FIXTURE_NOW);
}

/** Returns null if the form stays in the browser. */
export function open(task: SlackTask, entries: Entries = {}): ModalView | null {
  const view = modalOf(task, formOf(task), entries, MESSAGE);
  if (view !== null) checkModal(view, task.task);
  return view;
}

/** Returns the modal of a task that must have one. */
export function show(task: SlackTask, entries: Entries = {}): ModalView {
  const view = open(task, entries);
  assert.ok(view !== null);
  return view;
}

/** Returns the state that Slack sends after a different entry in one field. */
export function enter(view: ModalView, block: string, state: object): State {
  const values = submitted(view);
  const [action = ""] = Object.keys(values[block] ?? {});
  return { ...values, [block]: { [action]: { ...values[block]?.[action], ...state } } };
}

/** Returns the entries that the service reads from a modal; by default, from its initial values. */
export function read(task: SlackTask, view: ModalView, values: State = submitted(view)): Entries {
  const data = parseModalData(view.private_metadata ?? "");
  assert.ok(data !== null);
  return entriesOfView(formOf(task), values, data);
}

export function inputsOf(view: ModalView): InputBlock[] {
  return view.blocks.filter((block): block is InputBlock => block.type === "input");
}

export function labelsOf(view: ModalView): string[] {
  return inputsOf(view).map(({ label }) => label.text);
}
