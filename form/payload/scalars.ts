import { t } from "../../languages/text.ts";
import type { Numeric } from "./number-format.ts";
import { toneOf } from "./hints.ts";
import type { Hints } from "./hints.ts";
import { MAX_CHIP, MAX_TITLE, shortened } from "./limits.ts";
import type { Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { labelOf } from "../titles.ts";

export function planBoolean(planning: Planning, value: boolean, layers: Layers, hints: Hints | null): Shown {
  // As in forms, the first name is that of true.
  const named = hints?.enumNames?.[value ? 0 : 1] ?? schema.choiceOf(planning.reader, layers, value, null).title;
  return { kind: "boolean", value, text: named === null ? (value ? t("Yes") : t("No")) : shortened(named, MAX_TITLE) };
}

export function choiceShown(
  planning: Planning,
  value: string | number,
  layers: Layers,
  hints: Hints | null,
): Shown | null {
  const choice = schema.choiceOf(planning.reader, layers, value, hints?.enumNames ?? null);
  const tone = toneOf(hints, value);
  const isNamed = choice.title !== null || (choice.isListed && typeof value === "string") || tone !== "neutral";
  if (!isNamed || String(value).length > MAX_CHIP) return null;
  const text = choice.title ?? (choice.isListed ? labelOf(value) : String(value));
  return { kind: "choice", text: shortened(text, MAX_TITLE), value: String(value), tone };
}

/** Matches keys whose numbers are identifiers: an order number is not written 48,219. */
const NAMES = /(?:^|[_\-.\s])(?:id|no|nr|num|number|code|year|zip|pin|port|version|order|invoice)$/i;

export function planNumber(planning: Planning, subject: Subject, layers: Layers): Shown {
  const value = subject.value as number;
  const choice = choiceShown(planning, value, layers, subject.hints);
  if (choice !== null) return choice;
  const unit = subject.hints?.options.get("unit");
  if (typeof unit === "string" && unit !== "")
    return {
      kind: "unit",
      text: planning.formats.unit(value, unit.slice(0, 30)),
      value: String(value),
      is_main: false,
    };
  const lastWords = subject.key.slice(-MAX_CHIP).replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  const isName = Number.isInteger(value) && NAMES.test(lastWords);
  return { kind: "number", text: planning.formats.number(value, isName), value: String(value), is_main: false };
}

/** Returns a number, or the digits of one; null for other values. */
export function numericOf(value: unknown): Numeric | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > 40 || !/^-?\d+(?:\.\d+)?$/.test(value)) return null;
  return value as Numeric;
}
