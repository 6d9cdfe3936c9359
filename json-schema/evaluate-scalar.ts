import { spend } from "./budget.ts";
import { isCompound, isEqual } from "./equality.ts";
import { plural, show, showChoices, showKind, showTypes } from "./errors.ts";
import { formatProblem } from "./formats.ts";
import type { Location } from "./location.ts";
import { isMultipleOf, multipleOfSteps } from "./numbers.ts";
import { matchesPattern, report } from "./run.ts";
import type { Errors, Run } from "./run.ts";
import { TYPE_BITS } from "./schema.ts";
import type { Choice, NumberRules, SchemaNode, StringRules } from "./schema.ts";

/** `type`. A number without a fraction is an integer, however it was written. */
export function checkType(run: Run, node: SchemaNode, location: Location, errors: Errors): boolean {
  const { value } = location;
  if ((node.types & bitsOf(value)) !== 0) return true;
  return report(run, errors, node, location, "type", () => {
    const found = typeof value === "number" && node.types === TYPE_BITS.integer ? show(value) : showKind(value);
    return `Must be ${showTypes(node.types)}, is ${found}.`;
  });
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

/** `const` and `enum`. */
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
  return report(run, errors, node, location, keyword, () =>
    choice.values.length === 1 ? `Must be ${show(choice.values[0])}.` : `Must be one of ${showChoices(choice.values)}.`,
  );
}

export function checkNumber(
  run: Run,
  node: SchemaNode,
  rules: NumberRules,
  location: Location,
  value: number,
  errors: Errors,
): boolean {
  const fail = (keyword: keyof NumberRules, demand: string): boolean =>
    report(run, errors, node, location, keyword, () => `Must be ${demand} ${String(rules[keyword])}, is ${value}.`);
  let ok = true;
  if (rules.minimum !== null && value < rules.minimum) ok = fail("minimum", "at least");
  if (rules.maximum !== null && value > rules.maximum) ok = fail("maximum", "at most");
  if (rules.exclusiveMinimum !== null && value <= rules.exclusiveMinimum) ok = fail("exclusiveMinimum", "more than");
  if (rules.exclusiveMaximum !== null && value >= rules.exclusiveMaximum) ok = fail("exclusiveMaximum", "less than");
  if (rules.multipleOf !== null) {
    spend(run.budget, multipleOfSteps(value, rules.multipleOf));
    if (!isMultipleOf(value, rules.multipleOf)) ok = fail("multipleOf", "a multiple of");
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
  let ok = true;
  const { minLength, maxLength, pattern, format } = rules;
  // A code point is one or two units, so that most texts need no counting.
  if (minLength !== null && value.length < minLength * 2 && lengthOf(run, value) < minLength)
    ok = report(run, errors, node, location, "minLength", () =>
      minLength === 1 && value === ""
        ? "Must not be empty."
        : `Must be at least ${plural(minLength, "character")} long, is ${lengthOf(run, value)}.`,
    );
  if (maxLength !== null && value.length > maxLength && lengthOf(run, value) > maxLength)
    ok = report(
      run,
      errors,
      node,
      location,
      "maxLength",
      () => `Must be at most ${plural(maxLength, "character")} long, is ${lengthOf(run, value)}.`,
    );
  if (!ok && errors === null) return false;
  if (pattern !== null && !matchesPattern(run, pattern, value))
    ok = report(run, errors, node, location, "pattern", () => `Must match the pattern ${show(pattern)}.`);
  if (format !== null && run.assertsFormats) {
    const problem = formatProblem(run.budget, format, value);
    if (problem !== null) ok = report(run, errors, node, location, "format", () => problem);
  }
  return ok;
}

/** In code points, as JSON Schema counts. */
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
