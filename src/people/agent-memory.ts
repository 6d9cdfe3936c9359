import { setTimeout } from "node:timers/promises";
import type { Db } from "../db/database.ts";

/**
 * Where other processes change agents, a process uses what it read of a token for so long. A request with a known token then
 * costs no query.
 */
export const REMEMBERED_MS = 100;
/** Processes have clocks that run at slightly different speeds, and timers may be early. */
const MARGIN_MS = 10;

/**
 * Runs a change of agents or their project. It ends, also with an error, when no process uses what it read before. So the next
 * request sees the change in every process, although they remember tokens.
 */
export async function untilSeen<T>({ hints }: Pick<Db, "hints">, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } finally {
    if (hints.isShared) await setTimeout(REMEMBERED_MS + MARGIN_MS);
  }
}
