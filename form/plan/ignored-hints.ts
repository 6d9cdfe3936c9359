import { TYPE_BITS } from "../../json-schema/schema.ts";
import { token } from "./entries.ts";
import { ANSWER_WIDGETS, fieldHints, hintOf, isRaw, own, wrappedHints, WRAPPERS } from "./hints.ts";
import { optionsOf } from "./options.ts";
import { fieldNames, valueAt } from "./plan.ts";
import { fits, placeOf, readSource, requiredOf } from "./schema-view.ts";
import type { Layer, SchemaSource } from "./schema-view.ts";
import { MAX_DECISION } from "./decisions.ts";

/** A hint that changes nothing, reported to its author. */
export interface Ignored {
  /** JSON Pointer into the form definition. */
  readonly pointer: string;
  readonly why: string;
}

export interface Definition {
  readonly form_definition: unknown;
  readonly response_schema: unknown;
  readonly payload: unknown;
}

const MAX_IGNORED = 50;
/** The maximum number of fields with hints in one definition. */
const MAX_PLACES = 2_000;
/** This is also far below the limit of the stack. */
const MAX_DEPTH = 64;
/** The maximum number of subschemas for one field, in all branches. */
const MAX_LAYERS = 500;
const MAX_POINTER = 500;

/**
 * Returns the hints in a form definition that have no effect on the form. Hints about the payload are checked with its
 * plan.
 */
export function ignoredHints({ form_definition, response_schema, payload }: Definition): readonly Ignored[] {
  if (form_definition === undefined || form_definition === null) return [];
  const found: Ignored[] = [];
  const check: Check = {
    source: readSource(response_schema, null),
    payload,
    places: MAX_PLACES,
    copies: new Set(),
    add: (pointer, why) => {
      if (found.length < MAX_IGNORED) found.push({ pointer: pointer.slice(0, MAX_POINTER), why });
    },
  };
  if (isRaw(form_definition)) checkDefinition(check, form_definition);
  else check.add("", "A form definition must be an object.");
  return found;
}

interface Check {
  /** null if the whole answer is JSON. Then no hint can apply to a part of it. */
  readonly source: SchemaSource | null;
  readonly payload: unknown;
  places: number;
  /** Pointers into the answer that are filled in from the payload. */
  readonly copies: Set<string>;
  readonly add: (pointer: string, why: string) => void;
}

/** The subschemas of one field in all branches; null if nothing is known about it. */
type KnownLayers = readonly Layer[] | null;

function checkDefinition(check: Check, definition: Readonly<Record<string, unknown>>): void {
  const names = fieldNames(check.source);
  const wrapped = wrappedHints(definition, names);
  const root = check.source === null ? null : layersOf(check.source, [check.source.raw]);
  const copies = own(wrapped, "prefill");
  for (const pointer of Object.keys(isRaw(copies) ? copies : {})) check.copies.add(pointer);
  const roots = check.source === null ? [] : [check.source.raw];
  const place: HintPlace = { pointer: "", roots, isRequired: false, isGiven: false, known: root, depth: 0 };
  if (wrapped !== definition) return checkUi(check, definition, "", place);

  for (const [key, value] of Object.entries(definition)) {
    const at = `/${token(key)}`;
    if (!WRAPPERS.includes(key)) {
      const isField = key.startsWith("ui:") || names.has(key);
      check.add(at, isField ? 'Put hints for fields under "ui".' : `A form definition has no ${quote(key)}.`);
    } else if (value === null) continue;
    else if (key === "decision") checkDecision(check, value, at, root);
    else if (!isRaw(value)) check.add(at, "This must be an object.");
    else if (key === "ui") checkUi(check, value, at, place);
    else if (key === "prefill") checkPrefill(check, value, at, root, own(wrapped, "decision"));
    else if (key === "submit") checkTexts(check, value, at, ["label", "confirm"]);
    else if (key === "channels") checkChannels(check, value, at, place);
  }
}

const CHANNELS: ReadonlyMap<string, readonly string[]> = new Map([
  ["slack", ["ui", "title", "summary"]],
  ["email", ["ui", "subject", "summary"]],
  ["dashboard", ["ui"]],
  ["embed", ["ui"]],
]);

function checkChannels(check: Check, channels: Layer, at: string, place: HintPlace): void {
  for (const [name, channel] of Object.entries(channels)) {
    const pointer = `${at}/${token(name)}`;
    const known = CHANNELS.get(name);
    if (known === undefined) check.add(pointer, `Unknown channel ${quote(name)}.`);
    else if (!isRaw(channel)) check.add(pointer, "This must be an object.");
    else {
      checkTexts(
        check,
        channel,
        pointer,
        known.filter((key) => key === "title" || key === "subject"),
        known,
      );
      const ui = own(channel, "ui");
      if (isRaw(ui)) checkUi(check, ui, `${pointer}/ui`, place);
      else if (ui !== undefined) check.add(`${pointer}/ui`, "This must be an object.");
      if (known.includes("summary")) checkSummary(check, own(channel, "summary"), `${pointer}/summary`);
    }
  }
}

