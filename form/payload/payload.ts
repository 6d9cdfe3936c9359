import { planPair, pairsOf } from "./diff.ts";
import type { Pair } from "./diff.ts";
import { formatsFor, isDateTimeText } from "./format.ts";
import type { FormattedDate, Numeric } from "./format.ts";
import { childHints, IgnoredHints, noteUnused, readHints, toneOf } from "./hints.ts";
import type { Hints } from "./hints.ts";
import { at, isList, isLongerThan, isObject, isScalar, jsonText, resolve, token } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { isImageData, safeImage, safeLink } from "./links.ts";
import type { Column, DateShown, PayloadNode, PayloadPlan, Place, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { readableKey } from "./titles.ts";
import { labelOf } from "../titles.ts";

export interface PayloadInput {
  readonly payload: unknown;
  readonly payload_schema?: unknown;
  /** The `payload` part of `form_definition`. */
  readonly hints?: unknown;
  /** Nothing of the payload may leave the page that shows it. */
  readonly redact?: boolean;
  readonly locale?: string | undefined;
  /** IANA name; without one, times are in UTC and say so. */
  readonly time_zone?: string | undefined;
  readonly now: Date;
  /** Only its first facts are wanted, for a message: less is read of what is long. */
  readonly only_facts?: boolean;
}

const TOO_LARGE = 200_000;
const MAX_NODES = 5_000;
const MAX_CHARACTERS = 400_000;
const MAX_TEXT = 100_000;
const MAX_ITEMS = 500;
/** For a message, which holds few facts, and as much of a list as fits into a line. */
const MAX_FOR_FACTS = { nodes: 1_500, items: 80 };
const MAX_COLUMNS = 8;
/** For lists that a hint asks to see as a table. */
const MAX_ASKED_COLUMNS = 30;
const MAX_CHIP = 60;
const MAX_TITLE = 200;
const MAX_NOTE = 1_000;
/** The rows of a list share their hints, and each looks through all of them. */
const MAX_MISSING = 50_000;
/** Groups further down are folded; even further down they are JSON. */
const FOLDED_DEPTH = 4;
const MAX_DEPTH = 12;

/**
 * What to show of a payload, and how. Never throws on JSON: a schema or a hint that makes no sense is passed over, and
 * what is too much is counted instead.
 */
export function planPayload(input: PayloadInput): PayloadPlan {
  const ignored = new IgnoredHints();
  const hints = readHints(input.hints, ignored);
  if (hints !== null) hints.isUsed = true;
  const planning: Planning = {
    payload: input.payload,
    reader: schema.readerOf(input.payload_schema),
    formats: formatsFor(input.locale, input.time_zone, input.now),
    ignored,
    isTooLarge: isLongerThan(TOO_LARGE, input.payload),
    nodes: input.only_facts ? MAX_FOR_FACTS.nodes : MAX_NODES,
    items: input.only_facts ? MAX_FOR_FACTS.items : MAX_ITEMS,
    characters: MAX_CHARACTERS,
    missing: MAX_MISSING,
    hasMain: false,
  };
  const { nodes, left_out } = rootNodes(planning, input, hints);
  if (hints !== null && !planning.isTooLarge && planning.nodes > 0) noteUnused(hints, ignored);
  return {
    nodes,
    left_out,
    is_redacted: input.redact === true,
    is_too_large: planning.isTooLarge,
    ignored: ignored.list,
  };
}

function rootNodes(
  planning: Planning,
  input: PayloadInput,
  hints: Hints | null,
): { nodes: readonly PayloadNode[]; left_out: number } {
  const { payload, payload_schema } = input;
  const root = { pointer: "", key: "payload", value: payload, starts: [payload_schema], hints, parent: null, depth: 0 };
  if (!isObject(payload)) {
    const node = planSubject(planning, root);
    return { nodes: node === null ? [] : [node], left_out: 0 };
  }
  const layers = schema.layersOf(planning.reader, root.starts, payload);
  const { children, left_out } = planChildren(planning, root, payload, layers);
  if (left_out === 0) return { nodes: children, left_out };
  const place = { pointer: "", title: "More", description: null, help: null };
  const more: PayloadNode = { ...place, kind: "too_large", text: `${count(planning, left_out)} more fields` };
  return { nodes: [...children, more], left_out };
}

/** null when it is hidden. */
export function planSubject(planning: Planning, subject: Subject): PayloadNode | null {
  const { hints, value } = subject;
  if (hints?.widget === "hidden") return skip(hints);
  planning.nodes -= 1;
  // A key may be long, and is then part of every pointer below it.
  planning.characters -= subject.pointer.length >> 4;
  if (planning.characters <= 0) planning.nodes = 0;
  const layers = schema.layersOf(planning.reader, subject.starts, value);
  const place: Place = {
    pointer: subject.pointer,
    title: shortened(hints?.title ?? schema.textOf(layers, "title") ?? readableKey(subject.key), MAX_TITLE),
    description: note(planning, hints?.description ?? schema.textOf(layers, "description")),
    help: note(planning, hints?.help ?? null),
  };
  const node: PayloadNode = { ...place, ...planValue(planning, subject, layers) };
  const isMasked = schema.isTrue(layers, "writeOnly") || schema.textOf(layers, "format") === "password";
  return isMasked && node.kind !== "empty" ? { ...place, kind: "masked", inner: node } : node;
}

function skip(hints: Hints | null): null {
  for (const child of hints?.children.values() ?? []) {
    child.isUsed = true;
    skip(child);
  }
  return null;
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

/** A list repeats the notes of its items. */
function note(planning: Planning, text: string | null): string | null {
  if (text === null || planning.characters <= 0) return null;
  const short = shortened(text, MAX_NOTE);
  planning.characters -= short.length >> 2;
  return short;
}

function planValue(planning: Planning, subject: Subject, layers: Layers): Shown {
  const { value, hints } = subject;
  const asked = planAsked(planning, subject, layers);
  if (asked !== null) return asked;
  if (value === null || value === undefined) {
    skip(hints);
    return { kind: "empty", what: "null" };
  }
  if (typeof value === "boolean") return planBoolean(planning, value, layers, hints);
  if (typeof value === "number") return planNumber(planning, subject, layers);
  if (typeof value === "string") return planText(planning, subject, value, layers);
  if (isList(value)) return planList(planning, subject, value, layers);
  return planObject(planning, subject, value as JsonObject, layers);
}

/** What a hint asks for, or null when it asks for nothing that can be done. */
function planAsked(planning: Planning, subject: Subject, layers: Layers): Shown | null {
  const { value, hints } = subject;
  const widget = hints?.widget;
  if (hints == null || widget == null || (value === null && widget !== "diff")) return null;
  const refuse = (why: string): null => {
    planning.ignored.add(hints.pointer, "ui:widget", why);
    return null;
  };
  const numeric = numericOf(value);
  switch (widget) {
    case "text":
      if (!isScalar(value)) return refuse("Only a single value can be shown as text.");
      return limited(planning, "text", String(value));
    case "markdown":
      return typeof value === "string" ? limited(planning, "markdown", value) : refuse("Markdown must be a text.");
    case "code":
      if (typeof value !== "string") return refuse("Code must be a text.");
      return source(planning, value, languageOf(hints, layers));
    case "json":
      skip(hints);
      return json(planning, value);
    case "image": {
      const image = typeof value === "string" ? safeImage(value) : null;
      return image === null
        ? refuse("An image must be an http or https address, or a picture as data.")
        : { kind: "image", ...image };
    }
    case "link": {
      const link = typeof value === "string" ? safeLink(value, value) : null;
      if (link === null) return refuse("A link must be a complete http, https, mailto or tel address.");
      return { kind: "link", text: value as string, ...link };
    }
    case "currency": {
      const code = currencyOf(planning, subject);
      if (numeric === null) return refuse("A currency needs a number.");
      const text = code === null ? null : planning.formats.currency(numeric, code);
      if (text === null)
        return refuse("A currency needs the option currency: a code such as EUR, or a pointer to one.");
      const isMain = !planning.hasMain && subject.depth === 1;
      if (isMain) planning.hasMain = true;
      return { kind: "currency", text, value: String(value), is_main: isMain };
    }
    case "percent": {
      if (numeric === null) return refuse("A percentage needs a number.");
      const isPoints = (schema.boundOf(layers) ?? 0) > 1;
      return {
        kind: "percent",
        text: planning.formats.percent(numeric, isPoints),
        value: String(value),
        is_main: false,
      };
    }
    case "date": {
      const date =
        typeof value === "number"
          ? epoch(planning, value)
          : typeof value === "string"
            ? anyDate(planning, value)
            : null;
      return date ?? refuse("This is no date.");
    }
    case "table":
      if (!isList(value)) return refuse("A table needs a list of objects.");
      return (
        planTable(planning, subject, value, layers, MAX_ASKED_COLUMNS) ?? refuse("A table needs a list of objects.")
      );
    case "diff":
      return (
        planAskedDiff(planning, subject, layers) ??
        refuse("A diff needs the options before and after: pointers to values of the payload.")
      );
    case "hidden":
      return null;
  }
}

function planAskedDiff(planning: Planning, subject: Subject, layers: Layers): Shown | null {
  const before = diffSide(planning, subject, "before");
  const after = diffSide(planning, subject, "after");
  if (before !== null || after !== null) {
    const own: Subject = { ...subject, hints: null };
    skip(subject.hints);
    return planPair(planning, before ?? own, after ?? own, planSubject);
  }
  if (!isObject(subject.value)) return null;
  const pair = pairsOf(Object.keys(subject.value))[0];
  if (pair === undefined) return null;
  skip(subject.hints);
  return pairShown(planning, subject, subject.value, layers, pair);
}

/** What `before` or `after` of a hint points to; null when it does not, or to nothing. */
function diffSide(planning: Planning, subject: Subject, side: "before" | "after"): Subject | null {
  const pointer = subject.hints?.options.get(side);
  if (pointer === undefined) return null;
  const value = typeof pointer === "string" ? pointedAt(planning, subject.parent, pointer) : undefined;
  if (typeof pointer !== "string" || value === undefined) {
    planning.ignored.add(
      subject.hints!.pointer,
      `ui:options.${side}`,
      "Must be a pointer to something in the payload.",
    );
    return null;
  }
  return {
    pointer,
    key: side,
    value,
    starts: subject.starts,
    hints: null,
    parent: subject.parent,
    depth: subject.depth,
  };
}

/** Pointers of hints start at the payload, or else at the object the hint stands in, as rows of a table need it. */
function pointedAt(planning: Planning, parent: unknown, pointer: string): unknown {
  return resolve(planning.payload, pointer) ?? resolve(parent, pointer);
}

/** A code such as EUR: written in the hint, pointed to by it, or beside the amount. */
function currencyOf(planning: Planning, { hints, parent }: Subject): string | null {
  const option = hints?.options.get("currency");
  if (option === undefined) {
    const beside = at(parent, "currency");
    return typeof beside === "string" ? beside : null;
  }
  const code = typeof option === "string" && option.startsWith("/") ? pointedAt(planning, parent, option) : option;
  return typeof code === "string" ? code : null;
}

function numericOf(value: unknown): Numeric | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > 40 || !/^-?\d+(?:\.\d+)?$/.test(value)) return null;
  return value as Numeric;
}

