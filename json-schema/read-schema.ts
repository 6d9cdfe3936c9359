import { isObject } from "./equality.ts";
import { DRAFT_07, DRAFT_2020 } from "./keywords.ts";
import { addProblem, DEFAULT_LIMITS, endReading, ReadingEnded } from "./reading.ts";
import type { Reading, SchemaLimits, SchemaProblem } from "./reading.ts";
import { findLoop, resolveRefs, resolveUri, splitFragment } from "./references.ts";
import { IS_VETTED } from "./vetted.ts";
import { makeNode, makeResource } from "./schema.ts";
import type { Draft, Resource, Schema, SchemaNode } from "./schema.ts";

/** `nodeOf` maps each object of the original schema to its node. */
export type ReadSchema =
  | { readonly ok: true; readonly schema: Schema; readonly nodeOf: ReadonlyMap<object, SchemaNode> }
  | { readonly ok: false; readonly problems: SchemaProblem[] };

/**
 * Works like `parseSchema`, but with the caller's documents and without sentences. It is as strict, and as safe with
 * any JSON.
 *
 * @param documentAt - returns a document that schemas may refer to, by its absolute URI; undefined if it is unknown
 */
export function readSchema(
  raw: unknown,
  documentAt: (uri: string) => unknown,
  limits: SchemaLimits = DEFAULT_LIMITS,
): ReadSchema {
  const tooBig = IS_VETTED ? null : measure(raw, limits);
  if (tooBig !== null) return { ok: false, problems: [tooBig] };

  const reading: Reading = {
    limits,
    draft: "2020-12",
    limited: true,
    problems: [],
    nodes: 0,
    patterns: 0,
    properties: 0,
    pointerSteps: 0,
    resources: new Map(),
    nodeOf: new Map(),
    refs: [],
    isDynamic: false,
    tracks: false,
    subschema: (value, parent, keyword, key) => readNode(reading, value, parent, keyword, key, parent.resource),
  };
  const document = makeResource("", raw);
  try {
    reading.draft =
      draftOf(raw) ??
      (IS_VETTED ? "2020-12" : endReading(reading, "dialect", {}, makeNode(null, "", null, document, null), "$schema"));
    const draft = reading.draft;
    const root = readNode(reading, raw, null, "", null, document);
    // A document with an `$id` is its own resource. Then nothing outside of it is ever looked up.
    document.root ??= root;
    if (reading.refs.length > 0) {
      resolveRefs(reading, (uri) => loadDocument(reading, uri, documentAt(uri)));
      const loop = IS_VETTED ? null : findLoop(reading.refs.map((pending) => pending.node));
      if (loop !== null) addProblem(reading, "ref_loop", {}, loop, loop.ref === null ? undefined : "$ref");
    }
    if (!IS_VETTED && reading.problems.length > 0) return { ok: false, problems: reading.problems };
    const { isDynamic, tracks } = reading;
    const schema: Schema = { root, draft, hasRefs: reading.refs.length > 0, isDynamic, tracks };
    return { ok: true, schema, nodeOf: reading.nodeOf };
  } catch (error) {
    if (!IS_VETTED && error instanceof ReadingEnded) return { ok: false, problems: reading.problems };
    throw error;
  }
}

/** Checks size and depth before any recursive code reads the schema. */
function measure(raw: unknown, limits: SchemaLimits): SchemaProblem | null {
  let left = limits.characters;
  let tooDeep = false;
  const walk = (value: unknown, depth: number): void => {
    if (left < 0 || tooDeep) return;
    if (typeof value === "string") left -= value.length + 2;
    else if (typeof value !== "object" || value === null) left -= String(value).length;
    else if (depth >= limits.depth) tooDeep = true;
    else if (Array.isArray(value)) {
      left -= 2 + Math.max(0, value.length - 1);
      for (const item of value) walk(item, depth + 1);
    } else {
      const keys = Object.keys(value);
      left -= 2 + Math.max(0, keys.length - 1);
      for (const key of keys) {
        left -= key.length + 3;
        walk(Reflect.get(value, key), depth + 1);
      }
    }
  };
  walk(raw, 0);
  if (tooDeep) return { path: "", reason: "depth", params: { limit: limits.depth } };
  return left >= 0 ? null : { path: "", reason: "characters", params: { limit: limits.characters } };
}

