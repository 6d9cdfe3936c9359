import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { TaskRecord } from "../sdk/index.ts";
import { isObject, type JsonObject } from "../sdk/json.ts";

/**
 * Forms that a client draws by itself. The protocol restricts their schemas to flat objects with text, numbers, yes or no, and
 * choices, so only some questions have one. (MCP: Elicitation, form mode)
 */

type FormSchema = ElicitRequestFormParams["requestedSchema"];
type Field = FormSchema["properties"][string];

/** A form with the same fields as the answer of a task. */
export interface FlatForm {
  /** What the person reads, in plain text. */
  message: string;
  schema: FormSchema;
  /** Answers exist that this form does not offer: changed arguments of an action. */
  isPartial: boolean;
}

/** Longer texts belong on a page. */
const MESSAGE_CHARACTERS_MAX = 4000;

/** The words of decisions. A changed argument needs a form of its own. */
const DECISIONS = { approve: "Approve", reject: "Reject", respond: "Respond with a message" } as const;

/** Returns the form of a task; null if a flat form cannot express its answer, or not show everything that the person needs. */
export function flatFormOf(task: Pick<TaskRecord, "task" | "payload" | "response_schema" | "action">): FlatForm | null {
  const { action } = task;
  const schema = action === null ? flatSchema(task.response_schema) : decisionSchema(action);
  const shown = action === null ? task.payload : { action: action.name, ...action.args };
  const isPartial = action?.allowed.includes("edit") === true;
  const lines = [
    task.task,
    ...(action?.description && action.description !== task.task ? [action.description] : []),
    ...Object.entries(shown).map(([name, value]) => `${name}: ${textOf(value)}`),
    ...(isPartial ? ["The arguments can be changed on the page of the request only."] : []),
  ];
  const message = lines.join("\n");
  return schema === null || message.length > MESSAGE_CHARACTERS_MAX ? null : { message, schema, isPartial };
}

