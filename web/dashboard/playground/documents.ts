import { t } from "../../../languages/text.ts";
import { parseSchema } from "../../../json-schema/parse-schema.ts";
import { validate } from "../../../json-schema/validate.ts";
import { jsonProblem } from "./json-problem.ts";

/** The parts of a task that are JSON, with the names of the API. */
export const NAMES = ["payload", "payload_schema", "response_schema", "form_definition"] as const;
export type Name = (typeof NAMES)[number];

type JsonObject = Readonly<Record<string, unknown>>;
export type Texts = Readonly<Record<Name, string>>;

/** One part as entered. */
export interface Document {
  readonly text: string;
  /** Sentences. Empty: this part is valid. */
  readonly problems: readonly string[];
  /** The last valid value; undefined if the text was never valid. */
  readonly value: JsonObject | null | undefined;
}
export type Documents = Readonly<Record<Name, Document>>;

/** @param before - the documents before the change. A text that is invalid now keeps its last valid value. */
export function readDocuments(texts: Texts, before?: Documents): Documents {
  const all = NAMES.map((name): [Name, Document] => {
    const known = before?.[name];
    return [name, known?.text === texts[name] ? known : readDocument(name, texts[name], known?.value)];
  });
  return Object.fromEntries(all) as unknown as Documents;
}

function readDocument(name: Name, text: string, before: Document["value"]): Document {
  if (name === "form_definition" && text.trim() === "") return { text, problems: [], value: null };
  const wrong = jsonProblem(text);
  if (wrong !== null) {
    const { line, column, message } = wrong;
    return { text, problems: [t("Line {line}, column {column}: {message}", { line, column, message })], value: before };
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { text, problems: [t("Must be an object in { }.")], value: before };
  const object = value as JsonObject;
  const problems = name.endsWith("_schema") ? schemaProblems(object) : [];
  return { text, problems, value: problems.length === 0 ? object : before };
}

/** Returns the problems that the service would find. */
function schemaProblems(schema: JsonObject): string[] {
  const parsed = parseSchema(schema);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => at(path, message));
}

/** Returns why the payload does not match its schema. */
export function misfits({ payload, payload_schema }: Documents): readonly string[] {
  if (payload.value == null || payload_schema.value == null) return [];
  const parsed = parseSchema(payload_schema.value);
  if (!parsed.ok) return [];
  const verdict = validate(parsed.schema, payload.value);
  if (verdict.status === "refused") return [verdict.message];
  return verdict.status === "invalid" ? verdict.errors.map(({ path, message }) => at(path, message)) : [];
}

/** @param path - JSON Pointer; "" is the whole */
export function at(path: string, message: string): string {
  return path === "" ? message : `${path}: ${message}`;
}
