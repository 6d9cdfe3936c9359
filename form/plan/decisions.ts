import { token } from "./entries.ts";
import { nodesOf } from "./nodes.ts";
import type { FormNode } from "./nodes.ts";
import { first, placeOf } from "./schema-view.ts";
import type { SchemaSource } from "./schema-view.ts";

/** Options of a choice that can be a decision. */
export const MAX_DECISION = 5;

/**
 * Returns the pointer of the only required field that asks something, or null. Without a hint, this field is the
 * decision.
 */
export function onlyQuestion(
  source: SchemaSource,
  keys: readonly string[],
  properties: ReadonlyMap<string, readonly unknown[]>,
  required: ReadonlySet<string>,
): string | null {
  const asked = keys.filter((key) => required.has(key) && !isConst(source, properties.get(key) ?? []));
  return asked.length === 1 ? `/${token(asked[0]!)}` : null;
}

function isConst(source: SchemaSource, roots: readonly unknown[]): boolean {
  const constant = first(placeOf(source, roots), "const");
  return constant !== undefined && constant !== true;
}

/** Returns the name of the node at `pointer`, or null when it is neither a yes or no nor one of few options. */
export function decisionIn(root: FormNode, pointer: string | null): string | null {
  for (const node of nodesOf(root)) {
    if (node.pointer !== pointer || node.hidden) continue;
    const isChoice = node.kind === "choice" && !node.multiple && node.options.length <= MAX_DECISION;
    if (isChoice || (node.kind === "bool" && node.look === "buttons")) return node.name;
  }
  return null;
}
