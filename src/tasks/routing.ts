import { withoutExcluded } from "../approvals/eligible.ts";
import type { Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import { emailKey } from "../lib/text.ts";
import { isInProject } from "../people/caller.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser, findUserByEmail, membersOf, toUser, updateUser, type User } from "../people/store.ts";
import type { Routing } from "./assign-to.ts";
import type { Notifier, Recipient } from "./notices.ts";
import type { Destination } from "./notify.ts";
import { findStandIn, passOverAway, type RoutedTask } from "./delegation.ts";
import { assigned, delegated, NOBODY, offered, unmatched, type Routed } from "./routed.ts";

type Group = Extract<Routing, { to: "group" | "everyone" | "one" }>;

/**
 * Finds the people for a new task in the directory as it is now, among those in its project. `assign_to` decides. Without it,
 * a single person in `notify` becomes the assignee. Delegates get what is meant for people who are away. (wire: assign_to;
 * beyond: In time, absence)
 */
export async function route(
  tx: Tx,
  about: RoutedTask,
  asked: Routing | null,
  notify: readonly Destination[],
  notifier: Pick<Notifier, "recipientOf">,
): Promise<Routed> {
  const { project } = about.task;
  if (asked === null) return routeToNotified(tx, about, notify, notifier);
  switch (asked.to) {
    case "email": {
      const user = await findUserByEmail(tx, asked.email);
      return isGone(user, project) ? unmatched() : assignedTo(tx, about, user, asked.email, "email");
    }
    case "user": {
      const user = await findUser(tx, asked.user_id);
      return user === null || isGone(user, project) ? unmatched() : assignedTo(tx, about, user, null, "user_id");
    }
    case "emails":
      return offered(await passOverAway(tx, about, await peopleAt(tx, project, asked.emails)));
    case "everyone":
      return offered(await offeredMembers(tx, about, asked));
    case "group": {
      if (asked.pool !== null) return offered(await offeredMembers(tx, about, asked));
      return toOne(tx, about, asked);
    }
    case "one":
      return toOne(tx, about, asked);
  }
}

async function toOne(tx: Tx, about: RoutedTask, group: Group): Promise<Routed> {
  const chosen = await chooseOne(tx, about, group);
  return chosen ? { ...(await assignedTo(tx, about, chosen, null, "role")), chosen } : unmatched();
}

/** Assigns a task that is meant for a person to them, or to their delegate. @param user - null if the directory has no one */
async function assignedTo(
  tx: Tx,
  about: RoutedTask,
  user: User | null,
  email: string | null,
  by: string,
): Promise<Routed> {
  const standIn = user === null ? null : await findStandIn(tx, about, user);
  return standIn === null ? assigned(user, email, by) : delegated(standIn.to, standIn, email, by);
}

async function offeredMembers(tx: Tx, about: RoutedTask, group: Group): Promise<string[]> {
  const members = await membersOf(tx, about.task.project, group).execute();
  return passOverAway(
    tx,
    about,
    members.map((row) => ({ name: row.id, user: toUser(row) })),
  );
}

/** Records when a member of a group was chosen, so that the next task goes to another member. */
export async function recordRoundRobin(tx: Tx, { chosen }: Routed): Promise<void> {
  if (chosen === null) return;
  // Two choices may happen in the same millisecond.
  const last_assigned_at = Math.max(tx.now(), (chosen.last_assigned_at ?? 0) + 1);
  await updateUser(tx, chosen.id, { last_assigned_at });
}

/**
 * Returns the member of a group who was chosen longest ago, of those who are not away. If all are, one with a delegate, else the
 * one who is back first. Members whose decision would not count are passed over.
 */
async function chooseOne(tx: Tx, about: RoutedTask, group: Group): Promise<User | null> {
  // Choices run one after another, because each must see the one before.
  const pool = group.pool === null ? "" : `:${group.pool}`;
  await lockName(tx, `route:${group.role ?? ""}:${group.access_level ?? ""}${pool}`);
  const { task, policy } = about;
  const members = membersOf(tx, task.project, group);
  const now = tx.now();
  const here = members.where((where) =>
    where.or([where("absent_from", "is", null), where("absent_from", ">", now), where("absent_until", "<=", now)]),
  );
  const isAnyone = policy === null || policy.exclude.length === 0;
  const first = isAnyone ? here.limit(1) : here;
  const [chosen] = await whoMayDecide(tx, about, (await first.execute()).map(toUser));
  if (chosen !== undefined) return chosen;
  const away = await whoMayDecide(tx, about, (await members.execute()).map(toUser));
  for (const user of away) if ((await findStandIn(tx, about, user)) !== null) return user;
  return away.toSorted((a, b) => a.absent_until! - b.absent_until!)[0] ?? null;
}

async function whoMayDecide(tx: Tx, { task, policy }: RoutedTask, users: readonly User[]): Promise<readonly User[]> {
  if (policy === null) return users;
  const names = users.map(({ id }) => id);
  const left = new Set(await withoutExcluded(tx, task, policy, names));
  return users.filter(({ id }) => left.has(id));
}

async function routeToNotified(
  tx: Tx,
  about: RoutedTask,
  notify: readonly Destination[],
  notifier: Pick<Notifier, "recipientOf">,
): Promise<Routed> {
  const people = new Map<string, Recipient>();
  let isForRoom = false;
  for (const destination of notify) {
    const person = await notifier.recipientOf(tx, destination);
    const name = person?.user?.id ?? person?.name ?? null;
    if (person === null) isForRoom = true;
    else if (name !== null && !people.has(name)) people.set(name, person);
  }
  const [only, ...others] = people.values();
  if (only === undefined || others.length > 0) return NOBODY;
  if (isGone(only.user, about.task.project)) return isForRoom ? NOBODY : unmatched();
  // A person whom only the channel knows is not assigned. The notice still reaches them.
  return only.user === null && only.email === null ? NOBODY : assignedTo(tx, about, only.user, only.email, "notify");
}

/** Returns whether a user is deactivated, or not in the project. Nothing is routed to them. */
function isGone(user: User | null, project: string): boolean {
  return user !== null && (!user.active || !isInProject(toPerson(user), project));
}

/** Returns those at some addresses who are not gone, each once, named as in an offer (candidates.ts). */
async function peopleAt(
  tx: Tx,
  project: string,
  emails: readonly string[],
): Promise<{ name: string; user: User | null }[]> {
  const people = new Map<string, User | null>();
  for (const email of emails) {
    const user = await findUserByEmail(tx, email);
    if (!isGone(user, project)) people.set(user?.id ?? emailKey(email), user);
  }
  return [...people].map(([name, user]) => ({ name, user }));
}
