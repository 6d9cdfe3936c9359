import { hintOf, isRaw } from "./hints.ts";
import type { Form } from "./plan.ts";

/** The form hints that also apply to a given answer. The others are about giving it. */
const KEPT = ["title", "enumNames", "order", "tone"];

const MAX_DEPTH = 32;

/** Returns hints for showing an answer like a payload, with the words of its form. */
export function answerHints(form: Form): unknown {
  return keptOf(form.hints.ui, 0);
}

function keptOf(ui: Readonly<Record<string, unknown>>, depth: number): unknown {
  const kept: [string, unknown][] = KEPT.flatMap((key) => {
    const value = hintOf(ui, key);
    return value === undefined ? [] : [[`ui:${key}`, value]];
  });
  for (const [key, value] of Object.entries(ui))
    if (!key.startsWith("ui:") && isRaw(value) && depth < MAX_DEPTH) kept.push([key, keptOf(value, depth + 1)]);
  const names = hintOf(ui, "enumNames");
  // If several options may be chosen, the names are those of the entries.
  if (names !== undefined && ui["items"] === undefined) kept.push(["items", { "ui:enumNames": names }]);
  return Object.fromEntries(kept);
}