function planBoolean(planning: Planning, value: boolean, layers: Layers, hints: Hints | null): Shown {
  // As in forms: the first name is that of true.
  const named = hints?.enumNames?.[value ? 0 : 1] ?? schema.choiceOf(planning.reader, layers, value, null).title;
  return { kind: "boolean", value, text: named === null ? (value ? "Yes" : "No") : shortened(named, MAX_TITLE) };
}

function choiceShown(planning: Planning, value: string | number, layers: Layers, hints: Hints | null): Shown | null {
  const choice = schema.choiceOf(planning.reader, layers, value, hints?.enumNames ?? null);
  const tone = toneOf(hints, value);
  const isNamed = choice.title !== null || (choice.isListed && typeof value === "string") || tone !== "neutral";
  if (!isNamed || String(value).length > MAX_CHIP) return null;
  const text = choice.title ?? (choice.isListed ? labelOf(value) : String(value));
  return { kind: "choice", text: shortened(text, MAX_TITLE), value: String(value), tone };
}

/** The last word of keys whose numbers are names: nobody writes order 48,219. */
const NAMES = /(?:^|[_\-.\s])(?:id|no|nr|num|number|code|year|zip|pin|port|version|order|invoice)$/i;

function planNumber(planning: Planning, subject: Subject, layers: Layers): Shown {
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

function planText(planning: Planning, subject: Subject, value: string, layers: Layers): Shown {
  if (value === "") return { kind: "empty", what: "text" };
  return (
    choiceShown(planning, value, layers, subject.hints) ??
    byMediaType(planning, value, layers) ??
    byFormat(planning, value, schema.textOf(layers, "format")) ??
    byShape(planning, value) ??
    limited(planning, "text", value)
  );
}

function byMediaType(planning: Planning, value: string, layers: Layers): Shown | null {
  const type = schema.textOf(layers, "contentMediaType")?.toLowerCase().split(";")[0]?.trim();
  if (type === undefined) return null;
  const isBase64 = schema.textOf(layers, "contentEncoding")?.toLowerCase() === "base64";
  if (type.startsWith("image/")) {
    const image = safeImage(isBase64 ? `data:${type};base64,${value.replaceAll(/\s/g, "")}` : value);
    return image === null ? null : { kind: "image", ...image };
  }
  if (isBase64) return null;
  if (type === "text/markdown" || type === "text/x-markdown") return limited(planning, "markdown", value);
  if (type === "text/html" || type === "application/xhtml+xml") return limited(planning, "html", value);
  if (type === "application/json" || type.endsWith("+json")) return jsonSource(planning, value);
  if (type === "text/plain") return limited(planning, "text", value);
  return source(planning, value, languageOfType(type));
}

function byFormat(planning: Planning, value: string, format: string | null): Shown | null {
  switch (format) {
    case "markdown":
      return limited(planning, "markdown", value);
    case "html":
      return limited(planning, "html", value);
    case "json":
      return jsonSource(planning, value);
    case "code":
      return source(planning, value, null);
    case "date":
      return dateShown("date", value, planning.formats.date(value));
    case "time":
      return dateShown("time", value, planning.formats.time(value));
    case "date-time":
      return anyDate(planning, value);
    case "email":
    case "idn-email":
      return mailLink(value);
    case "uri":
    case "iri":
    case "url": {
      const link = safeLink(value, value);
      return link === null ? null : { kind: "link", text: value, ...link };
    }
    case "image":
    case "image-url": {
      const image = safeImage(value);
      return image === null ? null : { kind: "image", ...image };
    }
    default:
      return null;
  }
}

/** What is nothing else than a link, an address, a picture or a date, even if no schema says so. */
function byShape(planning: Planning, value: string): Shown | null {
  if (isImageData(value)) return { kind: "image", src: value, host: null };
  if (/^https?:\/\/\S+$/i.test(value)) {
    const link = safeLink(value, value);
    return link === null ? null : { kind: "link", text: value, ...link };
  }
  if (value.length > 254) return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return dateShown("date", value, planning.formats.date(value));
  if (isDateTimeText(value)) return anyDate(planning, value);
  return mailLink(value);
}

function mailLink(value: string): Shown | null {
  if (!/^[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(value)) return null;
  const link = safeLink(`mailto:${value}`, value);
  return link === null ? null : { kind: "link", text: value, ...link };
}

function anyDate(planning: Planning, value: string): Shown | null {
  return (
    dateShown("date-time", value, planning.formats.dateTime(value)) ??
    dateShown("date", value, planning.formats.date(value)) ??
    dateShown("time", value, planning.formats.time(value))
  );
}

/** Seconds or milliseconds since 1970: today's differ by a factor of a thousand. */
function epoch(planning: Planning, value: number): Shown | null {
  return dateShown(
    "date-time",
    String(value),
    planning.formats.instant(Math.abs(value) < 1e11 ? value * 1_000 : value),
  );
}

function dateShown(kind: DateShown["kind"], value: string, date: FormattedDate | null): Shown | null {
  return date === null ? null : { kind, value, ...date };
}

function limited(planning: Planning, kind: "text" | "markdown" | "html", text: string): Shown {
  if (text === "") return { kind: "empty", what: "text" };
  const shown = takeText(planning, text);
  return { kind, text: shown, left_out: text.length - shown.length };
}

function source(planning: Planning, text: string, language: string | null): Shown {
  const shown = takeText(planning, text);
  return { kind: "code", text: shown, language, left_out: text.length - shown.length };
}

/** JSON that came as a text: indented when it is what it says. */
function jsonSource(planning: Planning, text: string): Shown {
  try {
    return json(planning, JSON.parse(text));
  } catch {
    return source(planning, text, "json");
  }
}

function json(planning: Planning, value: unknown): Shown {
  const { text, left_out } = jsonText(value, Math.min(MAX_TEXT, planning.characters));
  planning.characters -= text.length;
  return { kind: "json", text, language: "json", left_out };
}

function takeText(planning: Planning, text: string): string {
  let length = Math.min(text.length, MAX_TEXT, planning.characters);
  // No half of a pair of surrogates at the end.
  if (length < text.length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1))) length -= 1;
  planning.characters -= length;
  return text.slice(0, length);
}

