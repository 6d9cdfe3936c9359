import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { STATUS_CODES } from "../lib/node-http.ts";
import { escapeHtml, formatText, renderPage } from "./page.ts";

/** A placeholder for the address of the service, which only a request knows. */
const BASE = "{base}";
const SAFE_HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** Names of credentials on the page, with the header of a call. */
const CREDENTIALS: Readonly<Record<string, { name: string; header: string | null }>> = {
  bearer: { name: "Token", header: "Authorization: Bearer $SERVICE_TOKEN" },
  session: { name: "Session", header: null },
  service_key: { name: "Embed key", header: "Authorization: Bearer $EMBED_KEY" },
  embed_token: { name: "Embed token", header: "Authorization: Bearer $EMBED_TOKEN" },
};

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  shown: JsonObject;
}

/**
 * Renders the API reference from an OpenAPI document: every call with its parameters, body, responses and a curl command.
 * It is HTML without scripts, so a search in the browser finds everything.
 */
export function renderReference(document: JsonObject): (host: string) => string {
  const info = objectAt(document, "info");
  const operations = operationsOf(document);
  const groups = listOf(document["tags"])
    .map((tag) => ({
      name: textAt(tag, "name"),
      about: textAt(tag, "description"),
      operations: operations.filter((operation) => operation.tag === textAt(tag, "name")),
    }))
    .filter((group) => group.operations.length > 0);
  const schemas = Object.entries(objectAt(objectAt(document, "components"), "schemas"))
    .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
    .toSorted(([a], [b]) => a.localeCompare(b));
  const description = textAt(info, "description").split("\n\n");
  const body = `<h1>API reference</h1>
<p class="muted">Version ${escapeHtml(textAt(info, "version"))}. To try calls in the browser, open the <a href="/api/docs">API docs</a>. For tools, there is an <a href="/api/openapi.json">OpenAPI description</a>.</p>
${description.map((paragraph) => `<p>${formatText(paragraph)}</p>`).join("\n")}
<div class="beside">
<nav class="index" aria-label="Calls">
${groups.map(({ name, operations }) => `<h2>${escapeHtml(name)}</h2>\n<ul>${operations.map(indexEntry).join("")}</ul>`).join("\n")}
<h2>Schemas</h2>
<ul>${schemas.map(([name]) => `<li>${schemaLink(name)}</li>`).join("")}</ul>
</nav>
<div>
${groups.map(({ name, about, operations }) => `<h2>${escapeHtml(name)}</h2>\n<p class="muted">${formatText(about)}</p>\n${operations.map((operation) => renderOperation(operation, document)).join("\n")}`).join("\n")}
<h2>Schemas</h2>
${schemas.map(([name, schema]) => `<section class="panel" id="schema-${name}" aria-labelledby="schema-${name}-name"><h3 id="schema-${name}-name">${escapeHtml(name)}</h3>${renderSchema(schema)}</section>`).join("\n")}
</div>
</div>`;
  const html = renderPage({ title: "API reference - Human Task Service", body });
  // The host is what the caller sent. Anything unusual is not repeated.
  return (host) => html.replaceAll(BASE, escapeHtml(SAFE_HOST.test(host) ? host : "localhost"));
}

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const shown = isJsonObject(methods) ? methods[method] : undefined;
      if (!isJsonObject(shown)) return [];
      const [tag] = listOf(shown["tags"]);
      return [{ id: textAt(shown, "operationId"), method: method.toUpperCase(), path, tag: String(tag), shown }];
    }),
  );
}

function indexEntry({ id, shown }: Operation): string {
  return `<li><a href="#${id}">${escapeHtml(textAt(shown, "summary"))}</a></li>`;
}

