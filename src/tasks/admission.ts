import type { Tx } from "../db/database.ts";
import type { Caller } from "../people/caller.ts";

/** A place for a new task within the limits of its asker. */
export interface Place {
  /** Called in the transaction of the new task, which then has one of its own. Throws AGENT_LIMIT. null: not needed. */
  check: ((tx: Tx) => Promise<void>) | null;
  /** Has to be called once it is known whether the task was stored. */
  leave(isStored: boolean): void;
}

/** Holds new tasks within the limits of their askers. `src/agents/` implements it. */
export interface Admission {
  /** Takes a place for a new task. @throws ServiceError AGENT_LIMIT */
  admit(caller: Caller): Promise<Place>;
  /** Records that a limit refused a task of this caller. */
  recordRefusal(caller: Caller): Promise<void>;
}

export const UNLIMITED: Place = { check: null, leave: () => {} };
