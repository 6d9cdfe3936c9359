import { isOfFormat } from "./formats.ts";
import { linearMatcher } from "./patterns.ts";
import type { Schema } from "./schema.ts";
import { inWords } from "./sentences.ts";
import type { VerdictInWords } from "./sentences.ts";
import { validateWith } from "./validate-with.ts";
import type { ValidateWithOptions } from "./validate-with.ts";

export interface ValidateOptions extends Omit<ValidateWithOptions, "formats"> {
  /** "assert": the formats of formats.ts must match. "annotate" (default): `format` is only a hint. */
  formats?: "assert" | "annotate";
}

/**
 * Checks a JSON value. It is synchronous, never throws on JSON data, and gives the same verdict for the same input. Its
 * cost is at most the budget, or a quarter more if errors are collected.
 */
export function validate(schema: Schema, instance: unknown, options: ValidateOptions = {}): VerdictInWords {
  const formats = options.formats === "assert" ? isOfFormat : undefined;
  return inWords(validateWith(linearMatcher(), schema, instance, { ...options, formats }));
}
