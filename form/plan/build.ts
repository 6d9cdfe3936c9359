import { TYPE_BITS } from "../../json-schema/schema.ts";
import { optionsOf, toneOf } from "./choices.ts";
import { keyOf, token } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { fieldHints, inOrder, isRaw, own } from "./hints.ts";
import type { FieldHints } from "./hints.ts";
import {
  boolNode,
  choiceNode,
  confirmNode,
  jsonNode,
  numberNode,
  settle,
  textNode,
  timeNode,
  yesAndNo,
} from "./leaves.ts";
import type { Base } from "./leaves.ts";
import { questionOf } from "./nodes.ts";
import type { ChoiceNode, FormNode, GroupNode, ListNode, Option, RecordNode, VariantNode } from "./nodes.ts";
import { first, firstText, fits, largest, placeOf, propertiesOf, requiredOf, smallest } from "./schema-view.ts";
import type { Condition, Layer, Place, Resolved, SchemaSource, Union } from "./schema-view.ts";
import { titleOf } from "../titles.ts";

/** A plan on its way: what was entered, and how much more may be built. */
export interface Build {
  readonly source: SchemaSource;
  readonly entries: Entries;
  /** The value at a pointer of the answer that is copied from the payload; undefined: none. */
  readonly prefill: (pointer: string) => unknown;
  /** Pointer of the field that is the decision; null until the root has been looked at. */
  decision: string | null;
  readonly zone: string;
  readonly now: Date;
  nodesLeft: number;
  /** What was copied from the payload, by name, to tell later what was changed. */
  readonly prefilled: Map<string, unknown>;
  /** There is something that what is entered decides about. */
  branches: boolean;
}

/** Nodes in one plan; what is beyond is entered as JSON. */
export const MAX_NODES = 2_000;
/** Groups, lists and forms inside each other. */
const MAX_DEPTH = 6;
const MAX_ROWS = 200;
/** Forms to choose from; nobody reads more. */
const MAX_FORMS = 50;
/** Options of a choice that is a decision. */
export const MAX_DECISION = 5;
/** Rounds of conditions that change what other conditions see. */
const MAX_ROUNDS = 8;

/** Where a value comes from that nobody has entered here. */
export type Given =
  | { readonly from: "answer" | "prefill" | "default"; readonly value: unknown }
  /** There is an answer, and this is not in it. */
  | { readonly from: "nothing" };

export interface At {
  readonly name: string;
  readonly pointer: string;
  readonly title: string;
  readonly roots: readonly unknown[];
  readonly resolved: Resolved;
  readonly required: boolean;
  readonly given: Given | null;
  readonly ui: unknown;
  readonly depth: number;
  /** Schemas of the groups this stands in: one that comes again is recursive. */
  readonly trail: ReadonlySet<unknown>;
}

/** One thing that is known about a place that is being turned into a node. */
interface Known {
  readonly build: Build;
  readonly at: At;
  readonly place: Place;
  readonly hints: FieldHints;
  readonly base: Base;
  readonly given: Given | null;
  readonly entered: readonly string[] | undefined;
  /** What was entered was the answer to another question. */
  readonly isStale: boolean;
}

export function buildNode(build: Build, at: At): FormNode {
  build.nodesLeft--;
  const { source } = build;
  const place = placeOf(source, at.roots, at.resolved);
  const hints = fieldHints(at.ui);
  const given = givenOf(build, at, place);
  const isSettled = given !== null && "value" in given;
  // What is hidden or read-only without having a value could never be answered.
  const canBeSilent = isSettled || !at.required;
  const readonly = hints.readonly && canBeSilent;
  const base: Base = {
    name: at.name,
    pointer: at.pointer,
    title: hints.title ?? firstText(place, "title") ?? at.title,
    description: hints.description ?? firstText(place, "description"),
    help: hints.help,
    required: at.required,
    nullable: takesNull(source, place),
    readonly,
    hidden: hints.widget === "hidden" && canBeSilent,
    autofocus: hints.autofocus,
  };
  const entered = readonly || base.hidden ? undefined : build.entries[at.name];
  const known: Known = { build, at, place, hints, base, given, entered, isStale: false };
  if (base.hidden) return constNode(base, isSettled ? given.value : undefined);
  const node = nodeOf(known);
  if (!readonly || node.problem === null) return node;
  // What is read-only and not right, such as a choice that its default does not make, could never be put right.
  return nodeOf({ ...known, base: { ...base, readonly: false }, entered: build.entries[at.name] });
}

