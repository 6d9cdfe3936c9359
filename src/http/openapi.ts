import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { STATUS_CODES } from "../lib/node-http.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];
const JSON_TYPE = "application/json";
/** The generator's text for an undescribed answer. OpenAPI requires one. */
const UNDESCRIBED = "Default Response";

const HEADERS: JsonObject = {
  "X-Request-Id": {
    description: "Identifies the request in the log. The value of the caller, or a new one.",
    schema: { type: "string" },
  },
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" } },
};

/**
 * Fixes faults of the generator's OpenAPI 3.1: headers nested one level too deep, errors of a text route described as
 * text, optional bodies described as required, and formats that only this service knows.
 */
export function tidyDescription(described: object): JsonObject {
  const document = withoutOwnFormats(structuredClone(described)) as JsonObject;
  const components = child(document, "components");
  components["headers"] = HEADERS;
  for (const path of Object.values(child(document, "paths")).filter(isJsonObject)) {
    for (const method of METHODS) {
      const operation = path[method];
      if (!isJsonObject(operation)) continue;
      // Without it, a description does not say that the operation is public.
      operation["security"] ??= [];
      if (isJsonObject(operation["requestBody"])) tidyBody(operation["requestBody"], child(components, "schemas"));
      for (const [status, response] of Object.entries(child(operation, "responses"))) {
        if (isJsonObject(response)) tidyResponse(Number(status), response);
      }
    }
  }
  return document;
}

/** Makes a body without required fields optional. (http/body.ts) */
function tidyBody(body: JsonObject, schemas: JsonObject): void {
  const { schema } = child(child(body, "content"), JSON_TYPE);
  if (!isJsonObject(schema)) return;
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1)! : "";
  const shape = isJsonObject(schemas[name]) ? schemas[name] : schema;
  body["required"] = Array.isArray(shape["required"]) && shape["required"].length > 0;
}

function tidyResponse(status: number, response: JsonObject): void {
  const headers: JsonObject = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  if (status === 503 || status === 429) headers["Retry-After"] = { $ref: "#/components/headers/Retry-After" };
  for (const [name, header] of Object.entries(child(response, "headers"))) {
    const { schema } = header as JsonObject;
    // Routes describe a header as OpenAPI does, but the generator reads that as its schema.
    headers[name] =
      isJsonObject(schema) && isJsonObject(schema["schema"]) ? { ...(header as object), ...schema } : header;
  }
  response["headers"] = headers;
  if (response["description"] === UNDESCRIBED) response["description"] = STATUS_CODES[status] ?? "";

  const content = response["content"];
  if (!isJsonObject(content)) return;
  const media = Object.values(content)[0];
  // Errors of a route that is opened in a browser are pages.
  if (status >= 400 && !Object.hasOwn(content, "text/html")) response["content"] = { [JSON_TYPE]: media };
  if (
    isJsonObject(media) &&
    isJsonObject(media["schema"]) &&
    media["schema"]["description"] === response["description"]
  )
    delete media["schema"]["description"];
}

/** Returns a schema as callers see it: without the formats that only this service knows. */
export function withoutOwnFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnFormats);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(key === "format" && item === "storable-text"))
      .map(([key, item]) => [key, withoutOwnFormats(item)]),
  );
}

/** Returns the object at `key`, or an empty one. */
function child(parent: JsonObject, key: string): JsonObject {
  return isJsonObject(parent[key]) ? parent[key] : {};
}
