import { t } from "../../../languages/text.ts";
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
  const about = tool === "*" ? t("any tool") : seen(tool);
  const conditionWords = Object.entries(conditions).map(([pointer, condition]) => sayCondition(pointer, condition));
  const when = conditionWords.length === 0 ? "" : t(" if {value}", { value: conditionWords.join(", and ") });
  return `${{ ask: t("Ask a person about"), allow: t("Allow"), deny: t("Deny") }[decision]} ${about}${when}`;
}

function sayCondition(pointer: string, condition: unknown): string {
  const parts = Object.entries(condition as Record<Kind, unknown>) as [Kind, unknown][];
  return `${pointer === "" ? t("all arguments") : seen(entryOf(pointer))} ${parts.map(sayPart).join(" and ")}`;
}

function sayPart([kind, value]: [Kind, unknown]): string {
  switch (kind) {
    case "equals":
      return t("is {sayValue}", { sayValue: sayValue(value) });
    case "one_of":
      return t("is {sayValues}", { sayValues: sayValues(value as unknown[]) });
    case "glob":
      return t("fits {sayValue}", { sayValue: sayValue(value) });
    case "matches":
    case "over":
    case "under":
      return `${KINDS[kind]} ${sayValue(value)}`;
  }
}

const EITHER = new Intl.ListFormat("en", { type: "disjunction" });

function sayValues(values: readonly unknown[]): string {
  const more = values.length - VALUES_MAX;
  const words = values.slice(0, VALUES_MAX).map(sayValue);
  return EITHER.format(more > 0 ? [...words, t("{more} more", { more })] : words);
}

function sayValue(value: unknown): string {
  return typeof value === "string" && !UNSEEN.test(value) ? `“${value}”` : seen(JSON.stringify(value));
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
