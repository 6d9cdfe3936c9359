/**
 * Statements that write whole rows, made from lists of columns (columns.ts): statements for both databases, and parts
 * of PostgreSQL statements for many rows.
 */
import { sql, type RawBuilder } from "kysely";
import { COLUMNS, columnsOf, type Column, type ColumnType, type Table } from "./columns.ts";
import { writeStatement, type Dialect, type Statement } from "./database.ts";
import { isComputed } from "./home.ts";
import type { Schema } from "./schema.ts";

type Row<T extends Table> = Schema[T];

interface InsertOptions<T extends Table, Returned extends Column<T>> {
  /**
   * Does not insert if a row has the same values in these columns, or, if the list is empty, in those of any unique
   * index.
   */
  ignoreConflict?: readonly Column<T>[];
  /** Columns that get the same value in each call. */
  constants?: Partial<Row<T>>;
  returning?: readonly Returned[];
}

/** Inserts a row. Its parameters have the names of `columns`; other columns are null or have the table's default. */
export function insertRow<T extends Table, C extends Column<T> = Column<T>, Returned extends Column<T> = never>(
  table: T,
  columns: readonly C[] = columnsOf(table) as C[],
  { ignoreConflict, constants = {}, returning = [] }: InsertOptions<T, Returned> = {},
): Statement<Pick<Row<T>, C>, Pick<Row<T>, Returned>, "write"> {
  return writeStatement((query, param, dialect) => {
    const written = columns.filter((name) => !isComputed(dialect, table, name));
    const values = { ...Object.fromEntries(written.map((name) => [name, param(name)])), ...constants };
    let insert = query.insertInto(table).values(values as never);
    if (ignoreConflict !== undefined)
      insert = insert.onConflict((conflict) =>
        (ignoreConflict.length > 0 ? conflict.columns(ignoreConflict) : conflict).doNothing(),
      );
    return returning.length > 0 ? insert.returning(returning) : insert;
  });
}

/** Returns the values of a new row, without those that the database computes. */
export function toInserted<R extends object>(dialect: Dialect, table: Table, row: R): R {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isComputed(dialect, table, name))) as R;
}

/** The columns that an update sets, and the columns that identify its row. */
interface UpdateOptions<T extends Table, Set extends Column<T>, Where, Returned extends Column<T>> {
  /** Columns that are set. Each parameter has the name of its column. */
  set: readonly Set[];
  /** Columns that get the same value in each call. */
  constants?: Partial<Row<T>>;
  /** For each column, the name of its parameter. */
  where: Where;
  returning: readonly Returned[];
}

/** Updates the row with this key if it still has the values that the caller has read. */
export function updateRow<
  T extends Table,
  Set extends Column<T>,
  const Where extends Partial<Record<Column<T>, string>>,
  Returned extends Column<T> = never,
>(
  table: T,
  { set, constants = {}, where, returning }: UpdateOptions<T, Set, Where, Returned>,
): Statement<
  Pick<Row<T>, Set> & Record<Where[keyof Where] & string, string | number>,
  Pick<Row<T>, Returned>,
  "write"
> {
  return writeStatement((query, param) => {
    const values = { ...Object.fromEntries(set.map((name) => [name, param(name)])), ...constants };
    let update = query.updateTable(table as never).set(values as never);
    for (const [column, name] of Object.entries(where))
      update = update.where(column as never, "=", param(name as never));
    return update.returning(returning as never);
  });
}

/** Returns the names of columns, separated by commas. */
export function names(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(name)));
}

/** Returns columns with their types, as PostgreSQL requires them after a function that makes rows of JSON. */
export function definitions<T extends Table>(table: T, columns: readonly Column<T>[] = columnsOf(table)) {
  return sql.join(columns.map((name) => sql`${sql.ref(name)} ${sql.raw(postgresType(table, name))}`));
}

/** Returns the assignments of an update: each column gets the value of the same column of the relation `source`. */
export function assignments(columns: readonly string[], source: string): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${source}.${name}`)}`));
}

/** Returns a column of many rows as one parameter of PostgreSQL, see `list`. */
export function toList<T extends Table>(
  table: T,
  name: Column<T>,
  values: readonly (string | number | null)[],
): unknown {
  switch (typeOf(table, name)) {
    case "bigint":
    case "integer":
      return `{${values.map((value) => value ?? "null").join(",")}}`;
    case "json":
      return values.map((value) => value ?? NOTHING).join(BETWEEN);
    case "text":
      return values;
  }
}

/**
 * Returns the array of such a parameter. The driver would escape every element of an array, which most values do not
 * need.
 */
export function list<T extends Table>(table: T, name: Column<T>, param: unknown): RawBuilder<unknown> {
  return typeOf(table, name) === "json"
    ? sql`string_to_array(${param}, ${sql.lit(BETWEEN)}, ${sql.lit(NOTHING)})`
    : sql`${param}::${sql.raw(postgresType(table, name))}[]`;
}

/** A separator that JSON as we write it never contains, because it is a control character. */
const BETWEEN = "\u001f";
const NOTHING = "\u001e";

function typeOf<T extends Table>(table: T, name: Column<T>) {
  return (COLUMNS[table] as Record<string, ColumnType>)[name]!;
}

function postgresType<T extends Table>(table: T, name: Column<T>): Exclude<ColumnType, "json"> {
  const type = typeOf(table, name);
  return type === "json" ? "text" : type;
}
