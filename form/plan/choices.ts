import { t } from "../../languages/text.ts";
import { MAX_DECISION } from "./decisions.ts";
import type { FieldHints } from "./hints.ts";
import { constNode } from "./nodes.ts";
import type { BoolNode, ChoiceNode, ConfirmNode, FormNode, NodeBase, Option } from "./nodes.ts";
import { optionsOf, toneOf } from "./options.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue, withDefaultHelp } from "./presets.ts";
import { NO_ENTRY, outcomeOf } from "./readings.ts";
import type { Reading } from "./readings.ts";
import { isSame } from "./same.ts";
import { first } from "./schema-view.ts";

/** Returns the control for one of several values; null when the schema allows other values too. */
export function planChoice(field: FieldContext): FormNode | null {
  const { planning, required, place, hints, base, entered } = field;
  const options = optionsOf(planning.source, place, hints);
  if (options === null || options.length === 0) return null;
  const [only] = options;
  if (options.length === 1 && only !== undefined) {
    const isPlain = only.value !== true && (required || first(place, "default") === only.value);
    return isPlain
      ? constNode(base, only.value)
      : confirmNode(base, only.value, entered, initialValue(field, "consent"));
  }
  const yesNo = asYesNo(options);
  if (yesNo !== null)
    return boolNode(base, { look: "buttons", options: yesNo }, entered, initialValue(field, "decision"));
  // Then null is one of the options, and an empty field does not mean it.
  return planOneOf(field, options, {
    ...base,
    nullable: base.nullable && options.every(({ value }) => value !== null),
  });
}

/** Returns the control for exactly one of these options. */
export function planOneOf(
  field: FieldContext,
  options: readonly Option[],
  base: NodeBase,
  look = lookOf(field.hints, options),
): FormNode {
  const shape = { multiple: false, look, options, min: null, max: null };
  const initial = initialValue(field, options.length <= MAX_DECISION ? "decision" : "choice");
  return choiceNode(withDefaultHelp(field, base, options), shape, field.entered, initial);
}

/** Returns checkboxes for a list of some of these options. */
export function planManyOf(
  field: FieldContext,
  options: readonly Option[],
  min: number | null,
  max: number | null,
): FormNode {
  const shape = { multiple: true, look: "checkboxes", options, min, max } as const;
  return choiceNode(field.base, shape, field.entered, initialValue(field, "choice"));
}

function lookOf(hints: FieldHints, options: readonly Option[]): ChoiceNode["look"] {
  const { widget } = hints;
  if (widget === "radio" || widget === "select" || widget === "buttons") return widget;
  if (options.length <= 5) return "radio";
  const labels = new Set(options.map(({ label }) => label.toLowerCase()));
  return options.length > 20 && labels.size === options.length ? "filter" : "select";
}

export function planBoolean(field: FieldContext): FormNode {
  const { planning, pointer, required, place, hints, base, entered } = field;
  const names = hints.enumNames;
  const option = (value: boolean): Option => {
    const label = names?.[value ? 0 : 1] ?? (value ? t("Yes") : t("No"));
    return { label, description: null, tone: toneOf(value, label, hints), value };
  };
  const options = [option(true), option(false)] as const;
  // If a field with the default true were left out, it would mean true, but an unticked box says no.
  const isBox = (hints.widget === null || hints.widget === "checkbox") && pointer !== planning.decision;
  const look = isBox && !required && first(place, "default") !== true ? "checkbox" : "buttons";
  const shown = look === "checkbox" ? base : withDefaultHelp(field, base, options);
  return boolNode(shown, { look, options }, entered, initialValue(field, "decision"));
}

/** Returns the options for true and false, in this order; null when these are other options. */
function asYesNo(options: readonly Option[]): readonly [Option, Option] | null {
  const yes = options.find((option) => option.value === true);
  const no = options.find((option) => option.value === false);
  return options.length === 2 && yes !== undefined && no !== undefined ? [yes, no] : null;
}

function boolNode(
  base: NodeBase,
  shape: Pick<BoolNode, "look" | "options">,
  entered: readonly string[] | undefined,
  initial: unknown,
): BoolNode {
  const entry = entered ?? (typeof initial === "boolean" ? [String(initial)] : NO_ENTRY);
  const text = entry.find((item) => item !== "");
  const reading: Reading =
    text === "true" ? { value: true } : text === "false" && shape.look === "buttons" ? { value: false } : "blank";
  return { ...base, ...shape, kind: "bool", entry, ...outcomeOf(base, reading, "choose") };
}

/** @param consent - the value of a ticked box */
function confirmNode(
  base: NodeBase,
  consent: unknown,
  entered: readonly string[] | undefined,
  initial: unknown,
): ConfirmNode {
  const entry = entered ?? (isSame(initial, consent) ? ["true"] : NO_ENTRY);
  const reading: Reading = entry.includes("true") ? { value: consent } : "blank";
  return { ...base, kind: "confirm", entry, ...outcomeOf(base, reading, "tick") };
}

type ChoiceShape = Pick<ChoiceNode, "multiple" | "look" | "options" | "min" | "max">;

function choiceNode(
  base: NodeBase,
  shape: ChoiceShape,
  entered: readonly string[] | undefined,
  initial: unknown,
): ChoiceNode {
  const { options } = shape;
  const entry = entered ?? entryOfChoice(shape, initial);
  const texts = entry.filter((item) => item.trim() !== "");
  const chosen = texts.map((text) => findOption(shape, text));
  let reading: Reading = "blank";
  if (chosen.includes(-1)) reading = { problem: { code: "not_in_list" } };
  else if (shape.multiple) {
    const values = options.filter((_, index) => chosen.includes(index)).map((option) => option.value);
    // An empty selection is an answer if a list is required and may be empty.
    if (values.length > 0 || (base.required && (shape.min ?? 0) === 0)) reading = { value: values };
  } else if (chosen.length > 0) reading = { value: options[chosen[0]!]!.value };
  return { ...base, ...shape, kind: "choice", entry, ...outcomeOf(base, reading, "choose") };
}

function findOption(shape: ChoiceShape, text: string): number {
  if (shape.look !== "filter") return /^\d{1,4}$/.test(text) && Number(text) < shape.options.length ? Number(text) : -1;
  const wanted = text.trim().toLowerCase();
  return shape.options.findIndex((option) => option.label.toLowerCase() === wanted);
}

function entryOfChoice(shape: ChoiceShape, initial: unknown): readonly string[] {
  const values: readonly unknown[] = !shape.multiple ? [initial] : Array.isArray(initial) ? initial : [];
  return values
    .map((value) => shape.options.findIndex((option) => isSame(option.value, value)))
    .filter((index) => index >= 0)
    .map((index) => (shape.look === "filter" ? shape.options[index]!.label : String(index)));
}
