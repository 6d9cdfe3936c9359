import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { WEEKDAYS, type Weekday } from "./open-time.ts";

const INTERVALS_MAX = 8;
const CLOSED_MAX = 366;

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));

const TimeZone = Text({ minLength: 1, maxLength: 64, description: "IANA name, as in `Europe/Berlin` or `UTC`." });
const Day = Type.Array(
  Type.Unsafe<[from: string, to: string]>({ type: "array", items: { type: "string" }, maxItems: 2 }),
  {
    maxItems: INTERVALS_MAX,
    description:
      "From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed.",
  },
);
const DESCRIPTION_OF_HOURS = "When it is open, for each day of the week. At least one day has open time.";
const Hours = Type.Object(Object.fromEntries(WEEKDAYS.map((day) => [day, optional(Day)])) as HoursShape, {
  additionalProperties: true,
  description: DESCRIPTION_OF_HOURS,
});
type HoursShape = { [day in Weekday]: ReturnType<typeof optional<typeof Day>> };
const Closed = Type.Array(Text({ minLength: 10, maxLength: 10, description: "A date, `YYYY-MM-DD`." }), {
  maxItems: CLOSED_MAX,
  description: "Dates in its time zone without open time.",
});

/** The hours when a team works. (beyond: In time) */
export const CalendarRecord = Type.Object(
  {
    name: Type.String({ examples: ["support"] }),
    project: Type.String({ description: "The project whose tasks can name it." }),
    time_zone: TimeZone,
    hours: Type.Object(Object.fromEntries(WEEKDAYS.map((day) => [day, Type.Optional(Day)])) as DaysShape, {
      description: DESCRIPTION_OF_HOURS,
    }),
    closed: Closed,
    created_at: Time("When the calendar was created."),
    updated_at: Time("When it was last changed."),
  },
  { $id: "Calendar" },
);
type DaysShape = { [day in Weekday]: ReturnType<typeof Type.Optional<typeof Day>> };
export type CalendarRecord = Static<typeof CalendarRecord>;

export const SetCalendarBody = Type.Object(
  { time_zone: TimeZone, hours: Hours, closed: optional(Closed) },
  {
    $id: "SetCalendar",
    additionalProperties: true,
    examples: [
      {
        time_zone: "Europe/Berlin",
        hours: { mon: [["09:00", "17:00"]], fri: [["09:00", "12:00"]] },
        closed: ["2026-12-25"],
      },
    ],
  },
);
export type SetCalendarBody = Static<typeof SetCalendarBody>;

export const CalendarParams = Type.Object({
  name: Type.String({ description: "1 to 64 of `a-z`, `0-9`, `-` and `_`. Unique in its project." }),
});