function nodeOf(known: Known): FormNode {
  const { build, at, place, hints } = known;
  if (hints.widget === "json" || build.nodesLeft < 0 || at.depth > MAX_DEPTH || place.types === 0) return json(known);
  const ask = (asked: Known): FormNode => choice(asked) ?? union(asked) ?? typed(asked);
  const node = ask(known);
  const entry = build.entries[`${node.name}~of`]?.[0];
  // The second option of other options is another answer, which nobody has given.
  return entry === undefined || entry === questionOf(node)
    ? node
    : ask({ ...known, entered: undefined, isStale: true });
}

/** An answer goes before a copy of the payload, and that before a default. */
function givenOf(build: Build, at: At, place: Place): Given | null {
  if (at.given !== null && at.given.from !== "default") return at.given;
  // In a form that was chosen among several, what is meant for another one is left out.
  const roots = [...at.roots, ...at.resolved.values()];
  const copy = build.prefill(at.pointer);
  if (copy !== undefined && fits(build.source, roots, copy)) {
    build.prefilled.set(at.name, copy);
    return { from: "prefill", value: copy };
  }
  const value = first(place, "default");
  if (at.given !== null) return at.given;
  if (value === undefined || value === null || (at.resolved.size > 0 && !fits(build.source, roots, value))) return null;
  return { from: "default", value };
}

/** "free": no choice. "decision": what a decision may be, a yes or no or one of few. "consent": what is ticked. */
type Asks = "free" | "choice" | "decision" | "consent";

/** What may stand in a control from the start. A decision never does, nor a consent, and a default chooses nothing. */
function presetOf({ given, build, at }: Known, asks: Asks): unknown {
  if (given === null || given.from === "nothing") return undefined;
  if (given.from === "answer" || asks === "free") return given.value;
  const isOpen = asks === "consent" || (asks === "decision" && at.pointer === build.decision);
  if (isOpen) build.prefilled.delete(at.name);
  return isOpen || given.from === "default" ? undefined : given.value;
}

function constNode(base: Base, value: unknown): FormNode {
  return { ...base, kind: "const", hidden: true, entry: [], value, problem: null };
}

function json(known: Known): FormNode {
  const { build, at, base } = known;
  return jsonNode(base, base.readonly ? undefined : build.entries[`${at.name}~json`], presetOf(known, "free"));
}

/** Asked of every node, so that in a large form there may be no question left: then null is not what empty means. */
function takesNull(source: SchemaSource, place: Place): boolean {
  return place.mayBeNull && source.questions.left > 0 && fits(source, place.roots, null);
}

// --- one of several values ------------------------------------------------------------------------------------------

function choice(known: Known): FormNode | null {
  const { build, at, place, hints, base, entered } = known;
  const options = optionsOf(build.source, place, hints);
  if (options === null || options.length === 0) return null;
  const [only] = options;
  if (options.length === 1 && only !== undefined) {
    const isPlain = only.value !== true && (at.required || first(place, "default") === only.value);
    return isPlain ? constNode(base, only.value) : confirmNode(base, only.value, entered, presetOf(known, "consent"));
  }
  const sides = yesAndNo(options);
  if (sides !== null) return boolNode(base, { look: "buttons", options: sides }, entered, presetOf(known, "decision"));
  // Null among them is an option, and not what an empty field means.
  return single(known, options, { ...base, nullable: base.nullable && options.every(({ value }) => value !== null) });
}

function single(known: Known, options: readonly Option[], base: Base, look = lookOf(known.hints, options)): FormNode {
  const shape = { multiple: false, look, options, min: null, max: null };
  const preset = presetOf(known, options.length <= MAX_DECISION ? "decision" : "choice");
  return choiceNode(withDefault(known, base, options), shape, known.entered, preset);
}

