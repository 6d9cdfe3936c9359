import type { Reader } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { TaskRow } from "../db/schema.ts";
import { isJsonObject, parseJson } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import { isActiveIn } from "../people/caller.ts";
import { findUser, findUsersNamed, type User } from "../people/store.ts";
import { ANSWERED, type Group, type Policy } from "./policy.ts";
import type { Voter } from "./count.ts";

/** A person of the directory. */
type Somebody = Pick<User, "id" | "email">;

/** The columns of a task that decide whose approval counts. */
export type AskedTask = Pick<TaskRow, "id" | "project" | "asked_by_kind" | "asked_by_id" | "on_behalf_of">;

/** Says in one sentence why the decision of a person does not count; null if it does. */
export type WhyExcluded = (person: Somebody) => string | null;

/** Reads what it takes to tell whose decision about a task does not count. (beyond the spec: More than one person) */
export async function readExclusions(reader: Reader, task: AskedTask, policy: Policy): Promise<WhyExcluded> {
  const rules: WhyExcluded[] = [];
  for (const name of policy.exclude)
    rules.push(
      name === "asker"
        ? await notAsker(reader, task, policy)
        : name === "on_behalf_of"
          ? notOnBehalfOf(task)
          : await notAnswerers(reader, name.slice(ANSWERED.length)),
    );
  return (person) => {
    for (const rule of rules) {
      const why = rule(person);
      if (why !== null) return why;
    }
    return null;
  };
}

/** Behind an agent stands its owner: the one that it had when it asked, and the present one. */
async function notAsker(
  reader: Reader,
  { asked_by_kind, asked_by_id }: AskedTask,
  { owner_user_id = null }: Policy,
): Promise<WhyExcluded> {
  if (asked_by_kind === "user")
    return ({ id }) => (id === asked_by_id ? "You asked for this, so someone else has to decide." : null);
  if (asked_by_kind !== "agent") return () => null;
  const owners = new Set([owner_user_id, await ownerOf(reader, asked_by_id)]);
  return ({ id }) => (owners.has(id) ? "The agent that asks for this is yours, so someone else has to decide." : null);
}

/** Returns the user id of an agent's owner; null if it has none, or is gone. */
export async function ownerOf(reader: Reader, agent: string): Promise<string | null> {
  const row = await reader.query
    .selectFrom("agents")
    .select("owner_user_id")
    .where("id", "=", agent)
    .executeTakeFirst();
  return row?.owner_user_id ?? null;
}

function notOnBehalfOf(task: AskedTask): WhyExcluded {
  const named = parseJson<unknown>(task.on_behalf_of);
  if (!isJsonObject(named)) return () => null;
  const isNamed = ({ id, email }: Somebody) =>
    named["id"] === id ||
    (email !== null && typeof named["email"] === "string" && emailKey(named["email"]) === emailKey(email));
  return (person) => (isNamed(person) ? "This is asked on your behalf, so someone else has to decide." : null);
}

async function notAnswerers(reader: Reader, task_id: string): Promise<WhyExcluded> {
  const home = homeOf(task_id);
  const task = await reader.query
    .selectFrom("tasks")
    .select(["completed_by_user_id", "completed_by_email"])
    .where("id", "=", task_id)
    .where("home", "=", home)
    .executeTakeFirst();
  if (task === undefined) return () => `Task ${task_id} was deleted, so it is not known who must not decide.`;
  const votes = await reader.query
    .selectFrom("task_approvals")
    .select("user_id")
    .where("task_id", "=", task_id)
    .where("home", "=", home)
    .where("withdrawn_at", "is", null)
    .execute();
  const { completed_by_user_id, completed_by_email } = task;
  const ids = new Set([completed_by_user_id, ...votes.map(({ user_id }) => user_id)]);
  const key = completed_by_email === null ? null : emailKey(completed_by_email);
  return ({ id, email }) =>
    ids.has(id) || (key !== null && email !== null && emailKey(email) === key)
      ? `You decided task ${task_id}, so someone else has to decide this one.`
      : null;
}

/** Returns which of `one_of_each` a person belongs to now, by number. */
export async function groupsOf(reader: Reader, id: string, { one_of_each }: Policy): Promise<number[]> {
  const user = one_of_each.length === 0 ? null : await findUser(reader, id);
  return user === null ? [] : groupsOfUser(user, one_of_each);
}

function groupsOfUser(user: User, groups: readonly Group[]): number[] {
  return groups.flatMap((group, i) => (isIn(user, group) ? [i] : []));
}

function isIn({ role, pool, email }: User, group: Group): boolean {
  if ("role" in group) return role === group.role;
  if ("pool" in group) return pool === group.pool;
  return email !== null && group.emails.some((one) => emailKey(one) === emailKey(email));
}

/**
 * Returns those whose approval would count among people that a task names.
 * @param names - ids, or addresses
 */
export async function votersAmong(
  reader: Reader,
  task: AskedTask,
  policy: Policy,
  names: readonly string[],
): Promise<Voter[]> {
  const users = await findUsersNamed(reader, names);
  const why = await readExclusions(reader, task, policy);
  return users
    .filter((user) => isActiveIn(user, task.project) && why(user) === null)
    .map((user) => ({ user_id: user.id, groups: groupsOfUser(user, policy.one_of_each) }));
}
