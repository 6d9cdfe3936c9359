import { isOfFormat } from "./formats.ts";
import { linearMatcher } from "./patterns.ts";
import type { Schema } from "./schema.ts";
import { inWords } from "./sentences.ts";
import type { VerdictInWords } from "./sentences.ts";
import { validateWith } from "./validate-with.ts";
import type { ValidateWithOptions } from "./validate-with.ts";

export interface ValidateOptions extends Omit<ValidateWithOptions, "formats"> {
  /** "assert": the formats of formats.ts must hold. "annotate" (default): `format` is only a hint. */
  formats?: "assert" | "annotate";
}

/**
 * Checks a JSON value. Synchronous, never throws on JSON data, and the same input gets the same verdict every time, at
 * the cost of the budget at most (a quarter more when errors are collected).
 */
export function validate(schema: Schema, instance: unknown, options: ValidateOptions = {}): VerdictInWords {
  const formats = options.formats === "assert" ? isOfFormat : undefined;
  return inWords(validateWith(linearMatcher(), schema, instance, { ...options, formats }));
}
