import { pathOf } from "./location.ts";
import type { Location } from "./location.ts";
import { pointerOf } from "./schema.ts";
import type { SchemaNode } from "./schema.ts";

/** One reason why a value does not fit its schema, as data. sentences.ts makes the sentence. */
export interface ValidationError {
  /** JSON Pointer into the instance. */
  path: string;
  keyword: string;
  /** null if the keyword alone explains the error. */
  params: ErrorParams | null;
  /** JSON Pointer to the keyword in the schema document that contains it. */
  schema_path: string;
}

/** The values in the sentence. Their form depends on the keyword. */
export type ErrorParams =
  /** A bound and the number, or the expected and the actual count. */
  | { readonly limit: number; readonly actual: number }
  /** The pattern or the format. */
  | { readonly limit: string }
  /** `actual` is the value itself. */
  | { readonly types: readonly string[]; readonly actual: unknown }
  | { readonly allowed: readonly unknown[] }
  /** The name of the missing property, and of the property that requires it. */
  | { readonly missing: string; readonly beside?: string }
  /** Indexes of two equal items. */
  | { readonly same: readonly [number, number] }
  /** Indexes of two branches that both fit, and the number of branches. */
  | { readonly fitting: readonly [number, number]; readonly branches: number }
  /** The schema of this place is `false`. `forbidden` is the key of the place. */
  | { readonly forbidden: string | number | null };

export function makeError(
  node: SchemaNode,
  location: Location,
  keyword: string,
  params: ErrorParams | null,
): ValidationError {
  return { path: pathOf(location), keyword, params, schema_path: pointerOf(node, keyword) };
}

/**
 * Returns the error for `false` as a schema. It has no keyword of its own, so the keyword that contains it is reported.
 */
export function forbiddenError(node: SchemaNode, location: Location): ValidationError {
  const keyword = node.keyword === "" || node.keyword.startsWith("/") ? "false" : node.keyword;
  return { path: pathOf(location), keyword, params: { forbidden: location.key }, schema_path: pointerOf(node) };
}
