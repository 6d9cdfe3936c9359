import { isJsonObject, type JsonObject } from "../../src/lib/json.ts";

/** One method of one path, as the service's own description has it. */
export interface Operation {
  method: string;
  /** With `{id}` where something is filled in. */
  path: string;
  /** For people: `POST /api/tasks/{id}/complete`. */
  name: string;
  query: { name: string; schema: JsonObject }[];
  body: JsonObject | null;
  isSecured: boolean;
  /** The admin token is known there; what has credentials of its own knows no others, and no cookie. */
  knowsToken: boolean;
  responses: Record<string, JsonObject>;
}

export interface Description {
  document: JsonObject;
  operations: Operation[];
  /** What `#/components/schemas/<name>` stands for. */
  resolve(schema: JsonObject): JsonObject;
}

/** @param document - what `/api/openapi.json` answers */
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
          isSecured: described["security"] !== undefined,
          knowsToken: isKnown(described["security"]),
          responses: described["responses"] as Record<string, JsonObject>,
        };
      }),
    )
    // A stream has no end to wait for.
    .filter(({ responses }) => !Object.hasOwn(responses["200"]?.["content"] ?? {}, "text/event-stream"));
  return {
    document,
    operations,
    resolve: (schema) => (typeof schema["$ref"] === "string" ? components[schema["$ref"].split("/").at(-1)!]! : schema),
  };
}

/** Whether an operation knows the admin token, if only to tell it that it is nobody in particular. */
function isKnown(security: unknown): boolean {
  return !Array.isArray(security) || security.some((way: object) => "bearer" in way || "session" in way);
}

/**
 * The description's shapes with nothing allowed that they do not name: a field too many in an answer is noticed. The
 * error's own shape stays open, since each answer adds its codes to it and is closed as a whole.
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