function lookOf(hints: FieldHints, options: readonly Option[]): ChoiceNode["look"] {
  const { widget } = hints;
  if (widget === "radio" || widget === "select" || widget === "buttons") return widget;
  if (options.length <= 5) return "radio";
  const labels = new Set(options.map(({ label }) => label.toLowerCase()));
  return options.length > 20 && labels.size === options.length ? "filter" : "select";
}

/** A default that is not preselected is said instead, since it is what leaving the field out means. */
function withDefault(known: Known, base: Base, options: readonly Option[]): Base {
  const { given, at } = known;
  if (at.required || given?.from !== "default" || base.help !== null) return base;
  const option = options.find((one) => one.value === given.value);
  return option === undefined ? base : { ...base, help: `If you leave this out, “${option.label}” is assumed.` };
}

// --- one of several forms -------------------------------------------------------------------------------------------

function union(known: Known): FormNode | null {
  const { place } = known;
  const [next] = place.unions;
  if (next === undefined) return null;
  if (next.branches.length > MAX_FORMS) return json(known);
  return numberOrText(known, next) ?? variant(known, next);
}

/** A decimal that may come as a number or as its text, as pydantic writes it. */
function numberOrText(known: Known, { branches }: Union): FormNode | null {
  if (branches.length !== 2) return null;
  const isNumber = (branch: Layer): boolean => branch["type"] === "number" || branch["type"] === "integer";
  const isDigits = ({ type, pattern }: Layer): boolean =>
    type === "string" &&
    typeof pattern === "string" &&
    /\\d\*?\+?(?:\)\?)?\\?\.?\??/.test(pattern) &&
    !/[a-z]{2}/i.test(pattern);
  const number = branches.find(isNumber);
  if (number === undefined || !branches.some(isDigits)) return null;
  return numeric(known, placeOf(known.build.source, [...known.at.roots, number]), true);
}

function variant(known: Known, { list, branches }: Union): FormNode {
  const { build, at, base, given } = known;
  build.branches = true;
  const options = branches.map((branch, index): Option => {
    const inner = placeOf(build.source, [branch]);
    const label = known.hints.enumNames?.[index] ?? nameOfForm(build.source, inner);
    return { label, description: firstText(inner, "description"), tone: null, value: index };
  });
  const named = numberDoubles(options);
  const name = `${at.name}~form${at.resolved.size === 0 ? "" : at.resolved.size}`;
  const preset = presetOf(known, "choice");
  const presetIndex =
    preset === undefined ? -1 : branches.findIndex((branch) => fits(build.source, [...at.roots, branch], preset));
  const entry =
    (base.readonly || known.isStale ? undefined : build.entries[name]) ??
    (presetIndex < 0 ? [] : [String(presetIndex)]);
  const text = entry.find((item) => item !== "") ?? "";
  const branch = /^\d{1,4}$/.test(text) ? branches[Number(text)] : undefined;
  const node: Omit<VariantNode, "body" | "value" | "problem"> = {
    ...base,
    name,
    kind: "variant",
    options: named,
    entry,
  };
  if (branch === undefined) return { ...node, body: null, ...settle(base, "blank", "choose") };
  const body = buildNode(build, {
    ...at,
    title: base.title,
    required: true,
    given: Number(text) === presetIndex ? given : at.given?.from === "answer" ? { from: "nothing" } : null,
    resolved: new Map([...at.resolved, [list, branch]]),
    depth: at.depth + 1,
  });
  return { ...node, body, value: body.value, problem: null };
}

const TYPE_NAMES: Readonly<Record<number, string>> = {
  [TYPE_BITS.string]: "Text",
  [TYPE_BITS.number | TYPE_BITS.integer]: "Number",
  [TYPE_BITS.integer]: "Whole number",
  [TYPE_BITS.boolean]: "Yes or no",
  [TYPE_BITS.array]: "List",
  [TYPE_BITS.object]: "Details",
};

