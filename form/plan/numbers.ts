import { TYPE_BITS } from "../../json-schema/schema.ts";
import { planOneOf } from "./choices.ts";
import type { FormNode, NodeBase, NumberNode, Option, Problem } from "./nodes.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue } from "./presets.ts";
import { NO_ENTRY, outcomeOf } from "./readings.ts";
import type { Reading } from "./readings.ts";
import { largest, placeOf, smallest } from "./schema-view.ts";
import type { Layer, Place, Union } from "./schema-view.ts";

/** Whole numbers in a range of at most this size are buttons. */
const MAX_BUTTONS = 11;

/** Returns the control for a number. `asText`: the schema takes its digits as a text as well. */
export function planNumber(field: FieldContext, place: Place, asText: boolean): FormNode {
  const { hints, base, entered } = field;
  const min = largest(place, "minimum");
  const max = smallest(place, "maximum");
  const whole = (place.types & TYPE_BITS.number) === 0;
  const shape = {
    placeholder: hints.placeholder,
    whole,
    asText,
    // Libraries write the largest numbers that they can hold exactly. For a reader, these are not limits.
    min: min !== null && min > Number.MIN_SAFE_INTEGER ? min : null,
    max: max !== null && max < Number.MAX_SAFE_INTEGER ? max : null,
    above: largest(place, "exclusiveMinimum"),
    below: smallest(place, "exclusiveMaximum"),
    step: largest(place, "multipleOf"),
  };
  const isScale =
    whole && min !== null && max !== null && max - min < MAX_BUTTONS && max > min && Number.isInteger(min);
  if (!isScale || shape.step !== null || hints.widget === "text")
    return numberNode(base, shape, entered, initialValue(field, "free"));
  const options = Array.from({ length: max - min + 1 }, (_, index): Option => {
    const value = min + index;
    return { label: hints.enumNames?.[index] ?? String(value), description: null, tone: null, value };
  });
  const { widget } = hints;
  return planOneOf(field, options, base, widget === "radio" || widget === "select" ? widget : "buttons");
}

/** Returns the control for a decimal that may be a number or its digits, as pydantic writes it; null for other unions. */
export function planNumberOrText(field: FieldContext, { branches }: Union): FormNode | null {
  if (branches.length !== 2) return null;
  const number = branches.find(({ type }) => type === "number" || type === "integer");
  if (number === undefined || !branches.some(isDigits)) return null;
  return planNumber(field, placeOf(field.planning.source, [...field.roots, number]), true);
}

function isDigits({ type, pattern }: Layer): boolean {
  return (
    type === "string" &&
    typeof pattern === "string" &&
    /\\d\*?\+?(?:\)\?)?\\?\.?\??/.test(pattern) &&
    !/[a-z]{2}/i.test(pattern)
  );
}

type NumberShape = Pick<NumberNode, "placeholder" | "whole" | "asText" | "min" | "max" | "above" | "below" | "step">;

function numberNode(
  base: NodeBase,
  shape: NumberShape,
  entered: readonly string[] | undefined,
  initial: unknown,
): NumberNode {
  const entry = entered ?? (typeof initial === "number" || typeof initial === "string" ? [String(initial)] : NO_ENTRY);
  const [text = ""] = entry;
  return { ...base, ...shape, kind: "number", entry, ...outcomeOf(base, readNumberEntry(shape, text)) };
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
  // A number is exact if JSON writes it with the same digits: programs send such sums of fractions.
  const isExact = digits.replace(/0+$/, "").length <= 15 || String(value) === read.text;
  if (!isExact && !shape.asText) return { problem: { code: "too_exact" } };
  return { value: isExact || !shape.asText ? value : read.text };
}

/**
 * Reads a number as people write it: "12.5", "12,5", "1 234,5", "1,234.50". One comma before exactly three digits could
 * be either, and is refused instead of guessed.
 *
 * @returns the number in JSON's spelling, all digits kept
 */
export function readNumber(text: string): { readonly text: string } | Problem {
  const bare = text
    .trim()
    .replaceAll(/(?<=\d)[\s\u00A0\u202F'_](?=\d{3})/g, "")
    .replace(/^\u2212/, "-");
  const signed = /^([+-]?)([\d.,]*\d[\d.,]*)$/.exec(bare);
  const scientific = /^[+-]?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/.test(bare);
  if (scientific) return { text: bare.replace(/^\+/, "") };
  const [, sign = "", digits = ""] = signed ?? [];
  if (signed === null) return { code: "not_a_number" };

  const dots = digits.split(".").length - 1;
  const commas = digits.split(",").length - 1;
  let plain = digits;
  if (dots + commas > 1) {
    // If there are two separators, the last one is the decimal separator. A single kind that occurs twice separates
    // thousands.
    const isPoint = dots > 0 && commas > 0 ? digits.lastIndexOf(".") > digits.lastIndexOf(",") : commas > 0;
    const [decimal, thousands] = isPoint ? [".", ","] : [",", "."];
    if (!new RegExp(`^\\d{1,3}(?:\\${thousands}\\d{3})+(?:\\${decimal}\\d*)?$`).test(digits))
      return { code: "not_a_number" };
    plain = digits.replaceAll(thousands, "").replace(decimal, ".");
  } else if (commas === 1) {
    if (/^[1-9]\d{0,2},\d{3}$/.test(digits)) return { code: "thousands" };
    plain = digits.replace(",", ".");
  }
  // JSON writes neither ".5" nor "5." nor "007".
  const [whole = "", fraction = ""] = plain.split(".");
  const kept = whole.replace(/^0+(?=\d)/, "") || "0";
  return { text: `${sign === "-" ? "-" : ""}${kept}${fraction === "" ? "" : `.${fraction}`}` };
}
