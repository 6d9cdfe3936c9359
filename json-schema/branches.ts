import { makeError } from "./errors.ts";
import type { ValidationError } from "./errors.ts";
import { pathOf } from "./location.ts";
import type { Location } from "./location.ts";
import { namesOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

/**
 * Returns the errors to show when no branch of an anyOf or oneOf fits. It guesses which branch was meant. A branch of
 * the right type comes before one of another type. A branch whose `const` and `enum` properties (the tag of a union)
 * fit comes before one whose do not. Then the branch with the fewest errors wins. If no branch has the right type, the
 * error lists the types instead.
 */
export function closestErrors(
  node: SchemaNode,
  keyword: "anyOf" | "oneOf",
  branches: readonly SchemaNode[],
  reasons: readonly (readonly ValidationError[])[],
  location: Location,
): readonly ValidationError[] {
  const here = pathOf(location);
  let best: readonly ValidationError[] = [];
  let bestScore = Number.POSITIVE_INFINITY;
  for (const reason of reasons) {
    const score = distance(reason, here);
    if (score < bestScore) {
      best = reason;
      bestScore = score;
    }
  }
  if (bestScore < WRONG_KIND) return best;
  const types = branches.reduce((all, branch) => all | targetOf(branch).types, 0);
  const values = branches.flatMap((branch) => {
    const { constant, choices } = targetOf(branch);
    return [...(constant?.values ?? []), ...(choices?.values.slice(0, 20) ?? [])];
  });
  // "Must be a text or null": each branch failed at its own `type`, or each at its own list of values.
  if (reasons.every((reason) => reason.length === 1 && reason[0]?.keyword === "type"))
    return [makeError(node, location, keyword, { types: namesOf(types), actual: location.value })];
  if (reasons.every((reason) => reason.length === 1 && /^(?:const|enum)$/.test(reason[0]?.keyword ?? "")))
    return [makeError(node, location, keyword, { allowed: values })];
  if (best.length > 0 && reasons.length === 1) return best;
  return [makeError(node, location, keyword, null)];
}

const WRONG_KIND = 10_000;
const WRONG_TAG = 100;

function distance(reason: readonly ValidationError[], here: string): number {
  let score = 0;
  for (const error of reason) {
    const isChoice = error.keyword === "const" || error.keyword === "enum";
    if (error.path === here && (error.keyword === "type" || isChoice || error.keyword === "false")) score += WRONG_KIND;
    else if (isChoice && error.path.lastIndexOf("/") === here.length) score += WRONG_TAG;
    else score += 1;
  }
  return score;
}

/** Follows a chain of references, as long as the nodes have no type of their own. */
function targetOf(node: SchemaNode): SchemaNode {
  let at = node;
  for (let i = 0; i < 8 && at.ref !== null && at.types === 0; i++) at = at.ref;
  return at;
}
