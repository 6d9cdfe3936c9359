import { as, locale, plural, t } from "../../../languages/text.ts";
import { chosenOption } from "../../../form/plan/chosen.ts";
import { readForm } from "../../../form/plan/plan.ts";
import type { Task } from "../api.ts";
import { named, type Names } from "../inbox/names.ts";

type Step = Task["escalation"][number];
export type Target = Step["to"];

/** Returns the steps of an open task that are still to come, in the order of their times. */
export function comingSteps({ escalation, timeout_at }: Pick<Task, "escalation" | "timeout_at">): readonly Step[] {
  return escalation
    .filter(({ at, done_at }) => done_at === null && at < timeout_at)
    .toSorted((a, b) => (a.at === b.at ? a.step - b.step : a.at < b.at ? -1 : 1));
}

/** Says what a step will do, to be put before its time: "offered to the pool finance". */
export function sayComing({ do: kind, to }: Pick<Step, "do" | "to">, names: Names): string {
  switch (kind) {
    case "remind":
      return t("reminder");
    case "notify":
      return t("more people told");
    case "offer":
      return t("offered to {people}", { people: targetOf(to, names) });
    case "assign":
      return t("assigned to {people}", { people: oneOf(to, names) });
    case "raise":
      return t("marked as urgent");
  }
}

/** Returns the answer that counts if no one gives one, in a word; null if there is none. */
export function fallbackOption(
  task: Pick<Task, "on_timeout" | "response_schema" | "form_definition" | "payload">,
): string | null {
  const { on_timeout, response_schema, form_definition, payload } = task;
  const asked = { response_schema, form_definition, payload, channel: "dashboard" };
  return on_timeout === null
    ? null
    : chosenOption(readForm({ ...asked, time_zone: "UTC", now: new Date(0) }), on_timeout.response);
}

/** Says who all of a target are. */
export function targetOf(to: Target, names: Names): string {
  const { pool, role, level, email, user_id, emails } = partsOf(to);
  if (emails?.length === 1) return named(emails[0]!, names);
  if (emails !== null) return plural(emails.length, "{n} person", "{n} people");
  if (email !== null) return named(email, names);
  if (user_id !== null) return names.get(user_id) ?? as("after to", "one person");
  const filters = filtersOf(role, level);
  if (pool === null)
    return filters === ""
      ? as("after to", "everyone with access")
      : as("after to", "everyone with {filters}", { filters });
  return filters === ""
    ? as("after to", "the pool {pool}", { pool })
    : as("after to", "the pool {pool} with {filters}", { pool, filters });
}

/** Says who one of a target is. */
export function oneOf(to: Target, names: Names): string {
  const { pool, role, level, email, user_id, emails } = partsOf(to);
  if (email !== null || user_id !== null || emails !== null) return targetOf(to, names);
  const filters = filtersOf(role, level);
  if (pool === null)
    return filters === ""
      ? as("after to", "someone with access")
      : as("after to", "someone with {filters}", { filters });
  return filters === ""
    ? as("after to", "someone of the pool {pool}", { pool })
    : as("after to", "someone of the pool {pool} with {filters}", { pool, filters });
}

/** Says which of the people are meant; "" if all. */
function filtersOf(role: string | null, level: string | null): string {
  const filters = [
    ...(role === null ? [] : [as("after with", "the role {role}", { role })]),
    ...(level === null ? [] : [as("after with", "the access level {level}", { level })]),
  ];
  return new Intl.ListFormat(locale()).format(filters);
}

/** What a target asks for. */
export interface Parts {
  pool: string | null;
  role: string | null;
  level: string | null;
  email: string | null;
  user_id: string | null;
  emails: readonly string[] | null;
}

export function partsOf(to: Target): Parts {
  const asked: Readonly<Record<string, unknown>> = to === null || Array.isArray(to) ? {} : to;
  const text = (...keys: string[]): string | null =>
    keys.map((key) => asked[key]).find((value) => typeof value === "string") ?? null;
  const { emails } = asked;
  return {
    pool: text("pool"),
    role: text("role"),
    level: text("access_level", "accessLevel"),
    email: text("email"),
    user_id: text("user_id", "userId"),
    emails: Array.isArray(emails) ? (emails as string[]) : null,
  };
}
