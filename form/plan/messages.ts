import { currentLanguage, plural, t } from "../../languages/text.ts";
import { capitalized } from "../titles.ts";
import type { FormNode, Problem } from "./nodes.ts";

/*
 * Sentences about what is entered, the same in the dashboard, on the email page and in Slack. Readers do not know what a schema is,
 * so the sentences tell them what to do, not which rule is violated.
 */

/** Describes a problem with an entry. */
export function sayProblem(problem: Problem): string {
  switch (problem.code) {
    case "missing":
      return t("Required");
    case "choose":
      return t("Choose one.");
    case "tick":
      return t("Tick this box to continue.");
    case "not_typed":
      return t("Type this text exactly.");
    case "name_missing":
      return t("Enter a name, or remove this entry.");
    case "name_twice":
      return t("This name is already in use. Enter another one.");
    case "not_in_list":
      return t("Choose one from the list.");
    case "not_a_color":
      return t("Enter a color such as #1a7f4b.");
    case "not_a_number":
      return t("Enter a number, such as 12 or 12.5.");
    case "not_whole":
      return t("Enter a whole number, without decimals.");
    case "thousands":
      return t("Remove the thousands separator (1234, not 1,234).");
    case "too_exact":
      return t("This number has too many digits to be stored exactly. Use fewer digits.");
    case "too_deep":
      return t("This is nested too deeply. Use at most 64 levels.");
    case "not_a_date":
      return t("Enter a valid date, such as 2026-03-31.");
    case "not_a_time":
      return t("Enter a time such as 14:30.");
    case "no_such_time":
      return t("This time does not exist, because the clocks go forward that night. Choose another time.");
    case "not_json":
      return problem.line > 0
        ? t("Not valid JSON (line {line}). Put names and text in double quotes, separated by commas.", {
            line: problem.line,
          })
        : t("Not valid JSON. Put names and text in double quotes, separated by commas.");
  }
}

let sayFormat: (format: unknown) => string | null = () => null;

/** Sets what says how to enter a text of a format, and null for an unknown one. */
export function setFormatSentences(say: typeof sayFormat): void {
  sayFormat = say;
}

function sayType(name: unknown): string {
  switch (name) {
    case "string":
      return t('text in quotes, such as "hello"');
    case "number":
      return t("a number");
    case "integer":
      return t("a whole number");
    case "boolean":
      return t("true or false");
    case "array":
      return t("a list in [ ]");
    case "object":
      return t("an object in { }");
    case "null":
      return "null";
    default:
      return t("another kind of value");
  }
}

/** Returns "a, b or c" in the current language. */
export function orList(words: readonly string[]): string {
  return listOf(words, "disjunction");
}

/** Returns "a, b and c" in the current language. */
export function andList(words: readonly string[]): string {
  return listOf(words, "conjunction");
}

function listOf(words: readonly string[], type: "conjunction" | "disjunction"): string {
  // American English has a comma before the last one.
  return new Intl.ListFormat(currentLanguage() === "en" ? "en-GB" : currentLanguage(), { type }).format(words);
}

function sayStep(step: unknown): string {
  const decimals = typeof step === "number" ? Math.round(-Math.log10(step)) : -1;
  if (decimals > 0 && 10 ** -decimals === step)
    return plural(decimals, "Use at most {n} decimal place.", "Use at most {n} decimal places.");
  return step === 1
    ? t("Enter a whole number, without decimals.")
    : t("Use a multiple of {step}.", { step: String(step) });
}

function sayPattern(node: FormNode): string {
  if (node.kind === "text") {
    const known = sayFormat(node.format);
    if (known !== null) return known;
    const example = node.example ?? node.placeholder;
    if (example !== null) return t("Use this format: {example}", { example });
  }
  return t("This doesn't match the expected format.");
}

const isMany = (node: FormNode): boolean => node.kind === "choice" && node.multiple;

