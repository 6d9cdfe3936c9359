/** The directory of a run: the same people in each. They are known by their numbers. */
import type { Db } from "../../src/db/database.ts";
import type { Caller, Person } from "../../src/people/caller.ts";
import { addUser } from "../../src/people/store.ts";
import { newUserRow } from "../../src/people/users.ts";

/** Those of the pool `crowd` have the numbers below this. */
export const CROWD = 20;
/** An operator, who is also at the desk, and asks for tasks. */
export const BOSS = 25;

export type Group = { pool: string } | { role: string } | { emails: string[] };

interface Somebody {
  id: string;
  email: string;
  pool: string;
  role: string;
}

export const PEOPLE: readonly Somebody[] = Array.from({ length: BOSS + 1 }, (_, number) => ({
  id: `usr_${String(number).padStart(26, "0")}`,
  email: `person-${number}@example.com`,
  pool: number < CROWD ? "crowd" : "desk",
  role: number % 3 === 0 ? "finance" : "support",
}));

export const EVERYONE: readonly number[] = PEOPLE.keys().toArray();

/** Returns the people of a group, by their numbers. */
export function membersOf(group: Group): number[] {
  return EVERYONE.filter((number) => {
    const { pool, role, email } = PEOPLE[number]!;
    if ("pool" in group) return group.pool === pool;
    return "role" in group ? group.role === role : group.emails.includes(email);
  });
}

/** Returns the number of a person; null if the directory has no one of this address or id. */
export function numberOf(name: string | null): number | null {
  const number = PEOPLE.findIndex(({ id, email }) => name === id || name === email);
  return number === -1 ? null : number;
}

export async function addPeople(db: Db): Promise<void> {
  await db.write(async (tx) => {
    for (const [number, { id, email, pool, role }] of PEOPLE.entries())
      await addUser(
        tx,
        newUserRow(tx, { id, email, email_key: email, pool, role, is_operator: number === BOSS ? 1 : 0 }),
      );
  });
}

/** How people answer. */
export type Surface = "dashboard" | "email" | "slack";

/** Returns a person as the service sees them on a surface. @param task_id - the task that they answer */
export function callerOf(number: number, surface: Surface, task_id: string): Caller {
  const { id, email } = PEOPLE[number]!;
  const person: Person = {
    id,
    email,
    display_name: null,
    is_operator: number === BOSS,
    projects: { default: "member" },
    time_zone: null,
    language: null,
    absence: null,
  };
  switch (surface) {
    case "dashboard":
      return { kind: "user", user: person, session: "session", confirmedAt: 0, method: "password", isLimited: false };
    case "email":
      return {
        kind: "recipient",
        channel: "email",
        person,
        email,
        account: null,
        grant: { kind: "link", task_id, is_named: false },
      };
    case "slack":
      return {
        kind: "recipient",
        channel: "slack",
        person,
        email,
        account: null,
        grant: { kind: "member", named_by: null, is_assigned_only: false },
      };
  }
}
