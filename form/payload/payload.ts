import { plural, t } from "../../languages/text.ts";
import { formatsFor } from "./format.ts";
import { IgnoredHints, markUsed, noteUnused, readHints } from "./hints.ts";
import type { Hints } from "./hints.ts";
import { isList, isLongerThan, isObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { count, MAX_NODES, MAX_NOTE, MAX_TITLE, shortened } from "./limits.ts";
import { planList } from "./lists.ts";
import type { PayloadNode, PayloadPlan, Place, Shown } from "./node.ts";
import { planChildren, planObject } from "./objects.ts";
import type { Planning, Subject } from "./planning.ts";
import { planBoolean, planNumber } from "./scalars.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { planText } from "./texts.ts";
import { readableKey } from "./titles.ts";
import { planWidget } from "./widgets.ts";

export interface PayloadInput {
  readonly payload: unknown;
  readonly payload_schema?: unknown;
  /** The `payload` part of `form_definition`. */
  readonly hints?: unknown;
  /** Nothing of the payload may leave the page that shows it. */
  readonly redact?: boolean;
  readonly locale?: string | undefined;
  /** IANA name. Without one, times are in UTC and say so. */
  readonly time_zone?: string | undefined;
  readonly now: Date;
  /** Only the first facts are needed, for a message. Then less of long values is read. */
  readonly only_facts?: boolean;
  /** The page can show more on request with `planMore`, so the first plan of a large payload is small. */
  readonly is_paged?: boolean;
}

const TOO_LARGE = 200_000;

const MAX_CHARACTERS = 400_000;

const MAX_TEXT = 100_000;

/** Limits for a large payload before anything is requested. A page can render this much at once. */
const QUICK = { nodes: 1_000, text: 20_000 };

const MAX_ITEMS = 500;

/** Limits for a message, which holds few facts, and of a list as much as fits into a line. */
const MAX_FOR_FACTS = { nodes: 500, items: 80 };

/** The rows of a list share their hints, and each row looks up all of them. This limits the look-ups. */
const MAX_MISSING = 50_000;

/**
 * Returns how to show a payload. Never throws on JSON. A schema or hint that makes no sense is ignored, and the excess
 * of a large payload is only counted.
 */
export function planPayload(input: PayloadInput): PayloadPlan {
  const ignored = new IgnoredHints();
  const hints = readHints(input.hints, ignored);
  if (hints !== null) hints.isUsed = true;
  const planning = planningOf(input, input.payload, ignored);
  const { nodes, left_out } = rootNodes(planning, input, hints);
  if (hints !== null && !planning.isTooLarge && planning.nodes > 0) noteUnused(hints, ignored);
  return {
    nodes,
    left_out,
    is_redacted: input.redact === true,
    is_too_large: planning.isTooLarge,
    is_partial: leavesOut(nodes),
    ignored: ignored.list,
  };
}

/**
 * Returns the limits of a plan for `value`, which is the payload or a part of it. `page` has the limits of a later
 * page.
 */
export function planningOf(
  input: PayloadInput,
  value: unknown,
  ignored: IgnoredHints,
  page: Partial<Planning> = {},
): Planning {
  const isPaged = input.is_paged === true;
  const isTooLarge = isLongerThan(TOO_LARGE, value);
  const isQuick = isPaged && isTooLarge;
  const planning: Planning = {
    payload: input.payload,
    reader: schema.readerOf(input.payload_schema),
    formats: page.formats ?? formatsFor(input.locale, input.time_zone, input.now),
    ignored,
    isTooLarge,
    isPaged,
    depth: 0,
    nodes: input.only_facts ? MAX_FOR_FACTS.nodes : isQuick ? QUICK.nodes : MAX_NODES,
    items: input.only_facts ? MAX_FOR_FACTS.items : MAX_ITEMS,
    fields: Infinity,
    textLength: isQuick ? QUICK.text : MAX_TEXT,
    start: 0,
    characters: MAX_CHARACTERS,
    missing: MAX_MISSING,
    hasMain: false,
    planSubject: (subject) => planSubject(planning, subject),
    ...page,
  };
  return planning;
}

/** Returns whether a node, or a node inside it, leaves something out. */
function leavesOut(nodes: readonly PayloadNode[]): boolean {
  const open: unknown[] = [...nodes];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if ("left_out" in next && next.left_out !== 0) return true;
    if ("kind" in next && next.kind === "too_large") return true;
    for (const value of Object.values(next)) if (typeof value === "object") open.push(value);
  }
  return false;
}

