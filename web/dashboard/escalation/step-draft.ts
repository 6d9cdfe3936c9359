import { t } from "../../../languages/text.ts";
import { FieldError } from "../settings/field-error.ts";
import { lengthOf, percentOf, UNITS, type After, type Step, type Unit } from "./step-words.ts";
import { partsOf } from "./words.ts";

export type Kind = Step["do"];

/** Who a step of the kinds `offer` and `assign` is for. */
export type Who = "group" | "emails" | "user";

/** A step as it is entered. */
export interface Draft {
  /** The same while steps are moved. */
  readonly key: number;
  readonly do: Kind;
  readonly amount: string;
  /** `share`: percent of the time until the deadline. */
  readonly unit: Unit | "share";
  /** "": all time counts. */
  readonly calendar: string;
  readonly who: Who;
  readonly pool: string;
  readonly role: string;
  readonly level: string;
  readonly emails: string;
  /** Id of a person that a stored step names. */
  readonly user: string | null;
  /** Of `notify`, one on each line. */
  readonly entries: string;
}

const AFTER_MAX = 30 * UNITS.days;

let keys = 0;

/** Returns what a new step starts with. */
export function newDraft(): Draft {
  return draftOf({ do: "remind", after: { fraction: 0.5 }, calendar: null, to: null });
}

export function draftOf({ do: kind, after, calendar, to }: Step): Draft {
  const { pool, role, level, email, user_id, emails } = partsOf(to);
  return {
    key: ++keys,
    do: kind,
    ...(typeof after === "number"
      ? { amount: String(lengthOf(after).amount), unit: lengthOf(after).unit }
      : { amount: String(percentOf(after.fraction)), unit: "share" }),
    calendar: calendar ?? "",
    who: user_id !== null ? "user" : email !== null || emails !== null ? "emails" : "group",
    pool: pool ?? "",
    role: role ?? "",
    level: level ?? "",
    emails: (emails ?? (email === null ? [] : [email])).join("\n"),
    user: user_id,
    entries: Array.isArray(to) ? to.join("\n") : "",
  };
}

/**
 * Returns the step that was entered.
 * @param path - of the step in the request, which the names of its fields begin with
 * @throws FieldError
 */
export function stepOf(draft: Draft, path: string): Step {
  const { do: kind, calendar } = draft;
  return { do: kind, after: afterOf(draft, path), calendar: calendar === "" ? null : calendar, to: toOf(draft, path) };
}

function afterOf({ amount, unit }: Draft, path: string): After {
  const entered = amount.trim() === "" ? Number.NaN : Number(amount.trim().replace(",", "."));
  if (unit === "share") {
    if (!(entered > 0 && entered < 100))
      throw new FieldError(`${path}/after`, t("Enter more than 0 and less than 100."));
    return { fraction: Number((entered / 100).toPrecision(12)) };
  }
  const seconds = Math.round(entered * UNITS[unit]);
  if (!(seconds >= 1 && seconds <= AFTER_MAX))
    throw new FieldError(`${path}/after`, t("Enter a number. The time is 1 second to 30 days."));
  return seconds;
}

function toOf(draft: Draft, path: string): Step["to"] {
  switch (draft.do) {
    case "remind":
    case "raise":
      return null;
    case "notify": {
      const entries = draft.entries
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      if (entries.length === 0)
        throw new FieldError(`${path}/to`, t("Enter at least one, such as email:dana@example.com."));
      return entries;
    }
    case "offer":
    case "assign":
      return peopleOf(draft, path);
  }
}

function peopleOf({ do: kind, who, emails, user, ...draft }: Draft, path: string): Record<string, unknown> {
  switch (who) {
    case "emails": {
      const addresses = emails.split(/[\s,;]+/).filter((address) => address !== "");
      if (kind === "offer" && addresses.length > 0) return { emails: addresses };
      if (addresses.length === 1) return { email: addresses[0] };
      throw new FieldError(emailFieldOf(kind, path), t("Enter an email address."));
    }
    case "user":
      return { user_id: user };
    case "group": {
      const group = { pool: draft.pool.trim(), role: draft.role.trim(), access_level: draft.level.trim() };
      const entered = Object.entries(group).filter(([, value]) => value !== "");
      if (entered.length === 0) throw new FieldError(`${path}/to/pool`, t("Enter a pool, a role or an access level."));
      return Object.fromEntries(entered);
    }
  }
}

/** Returns the name of the field with addresses. */
export function emailFieldOf(kind: Kind, path: string): string {
  return `${path}/to/${kind === "offer" ? "emails" : "email"}`;
}
