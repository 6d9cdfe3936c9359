export type JsonObject = { [key: string]: unknown };

/** JSON that is written already. */
export type JsonText = string;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * An object of `fields` and then of `texts`, whose values are JSON already (null stands for itself): what is stored as
 * JSON is sent as it stands, instead of being read and written once more.
 */
export function joinJson(fields: object, texts: Readonly<Record<string, JsonText | null>>): JsonText {
  let json = JSON.stringify(fields).slice(0, -1);
  for (const name in texts) json += `${json === "{" ? "" : ","}${JSON.stringify(name)}:${texts[name]}`;
  return `${json}}`;
}
