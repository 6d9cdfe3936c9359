import { writeStatement, type Db } from "../db/database.ts";
import type { AgentTokenRow } from "../db/schema.ts";
import { MINUTE } from "../lib/time.ts";

/** How often the use of a token is written down, at most. */
const USED_EVERY_MS = 1 * MINUTE;

type Used = Pick<AgentTokenRow, "id" | "agent_id" | "last_used_at">;

const updateToken = writeStatement<{ id: string; now: number }>((query, param) =>
  query
    .updateTable("agent_tokens")
    .set({ last_used_at: param("now") })
    .where("id", "=", param("id")),
);

const updateAgent = writeStatement<{ id: string; now: number }>((query, param) =>
  query
    .updateTable("agents")
    .set({ last_used_at: param("now") })
    .where("id", "=", param("id")),
);

/** Returns a function that records when a token was last used, to within a minute. It never fails. */
export function createUseRecorder(db: Db): (token: Used) => Promise<void> {
  /** When this process last wrote it. */
  const written = new Map<string, number>();
  return async ({ id, agent_id, last_used_at }) => {
    const now = db.now();
    if (now - Math.max(last_used_at ?? 0, written.get(id) ?? 0) < USED_EVERY_MS) return;
    written.set(id, now);
    // If this cannot be written, the token is good all the same.
    await db.writeOne(updateToken, { id, now }).catch(() => {});
    await db.writeOne(updateAgent, { id: agent_id, now }).catch(() => {});
  };
}