function languageOf(hints: Hints, layers: Layers): string | null {
  const language = hints.options.get("language");
  if (typeof language === "string" && language !== "") return language.slice(0, 30);
  const type = schema.textOf(layers, "contentMediaType");
  return type === null ? null : languageOfType(type);
}

function languageOfType(type: string): string {
  return type.replace(/^(?:text|application)\/(?:x-)?/, "").slice(0, 30);
}

function count(planning: Planning, number: number): string {
  return planning.formats.number(number);
}

function tooLarge(planning: Planning, value: unknown): Shown {
  const size = isList(value) ? value.length : Object.keys(value as object).length;
  const [one, many] = isList(value) ? ["entry", "entries"] : ["field", "fields"];
  return { kind: "too_large", text: `${count(planning, size)} ${size === 1 ? one : many}` };
}

function planObject(planning: Planning, subject: Subject, value: JsonObject, layers: Layers): Shown {
  const { hints, depth } = subject;
  if (Object.keys(value).length === 0) {
    skip(hints);
    return { kind: "empty", what: "object" };
  }
  if (planning.isTooLarge || planning.nodes <= 0) return tooLarge(planning, value);
  if (depth > MAX_DEPTH) {
    skip(hints);
    return json(planning, value);
  }
  // An object that is just a before and an after is that change.
  const keys = Object.keys(value);
  const [pair] = keys.length === 2 ? changesAmong(subject, value, keys).pairs.values() : [];
  if (pair?.title === null) return pairShown(planning, subject, value, layers, pair);
  const { children, left_out } = planChildren(planning, subject, value, layers);
  if (depth >= FOLDED_DEPTH) return { kind: "tree", children, left_out };
  return { kind: "group", children, is_plain: speaksForItself(value, children), is_other: false, left_out };
}

