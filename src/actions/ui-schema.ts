import { resolve, token } from "../../form/payload/json.ts";
import { IgnoredHints, readHints, type Hints } from "../../form/payload/hints.ts";
import { hintOf } from "../../form/plan/hints.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";

/** Places with hints in all actions of a request. A form reads twice as many, and adds a few of its own. */
const PLACES_MAX = 1_000;

/** Returns the limit for the hints of one request. */
export function placesOfRequest(): { left: number } {
  return { left: PLACES_MAX };
}

/**
 * Requires hints to be those that a payload takes. Nothing of an action is hidden, because a person approves all of it.
 *
 * @param path - JSON Pointer of the hints in the request
 * @param places - how many places may have hints; counts down
 * @throws ServiceError VALIDATION_FAILED
 */
export function requireUiSchema(uiSchema: JsonObject, path: string, places: { left: number }): void {
  const ignored = new IgnoredHints();
  const hints = readHints(uiSchema, ignored, places);
  const wrong = ignored.list.map(({ pointer, key, why }): ErrorDetail => {
    // "ui:options.currency" is a member of a member.
    const [, options, option] = /^(ui:options)\.(.*)$/s.exec(key) ?? [];
    return {
      path: path + pointer + (options === undefined ? token(key) : token(options) + token(option!)),
      message: why,
    };
  });
  const details = [...wrong, ...hiding(hints!, path)];
  if (details.length > 0) throw new ServiceError("VALIDATION_FAILED", { details: details.slice(0, NAMED_MAX) });
}

/** Places that an error names at most. */
const NAMED_MAX = 20;

function hiding({ pointer, widget, options, children, positions }: Hints, path: string): ErrorDetail[] {
  const message =
    widget === "hidden"
      ? "An argument cannot be hidden: a person approves all of them."
      : widget === "diff" && options.has("before") && options.has("after")
        ? "Give `before` or `after`: the argument itself is the other side, and would not be shown."
        : null;
  return [
    ...(message === null ? [] : [{ path: path + pointer, message }]),
    ...[...children.values(), ...positions].flatMap((one) => hiding(one, path)),
  ];
}

const POINTERS = new Set(["currency", "before", "after"]);

/** Returns the hints for arguments that are at `pointer` of a payload: a pointer into them leads there. */
export function uiSchemaAt(uiSchema: JsonObject, args: JsonObject, pointer: string): JsonObject {
  const moved = (name: string, value: unknown): unknown => {
    const isOwn = typeof value === "string" && value.startsWith("/") && resolve(args, value) !== undefined;
    return POINTERS.has(name) && isOwn ? pointer + value : value;
  };
  return mapPlaces(uiSchema, (place) =>
    Object.entries(place).map(([key, value]) => {
      if (key === "ui:options" && isJsonObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, option]) => [name, moved(name, option)]))];
      return [key, moved(key.slice("ui:".length), value)];
    }),
  );
}

/** Hints for showing a value that are also hints for its field. */
const OF_FIELDS = ["title", "description", "help", "order", "enumNames", "tone"];
const WIDGETS_OF_FIELDS: Readonly<Record<string, string>> = { code: "textarea", markdown: "textarea", json: "json" };

/** Returns the hints for the fields in which arguments are edited. */
export function fieldHintsOf(uiSchema: JsonObject): JsonObject {
  return mapPlaces(uiSchema, (place) => {
    const widget = WIDGETS_OF_FIELDS[hintOf(place, "widget") as string];
    const help = hintOf(place, "help") ?? unitOf(place);
    const kept = OF_FIELDS.flatMap((name) => {
      const value = name === "help" ? help : hintOf(place, name);
      return value === undefined ? [] : [[`ui:${name}`, value] as const];
    });
    return widget === undefined ? kept : [...kept, ["ui:widget", widget]];
  });
}

/** A field takes a bare number, so the unit is said below it. One in another argument has a field of its own. */
function unitOf(place: JsonObject): string | undefined {
  const unit = hintOf(place, "widget") === "currency" ? hintOf(place, "currency") : hintOf(place, "unit");
  return typeof unit === "string" && unit !== "" && !unit.startsWith("/") ? `In ${unit}` : undefined;
}

type Entries = readonly (readonly [string, unknown])[];

/** @param own - returns the hints of one place, without those below it */
function mapPlaces(place: JsonObject, own: (place: JsonObject) => Entries): JsonObject {
  const [hints, below]: [JsonObject, [string, unknown][]] = [{}, []];
  for (const [key, value] of Object.entries(place)) {
    if (key.startsWith("ui:")) hints[key] = value;
    else if (Array.isArray(value)) below.push([key, value.map((one) => mapPlaces(one as JsonObject, own))]);
    else below.push([key, mapPlaces(value as JsonObject, own)]);
  }
  return Object.fromEntries([...own(hints), ...below]);
}
