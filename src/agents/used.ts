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

/** Records when tokens were last used, to within a minute. */
interface UseRecorder {
  /** Returns whether a use of this token has to be written down. */
  isDue(token: Used): boolean;
  /** Writes the use down if that is due. Never fails: if it cannot be written, the token is good all the same. */
  record(token: Used): Promise<void>;
}

export function createUseRecorder(db: Db): UseRecorder {
  /** When this process last wrote it. */
  const written = new Map<string, number>();
  const isDue = ({ id, last_used_at }: Used) =>
    db.now() - Math.max(last_used_at ?? 0, written.get(id) ?? 0) >= USED_EVERY_MS;
  return {
    isDue,
    record: async (token) => {
      if (!isDue(token)) return;
      const now = db.now();
      written.set(token.id, now);
      await db.writeOne(updateToken, { id: token.id, now }).catch(() => {});
      await db.writeOne(updateAgent, { id: token.agent_id, now }).catch(() => {});
    },
  };
}
