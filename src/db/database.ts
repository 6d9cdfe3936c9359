import { createHash } from "node:crypto";
import type { CompiledQuery, Compilable, Kysely } from "kysely";
import type { Hints } from "./hints.ts";
import type { Schema } from "./schema.ts";

export type Dialect = "sqlite" | "postgres";

/** Queries that only read. */
export type ReadQueries = Pick<Kysely<Schema>, "selectFrom" | "selectNoFrom" | "with" | "getExecutor">;

/** Where a function reads from: the database as it is now, or a transaction. */
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
  /** The store's clock, epoch milliseconds; to be read after the row in question is locked. */
  now(): number;
  /** Runs `effect` once this transaction is durable, and not at all if it is not. `effect` must not throw. */
  afterCommit(effect: () => void): void;
  /** Tells whoever waits, here and in other processes, that something changed; sent after the commit, and may be lost. */
  hint(hint: string): void;
}

export interface Db extends Reader {
  readonly hints: Hints;
  /** For queries that look at many rows: on SQLite they run in a worker, so that they do not hold up the event loop. */
  readonly heavy: Reader;
  /** The store's clock, epoch milliseconds. */
  now(): number;
  /**
   * The one way to change anything. `fn` awaits nothing but what `tx` gives, and may be run again from the start.
   * What it returns or throws is handed out only after the commit.
   *
   * @throws ServiceError DATABASE_UNAVAILABLE (nothing was written) or COMMIT_UNKNOWN (it may have been)
   */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A change that is a single statement, and so its own transaction: on PostgreSQL that saves the way there and back twice.
   *
   * @throws like `write`
   */
  writeOne<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A statement with named parameters that is compiled once for each dialect. */
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
  /** The same for the same SQL in every process, so that connections may pass from one to another. */
  name: string;
  /** For each parameter its name, or null when the value is the same in every call. */
  names: readonly (string | null)[];
}

/** Stands in for a parameter while a statement is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Declares a statement that only reads. Compiling with Kysely costs more than running it, hence once. */
export function readStatement<P, R>(build: Build<P, R>): Statement<P, R, "read"> {
  return { kind: "read", build, compiled: new Map() };
}

/** Declares a statement that writes, or that locks what it reads. */
export function writeStatement<P, R = unknown>(build: Build<P, R>): Statement<P, R, "write"> {
  return { kind: "write", build, compiled: new Map() };
}

/** A statement ready to be sent. */
export interface Bound {
  sql: string;
  parameters: unknown[];
  /** Under which a connection may keep it prepared. */
  name: string;
}

/** The compiled query of `statement` with `params` in their places. */
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
