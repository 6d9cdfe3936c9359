import { t } from "../../../languages/text.ts";
import type { AuditEntry, Task } from "../api.ts";
import { named, type Names } from "../inbox/names.ts";
import { actorOf } from "../task/actor.ts";
import { oneOf, targetOf } from "./words.ts";

/** Says what a step did, behind its actor. */
export function sayDone({ extra }: Pick<AuditEntry, "extra">, task: Pick<Task, "escalation">, names: Names): string {
  const to = targetIn(extra, task);
  const isUnmatched = extra?.["unmatched"] === true;
  switch (extra?.["do"]) {
    case "remind":
      return t("reminded everyone who was told");
    case "notify":
      return Array.isArray(to) ? t("told more people: {value}", { value: to.join(", ") }) : t("told more people");
    case "offer":
      return isUnmatched ? t("found no one to offer it to") : t("offered it to {to}", { to: targetOf(to, names) });
    case "assign":
      return isUnmatched
        ? t("found no one to assign it to")
        : t("assigned it to {value}", { value: assigneeIn(extra, names) ?? oneOf(to, names) });
    case "raise":
      return t("marked it as urgent");
    default:
      return t("took a step");
  }
}

const CREATED = "created";

/** One more person, or several, who had a task. */
interface Link {
  /** Of the entry. */
  id: string;
  says: string;
}

/**
 * Returns who had a task, in the words of a chain: "created for Dana", "offered to the pool finance", "claimed by Ben".
 * @param trail - oldest first
 */
export function chainOf(trail: readonly AuditEntry[], task: Pick<Task, "escalation">, names: Names): readonly Link[] {
  const chain: Link[] = [];
  for (const entry of trail) {
    const { id, action } = entry;
    const says = linkOf(entry, task, names);
    if (says === null) continue;
    const [first] = chain;
    if (action !== "created" && chain.length === 1 && first!.says === CREATED && says.startsWith("to "))
      first!.says = t("{CREATED} for {value}", { CREATED, value: says.slice(3) });
    else chain.push({ id, says: says.startsWith("to ") ? `${action} ${says}` : says });
  }
  return chain;
}

/** Returns what an entry says of who has the task; null if it says nothing of it. The routing at the creation begins with "to". */
function linkOf(entry: AuditEntry, task: Pick<Task, "escalation">, names: Names): string | null {
  const { action, extra } = entry;
  switch (action) {
    case "created":
      return CREATED;
    case "assigned":
      return `to ${assigneeIn(extra, names) ?? "someone"}`;
    case "offered":
      return t("to {people}", { people: peopleIn(extra?.["candidates"], names) });
    case "claimed":
      return t("claimed by {entry}", { entry: nameOfActor(entry, names) });
    case "released":
      return entry.actor_type === "system"
        ? "released"
        : t("released by {entry}", { entry: nameOfActor(entry, names) });
    case "escalated": {
      if (extra?.["unmatched"] === true) return null;
      const to = targetIn(extra, task);
      if (extra?.["do"] === "offer") return t("offered to {to}", { to: targetOf(to, names) });
      return extra?.["do"] === "assign"
        ? t("assigned to {value}", { value: assigneeIn(extra, names) ?? oneOf(to, names) })
        : null;
    }
    default:
      return null;
  }
}

/** Returns what the step of an entry has in `to`. */
function targetIn(extra: AuditEntry["extra"], { escalation }: Pick<Task, "escalation">) {
  return escalation.find(({ step }) => step === extra?.["step"])?.to ?? null;
}

function nameOfActor(entry: AuditEntry, names: Names): string {
  return entry.actor_email === null ? actorOf(entry) : named(entry.actor_email, names);
}

/** The person that an entry assigned a task to; null if it does not say. */
function assigneeIn(extra: AuditEntry["extra"], names: Names): string | null {
  const { assigned_to_user_id: id, assigned_to_email: email } = extra ?? {};
  if (typeof id === "string" && names.has(id)) return names.get(id)!;
  return typeof email === "string" ? named(email, names) : typeof id === "string" ? "someone" : null;
}

/** @param ids - of users, or addresses */
function peopleIn(ids: unknown, names: Names): string {
  if (!Array.isArray(ids)) return t("several people");
  const [first] = ids as string[];
  if (ids.length === 1 && first !== undefined)
    return names.get(first) ?? named(first.includes("@") ? first : null, names) ?? t("one person");
  return t("{n} people", { n: ids.length });
}