/** Its title, else what its tag says, else what is in it, else its type. */
function nameOfForm(source: SchemaSource, place: Place): string {
  const title = firstText(place, "title");
  if (title !== null) return title;
  const properties = [...propertiesOf(place)];
  for (const [, roots] of properties) {
    const constant = first(placeOf(source, roots), "const");
    if (typeof constant === "string" && constant !== "") return titleOf(constant);
  }
  if (properties.length > 0) {
    const required = requiredOf(place, () => false);
    const titles = properties
      .filter(([key]) => required.size === 0 || required.has(key))
      .slice(0, 3)
      .map(([key, roots], index) => {
        const name = firstText(placeOf(source, roots), "title") ?? titleOf(key);
        return index === 0 ? name : name.charAt(0).toLowerCase() + name.slice(1);
      });
    if (titles.length > 0) return titles.join(", ");
  }
  return (place.isTyped && TYPE_NAMES[place.types & ~TYPE_BITS.null]) || "Other";
}

function numberDoubles(options: readonly Option[]): readonly Option[] {
  return options.map((option, index) => {
    const before = options.slice(0, index).filter((known) => known.label === option.label).length;
    return before === 0 ? option : { ...option, label: `${option.label} (${before + 1})` };
  });
}

// --- by type --------------------------------------------------------------------------------------------------------