function rootNodes(
  planning: Planning,
  input: PayloadInput,
  hints: Hints | null,
): { nodes: readonly PayloadNode[]; left_out: number } {
  const { payload } = input;
  const root = rootOf(input, hints);
  if (!isObject(payload)) {
    const node = planSubject(planning, root);
    return { nodes: node === null ? [] : [node], left_out: 0 };
  }
  const layers = schema.layersOf(planning.reader, root.starts, payload);
  const { children, left_out, next } = planChildren(planning, root, payload, layers);
  if (next === undefined) return { nodes: children, left_out };
  const place = { pointer: "", title: t("More"), description: null, help: null };
  const text = plural(left_out, "{n} more field", "{n} more fields", { n: count(planning, left_out) });
  const more: PayloadNode = { ...place, kind: "too_large", text, next };
  return { nodes: [...children, more], left_out };
}

export function rootOf({ payload, payload_schema }: PayloadInput, hints: Hints | null): Subject {
  return { pointer: "", key: "payload", value: payload, starts: [payload_schema], hints, parent: null, depth: 0 };
}

/** Returns null if the value is hidden. */
function planSubject(planning: Planning, subject: Subject): PayloadNode | null {
  const { hints } = subject;
  const layers = begin(planning, subject);
  if (layers === null) return null;
  const place: Place = {
    pointer: subject.pointer,
    title: shortened(hints?.title ?? schema.textOf(layers, "title") ?? readableKey(subject.key), MAX_TITLE),
    description: note(planning, hints?.description ?? schema.textOf(layers, "description")),
    help: note(planning, hints?.help ?? null),
  };
  const node: PayloadNode = { ...place, ...planValue(planning, subject, layers) };
  return isMasked(layers) && node.kind !== "empty" ? { ...place, kind: "masked", inner: node } : node;
}

/** Returns how to show a value without its title and notes, which take most of the time; null if it is hidden or masked. */
export function planUntitled(planning: Planning, subject: Subject): Shown | null {
  const layers = begin(planning, subject);
  return layers === null || isMasked(layers) ? null : planValue(planning, subject, layers);
}

/** Counts a value towards the limits. Returns what its schemas say about it; null if it is hidden. */
function begin(planning: Planning, { hints, pointer, starts, value }: Subject): Layers | null {
  if (hints?.widget === "hidden") {
    markUsed(hints);
    return null;
  }
  planning.nodes -= 1;
  // A key may be long, and is part of every pointer below it.
  planning.characters -= pointer.length >> 4;
  if (planning.characters <= 0) planning.nodes = 0;
  return schema.layersOf(planning.reader, starts, value);
}

function isMasked(layers: Layers): boolean {
  return schema.isTrue(layers, "writeOnly") || schema.textOf(layers, "format") === "password";
}

/** Returns a shortened note. It counts towards the limit, because a list repeats the notes of its items. */
function note(planning: Planning, text: string | null): string | null {
  if (text === null || planning.characters <= 0) return null;
  const short = shortened(text, MAX_NOTE);
  planning.characters -= short.length >> 2;
  return short;
}

export function planValue(planning: Planning, subject: Subject, layers: Layers): Shown {
  const { value, hints } = subject;
  const asked = planWidget(planning, subject, layers);
  if (asked !== null) return asked;
  if (value === null || value === undefined) {
    markUsed(hints);
    return { kind: "empty", what: "null" };
  }
  if (typeof value === "boolean") return planBoolean(planning, value, layers, hints);
  if (typeof value === "number") return planNumber(planning, subject, layers);
  if (typeof value === "string") return planText(planning, subject, value, layers);
  if (isList(value)) return planList(planning, subject, value, layers);
  return planObject(planning, subject, value as JsonObject, layers);
}
