import type { FieldError } from "../../../../form/plan/check.ts";
import type { Entries } from "../../../../form/plan/entries.ts";
import { isRaw, own } from "../../../../form/plan/hints.ts";
import type { BoolNode, FormNode } from "../../../../form/plan/nodes.ts";
import { oneLine } from "../../../../form/plain-text.ts";
import { planForm } from "../../../../form/plan/plan.ts";
import type { Form } from "../../../../form/plan/plan.ts";
import { CONFIRMED, SHOWN, shownIn } from "../../../../form/plan/post.ts";
import { localOf, utcOf } from "../../../../form/plan/times.ts";
import { planModal, isFilledIn } from "./modal-plan.ts";
import type { ModalPlan, ModalField } from "./modal-plan.ts";
import { actionAt, blockOf, CONFIRM_BLOCK } from "./block-ids.ts";
import { NO_ANSWER } from "./inputs.ts";
import type { ModalData } from "./modal.ts";
import { fitText, MAX } from "./text.ts";

/** Rounds in which answers bring up fields whose answers bring up fields. */
const MAX_ROUNDS = 8;

/**
 * Returns the entries of a modal as a browser would have posted them, for `readPost`. (form/plan/post.ts) If the entries change
 * which questions apply, `~shown` does not match.
 *
 * @param values - `view.state.values` as it came: by block, then by action
 * @param data - the modal's private data
 */
export function entriesOfView(form: Form, values: unknown, data: ModalData): Entries {
  let entries = emptyEntries();
  let plan: ModalPlan | null = null;
  const drawn = new Set(isRaw(values) ? Object.keys(values) : []);
  // A field that another one brings up is known by its plan only.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    plan = planModal(form, entries, drawn);
    const next = plan === null ? entries : readAll(plan, form, values, data);
    if (isSameEntries(next, entries)) break;
    entries = next;
  }
  if (plan?.shown === data.shown) entries[SHOWN] = [shownIn(planForm(form, entries))];
  if (chosenIn(values, CONFIRM_BLOCK, CONFIRM_BLOCK).length > 0) entries[CONFIRMED] = ["1"];
  return entries;
}

type Read = Record<string, readonly string[]>;

/** A field may be called like what every object has. */
function emptyEntries(): Read {
  return Object.create(null) as Read;
}

function isSameEntries(a: Entries, b: Entries): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function readAll(plan: ModalPlan, form: Form, values: unknown, { version = 1 }: ModalData): Read {
  const entries = emptyEntries();
  for (const part of plan.parts) {
    if (part.kind !== "field") continue;
    const block = own(values, blockOf(part.node.name));
    const { action_id = "" } = part.element;
    // A modal that an earlier release drew has the action without a version.
    const state = own(block, actionAt(action_id, version)) ?? own(block, action_id);
    if (state === undefined) continue;
    entries[part.node.name] = entryOf(part, state, form.time_zone);
  }
  for (const [group, names] of plan.groups) {
    const isThere = names.some((name) => isFilledIn(entries[name]));
    entries[`${group}~open`] = [isThere ? "1" : "0"];
  }
  return entries;
}

/** @param state - of one element, as Slack has it */
function entryOf({ node }: ModalField, state: unknown, zone: string): readonly string[] {
  const chosen = [own(state, "selected_option"), ...listOf(own(state, "selected_options"))]
    .map((option) => own(option, "value"))
    .filter((value): value is string => typeof value === "string" && value !== NO_ANSWER);
  switch (node.kind) {
    case "confirm":
      return chosen.length > 0 ? ["true"] : [];
    case "bool":
      return chosen.map((index) => sideOf(node, index));
    case "choice":
      return node.look === "filter" ? chosen.map((index) => node.options[Number(index)]?.label ?? index) : chosen;
    case "datetime": {
      const seconds = own(state, "selected_date_time");
      return typeof seconds === "number" ? [timeOf(seconds, zone)] : [textOf(own(state, "value"))];
    }
    case "date":
      return [textOf(own(state, "selected_date") ?? own(state, "value"))];
    case "time":
      return [textOf(own(state, "selected_time") ?? own(state, "value"))];
    default:
      return [textOf(own(state, "value"))];
  }
}

function sideOf({ options }: BoolNode, index: string): string {
  return options[Number(index)]?.value === true ? "true" : "false";
}

/** In the zone in which times are entered; in UTC where that would be another moment, as in an hour that comes twice. */
function timeOf(seconds: number, zone: string): string {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return String(seconds);
  const utc = moment.toISOString().replace(/\.\d{3}Z$/, "Z");
  const local = localOf(utc, zone);
  return local !== null && utcOf(local, zone) === utc ? local : utc;
}

function chosenIn(values: unknown, block: string, action: string): readonly unknown[] {
  return listOf(own(own(own(values, block), action), "selected_options"));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Returns errors for `response_action: "errors"`: by block of the modal. An error of another field is shown at the first field
 * and names its field. A modal without fields shows no errors.
 *
 * @param entries - the entries of the modal
 */
export function errorsOfView(form: Form, entries: Entries, errors: readonly FieldError[]): Record<string, string> {
  const fields = planModal(form, entries)?.parts.filter((part) => part.kind === "field") ?? [];
  const names = new Set(fields.map(({ node }) => node.name));
  const [first] = fields;
  const found = new Map<string, string[]>();
  const say = (node: Pick<FormNode, "name">, message: string): void => {
    const block = blockOf(node.name);
    found.set(block, [...(found.get(block) ?? []), message]);
  };
  for (const error of errors) if (names.has(error.name)) say(error, error.message);
  for (const error of errors)
    if (!names.has(error.name) && first !== undefined)
      say(first.node, error.name === "" ? error.message : `${error.title}: ${error.message}`);
  return Object.fromEntries(
    [...found].map(([block, messages]) => [block, fitText(oneLine(messages.join(" ")), MAX.error)]),
  );
}
