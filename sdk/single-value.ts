import { isObject, type JsonObject } from "./json.ts";

// An answer is an object, and often one value is all that a question asks for. Its form then has one field, `value`, and
// whoever asked gets what that holds. `single-value.vectors.json` has check values for other languages.

/** Says in a stored schema that it was made here. */
const MARK = "single value";
/** Subschemas that are looked at: the limit of the work, and of the stack. */
const LOOKS_MAX = 1000;
/** In a schema's text: a document of its own, or a reference to something else than a definition or an anchor. */
const ELSEWHERE = /"\$id":|ef":"(#?"|#\/(?!\$defs\/|definitions\/))/;

/** The schema of a task for answers that fit `schema`: itself, or where no object fits it, that of an object around the value. */
export function wrapSchema(schema: JsonObject): JsonObject {
  if (!isForValue(schema)) return schema;
  // Definitions stay at the root, where references find them. One that leads elsewhere, such as to the root itself, needs the
  // document as it is: it then has an id.
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

/** The answer that a response holds, where `schema` was given to `wrapSchema`. */
export function unwrapResponse(response: JsonObject, schema: JsonObject): unknown {
  return isForValue(schema) && "value" in response ? response["value"] : response;
}

/** The response that an answer makes. No object needs to be wrapped, since none fits the schema of a value. */
export function toResponse(answer: unknown): JsonObject {
  return isObject(answer) ? answer : { value: answer };
}

/** Whether the schema of a task was made by `wrapSchema`. */
export function isWrapped({ $comment }: JsonObject): boolean {
  return $comment === MARK;
}

/**
 * Whether certainly no object fits a schema, by the keywords that schemas of single values have: `type`, `const`, `enum`,
 * `allOf`, `anyOf`, `oneOf`, and `$ref` within the document. The service knows of more, and refuses those.
 */
export function isForValue(schema: JsonObject): boolean {
  let looks = 0;
  return takesNoObject(schema);

  function takesNoObject(given: unknown): boolean {
    // A reference within a document inside this one leads elsewhere.
    if (!isObject(given) || ++looks > LOOKS_MAX || (looks > 1 && "$id" in given)) return given === false;
    const { $ref, type = "object", const: only, enum: values, allOf, anyOf, oneOf } = given;
    if (takesNoObject(targetOf(schema, $ref))) return true;
    // In draft-07, what stands beside a reference says nothing.
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

/** What a reference within the document `root` leads to; undefined: nothing, or it leads elsewhere. */
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
