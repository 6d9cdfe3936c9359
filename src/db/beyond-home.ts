import { sql, type RawBuilder } from "kysely";

/**
 * What a statement on the tables of tasks may not do, because databases that rows are spread over by their home would
 * refuse it, or would all be asked:
 *
 * - `home`: read or write without the home of each row, or insert a row without it
 * - `join`: join two of the tables, but not by home
 * - `lock`: lock rows other than those of one home
 * - `conflict`: name the columns of a conflict without the home
 * - `insert`: insert within a `with`
 * - `lock and insert`: both within one `with`
 * - `recursion`, `lateral`: recursion, or a lateral subquery with a limit
 *
 * test/support/home-rules.ts holds every statement of the tests to this.
 */
export type HomeRule = "home" | "join" | "lock" | "conflict" | "insert" | "lock and insert" | "recursion" | "lateral";

interface Exception {
  /** The rules that the statement breaks. */
  breaks: readonly HomeRule[];
  why: string;
}

/** Statements that do not keep to one home. They are right and fast on one database. */
export const BEYOND_HOME = {
  "due tasks": { breaks: ["home", "lock"], why: "Deadlines pass in all homes." },
  "next deadline": { breaks: ["home"], why: "It may be in any home." },
  "due steps": { breaks: ["home", "lock"], why: "Steps become due in all homes." },
  "next step": { breaks: ["home"], why: "It may be in any home." },
  "tasks with a calendar": {
    breaks: ["home"],
    why: "The open tasks whose steps count in a calendar are in all homes.",
  },
  "lapsed claims": { breaks: ["home", "lock"], why: "Claims end in all homes." },
  "next end of a claim": { breaks: ["home"], why: "It may be in any home." },
  "open tasks of an agent": { breaks: ["home"], why: "The tasks of one agent are in all homes." },
  "open tasks of a stopped agent": {
    breaks: ["home", "lock"],
    why: "They are in all homes, and end a hundred at a time.",
  },
  "tasks of departed people": { breaks: ["home"], why: "The tasks of one person are in all homes." },
  "task of a key": {
    breaks: ["home"],
    why: "Tasks of earlier releases have a home that does not follow from their key.",
  },
  "list of tasks": { breaks: ["home"], why: "A list shows the tasks of all homes in one order." },
  "texts for searches": {
    breaks: ["home", "lock"],
    why: "What happens to the tasks of all homes is followed in one order. Spread tasks have no such texts.",
  },
  "snoozed tasks of a person": { breaks: ["home"], why: "The tasks that one person has snoozed are in all homes." },
  "counts and statistics": { breaks: ["home"], why: "They are about the tasks of all homes." },
  "audit trail of all tasks": {
    breaks: ["home"],
    why: "It shows what happened to the tasks of all homes in one order.",
  },
  "new tasks": { breaks: ["home"], why: "The event stream shows the new tasks of all homes." },
  "new tasks in one statement": {
    breaks: ["insert"],
    why: "One statement writes the tasks of many requests, whatever their homes.",
  },
  "moves in one statement": {
    breaks: ["insert"],
    why: "A change of a task and everything it causes cost one round trip.",
  },
  "list of deliveries": { breaks: ["home"], why: "A list shows the deliveries of all homes in one order." },
  "task of a thread": { breaks: ["home"], why: "Slack names the message, and not its task." },
  "delivery of an earlier release": { breaks: ["home"], why: "Its id does not end with its home." },
  "redelivered deliveries": { breaks: ["lock"], why: "An operator redelivers deliveries of many homes at once." },
  "due origins": { breaks: ["home"], why: "Deliveries become due in all homes." },
  "walk over origins": { breaks: ["home", "recursion"], why: "It goes along one index, from origin to origin." },
  "due deliveries of origins": { breaks: ["home", "lateral"], why: "The deliveries to one origin are in all homes." },
  "next due delivery": { breaks: ["home"], why: "It may be in any home." },
  "claimed deliveries": { breaks: ["lock"], why: "A turn of the engine takes deliveries of many homes at once." },
  "outcomes in one statement": {
    breaks: ["lock", "insert", "lock and insert"],
    why: "One statement writes the outcomes of many attempts, whatever their homes.",
  },
  "lapsed leases": { breaks: ["home", "lock"], why: "A lost process leaves leases in all homes." },
  "lost attempts": { breaks: ["home"], why: "A lost process leaves leases in all homes." },
} as const satisfies Record<string, Exception>;

export type BeyondHome = keyof typeof BEYOND_HOME;

/** Marks a statement as one of the exceptions, with a comment in its SQL. */
export function beyondHome(name: BeyondHome): RawBuilder<unknown> {
  return sql.raw(`/* beyond home: ${name} */`);
}

/** Returns the exceptions that a statement is marked as. */
export function marksOf(text: string): string[] {
  return Array.from(text.matchAll(/\/\* beyond home: ([^*]+) \*\//g), ([, name]) => name!);
}
