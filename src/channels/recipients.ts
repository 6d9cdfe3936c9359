import type { Reader, Tx } from "../db/database.ts";
import { isEmailAddress, emailKey } from "../lib/text.ts";
import { findUserByEmail, type User } from "../people/store.ts";
import { recordNotification } from "../tasks/audit.ts";
import type { Notice, Recipient } from "../tasks/notices.ts";
import type { Destination } from "../tasks/notify.ts";

/** Why nothing is sent to a person who was deactivated. */
export const INACTIVE = { error: "inactive", message: "This person was deactivated." } as const;

/** Says why nothing is sent to a user who is deactivated, or not in the project. */
export function absence({ active }: User): string {
  return active ? "not_in_project: This person is not in the project." : `${INACTIVE.error}: ${INACTIVE.message}`;
}

/** Returns the person with the email that a destination names; null if it names no email. */
export async function recipientByEmail(reader: Reader, { target }: Destination): Promise<Recipient | null> {
  if (!isEmailAddress(target)) return null;
  return { user: await findUserByEmail(reader, target), email: target, name: emailKey(target) };
}

/** Notes in the audit trail that a destination cannot be reached. @param error - a stable word, a colon, and a sentence */
export function recordUnreachable(
  tx: Tx,
  { task_id, purpose }: Notice,
  { channel, target }: Destination,
  error: string,
): Promise<void> {
  return recordNotification(tx, task_id, { channel, to: target, purpose, error });
}
