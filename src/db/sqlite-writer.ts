import { AsyncResource } from "node:async_hooks";
import type { Tx } from "./database.ts";
import type { Hints } from "./hints.ts";
import type { Connection } from "./sqlite-connection.ts";
import { createGroupCommit, type Call, type Outcome } from "./sqlite-group.ts";

export interface Writer {
  /** As `Db.write`. */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
}

export interface WriterOptions {
  clock: () => number;
  hints: Hints;
  onError: (error: unknown) => void;
  /** Called after each commit with the number of characters written so far. */
  onGrowth: (written: number) => void;
}

/**
 * Queues calls and commits them in groups.
 *
 *     idle --- write ---> gathering --- next turn ---> committing a group --- results returned -----+
 *      ^                      ^                                                                     |
 *      |                      +------------------- next turn, when calls wait ----------------------+
 *      +--------------------------------------- when no call waits ---------------------------------+
 *
 * Neither the result nor the error of a call reaches its caller before the commit has returned.
 */
export function createWriter(connection: Connection, { clock, hints, onError, onGrowth }: WriterOptions): Writer {
  const commitGroup = createGroupCommit(connection, clock);
  const waiting: Call[] = [];
  let draining: Promise<void> | null = null;

  async function drain(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const outcomes = await commitGroup(waiting);
        for (const outcome of outcomes) handOut(outcome);
        onGrowth(connection.written());
        // Let further requests join the next group.
        await nextTurn();
      }
    } finally {
      draining = null;
    }
  }

  function handOut({ call, result, effects, hints: changed }: Outcome): void {
    if (!result.ok) return call.reject(result.error);
    call.resolve(result.value as never);
    try {
      for (const effect of effects) effect();
      if (changed.length > 0) hints.publish(changed);
    } catch (error) {
      onError(error);
    }
  }

  return {
    write: <T>(fn: (tx: Tx) => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        // A call runs in a turn that another call began, but keeps the async context of its own caller.
        waiting.push({ fn: AsyncResource.bind(fn), resolve, reject });
        draining ??= nextTurn().then(drain);
      }),
    idle: async () => {
      while (draining) await draining;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