const KEYWORDS_OF: readonly (readonly [number, readonly string[]])[] = [
  [TYPE_BITS.object, ["properties", "required", "additionalProperties", "patternProperties", "dependentRequired"]],
  [TYPE_BITS.array, ["items", "prefixItems"]],
  [TYPE_BITS.string, ["minLength", "maxLength", "pattern", "format", "contentMediaType"]],
  [TYPE_BITS.number, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The one type a control is made for; a schema that names none is known by its keywords. 0: anything. */
function typeOf(place: Place): number {
  const types = place.types & ~TYPE_BITS.null;
  if (place.isTyped) return types;
  const found = KEYWORDS_OF.find(([, keywords]) => keywords.some((keyword) => first(place, keyword) !== undefined));
  return found === undefined ? 0 : found[0] & types;
}

function typed(known: Known): FormNode {
  switch (typeOf(known.place)) {
    case TYPE_BITS.boolean:
      return bool(known);
    case TYPE_BITS.string:
      return text(known);
    case TYPE_BITS.integer:
    case TYPE_BITS.number:
    case TYPE_BITS.number | TYPE_BITS.integer:
      return numeric(known, known.place, false);
    case TYPE_BITS.array:
      return array(known);
    case TYPE_BITS.object:
      return object(known);
    default:
      return json(known);
  }
}

function bool(known: Known): FormNode {
  const { build, at, place, hints, base, entered } = known;
  const names = hints.enumNames;
  const side = (value: boolean): Option => {
    const label = names?.[value ? 0 : 1] ?? (value ? "Yes" : "No");
    return { label, description: null, tone: toneOf(value, label, hints), value };
  };
  const options = [side(true), side(false)] as const;
  // Left out, a field with the default true would mean true, while an unticked box says no.
  const isBox = (hints.widget === null || hints.widget === "checkbox") && at.pointer !== build.decision;
  const look = isBox && !at.required && first(place, "default") !== true ? "checkbox" : "buttons";
  const shown = look === "checkbox" ? base : withDefault(known, base, options);
  return boolNode(shown, { look, options }, entered, presetOf(known, "decision"));
}

const LONG_TEXTS =
  /^(?:.*[_ -])?(?:notes?|comments?|reasons?|descriptions?|messages?|feedback|explanation|body|text|summary|details|reply|answer|instructions|content)$/i;
/** From here on a text gets room for several lines. */
const AREA_FROM = 120;
/** What zod writes for a time of day, which has no `format`. */
const CLOCK_PATTERN = "^(?:[01]\\d|2[0-3]):[0-5]\\d";

function text(known: Known): FormNode {
  const { build, at, place, hints, base, entered } = known;
  const { widget } = hints;
  const format = firstText(place, "format");
  const pattern = firstText(place, "pattern");
  const time = (kind: "date" | "time" | "datetime", zone: string | null): FormNode =>
    timeNode(base, { kind, zone }, build.now, entered, presetOf(known, "free"));
  if (widget === null) {
    if (format === "date") return time("date", null);
    if (format === "date-time") return time("datetime", build.zone);
    if (format === "time") return time("time", build.zone);
    if (format === null && pattern?.startsWith(CLOCK_PATTERN)) return time("time", null);
  }
  const max = smallest(place, "maxLength");
  const key = keyOf(at.pointer);
  const isLine = format !== null || pattern !== null || (max !== null && max <= AREA_FROM);
  const preset = presetOf(known, "free");
  const isLong =
    widget === "textarea" ||
    // A line would lose the line ends of what it is to start with.
    (typeof preset === "string" && preset.includes("\n")) ||
    (!isLine && ((max !== null && max > AREA_FROM) || LONG_TEXTS.test(key)));
  const isSecret =
    widget === "password" || format === "password" || (widget === null && first(place, "writeOnly") === true);
  const look = isSecret ? "password" : isLong && widget !== "text" ? "area" : format === "color" ? "color" : "line";
  const examples = first(place, "examples");
  const example = Array.isArray(examples) && typeof examples[0] === "string" ? examples[0] : null;
  const shape = {
    look,
    type:
      format === "email" || format === "idn-email" ? "email" : format === "uri" || format === "url" ? "url" : "text",
    placeholder: hints.placeholder,
    min: largest(place, "minLength"),
    max,
    format,
    hasPattern: pattern !== null,
    example,
  } as const;
  return textNode(base, shape, entered, preset);
}

/** Whole numbers in so small a range are buttons. */
const MAX_BUTTONS = 11;

function numeric(known: Known, place: Place, asText: boolean): FormNode {
  const { hints, base, entered } = known;
  const min = largest(place, "minimum");
  const max = smallest(place, "maximum");
  const whole = (place.types & TYPE_BITS.number) === 0;
  const shape = {
    placeholder: hints.placeholder,
    whole,
    asText,
    // Libraries write the largest numbers they can hold exactly; nobody is helped by reading them.
    min: min !== null && min > Number.MIN_SAFE_INTEGER ? min : null,
    max: max !== null && max < Number.MAX_SAFE_INTEGER ? max : null,
    above: largest(place, "exclusiveMinimum"),
    below: smallest(place, "exclusiveMaximum"),
    step: largest(place, "multipleOf"),
  };
  const isScale =
    whole && min !== null && max !== null && max - min < MAX_BUTTONS && max > min && Number.isInteger(min);
  if (isScale && shape.step === null && hints.widget !== "text") {
    const options = Array.from({ length: max - min + 1 }, (_, index): Option => {
      const value = min + index;
      return { label: hints.enumNames?.[index] ?? String(value), description: null, tone: null, value };
    });
    return single(
      known,
      options,
      base,
      hints.widget === "radio" || hints.widget === "select" ? hints.widget : "buttons",
    );
  }
  return numberNode(base, shape, entered, presetOf(known, "free"));
}

// --- lists ----------------------------------------------------------------------------------------------------------

function array(known: Known): FormNode {
  const { build, at, place, base, hints } = known;
  const { prefix, rest } = itemsOf(place);
  const min = largest(place, "minItems");
  const max = smallest(place, "maxItems");
  if (prefix.length === 0) {
    if (rest.every((raw) => raw === true) || (min ?? 0) > MAX_ROWS) return json(known);
    const itemHints = fieldHints(own(at.ui, "items"));
    const options = optionsOf(
      build.source,
      placeOf(build.source, rest),
      itemHints.enumNames === null ? hints : itemHints,
      true,
    );
    // Each can be ticked once: where more are demanded, one has to come twice, which rows can say.
    if (options !== null && options.length >= Math.max(2, min ?? 0)) {
      const shape = { multiple: true, look: "checkboxes", options, min, max } as const;
      return choiceNode(base, shape, known.entered, presetOf(known, "choice"));
    }
  }
  return list(known, prefix, rest, min, max);
}

/** Both drafts' words for "these first" and "all others". */
function itemsOf(place: Place): { prefix: unknown[][]; rest: unknown[] } {
  const prefix: unknown[][] = [];
  const rest: unknown[] = [];
  for (const { items, prefixItems, additionalItems } of place.layers) {
    const isTuple = Array.isArray(items);
    const listed: unknown[] = isTuple ? items : Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, raw] of listed.entries()) (prefix[index] ??= []).push(raw);
    const others = isTuple ? additionalItems : items;
    if (others !== undefined) rest.push(others);
  }
  return { prefix, rest };
}

