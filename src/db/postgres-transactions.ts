import { Kysely, PostgresDialect } from "kysely";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import { bind, type Statement, type Tx } from "./database.ts";
import { asServiceError, causeOf, isConnectionLoss, isTakenBack, isUnprepared } from "./postgres-errors.ts";
import { poolOf, type Session, type Sessions } from "./postgres-pool.ts";
import type { Schema } from "./schema.ts";

/** How often a write is tried if the database rolled it back or was unreachable. */
const TRIES = 5;
/** How long a write is retried. */
const TRYING_MS = 3 * SECOND;

/** The connections and the compiler for statements. */
export interface Access {
  dialect: "postgres" | "citus";
  sessions: Sessions;
  /** Compiles statements. */
  query: Kysely<Schema>;
  now: () => number;
}

/** The result of a transaction, and the work after its commit. */
interface Committed<T> {
  value: T;
  effects: (() => void)[];
  hints: string[];
}

/** Runs a statement that only reads. It runs again if the connection did not have it prepared. */
export async function readOne<P, R>(on: Access, statement: Statement<P, R, "read">, params: P): Promise<R[]> {
  return retrying(() => runAlone(on, statement, params), isUnprepared);
}

/**
 * Runs a statement as its own transaction. It runs again as long as it is certain that it was not executed.
 *
 * @throws as `Db.write`
 */
export async function writeOne<P, R>(on: Access, statement: Statement<P, R>, params: P): Promise<R[]> {
  let isSent = false;
  const once = async () => {
    isSent = false;
    return runAlone(on, statement, params, () => (isSent = true));
  };
  try {
    return await retrying(once, (error) => isTakenBack(error) || (!isSent && isConnectionLoss(error)));
  } catch (thrown) {
    const error = causeOf(thrown);
    // It may have been executed before the connection was lost.
    if (isSent && isConnectionLoss(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
    throw asServiceError(error);
  }
}

async function runAlone<P, R>(
  { dialect, sessions, query }: Access,
  statement: Statement<P, R>,
  params: P,
  onOpen?: () => void,
): Promise<R[]> {
  const session = await sessions.open();
  onOpen?.();
  try {
    return (await session.run(bind(statement, dialect, query, params))) as R[];
  } finally {
    session.release();
  }
}

/**
 * Runs `fn` in a transaction.
 *
 *     opening --- begin ---> begun --- fn returned ---> decided --- commit answered ---> committed
 *        |                     |                           |
 *        | any error           | rolled back, or the       | rolled back: again
 *        v                     v connection lost           v connection lost: COMMIT_UNKNOWN
 *      again                 again
 *
 * "again" ends after a few tries, as DATABASE_UNAVAILABLE. Any other error is thrown to the caller.
 *
 * @throws as `Db.write`
 */
export async function writeAll<T>(on: Access, fn: (tx: Tx) => Promise<T>): Promise<Committed<T>> {
  let state: "opening" | "begun" | "decided" = "opening";
  const once = async (): Promise<Committed<T>> => {
    const [effects, hints]: [(() => void)[], string[]] = [[], []];
    state = "opening";
    const value = await inTransaction(on, async (session) => {
      state = "begun";
      const result = await fn(txOn(on, session, effects, hints));
      state = "decided";
      return result;
    });
    return { value, effects, hints };
  };
  // An unanswered commit may have succeeded, so it must not be repeated here. On Citus, an error may come from a node that
  // could not commit although another one has.
  const isLost = (error: unknown) =>
    state === "decided" && (isConnectionLoss(error) || (on.dialect === "citus" && !isTakenBack(error)));
  const isPassing = (error: unknown) => state === "opening" || isTakenBack(error) || isConnectionLoss(error);
  try {
    return await retrying(once, (error) => isPassing(error) && !isLost(error));
  } catch (thrown) {
    const error = causeOf(thrown);
    if (error instanceof ServiceError) throw error;
    if (isLost(error)) throw new ServiceError("COMMIT_UNKNOWN", { cause: error });
    throw isPassing(error) ? new ServiceError("DATABASE_UNAVAILABLE", { cause: error }) : asServiceError(error);
  }
}

async function inTransaction<T>({ sessions }: Access, fn: (session: Session) => Promise<T>): Promise<T> {
  const session = await sessions.open();
  try {
    await session.query("begin", []);
    const value = await fn(session);
    await session.query("commit", []);
    session.release();
    return value;
  } catch (error) {
    // A connection that cannot even roll back is in an unknown state.
    const isClean = await session.query("rollback", []).then(
      () => true,
      () => false,
    );
    session.release(!isClean);
    throw error;
  }
}

/** Runs `work` while it holds an advisory lock. @returns null if another session holds it */
export async function holdingName<T>(on: Access, name: string, work: () => Promise<T>): Promise<T | null> {
  return inTransaction(on, async (session) => {
    const { rows } = await session.query("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_ours", [
      name,
    ]);
    return (rows[0] as { is_ours: boolean }).is_ours ? work() : null;
  });
}

function txOn({ dialect, query, now }: Access, session: Session, effects: (() => void)[], hints: string[]): Tx {
  let own: Kysely<Schema> | null = null;
  return {
    dialect,
    // Created only if needed: most statements are compiled already.
    get query() {
      return (own ??= new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOf(session) }) }));
    },
    run: async (statement, params) => (await session.run(bind(statement, dialect, query, params))) as never,
    now,
    afterCommit: (effect) => void effects.push(effect),
    hint: (hint) => void hints.push(hint),
  };
}

/** Runs `fn`, and retries it a few times and for a short time if its error is temporary. */
async function retrying<T>(fn: () => Promise<T>, isPassing: (error: unknown) => boolean): Promise<T> {
  const started = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn();
    } catch (thrown) {
      const error = causeOf(thrown);
      if (error instanceof ServiceError || !isPassing(error)) throw thrown;
      if (attempt === TRIES || performance.now() - started > TRYING_MS) throw thrown;
      await delay(2 ** attempt * (5 + Math.random() * 10));
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
