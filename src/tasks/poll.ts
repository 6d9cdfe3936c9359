import { sql } from "kysely";
import { readStatement, type Db } from "../db/database.ts";
import type { TaskRow } from "../db/schema.ts";
import { SECOND } from "../lib/time.ts";
import { isTerminal } from "./lifecycle.ts";
import { toTask, type Task } from "./store.ts";

/** A task as a poll sees it. */
export interface PolledTask extends Task {
  response: string | null;
}

/** Ids asked for in one look at the database. */
const LOOK_AT_ONCE = 500;
/** With hints from other processes arriving, each waiting task is looked at once in this many rounds. */
export const ROUNDS_WHILE_HEALTHY = 10;

const selectPolled = readStatement<{ id: string }, TaskRow & { response: string | null }>((query, param) =>
  query
    .selectFrom("tasks")
    .leftJoin("task_responses", "task_responses.task_id", "tasks.id")
    .selectAll("tasks")
    .select("task_responses.response")
    .where("tasks.id", "=", param("id")),
);

/**
 * Of `ids`, those of tasks that have ended or are gone. The list is one text: a statement with as many parameters as there
 * are ids would be read anew each time.
 */
const selectEnded = readStatement<{ ids: string }, { id: string }>((query, param) => ({
  compile: () =>
    sql<{ id: string }>`
      select waiting.id from unnest(string_to_array(${param("ids")}, ',')) as waiting (id)
      where not exists (select 1 from tasks where tasks.id = waiting.id and tasks.ended_at is null)`.compile(query),
}));

/** The task, or null when there is none (any more). */
export async function findPolledTask(db: Db, id: string): Promise<PolledTask | null> {
  const [row] = await db.run(selectPolled, { id });
  return row ? toTask(row) : null;
}

/** Those who wait in this process for a task to end. While they wait, nothing is asked of the database for them. */
export interface Waiters {
  /**
   * Waits until the task has ended or is gone, `timeoutMs` have passed, `signal` aborts, or the service stops, and gives
   * its state at that moment; null when there is no such task.
   */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<PolledTask | null>;
  /** How many wait at the moment. */
  count(): number;
  /** Answers everybody with the current state; from now on nobody waits. */
  stop(): void;
}

/** What makes a waiter read the task and answer. */
type Wake = () => void;

/** A task that somebody waits for. */
interface Waited {
  answers: Set<Wake>;
  /** In which of the rounds it is looked at. It stays the same, whoever comes or leaves. */
  slot: number;
}

export function createWaiters(db: Db, onError: (error: unknown) => void): Waiters {
  const waiting = new Map<string, Waited>();
  /** Reads under way, shared by all who were woken for the same task. */
  const reading = new Map<string, Promise<PolledTask | null>>();
  /** Ends the waiting of each, at its next look. */
  const ending = new Set<Wake>();
  let stopped = false;
  let round = 0;
  let nextSlot = 0;
  let isLooking = false;
  /** Whether hints were lost since everybody was last looked at. */
  let mustLookAtAll = false;

  const unlisten = db.hints.listen((hint) => {
    const id = hint.startsWith("task:") ? hint.slice(5) : null;
    if (id === null || !waiting.has(id)) return;
    // A read that began before this change may not see it.
    reading.delete(id);
    wake(id);
  });
  const stopReset = db.hints.onReset(() => {
    mustLookAtAll = true;
    void lookOnce();
  });
  const looking = db.hints.isShared ? setInterval(() => void lookOnce(), SECOND) : null;
  looking?.unref();

  function wake(id: string): void {
    for (const answer of waiting.get(id)?.answers ?? []) answer();
  }

  function read(id: string): Promise<PolledTask | null> {
    let shared = reading.get(id);
    if (!shared) {
      shared = findPolledTask(db, id).finally(() => {
        if (reading.get(id) === shared) reading.delete(id);
      });
      reading.set(id, shared);
    }
    return shared;
  }

  /** While the database is slow, one look at a time: more of them would only make it slower. */
  async function lookOnce(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      do await look();
      while (mustLookAtAll && !stopped);
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  }

  /** Hints of other processes may be lost; this finds what they were about. Only on PostgreSQL are there any. */
  async function look(): Promise<void> {
    round = (round + 1) % ROUNDS_WHILE_HEALTHY;
    const everybody = mustLookAtAll || !db.hints.isHealthy();
    const ids = [...waiting].flatMap(([id, { slot }]) => (everybody || slot === round ? [id] : []));
    mustLookAtAll = false;
    try {
      for (let i = 0; i < ids.length; i += LOOK_AT_ONCE) {
        const some = ids.slice(i, i + LOOK_AT_ONCE);
        for (const { id } of await db.run(selectEnded, { ids: some.join() })) wake(id);
      }
    } catch (error) {
      // Those that were not reached are looked at in the next round.
      mustLookAtAll = true;
      throw error;
    }
  }

  function register(id: string, answer: Wake): () => void {
    const waited = waiting.get(id) ?? { answers: new Set(), slot: nextSlot++ % ROUNDS_WHILE_HEALTHY };
    waiting.set(id, waited);
    const { answers } = waited;
    answers.add(answer);
    return () => {
      answers.delete(answer);
      if (answers.size === 0 && waiting.get(id) === waited) waiting.delete(id);
    };
  }

  async function wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<PolledTask | null> {
    let isWoken = false;
    let isOver = stopped || timeoutMs === 0;
    let goOn: Wake = () => {};
    // Registered before the first read: a change between that read and the waiting is not missed.
    const unregister = register(id, () => {
      isWoken = true;
      goOn();
    });
    const end = () => {
      isOver = true;
      goOn();
    };
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener("abort", end, { once: true });
    ending.add(end);
    try {
      for (;;) {
        isWoken = false;
        // Nobody is there any more to hear it; thousands may leave at once.
        if (signal.aborted) return null;
        const task = isOver ? await findPolledTask(db, id) : await read(id);
        if (isOver || task === null || isTerminal(task.status)) return task;
        if (!isWoken) await new Promise<void>((resolve) => (goOn = resolve));
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      ending.delete(end);
      unregister();
    }
  }

  return {
    wait,
    count: () => ending.size,
    stop: () => {
      stopped = true;
      if (looking) clearInterval(looking);
      unlisten();
      stopReset();
      for (const end of ending) end();
    },
  };
}
