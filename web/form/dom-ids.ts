import type { FormNode } from "../../form/plan/nodes.ts";

/** Returns the id of the element for a field's name, or of a part of it. Distinct names have distinct ids. */
export function idOf(name: string, part = ""): string {
  const safe = name.replaceAll(/[^A-Za-z0-9/-]/gu, (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`);
  return `f${safe.replaceAll("/", ".")}${part === "" ? "" : `:${part}`}`;
}

/** Returns the target of a link to a field: its control, or the frame around several. */
export function anchorOf(node: FormNode): string {
  const isFrame = node.kind === "group" || node.kind === "list" || node.kind === "record";
  return idOf(node.name, isFrame ? "set" : "");
}
