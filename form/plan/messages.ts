import { capitalized } from "../titles.ts";
import type { FormNode, Problem } from "./nodes.ts";

/**
 * All texts of a form, the same in the dashboard, on the email page and in Slack. Readers do not know what a schema is,
 * so the texts tell them what to do, not which rule is violated. Another language is another object of this type.
 */
export interface Messages {
  /** Describes a problem with an entry. */
  readonly problem: (problem: Problem) => string;
  /** Describes a value that violates a keyword of its schema. `limit` is the value of the keyword, if known. */
  readonly broken: (keyword: string, limit: unknown, node: FormNode) => string;
  /** At least one of these fields is required. */
  readonly oneNeeded: (titles: readonly string[]) => string;
  readonly onlyOne: (titles: readonly string[]) => string;
  /** Fields that a JSON object lacks. */
  readonly namesMissing: (names: readonly string[]) => string;
  /** For a JSON field: `message` is about the part at `path`. */
  readonly at: (path: string, message: string) => string;
  /** The answer is too large to check. */
  readonly unchecked: string;
  /** Describes which values are accepted, before anything is entered. */
  readonly demand: (node: FormNode) => string | null;
  readonly words: Words;
}

/** Labels and notices of a form. */
export interface Words {
  readonly optional: string;
  readonly choose: string;
  readonly none: string;
  readonly clear: string;
  readonly add: (item: string) => string;
  readonly remove: string;
  readonly openWhat: (title: string) => string;
  readonly filter: (options: number) => string;
  readonly zone: (name: string) => string;
  readonly count: (used: number, most: number) => string;
  readonly submit: string;
  readonly submitting: string;
  readonly checking: string;
  readonly goBack: string;
  readonly asJson: string;
  readonly asForm: string;
  readonly confirm: string;
  readonly invalid: (errors: number) => string;
  readonly sentBack: (attempt: string) => string;
  readonly sent: string;
  readonly offline: string;
  readonly failed: string;
  readonly nothing: string;
}

/** Words of a page without scripts, which other pages do not load. */
export const POSTED_WORDS = {
  update: "Update questions",
  changedQuestions: "Not sent yet. Your answers changed which questions apply. Please review.",
};

