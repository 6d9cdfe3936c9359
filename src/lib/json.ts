export type JsonObject = { [key: string]: unknown };

/** JSON as text. */
export type JsonText = string;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of stored JSON; null if nothing is stored. */
export function parseJson<T>(text: JsonText | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/**
 * Joins the fields of `first`, then `texts`, whose values are already JSON (null stays null), then `last` into one object.
 * Stored JSON is sent unchanged, instead of being parsed and serialized again.
 *
 * @param first, last - not empty
 */
export function joinJson(first: object, texts: Readonly<Record<string, JsonText | null>>, last: object): JsonText {
  let json = JSON.stringify(first).slice(0, -1);
  for (const name in texts) json += `,${JSON.stringify(name)}:${texts[name]}`;
  return `${json},${JSON.stringify(last).slice(1)}`;
}