function renderOperation(operation: Operation, document: JsonObject): string {
  const { id, method, path, shown } = operation;
  const parameters = listOf(shown["parameters"]).filter(isJsonObject);
  const body = jsonSchemaOf(objectAt(shown, "requestBody"));
  const responses = Object.entries(objectAt(shown, "responses")).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  );
  return `<section class="panel" id="${id}" aria-labelledby="${id}-name">
<h3 id="${id}-name"><a href="#${id}">${escapeHtml(textAt(shown, "summary"))}</a></h3>
<p><code><strong>${method}</strong> ${escapeHtml(path)}</code></p>
${shown["description"] === undefined ? "" : `<p>${formatText(textAt(shown, "description"))}</p>`}
<p class="muted">${credentialsOf(shown)}</p>
${parameters.length === 0 ? "" : `<h4>Parameters</h4>\n<dl class="fields">${parameters.map(renderParameter).join("")}</dl>`}
${body === null ? "" : `<h4>Body</h4>\n${renderBody(body, document)}`}
<h4>Responses</h4>
<dl class="fields">${responses.map(([status, response]) => renderResponse(status, response)).join("")}</dl>
<h4>Example</h4>
<pre>${escapeHtml(curlOf(operation, document))}</pre>
</section>`;
}

function credentialsOf(shown: JsonObject): string {
  const names = listOf(shown["security"])
    .filter(isJsonObject)
    .flatMap((way) => Object.keys(way))
    .map((name) => CREDENTIALS[name]?.name ?? name);
  return names.length === 0 ? "Public." : `Credentials: ${escapeHtml(names.join(" or "))}.`;
}

function renderParameter(parameter: JsonObject): string {
  const schema = objectAt(parameter, "schema");
  const name = textAt(parameter, "name");
  const facts = [textAt(parameter, "in"), typeOf(schema), ...(parameter["required"] === true ? ["required"] : [])];
  return entry(name, facts, [textAt(parameter, "description") || textAt(schema, "description"), limitsOf(schema)]);
}

function renderResponse(status: string, response: JsonObject): string {
  const schema = jsonSchemaOf(response);
  const facts = [escapeHtml(STATUS_CODES[Number(status)] ?? "")];
  // The body of every error is the same, and the description names its codes.
  if (schema !== null && Number(status) < 400) facts.push(typeOf(schema));
  return entry(status, facts, [textAt(response, "description")]);
}

function jsonSchemaOf(holder: JsonObject): JsonObject | null {
  const [media] = Object.values(objectAt(holder, "content"));
  const schema = isJsonObject(media) ? media["schema"] : undefined;
  return isJsonObject(schema) ? schema : null;
}

/** Returns the fields of a body, with a link to its schema if that has a name. */
function renderBody(schema: JsonObject, document: JsonObject): string {
  const named = namedSchema(schema, document);
  return named === null ? renderSchema(schema) : `<p>${typeOf(schema)}</p>${renderSchema(named)}`;
}

/** Returns the schema that a reference names, or null if the schema is not a reference. */
function namedSchema(schema: JsonObject, document: JsonObject): JsonObject | null {
  if (typeof schema["$ref"] !== "string") return null;
  return objectAt(objectAt(objectAt(document, "components"), "schemas"), schema["$ref"].split("/").at(-1)!);
}

/** Returns the fields of an object, with those of objects inside it. A schema with a name is a link. */
function renderSchema(schema: JsonObject): string {
  const properties = Object.entries(objectAt(schema, "properties"));
  if (properties.length === 0) return `<p>${typeOf(schema)}</p>`;
  const required = new Set(listOf(schema["required"]));
  const rows = properties.map(([name, property]) => {
    const field = isJsonObject(property) ? property : {};
    const facts = [typeOf(field), ...(required.has(name) ? ["required"] : [])];
    const items = isJsonObject(field["items"]) ? field["items"] : field;
    const inner = "properties" in items ? renderSchema(items) : "";
    return entry(name, facts, [textAt(field, "description"), limitsOf(field)], inner);
  });
  return `<dl class="fields">${rows.join("")}</dl>`;
}

/** @param facts - HTML. @param sentences - text, empty ones are left out */
function entry(name: string, facts: readonly string[], sentences: readonly string[], inner = ""): string {
  const about = sentences.filter((sentence) => sentence !== "").map(formatText);
  return `<div><dt><code>${escapeHtml(name)}</code> <span class="muted">${facts.filter(Boolean).join(", ")}</span></dt><dd>${about.join("<br>")}${inner}</dd></div>`;
}

