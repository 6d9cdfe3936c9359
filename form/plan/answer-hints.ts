import { hintOf, isRaw } from "./hints.ts";
import type { Form } from "./plan.ts";

/** What the hints of a form say about an answer that was given. The others are about how to give it. */
const KEPT = ["title", "enumNames", "order", "tone"];

const MAX_DEPTH = 32;

/** Returns hints for showing an answer as a payload is shown, in the words in which it was asked for. */
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
  // Where several may be chosen, the names are those of the entries.
  if (names !== undefined && ui["items"] === undefined) kept.push(["items", { "ui:enumNames": names }]);
  return Object.fromEntries(kept);
}