function list(known: Known, prefix: unknown[][], rest: unknown[], min: number | null, max: number | null): ListNode {
  const { build, at, place, base } = known;
  const preset = presetOf(known, "free");
  const items = Array.isArray(preset) ? (preset as unknown[]) : null;
  const fixed = prefix.length > 0 && (rest.length === 0 || rest.includes(false));
  const least = Math.max(min ?? 0, prefix.length);
  const entered = base.readonly ? undefined : build.entries[`${at.name}~rows`]?.[0];
  const start = items?.length ?? (base.required && !base.nullable ? least : 0);
  const count = Math.min(
    entered === undefined ? start : (rowsOf(entered) ?? start),
    MAX_ROWS,
    fixed ? prefix.length : MAX_ROWS,
  );
  const itemPlace = placeOf(build.source, rest);
  const item = singular(firstText(itemPlace, "title") ?? base.title);
  const rows: FormNode[] = [];
  for (let index = 0; index < count; index++) {
    const roots = prefix[index] ?? rest;
    const rowTitle = prefix[index] === undefined ? `${capital(item)} ${index + 1}` : `${base.title}, part ${index + 1}`;
    rows.push(
      buildNode(build, {
        name: `${at.name}/${index}`,
        pointer: `${at.pointer}/${index}`,
        title: rowTitle,
        roots,
        resolved: new Map(),
        required: true,
        given: givenBelow(known.given, preset, items?.[index], items !== null && index < items.length),
        ui: itemUi(at.ui, index, prefix[index] !== undefined),
        depth: at.depth + 1,
        trail: new Set([...at.trail, ...place.layers]),
      }),
    );
  }
  const isOut = rows.length === 0 && (!at.required || (base.nullable && (min ?? 0) > 0));
  const value = isOut ? (at.required ? null : undefined) : rows.map((row) => row.value ?? null);
  const limit = Math.min(max ?? MAX_ROWS, MAX_ROWS, fixed ? prefix.length : MAX_ROWS);
  return {
    ...base,
    kind: "list",
    rows: prefix.length > 0 ? rows : rows.map((row, index) => ({ ...row, title: `${capital(item)} ${index + 1}` })),
    item,
    canAdd: !base.readonly && rows.length < limit,
    canRemove: !base.readonly && !(fixed && at.required) && !(items !== null && isBound(at.ui)),
    min,
    max,
    entry: [],
    value,
    problem: null,
  };
}

function itemUi(ui: unknown, index: number, isPrefix: boolean): unknown {
  const items = own(ui, "items");
  return isPrefix && Array.isArray(items) ? (items as unknown[])[index] : items;
}

/** Rows that came filled in have parts that nobody can change: another row could not take its place. */
function isBound(ui: unknown): boolean {
  return /readonly|hidden/.test(JSON.stringify(own(ui, "items") ?? ""));
}

function rowsOf(text: string): number | null {
  return /^\d{1,4}$/.test(text) ? Number(text) : null;
}

function givenBelow(given: Given | null, preset: unknown, value: unknown, isThere: boolean): Given | null {
  if (given === null) return null;
  if (given.from === "nothing" || (given.from === "answer" && !isThere)) return { from: "nothing" };
  return preset === undefined || !isThere || value === undefined ? null : { from: given.from, value };
}

