import { isOfFormat } from "../../json-schema/formats.ts";
import { linearMatcher } from "../../json-schema/patterns.ts";
// oxlint-disable-next-line import/no-unassigned-import -- it sets the sentences about formats
import "./format-sentences.ts";
import type { TextRules } from "./schema-view.ts";

/**
 * Checks patterns and formats in the browser. It is a separate module, because it is as large as the rest of a form.
 */
export const TEXT_RULES: TextRules = {
  // Each matcher is for one validation. The texts of a form are few and short.
  matches: (budget, pattern, text) => linearMatcher()(budget, pattern, text),
  isOfFormat,
};
