import { at, isList, isObject, token } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { IgnoredHint, Tone } from "./node.ts";

/** The valid hints for one place. Invalid ones are already reported. */
export interface Hints {
  readonly pointer: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly help: string | null;
  readonly order: readonly string[] | null;
  readonly widget: Widget | null;
  readonly enumNames: readonly string[] | null;
  /** Fields of the payload whose values are its line of facts: their names, or JSON Pointers. */
  readonly summary: readonly string[] | null;
  readonly options: ReadonlyMap<Option, unknown>;
  /** Hints for properties, and under "items" those for the items of a list. */
  readonly children: ReadonlyMap<string, Hints>;
  /** Hints for the items of a list by their position, if "items" is a list. */
  readonly positions: readonly Hints[];
  /** Whether a value was found at this place. */
  isUsed: boolean;
}

const WIDGETS = [
  "text",
  "markdown",
  "code",
  "json",
  "table",
  "image",
  "link",
  "currency",
  "percent",
  "date",
  "hidden",
  "diff",
] as const;
export type Widget = (typeof WIDGETS)[number];

const OPTIONS = ["currency", "unit", "language", "before", "after", "tone"] as const;
type Option = (typeof OPTIONS)[number];

/** This also limits the depth of hints. */
const MAX_PLACES = 2_000;
const MAX_IGNORED = 100;
const MAX_POINTER = 500;

/** Collects ignored hints. Each is reported once, even if it applies to many rows. */
export class IgnoredHints {
  readonly list: IgnoredHint[] = [];
  readonly #seen = new Set<string>();

  add(pointer: string, key: string, why: string): void {
    pointer = pointer.slice(0, MAX_POINTER);
    key = key.slice(0, MAX_POINTER);
    const id = `${pointer} ${key}`;
    if (this.list.length >= MAX_IGNORED || this.#seen.has(id)) return;
    this.#seen.add(id);
    this.list.push({ pointer, key, why });
  }
}

/**
 * Reads a tree of hints (uiSchema). Returns null if there is none. Invalid hints are reported and left out.
 *
 * @param places - how many places may have hints; counts down
 */
export function readHints(hints: unknown, ignored: IgnoredHints, places = { left: MAX_PLACES }): Hints | null {
  if (hints === undefined || hints === null) return null;
  if (isObject(hints)) return readPlace(hints, "", ignored, places);
  ignored.add("", "", "Hints must be an object.");
  return null;
}

function readPlace(
  hints: Readonly<Record<string, unknown>>,
  pointer: string,
  ignored: IgnoredHints,
  places: { left: number },
): Hints {
  const said = new Map<string, unknown>();
  const options = new Map<Option, unknown>();
  const children = new Map<string, Hints>();
  const positions: Hints[] = [];
  for (const [key, value] of Object.entries(hints)) {
    if (key === "ui:options") {
      if (!isObject(value)) ignored.add(pointer, key, "Must be an object.");
      else for (const [name, option] of Object.entries(value)) readKey(name, option, key);
    } else if (key.startsWith("ui:")) readKey(key.slice(3), value, key);
    else if (key === "items" && isList(value))
      for (const [i, item] of value.entries()) {
        const around = pointer + token(key);
        if (!isPlace(around, String(i), item)) break;
        positions.push(readPlace(item, around + token(i), ignored, places));
      }
    else if (isPlace(pointer, key, value)) children.set(key, readPlace(value, pointer + token(key), ignored, places));
  }

  function isPlace(around: string, key: string, value: unknown): value is JsonObject {
    if (!isObject(value)) ignored.add(around, key, "Hints for a field must be an object.");
    else if (--places.left < 0) ignored.add(around, key, "Too many hints.");
    else return true;
    return false;
  }

  function readKey(name: string, value: unknown, key: string): void {
    const shown = key === "ui:options" ? `ui:options.${name}` : key;
    if (OPTIONS.includes(name as Option)) {
      const isRight = name === "tone" ? isObject(value) : typeof value === "string";
      if (isRight) options.set(name as Option, value);
      else ignored.add(pointer, shown, name === "tone" ? "Must be an object." : "Must be a text.");
    } else if (["title", "description", "help", "widget"].includes(name)) {
      if (typeof value !== "string") ignored.add(pointer, shown, "Must be a text.");
      else if (name === "widget" && !WIDGETS.includes(value as Widget))
        ignored.add(pointer, shown, `Unknown widget for a payload: "${value.slice(0, 40)}".`);
      else said.set(name, value);
    } else if (["order", "enumNames", "summary"].includes(name)) {
      if (!isList(value) || !value.every((entry) => typeof entry === "string"))
        ignored.add(pointer, shown, "Must be a list of texts.");
      else said.set(name, value);
    } else ignored.add(pointer, shown, "Unknown hint for a payload.");
  }

  const text = (name: string) => (said.get(name) as string | undefined) ?? null;
  const list = (name: string) => (said.get(name) as readonly string[] | undefined) ?? null;
  return {
    pointer,
    title: text("title"),
    description: text("description"),
    help: text("help"),
    order: list("order")?.slice(0, MAX_PLACES) ?? null,
    widget: text("widget") as Widget | null,
    enumNames: list("enumNames"),
    summary: list("summary"),
    options,
    children,
    positions,
    isUsed: false,
  };
}

/** Reports the hints without a matching value. */
export function noteUnused(hints: Hints, ignored: IgnoredHints): void {
  for (const [key, child] of hints.children) {
    if (child.isUsed) noteUnused(child, ignored);
    else ignored.add(hints.pointer, key, "The payload has no field with this name.");
  }
  for (const [i, item] of hints.positions.entries()) {
    if (item.isUsed) noteUnused(item, ignored);
    else ignored.add(hints.pointer + token("items"), String(i), "The payload has no item at this position.");
  }
}

export function childHints(hints: Hints | null, key: string): Hints | null {
  const child = hints?.children.get(key) ?? null;
  if (child !== null) child.isUsed = true;
  return child;
}

/** Returns the hints for the item of a list. */
export function itemHints(hints: Hints | null, index: number): Hints | null {
  const item = hints?.positions[index] ?? null;
  if (item === null) return childHints(hints, "items");
  item.isUsed = true;
  return item;
}

/** Returns the tone that the hints give a value. */
export function toneOf(hints: Hints | null, value: unknown): Tone {
  const tone = at(hints?.options.get("tone"), String(value));
  return tone === "positive" || tone === "negative" ? tone : "neutral";
}

/** Marks all hints below a place as used. Call this if nothing of the place is shown. */
export function markUsed(hints: Hints | null): void {
  for (const child of [...(hints?.children.values() ?? []), ...(hints?.positions ?? [])]) {
    child.isUsed = true;
    markUsed(child);
  }
}
