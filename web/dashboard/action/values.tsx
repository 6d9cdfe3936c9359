import { Suspense, useMemo } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { nodesByPointer } from "../../../form/payload/by-pointer.ts";
import { planPair } from "../../../form/payload/diff.ts";
import { IgnoredHints, readHints } from "../../../form/payload/hints.ts";
import type { PayloadPlan } from "../../../form/payload/node.ts";
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
    const ignored = new IgnoredHints();
    const planning = planningOf(after, [action.args, args], ignored);
    const hints = readHints(action.ui_schema, ignored);
    const shown = planPair(planning, rootOf(before, hints), rootOf(after, hints));
    const node = { pointer: "", title: t("What was changed"), description: null, help: null, ...shown };
    return { nodes: [node], left_out: 0, is_redacted: false, is_too_large: false, is_partial: false, ignored: [] };
  }, [action, args, reader]);
  return <PlannedPayload plan={plan} />;
}

/** Renders the original argument at a JSON Pointer, as the payload view shows it; undefined if that leaves it out. */
export type DrawArgument = (pointer: string) => ReactNode;

/** Returns how to show single arguments of an action. */
export function useArguments({ args, args_schema, ui_schema }: Action): DrawArgument {
  const reader = useReader();
  return useMemo(() => {
    const { nodes } = planPayload({ payload: args, payload_schema: args_schema, hints: ui_schema, ...reader });
    const known = nodesByPointer(nodes);
    const [plain, whole] = [drawingOf({}), drawingOf(LATER)];
    return (pointer) => {
      const node = known.get(pointer);
      return node && <Suspense fallback={plain.draw(node)}>{whole.draw(node)}</Suspense>;
    };
  }, [args, args_schema, ui_schema, reader]);
}
