import type { Reader, Tx } from "../db/database.ts";
import { homeOf, ofTask } from "../db/home.ts";
import { toInserted } from "../db/rows.ts";
import { emailKey } from "../lib/text.ts";
import type { Person } from "../people/caller.ts";

/** Returns the names of a person in a list of candidates: their id, and their email if no user had it at the time. */
export function namesOf({ id, email }: Pick<Person, "id" | "email">): string[] {
  return email === null ? [id] : [id, emailKey(email)];
}

/** Offers a new task to people, named as in `namesOf`. */
export async function addCandidates(tx: Tx, task_id: string, people: readonly string[]): Promise<void> {
  if (people.length === 0) return;
  await tx.query
    .insertInto("task_candidates")
    .values(
      people.map((person) => toInserted(tx.dialect, "task_candidates", { person, is_open: 1, ...ofTask(task_id) })),
    )
    .execute();
}

export async function listCandidates(reader: Reader, taskId: string): Promise<string[]> {
  const rows = await reader.query
    .selectFrom("task_candidates")
    .select("person")
    .where("task_id", "=", taskId)
    .where("home", "=", homeOf(taskId))
    .execute();
  return rows.map(({ person }) => person);
}

/** Returns whether a person is one of `candidates`. */
export function isAmong(candidates: readonly string[], person: Pick<Person, "id" | "email">): boolean {
  const names = namesOf(person);
  return candidates.some((name) => names.includes(name));
}

/** Shows an open task in the lists of candidates, or takes it from there. They stay candidates. */
export async function setOffersOpen(tx: Tx, taskId: string, people: readonly string[], isOpen: boolean): Promise<void> {
  if (people.length === 0) return;
  await tx.query
    .updateTable("task_candidates")
    .set({ is_open: isOpen ? 1 : 0 })
    .where("task_id", "=", taskId)
    .where("home", "=", homeOf(taskId))
    .where("person", "in", people)
    .execute();
}

/** Withdraws the offer of a task. @param people - from these; null: from everyone */
export async function deleteCandidates(tx: Tx, taskId: string, people: readonly string[] | null = null): Promise<void> {
  await tx.query
    .deleteFrom("task_candidates")
    .where("task_id", "=", taskId)
    .where("home", "=", homeOf(taskId))
    .$if(people !== null, (query) => query.where("person", "in", people!))
    .execute();
}

/** Returns the hint that a task left a person's lists. @param person - named as in `namesOf` */
export function inboxHint(person: string): string {
  return `inbox:${person}`;
}
