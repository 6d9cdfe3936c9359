import { sql } from "kysely";
import type { Config } from "../config.ts";
import { keyringOf } from "../lib/keys.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { Reader, Tx } from "./database.ts";

/**
 * Every column that holds sealed text, by its table, with the column of the row's id. Text is sealed through this file only,
 * so that no column can be forgotten when the key is rotated.
 */
const SEALED = {
  email_identities: { id: "id", column: "transport_config" },
  slack_installations: { id: "team_id", column: "bot_token" },
  connections: { id: "id", column: "secret" },
  event_subscriptions: { id: "id", column: "secret" },
  data_keys: { id: "id", column: "sealed" },
} as const;

export type SealedTable = keyof typeof SEALED;
const SEALED_TABLES = Object.keys(SEALED) as readonly SealedTable[];

type Keys = Pick<Config, "secretKey" | "previous">;

/** Seals the column of one row with the current key. */
export function sealFor(keys: Keys, table: SealedTable, id: string, text: string): string {
  return seal(keyringOf(keys, "sealing"), placeOf(table, id), text);
}

/** @returns null: sealed with a key that is not accepted, or damaged */
export function unsealFrom(keys: Keys, table: SealedTable, id: string, sealed: string): string | null {
  return unseal(keyringOf(keys, "sealing"), placeOf(table, id), sealed);
}

/** Which key a row is sealed with. `unreadable`: neither of the two. */
export type SealedWith = "current" | "previous" | "unreadable";

/** Returns which key opens the column of one row. */
export function sealedWith(keys: Keys, table: SealedTable, id: string, sealed: string): SealedWith {
  const { current, accepted } = keyringOf(keys, "sealing");
  const opens = (tried: readonly Buffer[]) => unseal({ accepted: tried }, placeOf(table, id), sealed) !== null;
  if (opens([current])) return "current";
  return opens(accepted) ? "previous" : "unreadable";
}

export interface SealedRow {
  table: SealedTable;
  id: string;
  sealed: string;
}

/**
 * Every sealed row of the database. Operators make them by hand, so they are few. What is secret in tasks is sealed with a
 * data key (data-key.ts), so only that one is here.
 */
export async function listSealed({ query }: { query: Pick<Reader["query"], "getExecutor"> }): Promise<SealedRow[]> {
  const rows = await Promise.all(
    SEALED_TABLES.map(async (table) => {
      const { id, column } = SEALED[table];
      const select = sql<{ id: string; sealed: string }>`
        select ${sql.ref(id)} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
        where ${sql.ref(column)} is not null order by 1`;
      return (await select.execute(query)).rows.map((row) => ({ table, ...row }));
    }),
  );
  return rows.flat();
}

/**
 * Seals a row again, with the current key. Leaves a row alone that was changed since it was read.
 * @returns whether it was this call that did it
 */
export async function resealRow(tx: Tx, keys: Keys, { table, id, sealed }: SealedRow): Promise<boolean> {
  const text = unsealFrom(keys, table, id, sealed);
  if (text === null) return false;
  const { id: key, column } = SEALED[table];
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sealFor(keys, table, id, text)}
    where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${sealed}`.execute(tx.query);
  return Number(numAffectedRows) === 1;
}

function placeOf(table: SealedTable, id: string): string {
  return `${table}/${id}/${SEALED[table].column}`;
}
