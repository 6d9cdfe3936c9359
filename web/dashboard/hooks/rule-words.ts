import { as, locale, plural, t } from "../../../languages/text.ts";
import type { Call, Decision, Rule } from "./queries.ts";

/** The parts of a condition. All must hold. */
export const KINDS = {
  equals: t("is exactly"),
  one_of: t("is one of"),
  glob: t("fits, with * for any characters"),
  matches: t("matches the regular expression"),
  over: t("is more than"),
  under: t("is less than"),
} as const;
export type Kind = keyof typeof KINDS;

export const DECISIONS: Readonly<Record<Decision, string>> = {
  ask: t("Ask a person"),
  allow: t("Allow the call"),
  deny: t("Deny the call"),
};

/** More values are counted. */
const VALUES_MAX = 5;

/** Characters that cannot be seen, or that change how the text around them is read. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Says what a rule does: "Allow Bash if command is “npm test”". */
export function sayRule({ tool, arguments: conditions, decision }: Rule): string {
  const values = { tool: tool === "*" ? t("any tool") : seen(tool) };
  const words = Object.entries(conditions).map(([pointer, condition]) => sayCondition(pointer, condition));
  if (words.length === 0)
    return {
      ask: t("Ask a person about {tool}", values),
      allow: t("Allow {tool}", values),
      deny: t("Deny {tool}", values),
    }[decision];
  const all = words.reduce((before, next) => t("{conditions}, and {next}", { conditions: before, next }));
  const under = { ...values, conditions: all };
  return {
    ask: t("Ask a person about {tool} if {conditions}", under),
    allow: t("Allow {tool} if {conditions}", under),
    deny: t("Deny {tool} if {conditions}", under),
  }[decision];
}

function sayCondition(pointer: string, condition: unknown): string {
  const parts = Object.entries(condition as Record<Kind, unknown>) as [Kind, unknown][];
  return as("an argument, then what it must be", "{argument} {must}", {
    argument: pointer === "" ? t("all arguments") : seen(entryOf(pointer)),
    must: new Intl.ListFormat(locale()).format(parts.map(sayPart)),
  });
}

function sayPart([kind, value]: [Kind, unknown]): string {
  switch (kind) {
    case "equals":
      return t("is {value}", { value: sayValue(value) });
    case "one_of":
      return t("is {value}", { value: sayValues(value as unknown[]) });
    case "glob":
      return t("fits {value}", { value: sayValue(value) });
    case "matches":
      return t("matches the regular expression {value}", { value: sayValue(value) });
    case "over":
      return t("is more than {value}", { value: sayValue(value) });
    case "under":
      return t("is less than {value}", { value: sayValue(value) });
  }
}

const EITHER = new Intl.ListFormat(locale(), { type: "disjunction" });

function sayValues(values: readonly unknown[]): string {
  const more = values.length - VALUES_MAX;
  const words = values.slice(0, VALUES_MAX).map(sayValue);
  return EITHER.format(more > 0 ? [...words, plural(more, "{n} more", "{n} more")] : words);
}

function sayValue(value: unknown): string {
  return typeof value === "string" && !UNSEEN.test(value)
    ? t("“{text}”", { text: value })
    : seen(JSON.stringify(value));
}

/** Returns a text in which each character can be seen. */
function seen(text: string): string {
  return Array.from(text, (one) => (UNSEEN.test(one) ? `\\u{${one.codePointAt(0)!.toString(16)}}` : one)).join("");
}

/** Returns a JSON Pointer as it is entered: "command" for "/command". "": all arguments */
export function entryOf(pointer: string): string {
  const short = pointer.slice(1);
  return short === "" || short !== short.trim() || short.startsWith("/") ? pointer : short;
}

/** Returns the arguments of a call, a line each. */
export function argumentLines({ arguments: all }: Pick<Call, "arguments">): string[] {
  return Object.entries(all).map(([name, value]) => `${seen(name)}: ${sayArgument(value)}`);
}

function sayArgument(value: unknown): string {
  return typeof value === "string" && !UNSEEN.test(value) ? value : seen(JSON.stringify(value));
}
