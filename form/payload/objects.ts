import { t } from "../../languages/text.ts";
import { changesAmong, planChange } from "./changes.ts";
import type { Pair } from "./diff.ts";
import { childHints, markUsed } from "./hints.ts";
import type { Hints } from "./hints.ts";
import { token } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { keysOf, orderedKeys } from "./key-order.ts";
import { isSection, MAX_DEPTH, rest, takeStart, tooLarge } from "./limits.ts";
import type { PayloadNode, Rest, Shown } from "./node.ts";
import type { Planning, Subject } from "./planning.ts";
import { readReference, showReference } from "./reference.ts";
import * as schema from "./schema.ts";
import type { Layers } from "./schema.ts";
import { childOf } from "./subjects.ts";
import { json } from "./texts.ts";
import { readableKey } from "./titles.ts";

export function planObject(planning: Planning, subject: Subject, value: JsonObject, layers: Layers): Shown {
  const { hints, depth } = subject;
  if (Object.keys(value).length === 0) {
    markUsed(hints);
    return { kind: "empty", what: "object" };
  }
  const file = readReference(value);
  if (file !== null) {
    markUsed(hints);
    return { kind: "reference", ...showReference(file, planning.formats.number) };
  }
  if (isSection(planning, subject)) return tooLarge(planning, value);
  if (depth > MAX_DEPTH) {
    markUsed(hints);
    return json(planning, value);
  }
  // An object that contains only a before and an after is shown as that change.
  const keys = Object.keys(value);
  const [pair] = keys.length === 2 ? changesAmong(subject, value, keys).pairs.values() : [];
  if (pair?.title === null) return planChange(planning, subject, value, layers, pair);
  const { children, ...left } = planChildren(planning, subject, value, layers);
  if (depth >= FOLDED_DEPTH) return { kind: "tree", children, ...left };
  return { kind: "group", children, is_plain: speaksForItself(value, children), is_other: false, ...left };
}

/** Deeper groups are folded, and even deeper ones are shown as JSON. */
const FOLDED_DEPTH = 4;

const SPEAKING = new Set([
  "name",
  "full_name",
  "fullName",
  "display_name",
  "displayName",
  "email",
  "email_address",
  "phone",
]);

/** Returns whether this is a person's name with contact details, which need no labels. */
function speaksForItself(value: JsonObject, children: readonly PayloadNode[]): boolean {
  const keys = Object.keys(value);
  if (keys.length > 4 || children.length !== keys.length || !keys.every((key) => SPEAKING.has(key))) return false;
  return children.every(
    (node) => node.kind === "link" || (node.kind === "text" && node.text.length <= 80 && !node.text.includes("\n")),
  );
}

/**
 * Returns the fields of an object in reading order. The last one groups the fields that its schema does not describe.
 */
export function planChildren(
  planning: Planning,
  subject: Subject,
  value: JsonObject,
  layers: Layers,
): { children: readonly PayloadNode[] } & Rest {
  const { hints } = subject;
  const start = takeStart(planning);
  const most = subject.depth === planning.depth ? planning.fields : Infinity;
  const { keys: all, unread } = keysOf(value, layers, hints, start);
  const { known, other } = orderedKeys(planning, value, all, layers, hints);
  const { pairs, silent } = changesAmong(subject, value, all);
  let leftOut = unread;
  let position = 0;
  let next: number | null = null;
  const plan = (keys: readonly string[]): PayloadNode[] => {
    const nodes: PayloadNode[] = [];
    for (const key of keys) {
      const pair = pairs.get(key);
      position += 1;
      if (position <= start) continue;
      if (silent.has(key)) markUsed(childHints(hints, key));
      else if (planning.nodes <= 0 || position > start + most) {
        leftOut += 1;
        next ??= position - 1;
      } else {
        const node =
          pair === undefined
            ? planning.planSubject(childOf(subject, value, layers, key))
            : pairNode(planning, subject, value, layers, pair);
        if (node !== null) nodes.push(node);
      }
    }
    return nodes;
  };
  const children = plan(known);
  const others = plan(other);
  markMissing(planning, hints, value, layers, leftOut);
  if (others.length > 0) children.push(otherData(subject, others));
  return { children, ...rest(leftOut, next ?? position) };
}

/** Marks hints as used if their field is left out, or is described but missing. */
function markMissing(
  planning: Planning,
  hints: Hints | null,
  value: JsonObject,
  layers: Layers,
  leftOut: number,
): void {
  if (leftOut === 0 && !schema.describesProperties(layers)) return;
  for (const [key, child] of hints?.children ?? []) {
    if (--planning.missing < 0) break;
    if (!Object.hasOwn(value, key) && (leftOut > 0 || schema.knowsProperty(layers, key))) {
      child.isUsed = true;
      markUsed(child);
    }
  }
}

function otherData({ pointer, depth }: Subject, children: readonly PayloadNode[]): PayloadNode {
  const place = { pointer, title: t("Other data"), description: null, help: null };
  return depth >= FOLDED_DEPTH
    ? { ...place, kind: "tree", children, left_out: 0 }
    : { ...place, kind: "group", children, is_plain: false, is_other: true, left_out: 0 };
}

function pairNode(planning: Planning, subject: Subject, value: JsonObject, layers: Layers, pair: Pair): PayloadNode {
  const title = pair.title ?? `${readableKey(pair.before)} → ${readableKey(pair.after).toLowerCase()}`;
  const place = { pointer: subject.pointer + token(pair.after), title, description: null, help: null };
  return { ...place, ...planChange(planning, subject, value, layers, pair) };
}
