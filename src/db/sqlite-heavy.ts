import type { CompiledQuery } from "kysely";
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Driver,
} from "kysely";
import { createWorkerCalls } from "../../threads/worker-calls.ts";
import { ServiceError } from "../errors.ts";
import { asServiceError } from "./sqlite-errors.ts";
import { bind, type Reader } from "./database.ts";
import type { Schema } from "./schema.ts";

export interface HeavyReader extends Reader {
  /**
   * Copies the write-ahead log back if it is time, or if much was written since. At most one such request is in
   * progress.
   * @param written - characters written so far
   */
  checkpoint(written: number): void;
  close(): Promise<void>;
}

/** A request to the thread: rows for a query, or a checkpoint. */
export type HeavyRequest = { sql: string; parameters: readonly unknown[] } | { checkpoint: true };
export type HeavyAnswer = { rows: unknown[] } | { error: string; errcode: number | undefined };

/** While there are writes, the log is copied back this often, and whenever this much was written. */
const CHECKPOINT_EVERY_MS = 1000;
const CHECKPOINT_EVERY_CHARACTERS = 8_000_000;

/** Reads many rows, and runs checkpoints, in a thread with its own connections. The thread starts at the first use. */
export function openHeavyReader(path: string): HeavyReader {
  const calls = createWorkerCalls<HeavyRequest, HeavyAnswer>({
    module: new URL("./sqlite-heavy-worker.ts", import.meta.url),
    worker: { workerData: { path } },
  });

  /** @throws ServiceError DATABASE_UNAVAILABLE when the thread ended, else the error of SQLite */
  async function ask(request: HeavyRequest): Promise<unknown[]> {
    const outcome = await calls.call(request);
    if ("failed" in outcome) throw new ServiceError("DATABASE_UNAVAILABLE", { cause: outcome.error });
    const { answer } = outcome;
    if ("rows" in answer) return answer.rows;
    throw asServiceError(Object.assign(new Error(answer.error), { errcode: answer.errcode }));
  }

  const query = queriesOn({
    executeQuery: async <R>({ sql, parameters }: CompiledQuery) => ({ rows: (await ask({ sql, parameters })) as R[] }),
    streamQuery: () => {
      throw new Error("rows are not streamed from the reading thread");
    },
  });

  return {
    dialect: "sqlite",
    query,
    run: async (statement, params) => {
      const { sql, parameters } = bind(statement, "sqlite", query, params);
      return (await ask({ sql, parameters })) as never;
    },
    checkpoint: createCheckpoints(async () => ask({ checkpoint: true })),
    close: calls.close,
  };
}

/** @returns the function `checkpoint` of a `HeavyReader` */
function createCheckpoints(copyBack: () => Promise<unknown>): HeavyReader["checkpoint"] {
  let finishedAt = performance.now();
  let copied = 0;
  let isRunning = false;
  return (written) => {
    const isTime =
      performance.now() - finishedAt >= CHECKPOINT_EVERY_MS || written - copied >= CHECKPOINT_EVERY_CHARACTERS;
    if (isRunning || !isTime) return;
    isRunning = true;
    copied = written;
    // If a checkpoint fails, the next one retries it, and so does the writer when the log has become large.
    copyBack()
      .catch(() => {})
      .finally(() => {
        isRunning = false;
        finishedAt = performance.now();
      });
  };
}

function queriesOn(connection: DatabaseConnection): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ReadOnlyDriver(connection),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
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
