import type { Reason } from "./problems.ts";
import { addProblem, endReading } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { isCompound, isObject } from "./equality.ts";
import type { SchemaNode } from "./schema.ts";
import { IS_VETTED } from "./vetted.ts";

/** The base of relative `$id`s in a document without an absolute one. It is never shown and never fetched. */
const DOCUMENT_BASE = "json-schema://document/";

/**
 * The limit of JSON Pointer steps in all references together. Thousands of long pointers would take tens of
 * milliseconds.
 */
const MAX_POINTER_STEPS = 20_000;

/** Resolves `reference` against `base`. Returns null instead of throwing if it is not a URI reference. */
export function resolveUri(base: string, reference: string): string | null {
  try {
    return new URL(reference, base === "" ? DOCUMENT_BASE : base).href;
  } catch {
    return null;
  }
}

/** "https://host/a#b" -> ["https://host/a", "b"]. Without a fragment, the second part is "". */
export function splitFragment(uri: string): [string, string] {
  const hash = uri.indexOf("#");
  return hash < 0 ? [uri, ""] : [uri.slice(0, hash), uri.slice(hash + 1)];
}

/** Resolves every `$ref` and `$dynamicRef` to a node. Also reads places that only a pointer leads to. */
export function resolveRefs(reading: Reading, loadDocument: (uri: string) => SchemaNode | null): void {
  // A for-of loop would be wrong: reading a place may add references.
  for (let i = 0; i < reading.refs.length; i++) {
    const pending = reading.refs[i];
    if (pending === undefined) break;
    const { node, keyword, ref } = pending;
    const target = resolveRef(reading, node, keyword, ref, loadDocument);
    if (target === null) continue;
    target.isTarget = true;
    if (keyword === "$ref") {
      node.ref = target;
      continue;
    }
    // Only a name from `$dynamicAnchor` is looked up in the scope. Otherwise it is a plain reference.
    const name = splitFragment(ref)[1];
    const isDynamic = target.resource.dynamicAnchors.get(name) === target;
    node.dynamicRef = { name: isDynamic ? name : null, fallback: target };
    if (isDynamic) reading.isDynamic = true;
  }
}

function resolveRef(
  reading: Reading,
  node: SchemaNode,
  keyword: string,
  ref: string,
  loadDocument: (uri: string) => SchemaNode | null,
): SchemaNode | null {
  const fail = (reason: Reason, text = ref): null => {
    addProblem(reading, reason, { text }, node, keyword);
    return null;
  };
  let resource = node.resource;
  let fragment = ref.slice(1);
  if (ref !== "" && !ref.startsWith("#")) {
    const absolute = resolveUri(resource.uri, ref);
    if (absolute === null) return fail("ref_syntax");
    const [uri, rest] = splitFragment(absolute);
    fragment = rest;
    const found = reading.resources.get(uri) ?? loadDocument(uri)?.resource;
    if (found === undefined) return fail("ref_outside");
    resource = found;
  }
  const name = decode(fragment);
  if (name === null) return fail("ref_encoding");
  if (name === "") return resource.root;
  if (!name.startsWith("/")) return resource.anchors.get(name) ?? fail("ref_anchor", name);
  const root = resource.root;
  const target = root === null ? null : followPointer(reading, root, resource.raw, name);
  return target ?? fail("ref_nothing");
}

function decode(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** Returns the subschema at a JSON Pointer below `root`. Keys are data: `__proto__` is found only if it was written. */
function followPointer(reading: Reading, root: SchemaNode, raw: unknown, pointer: string): SchemaNode | null {
  let value: unknown = raw;
  let nearest = root;
  let wayStart = 0;
  for (let start = 1; start <= pointer.length;) {
    if (!IS_VETTED && ++reading.pointerSteps > MAX_POINTER_STEPS)
      endReading(reading, "pointer_steps", { limit: MAX_POINTER_STEPS }, root);
    const slash = pointer.indexOf("/", start);
    const end = slash < 0 ? pointer.length : slash;
    const part = pointer.slice(start, end);
    const token = part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part;
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      value = /^(?:0|[1-9][0-9]*)$/.test(token) ? items[Number(token)] : undefined;
    } else if (isObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return null;
    start = end + 1;
    const known = isCompound(value) ? reading.nodeOf.get(value) : undefined;
    if (known !== undefined) {
      nearest = known;
      wayStart = end;
    }
  }
  if (wayStart === pointer.length) return nearest;
  // No keyword declares this place as a schema, or it is a boolean. The reference makes it a schema.
  if (typeof value !== "boolean" && !isObject(value)) return null;
  return reading.subschema(value, nearest, pointer.slice(wayStart), null);
}

/**
 * Returns the first node that would be checked against the same value again: through references, `allOf` and similar
 * keywords, without descending into a property or an item. Returns null if there is no such loop.
 */
export function findLoop(start: readonly SchemaNode[]): SchemaNode | null {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  const stack: { node: SchemaNode; next: SchemaNode[] }[] = [];
  for (const first of start) {
    if (done.has(first)) continue;
    open.add(first);
    stack.push({ node: first, next: inPlace(first) });
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const node = top.next.pop();
      if (node === undefined) {
        open.delete(top.node);
        done.add(top.node);
        stack.pop();
      } else if (open.has(node)) return top.node;
      else if (!done.has(node)) {
        open.add(node);
        stack.push({ node, next: inPlace(node) });
      }
    }
  }
  return null;
}

/** Returns the nodes that check the same value. */
function inPlace(node: SchemaNode): SchemaNode[] {
  const nodes = [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  for (const child of [node.ref, node.dynamicRef?.fallback, node.not, node.if, node.onTrue, node.onFalse])
    if (child !== null && child !== undefined) nodes.push(child);
  if (node.object?.dependentSchemas) nodes.push(...node.object.dependentSchemas.values());
  return nodes;
}