/** @param known - further allowed keys, which are checked elsewhere */
function checkTexts(check: Check, object: Layer, at: string, texts: readonly string[], known = texts): void {
  for (const [key, value] of Object.entries(object)) {
    const pointer = `${at}/${token(key)}`;
    if (!known.includes(key)) check.add(pointer, `Unknown key ${quote(key)}.`);
    else if (texts.includes(key) && !isText(value)) check.add(pointer, "Enter text that isn't empty.");
  }
}

function checkSummary(check: Check, summary: unknown, at: string): void {
  if (summary === undefined) return;
  if (!Array.isArray(summary)) return check.add(at, "This must be a list of JSON Pointers into the payload.");
  for (const [index, pointer] of (summary as unknown[]).entries())
    if (!isPointer(pointer) || valueAt(check.payload, pointer) === undefined)
      check.add(`${at}/${index}`, "The payload has no value at this JSON Pointer.");
}

function checkPrefill(check: Check, copies: Layer, at: string, root: KnownLayers, decision: unknown): void {
  for (const [to, from] of Object.entries(copies)) {
    const pointer = `${at}/${token(to)}`;
    const target = check.source === null ? null : lookUp(check.source, root ?? [], to);
    const value = from === "" || isPointer(from) ? valueAt(check.payload, from) : undefined;
    if (target === null) check.add(pointer, "The answer has no field at this JSON Pointer.");
    else if (value === undefined) check.add(pointer, "The payload has no value at the JSON Pointer to copy from.");
    else if (to === decision && isDecision(check.source!, target)) check.add(pointer, "A decision can't be prefilled.");
    else if (isConsent(target)) check.add(pointer, "A consent can't be prefilled.");
    else if (!target.some((layer) => fits(check.source!, [layer], value)))
      check.add(pointer, "The payload's value doesn't fit this field.");
  }
}

function checkDecision(check: Check, decision: unknown, at: string, root: KnownLayers): void {
  if (!isPointer(decision)) return check.add(at, "This must be the JSON Pointer of a field, such as /approved.");
  const { source } = check;
  const target = source === null ? null : lookUp(source, root ?? [], decision);
  if (target === null) check.add(at, "The answer has no field at this JSON Pointer.");
  else if (!isDecision(source!, target))
    check.add(at, `A decision must be yes or no, or one of at most ${MAX_DECISION} options.`);
}

/** A place of the answer that hints apply to. */
interface HintPlace {
  readonly pointer: string;
  readonly roots: readonly unknown[];
  readonly isRequired: boolean;
  /** A default or a copy from the payload gives a value to it, or to a place around it. */
  readonly isGiven: boolean;
  readonly known: KnownLayers;
  readonly depth: number;
}

function checkUi(check: Check, ui: Layer, at: string, place: HintPlace): void {
  for (const [key, value] of Object.entries(ui)) {
    const pointer = `${at}/${token(key)}`;
    if (key === "ui:options" && !isRaw(value)) check.add(pointer, "This must be an object.");
    else if (key === "ui:options" && isRaw(value))
      for (const [name, option] of Object.entries(value))
        // If both forms are present, the one with the prefix counts.
        if (Object.hasOwn(ui, `ui:${name}`))
          check.add(`${pointer}/${token(name)}`, `"ui:${name.slice(0, 40)}" already sets this.`);
        else checkHint(check, name, option, `${pointer}/${token(name)}`, place);
    else if (key.startsWith("ui:")) checkHint(check, key.slice(3), value, pointer, place);
    else checkBelow(check, key, value, pointer, place);
  }
  checkSilence(check, ui, at, place);
}

function checkBelow(check: Check, key: string, value: unknown, pointer: string, place: HintPlace): void {
  const below = check.source === null || place.known === null ? [] : hintsBelow(check, check.source, place, key);
  if (below.length === 0) return check.add(pointer, "The answer has no field with this name.");
  const isTuple = key === "items" && Array.isArray(value);
  for (const [index, hints] of isTuple ? (value as unknown[]).entries() : [[0, value] as const]) {
    const at = isTuple ? `${pointer}/${index}` : pointer;
    const all = { ...below[0]!, known: below.flatMap((one) => one.known ?? []) };
    const part = isTuple ? below.find((one) => one.pointer === `${place.pointer}/${index}`) : all;
    if (part === undefined) check.add(at, "Unknown part of a list.");
    else if (!isRaw(hints)) check.add(at, "Hints for a field must be an object.");
    else if (place.depth >= MAX_DEPTH || --check.places < 0) check.add(at, "Too many hints.");
    else checkUi(check, hints, at, part);
  }
}

