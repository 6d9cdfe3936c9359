import { capitalized } from "../titles.ts";
import type { FormNode, Problem } from "./nodes.ts";

/**
 * Every sentence that a form says, in one place: the same on the dashboard, in a mail page and in Slack. For people who
 * have never heard of a schema: what to do, not what is violated. Another language is another object of this type.
 */
export interface Messages {
  /** What is wrong with what was entered. */
  readonly problem: (problem: Problem) => string;
  /** A value breaks a keyword of its schema; `limit` is the keyword's own value where it is known. */
  readonly broken: (keyword: string, limit: unknown, node: FormNode) => string;
  /** One of these fields is needed. */
  readonly oneNeeded: (titles: readonly string[]) => string;
  readonly onlyOne: (titles: readonly string[]) => string;
  /** Names that an object in a box of JSON must have. */
  readonly namesMissing: (names: readonly string[]) => string;
  /** In a box of JSON, where `message` is about the part at `path`. */
  readonly at: (path: string, message: string) => string;
  /** The answer could not be checked at all. */
  readonly unchecked: string;
  /** What will be accepted, said before anything is entered. */
  readonly demand: (node: FormNode) => string | null;
  readonly words: Words;
}

/** What stands on a form beside its questions. */
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
  readonly update: string;
  readonly goBack: string;
  readonly asJson: string;
  readonly asForm: string;
  readonly confirm: string;
  readonly invalid: (errors: number) => string;
  readonly changedQuestions: string;
  readonly sentBack: (attempt: number) => string;
  readonly sent: string;
  readonly offline: string;
  readonly failed: string;
  readonly yourChanges: string;
  readonly nothing: string;
}

function count(n: unknown, one: string, many = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : many}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

const PROBLEMS: Readonly<Record<Exclude<Problem["code"], "not_json">, string>> = {
  missing: "Fill this in.",
  choose: "Choose one.",
  tick: "Tick this to go on.",
  name_missing: "Give this a name, or remove it.",
  name_twice: "This name is already in use. Choose another one.",
  not_in_list: "Choose one from the list.",
  not_a_color: "Write a colour such as #1a7f4b.",
  not_a_number: "Write a number, such as 12 or 12.5.",
  not_whole: "Write a whole number, without decimals.",
  thousands: "Write this number without a thousands separator, so that it cannot be misread.",
  too_exact: "This number has more digits than can be kept exactly. Use fewer.",
  too_deep: "This is nested too deeply. Use at most 64 levels.",
  not_a_date: "Choose a date that exists, such as 2026-03-31.",
  not_a_time: "Write a time such as 14:30.",
  no_such_time: "This time does not exist: the clocks are put forward that night. Choose another one.",
};

/** What a text of a format looks like. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "Write an e-mail address, such as name@example.com.",
  uri: "Write a complete web address, such as https://example.com/page.",
  uuid: "Write an identifier such as 123e4567-e89b-12d3-a456-426614174000.",
  date: "Choose a date that exists, such as 2026-03-31.",
  time: "Write a time such as 14:30.",
  "date-time": "Choose a date and a time.",
  duration: "Write a duration such as P3D (3 days) or PT2H30M (2 hours 30 minutes).",
  hostname: "Write a name such as www.example.com.",
  ipv4: "Write an address such as 192.0.2.1.",
  ipv6: "Write an address such as 2001:db8::1.",
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text in quotes, such as "hello"',
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
  return step === 1 ? "Write a whole number, without decimals." : `Use a multiple of ${String(step)}.`;
}

function patternSentence(node: FormNode): string {
  if (node.kind === "text") {
    if (node.format !== null && Object.hasOwn(FORMATS, node.format)) return FORMATS[node.format]!;
    const example = node.example ?? node.placeholder;
    if (example !== null) return `Write this in the form that is expected, such as ${example}.`;
  }
  return "This is not written in the form that is expected. Look at its description, or ask whoever sent the task.";
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
      return "Each entry may appear only once. Change or remove the one that is there twice.";
    case "minProperties":
      return n === null ? "Fill in more of these." : `Fill in at least ${n} of these.`;
    case "maxProperties":
      return n === null ? "Fill in fewer of these." : `Fill in at most ${n} of these.`;
    case "enum":
    case "const":
      return node.kind === "json"
        ? "This value is not one of those that are allowed."
        : "Choose one of the values that are offered.";
    case "required":
    case "dependentRequired":
    case "dependencies":
      return "Something is still missing here.";
    case "propertyNames":
      return "This name is not allowed.";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "This is not part of the answer. Remove it.";
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return "There are more entries than are allowed. Remove some.";
    case "contains":
    case "minContains":
    case "maxContains":
      return "An entry is missing here, or there is one too many.";
    case "type":
      return node.kind === "json" ? typeSentence(limit) : "This kind of value does not fit here.";
    default:
      return node.kind === "group"
        ? "These answers do not go together. Change one of them."
        : "This value is not allowed here.";
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
      return 'Written as JSON, such as "a text", 12, [1, 2] or {"name": "value"}';
    default:
      return null;
  }
}

export const ENGLISH: Messages = {
  problem: (problem) =>
    problem.code !== "not_json"
      ? PROBLEMS[problem.code]
      : problem.line > 0
        ? `This is not JSON yet. Look at line ${problem.line}: texts and names stand in double quotes, with commas between entries.`
        : "This is not JSON yet: texts and names stand in double quotes, with commas between entries.",
  broken,
  oneNeeded: (titles) => `Fill in ${orList(titles)}.`,
  onlyOne: (titles) => `Fill in only one of these: ${orList(titles)}.`,
  namesMissing: (names) =>
    `Add ${names.map((name) => JSON.stringify(name)).join(", ")}: ${names.length === 1 ? "it is" : "they are"} missing.`,
  at: (path, message) => `At ${path}: ${message}`,
  unchecked: "This answer is too large to be checked. Make it smaller.",
  demand,
  words: {
    optional: "optional",
    choose: "Choose one",
    none: "No answer",
    clear: "Clear the choice",
    add: (item) => `Add ${item}`,
    remove: "Remove",
    openWhat: (title) => `Add ${title}`,
    filter: (options) => `Type to search ${options} options`,
    zone: (name) => `Your time zone: ${name}`,
    count: (used, most) => `${used} / ${most}`,
    submit: "Submit answer",
    submitting: "Sending your answer",
    checking: "Checking your answer, usually 5 to 30 seconds",
    update: "Show the questions that fit my answers",
    goBack: "Go back",
    asJson: "Write the answer as JSON instead",
    asForm: "Back to the form",
    confirm: "One more step: nothing has been sent yet.",
    invalid: (errors) =>
      errors === 1 ? "Not sent: one answer needs another look." : `Not sent: ${errors} answers need another look.`,
    changedQuestions: "Not sent yet: your answers have changed the questions. Look once more.",
    sentBack: (attempt) => `Sent back, attempt ${attempt}. Change the answer and send it again.`,
    sent: "Answer sent.",
    offline: "Not sent: no connection. Your answers are kept.",
    failed: "Not sent. Your answers are kept.",
    yourChanges: "What you changed",
    nothing: "Empty",
  },
};
