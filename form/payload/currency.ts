import type { Hints } from "./hints.ts";
import { at, resolve } from "./json.ts";
import type { Planning } from "./planning.ts";

/** Returns a code such as EUR: written in the hint, pointed to by it, or beside the amount. */
export function currencyOf(planning: Planning, hints: Hints | null, parent: unknown): string | null {
  const option = hints?.options.get("currency");
  if (option === undefined) {
    const beside = at(parent, "currency");
    return typeof beside === "string" ? beside : null;
  }
  const code = typeof option === "string" && option.startsWith("/") ? pointedAt(planning, parent, option) : option;
  return typeof code === "string" ? code : null;
}

/** Resolves a hint's pointer from the payload, or else from the object that has the hint, as rows of a table need. */
function pointedAt(planning: Planning, parent: unknown, pointer: string): unknown {
  return resolve(planning.payload, pointer) ?? resolve(parent, pointer);
}