/** Returns the fields that hints under a key apply to: a property, the items of a list, or the values of a record. */
function hintsBelow(check: Check, source: SchemaSource, place: HintPlace, key: string): readonly HintPlace[] {
  const known = place.known ?? [];
  const required = requiredOf(placeOf(source, place.roots), () => false);
  const step = (part: string | number, roots: readonly unknown[]): HintPlace => ({
    pointer: `${place.pointer}/${token(part)}`,
    roots,
    isRequired: required.has(String(part)),
    isGiven: place.isGiven || isGiven(check, place),
    known: layersOf(source, roots),
    depth: place.depth + 1,
  });
  const property = childrenAt(known, key);
  if (property !== null) return [step(key, property)];
  if (key === "additionalProperties") {
    const values = known.flatMap((layer) => [
      ...[layer["additionalProperties"]].filter((raw) => isRaw(raw)),
      ...Object.values(isRaw(layer["patternProperties"]) ? layer["patternProperties"] : {}),
    ]);
    return values.length > 0 ? [step(key, values)] : [];
  }
  if (key !== "items") return [];
  const parts = known.flatMap((layer) => [layer["prefixItems"], layer["items"]].filter((list) => Array.isArray(list)));
  const rest = known.flatMap((layer) => [layer["items"], layer["additionalItems"]].filter((raw) => isRaw(raw)));
  const length = Math.min(MAX_PLACES, Math.max(0, ...parts.map((list: unknown[]) => list.length)));
  const listed = Array.from({ length }, (_, index) =>
    step(
      index,
      parts.map((list: unknown[]) => list[index]),
    ),
  );
  return rest.length > 0 ? [...listed, step("-", rest)] : listed;
}

/** Returns the schemas of one property in all branches; null if no branch has it. */
function childrenAt(known: readonly Layer[], key: string): readonly unknown[] | null {
  const found = known.flatMap((layer) => {
    const raw = own(layer["properties"], key);
    return raw === undefined || raw === false ? [] : [raw];
  });
  if (found.length > 0) return found;
  const isAsked = known.some((layer) => isListed(layer["required"], key));
  return isAsked ? known.map((layer) => layer["additionalProperties"]).filter((raw) => isRaw(raw)) : null;
}

function isListed(names: unknown, key: string): boolean {
  return Array.isArray(names) && names.includes(key);
}

/** Returns all subschemas of a place in all branches, even if they apply only in some cases. */
function layersOf(source: SchemaSource, roots: readonly unknown[]): readonly Layer[] {
  const layers = new Set<Layer>();
  const look = (raw: unknown): void => {
    if (!isRaw(raw) || layers.has(raw) || layers.size >= MAX_LAYERS) return;
    layers.add(raw);
    const node = source.nodeOf.get(raw);
    for (const target of [node?.ref, node?.dynamicRef?.fallback]) if (target) look(source.rawOf.get(target));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) if (Array.isArray(raw[keyword])) raw[keyword].forEach(look);
    for (const keyword of ["then", "else"]) look(raw[keyword]);
    for (const keyword of ["dependentSchemas", "dependencies"])
      if (isRaw(raw[keyword])) Object.values(raw[keyword]).forEach(look);
  };
  roots.forEach(look);
  return [...layers];
}

/** Returns the subschemas of the field at a pointer; null if there is no such field. */
function lookUp(source: SchemaSource, root: readonly Layer[], pointer: string): readonly Layer[] | null {
  if (!isPointer(pointer)) return null;
  let known = root;
  for (const part of pointer.split("/").slice(1, MAX_DEPTH)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const found = childrenAt(known, key) ?? partsAt(known, key);
    if (found === null) return null;
    known = layersOf(source, found);
  }
  return known;
}

/** Returns the schemas of a part of a list, a tuple or a record. Its name is an index, or any name in a record. */
function partsAt(known: readonly Layer[], key: string): readonly unknown[] | null {
  const index = /^\d{1,4}$/.test(key) ? Number(key) : -1;
  const found = known.flatMap((layer) => {
    const { items, prefixItems, additionalItems, additionalProperties, patternProperties } = layer;
    const listed: unknown = Array.isArray(items)
      ? items[index]
      : Array.isArray(prefixItems)
        ? prefixItems[index]
        : undefined;
    const others = index < 0 ? [] : listed === undefined ? [items, additionalItems] : [listed];
    const values = [additionalProperties, ...Object.values(isRaw(patternProperties) ? patternProperties : {})];
    return [...others, ...values].filter((raw) => isRaw(raw));
  });
  return found.length > 0 ? found : null;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const isPointer = (value: unknown): value is string => typeof value === "string" && value.startsWith("/");
const quote = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);

