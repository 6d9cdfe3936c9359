import { Worker } from "node:worker_threads";
import type { CompiledQuery } from "kysely";
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Driver,
} from "kysely";
import { bind, type Reader } from "./database.ts";
import type { Schema } from "./schema.ts";

export interface HeavyReader extends Reader {
  /**
   * Has the write-ahead log copied back when it is time, or when much was written since; at most one such request is under
   * way. @param written - characters written so far
   */
  checkpoint(written: number): void;
  close(): Promise<void>;
}

/** A request to the worker: rows for a query, or a checkpoint. */
export type HeavyRequest =
  | { id: number; sql: string; parameters: readonly unknown[] }
  | { id: number; checkpoint: true };
export type HeavyAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

/** The log is copied back this often while there are writes, and whenever this much was written. */
const CHECKPOINT_EVERY_MS = 1000;
const CHECKPOINT_EVERY_CHARACTERS = 8_000_000;

/** Reads of many rows, and checkpoints, in a thread with its own connection. The thread starts when it is first needed. */
export function openHeavyReader(path: string): HeavyReader {
  const pending = new Map<number, { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }>();
  let worker: Worker | null = null;
  let lastId = 0;
  let checkpointed = 0;
  let copied = 0;
  let isCheckpointing = false;

  function start(): Worker {
    const started = new Worker(new URL("./sqlite-heavy-worker.ts", import.meta.url), { workerData: { path } });
    started.unref();
    started.on("message", (answer: HeavyAnswer) => {
      const waiting = pending.get(answer.id);
      pending.delete(answer.id);
      if ("rows" in answer) waiting?.resolve(answer.rows);
      else waiting?.reject(new Error(answer.error));
      if (pending.size === 0) started.unref();
    });
    const lost = (error: Error) => {
      if (worker === started) worker = null;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    started.on("error", lost);
    started.on("exit", () => lost(new Error("the reading thread ended")));
    return started;
  }

  function ask(request: { sql: string; parameters: readonly unknown[] } | { checkpoint: true }): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      worker ??= start();
      worker.ref();
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      worker.postMessage({ id, ...request });
    });
  }

  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({ rows: (await ask({ sql, parameters })) as R[] }),
    streamQuery: () => {
      throw new Error("rows are not streamed from the reading thread");
    },
  };
  const query = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ReadOnlyDriver(connection),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });

  return {
    dialect: "sqlite",
    query,
    run: async (statement, params) => {
      const { sql, parameters } = bind(statement, "sqlite", query, params);
      return (await ask({ sql, parameters })) as never;
    },
    checkpoint: (written) => {
      const isTime =
        performance.now() - checkpointed >= CHECKPOINT_EVERY_MS || written - copied >= CHECKPOINT_EVERY_CHARACTERS;
      if (isCheckpointing || !isTime) return;
      isCheckpointing = true;
      copied = written;
      // A checkpoint that fails is tried again by the next one, and by the writer when the log has grown large.
      ask({ checkpoint: true })
        .catch(() => [])
        .finally(() => {
          isCheckpointing = false;
          checkpointed = performance.now();
        });
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

class ReadOnlyDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init() {}
  async acquireConnection() {
    return this.#connection;
  }
  async beginTransaction() {
    throw new Error("the reading thread has no transactions");
  }
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}
