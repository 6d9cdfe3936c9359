import { sql, type RawBuilder } from "kysely";
import type { Reader } from "./database.ts";

/** The index of `task_texts` on PostgreSQL, if the database has the extension for it. */
export const TRIGRAMS = "task_texts_trigrams";

/** Tests whether a column contains `text`, in upper or lower case. */
export function contains({ dialect }: Reader, column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  return dialect === "sqlite"
    ? sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
    : sql<boolean>`${sql.ref(column)} ilike ${pattern}`;
}

/** Tests whether a column begins with `prefix`, case-sensitive. */
export function startsWith({ dialect }: Reader, column: string, prefix: string): RawBuilder<boolean> {
  return dialect === "sqlite"
    ? sql<boolean>`substr(${sql.ref(column)}, 1, length(${prefix})) = ${prefix}`
    : sql<boolean>`starts_with(${sql.ref(column)}, ${prefix})`;
}
