import type { PayloadNode, PayloadPlan } from "./node.ts";
import { oneLine } from "../plain-text.ts";

export interface Fact {
  readonly title: string;
  readonly text: string;
}

const MAX_TITLE = 80;
const MAX_TEXT = 200;
/** Characters of a value that are read: many times more than are shown, because some of them may be invisible. */
const MAX_READ = 4_000;

/**
 * Returns facts for email and chat: the first single values up to a number, or those at the pointers. A redacted
 * payload has none, and masked values are never included.
 */
export function summarise(plan: PayloadPlan, wanted: number | readonly string[]): readonly Fact[] {
  return [...factsByPointer(plan, wanted).values()];
}

/** Returns the same facts by the pointers of their values. */
export function factsByPointer(plan: PayloadPlan, wanted: number | readonly string[]): ReadonlyMap<string, Fact> {
  if (plan.is_redacted) return new Map();
  const facts = new Map<string, Fact>();
  const limit = typeof wanted === "number" ? wanted : Infinity;
  for (const node of plan.nodes) addFacts(facts, node, null, limit);
  if (typeof wanted === "number") return facts;
  return new Map(
    wanted.flatMap((pointer) => {
      const fact = facts.get(pointer);
      return fact === undefined ? [] : [[pointer, fact] as const];
    }),
  );
}

/** Returns each single value by its pointer, those in rows of lists as well. */
export function allFacts(plan: PayloadPlan): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Fact>();
  if (!plan.is_redacted) for (const node of plan.nodes) addAll(facts, node, null);
  return facts;
}

function addAll(facts: Map<string, Fact>, node: PayloadNode, group: string | null): void {
  // A change of two values is no value at either pointer.
  const text = node.kind === "diff" ? null : factText(node);
  if (text !== null) facts.set(node.pointer, factOf(node, group, text));
  if ("children" in node) {
    const isUnnamed = node.kind === "group" && node.is_other;
    for (const child of node.children) addAll(facts, child, isUnnamed ? group : node.title);
  }
  // A row has no title of its own.
  const rows = "items" in node ? node.items : node.kind === "table" ? node.rows.flat() : [];
  for (const row of rows) for (const part of "children" in row ? row.children : [row]) addAll(facts, part, null);
  if (node.kind === "diff") for (const side of [node.before, node.after]) if (side !== null) addAll(facts, side, group);
}

function factOf({ title }: PayloadNode, group: string | null, text: string): Fact {
  return { title: lineOf(group === null ? title : `${group} · ${title}`, MAX_TITLE), text: lineOf(text, MAX_TEXT) };
}

function addFacts(facts: Map<string, Fact>, node: PayloadNode, group: string | null, limit: number): void {
  if (facts.size >= limit) return;
  const text = factText(node);
  if (text !== null) facts.set(node.pointer, factOf(node, group, text));
  else if (node.kind === "group" || node.kind === "tree") {
    const isUnnamed = node.kind === "group" && node.is_other;
    for (const child of node.children) addFacts(facts, child, isUnnamed ? group : node.title, limit);
  }
}

/** Returns null if the node is not a single value, or is confidential. */
function factText(node: PayloadNode): string | null {
  switch (node.kind) {
    case "text":
    case "number":
    case "currency":
    case "percent":
    case "unit":
    case "choice":
    case "boolean":
    case "link":
    case "file":
    case "reference":
      return node.text;
    case "date":
    case "time":
    case "date-time":
      return node.full_text;
    case "chips": {
      const texts = node.items.map((item) => factText(item)).filter((text) => text !== null);
      return texts.length === node.items.length ? texts.join(", ") : null;
    }
    case "diff": {
      const [before, after] = [node.before, node.after].map((side) => (side === null ? null : factText(side)));
      return before == null || after == null ? null : `${before} → ${after}`;
    }
    default:
      return null;
  }
}

function lineOf(text: string, length: number): string {
  const line = oneLine(text.slice(0, MAX_READ).replace(/[\uD800-\uDBFF]$/, ""));
  if (line.length <= length && text.length <= MAX_READ) return line;
  return `${line.slice(0, length - 3).replace(/[\uD800-\uDBFF]$/, "")}...`;
}
