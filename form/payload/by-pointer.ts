import type { PayloadNode } from "./node.ts";

/** Returns the nodes of a plan, and those inside them, by the pointers of their values. */
export function nodesByPointer(nodes: readonly PayloadNode[]): ReadonlyMap<string, PayloadNode> {
  const known = new Map<string, PayloadNode>();
  for (const node of nodes) addNodes(known, node);
  return known;
}

function addNodes(known: Map<string, PayloadNode>, node: PayloadNode): void {
  // Two values that belong together are shown as one change. Each has its own place.
  if (node.kind === "diff") {
    for (const side of [node.before, node.after]) if (side !== null) addNodes(known, side);
    return;
  }
  // The node of fields that the schema does not describe has the pointer of the object around them.
  if (!known.has(node.pointer)) known.set(node.pointer, node);
  if ("children" in node) for (const child of node.children) addNodes(known, child);
  else if ("items" in node) for (const item of node.items) addNodes(known, item);
  else if (node.kind === "table") for (const cell of node.rows.flat()) addNodes(known, cell);
}
