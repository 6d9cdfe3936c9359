import { createHash } from "node:crypto";
import type { CompiledQuery, Compilable, Kysely } from "kysely";
import type { Hints } from "./hints.ts";
import type { Schema } from "./schema.ts";

/** `citus`: a PostgreSQL whose tables of tasks are spread over the nodes of Citus by their home (citus.ts). */
export type Dialect = "sqlite" | "postgres" | "citus";

/** Queries that only read. */
export type ReadQueries = Pick<Kysely<Schema>, "selectFrom" | "selectNoFrom" | "with" | "getExecutor">;

/** Where a function reads: the current database, or a transaction. */
export interface Reader {
  readonly dialect: Dialect;
  readonly query: ReadQueries;
  /** Runs a statement that was compiled once. */
  run<P, R>(statement: Statement<P, R, "read">, params: P): Promise<R[]>;
}

/**
 * A transaction. Only `Db.write` makes one. A function that must commit with its caller asks for a `Tx`, so that
 * forgetting the transaction does not compile.
 */
export interface Tx {
  readonly dialect: Dialect;
  readonly query: Kysely<Schema>;
  run<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>;
  /** Returns the store's clock in epoch milliseconds. Read it after the row is locked. */
  now(): number;
  /** Runs `effect` once this transaction is durable, and not at all if it is not. `effect` must not throw. */
  afterCommit(effect: () => void): void;
  /** Notifies waiters in all processes that something changed. The hint is sent after the commit, and may be lost. */
  hint(hint: string): void;
}

export interface Db extends Reader {
  readonly hints: Hints;
  /** For queries that read many rows. On SQLite, they run in a worker, so that they do not block the event loop. */
  readonly heavy: Reader;
  /** Returns the store's clock in epoch milliseconds. */
  now(): number;
  /**
   * Runs `look`, which asks all shards, unless another process runs one of this name at this moment. On one database it
   * always runs.
   *
   * @returns its result; null if another process is looking
   */
  lookAlone<T extends object>(name: string, look: () => Promise<T>): Promise<T | null>;
  /** Returns the shard that has the rows of a home. One database is one shard. (shards.ts) */
  shardOf(home: number): number;
  /**
   * Runs a transaction. Every change uses it or `writeOne`. `fn` may await only calls of `tx`, and may be run again
   * from the start. Its result or error reaches the caller only after the commit.
   *
   * @throws ServiceError DATABASE_UNAVAILABLE (nothing was written) or COMMIT_UNKNOWN (it may have been written)
   */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs a change that is a single statement, and so its own transaction. On PostgreSQL, that saves two round trips.
   *
   * @throws like `write`
   */
  writeOne<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A statement with named parameters, compiled once for each dialect. */
export interface Statement<P, R, Kind extends "read" | "write" = "read" | "write"> {
  readonly kind: Kind;
  readonly build: Build<P, R>;
  readonly compiled: Map<Dialect, Compiled>;
}

type Build<P, R> = (
  query: Kysely<Schema>,
  param: <K extends keyof P & string>(name: K) => P[K],
  dialect: Dialect,
) => Compilable<R>;

interface Compiled {
  query: CompiledQuery;
  /** The same for the same SQL in every process, so that processes can share connections through a pooler. */
  name: string;
  /** For each parameter its name, or null if the value is the same in every call. */
  names: readonly (string | null)[];
}

/** Represents a parameter while a statement is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Declares a statement that only reads. It is compiled once, because compiling with Kysely costs more than running it.
 */
export function readStatement<P, R>(build: Build<P, R>): Statement<P, R, "read"> {
  return { kind: "read", build, compiled: new Map() };
}

/** Declares a statement that writes or locks rows. */
export function writeStatement<P, R = unknown>(build: Build<P, R>): Statement<P, R, "write"> {
  return { kind: "write", build, compiled: new Map() };
}

/** A statement that is ready to be sent. */
export interface Bound {
  sql: string;
  parameters: unknown[];
  /** The name under which a connection may keep it prepared. */
  name: string;
}

/** Returns the compiled query of `statement` with the values of `params`. */
export function bind<P, R>(statement: Statement<P, R>, dialect: Dialect, compiler: Kysely<Schema>, params: P): Bound {
  let compiled = statement.compiled.get(dialect);
  if (!compiled) {
    const query = statement.build(compiler, (name) => new Placeholder(name) as never, dialect).compile();
    const names = query.parameters.map((value) => (value instanceof Placeholder ? value.name : null));
    const name = createHash("sha256").update(query.sql).digest("hex").slice(0, 32);
    compiled = { query, name, names };
    statement.compiled.set(dialect, compiled);
  }
  const { query, name, names } = compiled;
  const values = params as Record<string, unknown>;
  return {
    sql: query.sql,
    name,
    parameters: names.map((param, i) => (param === null ? query.parameters[i] : values[param])),
  };
}
