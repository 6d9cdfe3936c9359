import { locale, plural, t } from "../../../languages/text.ts";
import type { Template } from "../settings/queries.ts";
import { named, type Names } from "../inbox/names.ts";
import { oneOf, partsOf, targetOf } from "./words.ts";

export type Step = Template["steps"][number];
export type After = Step["after"];

/** Units of lengths of time, in seconds, the largest first. */
export const UNITS = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;
export type Unit = keyof typeof UNITS;

/** Says what a step of a template does and when: "After 2 hours: mark it as urgent". */
export function sayStep({ do: kind, after, calendar, to }: Step, names: Names): string {
  const values = { after: sayAfter(after), action: sayWhat(kind, to, names) };
  return calendar === null
    ? t("{after}: {action}", values)
    : t("{after}, counted in the calendar {calendar}: {action}", { ...values, calendar });
}

function sayWhat(kind: Step["do"], to: Step["to"], names: Names): string {
  switch (kind) {
    case "remind":
      return t("remind everyone who was told and has not answered");
    case "notify":
      return t("tell {people} as well", { people: listed(Array.isArray(to) ? to : []) });
    case "offer": {
      const { emails } = partsOf(to);
      const all = emails === null ? targetOf(to, names) : listed(emails.map((email) => named(email, names)));
      return t("offer it to {people} as well", { people: all });
    }
    case "assign":
      return t("assign it to {person}", { person: oneOf(to, names) });
    case "raise":
      return t("mark it as urgent");
  }
}

const LIST = new Intl.ListFormat(locale());

function listed(entries: readonly string[]): string {
  return LIST.format(entries);
}

const SHARES: ReadonlyMap<number, string> = new Map([
  [0.25, t("After a quarter of the time")],
  [0.5, t("After half of the time")],
  [0.75, t("After three quarters of the time")],
]);

function sayAfter(after: After): string {
  if (typeof after !== "number") {
    const percent = percentOf(after.fraction).toLocaleString(locale(), { maximumSignificantDigits: 12 });
    return SHARES.get(after.fraction) ?? t("After {percent}% of the time", { percent });
  }
  const { amount, unit } = lengthOf(after);
  switch (unit) {
    case "days":
      return plural(amount, "After {n} day", "After {n} days");
    case "hours":
      return plural(amount, "After {n} hour", "After {n} hours");
    case "minutes":
      return plural(amount, "After {n} minute", "After {n} minutes");
    case "seconds":
      return plural(amount, "After {n} second", "After {n} seconds");
  }
}

/** Returns a share as a percentage, without the digits that computing with binary fractions adds. */
export function percentOf(fraction: number): number {
  return Number((fraction * 100).toPrecision(12));
}

/** Returns a length of time in its largest unit that needs no fraction. @param seconds - at least 1 */
export function lengthOf(seconds: number): { amount: number; unit: Unit } {
  const unit = (Object.keys(UNITS) as Unit[]).find((one) => seconds % UNITS[one] === 0) ?? "seconds";
  return { amount: seconds / UNITS[unit], unit };
}
