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
import { ServiceError } from "../errors.ts";
import { asServiceError } from "./sqlite-errors.ts";
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
export type HeavyAnswer = { id: number; rows: unknown[] } | { id: number; error: string; errcode: number | undefined };

/** A thread and what was asked of it: its end is not the end of what its successor is asked. */
interface HeavyWorker {
  thread: Worker;
  pending: Map<number, { resolve: (rows: unknown[]) => void; reject: (error: unknown) => void }>;
}

/** The log is copied back this often while there are writes, and whenever this much was written. */
const CHECKPOINT_EVERY_MS = 1000;
const CHECKPOINT_EVERY_CHARACTERS = 8_000_000;

/** Reads of many rows, and checkpoints, in a thread with its own connection. The thread starts when it is first needed. */
export function openHeavyReader(path: string): HeavyReader {
  let worker: HeavyWorker | null = null;
  let lastId = 0;
  let checkpointed = performance.now();
  let copied = 0;
  let isCheckpointing = false;

  function start(): HeavyWorker {
    const thread = new Worker(new URL("./sqlite-heavy-worker.ts", import.meta.url), { workerData: { path } });
    const started: HeavyWorker = { thread, pending: new Map() };
    const { pending } = started;
    thread.unref();
    thread.on("message", (answer: HeavyAnswer) => {
      const waiting = pending.get(answer.id);
      pending.delete(answer.id);
      if ("rows" in answer) waiting?.resolve(answer.rows);
      else waiting?.reject(asServiceError(Object.assign(new Error(answer.error), { errcode: answer.errcode })));
      if (pending.size === 0) thread.unref();
    });
    const lost = (error: Error) => {
      if (worker === started) worker = null;
      for (const { reject } of pending.values()) reject(new ServiceError("DATABASE_UNAVAILABLE", { cause: error }));
      pending.clear();
    };
    thread.on("error", lost);
    thread.on("exit", () => lost(new Error("the reading thread ended")));
    return started;
  }

  function ask(request: { sql: string; parameters: readonly unknown[] } | { checkpoint: true }): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      const { thread, pending } = (worker ??= start());
      thread.ref();
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      thread.postMessage({ id, ...request });
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
      await worker?.thread.terminate();
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