/** Returns the type of a value, as HTML. */
function typeOf(schema: JsonObject): string {
  if (typeof schema["$ref"] === "string") return schemaLink(schema["$ref"].split("/").at(-1)!);
  const parts = listOf(schema["allOf"]).filter(isJsonObject);
  if (parts.length > 0)
    return parts
      .filter((part) => "$ref" in part)
      .map(typeOf)
      .join(" and ");
  const type = Array.isArray(schema["type"]) ? schema["type"].join(" or ") : textAt(schema, "type") || "any value";
  return isJsonObject(schema["items"]) && Object.keys(schema["items"]).length > 0
    ? `${escapeHtml(type)} of ${typeOf(schema["items"])}`
    : escapeHtml(type);
}

function schemaLink(name: string): string {
  return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
}

const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `from ${limit}`,
  maximum: (limit) => `up to ${limit}`,
  minLength: (limit) => `at least ${limit} characters`,
  maxLength: (limit) => `at most ${limit} characters`,
  maxItems: (limit) => `at most ${limit} items`,
};

/** Returns the allowed values in one sentence. */
function limitsOf(schema: JsonObject): string {
  const from = isJsonObject(schema["items"]) && "enum" in schema["items"] ? schema["items"] : schema;
  const values = listOf(from["enum"]).map((value) => `\`${String(value)}\``);
  if (values.length > 0) return `One of ${values.join(", ")}.`;
  const limits = Object.entries(LIMITS).flatMap(([keyword, words]) =>
    typeof schema[keyword] === "number" ? [words(schema[keyword].toLocaleString("en"))] : [],
  );
  const sentence = limits.join(", ");
  return sentence === "" ? "" : `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
}

/** Returns a call as a shell command. */
function curlOf({ method, path, shown }: Operation, document: JsonObject): string {
  const names = listOf(shown["security"])
    .filter(isJsonObject)
    .flatMap((way) => Object.keys(way));
  const header = names.map((name) => CREDENTIALS[name]?.header).find((known) => known != null);
  const query = listOf(shown["parameters"])
    .filter(isJsonObject)
    .filter((parameter) => parameter["in"] === "query" && parameter["required"] === true)
    .map((parameter) => `${textAt(parameter, "name")}=...`);
  const url = `http://${BASE}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const schema = jsonSchemaOf(objectAt(shown, "requestBody"));
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}'${url}'`];
  if (header !== undefined) lines.push(`-H "${header}"`);
  if (schema !== null) {
    const json = JSON.stringify(exampleOf(schema, document, 0), null, 2).replaceAll("'", String.raw`'\''`);
    lines.push(`-H 'Content-Type: application/json'`, `-d '${json}'`);
  }
  return lines.join(" \\\n  ");
}

/** Returns the example of a schema, or one made of its required fields. */
function exampleOf(schema: JsonObject, document: JsonObject, depth: number): unknown {
  const named = namedSchema(schema, document);
  if (named !== null) return depth < 5 ? exampleOf(named, document, depth + 1) : {};
  const [example] = listOf(schema["examples"]);
  if (example !== undefined) return example;
  const [value] = listOf(schema["enum"]);
  if (value !== undefined) return value;
  const [type] = [schema["type"]].flat();
  if (type === "object") {
    const required = new Set(listOf(schema["required"]));
    const properties = Object.entries(objectAt(schema, "properties")).filter(([name]) => required.has(name));
    return Object.fromEntries(
      properties.map(([name, field]) => [name, isJsonObject(field) ? exampleOf(field, document, depth + 1) : null]),
    );
  }
  if (type === "array") return isJsonObject(schema["items"]) ? [exampleOf(schema["items"], document, depth + 1)] : [];
  if (type === "integer" || type === "number") return schema["minimum"] ?? 1;
  return type === "boolean" ? true : "...";
}

function objectAt(holder: JsonObject, name: string): JsonObject {
  return isJsonObject(holder[name]) ? holder[name] : {};
}

function textAt(holder: unknown, name: string): string {
  const value = isJsonObject(holder) ? holder[name] : undefined;
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
