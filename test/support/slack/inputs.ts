import { isObject, type Json } from "./check.ts";
import { elementsOf } from "./blocks.ts";
import { optionsOf } from "./elements.ts";

/** By block_id and action_id, in the shape of `state.values` (docs.slack.dev, "View interaction payloads"). */
export type State = Record<string, Record<string, Json>>;

/**
 * An entry of a person: text, a number as text, a date, a time or the `value` of an option as a string; the values of
 * several options as an array; a date with time as seconds since 1970; null for nothing.
 */
export type Entry = string | string[] | number | null;

/** A field that Slack's own client refuses to send. */
export interface Blocked {
  block_id: string;
  why: "empty" | "too short" | "too long" | "too many" | "not an email" | "not a url" | "not a number" | "out of range";
}

const FIELDS: Record<string, string> = {
  plain_text_input: "value",
  email_text_input: "value",
  url_text_input: "value",
  number_input: "value",
  radio_buttons: "selected_option",
  static_select: "selected_option",
  checkboxes: "selected_options",
  multi_static_select: "selected_options",
  users_select: "selected_user",
  datepicker: "selected_date",
  timepicker: "selected_time",
  datetimepicker: "selected_date_time",
};

const fieldOf = (element: Json): string | undefined => FIELDS[String(element.type)];

/**
 * Returns a value in the form of payloads: text, chosen options as objects, or null (for no options: an empty array).
 */
function shaped(element: Json, field: string, value: unknown): Json {
  const nothing = field === "selected_options" ? [] : null;
  return {
    type: element.type,
    [field]: value ?? nothing,
    ...(element.type === "timepicker" && element.timezone !== undefined && { timezone: element.timezone }),
  };
}

/** @throws Error when no person could enter that */
export function entered(element: Json, entry: Entry): Json {
  const field = fieldOf(element);
  if (field === undefined) throw new Error(`Nothing can be entered into a ${String(element.type)}.`);
  const option = (value: string) => {
    const found = optionsOf(element).find((known) => known.value === value);
    if (!found) throw new Error(`There is no option ${value} in ${JSON.stringify(element)}.`);
    return found;
  };
  const fits = { selected_options: Array.isArray(entry), selected_date_time: typeof entry === "number" }[field];
  if (entry !== null && !(fits ?? typeof entry === "string"))
    throw new Error(`${JSON.stringify(entry)} cannot be entered into a ${String(element.type)}.`);
  if (field === "selected_option") return shaped(element, field, entry === null ? null : option(String(entry)));
  if (Array.isArray(entry)) {
    // Slack sends chosen options in their displayed order, whatever was clicked first.
    entry.forEach(option);
    return shaped(
      element,
      field,
      optionsOf(element).filter(({ value }) => entry.includes(String(value))),
    );
  }
  return shaped(element, field, entry === "" ? null : entry);
}

/** Returns the initial content of the fields. Entries of `before` are kept in fields that stayed the same. */
export function stateOf(blocks: readonly Json[], before: State = {}): State {
  const state: State = {};
  for (const block of blocks)
    for (const element of elementsOf(block)) {
      const field = fieldOf(element);
      if (field === undefined) continue;
      const [block_id, action_id] = [String(block.block_id), String(element.action_id)];
      const kept = before[block_id]?.[action_id];
      const initial = element[`initial_${field.replace("selected_", "")}`];
      state[block_id] ??= {};
      state[block_id][action_id] = kept?.type === element.type ? kept! : shaped(element, field, initial);
    }
  return state;
}

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

function refusal(block: Json, element: Json, entry: unknown): Blocked["why"] | null {
  if (isEmpty(entry)) return block.optional === true ? null : "empty";
  const text = String(entry);
  switch (element.type) {
    case "plain_text_input":
      if (text.length < Number(element.min_length ?? 0)) return "too short";
      return text.length > Number(element.max_length ?? 3000) ? "too long" : null;
    case "email_text_input":
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? null : "not an email";
    case "url_text_input":
      return /^\w[\w+.-]*:\/\/./.test(text) && URL.canParse(text) ? null : "not a url";
    case "number_input": {
      const pattern = element.is_decimal_allowed === true ? /^-?\d*\.?\d+$/ : /^-?\d+$/;
      if (!pattern.test(text)) return "not a number";
      const [least, most] = [element.min_value ?? -Infinity, element.max_value ?? Infinity].map(Number);
      return Number(text) < least! || Number(text) > most! ? "out of range" : null;
    }
    case "multi_static_select":
      return Array.isArray(entry) && entry.length > Number(element.max_selected_items ?? Infinity) ? "too many" : null;
    default:
      return null;
  }
}

/**
 * Returns why Slack's client would not send the form. It checks input blocks only (docs.slack.dev, "Input block",
 * `optional`).
 */
export function refusals(blocks: readonly Json[], state: State): Blocked[] {
  return blocks.flatMap((block) => {
    const { element, block_id } = block;
    if (!isObject(element)) return [];
    const value = state[String(block_id)]?.[String(element.action_id)]?.[fieldOf(element) ?? ""] ?? null;
    const why = refusal(block, element, value);
    return why === null ? [] : [{ block_id: String(block_id), why }];
  });
}