/** Describes a value that violates a keyword of its schema. `limit` is the value of the keyword, if known. */
export function sayBroken(keyword: string, limit: unknown, node: FormNode): string {
  const n = typeof limit === "number" ? limit : null;
  switch (keyword) {
    case "minLength":
      return n === null
        ? t("This is too short.")
        : plural(n, "Use at least {n} character.", "Use at least {n} characters.");
    case "maxLength":
      return n === null
        ? t("This is too long.")
        : plural(n, "Use at most {n} character.", "Use at most {n} characters.");
    case "minimum":
      return n === null ? t("This number is too small.") : t("Use {n} or more.", { n });
    case "maximum":
      return n === null ? t("This number is too large.") : t("Use {n} or less.", { n });
    case "exclusiveMinimum":
      return n === null ? t("This number is too small.") : t("Use more than {n}.", { n });
    case "exclusiveMaximum":
      return n === null ? t("This number is too large.") : t("Use less than {n}.", { n });
    case "multipleOf":
      return sayStep(limit);
    case "pattern":
      return sayPattern(node);
    case "format":
      return sayFormat(limit ?? (node.kind === "text" ? node.format : null)) ?? sayPattern(node);
    case "minItems":
      if (isMany(node)) return t("Choose at least {n}.", { n: n ?? 1 });
      return plural(n ?? 1, "Add at least {n} entry.", "Add at least {n} entries.");
    case "maxItems":
      if (isMany(node)) return n === null ? t("Choose fewer.") : t("Choose at most {n}.", { n });
      return n === null ? t("Remove some.") : plural(n, "Keep at most {n} entry.", "Keep at most {n} entries.");
    case "uniqueItems":
      return t("Each entry must be different. Change or remove the duplicate.");
    case "minProperties":
      return n === null ? t("Fill in more of these.") : t("Fill in at least {n} of these.", { n });
    case "maxProperties":
      return n === null ? t("Fill in fewer of these.") : t("Fill in at most {n} of these.", { n });
    case "enum":
    case "const":
      return node.kind === "json" ? t("This value is not allowed.") : t("Choose one of the options.");
    case "required":
    case "dependentRequired":
    case "dependencies":
      return t("A required value is missing here.");
    case "propertyNames":
      return t("This name is not allowed.");
    case "additionalProperties":
    case "unevaluatedProperties":
      return t("This field is not allowed. Remove it.");
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return t("There are too many entries. Remove some.");
    case "contains":
    case "minContains":
    case "maxContains":
      return t("The number of matching entries is wrong. Add or remove some.");
    case "type":
      return node.kind === "json"
        ? t("Use {kinds} here.", { kinds: orList((Array.isArray(limit) ? limit : [limit]).map(sayType)) })
        : t("This type of value is not allowed here.");
    default:
      return node.kind === "group"
        ? t("These answers conflict. Change one of them.")
        : t("This value is not allowed here.");
  }
}

/** Describes which values are accepted, before anything is entered. */
export function demandOf(node: FormNode): string | null {
  switch (node.kind) {
    case "number": {
      const { min, max, above, below } = node;
      if (min !== null && max !== null) return t("{min} to {max}", { min, max });
      const bounds = [
        min !== null ? t("{n} or more", { n: min }) : above !== null ? t("more than {n}", { n: above }) : null,
        max !== null ? t("at most {n}", { n: max }) : below !== null ? t("less than {n}", { n: below }) : null,
      ].filter((bound) => bound !== null);
      return bounds.length === 0 ? null : capitalized(bounds.join(", "));
    }
    case "text": {
      const { min } = node;
      return min !== null && min > 1 ? plural(min, "At least {n} character", "At least {n} characters") : null;
    }
    case "list":
    case "choice": {
      const { min, max } = node;
      const isChoice = node.kind === "choice";
      if (isChoice ? !node.multiple : !node.canAdd && !node.canRemove) return null;
      if (min !== null && max !== null && min > 0) {
        if (min === max) return isChoice ? t("Choose {n}", { n: min }) : t("Exactly {n}", { n: min });
        return isChoice ? t("Choose {min} to {max}", { min, max }) : t("{min} to {max}", { min, max });
      }
      if (min !== null && min > 0)
        return isChoice ? t("Choose at least {n}", { n: min }) : t("At least {n}", { n: min });
      if (max === null) return null;
      return isChoice ? t("Choose at most {n}", { n: max }) : t("At most {n}", { n: max });
    }
    case "json":
      return t('Enter JSON, such as "text", 12, [1, 2] or {"name": "value"}');
    default:
      return null;
  }
}

/** At least one of these fields is required. */
export function sayOneNeeded(titles: readonly string[]): string {
  return t("Fill in {fields}.", { fields: orList(titles) });
}

export function sayOnlyOne(titles: readonly string[]): string {
  return t("Fill in only one of these: {fields}.", { fields: orList(titles) });
}

/** Fields that a JSON object lacks. */
export function sayMissing(names: readonly string[]): string {
  const fields = names.map((name) => JSON.stringify(name)).join(", ");
  return plural(names.length, "Add the missing field {fields}.", "Add the missing fields {fields}.", { fields });
}

/** For a JSON field: `message` is about the part at `path`. */
export function sayAt(path: string, message: string): string {
  return t("At {path}: {message}", { path, message });
}

/** The answer is too large to check. */
export function sayTooLarge(): string {
  return t("This answer is too large to check. Make it smaller.");
}
