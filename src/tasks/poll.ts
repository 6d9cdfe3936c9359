import { roundOf } from "../approvals/proposal.ts";
import { listVotesIn, type RecordedVote } from "../approvals/store.ts";
import { listOpenQuestions } from "../conversation/questions.ts";
import type { Comment } from "../conversation/store.ts";
import { readStatement, type Db } from "../db/database.ts";
import { located, type Located } from "../db/home.ts";
import type { TaskRow } from "../db/schema.ts";
import { createShares } from "../lib/shares.ts";
import { isTerminal } from "./lifecycle.ts";
import { startRounds } from "./poll-rounds.ts";
import type { PollUntil } from "./schema.ts";
import { toTask, type Task } from "./store.ts";
import { createWaitingTasks, type Wake } from "./waiting-tasks.ts";

/** A task as a poll sees it. */
export interface PolledTask extends Task {
  response: string | null;
  /** What people decided in the present round, if several must approve. */
  votes: readonly RecordedVote[];
  /** To the asker, without a reply yet. */
  questions: readonly Comment[];
}

const selectPolled = readStatement<Located, TaskRow & { response: string | null }>((query, param) =>
  query
    .selectFrom("tasks")
    .leftJoin("task_responses", (join) =>
      join.onRef("task_responses.task_id", "=", "tasks.id").onRef("task_responses.home", "=", "tasks.home"),
    )
    .selectAll("tasks")
    .select("task_responses.response")
    .where("tasks.id", "=", param("id"))
    .where("tasks.home", "=", param("home")),
);

/** Returns the task, or null if it does not exist. */
export async function findPolledTask(db: Db, id: string): Promise<PolledTask | null> {
  const [row] = await db.run(selectPolled, located(id));
  if (row === undefined) return null;
  // Earlier rounds and the answers may be many and long, and thousands of polls may end at once.
  const votes = row.approvals === null ? [] : await listVotesIn(db, id, roundOf(row));
  // Nothing is read unless one waits.
  const questions = needsAttention(row) ? await listOpenQuestions(db, id) : [];
  return Object.assign(toTask(row), { votes, questions });
}

/** Returns whether a question to the asker of an open task waits for its reply. */
export function needsAttention({ ended_at, waiting_on }: Pick<TaskRow, "ended_at" | "waiting_on">): boolean {
  return ended_at === null && waiting_on === "agent";
}

/** Returns whether a poll has what it waits for. */
export function isAnswer(task: PolledTask, until: PollUntil): boolean {
  return isTerminal(task.status) || (until === "attention" && needsAttention(task));
}

/** Maximum number of polls of one person that wait in a process. Agents wait by the thousands; people in a few tabs. */
const POLLS_PER_PERSON_MAX = 100;

/** The polls that wait in this process. Waiting needs no database queries of their own. */
export interface Waiters {
  /**
   * Waits until the task is closed or deleted, `timeoutMs` have passed, `signal` aborts, or the service stops.
   * @param options.until - `attention`: also until a question to the asker waits
   * @param options.person - id of the user who waits; each has a share, and the oldest poll beyond it ends. null: no limit
   * @returns the task at that moment; null if it does not exist
   */
  wait(
    id: string,
    timeoutMs: number,
    signal: AbortSignal,
    options?: { until?: PollUntil; person?: string | null },
  ): Promise<PolledTask | null>;
  /** Number of waiting polls. */
  count(): number;
  /** Ends all polls with the current state. Later polls do not wait. */
  stop(): void;
}

export function createWaiters(db: Db, onError: (error: unknown) => void): Waiters {
  const waiting = createWaitingTasks();
  const reads = createSharedReads(db);
  /** Ends the wait of each poll. */
  const ending = new Set<Wake>();
  const shares = createShares(POLLS_PER_PERSON_MAX);
  let stopped = false;

  const unlisten = db.hints.listen((hint) => {
    const id = hint.startsWith("task:") ? hint.slice(5) : null;
    if (id === null || !waiting.has(id)) return;
    // A read that began before this change may not see it.
    reads.forget(id);
    waiting.wake(id);
  });
  const stopRounds = startRounds(db, waiting, onError);

  /**
   *     reading --- not ended ---> waiting --- woken: the task may have changed ---> reading
   *        |                          |
   *        | ended or gone            | over: timeout, abort, or stop
   *        v                          v
   *     answered <--- last read, of its own
   */
  async function wait(
    id: string,
    timeoutMs: number,
    signal: AbortSignal,
    { until = "end", person = null }: { until?: PollUntil; person?: string | null } = {},
  ): Promise<PolledTask | null> {
    let isWoken = false;
    let isOver = stopped || timeoutMs === 0;
    let goOn: Wake = () => {};
    // Registered before the first read, so that no change between the read and the wait is missed.
    const unregister = waiting.register(id, until, () => {
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
    const releaseShare = person === null ? null : shares.take(person, end);
    // A function of its own, so that a poll that waits does not keep the task.
    const look = async (): Promise<PolledTask | null | undefined> => {
      // The caller is gone. Nothing is read, because thousands may leave at once.
      if (signal.aborted) return null;
      const task = isOver ? await findPolledTask(db, id) : await reads.read(id);
      return isOver || task === null || isAnswer(task, until) ? task : undefined;
    };
    try {
      for (;;) {
        isWoken = false;
        const answer = await look();
        if (answer !== undefined) return answer;
        if (!isWoken) await new Promise<void>((resolve) => (goOn = resolve));
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      ending.delete(end);
      releaseShare?.();
      unregister();
    }
  }

  return {
    wait,
    count: () => ending.size,
    stop: () => {
      stopped = true;
      unlisten();
      stopRounds();
      for (const end of ending) end();
    },
  };
}

/** Shares a read in progress between all waiters of the same task. */
function createSharedReads(db: Db) {
  const reading = new Map<string, Promise<PolledTask | null>>();
  return {
    read: (id: string): Promise<PolledTask | null> => {
      let shared = reading.get(id);
      if (!shared) {
        shared = findPolledTask(db, id).finally(() => {
          if (reading.get(id) === shared) reading.delete(id);
        });
        reading.set(id, shared);
      }
      return shared;
    },
    /** Makes the next `read` start a new read. */
    forget: (id: string): void => void reading.delete(id),
  };
}
