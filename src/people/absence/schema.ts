import type { Static } from "typebox";
import { Nullable, Text, Time } from "../../http/schema.ts";
import { isoTime } from "../../lib/time.ts";
import { Type } from "../../lib/type.ts";
import type { Absence } from "./absence.ts";

const TIME_MAX = 40;
const QUERY_MAX = 200;

const GivenTime = (description: string) =>
  Text({ minLength: 1, maxLength: TIME_MAX, description: `${description} ISO 8601 with an offset.` });

const absence = {
  from: Time("When the person leaves."),
  until: Time("When the person is back."),
  delegate_user_id: Nullable(Type.String({ description: "Who gets the tasks meant for the person; null: no one." })),
};

/** When a person is away. (beyond: In time, absence) */
export const AbsenceRecord = Type.Object(absence, { $id: "Absence" });
export type AbsenceRecord = Static<typeof AbsenceRecord>;

/** The same as a field of a person. */
export const AbsenceField = Nullable(
  Type.Object(absence, { description: "When the person is away. null: no time is set, or it is over." }),
);

export const SetAbsenceBody = Type.Object(
  {
    from: GivenTime("When the person leaves. It may be in the past."),
    until: GivenTime("When the person is back: after `from`, and in the future."),
    delegate_user_id: Type.Optional(
      Nullable(Text({ minLength: 1, maxLength: 100, description: "Id of an active user who gets their tasks." })),
    ),
  },
  { $id: "SetAbsence", additionalProperties: true },
);
export type SetAbsenceBody = Static<typeof SetAbsenceBody>;

/** Somebody who can be a delegate. */
export const DelegateRecord = Type.Object(
  {
    user_id: Type.String({ examples: ["usr_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    email: Nullable(Type.String({ description: "The email." })),
    display_name: Nullable(Type.String({ description: "What others see." })),
  },
  { $id: "Delegate" },
);
export type DelegateRecord = Static<typeof DelegateRecord>;

export const ListDelegatesQuery = Type.Object({
  q: Type.Optional(Text({ maxLength: QUERY_MAX, description: "Text in the email or the name." })),
});
export type ListDelegatesQuery = Static<typeof ListDelegatesQuery>;

/** @param now - epoch milliseconds @returns null if there is no absence, or if it is over */
export function toAbsenceRecord(absence: Absence | null, now: number): AbsenceRecord | null {
  if (absence === null || absence.until <= now) return null;
  const { from, until, delegate_user_id } = absence;
  return { from: isoTime(from), until: isoTime(until), delegate_user_id };
}
