import { Refusal, spend } from "./budget.ts";
import { closestErrors } from "./branches.ts";
import { isCompound } from "./equality.ts";
import { forbiddenError } from "./errors.ts";
import { checkArray, checkUnevaluatedItems } from "./evaluate-array.ts";
import { checkObject, checkUnevaluatedProperties } from "./evaluate-object.ts";
import { checkChoice, checkNumber, checkString, checkType } from "./evaluate-scalar.ts";
import { enterScope, findDynamic, makeSeen, mergeSeen, scopeKey, sizeOfSeen } from "./location.ts";
import type { Location, Result, Seen } from "./location.ts";
import { report } from "./run.ts";
import type { Errors, Run } from "./run.ts";
import type { SchemaNode } from "./schema.ts";

/**
 * Limit of nested nodes. Each takes up to 1,000 bytes of stack, so that this uses less than half of an engine's default
 * stack. A value as deep as the service accepts (64) has room for seven nodes at every level.
 */
const MAX_DEPTH = 480;

/**
 * Returns whether the value at `location` fits `node`. Records the evaluated properties and items in `seen`, which is
 * meaningless if the result is false. Records the reasons in `errors`; without `errors`, it stops at the first failure.
 * @throws Refusal
 */
export function evaluate(run: Run, node: SchemaNode, location: Location, seen: Seen | null, errors: Errors): boolean {
  spend(run.budget, 3);
  if (node.always !== null) {
    if (!node.always && errors !== null && errors.length < run.maxErrors) errors.push(forbiddenError(node, location));
    return node.always;
  }
  if (++run.depth > MAX_DEPTH) throw new Refusal("too_deep");
  const outer = run.scope;
  if (outer !== null && outer.resource !== node.resource) {
    spend(run.budget, outer.size);
    run.scope = enterScope(outer, node.resource);
  }
  const isValid =
    node.isTarget && run.remembers
      ? evaluateTarget(run, node, location, seen, errors)
      : evaluateKeywords(run, node, location, seen, errors);
  run.scope = outer;
  run.depth--;
  return isValid;
}

/** Evaluates a node that references lead to. It is evaluated once for each place, and its result is remembered. */
function evaluateTarget(run: Run, node: SchemaNode, location: Location, seen: Seen | null, errors: Errors): boolean {
  spend(run.budget, 3);
  const key = run.scope === null ? node : scopeKey(run.scope, node);
  location.results ??= new Map();
  let result: Result | undefined = location.results.get(key);
  if (result === undefined) {
    result = { state: "running", seen: null, errors: null };
    location.results.set(key, result);
  } else if (result.state === "running") throw new Refusal("schema_loop");
  else if (result.state === "valid") {
    if (seen !== null && result.seen !== null) merge(run, seen, result.seen);
    return true;
  } else if (errors === null) return false;
  else if (result.errors !== null) {
    spend(run.budget, result.errors.length);
    for (const error of result.errors) if (errors.length < run.maxErrors) errors.push(error);
    return false;
  }
  result.state = "running";
  const ownSeen = run.tracks ? makeSeen() : null;
  const ownErrors: Errors = errors === null ? null : [];
  const isValid = evaluateKeywords(run, node, location, ownSeen, ownErrors);
  result.state = isValid ? "valid" : "invalid";
  if (isValid) result.seen = ownSeen;
  else result.errors = ownErrors;
  if (isValid && seen !== null && ownSeen !== null) merge(run, seen, ownSeen);
  if (!isValid && errors !== null && ownErrors !== null)
    for (const error of ownErrors) if (errors.length < run.maxErrors) errors.push(error);
  return isValid;
}

function merge(run: Run, into: Seen, from: Seen): void {
  spend(run.budget, sizeOfSeen(from));
  mergeSeen(into, from);
}

