import { childHints, itemHints } from "./hints.ts";
import { at, token } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Place } from "./node.ts";
import type { Subject } from "./planning.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { readableKey } from "./titles.ts";

/** Returns the property of an object. */
export function childOf(subject: Subject, value: JsonObject, layers: Layers, key: string): Subject {
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

/** Returns the item of a list. */
export function itemOf(subject: Subject, value: readonly unknown[], layers: Layers, index: number): Subject {
  return {
    pointer: subject.pointer + token(index),
    key: "item",
    value: value[index],
    starts: schema.itemStarts(layers, index),
    hints: itemHints(subject.hints, index),
    parent: value,
    depth: subject.depth + 1,
  };
}

/** Returns the place of a value that is shown without its schema and hints. */
export function placeOf(subject: Subject): Place {
  return { pointer: subject.pointer, title: readableKey(subject.key), description: null, help: null };
}
