import { isObject, type JsonObject } from "./json.ts";

// An answer is an object, but often a question asks for a single value. Its form then has one field, `value`, and the
// caller gets the value of that field. `single-value.vectors.json` has check values for other languages.

/** Marks a stored schema that was made here. */
const MARK = "single value";
/** The limit of checked subschemas, for the work and the stack. */
const LOOKS_MAX = 1000;
/** Matches, in the text of a schema, an inner document, or a reference to anything except a definition or an anchor. */
const ELSEWHERE = /"\$id":|ef":"(#?"|#\/(?!\$defs\/|definitions\/))/;

/**
 * Returns the schema of a task for answers that fit `schema`. It is `schema` itself, or, if no object fits that, the
 * schema of an object around the value.
 */
export function wrapSchema(schema: JsonObject): JsonObject {
  if (!isForValue(schema)) return schema;
  // Definitions stay at the root, where references find them. If a reference leads elsewhere, such as to the root
  // itself, the document stays complete and gets an id.
  const isDocument = ELSEWHERE.test(JSON.stringify(schema));
  const staying = isDocument ? /^\$schema$/ : /^(\$schema|\$defs|definitions)$/;
  const part = (stays: boolean) =>
    Object.fromEntries(Object.entries(schema).filter(([name]) => staying.test(name) === stays));
  // The label of the field.
  const title = targetOf(schema, schema["$ref"])?.["title"] ?? "Answer";
  return {
    ...part(true),
    $comment: MARK,
    type: "object",
    properties: { value: { title, ...(isDocument && { $id: "single-value" }), ...part(false) } },
    required: ["value"],
    additionalProperties: false,
  };
}

/** Returns the answer in a response. `schema` is the argument of `wrapSchema`. */
export function unwrapResponse(response: JsonObject, schema: JsonObject): unknown {
  return isForValue(schema) && "value" in response ? response["value"] : response;
}

/** Returns the response for an answer. An object is never wrapped, because no object fits the schema of a value. */
export function toResponse(answer: unknown): JsonObject {
  return isObject(answer) ? answer : { value: answer };
}

/** Returns whether `wrapSchema` made the schema of a task. */
export function isWrapped({ $comment }: JsonObject): boolean {
  return $comment === MARK;
}

/**
 * Returns whether certainly no object fits a schema. It checks the usual keywords of single values: `type`, `const`,
 * `enum`, `allOf`, `anyOf`, `oneOf`, and `$ref` within the document. The service checks more, and refuses the remaining
 * schemas.
 */
export function isForValue(schema: JsonObject): boolean {
  let looks = 0;
  return takesNoObject(schema);

  function takesNoObject(given: unknown): boolean {
    // References inside an inner document lead elsewhere.
    if (!isObject(given) || ++looks > LOOKS_MAX || (looks > 1 && "$id" in given)) return given === false;
    const { $ref, type = "object", const: only, enum: values, allOf, anyOf, oneOf } = given;
    if (takesNoObject(targetOf(schema, $ref))) return true;
    // In draft-07, siblings of a reference have no effect.
    if ($ref !== undefined && isOfDraft7(schema)) return false;
    return (
      !listOf(type).includes("object") ||
      (only !== undefined && !isObject(only)) ||
      (values !== undefined && !listOf(values).some(isObject)) ||
      listOf(allOf).some(takesNoObject) ||
      [anyOf, oneOf].some((branches) => listOf(branches).every(takesNoObject))
    );
  }
}

/**
 * Returns the target of a reference within the document `root`; undefined if there is none, or if it leads elsewhere.
 */
function targetOf(root: JsonObject, ref: unknown): JsonObject | undefined {
  const [start, ...names] = String(ref).split("/");
  if (start !== "#") return undefined;
  return names
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonObject | undefined>((at, name) => at?.[name] as JsonObject | undefined, root);
}

function isOfDraft7({ $schema }: JsonObject): boolean {
  return /draft-07/.test(String($schema));
}

function listOf(value: unknown): readonly unknown[] {
  return [value].flat();
}
