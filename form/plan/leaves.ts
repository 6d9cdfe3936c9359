import { readNumber } from "./numbers.ts";
import type {
  BoolNode,
  ChoiceNode,
  ConfirmNode,
  FormNode,
  JsonNode,
  NumberNode,
  Option,
  Problem,
  TextNode,
  TimeNode,
} from "./nodes.ts";
import { isClock, isDate, localOf, utcOf, zonedTimeOf } from "./times.ts";
import { isSame } from "./same.ts";

/** What all nodes have, less what is read from the entries. */
export type Base = Omit<FormNode, "kind" | "entry" | "value" | "problem">;

/** What a control is to show before anybody has touched it. undefined: nothing. */
export type Preset = unknown;

/** Reads what was entered. `blank`: nothing was. */
type Reading = { readonly value: unknown } | { readonly problem: Problem } | "blank";

/** An empty field is left out, null, or missing. (The first two are values.) */
export function settle(
  base: Base,
  reading: Reading,
  missing: "missing" | "choose" | "tick" = "missing",
): { value: unknown; problem: Problem | null } {
  if (reading !== "blank")
    return "problem" in reading
      ? { value: undefined, problem: reading.problem }
      : { value: reading.value, problem: null };
  if (!base.required) return { value: undefined, problem: null };
  return base.nullable ? { value: null, problem: null } : { value: undefined, problem: { code: missing } };
}

const NOTHING: readonly string[] = [];

export function boolNode(
  base: Base,
  shape: Pick<BoolNode, "look" | "options">,
  entered: readonly string[] | undefined,
  preset: Preset,
): BoolNode {
  const entry = entered ?? (typeof preset === "boolean" ? [String(preset)] : NOTHING);
  const text = entry.find((item) => item !== "");
  const reading: Reading =
    text === "true" ? { value: true } : text === "false" && shape.look === "buttons" ? { value: false } : "blank";
  return { ...base, ...shape, kind: "bool", entry, ...settle(base, reading, "choose") };
}

/** @param consent - what ticking it says */
export function confirmNode(
  base: Base,
  consent: unknown,
  entered: readonly string[] | undefined,
  preset: Preset,
): ConfirmNode {
  const entry = entered ?? (isSame(preset, consent) ? ["true"] : NOTHING);
  const reading: Reading = entry.includes("true") ? { value: consent } : "blank";
  return { ...base, kind: "confirm", entry, ...settle(base, reading, "tick") };
}

type ChoiceShape = Pick<ChoiceNode, "multiple" | "look" | "options" | "min" | "max">;

export function choiceNode(
  base: Base,
  shape: ChoiceShape,
  entered: readonly string[] | undefined,
  preset: Preset,
): ChoiceNode {
  const { options } = shape;
  const entry = entered ?? entryOfChoice(shape, preset);
  const texts = entry.filter((item) => item.trim() !== "");
  const chosen = texts.map((text) => findOption(shape, text));
  let reading: Reading = "blank";
  if (chosen.includes(-1)) reading = { problem: { code: "not_in_list" } };
  else if (shape.multiple) {
    const values = options.filter((_, index) => chosen.includes(index)).map((option) => option.value);
    // Ticking nothing is an answer where a list is wanted and may be empty.
    if (values.length > 0 || (base.required && (shape.min ?? 0) === 0)) reading = { value: values };
  } else if (chosen.length > 0) reading = { value: options[chosen[0]!]!.value };
  return { ...base, ...shape, kind: "choice", entry, ...settle(base, reading, "choose") };
}

function findOption(shape: ChoiceShape, text: string): number {
  if (shape.look !== "filter") return /^\d{1,4}$/.test(text) && Number(text) < shape.options.length ? Number(text) : -1;
  const wanted = text.trim().toLowerCase();
  return shape.options.findIndex((option) => option.label.toLowerCase() === wanted);
}

function entryOfChoice(shape: ChoiceShape, preset: Preset): readonly string[] {
  const values: readonly unknown[] = !shape.multiple ? [preset] : Array.isArray(preset) ? preset : [];
  return values
    .map((value) => shape.options.findIndex((option) => isSame(option.value, value)))
    .filter((index) => index >= 0)
    .map((index) => (shape.look === "filter" ? shape.options[index]!.label : String(index)));
}

type TextShape = Pick<TextNode, "look" | "type" | "placeholder" | "min" | "max" | "format" | "hasPattern" | "example">;

