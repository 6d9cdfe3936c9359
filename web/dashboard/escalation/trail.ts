import { as, plural, t } from "../../../languages/text.ts";
import type { AuditEntry, Task } from "../api.ts";
import { named, type Names } from "../inbox/names.ts";
import { actorOf } from "../task/actor.ts";
import { inOneLine } from "../lists.ts";
import { oneOf, targetOf } from "./words.ts";

/** Says what a step did, behind its actor. */
export function sayDone({ extra }: Pick<AuditEntry, "extra">, task: Pick<Task, "escalation">, names: Names): string {
  const to = targetIn(extra, task);
  const isUnmatched = extra?.["unmatched"] === true;
  switch (extra?.["do"]) {
    case "remind":
      return as("after a person's name", "reminded everyone who was told");
    case "notify":
      return Array.isArray(to)
        ? as("after a person's name", "told more people: {people}", { people: inOneLine(to) })
        : as("after a person's name", "told more people");
    case "offer":
      return isUnmatched
        ? as("after a person's name", "found no one to offer it to")
        : as("after a person's name", "offered it to {people}", { people: targetOf(to, names) });
    case "assign":
      return isUnmatched
        ? as("after a person's name", "found no one to assign it to")
        : as("after a person's name", "assigned it to {person}", {
            person: assigneeIn(extra, names) ?? oneOf(to, names),
          });
    case "raise":
      return as("after a person's name", "marked it as urgent");
    default:
      return as("after a person's name", "took a step");
  }
}

const CREATED = as("a task was", "created");

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
    const isRouting = action === "assigned" || action === "offered";
    if (isRouting && chain.length === 1 && first!.says === CREATED)
      first!.says = t("created for {people}", { people: routedTo(entry, names) });
    else chain.push({ id, says });
  }
  return chain;
}

/** Returns what an entry says of who has the task; null if it says nothing of it. */
function linkOf(entry: AuditEntry, task: Pick<Task, "escalation">, names: Names): string | null {
  const { action, extra } = entry;
  switch (action) {
    case "created":
      return CREATED;
    case "assigned":
      return t("assigned to {people}", { people: routedTo(entry, names) });
    case "offered":
      return t("offered to {people}", { people: routedTo(entry, names) });
    case "claimed":
      return t("claimed by {person}", { person: nameOfActor(entry, names) });
    case "released":
      return entry.actor_type === "system"
        ? as("a task was", "released")
        : t("released by {person}", { person: nameOfActor(entry, names) });
    case "escalated": {
      if (extra?.["unmatched"] === true) return null;
      const to = targetIn(extra, task);
      if (extra?.["do"] === "offer") return t("offered to {people}", { people: targetOf(to, names) });
      return extra?.["do"] === "assign"
        ? t("assigned to {people}", { people: assigneeIn(extra, names) ?? oneOf(to, names) })
        : null;
    }
    default:
      return null;
  }
}

/** Returns who the routing at the creation has found. */
function routedTo({ action, extra }: AuditEntry, names: Names): string {
  return action === "offered"
    ? peopleIn(extra?.["candidates"], names)
    : (assigneeIn(extra, names) ?? as("after to", "someone"));
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
  return typeof email === "string" ? named(email, names) : typeof id === "string" ? as("after to", "someone") : null;
}

/** @param ids - of users, or addresses */
function peopleIn(ids: unknown, names: Names): string {
  if (!Array.isArray(ids)) return as("after to", "several people");
  const [first] = ids as string[];
  if (ids.length === 1 && first !== undefined)
    return names.get(first) ?? named(first.includes("@") ? first : null, names) ?? as("after to", "one person");
  return plural(ids.length, "{n} person", "{n} people");
}