const SPEAKING = new Set([
  "name",
  "full_name",
  "fullName",
  "display_name",
  "displayName",
  "email",
  "email_address",
  "phone",
]);

/** Someone's name and how to reach them, which need no labels. */
function speaksForItself(value: JsonObject, children: readonly PayloadNode[]): boolean {
  const keys = Object.keys(value);
  if (keys.length > 4 || children.length !== keys.length || !keys.every((key) => SPEAKING.has(key))) return false;
  return children.every(
    (node) => node.kind === "link" || (node.kind === "text" && node.text.length <= 80 && !node.text.includes("\n")),
  );
}

/** The fields of an object in reading order; at the end, as a group, what its schema does not know. */
function planChildren(
  planning: Planning,
  subject: Subject,
  value: JsonObject,
  layers: Layers,
): { children: readonly PayloadNode[]; left_out: number } {
  const { hints, depth } = subject;
  const { keys: all, unread } = keysOf(value, layers, hints);
  const { known, other } = orderedKeys(planning, value, all, layers, hints);
  const { pairs, silent } = changesAmong(subject, value, all);
  const children: PayloadNode[] = [];
  const others: PayloadNode[] = [];
  let leftOut = unread;
  for (const [keys, into] of [
    [known, children],
    [other, others],
  ] as const)
    for (const key of keys) {
      if (silent.has(key)) {
        skip(childHints(hints, key));
        continue;
      }
      if (planning.nodes <= 0) {
        leftOut += 1;
        continue;
      }
      const pair = pairs.get(key);
      const node =
        pair === undefined
          ? planSubject(planning, childOf(subject, value, layers, key))
          : pairNode(planning, subject, value, layers, pair);
      if (node !== null) into.push(node);
    }
  // A hint may be for what is left out here, or is described and missing.
  if (leftOut > 0 || schema.describesProperties(layers))
    for (const [key, child] of hints?.children ?? []) {
      if (--planning.missing < 0) break;
      if (!Object.hasOwn(value, key) && (leftOut > 0 || schema.knowsProperty(layers, key))) {
        child.isUsed = true;
        skip(child);
      }
    }
  if (others.length > 0) {
    const place = { pointer: subject.pointer, title: "Other data", description: null, help: null };
    const isFolded = depth >= FOLDED_DEPTH;
    children.push(
      isFolded
        ? { ...place, kind: "tree", children: others, left_out: 0 }
        : { ...place, kind: "group", children: others, is_plain: false, is_other: true, left_out: 0 },
    );
  }
  return { children, left_out: leftOut };
}

