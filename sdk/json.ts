/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object with unknown members. */
export type JsonObject = Record<string, unknown>;

/**
 * Returns canonical JSON (RFC 8785): the same text for the same value in every language.
 * @param value - read like `JSON.stringify` does, which must be able to write it: a Date becomes its text
 */
export function canonicalJson(value: unknown): string {
  return write(JSON.parse(JSON.stringify(value)) as Json);
}

function write(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(write).join()}]`;
  // The order is by UTF-16 code units, which is the order of `toSorted`.
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${write(value[name]!)}`).join()}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
