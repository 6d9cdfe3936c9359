import type { Reader, Tx } from "../../db/database.ts";
import type { PasskeyRow } from "../../db/schema.ts";

export async function findPasskey(reader: Reader, credentialId: string): Promise<PasskeyRow | null> {
  const row = await reader.query
    .selectFrom("passkeys")
    .selectAll()
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row ?? null;
}

/** The passkeys of a user, the oldest first. */
export async function passkeysOf(reader: Reader, userId: string): Promise<PasskeyRow[]> {
  return reader.query.selectFrom("passkeys").selectAll().where("user_id", "=", userId).orderBy("id").execute();
}

/** The passkeys of these people. */
export async function passkeysOfAll(reader: Reader, userIds: readonly string[]): Promise<PasskeyRow[]> {
  if (userIds.length === 0) return [];
  return reader.query.selectFrom("passkeys").selectAll().where("user_id", "in", userIds).execute();
}

/** @returns false if the credential is registered already, by anybody; then nothing was written */
export async function insertPasskey(tx: Tx, row: PasskeyRow): Promise<boolean> {
  const added = await tx.query
    .insertInto("passkeys")
    .values(row)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return added !== undefined;
}

export async function updatePasskey(
  tx: Tx,
  id: string,
  set: Partial<Pick<PasskeyRow, "name" | "counter" | "last_used_at">>,
): Promise<void> {
  await tx.query.updateTable("passkeys").set(set).where("id", "=", id).execute();
}

export async function deletePasskeys(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query.deleteFrom("passkeys").where("id", "in", ids).execute();
}
