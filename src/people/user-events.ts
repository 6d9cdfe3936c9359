import type { Tx } from "../db/database.ts";
import type { SecurityEvent } from "../security/record.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type { Actor } from "../security/request.ts";
import { ACCOUNT_COLUMNS } from "./accounts.ts";
import type { User } from "./store.ts";

type Details = SecurityEvent["details"];

/**
 * Records that a user was created.
 * @param by - who did it, if not the caller of the request, and through what
 */
export async function recordUserCreated(tx: Tx, user: User, by?: { actor: Actor; by: string }): Promise<void> {
  const details = {
    email: user.email,
    is_operator: user.is_operator,
    has_password: user.password_hash !== null,
    ...(by && { by: by.by }),
  };
  const target = { kind: "user", id: user.id } as const;
  await recordSecurityEvent(tx, { type: "user_created", target, details, ...(by && { actor: by.actor }) });
}

/** Records what a change of a user changed. A change of nothing leaves no event. */
export async function recordUserChange(tx: Tx, before: User, after: User): Promise<void> {
  if (ADDRESS.some((name) => before[name] !== after[name]))
    await record(tx, after, "user_address_changed", {
      email_before: before.email,
      email: after.email,
      fields: ADDRESS.filter((name) => before[name] !== after[name]),
    });
  const fields = OTHERS.filter((name) => before[name] !== after[name]);
  if (fields.length > 0) await record(tx, after, "user_changed", { email: after.email, fields });
  if (before.is_operator !== after.is_operator)
    await record(tx, after, after.is_operator ? "operator_rights_granted" : "operator_rights_removed");
  if (before.password_hash !== after.password_hash)
    await record(tx, after, "password_set", { email: after.email, removed: after.password_hash === null });
  if (before.active !== after.active) await record(tx, after, after.active ? "user_reactivated" : "user_deactivated");
}

const ADDRESS = ["email", ...ACCOUNT_COLUMNS] as const;
/** These decide, among others, which tasks reach a user. */
const OTHERS = ["display_name", "role", "access_level", "pool"] as const;

async function record(
  tx: Tx,
  { id, email }: User,
  type: SecurityEvent["type"],
  details: Details = { email },
): Promise<void> {
  await recordSecurityEvent(tx, { type, target: { kind: "user", id }, details });
}