function childOf(subject: Subject, value: JsonObject, layers: Layers, key: string): Subject {
  return {
    pointer: subject.pointer + token(key),
    key,
    value: at(value, key),
    starts: schema.propertyStarts(layers, key),
    hints: childHints(subject.hints, key),
    parent: value,
    depth: subject.depth + 1,
  };
}

/**
 * The keys of an object that has no more than can be shown. Of a larger one: those that its schema and its hints name, and
 * the first of the others, so that what a plan costs does not grow with what it leaves out.
 */
function keysOf(value: JsonObject, layers: Layers, hints: Hints | null): { keys: readonly string[]; unread: number } {
  const all = Object.keys(value);
  if (all.length <= MAX_NODES) return { keys: all, unread: 0 };
  const named = [...schema.propertyNames(layers), ...(hints?.children.keys() ?? []), ...(hints?.order ?? [])];
  const keys = new Set(named.filter((key) => Object.hasOwn(value, key)));
  for (let i = 0; keys.size < MAX_NODES; i++) keys.add(all[i]!);
  return { keys: [...keys], unread: all.length - keys.size };
}

/** Keys in reading order: those of the schema and the hints first, as `ui:order` has them, then the others. */
function orderedKeys(
  planning: Planning,
  value: JsonObject,
  all: readonly string[],
  layers: Layers,
  hints: Hints | null,
): { known: readonly string[]; other: readonly string[] } {
  const keys = schema.inSchemaOrder(planning.reader, layers, all);
  const asked = hints?.order ?? null;
  // The rows of a list share one order, which may be long.
  const order = asked !== null && schema.takeSteps(planning.reader, 4 * asked.length) ? asked : null;
  const listed = new Set(order);
  const isKnown = (key: string) =>
    schema.knowsProperty(layers, key) || hints?.children.has(key) === true || listed.has(key);
  const isDescribed = schema.namesProperties(layers);
  const known = isDescribed ? keys.filter(isKnown) : keys;
  const other = isDescribed ? keys.filter((key) => !isKnown(key)) : [];
  if (order === null || hints === null) return { known, other };
  for (const key of order)
    if (key !== "*" && !Object.hasOwn(value, key) && !schema.knowsProperty(layers, key))
      planning.ignored.add(hints.pointer, "ui:order", `Nothing in the payload is called "${key.slice(0, 40)}".`);
  const rest = known.filter((key) => !listed.has(key));
  const present = new Set(known);
  const sorted = [...listed].flatMap((key) => (key === "*" ? rest : present.has(key) ? [key] : []));
  return { known: listed.has("*") ? sorted : [...sorted, ...rest], other };
}

