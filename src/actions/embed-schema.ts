import { isJsonObject, type JsonObject } from "../lib/json.ts";

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/** Whether a schema names draft-07 as its dialect. */
export function isDraft07(schema: JsonObject): boolean {
  return typeof schema["$schema"] === "string" && DRAFT_07.test(schema["$schema"]);
}

/**
 * Returns a client's schema as a part of another document. A schema that refers to itself gets an `$id`, so that its references
 * still begin at its own root.
 *
 * @param dialect - the `$schema` of the document around it
 * @param id - unique in that document
 */
export function embedSchema(schema: JsonObject, dialect: unknown, id: string): JsonObject {
  const { $schema, ...rest } = schema;
  const isOther = $schema !== undefined && $schema !== dialect;
  if (!isOther && !mentionsRef(rest)) return rest;
  if (typeof rest["$id"] === "string") return isOther ? schema : rest;
  // In draft-07, nothing beside a `$ref` counts, and so no `$id`.
  const { $ref, definitions } = rest;
  const own =
    $ref !== undefined && isDraft07({ $schema: $schema ?? dialect })
      ? { allOf: [{ $ref }], ...(definitions !== undefined && { definitions }) }
      : rest;
  return { $id: id, ...(isOther && { $schema }), ...own };
}

function mentionsRef(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsRef);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, member]) => key === "$ref" || key === "$dynamicRef" || key === "$id" || mentionsRef(member),
  );
}
