/**
 * Homes: numbers from 0 to 1023 by which the rows of tasks can be spread over several databases. All rows of a task, its
 * deliveries among them, have the home of the task, so that one write has one home. Only this file knows where a home
 * comes from.
 */
import { hash } from "node:crypto";
import { lastBitsOf } from "../lib/ids.ts";
import type { Dialect } from "./database.ts";
import type { Schema } from "./schema.ts";

/** The tables whose rows belong to a task, each with its column that has the id of the task; null if it has none. */
export const TASK_BOUND = {
  tasks: "id",
  task_documents: "task_id",
  task_responses: "task_id",
  audit_entries: "task_id",
  verification_attempts: "task_id",
  task_candidates: "task_id",
  task_approvals: "task_id",
  task_comments: "task_id",
  task_versions: "task_id",
  task_labels: "task_id",
  task_snoozes: "task_id",
  task_texts: "task_id",
  deliveries: "task_id",
  delivery_bodies: null,
  delivery_attempts: null,
  delivery_places: null,
} as const satisfies { [Table in TaskBoundTable]: (keyof Schema[Table] & string) | null };

/** A table with the column `home`. */
export type TaskBoundTable = {
  [Table in keyof Schema]: Schema[Table] extends { home: number } ? Table : never;
}[keyof Schema];

/** How many homes there are. */
export const HOMES = 1024;

/** The id of a row, and its home. */
export interface Located {
  id: string;
  home: number;
}

/** The id of a task, and the home of its rows. */
export interface OfTask {
  task_id: string;
  home: number;
}

/** Returns the home of a task, or of a delivery of this release: the last 10 bits of its id. */
export function homeOf(id: string): number {
  return lastBitsOf(id);
}

/** Returns the home of a new task. The same question of the same asker always gets the same home. */
export function homeOfKey(askerId: string, idempotencyKey: string): number {
  // No id of an asker has a line break.
  return hash("sha256", `${askerId}\n${idempotencyKey}`, "buffer").readUInt16BE(0) >> 6;
}

/** Returns an id with the home that it ends with. */
export function located(id: string): Located {
  return { id, home: homeOf(id) };
}

/** Returns the key of the rows of a task in other tables. */
export function ofTask(task_id: string): OfTask {
  return { task_id, home: homeOf(task_id) };
}

/** Returns whether the database computes this column from the id of the task, so that nothing may be written to it. */
export function isComputed(dialect: Dialect, table: keyof Schema, column: string): boolean {
  return (
    dialect === "sqlite" && column === "home" && (TASK_BOUND as Partial<Record<string, string | null>>)[table] != null
  );
}
