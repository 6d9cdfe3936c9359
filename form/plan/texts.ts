import { keyOf } from "./entries.ts";
import type { FormNode, NodeBase, TextNode, TimeNode } from "./nodes.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue } from "./presets.ts";
import { NO_ENTRY, outcomeOf } from "./readings.ts";
import type { Reading } from "./readings.ts";
import { first, firstText, largest, smallest } from "./schema-view.ts";
import { timeNode } from "./time-control.ts";

const LONG_TEXTS =
  /^(?:.*[_ -])?(?:notes?|comments?|reasons?|descriptions?|messages?|feedback|explanation|body|text|summary|details|reply|answer|instructions|content)$/i;
/** Texts of this length or longer get several lines. */
const AREA_FROM = 120;
/** zod's pattern for a time of day, which has no `format`. */
const CLOCK_PATTERN = "^(?:[01]\\d|2[0-3]):[0-5]\\d";

/** Returns the control for a text, or for a date or time, which JSON writes as a text. */
export function planText(field: FieldContext): FormNode {
  const { planning, place, hints, base, entered } = field;
  const format = firstText(place, "format");
  const pattern = firstText(place, "pattern");
  const time = hints.widget === null ? timeShape(format, pattern, planning.zone) : null;
  const initial = initialValue(field, "free");
  if (time !== null) return timeNode(base, time, planning.now, entered, initial);
  const examples = first(place, "examples");
  const max = smallest(place, "maxLength");
  const shape = {
    look: lookOf(field, format, pattern, max, initial),
    type:
      format === "email" || format === "idn-email" ? "email" : format === "uri" || format === "url" ? "url" : "text",
    placeholder: hints.placeholder,
    min: largest(place, "minLength"),
    max,
    format,
    hasPattern: pattern !== null,
    example: Array.isArray(examples) && typeof examples[0] === "string" ? examples[0] : null,
  } as const;
  return textNode(base, shape, entered, initial);
}

function timeShape(
  format: string | null,
  pattern: string | null,
  zone: string,
): Pick<TimeNode, "kind" | "zone"> | null {
  if (format === "date") return { kind: "date", zone: null };
  if (format === "date-time") return { kind: "datetime", zone };
  if (format === "time") return { kind: "time", zone };
  return format === null && pattern?.startsWith(CLOCK_PATTERN) ? { kind: "time", zone: null } : null;
}

function lookOf(
  { hints: { widget }, place, pointer }: FieldContext,
  format: string | null,
  pattern: string | null,
  max: number | null,
  initial: unknown,
): TextNode["look"] {
  const isSecret =
    widget === "password" || format === "password" || (widget === null && first(place, "writeOnly") === true);
  if (isSecret) return "password";
  const isLine = format !== null || pattern !== null || (max !== null && max <= AREA_FROM);
  const isLong =
    widget === "textarea" ||
    // A single line would drop the line breaks of its initial value.
    (typeof initial === "string" && initial.includes("\n")) ||
    (!isLine && ((max !== null && max > AREA_FROM) || LONG_TEXTS.test(keyOf(pointer))));
  return isLong && widget !== "text" ? "area" : format === "color" ? "color" : "line";
}

type TextShape = Pick<TextNode, "look" | "type" | "placeholder" | "min" | "max" | "format" | "hasPattern" | "example">;

export function textNode(
  base: NodeBase,
  shape: TextShape,
  entered: readonly string[] | undefined,
  initial: unknown,
): TextNode {
  const entry = entered ?? (initial === undefined || initial === null ? NO_ENTRY : [textOf(initial)]);
  const [text = ""] = entry;
  // A formatted single line is trimmed; in free text, white space may matter.
  const value = shape.look !== "area" && shape.format !== null ? text.trim() : text;
  let reading: Reading = value.trim() === "" ? "blank" : { value };
  if (shape.look === "color" && reading !== "blank" && !/^#[0-9a-f]{6}$/i.test(value))
    reading = { problem: { code: "not_a_color" } };
  return { ...base, ...shape, kind: "text", entry, ...outcomeOf(base, reading) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
