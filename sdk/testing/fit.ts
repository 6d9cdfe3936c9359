import { canonicalJson, isObject, type JsonObject } from "../json.ts";
import type { Problem } from "../shapes.ts";

/** A `$ref` that leads back to itself ends here. */
const DEPTH_MAX = 100;

/**
 * What of `value` does not fit `schema`, by the keywords that answers mostly need: `type`, `enum`, `const`, `properties`,
 * `required`, `additionalProperties: false`, `items`, `anyOf`, `oneOf`, `allOf`, `$ref` within the document, and limits of
 * lengths and numbers. The service knows all of JSON Schema.
 *
 * @param path - where `value` is, a JSON Pointer
 */
export function misfitsOf(schema: unknown, value: unknown, path: string): Problem[] {
  // There, what stands beside a reference says nothing.
  const isDraft7 = isObject(schema) && /draft-07/.test(String(schema["$schema"]));
  return check(schema, value, path, 0, schema);

  function check(given: unknown, value: unknown, path: string, depth: number, within: unknown): Problem[] {
    if (depth > DEPTH_MAX) return [];
    if (given === false) return [{ path, keyword: "false", message: "Must not be there." }];
    if (!isObject(given)) return [];
    const root = documentOf(given, within);
    const inner = (schema: unknown, value: unknown, path: string) => check(schema, value, path, depth + 1, root);
    const fits = (branch: unknown) => inner(branch, value, path).length === 0;
    const problems: Problem[] = [];
    const require = (isRight: boolean, keyword: string, message: string) => {
      if (!isRight) problems.push({ path, keyword, message });
    };
    const limit = (keyword: string, isWithin: (limit: number) => boolean, say: (limit: number) => string) => {
      const limit = given[keyword];
      if (typeof limit === "number") require(isWithin(limit), keyword, say(limit));
    };

    const { enum: values, const: only, anyOf, oneOf, allOf, $ref } = given;
    if (typeof $ref === "string") problems.push(...inner(resolveRef(root, $ref), value, path));
    if (typeof $ref === "string" && isDraft7) return problems;
    const types = typesOf(given);
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
      const names = types.map((type) => TYPE_NAMES[type] ?? type);
      return [...problems, { path, keyword: "type", message: `Must be ${names.join(" or ")}.` }];
    }
    const isOneOf = (all: readonly unknown[]) => all.some((one) => isSame(one, value));
    if (Array.isArray(values))
      require(isOneOf(values), "enum", `Must be one of ${JSON.stringify(values).slice(1, -1)}.`);
    if (only !== undefined) require(isSame(only, value), "const", `Must be ${JSON.stringify(only)}.`);
    // Branches may fit here that the service tells apart by other keywords: of `oneOf`, only that none fits is sure.
    if (Array.isArray(anyOf)) require(anyOf.some(fits), "anyOf", "Fits none of the possibilities.");
    if (Array.isArray(oneOf)) require(oneOf.some(fits), "oneOf", "Fits none of the possibilities.");
    if (Array.isArray(allOf)) for (const one of allOf) problems.push(...inner(one, value, path));

    if (typeof value === "string") {
      const length = Array.from(value).length;
      limit(
        "minLength",
        (least) => length >= least,
        (least) => `Must have at least ${least} characters.`,
      );
      limit(
        "maxLength",
        (most) => length <= most,
        (most) => `Must have at most ${most} characters.`,
      );
    }
    if (typeof value === "number") {
      limit(
        "minimum",
        (least) => value >= least,
        (least) => `Must be at least ${least}.`,
      );
      limit(
        "maximum",
        (most) => value <= most,
        (most) => `Must be at most ${most}.`,
      );
      limit(
        "exclusiveMinimum",
        (above) => value > above,
        (above) => `Must be more than ${above}.`,
      );
      limit(
        "exclusiveMaximum",
        (below) => value < below,
        (below) => `Must be less than ${below}.`,
      );
    }
    if (Array.isArray(value)) {
      limit(
        "minItems",
        (least) => value.length >= least,
        (least) => `Must have at least ${least} entries.`,
      );
      limit(
        "maxItems",
        (most) => value.length <= most,
        (most) => `Must have at most ${most} entries.`,
      );
      const prefix = Array.isArray(given["prefixItems"]) ? given["prefixItems"] : [];
      for (const [i, item] of value.entries())
        problems.push(...inner(i < prefix.length ? prefix[i] : given["items"], item, `${path}/${i}`));
    }
    if (isObject(value)) {
      const { properties = {}, required = [], additionalProperties } = given;
      const known = isObject(properties) ? properties : {};
      for (const name of required as string[])
        if (!Object.hasOwn(value, name))
          problems.push({
            path,
            keyword: "required",
            message: `Is missing the required property ${JSON.stringify(name)}.`,
          });
      for (const [name, member] of Object.entries(value)) {
        const at = `${path}/${pointerToken(name)}`;
        if (Object.hasOwn(known, name)) problems.push(...inner(known[name], member, at));
        else if (additionalProperties === false && given["patternProperties"] === undefined)
          problems.push({ path: at, keyword: "additionalProperties", message: "Is not known here." });
      }
    }
    return problems;
  }
}

/** Problems as one sentence each, for people. */
export function told(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `\n  ${path || "/"}: ${message}`).join("");
}

/** The document in which a schema's references are looked up: the one that it begins by its `$id`, or the one it is in. */
export function documentOf(schema: JsonObject, within: unknown): unknown {
  return typeof schema["$id"] === "string" ? schema : within;
}

/** What a reference within the document `root` leads to; undefined: nothing. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (!/^#(\/|$)/.test(ref)) return undefined;
  const names = decodeURIComponent(ref).split("/").slice(1);
  const unescaped = names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return unescaped.reduce<unknown>((at, name) => (at as JsonObject | undefined)?.[name], root);
}

/** The types that a schema names; none where it allows all of them. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((one) => typeof one === "string");
}

export function numberIn(schema: JsonObject, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}

/** Whether two values are the same in JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
};

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return type === "null" ? value === null : typeof value === type;
}

function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
