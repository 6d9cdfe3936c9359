import { t } from "../../languages/text.ts";
import type { Reader } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { TaskRow } from "../db/schema.ts";
import { isJsonObject, parseJson } from "../lib/json.ts";
import { emailKey } from "../lib/text.ts";
import { isActiveIn } from "../people/caller.ts";
import { findUser, findUsersNamed, type User } from "../people/store.ts";
import { ANSWERED, type Group, type Policy } from "./policy.ts";
import { isHidden, type Voter } from "./count.ts";
import type { StoredVote } from "./store.ts";

/** A person of the directory. */
type Somebody = Pick<User, "id" | "email">;

/** The columns of a task that decide whose approval counts. */
export type AskedTask = Pick<TaskRow, "id" | "project" | "asked_by_kind" | "asked_by_id" | "on_behalf_of">;

/** Says in one sentence why the decision of a person does not count; null if it does. */
type WhyExcluded = (person: Somebody) => string | null;

/** Whose decision about a task does not count. */
export interface Exclusions {
  of: WhyExcluded;
  /** Why no decision counts now; null if some people's do. */
  everyone: string | null;
}

const NO_ONE: Exclusions = { of: () => null, everyone: null };

/** Reads what it takes to tell whose decision about a task does not count. (beyond the spec: More than one person) */
export async function readExclusions(reader: Reader, task: AskedTask, policy: Policy): Promise<Exclusions> {
  const rules: Exclusions[] = [];
  for (const name of policy.exclude)
    rules.push(
      name === "asker"
        ? { ...NO_ONE, of: await notAsker(reader, task, policy) }
        : name === "on_behalf_of"
          ? { ...NO_ONE, of: notOnBehalfOf(task) }
          : await notAnswerers(reader, name.slice(ANSWERED.length)),
    );
  return {
    of: (person) => {
      for (const rule of rules) {
        const why = rule.of(person);
        if (why !== null) return why;
      }
      return null;
    },
    everyone: rules.map(({ everyone }) => everyone).find((why) => why !== null) ?? null,
  };
}

/** Behind an agent stands its owner: the one that it had when it asked, and the present one. */
async function notAsker(
  reader: Reader,
  { asked_by_kind, asked_by_id }: AskedTask,
  { owner_user_id = null }: Policy,
): Promise<WhyExcluded> {
  if (asked_by_kind === "user")
    return ({ id }) => (id === asked_by_id ? t("You asked for this, so someone else has to decide.") : null);
  if (asked_by_kind !== "agent") return () => null;
  const owners = new Set([owner_user_id, await ownerOf(reader, asked_by_id)]);
  return ({ id }) =>
    owners.has(id) ? t("The agent that asks for this is yours, so someone else has to decide.") : null;
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
  return (person) => (isNamed(person) ? t("This is asked on your behalf, so someone else has to decide.") : null);
}

/** Nobody decides while it is hidden who answers the other task: who may and who may not would tell it. */
async function notAnswerers(reader: Reader, task_id: string): Promise<Exclusions> {
  const home = homeOf(task_id);
  const task = await reader.query
    .selectFrom("tasks")
    .select(["completed_by_user_id", "completed_by_email", "approvals", "ended_at"])
    .where("id", "=", task_id)
    .where("home", "=", home)
    .executeTakeFirst();
  if (task === undefined)
    return {
      ...NO_ONE,
      everyone: t("Task {id} was deleted, so it is not known who must not decide.", { id: task_id }),
    };
  if (isHidden(task))
    return {
      ...NO_ONE,
      everyone: t("Task {id} hides who decides it while it is open. Wait until it has ended.", { id: task_id }),
    };
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
  const of: WhyExcluded = ({ id, email }) =>
    ids.has(id) || (key !== null && email !== null && emailKey(email) === key)
      ? t("You decided task {id}, so someone else has to decide this one.", { id: task_id })
      : null;
  return { ...NO_ONE, of };
}

/**
 * Returns the votes of people whose decision does not count any more: since they voted, they answered a task that `exclude`
 * names, or became the owner of the agent.
 */
export async function votesOfExcluded<V extends Pick<StoredVote, "user_id" | "email">>(
  reader: Reader,
  task: AskedTask,
  policy: Policy,
  votes: readonly V[],
): Promise<V[]> {
  if (policy.exclude.length === 0 || votes.length === 0) return [];
  const { of } = await readExclusions(reader, task, policy);
  const found = await findUsersNamed(
    reader,
    votes.map(({ user_id }) => user_id),
  );
  const users = new Map(found.map((user) => [user.id, user]));
  return votes.filter(({ user_id: id, email }) => of(users.get(id) ?? { id, email }) !== null);
}

/**
 * Returns those of some candidates whose decision about a task counts, as far as that is known now.
 * @param names - ids, or addresses that no user has
 */
export async function withoutExcluded(
  reader: Reader,
  task: AskedTask,
  policy: Policy,
  names: readonly string[],
): Promise<string[]> {
  if (policy.exclude.length === 0) return [...names];
  const { of } = await readExclusions(reader, task, policy);
  const users = new Map((await findUsersNamed(reader, names)).map((user) => [user.id, user]));
  return names.filter((name) => of(users.get(name) ?? { id: "", email: name }) === null);
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
  const { of } = await readExclusions(reader, task, policy);
  return users
    .filter((user) => isActiveIn(user, task.project) && of(user) === null)
    .map((user) => ({ user_id: user.id, groups: groupsOfUser(user, policy.one_of_each) }));
}
