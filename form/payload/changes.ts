import { pairsOf, planPair } from "./diff.ts";
import type { Pair } from "./diff.ts";
import type { JsonObject } from "./json.ts";
import type { Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import type { Layers } from "./schema.ts";
import { childOf } from "./subjects.ts";

/** Returns which keys show a change, and which are silent because another key shows them. */
export function changesAmong(
  { hints, pointer }: Subject,
  value: JsonObject,
  keys: readonly string[],
): { pairs: ReadonlyMap<string, Pair>; silent: ReadonlySet<string> } {
  const pairs = new Map<string, Pair>();
  const silent = new Set<string>();
  for (const pair of pairsOf(keys)) {
    const asks = [pair.before, pair.after].map((key) => hints?.children.get(key)?.widget);
    if (asks.some((widget) => widget === "hidden" || widget === "diff")) continue;
    pairs.set(pair.before, pair);
    silent.add(pair.after);
  }
  for (const key of keys) {
    const child = hints?.children.get(key);
    if (child?.widget !== "diff") continue;
    for (const side of ["before", "after"] as const) {
      const sibling = keyAt(pointer, child.options.get(side));
      if (sibling === null || sibling === key || !Object.hasOwn(value, sibling)) continue;
      if (hints?.children.get(sibling)?.widget == null) silent.add(sibling);
    }
  }
  return { pairs, silent };
}

/** Returns the key that a pointer names in the object at `pointer`; null if it leads elsewhere. */
function keyAt(pointer: string, target: unknown): string | null {
  if (typeof target !== "string" || !target.startsWith(`${pointer}/`)) return null;
  const part = target.slice(pointer.length + 1);
  return part.includes("/") ? null : part.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function planChange(planning: Planning, subject: Subject, value: JsonObject, layers: Layers, pair: Pair): Shown {
  const side = (key: string) => childOf(subject, value, layers, key);
  return planPair(planning, side(pair.before), side(pair.after));
}