function checkHint(check: Check, name: string, value: unknown, at: string, { known }: HintPlace): void {
  switch (name) {
    case "title":
    case "description":
    case "help":
    case "placeholder":
      if (!isText(value)) check.add(at, "Enter text that isn't empty.");
      return;
    case "autofocus":
    case "readonly":
      if (typeof value !== "boolean") check.add(at, "This must be true or false.");
      return;
    case "enumNames":
      if (!isTexts(value)) check.add(at, "This must be a list of texts.");
      return;
    case "tone":
      if (!isRaw(value)) return check.add(at, "This must be an object with a tone for each option.");
      for (const [option, tone] of Object.entries(value))
        if (tone !== "positive" && tone !== "negative" && tone !== "neutral")
          check.add(`${at}/${token(option)}`, "A tone must be positive, negative or neutral.");
      return;
    case "order":
      if (!isTexts(value)) return check.add(at, "This must be a list of texts.");
      for (const [index, key] of (value as string[]).entries())
        if (key !== "*" && known !== null && childrenAt(known, key) === null)
          check.add(`${at}/${index}`, "Unknown field.");
      return;
    case "widget":
      if (typeof value !== "string") check.add(at, "This must be a text.");
      else if (!ANSWER_WIDGETS.includes(value)) check.add(at, `Unknown widget for an answer: ${quote(value)}.`);
      else if (!suits(known, value)) check.add(at, `The widget ${quote(value)} does not fit this type of field.`);
      return;
    default:
      check.add(at, `Unknown hint ${quote(name)}.`);
  }
}

/** The types that a widget can render. Unlisted widgets can render any type. */
const WIDGET_TYPES: ReadonlyMap<string, number> = new Map([
  ["textarea", TYPE_BITS.string],
  ["password", TYPE_BITS.string],
  ["text", TYPE_BITS.string | TYPE_BITS.number | TYPE_BITS.integer],
  ["checkbox", TYPE_BITS.boolean],
  ["checkboxes", TYPE_BITS.array],
]);

/** Returns whether any layer allows a type that the widget can render. True if no layer names a type. */
function suits(known: KnownLayers, widget: string): boolean {
  if (widget === "typed") return (known ?? []).some((layer) => typeof layer["const"] === "string");
  const wanted = WIDGET_TYPES.get(widget);
  const named = (known ?? []).flatMap((layer) => [layer["type"]].flat()).filter((type) => typeof type === "string");
  if (wanted === undefined || named.length === 0) return true;
  return named.some(
    (type) => Object.hasOwn(TYPE_BITS, type) && (TYPE_BITS[type as keyof typeof TYPE_BITS] & wanted) !== 0,
  );
}

/** Checks hidden and read-only fields without a value. No one could ever answer them, so the form shows them anyway. */
function checkSilence(check: Check, ui: Layer, at: string, place: HintPlace): void {
  if (!place.isRequired || place.isGiven || isGiven(check, place)) return;
  const said = (key: string): string =>
    Object.hasOwn(ui, `ui:${key}`) ? `${at}/${token(`ui:${key}`)}` : `${at}/${token("ui:options")}/${key}`;
  const why = "A required field needs a default or a value from the payload for this.";
  if (hintOf(ui, "widget") === "hidden") check.add(said("widget"), why);
  if (hintOf(ui, "readonly") === true) check.add(said("readonly"), why);
}

function isGiven(check: Check, { pointer, known }: HintPlace): boolean {
  const has = (layer: Layer): boolean => (layer["default"] ?? layer["const"] ?? null) !== null;
  return check.copies.has(pointer) || (known ?? []).some(has);
}

function isConsent(known: readonly Layer[]): boolean {
  return known.some((layer) => layer["const"] === true);
}

/** Returns whether the field is a yes or no, or a choice of few, in any branch. */
function isDecision(source: SchemaSource, known: readonly Layer[]): boolean {
  return known.some((layer) => {
    const place = placeOf(source, [layer]);
    const options = optionsOf(source, place, fieldHints(null));
    if (options !== null) return options.length > 1 && options.length <= MAX_DECISION;
    const { minimum, maximum } = layer;
    const isScale = typeof minimum === "number" && typeof maximum === "number" && maximum - minimum < MAX_DECISION;
    return (place.types & ~TYPE_BITS.null) === TYPE_BITS.boolean || (isScale && layer["type"] === "integer");
  });
}
