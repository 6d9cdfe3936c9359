import { factsLine } from "../../form/payload/facts-line.ts";
import { parseSchema } from "../../json-schema/parse-schema.ts";
import type { Schema } from "../../json-schema/schema.ts";
import { validate } from "../../json-schema/validate.ts";
import { answerCalls } from "../../threads/answer-calls.ts";
import { ServiceError } from "../errors.ts";
import { parseJsonBody } from "../http/body.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { decisionInAnswer } from "../tasks/decision-in-answer.ts";
import type { Answer, LargeValue, LightBody, Question } from "./messages.ts";

/** Members that clients fill freely, so that the service reads little of them. */
const FREE_MEMBERS = ["payload", "response"] as const;
/** Characters from which such a value is left out of the body. Below, its parts cost less than its text. */
const LARGE_CHARACTERS = 16 * 1024;
/** Bodies whose large values are kept for a check. */
const KEPT_BODIES = 4;
const KEPT_SCHEMAS = 50;

const kept = new Map<number, JsonObject[]>();
const schemas = new Map<string, Schema>();

answerCalls(answer);

function answer(question: Question): Answer {
  if ("parse" in question) return parse(question);
  const { body, index } = "check" in question ? question.check : question.decide;
  const { text } = question;
  const value = kept.get(body)?.[index] ?? (text === null ? null : (JSON.parse(text) as JsonObject));
  if (value === null) return { forgotten: true };
  if ("decide" in question) return { decision: decisionInAnswer(question.form, value, question.channel) };
  const { schema, formats, answers } = question;
  return { verdict: validate(schemaOf(schema), value, { formats, answers }) };
}

function parse({ parse: bytes, body }: Extract<Question, { parse: Uint8Array }>): Answer {
  let value: unknown;
  try {
    value = parseJsonBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (error instanceof ServiceError) return { malformed: error.message };
    throw error;
  }
  const values: JsonObject[] = [];
  const light = lighten(value, values);
  if (values.length > 0) keep(kept, body, values, KEPT_BODIES);
  return light;
}

/**
 * Takes the large values out of a body, and out of the members of its lists, as in a batch.
 * @param values - gets them
 */
function lighten(value: unknown, values: JsonObject[]): LightBody {
  const large: LargeValue[] = [];
  const takeFrom = (owner: unknown, path: readonly (string | number)[]): void => {
    if (!isJsonObject(owner)) return;
    for (const name of FREE_MEMBERS) {
      const member = Object.hasOwn(owner, name) ? owner[name] : null;
      if (!isJsonObject(member)) continue;
      const text = JSON.stringify(member);
      if (text.length < LARGE_CHARACTERS) continue;
      const facts = name === "payload" ? { facts: factsOf(owner, member) } : {};
      large.push({ path: [...path, name], text, keys: Object.keys(member), ...facts });
      values.push(member);
      owner[name] = null;
    }
  };
  takeFrom(value, []);
  if (isJsonObject(value))
    for (const [name, members] of Object.entries(value))
      if (Array.isArray(members)) for (const [i, member] of members.entries()) takeFrom(member, [name, i]);
  return { light: value, large };
}

function factsOf({ payload_schema, form_definition }: JsonObject, payload: JsonObject): string | null {
  const hints = isJsonObject(form_definition) ? form_definition["payload"] : undefined;
  return factsLine({ payload, payload_schema, hints });
}

/** The service has accepted the schema, so it can be read. */
function schemaOf(text: string): Schema {
  const found = schemas.get(text);
  if (found !== undefined) return found;
  const parsed = parseSchema(JSON.parse(text));
  if (!parsed.ok) throw new Error("The schema cannot be read.");
  keep(schemas, text, parsed.schema, KEPT_SCHEMAS);
  return parsed.schema;
}

function keep<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.set(key, value);
  if (map.size > max) map.delete(map.keys().next().value!);
}
