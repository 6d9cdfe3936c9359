import { isObject as isRaw } from "../../json-schema/equality.ts";
import { keyOf } from "./entries.ts";

export { isRaw };

/** The contents of `form_definition`. Everything is optional, and nothing in it is ever an error. */

type Raw = Readonly<Record<string, unknown>>;

export interface FormHints {
  /** The uiSchema of the answer, merged with that of the channel, which takes precedence. */
  readonly ui: Raw;
  /** Pointer into the answer -> pointer into the payload. */
  readonly prefill: ReadonlyMap<string, string>;
  readonly decision: string | null;
  readonly submit: { readonly label: string | null; readonly confirm: string | null };
}

export type Channel = string;

export const WRAPPERS = ["ui", "payload", "prefill", "decision", "submit", "channels"];

/** Returns own properties only: keys are data, even `constructor`. */
export function own(object: unknown, key: string): unknown {
  return isRaw(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/**
 * Returns the hints with their wrapper. A definition that names a property of the answer directly, and has no wrapper,
 * is the `ui` part itself.
 */
export function wrappedHints(definition: unknown, properties: ReadonlySet<string>): Raw {
  const given = isRaw(definition) ? definition : {};
  const keys = Object.keys(given);
  const isPlain = !keys.some((key) => WRAPPERS.includes(key));
  return isPlain && keys.some((key) => key.startsWith("ui:") || properties.has(key)) ? { ui: given } : given;
}

/** @param properties - names of the answer's fields; a decision must be one of them */
export function readHints(definition: unknown, properties: ReadonlySet<string>, channel: Channel | null): FormHints {
  const wrapped = wrappedHints(definition, properties);
  const submit = own(wrapped, "submit");
  const copies = own(wrapped, "prefill");
  const decision = own(wrapped, "decision");
  const isPointer = (value: unknown): value is string => typeof value === "string" && value.startsWith("/");
  return {
    ui: merge(own(wrapped, "ui"), channel === null ? undefined : own(own(own(wrapped, "channels"), channel), "ui")),
    prefill: new Map(
      Object.entries(isRaw(copies) ? copies : {}).filter(
        (copy): copy is [string, string] => isPointer(copy[0]) && (copy[1] === "" || isPointer(copy[1])),
      ),
    ),
    decision: isPointer(decision) && properties.has(firstKey(decision)) ? decision : null,
    submit: { label: text(own(submit, "label")), confirm: text(own(submit, "confirm")) },
  };
}

function firstKey(pointer: string): string {
  return keyOf(pointer.split("/")[1]!);
}

/** Merges `over` into `under`, key by key. `over` takes precedence. */
export function merge(under: unknown, over: unknown, depth = 0): Raw {
  const merged = Object.create(null) as Record<string, unknown>;
  for (const source of [under, over]) {
    if (!isRaw(source)) continue;
    for (const [key, value] of Object.entries(source))
      merged[key] = isRaw(value) && isRaw(merged[key]) && depth < 32 ? merge(merged[key], value, depth + 1) : value;
  }
  return merged;
}

/** The uiSchema of one place. */
export interface FieldHints {
  readonly title: string | null;
  readonly description: string | null;
  readonly help: string | null;
  readonly placeholder: string | null;
  readonly order: readonly string[] | null;
  readonly widget: string | null;
  readonly enumNames: readonly string[] | null;
  /** Option value as text -> tone. */
  readonly tone: ReadonlyMap<string, Tone>;
  readonly autofocus: boolean;
  readonly readonly: boolean;
}

export type Tone = "positive" | "negative" | "neutral";

export const ANSWER_WIDGETS = [
  "radio",
  "select",
  "buttons",
  "checkboxes",
  "checkbox",
  "textarea",
  "text",
  "password",
  "typed",
  "hidden",
  "json",
];

/** Returns `ui:x`, or `x` in `ui:options`. */
export function hintOf(ui: unknown, key: string): unknown {
  return own(ui, `ui:${key}`) ?? own(own(ui, "ui:options"), key);
}

/**
 * Each row of a list searches the order of its fields, so the order must be short. No form has more fields side by
 * side.
 */
const MAX_ORDER = 1_000;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

export function fieldHints(ui: unknown): FieldHints {
  const order = hintOf(ui, "order");
  const names = hintOf(ui, "enumNames");
  const widget = text(hintOf(ui, "widget"));
  const tones = hintOf(ui, "tone");
  const tone = new Map<string, Tone>();
  for (const [value, name] of Object.entries(isRaw(tones) ? tones : {}))
    if (name === "positive" || name === "negative" || name === "neutral") tone.set(value, name);
  return {
    title: text(hintOf(ui, "title")),
    description: text(hintOf(ui, "description")),
    help: text(hintOf(ui, "help")),
    placeholder: text(hintOf(ui, "placeholder")),
    order: isTexts(order) && order.length <= MAX_ORDER ? order : null,
    widget: widget !== null && ANSWER_WIDGETS.includes(widget) ? widget : null,
    enumNames: isTexts(names) ? names : null,
    tone,
    autofocus: hintOf(ui, "autofocus") === true,
    readonly: hintOf(ui, "readonly") === true,
  };
}

/** Returns the keys in the order of `ui:order`. Its `*` represents the unnamed keys; without one, they come last. */
export function inOrder(keys: readonly string[], order: readonly string[] | null): readonly string[] {
  if (order === null) return keys;
  const star = [...order, "*"].indexOf("*");
  // A field may have the name `*`, too. Then it counts as unnamed.
  const isNamed = (key: string): boolean => key !== "*" && keys.includes(key);
  const rest = keys.filter((key) => key === "*" || !order.includes(key));
  return [...new Set([...order.slice(0, star).filter(isNamed), ...rest, ...order.slice(star).filter(isNamed)])];
}
