import type { UserRow } from "../../db/schema.ts";

/** When a person is away, in epoch milliseconds, and who gets their tasks. */
export interface Absence {
  from: number;
  until: number;
  /** null: no one. */
  delegate_user_id: string | null;
}

/** Its columns of `users`. */
export type AbsenceColumns = Pick<UserRow, "absent_from" | "absent_until" | "delegate_user_id">;

export const NO_ABSENCE: AbsenceColumns = { absent_from: null, absent_until: null, delegate_user_id: null };

/** Returns the absence that a row of `users` has, over or not; null if there is none. */
export function absenceOf({ absent_from, absent_until, delegate_user_id }: AbsenceColumns): Absence | null {
  if (absent_from === null || absent_until === null) return null;
  return { from: absent_from, until: absent_until, delegate_user_id };
}

/** Returns whether a person is away. @param now - epoch milliseconds */
export function isAway({ absent_from, absent_until }: AbsenceColumns, now: number): boolean {
  return absent_from !== null && absent_until !== null && absent_from <= now && now < absent_until;
}
