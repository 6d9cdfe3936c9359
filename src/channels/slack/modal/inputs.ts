import type {
  Checkboxes,
  Datepicker,
  DateTimepicker,
  EmailInput,
  MultiStaticSelect,
  NumberInput,
  PlainTextInput,
  PlainTextOption,
  RadioButtons,
  StaticSelect,
  Timepicker,
  URLInput,
} from "@slack/types";
import { t } from "../../../../languages/text.ts";
import { isOptional, questionOf } from "../../../../form/plan/nodes.ts";
import type { BoolNode, ChoiceNode, FormNode, NumberNode, TextNode, TimeNode } from "../../../../form/plan/nodes.ts";
import { oneLine } from "../../../../form/plain-text.ts";
import { isClock, isDate, utcOf } from "../../../../form/plan/times.ts";
import { labelOf } from "../../../../form/titles.ts";
import { inputAction } from "../clicks/actions.ts";
import { line, MAX } from "./text.ts";

/** The Slack element for one field. The value of an option is its index. */
export type InputElement =
  | RadioButtons
  | Checkboxes
  | StaticSelect
  | MultiStaticSelect
  | PlainTextInput
  | EmailInput
  | URLInput
  | NumberInput
  | Datepicker
  | Timepicker
  | DateTimepicker;

/** Of the option that takes back a choice: Slack's radio buttons cannot be unchosen. */
export const NO_ANSWER = "none";

const MAX_RADIO = 10;
const MAX_SELECT = 100;
/** In characters. Also the default. */
const MAX_TEXT = 3_000;

/**
 * Returns the Slack element for a field, or null if Slack has none.
 * @param blank - leaves the field empty
 */
export function elementOf(node: FormNode, blank: boolean): InputElement | null {
  const entry = blank ? [] : node.entry;
  switch (node.kind) {
    case "bool":
      return boolOf(node, entry);
    case "choice":
      return choiceOf(node, entry);
    case "confirm":
      return tick(node, labelOf(true), entry.includes("true"));
    case "text":
      return textOf(node, entry[0] ?? "");
    case "number":
      return numberOf(node, entry[0] ?? "");
    case "date":
    case "time":
    case "datetime":
      return timeOf(node, entry[0] ?? "");
    default:
      return null;
  }
}

// --- choices --------------------------------------------------------------------------------------------------------

function boolOf(node: BoolNode, entry: readonly string[]): InputElement | null {
  if (node.look === "checkbox") return tick(node, node.options[0].label, entry.includes("true"));
  const chosen = node.options.findIndex(({ value }) => entry.includes(String(value)));
  return single(node, chosen < 0 ? [] : [chosen]);
}

function choiceOf(node: ChoiceNode, entry: readonly string[]): InputElement | null {
  const chosen = entry.map((text) =>
    node.look === "filter" ? node.options.findIndex(({ label }) => label === text) : Number(text),
  );
  return node.multiple ? several(node, chosen) : single(node, chosen);
}

function tick(node: FormNode, label: string, isTicked: boolean): Checkboxes | null {
  const option = optionOf(label, null, "0");
  if (option === null) return null;
  return {
    type: "checkboxes",
    action_id: actionOf(node),
    options: [option],
    ...(isTicked && { initial_options: [option] }),
  };
}

function single(node: BoolNode | ChoiceNode, chosen: readonly number[]): RadioButtons | StaticSelect | null {
  const options = optionsOf(node);
  if (options === null) return null;
  const initial = options[chosen[0] ?? -1];
  const none = isOptional(node) ? optionOf(t("No answer"), null, NO_ANSWER) : null;
  const all = none === null ? options : [...options, none];
  const common = { action_id: actionOf(node), options: all, ...(initial !== undefined && { initial_option: initial }) };
  if (all.length <= MAX_RADIO) return { type: "radio_buttons", ...common };
  return all.length <= MAX_SELECT
    ? { type: "static_select", placeholder: line(t("Choose one"), MAX.placeholder), ...common }
    : null;
}

function several(node: ChoiceNode, chosen: readonly number[]): Checkboxes | MultiStaticSelect | null {
  const options = optionsOf(node);
  if (options === null) return null;
  const initial = options.filter((_, index) => chosen.includes(index));
  const common = { action_id: actionOf(node), options, ...(initial.length > 0 && { initial_options: initial }) };
  if (options.length <= MAX_RADIO) return { type: "checkboxes", ...common };
  const isBounded = node.max !== null && node.max >= Math.max(1, initial.length);
  return options.length <= MAX_SELECT
    ? { type: "multi_static_select", ...common, ...(isBounded && { max_selected_items: node.max }) }
    : null;
}