/** Which keys show a change, and which are silent because another shows them. */
function changesAmong(
  { hints, pointer }: Subject,
  value: JsonObject,
  keys: readonly string[],
): { pairs: ReadonlyMap<string, Pair>; silent: ReadonlySet<string> } {
  const pairs = new Map<string, Pair>();
  const silent = new Set<string>();
  for (const pair of pairsOf(keys)) {
    const asks = [pair.before, pair.after].map((key) => hints?.children.get(key)?.widget);
    if (asks.some((widget) => widget === "hidden" || widget === "diff")) continue;
    pairs.set(pair.before, pair);
    silent.add(pair.after);
  }
  for (const key of keys) {
    const child = hints?.children.get(key);
    if (child?.widget !== "diff") continue;
    for (const side of ["before", "after"] as const) {
      const sibling = keyAt(pointer, child.options.get(side));
      if (sibling === null || sibling === key || !Object.hasOwn(value, sibling)) continue;
      if (hints?.children.get(sibling)?.widget == null) silent.add(sibling);
    }
  }
  return { pairs, silent };
}

/** The key that a pointer names in the object at `pointer`; null: it leads elsewhere. */
function keyAt(pointer: string, target: unknown): string | null {
  if (typeof target !== "string" || !target.startsWith(`${pointer}/`)) return null;
  const part = target.slice(pointer.length + 1);
  return part.includes("/") ? null : part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function pairShown(planning: Planning, subject: Subject, value: JsonObject, layers: Layers, pair: Pair): Shown {
  const side = (key: string) => childOf(subject, value, layers, key);
  return planPair(planning, side(pair.before), side(pair.after), planSubject);
}

function pairNode(planning: Planning, subject: Subject, value: JsonObject, layers: Layers, pair: Pair): PayloadNode {
  const title = pair.title ?? `${readableKey(pair.before)} → ${readableKey(pair.after).toLowerCase()}`;
  const place = { pointer: subject.pointer + token(pair.after), title, description: null, help: null };
  return { ...place, ...pairShown(planning, subject, value, layers, pair) };
}

function planList(planning: Planning, subject: Subject, value: readonly unknown[], layers: Layers): Shown {
  if (value.length === 0) {
    skip(subject.hints);
    return { kind: "empty", what: "list" };
  }
  if (planning.isTooLarge || planning.nodes <= 0) return tooLarge(planning, value);
  if (subject.depth > MAX_DEPTH) {
    skip(subject.hints);
    return json(planning, value);
  }
  const table = planTable(planning, subject, value, layers, MAX_COLUMNS);
  if (table !== null) return table;
  const items: PayloadNode[] = [];
  for (let i = 0; i < value.length && i < planning.items && planning.nodes > 0; i++) {
    const node = planSubject(planning, itemOf(subject, value, layers, i));
    if (node === null) continue;
    items.push(isScalar(value[i]) ? node : { ...node, title: `${node.title} ${i + 1}` });
  }
  return { kind: items.every(isChip) ? "chips" : "list", items, left_out: Math.max(0, value.length - items.length) };
}

function itemOf(subject: Subject, value: readonly unknown[], layers: Layers, index: number): Subject {
  return {
    pointer: subject.pointer + token(index),
    key: "item",
    value: value[index],
    starts: schema.itemStarts(layers, index),
    hints: childHints(subject.hints, "items"),
    parent: value,
    depth: subject.depth + 1,
  };
}

function isChip(node: PayloadNode): boolean {
  switch (node.kind) {
    case "text":
      return node.text.length <= MAX_CHIP && !node.text.includes("\n");
    case "number":
    case "currency":
    case "percent":
    case "unit":
    case "choice":
    case "boolean":
    case "empty":
      return true;
    default:
      return false;
  }
}

/** Objects of single values, as rows; null when the list is not like that, or too wide. */
function planTable(
  planning: Planning,
  subject: Subject,
  value: readonly unknown[],
  layers: Layers,
  maxColumns: number,
): Shown | null {
  const isAsked = maxColumns > MAX_COLUMNS;
  const keys = new Set<string>();
  for (const row of value) {
    if (!isObject(row)) return null;
    for (const key of Object.keys(row)) {
      if (!isAsked && !isScalar(row[key])) return null;
      if (keys.size <= maxColumns * 2) keys.add(key);
    }
  }
  const rowHints = childHints(subject.hints, "items");
  const shown = [...keys].filter((key) => rowHints?.children.get(key)?.widget !== "hidden");
  for (const key of keys) if (!shown.includes(key)) skip(childHints(rowHints, key));
  if (shown.length === 0 || (!isAsked && shown.length > maxColumns)) return null;
  const first = itemOf(subject, value, layers, 0);
  const rowLayers = schema.layersOf(planning.reader, first.starts, first.value);
  const byKey = Object.fromEntries(shown.map((key) => [key, null]));
  const { known, other } = orderedKeys(planning, byKey, shown, rowLayers, rowHints);
  const columnKeys = [...known, ...other].slice(0, maxColumns);
  const rows: PayloadNode[][] = [];
  for (let i = 0; i < value.length && i < planning.items && planning.nodes > 0; i++) {
    const row = { ...itemOf(subject, value, layers, i), hints: rowHints };
    const own = value[i] as JsonObject;
    const ownLayers = schema.layersOf(planning.reader, row.starts, own);
    rows.push(columnKeys.map((key) => cell(planning, childOf(row, own, ownLayers, key))));
  }
  const columns: Column[] = columnKeys.map((key, index) => ({
    key,
    title: titleOfColumn(rows, index) ?? readableKey(key),
    is_numeric: isNumericColumn(rows, index),
  }));
  return { kind: "table", columns, rows, left_out: value.length - rows.length };
}

function cell(planning: Planning, subject: Subject): PayloadNode {
  const node = isScalar(subject.value)
    ? planSubject(planning, subject)
    : { ...placeOf(subject), ...json(planning, subject.value) };
  if (node !== null && Object.hasOwn(subject.parent as object, subject.key)) return node;
  return { ...(node ?? placeOf(subject)), kind: "empty", what: "missing" };
}

function placeOf(subject: Subject): Place {
  return { pointer: subject.pointer, title: readableKey(subject.key), description: null, help: null };
}

function titleOfColumn(rows: readonly (readonly PayloadNode[])[], index: number): string | null {
  return rows[0]?.[index]?.title ?? null;
}

function isNumericColumn(rows: readonly (readonly PayloadNode[])[], index: number): boolean {
  const kinds = new Set(rows.map((row) => row[index]?.kind));
  kinds.delete("empty");
  return kinds.size > 0 && [...kinds].every((kind) => kind !== undefined && NUMERIC_KINDS.has(kind));
}

const NUMERIC_KINDS: ReadonlySet<PayloadNode["kind"]> = new Set(["number", "currency", "percent", "unit"]);
