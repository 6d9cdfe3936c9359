import type { Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { emailKey, isEmailAddress, isStorableText } from "../lib/text.ts";
import { findUser, findUserByEmail, membersOf, toUser, updateUser, type User } from "../people/store.ts";
import type { Notifier, Recipient } from "./notices.ts";
import type { Destination } from "./notify.ts";

/** What `assign_to` asks for. */
export type Routing =
  | { to: "email"; email: string }
  | { to: "user"; user_id: string }
  | { to: "emails"; emails: string[] }
  | { to: "group"; role: string | null; access_level: string | null; pool: string | null };

const SPELLINGS: Readonly<Record<string, string>> = { accessLevel: "access_level", userId: "user_id" };
const KEYS = ["email", "user_id", "emails", "role", "access_level", "pool"];
const EMAILS_MAX = 50;
const TEXT_MAX = 200;

/**
 * Reads `assign_to`. (spec: Create a task, routing request)
 * @throws ServiceError VALIDATION_FAILED that names what is wrong with it
 */
export function parseAssignTo(value: JsonObject): Routing {
  const asked: JsonObject = {};
  for (const [spelling, item] of Object.entries(value)) {
    const key = SPELLINGS[spelling] ?? spelling;
    if (!KEYS.includes(key))
      throw invalid(
        `/assign_to/${pointerToken(spelling)}`,
        `Is not known here; assign_to takes ${KEYS.join(", ")}.`,
        "additionalProperties",
      );
    if (item !== null) asked[key] = item;
  }

  const group = ["role", "access_level", "pool"].filter((key) => key in asked);
  const ways = ["email", "user_id", "emails"].filter((key) => key in asked);
  if (ways.length + (group.length > 0 ? 1 : 0) !== 1) {
    throw invalid("/assign_to", "Must say one of: email, user_id, emails, or any of role, access_level and pool.");
  }
  switch (ways[0]) {
    case "email":
      return { to: "email", email: email(asked["email"], "/assign_to/email") };
    case "user_id":
      return { to: "user", user_id: text(asked["user_id"], "/assign_to/user_id") };
    case "emails": {
      const emails = asked["emails"];
      if (!Array.isArray(emails) || emails.length === 0 || emails.length > EMAILS_MAX)
        throw invalid("/assign_to/emails", `Must be a list of 1 to ${EMAILS_MAX} e-mail addresses.`);
      return { to: "emails", emails: emails.map((item, i) => email(item, `/assign_to/emails/${i}`)) };
    }
    default: {
      const part = (key: string) => (key in asked ? text(asked[key], `/assign_to/${key}`) : null);
      return { to: "group", role: part("role"), access_level: part("access_level"), pool: part("pool") };
    }
  }
}

/** To whom a new task goes, and what the audit trail says about it. */
export interface Routed {
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
  /** To whom it is offered, each by user id, or by address where the directory does not know it. */
  candidates: string[];
  /** null: nothing was asked for. */
  decision: { action: "assigned" | "offered" | "routing_unmatched"; extra: JsonObject | null } | null;
  /** Who was chosen among several, so that the next choice falls on somebody else. */
  chosen: User | null;
}

const NOBODY: Routed = {
  assigned_to_user_id: null,
  assigned_to_email: null,
  candidates: [],
  decision: null,
  chosen: null,
};

/**
 * Finds the people a new task is for, as the directory is at this moment. `assign_to` counts; without it, a single person
 * whom `notify` names. (wire: assign_to)
 */
export async function route(
  tx: Tx,
  asked: Routing | null,
  notify: readonly Destination[],
  notifier: Pick<Notifier, "recipientOf">,
): Promise<Routed> {
  if (asked === null) return routeToNotified(tx, notify, notifier);
  switch (asked.to) {
    case "email": {
      const user = await findUserByEmail(tx, asked.email);
      return isGone(user) ? unmatched() : assigned(user, asked.email, "email");
    }
    case "user": {
      const user = await findUser(tx, asked.user_id);
      return user === null || isGone(user) ? unmatched() : assigned(user, null, "user_id");
    }
    case "emails":
      return offered(await namesOfAddresses(tx, asked.emails));
    case "group": {
      if (asked.pool !== null) {
        const members = await membersOf(tx, asked).execute();
        return offered(members.map(({ id }) => id));
      }
      const chosen = await chooseOne(tx, asked);
      return chosen ? { ...assigned(chosen, null, "role"), chosen } : unmatched();
    }
  }
}

/** Records when the member of a group was chosen, so that the next task goes to another one. */
export async function recordRoundRobin(tx: Tx, { chosen }: Routed): Promise<void> {
  if (chosen === null) return;
  // Two choices may fall into one millisecond.
  const last_assigned_at = Math.max(tx.now(), (chosen.last_assigned_at ?? 0) + 1);
  await updateUser(tx, chosen.id, { last_assigned_at });
}

/** The member of a group who was chosen longest ago. */
async function chooseOne(tx: Tx, group: Extract<Routing, { to: "group" }>): Promise<User | null> {
  // One after the other: a choice must see the one before it.
  await lockName(tx, `route:${group.role ?? ""}:${group.access_level ?? ""}`);
  const row = await membersOf(tx, group).limit(1).executeTakeFirst();
  return row ? toUser(row) : null;
}

async function routeToNotified(
  tx: Tx,
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
  if (isGone(only.user)) return isForRoom ? NOBODY : unmatched();
  // Nobody is assigned where only the channel knows the person; the notice still reaches them.
  return only.user === null && only.email === null ? NOBODY : assigned(only.user, only.email, "notify");
}

/** Whether this is somebody who was deactivated: nothing is routed to them. An unknown address may be anybody's. */
function isGone(user: User | null): boolean {
  return user?.active === false;
}

async function namesOfAddresses(tx: Tx, emails: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const email of emails) {
    const user = await findUserByEmail(tx, email);
    if (!isGone(user)) names.add(user?.id ?? emailKey(email));
  }
  return [...names];
}

function assigned(user: User | null, email: string | null, by: string): Routed {
  const to = { assigned_to_user_id: user?.id ?? null, assigned_to_email: email ?? user?.email ?? null };
  return { ...NOBODY, ...to, decision: { action: "assigned", extra: { by, ...to } } };
}

function offered(candidates: string[]): Routed {
  if (candidates.length === 0) return unmatched();
  return { ...NOBODY, candidates, decision: { action: "offered", extra: { candidates } } };
}

function unmatched(): Routed {
  return { ...NOBODY, decision: { action: "routing_unmatched", extra: null } };
}

function text(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "" && value.length <= TEXT_MAX && isStorableText(value)) return value;
  throw invalid(path, `Must be text of 1 to ${TEXT_MAX} characters.`);
}

function email(value: unknown, path: string): string {
  if (typeof value === "string" && isEmailAddress(value)) return value;
  throw invalid(path, "Must be an e-mail address.");
}

function pointerToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
