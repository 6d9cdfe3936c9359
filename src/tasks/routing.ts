import type { Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import { emailKey } from "../lib/text.ts";
import { isInProject } from "../people/caller.ts";
import { toPerson } from "../people/sign-in.ts";
import { findUser, findUserByEmail, membersOf, toUser, updateUser, type User } from "../people/store.ts";
import type { Routing } from "./assign-to.ts";
import type { Notifier, Recipient } from "./notices.ts";
import type { Destination } from "./notify.ts";
import { assigned, NOBODY, offered, unmatched, type Routed } from "./routed.ts";

type Group = Extract<Routing, { to: "group" | "everyone" | "one" }>;

/**
 * Finds the people for a new task in the directory as it is now, among those in its project. `assign_to` decides. Without it,
 * a single person in `notify` becomes the assignee. (wire: assign_to)
 */
export async function route(
  tx: Tx,
  project: string,
  asked: Routing | null,
  notify: readonly Destination[],
  notifier: Pick<Notifier, "recipientOf">,
): Promise<Routed> {
  if (asked === null) return routeToNotified(tx, project, notify, notifier);
  switch (asked.to) {
    case "email": {
      const user = await findUserByEmail(tx, asked.email);
      return isGone(user, project) ? unmatched() : assigned(user, asked.email, "email");
    }
    case "user": {
      const user = await findUser(tx, asked.user_id);
      return user === null || isGone(user, project) ? unmatched() : assigned(user, null, "user_id");
    }
    case "emails":
      return offered(await namesOfAddresses(tx, project, asked.emails));
    case "everyone":
      return offered(await idsOfMembers(tx, project, asked));
    case "group": {
      if (asked.pool !== null) return offered(await idsOfMembers(tx, project, asked));
      return toOne(tx, project, asked);
    }
    case "one":
      return toOne(tx, project, asked);
  }
}

async function toOne(tx: Tx, project: string, group: Group): Promise<Routed> {
  const chosen = await chooseOne(tx, project, group);
  return chosen ? { ...assigned(chosen, null, "role"), chosen } : unmatched();
}

async function idsOfMembers(tx: Tx, project: string, group: Group): Promise<string[]> {
  const members = await membersOf(tx, project, group).execute();
  return members.map(({ id }) => id);
}

/** Records when a member of a group was chosen, so that the next task goes to another member. */
export async function recordRoundRobin(tx: Tx, { chosen }: Routed): Promise<void> {
  if (chosen === null) return;
  // Two choices may happen in the same millisecond.
  const last_assigned_at = Math.max(tx.now(), (chosen.last_assigned_at ?? 0) + 1);
  await updateUser(tx, chosen.id, { last_assigned_at });
}

/** Returns the member of a group who was chosen longest ago. */
async function chooseOne(tx: Tx, project: string, group: Group): Promise<User | null> {
  // Choices run one after another, because each must see the one before.
  await lockName(
    tx,
    `route:${group.role ?? ""}:${group.access_level ?? ""}${group.pool === null ? "" : `:${group.pool}`}`,
  );
  const row = await membersOf(tx, project, group).limit(1).executeTakeFirst();
  return row ? toUser(row) : null;
}

async function routeToNotified(
  tx: Tx,
  project: string,
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
  if (isGone(only.user, project)) return isForRoom ? NOBODY : unmatched();
  // A person whom only the channel knows is not assigned. The notice still reaches them.
  return only.user === null && only.email === null ? NOBODY : assigned(only.user, only.email, "notify");
}

/** Returns whether a user is deactivated, or not in the project. Nothing is routed to them. */
function isGone(user: User | null, project: string): boolean {
  return user !== null && (!user.active || !isInProject(toPerson(user), project));
}

async function namesOfAddresses(tx: Tx, project: string, emails: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const email of emails) {
    const user = await findUserByEmail(tx, email);
    if (!isGone(user, project)) names.add(user?.id ?? emailKey(email));
  }
  return [...names];
}
