import type { JsonObject, JsonText } from "./json.ts";

/** What is known about a lazy object. */
export interface Known {
  /** Its JSON, as `JSON.stringify` writes it. */
  readonly text: JsonText;
  readonly keys: readonly string[];
  /** Its line of facts, if it is a payload. */
  readonly facts?: string | null;
}

const known = new WeakMap<object, Known & { isParsed: boolean }>();

/**
 * Returns an object that is parsed when a member of it is first asked for. It cannot be changed. It has to be read with
 * `wholeOf` before it is sent to a thread, because only plain objects can be.
 */
export function lazyObject(about: Known): JsonObject {
  let value: JsonObject | undefined;
  const whole = (): JsonObject => {
    if (value === undefined) {
      value = JSON.parse(about.text) as JsonObject;
      known.get(lazy)!.isParsed = true;
    }
    return value;
  };
  const refuse = (): boolean => false;
  const lazy = new Proxy<JsonObject>(
    {},
    {
      get: (_target, key) => (key === WHOLE ? whole() : Reflect.get(whole(), key)),
      has: (_target, key) => Reflect.has(whole(), key),
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(whole(), key),
      set: refuse,
      defineProperty: refuse,
      deleteProperty: refuse,
      preventExtensions: refuse,
      setPrototypeOf: refuse,
    },
  );
  known.set(lazy, { ...about, isParsed: false });
  return lazy;
}

const WHOLE = Symbol("whole");

/** Returns the plain object behind a lazy one, else the value itself. */
export function wholeOf<T extends object>(value: T): T {
  return known.has(value) ? ((value as Record<symbol, unknown>)[WHOLE] as T) : value;
}

/** Returns the JSON of a value. That of a lazy object is there already. */
export function jsonTextOf(value: object): JsonText {
  return known.get(value)?.text ?? JSON.stringify(value);
}

/** Returns the keys of an object. Those of a lazy one are there already. */
export function keysOf(value: object): readonly string[] {
  return known.get(value)?.keys ?? Object.keys(value);
}

/** Returns what is known about a lazy object; undefined for other values. */
export function knownOf(value: unknown): (Known & { readonly isParsed: boolean }) | undefined {
  return typeof value === "object" && value !== null ? known.get(value) : undefined;
}