function optionsOf({ options }: BoolNode | ChoiceNode): PlainTextOption[] | null {
  const all = options.map(({ label, description }, index) =>
    optionOf(oneLine(label) || `Option ${index + 1}`, description, String(index)),
  );
  return all.includes(null) ? null : (all as PlainTextOption[]);
}

/** Returns null if the label is too long. It is not cut, because two options could then read the same. */
function optionOf(label: string, description: string | null, value: string): PlainTextOption | null {
  const text = line(label, Infinity);
  if (text.text.length > MAX.option) return null;
  const more = description === null ? "" : oneLine(description);
  return { text, value, ...(more !== "" && { description: line(more, MAX.option) }) };
}

// --- texts and numbers ----------------------------------------------------------------------------------------------

function textOf(node: TextNode, entry: string): InputElement | null {
  // Slack cannot mask a field.
  if (node.look === "password" || entry.length > MAX_TEXT || (node.min ?? 0) > MAX_TEXT) return null;
  const common = commonOf(node, node.placeholder, entry);
  // Slack rejects a modal with an invalid email in such a field.
  if (node.format === "email" && (entry === "" || /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(entry)))
    return { type: "email_text_input", ...common };
  if (node.type === "url" && (entry === "" || /^https?:\/\/[^\s]+$/.test(entry)))
    return { type: "url_text_input", ...common };
  return {
    type: "plain_text_input",
    ...common,
    multiline: node.look === "area" || entry.includes("\n"),
    // An empty field of those that may be empty is not too short.
    ...(node.min !== null && node.min > 0 && !isOptional(node) && { min_length: node.min }),
    ...(node.max !== null &&
      node.max >= Math.max(1, entry.length, node.min ?? 0) && { max_length: Math.min(node.max, MAX_TEXT) }),
  };
}

/** As Slack writes numbers: no exponent, no blanks. */
const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function numberOf(node: NumberNode, entry: string): InputElement | null {
  const min = boundOf(node.min);
  const max = boundOf(node.max);
  const text = typeof node.value === "number" || typeof node.value === "string" ? String(node.value) : "";
  const isPlain = PLAIN_NUMBER.test(text) && (!node.whole || !text.includes("."));
  const isInside = isPlain && !(Number(text) < Number(min ?? -Infinity)) && !(Number(text) > Number(max ?? Infinity));
  // A value that Slack would reject or reformat becomes a text that the person can correct.
  if (entry.trim() !== "" && !isInside) return { type: "plain_text_input", ...commonOf(node, node.placeholder, entry) };
  const isRange = min === null || max === null || Number(min) <= Number(max);
  return {
    type: "number_input",
    ...commonOf(node, node.placeholder, entry.trim() === "" ? "" : text),
    is_decimal_allowed: !node.whole,
    ...(min !== null && isRange && { min_value: min }),
    ...(max !== null && isRange && { max_value: max }),
  };
}

function boundOf(bound: number | null): string | null {
  return bound !== null && PLAIN_NUMBER.test(String(bound)) ? String(bound) : null;
}

function commonOf(node: FormNode, placeholder: string | null, entry: string) {
  const words = placeholder === null ? "" : oneLine(placeholder);
  return {
    action_id: actionOf(node),
    ...(entry !== "" && { initial_value: entry }),
    ...(words !== "" && { placeholder: line(words, MAX.placeholder) }),
  };
}

// --- times ----------------------------------------------------------------------------------------------------------

/** A value that a picker cannot show, such as a time with seconds, becomes a text. */
function timeOf(node: TimeNode, entry: string): InputElement {
  const action_id = actionOf(node);
  const text = entry.trim();
  const asText: InputElement = { type: "plain_text_input", ...commonOf(node, null, entry) };
  if (node.kind === "date") {
    if (text === "") return { type: "datepicker", action_id };
    return isDate(text) ? { type: "datepicker", action_id, initial_date: text } : asText;
  }
  if (node.kind === "time") {
    const timezone = node.zone === null ? {} : { timezone: node.zone };
    if (text === "") return { type: "timepicker", action_id, ...timezone };
    return isClock(text) && text.length === 5
      ? { type: "timepicker", action_id, initial_time: text, ...timezone }
      : asText;
  }
  if (text === "") return node.zone === null ? asText : { type: "datetimepicker", action_id };
  const seconds = secondsOf(text, node.zone);
  return seconds === null ? asText : { type: "datetimepicker", action_id, initial_date_time: seconds };
}

/** Returns the time as Slack's ten digits, which start in 2001, or null. */
function secondsOf(text: string, zone: string | null): number | null {
  const utc = zone === null ? null : utcOf(text, zone);
  const seconds = utc === null || utc === "skipped" ? Number.NaN : Date.parse(utc) / 1000;
  return Number.isInteger(seconds) && seconds >= 1e9 && seconds < 1e10 ? seconds : null;
}

function actionOf(node: FormNode): string {
  return inputAction(questionOf(node));
}
