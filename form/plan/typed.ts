import type { FormNode } from "./nodes.ts";
import type { FieldContext } from "./planning.ts";
import { first } from "./schema-view.ts";
import { planText } from "./texts.ts";

/**
 * Returns a control for a text that a person must type, so that nobody gives an answer by a slip; null if the field is another
 * one. A form demands the text even where the schema does not, so that a program may leave it out.
 */
export function planTyped(field: FieldContext): FormNode | null {
  const wanted = first(field.place, "const");
  if (field.hints.widget !== "typed" || typeof wanted !== "string") return null;
  const node = planText({ ...field, base: { ...field.base, required: true }, preset: null });
  // Phones begin a text with a capital letter and may end it with a blank.
  return node.entry[0]?.trim().toLowerCase() === wanted.toLowerCase()
    ? { ...node, value: wanted, problem: null }
    : { ...node, value: undefined, problem: { code: "not_typed" } };
}
