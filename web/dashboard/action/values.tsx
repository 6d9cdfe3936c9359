import { Suspense, useMemo } from "react";
import type { ReactNode } from "react";
import { planPair } from "../../../form/payload/diff.ts";
import { IgnoredHints } from "../../../form/payload/hints.ts";
import type { PayloadNode, PayloadPlan } from "../../../form/payload/node.ts";
import { planningOf, planPayload, rootOf } from "../../../form/payload/payload.ts";
import { drawingOf } from "../../form/payload/view.tsx";
import { LATER, PlannedPayload, useReader } from "../task/payload.tsx";
import type { Action } from "./asked.ts";

/** The arguments that a person changed: each before and after. */
export function ChangedArguments({ action, args }: { action: Action; args: unknown }) {
  const reader = useReader();
  const plan = useMemo((): PayloadPlan => {
    const [before, after] = [action.args, args].map((payload) => ({
      payload,
      payload_schema: action.args_schema,
      ...reader,
    })) as [Parameters<typeof planPayload>[0], Parameters<typeof planPayload>[0]];
    const planning = planningOf(after, [action.args, args], new IgnoredHints());
    const shown = planPair(planning, rootOf(before, null), rootOf(after, null));
    const node = { pointer: "", title: "What was changed", description: null, help: null, ...shown };
    return { nodes: [node], left_out: 0, is_redacted: false, is_too_large: false, is_partial: false, ignored: [] };
  }, [action, args, reader]);
  return <PlannedPayload plan={plan} />;
}

/** Renders the original argument at a JSON Pointer, as the payload view shows it; undefined if that leaves it out. */
export type DrawArgument = (pointer: string) => ReactNode;

/** Returns how to show single arguments of an action. */
export function useArguments({ args, args_schema }: Action): DrawArgument {
  const reader = useReader();
  return useMemo(() => {
    const { nodes } = planPayload({ payload: args, payload_schema: args_schema, ...reader });
    const known = new Map<string, PayloadNode>();
    for (const node of nodes) addNodes(known, node);
    const [plain, whole] = [drawingOf({}), drawingOf(LATER)];
    return (pointer) => {
      const node = known.get(pointer);
      return node && <Suspense fallback={plain.draw(node)}>{whole.draw(node)}</Suspense>;
    };
  }, [args, args_schema, reader]);
}

function addNodes(known: Map<string, PayloadNode>, node: PayloadNode): void {
  // Two arguments that belong together are shown as one change. Beside their fields, each has its own value.
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
