import { pathOf } from "./location.ts";
import type { Location } from "./location.ts";
import { pointerOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

/** One reason why a value does not fit its schema, as facts; sentences.ts puts it into words. */
export interface ValidationError {
  /** JSON Pointer into the instance. */
  path: string;
  keyword: string;
  /** null: there is nothing to say beyond the keyword. */
  params: ErrorParams | null;
  /** JSON Pointer into the schema document that holds the keyword. */
  schema_path: string;
}

/** What a sentence is made of; which of these it is depends on what is wrong. */
export type ErrorParams =
  /** A bound and the number, or how many were to be there and how many are. */
  | { readonly limit: number; readonly actual: number }
  /** The pattern or the format. */
  | { readonly limit: string }
  /** `actual` is the value itself. */
  | { readonly types: readonly string[]; readonly actual: unknown }
  | { readonly allowed: readonly unknown[] }
  /** The name of a property, and of the one that it has to accompany. */
  | { readonly missing: string; readonly beside?: string }
  /** Indexes of two items that are equal. */
  | { readonly same: readonly [number, number] }
  /** Indexes of two branches that both fit, of so many. */
  | { readonly fitting: readonly [number, number]; readonly branches: number }
  /** The schema of this place is `false`; `forbidden` is the key of the place. */
  | { readonly forbidden: string | number | null };

export function makeError(
  node: SchemaNode,
  location: Location,
  keyword: string,
  params: ErrorParams | null,
): ValidationError {
  return { path: pathOf(location), keyword, params, schema_path: pointerOf(node, keyword) };
}

/** `false` as a schema: says nothing by itself, so the keyword that holds it speaks. */
export function forbiddenError(node: SchemaNode, location: Location): ValidationError {
  const keyword = node.keyword === "" || node.keyword.startsWith("/") ? "false" : node.keyword;
  return { path: pathOf(location), keyword, params: { forbidden: location.key }, schema_path: pointerOf(node) };
}
