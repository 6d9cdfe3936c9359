import { isOfFormat } from "../../json-schema/formats.ts";
import { linearMatcher } from "../../json-schema/patterns.ts";
import type { TextRules } from "./schema-view.ts";

/** Settles patterns and formats here. A module of its own, since it is as large as all the rest of a form. */
export const TEXT_RULES: TextRules = {
  // A matcher is made for one validation; the texts of a form are few and short.
  matches: (budget, pattern, text) => linearMatcher()(budget, pattern, text),
  isOfFormat,
};