/** "Line items" -> "line item" */
function singular(title: string): string {
  const one = title.endsWith("ies")
    ? title.replace(/ies$/, "y")
    : /(?:s|x|ch|sh)es$/.test(title)
      ? title.replace(/es$/, "")
      : /[^su]s$/.test(title)
        ? title.slice(0, -1)
        : title;
  return /^\p{Lu}\p{Ll}/u.test(one) ? one.charAt(0).toLowerCase() + one.slice(1) : one;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// --- objects --------------------------------------------------------------------------------------------------------

function object(known: Known): FormNode {
  const { place, base } = known;
  const isDescribed =
    propertiesOf(place).size > 0 || requiredOf(place, () => false).size > 0 || place.conditions.length > 0;
  if (isDescribed) return group(known);
  const others = first(place, "additionalProperties");
  const patterns = first(place, "patternProperties");
  const values =
    isRaw(others) && Object.keys(others).length > 0 ? others : isRaw(patterns) ? Object.values(patterns)[0] : undefined;
  if (values !== undefined) return record(known, values);
  // `false`: nothing can be in it.
  return others === false ? { ...constNode(base, base.required ? {} : undefined) } : json(known);
}

function group(known: Known): GroupNode {
  const { build, at, base, given } = known;
  const preset = presetOf(known, "free");
  const isRecursive = known.place.layers.some((layer) => at.trail.has(layer));
  const demanded = requiredOf(known.place, () => false);
  const isOptional = !base.required || base.nullable;
  const canClose = isOptional && at.name !== "" && (demanded.size > 0 || isRecursive || base.required);
  const opened = base.readonly ? undefined : build.entries[`${at.name}~open`]?.[0];
  const isOpen = !canClose || (opened === undefined ? isRaw(preset) : opened === "1");
  const state = !canClose ? "fixed" : isOpen ? "open" : "closed";
  const shape = { ...base, kind: "group", entry: [], problem: null, state, oneOf: [] } as const;
  if (!isOpen) return { ...shape, children: [], value: base.required ? null : undefined };

  if (known.place.conditions.length > 0) build.branches = true;
  let active: readonly unknown[] = [];
  let place = known.place;
  let children: readonly FormNode[] = [];
  let value: Record<string, unknown> = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    place = placeOf(build.source, [...at.roots, ...active], at.resolved);
    const left = build.nodesLeft;
    const required = requiredOf(place, (key) => Object.hasOwn(value, key));
    children = buildChildren(known, place, given, preset, required);
    value = valueOf(children);
    const next = activeOf(build.source, place.conditions, children, value);
    const wanted = requiredOf(place, (key) => Object.hasOwn(value, key));
    if (isSameList(next, active) && isSameList([...wanted], [...required])) break;
    active = next;
    if (round < MAX_ROUNDS - 1) build.nodesLeft = Math.min(left, build.nodesLeft + children.length);
  }
  const isEmpty = Object.keys(value).length === 0;
  return {
    ...shape,
    children,
    value: isEmpty && !base.required && state === "fixed" && at.name !== "" ? undefined : value,
    oneOf: demandsOf(place),
  };
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function buildChildren(
  known: Known,
  place: Place,
  given: Given | null,
  preset: unknown,
  required: ReadonlySet<string>,
): readonly FormNode[] {
  const { build, at, hints } = known;
  const properties = propertiesOf(place);
  const others = place.layers.map((layer) => layer["additionalProperties"]).filter((raw) => isRaw(raw));
  // Required without being described: anything at all, or what the others are.
  for (const key of required) if (!properties.has(key)) properties.set(key, others);
  const keys = inOrder([...properties.keys()], hints.order).filter((key) => !properties.get(key)?.includes(false));
  if (at.name === "" && build.decision === null) {
    const asked = keys.filter((key) => required.has(key) && !isConst(build.source, properties.get(key) ?? []));
    if (asked.length === 1) build.decision = `/${token(asked[0]!)}`;
  }
  const trail = new Set([...at.trail, ...place.layers]);
  const values = isRaw(preset) ? preset : undefined;
  return keys.map((key) =>
    buildNode(build, {
      name: `${at.name}/${token(key)}`,
      pointer: `${at.pointer}/${token(key)}`,
      title: titleOf(key),
      roots: properties.get(key) ?? [],
      resolved: new Map(),
      required: required.has(key),
      given: givenBelow(given, values, own(values, key), values !== undefined && Object.hasOwn(values, key)),
      ui: own(at.ui, key),
      depth: at.depth + 1,
      trail,
    }),
  );
}

function isConst(source: SchemaSource, roots: readonly unknown[]): boolean {
  const place = placeOf(source, roots);
  const constant = first(place, "const");
  return constant !== undefined && constant !== true;
}

function valueOf(children: readonly FormNode[]): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const child of children) {
    if (child.value === undefined) continue;
    put(value, keyOf(child.pointer), child.value);
  }
  return value;
}