/** Returns the dialect that a document names; undefined if it is not supported. */
function draftOf(raw: unknown): Draft | undefined {
  if (!isObject(raw) || !Object.hasOwn(raw, "$schema")) return "2020-12";
  const uri = raw["$schema"];
  if (typeof uri !== "string") return "2020-12";
  const name = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2020-12)\/schema#?$/.exec(uri)?.[1];
  return name === "draft-07" ? "draft-07" : name === undefined ? undefined : "2020-12";
}

function readNode(
  reading: Reading,
  raw: unknown,
  parent: SchemaNode | null,
  keyword: string,
  key: string | number | null,
  outer: Resource,
): SchemaNode {
  const { limits } = reading;
  if (!IS_VETTED && reading.limited && ++reading.nodes > limits.nodes)
    endReading(reading, "nodes", { limit: limits.nodes }, makeNode(null, "", null, outer, null));
  if (!isObject(raw)) {
    const node = makeNode(parent, keyword, key, outer, typeof raw === "boolean" ? raw : null);
    if (!IS_VETTED && typeof raw !== "boolean") addProblem(reading, "schema", {}, node);
    outer.root ??= node;
    return node;
  }
  // A key such as "constructor" must be data. So own properties are checked here, and the table of readers is a Map.
  const id = Object.hasOwn(raw, "$id") ? raw["$id"] : undefined;
  const resource = typeof id === "string" ? enterResource(reading, raw, id, outer) : outer;
  const node = makeNode(parent, keyword, key, resource, null);
  reading.nodeOf.set(raw, node);
  resource.root ??= node;

  const draft = reading.draft;
  if (resource !== outer && parent !== null) reading.draft = embeddedDraft(reading, raw, node);
  if (typeof id === "string") checkId(reading, node, id);
  const readers = reading.draft === "draft-07" ? DRAFT_07 : DRAFT_2020;
  const refOnly = reading.draft === "draft-07" && Object.hasOwn(raw, "$ref");
  for (const name of Object.keys(raw)) {
    // draft-07 ignores all siblings of a `$ref`. Definitions are still read, for pointers that lead into them.
    if (refOnly && name !== "$ref" && name !== "definitions") continue;
    readers.get(name)?.(reading, node, raw[name], name, raw);
  }
  reading.draft = draft;
  return node;
}

/** Returns the draft of a schema inside another document. Its own `$schema` may name the other draft. */
function embeddedDraft(reading: Reading, raw: Record<string, unknown>, node: SchemaNode): Draft {
  if (!Object.hasOwn(raw, "$schema")) return reading.draft;
  const draft = draftOf(raw);
  if (draft !== undefined) return draft;
  if (!IS_VETTED) addProblem(reading, "inner_dialect", {}, node, "$schema");
  return reading.draft;
}

/**
 * Returns the resource that an `$id` creates. Returns `outer` if the `$id` only names a place (draft-07), or is ignored
 * beside a `$ref`.
 */
function enterResource(reading: Reading, raw: Record<string, unknown>, id: string, outer: Resource): Resource {
  if (reading.draft === "draft-07" && (id.startsWith("#") || Object.hasOwn(raw, "$ref"))) return outer;
  const absolute = resolveUri(outer.uri, id);
  if (absolute === null) return outer;
  const [uri] = splitFragment(absolute);
  const resource = makeResource(uri, raw);
  if (!reading.resources.has(uri)) reading.resources.set(uri, resource);
  return resource;
}

function checkId(reading: Reading, node: SchemaNode, id: string): void {
  const { resource } = node;
  if (reading.draft === "draft-07") {
    if (id.startsWith("#") && id.length > 1) resource.anchors.set(id.slice(1), node);
  } else if (!IS_VETTED && !/^[^#]*#?$/.test(id)) {
    addProblem(reading, "id_fragment", {}, node, "$id");
  }
  if (!IS_VETTED && resource.root === node && resource.uri !== "" && reading.resources.get(resource.uri) !== resource)
    addProblem(reading, "id_twice", { text: id }, node, "$id");
}

/** Reads a document that is not from the client, once. Returns null if it is unknown. */
function loadDocument(reading: Reading, uri: string, raw: unknown): SchemaNode | null {
  if (raw === undefined) return null;
  const draft = reading.draft;
  reading.limited = false;
  reading.draft = draftOf(raw) ?? draft;
  if (isObject(raw) && !Object.hasOwn(raw, "$schema")) reading.draft = draft;
  const root = readNode(reading, raw, null, "", null, makeResource(uri, raw));
  // Its own `$id` may differ from the URI in the reference. Both lead to it.
  reading.resources.set(uri, root.resource);
  reading.limited = true;
  reading.draft = draft;
  return root;
}
