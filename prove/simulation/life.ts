/**
 * A process that may die between any two calls of the store. What it had not committed is rolled back, what it was told
 * afterwards reaches nobody, and from then on it stands still.
 */
import { sql, type KyselyPlugin } from "kysely";
import type { Db, Tx } from "../../src/db/database.ts";
import type { Hints } from "../../src/db/hints.ts";
import { ServiceError } from "../../src/errors.ts";

/** What happens at a call of the store, besides the call. */
export type Mishap = "none" | "crash" | "error" | { stallMs: number };

export interface Life {
  readonly name: string;
  isDead(): boolean;
  kill(): void;
}

/** The promise of a dead process. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}

/**
 * The database as one process sees it.
 *
 * @param mishap - asked before and after every call; `stallMs` and `error` are heeded outside of transactions only
 * @param stall - lets time pass
 * @param committed - hears of every commit, before anybody learns of it
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

  /** The call itself, with what may happen before it and after it. */
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
      // The transaction goes with the process: the writer finds it gone.
      await sql`rollback`.execute(tx.query);
      throw new Error("the process is dead");
    };
    return {
      dialect: tx.dialect,
      get query() {
        return tx.query.withPlugin(gate(alive));
      },
      run: async (statement, params) => {
        // A claim says whose it is.
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
    // In the same thread, since a worker's answers would come when the machine has time for them; and an object of its own,
    // which nothing is remembered for.
    heavy: { dialect: inner.dialect, query: inner.query, run: inner.run },
    hints,
    now,
    write,
    writeOne: (statement, params) => write((tx) => tx.run(statement, params)),
    leaseOwner: () => leaseOwner,
    ping: async () => {},
    close: async () => {},
  };
}

/** Passes `before` handing out the rows of every query. */
function gate(before: () => Promise<void>): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await before();
      return result;
    },
  };
}

/** Hints of processes that share a database: one's own at once, those of others later or never. */
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
    // A lost hint is found by looking here; no connection is ever lost.
    onReset: () => () => {},
    close: async () => listeners.clear(),
  };
  return { hints, hear };
}