export function textNode(
  base: Base,
  shape: TextShape,
  entered: readonly string[] | undefined,
  preset: Preset,
): TextNode {
  const entry = entered ?? (preset === undefined || preset === null ? NOTHING : [textOf(preset)]);
  const [text = ""] = entry;
  // Nobody means the blanks around an address; in a text they may matter.
  const value = shape.look !== "area" && shape.format !== null ? text.trim() : text;
  let reading: Reading = value.trim() === "" ? "blank" : { value };
  if (shape.look === "color" && reading !== "blank" && !/^#[0-9a-f]{6}$/i.test(value))
    reading = { problem: { code: "not_a_color" } };
  return { ...base, ...shape, kind: "text", entry, ...settle(base, reading) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type NumberShape = Pick<NumberNode, "placeholder" | "whole" | "asText" | "min" | "max" | "above" | "below" | "step">;

export function numberNode(
  base: Base,
  shape: NumberShape,
  entered: readonly string[] | undefined,
  preset: Preset,
): NumberNode {
  const entry = entered ?? (typeof preset === "number" || typeof preset === "string" ? [String(preset)] : NOTHING);
  const [text = ""] = entry;
  return { ...base, ...shape, kind: "number", entry, ...settle(base, readNumberEntry(shape, text)) };
}

function readNumberEntry(shape: NumberShape, text: string): Reading {
  if (text.trim() === "") return "blank";
  const read = readNumber(text);
  if ("code" in read) return { problem: read };
  const value = Number(read.text);
  if (!Number.isFinite(value)) return { problem: { code: "too_exact" } };
  if (shape.whole && !Number.isInteger(value)) return { problem: { code: "not_whole" } };
  const digits = read.text
    .replace(/[eE].*$/, "")
    .replaceAll(/[-.]/g, "")
    .replace(/^0+/, "");
  // What JSON writes back as it was read loses nothing: such are the sums of fractions that programs send.
  const isExact = digits.replace(/0+$/, "").length <= 15 || String(value) === read.text;
  if (!isExact && !shape.asText) return { problem: { code: "too_exact" } };
  return { value: isExact || !shape.asText ? value : read.text };
}

export function timeNode(
  base: Base,
  shape: Pick<TimeNode, "kind" | "zone">,
  now: Date,
  entered: readonly string[] | undefined,
  preset: Preset,
): TimeNode {
  const { kind, zone } = shape;
  const shown = typeof preset === "string" ? shownTime(kind, preset, zone) : null;
  const entry = entered ?? (shown === null ? NOTHING : [shown]);
  const text = (entry[0] ?? "").trim();
  let reading: Reading;
  if (text === "") reading = "blank";
  // What came with seconds and an offset keeps them while nobody changes it.
  else if (text === shown) reading = { value: preset };
  else if (kind === "date") reading = isDate(text) ? { value: text } : { problem: { code: "not_a_date" } };
  else if (kind === "time") {
    if (!isClock(text)) reading = { problem: { code: "not_a_time" } };
    else reading = { value: zone === null ? text : zonedTimeOf(text, zone, now) };
  } else {
    const utc =
      zone === null ? (isDate(text.slice(0, 10)) && isClock(text.slice(11)) ? text : null) : utcOf(text, zone);
    reading =
      utc === null
        ? { problem: { code: "not_a_date" } }
        : utc === "skipped"
          ? { problem: { code: "no_such_time" } }
          : { value: utc };
  }
  return { ...base, ...shape, entry, ...settle(base, reading) };
}

function shownTime(kind: TimeNode["kind"], value: string, zone: string | null): string | null {
  if (kind === "date") return isDate(value) ? value : null;
  if (kind === "datetime") return zone === null ? value : localOf(value, zone);
  const clock = /^\d{2}:\d{2}(?::\d{2})?/.exec(value)?.[0] ?? "";
  return isClock(clock) ? clock.replace(/:00$/, (zero) => (clock.length > 5 ? "" : zero)) : null;
}

export function jsonNode(base: Base, entered: readonly string[] | undefined, preset: Preset): JsonNode {
  const entry = entered ?? (preset === undefined ? NOTHING : [JSON.stringify(preset, null, 2)]);
  const [text = ""] = entry;
  // Where anything goes, null has to be written like everything else.
  const own = { ...base, nullable: false };
  return { ...own, kind: "json", entry, ...settle(own, readJson(text)) };
}

/** Levels of a JSON value that the service accepts. */
const MAX_JSON_DEPTH = 64;

function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}

function readJson(text: string): Reading {
  if (text.trim() === "") return "blank";
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? { problem: { code: "too_deep" } } : { value };
  } catch (error) {
    const said = error instanceof Error ? error.message : "";
    const position = /position (\d+)/.exec(said)?.[1];
    const line = /line (\d+)/.exec(said)?.[1];
    const known =
      line !== undefined
        ? Number(line)
        : position === undefined
          ? 0
          : text.slice(0, Number(position)).split("\n").length;
    return { problem: { code: "not_json", line: known } };
  }
}

/** Two options as the two sides of a boolean; null when they are not. */
export function yesAndNo(options: readonly Option[]): readonly [Option, Option] | null {
  const yes = options.find((option) => option.value === true);
  const no = options.find((option) => option.value === false);
  return options.length === 2 && yes !== undefined && no !== undefined ? [yes, no] : null;
}
