import { markUsed } from "./hints.ts";
import { isScalar } from "./json.ts";
import { entriesIn, FIRST_ENTRIES, isSection, MAX_CHIP, MAX_DEPTH, rest, takeStart, tooLarge } from "./limits.ts";
import type { PayloadNode, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import type { Layers } from "./schema.ts";
import { itemOf } from "./subjects.ts";
import { MAX_COLUMNS, planTable } from "./tables.ts";
import { json } from "./texts.ts";

export function planList(planning: Planning, subject: Subject, value: readonly unknown[], layers: Layers): Shown {
  if (value.length === 0) {
    markUsed(subject.hints);
    return { kind: "empty", what: "list" };
  }
  if (isSection(planning, subject)) return tooLarge(planning, value);
  if (subject.depth > MAX_DEPTH) {
    markUsed(subject.hints);
    return json(planning, value);
  }
  const table = planTable(planning, subject, value, layers, MAX_COLUMNS);
  if (table !== null) return table;
  const items: PayloadNode[] = [];
  const start = takeStart(planning);
  const end = Math.min(value.length, start + entriesIn(planning, value.length, start, FIRST_ENTRIES));
  let i = start;
  for (; i < end && planning.nodes > 0; i++) {
    const node = planning.planSubject(itemOf(subject, value, layers, i));
    if (node === null) continue;
    items.push(isScalar(value[i]) ? node : { ...node, title: `${node.title} ${i + 1}` });
  }
  // No hint is wrong because its item is left out.
  for (const hints of subject.hints?.positions.slice(i, value.length) ?? []) {
    hints.isUsed = true;
    markUsed(hints);
  }
  const kind = items.every(isChip) ? "chips" : "list";
  return { kind, items, ...(start > 0 && { first: start }), ...rest(value.length - i, i) };
}

function isChip(node: PayloadNode): boolean {
  switch (node.kind) {
    case "text":
      return node.text.length <= MAX_CHIP && !node.text.includes("\n");
    case "number":
    case "currency":
    case "percent":
    case "unit":
    case "choice":
    case "boolean":
    case "empty":
      return true;
    default:
      return false;
  }
}
