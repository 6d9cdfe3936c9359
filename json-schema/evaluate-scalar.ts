import { spend } from "./budget.ts";
import { isCompound, isEqual } from "./equality.ts";
import type { ErrorParams } from "./errors.ts";
import type { Location } from "./location.ts";
import { isMultipleOf, multipleOfSteps } from "./numbers.ts";
import { matchesPattern, report } from "./run.ts";
import type { Errors, Run } from "./run.ts";
import { namesOf, TYPE_BITS } from "./schema.ts";
import type { Choice, NumberRules, SchemaNode, StringRules } from "./schema.ts";

/** Checks `type`. A number without a fraction is an integer, in any notation. */
export function checkType(run: Run, node: SchemaNode, location: Location, errors: Errors): boolean {
  const { value } = location;
  if ((node.types & bitsOf(value)) !== 0) return true;
  return report(run, errors, node, location, "type", () => ({ types: namesOf(node.types), actual: value }));
}

function bitsOf(value: unknown): number {
  if (typeof value === "string") return TYPE_BITS.string;
  if (typeof value === "number")
    return Number.isInteger(value) ? TYPE_BITS.integer | TYPE_BITS.number : TYPE_BITS.number;
  if (typeof value === "boolean") return TYPE_BITS.boolean;
  if (value === null) return TYPE_BITS.null;
  if (Array.isArray(value)) return TYPE_BITS.array;
  return typeof value === "object" ? TYPE_BITS.object : 0;
}

/** Checks `const` and `enum`. */
export function checkChoice(
  run: Run,
  node: SchemaNode,
  choice: Choice,
  keyword: "const" | "enum",
  location: Location,
  errors: Errors,
): boolean {
  const { value } = location;
  if (!isCompound(value)) {
    spend(run.budget, typeof value === "string" ? 1 + (value.length >>> 5) : 1);
    if (choice.simple.has(value)) return true;
  } else {
    for (const allowed of choice.compound) if (isEqual(run.budget, allowed, value)) return true;
  }
  return report(run, errors, node, location, keyword, () => ({ allowed: choice.values }));
}

export function checkNumber(
  run: Run,
  node: SchemaNode,
  rules: NumberRules,
  location: Location,
  value: number,
  errors: Errors,
): boolean {
  const fail = (keyword: keyof NumberRules, limit: number): boolean =>
    report(run, errors, node, location, keyword, () => ({ limit, actual: value }));
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  let ok = true;
  if (minimum !== null && value < minimum) ok = fail("minimum", minimum);
  if (maximum !== null && value > maximum) ok = fail("maximum", maximum);
  if (exclusiveMinimum !== null && value <= exclusiveMinimum) ok = fail("exclusiveMinimum", exclusiveMinimum);
  if (exclusiveMaximum !== null && value >= exclusiveMaximum) ok = fail("exclusiveMaximum", exclusiveMaximum);
  if (multipleOf !== null) {
    spend(run.budget, multipleOfSteps(value, multipleOf));
    if (!isMultipleOf(value, multipleOf)) ok = fail("multipleOf", multipleOf);
  }
  return ok;
}

export function checkString(
  run: Run,
  node: SchemaNode,
  rules: StringRules,
  location: Location,
  value: string,
  errors: Errors,
): boolean {
  const fail = (keyword: keyof StringRules, params: () => ErrorParams): boolean =>
    report(run, errors, node, location, keyword, params);
  let ok = true;
  const { minLength, maxLength, pattern, format } = rules;
  // A code point is one or two UTF-16 units, so most texts need no counting.
  if (minLength !== null && value.length < minLength * 2 && lengthOf(run, value) < minLength)
    ok = fail("minLength", () => ({ limit: minLength, actual: lengthOf(run, value) }));
  if (maxLength !== null && value.length > maxLength && lengthOf(run, value) > maxLength)
    ok = fail("maxLength", () => ({ limit: maxLength, actual: lengthOf(run, value) }));
  if (!ok && errors === null) return false;
  if (pattern !== null && !matchesPattern(run, pattern, value)) ok = fail("pattern", () => ({ limit: pattern }));
  if (format !== null && run.formats !== null && !run.formats(run.budget, format, value))
    ok = fail("format", () => ({ limit: format }));
  return ok;
}

/** Returns the length in code points, as JSON Schema counts it. */
function lengthOf(run: Run, text: string): number {
  spend(run.budget, text.length >>> 3);
  let length = text.length;
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) continue;
    const before = text.charCodeAt(i - 1);
    if (before >= 0xd800 && before <= 0xdbff) length--;
  }
  return length;
}
