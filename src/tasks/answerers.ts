import { andList } from "../../form/plan/messages.ts";
import { plural, t } from "../../languages/text.ts";
import type { Reader } from "../db/database.ts";
import { wasOffered } from "../escalation/ladder.ts";
import { findUser } from "../people/store.ts";
import { routingIn, type Routing } from "./assign-to.ts";
import { listCandidates } from "./candidates.ts";
import { findRequest, type Task } from "./store.ts";

/** More candidates than this are counted instead of named. */
const NAMED_MAX = 3;

/**
 * Says in one sentence who can answer a task, for people who cannot. The rule itself is in access.ts. Every surface shows
 * this sentence.
 */
export async function sayWhoCanAnswer(
  reader: Reader,
  task: Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email" | "ladder">,
): Promise<string> {
  const assignee = await nameOf(reader, task.assigned_to_user_id, task.assigned_to_email);
  if (assignee !== null) return t("This task is assigned to {person}.", { person: assignee });
  const request = await findRequest(reader, task.id);
  const asked = request && routingIn(request);
  const candidates = await listCandidates(reader, task.id);
  const group = wasOffered(task.ladder) ? null : asked;
  if (candidates.length > 0) return sayOffered(reader, group, candidates);
  return asked === null
    ? t("Only the people who were notified can answer this task.")
    : t("Only an operator can answer this task.");
}

async function sayOffered(reader: Reader, asked: Routing | null, candidates: readonly string[]): Promise<string> {
  if (asked?.to === "everyone" && asked.role !== null)
    return t('This task is offered to everyone with the role "{role}".', { role: asked.role });
  if (asked !== null && "pool" in asked && asked.pool !== null)
    return t('This task is offered to the pool "{pool}".', { pool: asked.pool });
  const n = candidates.length;
  if (n > NAMED_MAX) return plural(n, "This task is offered to {n} person.", "This task is offered to {n} people.");
  const names: string[] = [];
  for (const person of candidates)
    names.push((person.includes("@") ? person : await nameOf(reader, person, null)) ?? t("someone who was removed"));
  return t("This task is offered to {people}.", { people: andList(names) });
}

/** Returns the name of a person; null if unknown. */
export async function nameOf(reader: Reader, user_id: string | null, email: string | null): Promise<string | null> {
  const user = user_id === null ? null : await findUser(reader, user_id);
  return user?.display_name ?? email ?? user?.email ?? null;
}