function evaluateKeywords(
  run: Run,
  node: SchemaNode,
  location: Location,
  outerSeen: Seen | null,
  errors: Errors,
): boolean {
  const { value } = location;
  // unevaluated* must see what this node evaluated, and nothing of its neighbours.
  const isJudge = node.unevaluatedItems !== null || node.unevaluatedProperties !== null;
  const seen = isJudge ? makeSeen() : outerSeen;
  let ok = true;

  if (node.types !== 0 && !checkType(run, node, location, errors)) {
    // Further errors of a value of the wrong type would help no one.
    return false;
  }
  if (node.constant !== null) ok = checkChoice(run, node, node.constant, "const", location, errors);
  if (node.choices !== null && ok) ok = checkChoice(run, node, node.choices, "enum", location, errors);
  if (!ok && errors === null) return false;

  if (typeof value === "string") {
    if (node.string !== null && !checkString(run, node, node.string, location, value, errors)) ok = false;
  } else if (typeof value === "number") {
    if (node.number !== null && !checkNumber(run, node, node.number, location, value, errors)) ok = false;
  } else if (Array.isArray(value)) {
    if (node.array !== null && !checkArray(run, node, node.array, location, value, seen, errors)) ok = false;
  } else if (isCompound(value)) {
    if (node.object !== null && !checkObject(run, node, node.object, location, value, seen, errors)) ok = false;
  }
  if (!ok && errors === null) return false;

  if (node.ref !== null && !evaluate(run, node.ref, location, seen, errors)) ok = false;
  if (!ok && errors === null) return false;
  if (node.dynamicRef !== null) {
    const { name, fallback } = node.dynamicRef;
    if (run.scope !== null && name !== null) spend(run.budget, run.scope.size);
    const target = (run.scope === null || name === null ? null : findDynamic(run.scope, name)) ?? fallback;
    if (!evaluate(run, target, location, seen, errors)) ok = false;
  }
  if (!ok && errors === null) return false;
  if (!checkBranches(run, node, location, seen, errors)) ok = false;
  if (!ok) return false;

  if (isJudge && seen !== null) {
    if (node.unevaluatedItems !== null && Array.isArray(value))
      ok = checkUnevaluatedItems(run, node.unevaluatedItems, location, value, seen, errors);
    if ((ok || errors !== null) && node.unevaluatedProperties !== null && isCompound(value) && !Array.isArray(value))
      ok = checkUnevaluatedProperties(run, node.unevaluatedProperties, location, value, seen, errors) && ok;
    if (ok && outerSeen !== null) merge(run, outerSeen, seen);
  }
  return ok;
}

/** Checks allOf, anyOf, oneOf, not, if/then/else. */
function checkBranches(run: Run, node: SchemaNode, location: Location, seen: Seen | null, errors: Errors): boolean {
  let ok = true;
  if (node.allOf !== null)
    for (const branch of node.allOf)
      if (!evaluate(run, branch, location, seen, errors)) {
        if (errors === null) return false;
        ok = false;
      }
  if (node.anyOf !== null && !checkAnyOf(run, node, node.anyOf, location, seen, errors)) ok = false;
  if (!ok && errors === null) return false;
  if (node.oneOf !== null && !checkOneOf(run, node, node.oneOf, location, seen, errors)) ok = false;
  if (!ok && errors === null) return false;
  if (node.not !== null && evaluate(run, node.not, location, null, null))
    ok = report(run, errors, node, location, "not", () => null);
  if (!ok && errors === null) return false;
  if (node.if !== null) {
    const branchSeen = seen === null ? null : makeSeen();
    const holds = evaluate(run, node.if, location, branchSeen, null);
    if (holds && seen !== null && branchSeen !== null) merge(run, seen, branchSeen);
    const next = holds ? node.onTrue : node.onFalse;
    if (next !== null && !evaluate(run, next, location, seen, errors)) ok = false;
  }
  return ok;
}

function checkAnyOf(
  run: Run,
  node: SchemaNode,
  branches: readonly SchemaNode[],
  location: Location,
  seen: Seen | null,
  errors: Errors,
): boolean {
  let ok = false;
  for (const branch of branches) {
    const branchSeen = seen === null ? null : makeSeen();
    if (!evaluate(run, branch, location, branchSeen, null)) continue;
    ok = true;
    // The other branches still matter only if the caller needs to know which places were evaluated.
    if (seen === null || branchSeen === null) break;
    merge(run, seen, branchSeen);
  }
  if (!ok && errors !== null) explain(run, node, "anyOf", branches, location, errors);
  return ok;
}

function checkOneOf(
  run: Run,
  node: SchemaNode,
  branches: readonly SchemaNode[],
  location: Location,
  seen: Seen | null,
  errors: Errors,
): boolean {
  let first = -1;
  let second = -1;
  let found: Seen | null = null;
  for (const [index, branch] of branches.entries()) {
    const branchSeen = seen === null ? null : makeSeen();
    if (!evaluate(run, branch, location, branchSeen, null)) continue;
    if (first >= 0) {
      second = index;
      break;
    }
    first = index;
    found = branchSeen;
  }
  if (second >= 0)
    return report(run, errors, node, location, "oneOf", () => ({
      fitting: [first, second],
      branches: branches.length,
    }));
  if (first < 0) {
    if (errors !== null) explain(run, node, "oneOf", branches, location, errors);
    return false;
  }
  if (seen !== null && found !== null) merge(run, seen, found);
  return true;
}

/** Reports why no branch fits: the errors of the branch that is closest. */
function explain(
  run: Run,
  node: SchemaNode,
  keyword: "anyOf" | "oneOf",
  branches: readonly SchemaNode[],
  location: Location,
  errors: NonNullable<Errors>,
): void {
  const reasons = branches.map((branch) => {
    const reason: NonNullable<Errors> = [];
    evaluate(run, branch, location, null, reason);
    return reason;
  });
  for (const error of closestErrors(node, keyword, branches, reasons, location))
    if (errors.length < run.maxErrors) errors.push(error);
}