function count(n: unknown, one: string, many = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

const PROBLEMS: Readonly<Record<Exclude<Problem["code"], "not_json">, string>> = {
  missing: "Required",
  choose: "Choose one.",
  tick: "Tick this box to continue.",
  not_typed: "Type this text exactly.",
  name_missing: "Enter a name, or remove this entry.",
  name_twice: "This name is already in use. Enter another one.",
  not_in_list: "Choose one from the list.",
  not_a_color: "Enter a color such as #1a7f4b.",
  not_a_number: "Enter a number, such as 12 or 12.5.",
  not_whole: "Enter a whole number, without decimals.",
  thousands: "Remove the thousands separator (1234, not 1,234).",
  too_exact: "This number has too many digits to be stored exactly. Use fewer digits.",
  too_deep: "This is nested too deeply. Use at most 64 levels.",
  not_a_date: "Enter a valid date, such as 2026-03-31.",
  not_a_time: "Enter a time such as 14:30.",
  no_such_time: "This time does not exist, because the clocks go forward that night. Choose another time.",
};

/** By format. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "Enter an email address, such as name@example.com.",
  uri: "Enter a complete web address, such as https://example.com/page.",
  uuid: "Enter an identifier such as 123e4567-e89b-12d3-a456-426614174000.",
  date: "Enter a valid date, such as 2026-03-31.",
  time: "Enter a time such as 14:30.",
  "date-time": "Enter a date and a time.",
  duration: "Enter a duration such as P3D (3 days) or PT2H30M (2 hours 30 minutes).",
  hostname: "Enter a host name such as www.example.com.",
  ipv4: "Enter an IP address such as 192.0.2.1.",
  ipv6: "Enter an IP address such as 2001:db8::1.",
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text in quotes, such as "hello"',
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list in [ ]",
  object: "an object in { }",
  null: "null",
};

function typeSentence(limit: unknown): string {
  const names = (Array.isArray(limit) ? (limit as unknown[]) : [limit]).map(
    (name) => TYPE_WORDS[String(name)] ?? "another kind of value",
  );
  return `Use ${orList(names)} here.`;
}

function stepSentence(step: unknown): string {
  const decimals = typeof step === "number" ? Math.round(-Math.log10(step)) : -1;
  if (decimals > 0 && 10 ** -decimals === step) return `Use at most ${count(decimals, "decimal place")}.`;
  return step === 1 ? "Enter a whole number, without decimals." : `Use a multiple of ${String(step)}.`;
}

function patternSentence(node: FormNode): string {
  if (node.kind === "text") {
    if (node.format !== null && Object.hasOwn(FORMATS, node.format)) return FORMATS[node.format]!;
    const example = node.example ?? node.placeholder;
    if (example !== null) return `Use this format: ${example}`;
  }
  return "This doesn't match the expected format.";
}

const isMany = (node: FormNode): boolean => node.kind === "choice" && node.multiple;

function broken(keyword: string, limit: unknown, node: FormNode): string {
  const n = typeof limit === "number" ? limit : null;
  switch (keyword) {
    case "minLength":
      return n === null ? "This is too short." : `Use at least ${count(n, "character")}.`;
    case "maxLength":
      return n === null ? "This is too long." : `Use at most ${count(n, "character")}.`;
    case "minimum":
      return n === null ? "This number is too small." : `Use ${n} or more.`;
    case "maximum":
      return n === null ? "This number is too large." : `Use ${n} or less.`;
    case "exclusiveMinimum":
      return n === null ? "This number is too small." : `Use more than ${n}.`;
    case "exclusiveMaximum":
      return n === null ? "This number is too large." : `Use less than ${n}.`;
    case "multipleOf":
      return stepSentence(limit);
    case "pattern":
      return patternSentence(node);
    case "format":
      return (
        FORMATS[typeof limit === "string" ? limit : node.kind === "text" ? (node.format ?? "") : ""] ??
        patternSentence(node)
      );
    case "minItems":
      if (isMany(node)) return `Choose at least ${n ?? 1}.`;
      return `Add at least ${count(n ?? 1, "entry", "entries")}.`;
    case "maxItems":
      if (isMany(node)) return n === null ? "Choose fewer." : `Choose at most ${n}.`;
      return n === null ? "Remove some." : `Keep at most ${count(n, "entry", "entries")}.`;
    case "uniqueItems":
      return "Each entry must be different. Change or remove the duplicate.";
    case "minProperties":
      return n === null ? "Fill in more of these." : `Fill in at least ${n} of these.`;
    case "maxProperties":
      return n === null ? "Fill in fewer of these." : `Fill in at most ${n} of these.`;
    case "enum":
    case "const":
      return node.kind === "json" ? "This value is not allowed." : "Choose one of the options.";
    case "required":
    case "dependentRequired":
    case "dependencies":
      return "A required value is missing here.";
    case "propertyNames":
      return "This name is not allowed.";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "This field is not allowed. Remove it.";
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return "There are too many entries. Remove some.";
    case "contains":
    case "minContains":
    case "maxContains":
      return "The number of matching entries is wrong. Add or remove some.";
    case "type":
      return node.kind === "json" ? typeSentence(limit) : "This type of value is not allowed here.";
    default:
      return node.kind === "group" ? "These answers conflict. Change one of them." : "This value is not allowed here.";
  }
}

function demand(node: FormNode): string | null {
  switch (node.kind) {
    case "number": {
      const { min, max, above, below } = node;
      const words =
        min !== null && max !== null
          ? `${min} to ${max}`
          : [
              min === null ? (above === null ? null : `more than ${above}`) : `${min} or more`,
              max === null ? (below === null ? null : `less than ${below}`) : `at most ${max}`,
            ]
              .filter((part) => part !== null)
              .join(", ");
      return words === "" ? null : capitalized(words);
    }
    case "text":
      return node.min !== null && node.min > 1 ? `At least ${count(node.min, "character")}` : null;
    case "list":
    case "choice": {
      const { min, max } = node;
      if (node.kind === "choice" ? !node.multiple : !node.canAdd && !node.canRemove) return null;
      const [verb, exactly, at] = node.kind === "choice" ? ["Choose ", "Choose ", "Choose at"] : ["", "Exactly ", "At"];
      if (min !== null && max !== null && min > 0) return min === max ? `${exactly}${min}` : `${verb}${min} to ${max}`;
      if (min !== null && min > 0) return `${at} least ${min}`;
      return max === null ? null : `${at} most ${max}`;
    }
    case "json":
      return 'Enter JSON, such as "text", 12, [1, 2] or {"name": "value"}';
    default:
      return null;
  }
}

export const ENGLISH: Messages = {
  problem: (problem) =>
    problem.code !== "not_json"
      ? PROBLEMS[problem.code]
      : `Not valid JSON${problem.line > 0 ? ` (line ${problem.line})` : ""}. Put names and text in double quotes, separated by commas.`,
  broken,
  oneNeeded: (titles) => `Fill in ${orList(titles)}.`,
  onlyOne: (titles) => `Fill in only one of these: ${orList(titles)}.`,
  namesMissing: (names) =>
    `Add the missing ${names.length === 1 ? "field" : "fields"} ${names.map((name) => JSON.stringify(name)).join(", ")}.`,
  at: (path, message) => `At ${path}: ${message}`,
  unchecked: "This answer is too large to check. Make it smaller.",
  demand,
  words: {
    optional: "optional",
    choose: "Choose one",
    none: "No answer",
    clear: "Clear selection",
    add: (item) => `Add ${item}`,
    remove: "Remove",
    openWhat: (title) => `Add ${title}`,
    filter: (options) => `Type to search ${options} options`,
    zone: (name) => `Your time zone: ${name}`,
    count: (used, most) => `${used} / ${most}`,
    submit: "Submit answer",
    submitting: "Sending your answer",
    checking: "Checking your answer, usually 5 to 30 seconds",
    goBack: "Go back",
    asJson: "Answer as JSON instead",
    asForm: "Back to the form",
    confirm: "Confirm before sending",
    invalid: (errors) => `Not sent. Fix ${count(errors, "answer")} below.`,
    sentBack: (attempt) => `Sent back. Change your answer and resubmit (attempt ${attempt}).`,
    sent: "Answer sent.",
    offline: "Not sent: no connection. Your answers are still here.",
    failed: "Not sent. Your answers are still here.",
    nothing: "Empty",
  },
};
