import { writeStatement, type Db } from "../db/database.ts";
import { SECOND } from "../lib/time.ts";
import { UNLIMITED, type Admission } from "../tasks/admission.ts";
import { takeOfMinute, unknownMinute, type Minute } from "./minute-limit.ts";
import { takeOfOpen, unknownOpenTasks, type OpenTasks } from "./open-limit.ts";

/** How often it is written down that an agent was limited, at most. */
const LIMITED_EVERY_MS = 10 * SECOND;
/** Agents that are remembered. A forgotten agent is counted again. */
const KNOWN_MAX = 10_000;

const updateLimited = writeStatement<{ id: string; limited_at: number }>((query, param) =>
  query
    .updateTable("agents")
    .set({ limited_at: param("limited_at") })
    .where("id", "=", param("id")),
);

/** What this process knows of one agent. */
interface Known {
  minute: Minute;
  open: OpenTasks;
  limited_at: number;
}

/**
 * Holds agents within two limits over all processes: open tasks, and new tasks in a minute.
 * @returns also a function that ends it
 */
export function createAgentLimits(db: Db): Admission & { stop(): void } {
  const known = new Map<string, Known>();

  function knownOf(id: string): Known {
    let found = known.get(id);
    if (found === undefined) {
      if (known.size >= KNOWN_MAX) known.clear();
      found = { minute: unknownMinute(), open: unknownOpenTasks(), limited_at: Number.NEGATIVE_INFINITY };
      known.set(id, found);
    }
    return found;
  }

  // A task may have ended, and left its place.
  const unlisten = db.hints.listen((hint) => {
    if (hint.startsWith("task:")) for (const { open } of known.values()) open.isFull = false;
  });

  return {
    admit: async (caller) => {
      if (caller.kind !== "agent") return UNLIMITED;
      const { minute, open } = knownOf(caller.id);
      const check = await takeOfOpen(db, caller, open);
      const giveBack = await takeOfMinute(db, caller, minute);
      open.underWay++;
      return {
        check,
        leave: (isStored) => {
          open.underWay--;
          if (!isStored) giveBack();
        },
      };
    },
    recordRefusal: async (caller) => {
      if (caller.kind !== "agent") return;
      const of = knownOf(caller.id);
      const now = db.now();
      if (Math.abs(now - of.limited_at) < LIMITED_EVERY_MS) return;
      of.limited_at = now;
      await db.writeOne(updateLimited, { id: caller.id, limited_at: now }).catch(() => {});
    },
    stop: unlisten,
  };
}