/** Returns the answer in the content of a form: its known fields, without optional ones that were left empty. */
export function answerIn({ schema }: FlatForm, content: JsonObject): JsonObject {
  const isGiven = ([name, value]: [string, unknown]) =>
    Object.hasOwn(schema.properties, name) &&
    !(value === null || (value === "" && schema.required?.includes(name) !== true));
  return Object.fromEntries(Object.entries(content).filter(isGiven));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function decisionSchema({ allowed, message_required }: NonNullable<TaskRecord["action"]>): FormSchema | null {
  const offered = Object.entries(DECISIONS).filter(([name]) => allowed.includes(name as keyof typeof DECISIONS));
  if (offered.length === 0) return null;
  const needs = offered.filter(
    ([name]) => name === "respond" || message_required.includes(name as keyof typeof DECISIONS),
  );
  const description =
    needs.length === 0 ? {} : { description: `Needed for: ${needs.map(([, label]) => label).join(", ")}.` };
  return {
    type: "object",
    properties: {
      decision: {
        type: "string",
        title: "Decision",
        oneOf: offered.map(([name, title]) => ({ const: name, title })),
      },
      message: { type: "string", title: "Message", ...description },
    },
    required: needs.length === offered.length ? ["decision", "message"] : ["decision"],
  };
}

/** What a schema may have besides its own keywords. None of it changes which values fit. */
const NOTES: ReadonlySet<string> = new Set(["title", "description", "default", "$schema", "$comment", "examples"]);

/** Returns the same schema in the restricted form, or null. Each answer of such a form fits the schema that was given. */
export function flatSchema(schema: JsonObject): FormSchema | null {
  const { properties = {}, required = [] } = schema;
  if (schema["type"] !== "object" || !isObject(properties) || !Array.isArray(required)) return null;
  if (!hasOnly(schema, ["type", "properties", "required", "additionalProperties"])) return null;
  // A field that nothing describes cannot be asked for.
  if (!required.every((name) => typeof name === "string" && Object.hasOwn(properties, name))) return null;
  const fields: [string, Field][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = isObject(property) ? fieldOf(property) : null;
    if (field === null) return null;
    fields.push([name, field]);
  }
  if (fields.length === 0) return null;
  return { type: "object", properties: Object.fromEntries(fields), required: required as string[] };
}

const TEXT_FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

function fieldOf(schema: JsonObject): Field | null {
  const choices = choicesOf(schema);
  if (choices !== null) return { ...choices, ...notesOf(schema, isText) };
  const { type, format } = schema;
  switch (type) {
    case "string":
      if (!hasOnly(schema, ["type", "minLength", "maxLength", "format"])) return null;
      if (format !== undefined && !TEXT_FORMATS.has(format)) return null;
      return { type, ...pick(schema, ["minLength", "maxLength", "format"]), ...notesOf(schema, isText) };
    case "number":
    case "integer":
      if (!hasOnly(schema, ["type", "minimum", "maximum"])) return null;
      return { type, ...pick(schema, ["minimum", "maximum"]), ...notesOf(schema, isNumber) };
    case "boolean":
      return hasOnly(schema, ["type"]) ? { type, ...notesOf(schema, (value) => typeof value === "boolean") } : null;
    case "array":
      return severalOf(schema);
    default:
      return null;
  }
}

/** Returns a choice of one text; null if the schema is something else. */
function choicesOf(schema: JsonObject): Field | null {
  if (schema["type"] !== undefined && schema["type"] !== "string") return null;
  if (isTexts(schema["enum"]) && hasOnly(schema, ["type", "enum"])) return { type: "string", enum: schema["enum"] };
  const titled = titledOf(schema["oneOf"]);
  return titled !== null && hasOnly(schema, ["type", "oneOf"]) ? { type: "string", oneOf: titled } : null;
}

/** Returns a choice of several texts, or null. */
function severalOf(schema: JsonObject): Field | null {
  const { items } = schema;
  if (!isObject(items) || !hasOnly(schema, ["type", "items", "minItems", "maxItems", "uniqueItems"])) return null;
  const isOfTexts = items["type"] === undefined || items["type"] === "string";
  const bounds = {
    type: "array" as const,
    ...pick(schema, ["minItems", "maxItems"]),
    ...notesOf(schema, isTexts),
  };
  if (isOfTexts && isTexts(items["enum"]) && hasOnly(items, ["type", "enum"]))
    return { ...bounds, items: { type: "string", enum: items["enum"] } };
  const keyword = "oneOf" in items ? "oneOf" : "anyOf";
  const titled = titledOf(items[keyword]);
  return isOfTexts && titled !== null && hasOnly(items, ["type", keyword])
    ? { ...bounds, items: { anyOf: titled } }
    : null;
}

/** Returns texts with their titles, or null. */
function titledOf(options: unknown): { const: string; title: string }[] | null {
  if (!Array.isArray(options) || options.length === 0) return null;
  const titled: { const: string; title: string }[] = [];
  for (const option of options) {
    if (!isObject(option) || typeof option["const"] !== "string") return null;
    if (!hasOnly(option, ["const", "type"]) || (option["type"] ?? "string") !== "string") return null;
    const { title } = option;
    titled.push({ const: option["const"], title: typeof title === "string" ? title : option["const"] });
  }
  return new Set(titled.map((one) => one.const)).size === titled.length ? titled : null;
}

function hasOnly(schema: JsonObject, keywords: readonly string[]): boolean {
  return Object.keys(schema).every((name) => keywords.includes(name) || NOTES.has(name));
}

function pick(schema: JsonObject, names: readonly string[]): object {
  return Object.fromEntries(names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])));
}

/** Returns what a form says of a field. A default of another type is left out. */
function notesOf(schema: JsonObject, isOfType: (value: unknown) => boolean): object {
  const { title, description } = schema;
  return {
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...("default" in schema && isOfType(schema["default"]) && { default: schema["default"] }),
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}
