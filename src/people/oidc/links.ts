import type { SignInConfig } from "../../config/sign-in.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { OidcLinkRow, OidcSignInRow } from "../../db/schema.ts";

/** An account at a sign-in provider. */
export type Account = Pick<OidcLinkRow, "issuer" | "subject">;

/** The spelling of an issuer in the database. */
export function issuerKey(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

export async function findLink(reader: Reader, { issuer, subject }: Account): Promise<OidcLinkRow | null> {
  const row = await reader.query
    .selectFrom("oidc_links")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row ?? null;
}

/** The accounts of these people, of every provider that was ever set. */
export async function listLinks(reader: Reader, userIds: readonly string[]): Promise<OidcLinkRow[]> {
  if (userIds.length === 0) return [];
  return reader.query
    .selectFrom("oidc_links")
    .selectAll()
    .where("user_id", "in", userIds)
    .orderBy("created_at")
    .orderBy("issuer")
    .execute();
}

/** Returns whether a person has an account at the provider that is set up. */
export async function isLinked(reader: Reader, { oidc }: SignInConfig, userId: string): Promise<boolean> {
  if (oidc === null) return false;
  const issuer = issuerKey(oidc.issuer);
  return (await listLinks(reader, [userId])).some((link) => link.issuer === issuer);
}

/** @returns false if the person has another account there, or the account belongs to another person */
export async function addLink(tx: Tx, { issuer, subject }: Account, user_id: string): Promise<boolean> {
  const now = tx.now();
  const added = await tx.query
    .insertInto("oidc_links")
    .values({ issuer, subject, user_id, created_at: now, used_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .executeTakeFirst();
  return added !== undefined;
}

export async function markLinkUsed(tx: Tx, { issuer, subject }: Account): Promise<void> {
  await tx.query
    .updateTable("oidc_links")
    .set({ used_at: tx.now() })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
}

/** Removes all accounts of a person. @returns those that there were */
export async function removeLinks(tx: Tx, userId: string): Promise<OidcLinkRow[]> {
  return tx.query.deleteFrom("oidc_links").where("user_id", "=", userId).returningAll().execute();
}

/** Notes that a sign-in is complete. @returns false if it was complete before */
export async function completeOnce(tx: Tx, row: OidcSignInRow): Promise<boolean> {
  const added = await tx.query
    .insertInto("oidc_sign_ins")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("state_hash")
    .executeTakeFirst();
  return added !== undefined;
}

/** Deletes sign-ins whose state has become too old to be used again. */
export async function tidySignIns(tx: Tx): Promise<void> {
  await tx.query.deleteFrom("oidc_sign_ins").where("ends_at", "<=", tx.now()).execute();
}
