import { spend } from "./budget.ts";
import { makeLocation } from "./location.ts";
import type { Location, Seen } from "./location.ts";
import { childOf, matchesPattern, report } from "./run.ts";
import type { Errors, Run } from "./run.ts";
import type { ObjectRules, SchemaNode } from "./schema.ts";

function keysOf(run: Run, location: Location, value: object): readonly string[] {
  if (location.keys === null) {
    location.keys = Object.keys(value);
    spend(run.budget, location.keys.length);
  }
  return location.keys;
}

/** Checks the object keywords of a node, except `unevaluatedProperties`. */
export function checkObject(
  run: Run,
  node: SchemaNode,
  rules: ObjectRules,
  location: Location,
  value: object,
  seen: Seen | null,
  errors: Errors,
): boolean {
  let ok = true;
  if (rules.required !== null) {
    spend(run.budget, rules.required.length);
    for (const name of rules.required)
      if (!Object.hasOwn(value, name)) {
        if (errors === null) return false;
        ok = report(run, errors, node, location, "required", () => ({ missing: name }));
      }
  }
  const { minProperties, maxProperties, propertyNames } = rules;
  if (minProperties !== null || maxProperties !== null) {
    const count = keysOf(run, location, value).length;
    if (minProperties !== null && count < minProperties)
      ok = report(run, errors, node, location, "minProperties", () => ({ limit: minProperties, actual: count }));
    if (maxProperties !== null && count > maxProperties)
      ok = report(run, errors, node, location, "maxProperties", () => ({ limit: maxProperties, actual: count }));
  }
  if (!ok && errors === null) return false;
  if (propertyNames !== null)
    for (const name of keysOf(run, location, value))
      // Here the name is the value. It shares its place with the property, for the path of the error.
      if (!run.evaluate(run, propertyNames, makeLocation(name, location, name), null, errors)) {
        if (errors === null) return false;
        ok = false;
      }
  if (rules.dependentRequired !== null && !checkDependentRequired(run, node, rules, location, value, errors))
    ok = false;
  if (!ok && errors === null) return false;
  if (!checkProperties(run, rules, location, value, seen, errors)) ok = false;
  if (!ok && errors === null) return false;
  if (rules.dependentSchemas !== null)
    for (const [name, schema] of rules.dependentSchemas) {
      spend(run.budget, 1);
      if (Object.hasOwn(value, name) && !run.evaluate(run, schema, location, seen, errors)) {
        if (errors === null) return false;
        ok = false;
      }
    }
  return ok;
}

function checkDependentRequired(
  run: Run,
  node: SchemaNode,
  rules: ObjectRules,
  location: Location,
  value: object,
  errors: Errors,
): boolean {
  if (rules.dependentRequired === null) return true;
  const { keyword, names } = rules.dependentRequired;
  let ok = true;
  for (const [present, wanted] of names) {
    spend(run.budget, 1 + wanted.length);
    if (!Object.hasOwn(value, present)) continue;
    for (const name of wanted)
      if (!Object.hasOwn(value, name))
        ok = report(run, errors, node, location, keyword, () => ({ missing: name, beside: present }));
  }
  return ok;
}

/** Checks properties, patternProperties and additionalProperties. */
function checkProperties(
  run: Run,
  rules: ObjectRules,
  location: Location,
  value: object,
  seen: Seen | null,
  errors: Errors,
): boolean {
  const { properties, patternProperties, additionalProperties } = rules;
  if (properties === null && patternProperties === null && additionalProperties === null) return true;
  let ok = true;
  const check = (node: SchemaNode, name: string): void => {
    const child = childOf(run, location, name, Reflect.get(value, name));
    if (!run.evaluate(run, node, child, null, errors)) ok = false;
    if (seen === null || seen.allProperties) return;
    seen.properties ??= new Set();
    seen.properties.add(name);
  };
  if (patternProperties === null && additionalProperties === null && properties !== null && properties.size < 16) {
    for (const [name, node] of properties) {
      spend(run.budget, 1);
      if (Object.hasOwn(value, name)) check(node, name);
      if (!ok && errors === null) return false;
    }
    return ok;
  }
  for (const name of keysOf(run, location, value)) {
    spend(run.budget, 2);
    const node = properties?.get(name);
    let isKnown = node !== undefined;
    if (node !== undefined) check(node, name);
    if (patternProperties !== null)
      for (const rule of patternProperties) {
        if (!ok && errors === null) return false;
        if (!matchesPattern(run, rule.pattern, name)) continue;
        isKnown = true;
        check(rule.node, name);
      }
    if (!isKnown && additionalProperties !== null) check(additionalProperties, name);
    if (!ok && errors === null) return false;
  }
  if (additionalProperties !== null && seen !== null) seen.allProperties = true;
  return ok;
}

/**
 * Checks the properties that no other keyword evaluated, in this node or below it at the same place. It must run last.
 */
export function checkUnevaluatedProperties(
  run: Run,
  node: SchemaNode,
  location: Location,
  value: object,
  seen: Seen,
  errors: Errors,
): boolean {
  if (seen.allProperties) return true;
  let ok = true;
  for (const name of keysOf(run, location, value)) {
    if (seen.properties?.has(name)) continue;
    if (run.evaluate(run, node, childOf(run, location, name, Reflect.get(value, name)), null, errors)) continue;
    if (errors === null) return false;
    ok = false;
  }
  seen.allProperties = true;
  return ok;
}
