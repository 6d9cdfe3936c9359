import { changesAmong, planChange } from "./changes.ts";
import type { Pair } from "./diff.ts";
import { IgnoredHints, readHints } from "./hints.ts";
import { isList, isObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { PAGE } from "./limits.ts";
import type { PayloadNode, Shown } from "./node.ts";
import { planChildren } from "./objects.ts";
import { planningOf, planValue, rootOf } from "./payload.ts";
import type { PayloadInput } from "./payload.ts";
import type { Planning, Subject } from "./planning.ts";
import * as schema from "./schema.ts";
import { childOf, itemOf } from "./subjects.ts";
import { json, limited, source } from "./texts.ts";

/** Characters of a text on a page after the first one. */
const PAGE_CHARACTERS = 50_000;

/**
 * Returns what a plan leaves out at one of its nodes: a value that was only counted, or the next page of a long value.
 * Returns null if there is nothing more.
 *
 * @param start - `next` of the node, or of its last page
 */
export function planMore(input: PayloadInput, node: PayloadNode, start: number): Shown | null {
  const ignored = new IgnoredHints();
  const found = subjectAt(input, rootOf(input, readHints(input.hints, ignored)), node.pointer);
  if (found === null) return null;
  const depth = Math.min(found.subject.depth, 1);
  const subject = { ...found.subject, depth };
  const planning = planningOf(input, subject.value, ignored, {
    depth,
    start,
    fields: PAGE,
    hasMain: true,
    ...(start > 0 && { textLength: PAGE_CHARACTERS }),
  });
  return planPage(planning, node, subject, found.around);
}

function planPage(planning: Planning, node: PayloadNode, subject: Subject, around: Subject | null): Shown {
  const { value, hints } = subject;
  const layers = schema.layersOf(planning.reader, subject.starts, value);
  switch (node.kind) {
    case "text":
    case "html":
      return limited(planning, node.kind, String(value));
    // The page begins in the middle of the text, where Markdown cannot be parsed.
    case "markdown":
      return limited(planning, "text", String(value));
    case "code":
      return source(planning, String(value), node.language);
    case "json":
      return json(planning, typeof value === "string" && hints?.widget !== "json" ? JSON.parse(value) : value);
    case "changes": {
      const pair = around !== null && isObject(around.value) ? pairAt(around, around.value, subject.key) : undefined;
      if (around === null || pair === undefined) break;
      const layersAround = schema.layersOf(planning.reader, around.starts, around.value);
      return planChange(planning, around, around.value as JsonObject, layersAround, pair);
    }
    case "group":
    case "tree":
    case "too_large": {
      if (!isObject(value) || (node.kind === "too_large" && node.next === undefined)) break;
      const fields = planChildren(planning, subject, value, layers);
      return { kind: "group", is_plain: false, is_other: false, ...fields };
    }
    default:
  }
  return planValue(planning, subject, layers);
}

/** Returns the change that a key shows together with its counterpart. */
function pairAt(subject: Subject, value: JsonObject, key: string): Pair | undefined {
  return [...changesAmong(subject, value, Object.keys(value)).pairs.values()].find(({ after }) => after === key);
}

/** Returns the value at a pointer with its schemas and hints, and its parent; null if there is no value. */
function subjectAt(
  input: PayloadInput,
  root: Subject,
  pointer: string,
): { subject: Subject; around: Subject | null } | null {
  const reader = schema.readerOf(input.payload_schema);
  let subject = root;
  let around: Subject | null = null;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const { value } = subject;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
    const layers = schema.layersOf(reader, subject.starts, value);
    around = subject;
    subject = isList(value)
      ? itemOf(subject, value, layers, Number(key))
      : childOf(subject, value as JsonObject, layers, key);
  }
  return { subject, around };
}
