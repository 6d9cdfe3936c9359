import { isJsonObject, type JsonObject } from "../../src/lib/json.ts";

/** One method of one path, as in the service's OpenAPI description. */
export interface Operation {
  method: string;
  /** With `{id}` as a placeholder. */
  path: string;
  /** For messages: `POST /api/tasks/{id}/complete`. */
  name: string;
  query: { name: string; schema: JsonObject }[];
  body: JsonObject | null;
  isSecured: boolean;
  /**
   * Whether the operation accepts the admin token. An operation with its own credentials accepts no others, and no
   * cookie.
   */
  knowsToken: boolean;
  responses: Record<string, JsonObject>;
}

export interface Description {
  document: JsonObject;
  operations: Operation[];
  /** Returns the schema that `#/components/schemas/<name>` refers to. */
  resolve(schema: JsonObject): JsonObject;
}

/** @param document - the body of `/api/openapi.json` */
export function readDescription(document: JsonObject): Description {
  const components = (document["components"] as { schemas: Record<string, JsonObject> }).schemas;
  const operations = Object.entries(document["paths"] as Record<string, Record<string, JsonObject>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]): Operation => {
        const parameters = (described["parameters"] ?? []) as { in: string; name: string; schema: JsonObject }[];
        const body = described["requestBody"] as { content: Record<string, { schema: JsonObject }> } | undefined;
        return {
          method: method.toUpperCase(),
          path,
          name: `${method.toUpperCase()} ${path}`,
          query: parameters.filter((parameter) => parameter.in === "query"),
          body: body?.content["application/json"]?.schema ?? null,
          isSecured: isSecured(described["security"]),
          knowsToken: isKnown(described["security"]),
          responses: described["responses"] as Record<string, JsonObject>,
        };
      }),
    )
    // An event stream never ends.
    .filter(({ responses }) => !Object.hasOwn(responses["200"]?.["content"] ?? {}, "text/event-stream"));
  return {
    document,
    operations,
    resolve: (schema) => (typeof schema["$ref"] === "string" ? components[schema["$ref"].split("/").at(-1)!]! : schema),
  };
}

/** Returns whether an operation knows the admin token, even if it only answers that a person is needed. */
/** Public operations have an empty list. */
function isSecured(security: unknown): boolean {
  return Array.isArray(security) && security.length > 0;
}

function isKnown(security: unknown): boolean {
  return !isSecured(security) || (security as object[]).some((way: object) => "bearer" in way || "session" in way);
}

/**
 * Returns the description's shapes without additional properties, so that an extra field in an answer is found. The
 * shape of errors stays open: each answer adds its codes, and is closed as a whole.
 */
export function closeShapes(document: JsonObject): JsonObject {
  const close = (value: unknown, isOpen: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => close(item, isOpen));
    if (!isJsonObject(value)) return value;
    const closed = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, close(item, key === "allOf" || key === "Error")]),
    );
    const isShape = isJsonObject(value["properties"]) || Array.isArray(value["allOf"]);
    if (isShape && !isOpen && value["additionalProperties"] === undefined) closed["unevaluatedProperties"] = false;
    return closed;
  };
  return close(document, false) as JsonObject;
}