/** Not by assignment: a field may be called `__proto__`. */
function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The parts that apply to `value`. A condition on a field that is still to be answered decides nothing yet. */
function activeOf(
  source: SchemaSource,
  conditions: readonly Condition[],
  children: readonly FormNode[],
  value: Record<string, unknown>,
): readonly unknown[] {
  const active: unknown[] = [];
  for (const condition of conditions) {
    if ("has" in condition.holds) {
      if (Object.hasOwn(value, condition.holds.has)) active.push(condition.onTrue);
      continue;
    }
    const asked = propertiesOf(placeOf(source, [condition.holds.if]));
    if (children.some((child) => child.problem !== null && asked.has(keyOf(child.pointer)))) continue;
    const part = fits(source, [condition.holds.if], value) ? condition.onTrue : condition.onFalse;
    if (part !== undefined && part !== true) active.push(part);
  }
  return active;
}

/** What `anyOf` or `oneOf` demands of fields that are described elsewhere: one of these sets. */
function demandsOf(place: Place): readonly (readonly string[])[] {
  for (const layer of place.layers)
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = layer[keyword];
      if (!Array.isArray(branches)) continue;
      const demands = branches
        .map((branch: unknown) => own(branch, "required"))
        .filter((names) => Array.isArray(names));
      if (demands.length === branches.length) return demands.map((names) => names.map(String));
    }
  return [];
}

// --- records --------------------------------------------------------------------------------------------------------

function record(known: Known, values: unknown): RecordNode {
  const { build, at, place, base } = known;
  const preset = presetOf(known, "free");
  const items = isRaw(preset) ? Object.entries(preset) : [];
  const entered = base.readonly ? undefined : build.entries[`${at.name}~rows`]?.[0];
  const start = isRaw(preset)
    ? items.length
    : base.required && !base.nullable
      ? (largest(place, "minProperties") ?? 0)
      : 0;
  const count = Math.min(entered === undefined ? start : (rowsOf(entered) ?? start), MAX_ROWS);
  const rows: { key: ReturnType<typeof keyNode>; value: FormNode }[] = [];
  const value: Record<string, unknown> = {};
  for (let index = 0; index < count; index++) {
    const item = items[index];
    const key = keyNode(known, index, item?.[0], value);
    const name = typeof key.value === "string" ? key.value : String(index);
    const row = buildNode(build, {
      name: `${at.name}/${index}`,
      pointer: `${at.pointer}/${token(name)}`,
      title: "Value",
      roots: [values],
      resolved: new Map(),
      required: true,
      given: givenBelow(known.given, preset, item?.[1], item !== undefined),
      ui: own(at.ui, "additionalProperties"),
      depth: at.depth + 1,
      trail: new Set([...at.trail, ...place.layers]),
    });
    rows.push({ key, value: row });
    if (key.problem === null && row.value !== undefined) put(value, name, row.value);
  }
  const most = smallest(place, "maxProperties") ?? MAX_ROWS;
  const isOut = rows.length === 0 && !at.required;
  return {
    ...base,
    kind: "record",
    rows,
    item: singular(base.title),
    canAdd: !base.readonly && rows.length < Math.min(most, MAX_ROWS),
    entry: [],
    value: isOut ? undefined : value,
    problem: null,
  };
}

function keyNode(known: Known, index: number, preset: string | undefined, taken: Record<string, unknown>) {
  const { build, at, base } = known;
  const name = `${at.name}/${index}~key`;
  const shape = {
    look: "line",
    type: "text",
    placeholder: null,
    min: null,
    max: null,
    format: null,
    hasPattern: false,
    example: null,
  } as const;
  const said = { title: "Name", description: null, help: null };
  const common: Base = { ...base, ...said, name, required: true, nullable: false, hidden: false, autofocus: false };
  const node = textNode(common, shape, base.readonly ? undefined : build.entries[name], preset);
  if (node.problem !== null) return { ...node, problem: { code: "name_missing" } as const };
  return Object.hasOwn(taken, String(node.value)) ? { ...node, problem: { code: "name_twice" } as const } : node;
}
