import { planChange } from "./changes.ts";
import { currencyOf } from "./currency.ts";
import { anyDate, epoch } from "./dates.ts";
import { pairsOf, planPair } from "./diff.ts";
import { markUsed } from "./hints.ts";
import type { Hints, Widget } from "./hints.ts";
import { isList, isObject, isScalar, resolve } from "./json.ts";
import { safeImage, safeLink } from "./links.ts";
import type { Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { numericOf } from "./scalars.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { MAX_ASKED_COLUMNS, planTable } from "./tables.ts";
import { json, languageOf, limited, source } from "./texts.ts";
import { isUnifiedDiff } from "./unified-diff.ts";

/** Returns what the widget of a hint shows; null without a widget, or if it does not fit the value. */
export function planWidget(planning: Planning, subject: Subject, layers: Layers): Shown | null {
  const { value, hints } = subject;
  const widget = hints?.widget;
  if (hints == null || widget == null || widget === "hidden" || (value === null && widget !== "diff")) return null;
  const shown = WIDGETS[widget](planning, subject, layers, hints);
  if (typeof shown !== "string") return shown;
  planning.ignored.add(hints.pointer, "ui:widget", shown);
  return null;
}

/** Returns what to show, or a sentence that says why the widget is ignored. */
type PlanWidget = (planning: Planning, subject: Subject, layers: Layers, hints: Hints) => Shown | string;

const WIDGETS: Readonly<Record<Exclude<Widget, "hidden">, PlanWidget>> = {
  text: (planning, { value }) =>
    isScalar(value) ? limited(planning, "text", String(value)) : "Only a single value can be shown as text.",
  markdown: (planning, { value }) =>
    typeof value === "string" ? limited(planning, "markdown", value) : "Markdown must be a text.",
  code: (planning, { value }, layers, hints) =>
    typeof value === "string" ? source(planning, value, languageOf(hints, layers)) : "Code must be a text.",
  json: (planning, { value }, _layers, hints) => {
    markUsed(hints);
    return json(planning, value);
  },
  image: (_planning, { value }) => {
    const image = typeof value === "string" ? safeImage(value) : null;
    return image === null
      ? "An image must be an http or https address, or a picture as data."
      : { kind: "image", ...image };
  },
  link: (_planning, { value }) => {
    const link = typeof value === "string" ? safeLink(value, value) : null;
    if (link === null) return "A link must be a complete http, https, mailto or tel address.";
    return { kind: "link", text: value as string, ...link };
  },
  currency: planCurrency,
  percent: (planning, { value }, layers) => {
    const number = numericOf(value);
    if (number === null) return "A percentage needs a number.";
    const isPoints = (schema.boundOf(layers) ?? 0) > 1;
    return { kind: "percent", text: planning.formats.percent(number, isPoints), value: String(value), is_main: false };
  },
  date: (planning, { value }) => {
    const date =
      typeof value === "number" ? epoch(planning, value) : typeof value === "string" ? anyDate(planning, value) : null;
    return date ?? "This is no date.";
  },
  table: (planning, subject, layers) => {
    const { value } = subject;
    const table = isList(value) ? planTable(planning, subject, value, layers, MAX_ASKED_COLUMNS) : null;
    return table ?? "A table needs a list of objects.";
  },
  diff: (planning, subject, layers) =>
    planDiff(planning, subject, layers) ??
    (typeof subject.value === "string" && isUnifiedDiff(subject.value)
      ? source(planning, subject.value, "diff")
      : "A diff needs the options before and after: pointers to values of the payload."),
};

function planCurrency(planning: Planning, subject: Subject): Shown | string {
  const { value, depth } = subject;
  const number = numericOf(value);
  if (number === null) return "A currency needs a number.";
  const code = currencyOf(planning, subject.hints, subject.parent);
  const text = code === null ? null : planning.formats.currency(number, code);
  if (text === null) return "A currency needs the option currency: a code such as EUR, or a pointer to one.";
  const isMain = !planning.hasMain && depth === 1;
  if (isMain) planning.hasMain = true;
  return { kind: "currency", text, value: String(value), is_main: isMain };
}

function planDiff(planning: Planning, subject: Subject, layers: Layers): Shown | null {
  const before = diffSide(planning, subject, "before");
  const after = diffSide(planning, subject, "after");
  if (before !== null || after !== null) {
    const own: Subject = { ...subject, hints: null };
    markUsed(subject.hints);
    return planPair(planning, before ?? own, after ?? own);
  }
  if (!isObject(subject.value)) return null;
  const pair = pairsOf(Object.keys(subject.value))[0];
  if (pair === undefined) return null;
  markUsed(subject.hints);
  return planChange(planning, subject, subject.value, layers, pair);
}

/** Returns the target of `before` or `after` of a hint; null if it has none, or the target does not exist. */
function diffSide(planning: Planning, subject: Subject, side: "before" | "after"): Subject | null {
  const pointer = subject.hints?.options.get(side);
  if (pointer === undefined) return null;
  const whole = typeof pointer === "string" ? resolve(planning.payload, pointer) : undefined;
  const value = whole ?? (typeof pointer === "string" ? resolve(subject.parent, pointer) : undefined);
  if (typeof pointer !== "string" || value === undefined) {
    planning.ignored.add(
      subject.hints!.pointer,
      `ui:options.${side}`,
      "Must be a pointer to something in the payload.",
    );
    return null;
  }
  const around = subject.pointer.slice(0, subject.pointer.lastIndexOf("/"));
  return {
    pointer: whole === undefined ? around + pointer : pointer,
    key: side,
    value,
    starts: subject.starts,
    hints: null,
    parent: subject.parent,
    depth: subject.depth,
  };
}
