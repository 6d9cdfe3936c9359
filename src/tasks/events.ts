import type { Db } from "../db/database.ts";
import { located } from "../db/home.ts";
import { isOneOf, locationsFor } from "../db/ids.ts";
import { isOperator, isOperatorOf, type Caller } from "../people/caller.ts";
import { createShares } from "../lib/shares.ts";
import { SECOND } from "../lib/time.ts";
import { namesOf } from "./candidates.ts";
import { CREATED_HINT } from "./creator.ts";
import { createNewTasks, REPORTED_MAX, selectListed } from "./new-tasks.ts";
import { isShown, offersOf } from "./event-audience.ts";
import type { TaskStatus } from "./lifecycle.ts";

const DELETED = "deleted:";

/** The hint that a task of a project was deleted. */
export function deletedHint(project: string): string {
  return DELETED + project;
}

/** An event of a stream: one changed task, or `reset` if anything may have changed. */
export type TaskChange = { type: "reset" } | { type: "task"; id: string; status: TaskStatus | "deleted" };

/** Why a stream ends: the service stops, or its person has opened too many others. */
export type StreamEnd = "stopped" | "replaced";

/** Reports changes of tasks to streams, each limited to tasks that its caller may see. Sends ids and statuses only. */
export interface TaskEvents {
  /**
   * Calls `on.change` for every change, and `on.end` once the stream is closed here.
   * @param project - the slug of the only one whose tasks are told; null: all
   * @returns a function that closes it
   */
  open(
    caller: Caller,
    project: string | null,
    on: { change: (change: TaskChange) => void; end: (reason: StreamEnd) => void },
  ): () => void;
  /** Number of open streams. */
  count(): number;
  stop(): void;
}

/** Maximum number of streams of one person in a process. Beyond it, the oldest is replaced. */
const STREAMS_PER_PERSON_MAX = 20;
/** Changes are collected for this long, and then read with one query for all streams. */
const GATHER_MS = 100;
/** Interval of `reset` events while hints of other processes do not arrive. */
const RESET_EVERY_MS = 15 * SECOND;

interface Stream {
  caller: Caller;
  project: string | null;
  change: (change: TaskChange) => void;
  end: (reason: StreamEnd) => void;
}

/**
 * Reports changes that hints announce.
 *
 *     idle --- hint ---> gathering --- GATHER_MS later ---> looking --- nothing new ---> idle
 *                            ^                                 |
 *                            +------- more hints came ------+
 *
 * A look that fails, or finds too many tasks, sends `reset` to every stream.
 */
export function createTaskEvents(db: Db, onError: (error: unknown) => void): TaskEvents {
  const streams = new Set<Stream>();
  const shares = createShares(STREAMS_PER_PERSON_MAX);
  const changed = new Set<string>();
  const newTasks = createNewTasks(db);
  let areNew = false;
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

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
      if (ids.length > REPORTED_MAX) return resetAll();
      const fresh = lookForNew ? await newTasks.find() : [];
      if (fresh.length > REPORTED_MAX) return resetAll();
      const isChanged = isOneOf(db.dialect, ["id", "home"], locationsFor(db, ids.map(located)));
      const rows = ids.length === 0 ? [] : await selectListed(db).where(isChanged).execute();
      const found = new Set(rows.map(({ id }) => id));
      const rowsById = new Map([...fresh, ...rows].map((row) => [row.id, row]));
      const offers = await offersOf(db, [...rowsById.keys()], callers());
      for (const { caller, project, change } of streams) {
        for (const row of rowsById.values())
          if ((project === null || row.project === project) && isShown(caller, row, offers.get(row.id)))
            change({ type: "task", id: row.id, status: row.status as TaskStatus });
        const deleted = ids.filter((id) => !found.has(id));
        // Neither the assignee nor the project of a deleted task is known. The deletion published hints for the others.
        if (isOperator(caller) && project === null)
          for (const id of deleted) change({ type: "task", id, status: "deleted" });
      }
    } catch (error) {
      onError(error);
      resetAll();
    }
  }

  function callers(): Caller[] {
    return Array.from(streams, ({ caller }) => caller);
  }

  function resetAll(): void {
    for (const { change } of streams) change({ type: "reset" });
  }

  /** For those who see a project whole, and are not told of each deleted task. */
  function resetProject(slug: string): void {
    for (const { caller, project, change } of streams) {
      const isTold = isOperator(caller) && project === null;
      if (!isTold && isOperatorOf(caller, slug) && (project ?? slug) === slug) change({ type: "reset" });
    }
  }

  function resetPerson(person: string): void {
    for (const { caller, change } of streams) if (isNamed(caller, person)) change({ type: "reset" });
  }

  const stopListening = listen(db, {
    isHeard: () => streams.size > 0,
    created: () => {
      areNew = true;
      lookSoon();
    },
    changed: (id) => {
      changed.add(id);
      lookSoon();
    },
    inboxChanged: resetPerson,
    deletedIn: resetProject,
    lost: resetAll,
  });

  return {
    open: (caller, project, on) => {
      const stream = { caller, project, ...on };
      if (streams.size === 0) newTasks.startFrom(db.now());
      streams.add(stream);
      const remove = () => void streams.delete(stream);
      const replace = () => {
        remove();
        on.end("replaced");
      };
      const sharer = caller.kind === "user" ? caller.user.id : caller.kind === "agent" ? caller.id : null;
      const releaseShare = sharer !== null ? shares.take(sharer, replace) : null;
      on.change({ type: "reset" });
      return () => {
        remove();
        releaseShare?.();
      };
    },
    count: () => streams.size,
    stop: () => {
      stopListening();
      if (timer !== null) clearTimeout(timer);
      for (const { end } of streams) end("stopped");
      streams.clear();
    },
  };
}

interface Heard {
  isHeard: () => boolean;
  created: () => void;
  changed: (id: string) => void;
  inboxChanged: (person: string) => void;
  deletedIn: (project: string) => void;
  /** Hints of other processes may have been lost. */
  lost: () => void;
}

/** @returns a function that ends it */
function listen({ hints }: Db, on: Heard): () => void {
  const unlisten = hints.listen((hint) => {
    if (!on.isHeard()) return;
    if (hint === CREATED_HINT) on.created();
    else if (hint.startsWith("task:")) on.changed(hint.slice(5));
    else if (hint.startsWith("inbox:")) on.inboxChanged(hint.slice(6));
    else if (hint.startsWith(DELETED)) on.deletedIn(hint.slice(DELETED.length));
  });
  const stopReset = hints.onReset(on.lost);
  const resetUnlessHealthy = (): void => {
    if (!hints.isHealthy()) on.lost();
  };
  const resetting = hints.isShared ? setInterval(resetUnlessHealthy, RESET_EVERY_MS) : null;
  resetting?.unref();
  return () => {
    unlisten();
    stopReset();
    if (resetting !== null) clearInterval(resetting);
  };
}

function isNamed(caller: Caller, person: string): boolean {
  return caller.kind === "user" && !isOperator(caller) && namesOf(caller.user).includes(person);
}
