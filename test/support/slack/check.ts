/** A JSON object that is not checked yet. */
export type Json = Record<string, unknown>;

/** Returns the errors of a value in Slack's words, with JSON pointers; empty if it is valid. */
export type Check = (value: unknown, pointer: string) => string[];

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns undefined if the text is not JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export const problem = (message: string, pointer: string): string => `${message} [json-pointer:${pointer}]`;

/** Lengths are counted in UTF-16 units, which is never less than Slack counts. */
export const string =
  (max: number, min = 1): Check =>
  (value, pointer) => {
    if (typeof value !== "string") return [problem("must provide a string", pointer)];
    if (value.length > max) return [problem(`must be less than ${max + 1} characters`, pointer)];
    if (value.length < min) return [problem(`must be more than ${min - 1} characters`, pointer)];
    return [];
  };

export const matching =
  (pattern: RegExp, what: string): Check =>
  (value, pointer) =>
    typeof value === "string" && pattern.test(value) ? [] : [problem(`must provide ${what}`, pointer)];

export const boolean: Check = (value, pointer) =>
  typeof value === "boolean" ? [] : [problem("must provide a boolean", pointer)];

export const integer =
  (min: number, max: number): Check =>
  (value, pointer) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? []
      : [problem(`must provide an integer from ${min} to ${max}`, pointer)];

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, pointer) =>
    values.includes(value) ? [] : [problem("must be a valid enum value", pointer)];

export const list =
  (item: Check, max: number, min = 1): Check =>
  (value, pointer) => {
    if (!Array.isArray(value)) return [problem("must provide an array", pointer)];
    if (value.length > max) return [problem(`no more than ${max} items allowed`, pointer)];
    if (value.length < min) return [problem(`no fewer than ${min} items allowed`, pointer)];
    return value.flatMap((entry, index) => item(entry, `${pointer}/${index}`));
  };

/** Checks an object with these fields and no others. */
export const object =
  (fields: Record<string, Check>, required: readonly string[] = []): Check =>
  (value, pointer) => {
    if (!isObject(value)) return [problem("must provide an object", pointer)];
    const missing = required.filter((name) => value[name] === undefined || value[name] === null);
    return [
      ...missing.map((name) => problem(`missing required field: ${name}`, pointer)),
      ...Object.entries(value).flatMap(([name, field]) => {
        const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (!check) return [problem(`invalid additional property: ${name}`, pointer)];
        return field === undefined || missing.includes(name) ? [] : check(field, `${pointer}/${name}`);
      }),
    ];
  };

/** Checks an object whose `type` decides its fields. */
export const byType =
  (types: Record<string, Check>): Check =>
  (value, pointer) => {
    if (!isObject(value)) return [problem("must provide an object", pointer)];
    const check = typeof value.type === "string" && Object.hasOwn(types, value.type) ? types[value.type] : undefined;
    return check ? check(value, pointer) : [problem(`unsupported type: ${String(value.type)}`, `${pointer}/type`)];
  };

/** Adds checks across fields. They run only if the shape is valid. */
export const also =
  (shape: Check, rule: (value: Json, pointer: string) => string[]): Check =>
  (value, pointer) => {
    const wrong = shape(value, pointer);
    return wrong.length > 0 ? wrong : rule(value as Json, pointer);
  };
