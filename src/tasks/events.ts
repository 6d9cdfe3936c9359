import type { Db } from "../db/database.ts";
import { isOperator, type Caller } from "../people/caller.ts";
import { lowestId, timeOfId } from "../lib/ids.ts";
import { SECOND } from "../lib/time.ts";
import { isAssignee } from "./access.ts";
import { namesOf } from "./candidates.ts";
import { CREATED_HINT } from "./creator.ts";
import type { TaskStatus } from "./lifecycle.ts";
import type { Task } from "./store.ts";

/** What a stream tells: `reset` that anything may have changed, else which task did and where it stands now. */
export type TaskChange = { type: "reset" } | { type: "task"; id: string; status: TaskStatus | "deleted" };

/** Tells those who look at tasks what changes, each within what they may see; ids and statuses, never what is in a task. */
export interface TaskEvents {
  /** Tells `on.change` of changes from now on, and `on.end` when the service stops. @returns a function that ends it */
  open(caller: Caller, on: { change: (change: TaskChange) => void; end: () => void }): () => void;
  /** How many listen at the moment. */
  count(): number;
  stop(): void;
}

/** Changes are gathered for this long: one look at the database for all of them and for everybody. */
const GATHER_MS = 100;
/** More than this is not told one by one. */
const TOLD_MAX = 500;
/** While hints of other processes do not arrive, pages read everything again this often. */
const RESET_EVERY_MS = 15 * SECOND;
/** A task may be written this long after its id was made, as far as anybody waits for it. */
const LATE_MS = 5 * SECOND;

interface Stream {
  caller: Caller;
  change: (change: TaskChange) => void;
  end: () => void;
}

type Seen = Pick<Task, "id" | "assigned_to_user_id" | "assigned_to_email"> & { status: string };

export function createTaskEvents(db: Db, onError: (error: unknown) => void): TaskEvents {
  const streams = new Set<Stream>();
  const changed = new Set<string>();
  /** New tasks that were told of already, for as long as they may be found again. */
  const told = new Set<string>();
  let areNew = false;
  let newest = 0;
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

  const unlisten = db.hints.listen((hint) => {
    if (streams.size === 0) return;
    if (hint === CREATED_HINT) areNew = true;
    else if (hint.startsWith("task:")) changed.add(hint.slice(5));
    else if (hint.startsWith("inbox:")) return reset((stream) => isNamed(stream, hint.slice(6)));
    else return;
    lookSoon();
  });

  const stopReset = db.hints.onReset(() => reset(() => true));
  const resetting = db.hints.isShared
    ? setInterval(() => {
        if (!db.hints.isHealthy()) reset(() => true);
      }, RESET_EVERY_MS)
    : null;
  resetting?.unref();

  function lookSoon(): void {
    if (timer !== null || isLooking) return;
    timer = setTimeout(() => {
      timer = null;
      isLooking = true;
      void look().finally(() => {
        isLooking = false;
        if (areNew || changed.size > 0) lookSoon();
      });
    }, GATHER_MS);
    timer.unref();
  }

  async function look(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    const lookForNew = areNew;
    areNew = false;
    try {
      if (ids.length > TOLD_MAX) return reset(() => true);
      const fresh = lookForNew ? await findNew() : [];
      if (fresh.length > TOLD_MAX) return reset(() => true);
      const rows = ids.length === 0 ? [] : await tasks().where("id", "in", ids).execute();
      const found = new Set(rows.map(({ id }) => id));
      const gone = ids.filter((id) => !found.has(id));
      await tell(new Map([...fresh, ...rows].map((row) => [row.id, row])), gone);
    } catch (error) {
      // What was missed is found by whoever asks anew.
      onError(error);
      reset(() => true);
    }
  }

  function tasks() {
    return db.query.selectFrom("tasks").select(["id", "status", "assigned_to_user_id", "assigned_to_email"]);
  }

  /** Tasks that nobody here was told of; one more than are told at the most. */
  async function findNew(): Promise<Seen[]> {
    const since = newest - LATE_MS;
    for (const id of told) if (timeOfId(id) < since) told.delete(id);
    const rows = await tasks()
      .where("id", ">=", lowestId("tsk", Math.max(since, 0)))
      .orderBy("id", "desc")
      .limit(TOLD_MAX + told.size + 1)
      .execute();
    const fresh = rows.filter(({ id }) => !told.has(id));
    for (const { id } of fresh) told.add(id);
    newest = Math.max(newest, ...rows.slice(0, 1).map(({ id }) => timeOfId(id)));
    return fresh;
  }

  async function tell(rows: ReadonlyMap<string, Seen>, gone: readonly string[]): Promise<void> {
    const offers = await offersOf([...rows.keys()]);
    for (const stream of streams) {
      for (const row of rows.values())
        if (sees(stream.caller, row, offers.get(row.id)))
          stream.change({ type: "task", id: row.id, status: row.status as TaskStatus });
      // To whom it belonged cannot be told any more; those were told when it was deleted that their lists changed.
      if (isOperator(stream.caller)) for (const id of gone) stream.change({ type: "task", id, status: "deleted" });
    }
  }

  /** To whom these tasks are offered, where somebody listens who does not see everything. */
  async function offersOf(ids: readonly string[]): Promise<Map<string, Set<string>>> {
    const offers = new Map<string, Set<string>>();
    if (ids.length === 0 || [...streams].every(({ caller }) => isOperator(caller))) return offers;
    const rows = await db.query
      .selectFrom("task_candidates")
      .select(["task_id", "person"])
      .where("task_id", "in", ids)
      .execute();
    for (const { task_id, person } of rows) offers.set(task_id, (offers.get(task_id) ?? new Set()).add(person));
    return offers;
  }

  function reset(isFor: (stream: Stream) => boolean): void {
    for (const stream of streams) if (isFor(stream)) stream.change({ type: "reset" });
  }

  return {
    open: (caller, on) => {
      const stream = { caller, ...on };
      if (streams.size === 0) newest = db.now();
      streams.add(stream);
      on.change({ type: "reset" });
      return () => void streams.delete(stream);
    },
    count: () => streams.size,
    stop: () => {
      unlisten();
      stopReset();
      if (resetting !== null) clearInterval(resetting);
      if (timer !== null) clearTimeout(timer);
      for (const { end } of streams) end();
      streams.clear();
    },
  };
}

function sees(caller: Caller, task: Seen, offered: ReadonlySet<string> | undefined): boolean {
  if (isOperator(caller)) return true;
  if (caller.kind !== "user") return false;
  return isAssignee(caller.user, task) || namesOf(caller.user).some((name) => offered?.has(name));
}

function isNamed({ caller }: Stream, person: string): boolean {
  return caller.kind === "user" && !isOperator(caller) && namesOf(caller.user).includes(person);
}
