/**
 * A process that may die between any two calls of the store. Its open transaction is rolled back, later answers are
 * dropped, and it does nothing more.
 */
import { sql, type KyselyPlugin } from "kysely";
import type { Db, Tx } from "../../src/db/database.ts";
import type { Hints } from "../../src/db/hints.ts";
import { ServiceError } from "../../src/errors.ts";

/** An incident at a call of the store. */
export type Mishap = "none" | "crash" | "error" | { stallMs: number };

export interface Life {
  readonly name: string;
  isDead(): boolean;
  kill(): void;
}

/** Returns the promise of a dead process, which never settles. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

/**
 * Returns the database as one process sees it.
 *
 * @param mishap - called before and after every call; `stallMs` and `error` have an effect only outside transactions
 * @param stall - lets time pass
 * @param committed - called at every commit, before the caller learns of it
 */
export function storeOf(
  life: Life,
  inner: Db,
  hints: Hints,
  {
    now,
    mishap,
    stall,
    committed,
  }: { now: () => number; mishap: () => Mishap; stall: (ms: number) => Promise<void>; committed: () => void },
): Db & { leaseOwner(): string | null } {
  let leaseOwner: string | null = null;

  async function pass(error: "DATABASE_UNAVAILABLE" | "COMMIT_UNKNOWN"): Promise<void> {
    if (life.isDead()) return never();
    const what = mishap();
    if (what === "crash") life.kill();
    if (what === "error") throw new ServiceError(error);
    if (typeof what === "object") await stall(what.stallMs);
    if (life.isDead()) return never();
  }

  /** Makes the call, with the mishaps before and after it. */
  async function call<T>(act: () => Promise<T>): Promise<T> {
    await pass("DATABASE_UNAVAILABLE");
    try {
      return await act();
    } finally {
      await pass("COMMIT_UNKNOWN");
    }
  }

  function guard(tx: Tx, effects: (() => void)[]): Tx {
    const alive = async () => {
      if (!life.isDead() && mishap() === "crash") life.kill();
      if (!life.isDead()) return;
      // The transaction dies with the process: it is rolled back.
      await sql`rollback`.execute(tx.query);
      throw new Error("the process is dead");
    };
    return {
      dialect: tx.dialect,
      get query() {
        return tx.query.withPlugin(gate(alive));
      },
      run: async (statement, params) => {
        // A claim names the owner of the lease.
        leaseOwner ??= (params as { owner?: string }).owner ?? null;
        await alive();
        const rows = await tx.run(statement, params);
        await alive();
        return rows;
      },
      now,
      afterCommit: (effect) => void effects.push(effect),
      hint: (hint) => void effects.push(() => hints.publish([hint])),
    };
  }

  const write = <T>(fn: (tx: Tx) => Promise<T>): Promise<T> =>
    call(() =>
      inner.write(async (tx) => {
        const effects: (() => void)[] = [];
        const value = await fn(guard(tx, effects));
        tx.afterCommit(() => {
          committed();
          if (!life.isDead()) for (const effect of effects) effect();
        });
        return value;
      }),
    );

  return {
    dialect: inner.dialect,
    query: (inner.query as Tx["query"]).withPlugin(gate(() => pass("DATABASE_UNAVAILABLE"))),
    run: (statement, params) => call(() => inner.run(statement, params)),
    // Heavy queries run in this thread: a worker answers at a time that depends on the machine. The object is new,
    // so nothing is cached for it.
    heavy: { dialect: inner.dialect, query: inner.query, run: inner.run },
    hints,
    now,
    lookAlone: async (_name, look) => look(),
    shardOf: inner.shardOf,
    write,
    writeOne: (statement, params) => write((tx) => tx.run(statement, params)),
    leaseOwner: () => leaseOwner,
    ping: async () => {},
    close: async () => {},
  };
}

/** Waits for `before` before the rows of a query are returned. */
function gate(before: () => Promise<void>): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await before();
      return result;
    },
  };
}

/** Returns hints of processes that share a database: own hints arrive at once, those of others later or never. */
export function createHints(isShared: boolean, sendToOthers: (hints: readonly string[]) => void) {
  const listeners = new Set<(hint: string) => void>();
  const hear = (hints: readonly string[]) => {
    for (const hint of hints) for (const listener of listeners) listener(hint);
  };
  const hints: Hints = {
    isShared,
    isHealthy: () => true,
    publish: (published) => {
      hear(published);
      sendToOthers(published);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    // Polling finds a lost hint; the connection is never lost.
    onReset: () => () => {},
    close: async () => listeners.clear(),
  };
  return { hints, hear };
}
