import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { SEED } from "../../test/support/seed.ts";
import { DAY, HOUR, MINUTE } from "../lib/time.ts";
import { closesAfter, HORIZON_MS, openBetween, WEEKDAYS, type OpenHours } from "./open-time.ts";
import { isZoneName } from "./zone.ts";

const NINE_TO_FIVE = [["09:00", "17:00"]] as const;
const ALL_DAY = [["00:00", "24:00"]] as const;

function everyDay(time_zone: string, hours: readonly (readonly [string, string])[], closed: string[] = []): OpenHours {
  return { time_zone, hours: Object.fromEntries(WEEKDAYS.map((day) => [day, hours])), closed };
}

const office: OpenHours = {
  time_zone: "Europe/Berlin",
  hours: {
    mon: NINE_TO_FIVE,
    tue: NINE_TO_FIVE,
    wed: NINE_TO_FIVE,
    thu: [
      ["09:00", "12:00"],
      ["13:30", "17:00"],
    ],
    fri: NINE_TO_FIVE,
  },
  closed: ["2026-12-25"],
};
/** Its clocks go back from 02:00 to 01:30 on 5 April 2026, and forward from 02:00 to 02:30 on 4 October. */
const LORD_HOWE = "Australia/Lord_Howe";

const cases: [name: string, calendar: OpenHours, start: string, hours: number, end: string][] = [
  ["within a day", office, "2026-11-25T10:00:00+01:00", 2, "2026-11-25T12:00:00+01:00"],
  ["to the millisecond", office, "2026-11-25T10:00:00.123+01:00", 2, "2026-11-25T12:00:00.123+01:00"],
  ["up to the last moment of a day", office, "2026-11-25T10:00:00+01:00", 7, "2026-11-25T17:00:00+01:00"],
  ["over a night", office, "2026-11-25T16:00:00+01:00", 2, "2026-11-26T10:00:00+01:00"],
  ["over a pause", office, "2026-11-26T11:00:00+01:00", 2, "2026-11-26T14:30:00+01:00"],
  ["from a moment before the hours", office, "2026-11-25T03:00:00+01:00", 1, "2026-11-25T10:00:00+01:00"],
  ["from the moment of closing", office, "2026-11-25T17:00:00+01:00", 1, "2026-11-26T10:00:00+01:00"],
  ["over a weekend", office, "2026-11-27T16:30:00+01:00", 1, "2026-11-30T09:30:00+01:00"],
  ["over a closed day and a weekend", office, "2026-12-24T16:30:00+01:00", 1, "2026-12-28T09:30:00+01:00"],
  // Berlin loses the hour from 02:00 on 29 March 2026, and has it twice on 25 October.
  ["over a lost hour outside of the hours", office, "2026-03-27T16:00:00+01:00", 2, "2026-03-30T10:00:00+02:00"],
  [
    "a whole day that is an hour shorter",
    everyDay("Europe/Berlin", ALL_DAY),
    "2026-03-29T00:00:00+01:00",
    23,
    "2026-03-30T00:00:00+02:00",
  ],
  [
    "a whole day that is an hour longer",
    everyDay("Europe/Berlin", ALL_DAY),
    "2026-10-25T00:00:00+02:00",
    25,
    "2026-10-26T00:00:00+01:00",
  ],
  [
    "an opening time that does not exist that day",
    everyDay("Europe/Berlin", [["02:30", "04:00"]]),
    "2026-03-29T00:00:00+01:00",
    0.5,
    "2026-03-29T03:30:00+02:00",
  ],
  [
    "hours that do not exist that day",
    everyDay("Europe/Berlin", [["02:00", "03:00"]]),
    "2026-03-28T12:00:00+01:00",
    1,
    "2026-03-30T03:00:00+02:00",
  ],
  [
    "hours that come twice that day",
    everyDay("Europe/Berlin", [["02:00", "03:00"]]),
    "2026-10-25T00:00:00+02:00",
    1.5,
    "2026-10-25T02:30:00+01:00",
  ],
  [
    "an opening time that comes twice: closed again while the clocks show an earlier time",
    everyDay("Europe/Berlin", [["02:30", "03:00"]]),
    "2026-10-25T00:00:00+02:00",
    0.75,
    "2026-10-25T02:45:00+01:00",
  ],
  // New York loses the hour from 02:00 on 8 March 2026.
  [
    "a night shift in New York",
    everyDay("America/New_York", [
      ["00:00", "06:00"],
      ["22:00", "24:00"],
    ]),
    "2026-03-07T22:00:00-05:00",
    7,
    "2026-03-08T06:00:00-04:00",
  ],
  // The southern half of the world changes its clocks the other way.
  [
    "a longer day in Sydney, in April",
    everyDay("Australia/Sydney", ALL_DAY),
    "2026-04-05T00:00:00+11:00",
    25,
    "2026-04-06T00:00:00+10:00",
  ],
  [
    "a day without a midnight in São Paulo, in November",
    everyDay("America/Sao_Paulo", [["00:00", "02:00"]]),
    "2018-11-03T12:00:00-03:00",
    1,
    "2018-11-04T02:00:00-02:00",
  ],
  [
    "clocks that go back half an hour",
    everyDay(LORD_HOWE, [["01:00", "03:00"]]),
    "2026-04-05T00:00:00+11:00",
    2.5,
    "2026-04-05T03:00:00+10:30",
  ],
  [
    "clocks that go forward half an hour",
    everyDay(LORD_HOWE, [["01:00", "03:00"]]),
    "2026-10-04T00:00:00+10:30",
    1.5,
    "2026-10-04T03:00:00+11:00",
  ],
  [
    "a date that Samoa skipped",
    everyDay("Pacific/Apia", NINE_TO_FIVE),
    "2011-12-29T16:00:00-10:00",
    2,
    "2011-12-31T10:00:00+14:00",
  ],
  [
    "a closed day that Samoa skipped",
    everyDay("Pacific/Apia", NINE_TO_FIVE, ["2011-12-30"]),
    "2011-12-29T16:00:00-10:00",
    2,
    "2011-12-31T10:00:00+14:00",
  ],
  ["before 1970", everyDay("UTC", NINE_TO_FIVE), "1969-12-28T16:00:00Z", 2, "1969-12-29T10:00:00Z"],
  ["the longest deadline", office, "2026-01-05T09:00:00+01:00", 720, "2026-05-14T12:00:00+02:00"],
];

for (const [name, calendar, start, hours, end] of cases)
  void test(`open time: ${name}`, () => {
    const from = Date.parse(start);
    const closes = closesAfter(calendar, from, hours * HOUR);
    assert.equal(closes === null ? null : new Date(closes).toISOString(), new Date(end).toISOString());
    assert.equal(openBetween(calendar, from, Date.parse(end)), hours * HOUR);
  });

void test("an amount that does not pass in time has no end", () => {
  const start = Date.parse("2026-11-25T00:00:00Z");
  const never: OpenHours = { time_zone: "Europe/Berlin", hours: { mon: [] }, closed: [] };
  assert.equal(closesAfter(never, start, 1), null);
  assert.equal(openBetween(never, start, start + HORIZON_MS), 0);
  const always = everyDay("UTC", ALL_DAY);
  assert.equal(closesAfter(always, start, HORIZON_MS), start + HORIZON_MS);
  assert.equal(closesAfter(always, start, HORIZON_MS + 1), null);
  assert.equal(closesAfter(always, start, DAY, start + DAY), start + DAY);
  assert.equal(closesAfter(always, start, DAY, start + DAY - 1), null);
  assert.equal(closesAfter(never, start, 0), start);
});

void test("names of time zones are known, and offsets are none", () => {
  for (const name of [
    "Europe/Berlin",
    "UTC",
    "Europe/Kyiv",
    "Asia/Calcutta",
    "Etc/GMT+5",
    ...Intl.supportedValuesOf("timeZone"),
  ])
    assert.ok(isZoneName(name), name);
  for (const name of ["", "+01:00", "Europe/Nowhere", " Europe/Berlin", "Europe/Berlin\n", "Berlin"])
    assert.ok(!isZoneName(name), name);
});

/** Whether a calendar is open in the minute that begins at an instant, by what the clocks show then. */
function isOpen({ time_zone, hours, closed }: OpenHours, minute: number): boolean {
  const parts = Object.fromEntries(
    clockOf(time_zone)
      .formatToParts(minute)
      .map(({ type, value }) => [type, value]),
  );
  if (closed.includes(`${parts["year"]}-${parts["month"]}-${parts["day"]}`)) return false;
  const day = WEEKDAYS.find((weekday) => weekday === parts["weekday"]!.toLowerCase())!;
  const time = `${parts["hour"]}:${parts["minute"]}`;
  return (hours[day] ?? []).some(([from, to]) => from <= time && time < to);
}

const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const numbers = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const format =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", { ...numbers, timeZone, hourCycle: "h23", weekday: "short" });
  clocks.set(timeZone, format);
  return format;
}

/** As `closesAfter`, minute by minute: slow, and easy to see that it is right. */
function closesAfterSlowly(calendar: OpenHours, start: number, amount: number, until: number): number | null {
  let left = amount;
  for (let minute = Math.floor(start / MINUTE) * MINUTE; minute < until; minute += MINUTE) {
    if (!isOpen(calendar, minute)) continue;
    const [from, to] = [Math.max(start, minute), Math.min(until, minute + MINUTE)];
    if (left <= to - from) return from + left;
    left -= to - from;
  }
  return null;
}

/** Shortly before or after these instants, clocks were changed. */
const CHANGES: readonly [zone: string, at: string][] = [
  ["Europe/Berlin", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00Z"],
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["America/St_Johns", "2010-03-14T03:31Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00Z"],
  ["America/Sao_Paulo", "2019-02-17T02:00Z"],
  ["Australia/Sydney", "2026-04-04T16:00Z"],
  ["Australia/Sydney", "2026-10-03T16:00Z"],
  [LORD_HOWE, "2026-04-04T15:00Z"],
  [LORD_HOWE, "2026-10-03T15:30Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["Pacific/Kwajalein", "1993-08-21T12:00Z"],
  ["Africa/Casablanca", "2026-02-15T02:00Z"],
  ["Antarctica/Troll", "2026-03-29T01:00Z"],
  ["Asia/Kathmandu", "1985-12-31T18:30Z"],
  ["Asia/Gaza", "2026-03-27T22:00Z"],
];

const aroundAChange = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -2 * DAY, max: DAY }))
  .map(([[zone, at], away]) => ({ zone, start: Date.parse(at) + away }));
const anywhere = fc.record({
  zone: fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone")),
  start: fc.integer({ min: Date.parse("1975-01-01"), max: Date.parse("2037-12-01") }),
});

const timeOfDay = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
/** Hours of a day, some of which touch one another: each pair of sorted times. */
const anyDay = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1440 }), fc.constantFrom(0, 60, 90, 120, 150, 180, 1440)), {
    maxLength: 7,
  })
  .map((times) => times.toSorted((one, other) => one - other).map(timeOfDay))
  .chain((times) =>
    fc.boolean().map((touching) =>
      times.flatMap((from, at) => {
        const to = times[at + 1];
        return to !== undefined && (touching || at % 2 === 0) ? [[from, to] as [string, string]] : [];
      }),
    ),
  );
const anyWeek = fc.record(Object.fromEntries(WEEKDAYS.map((day) => [day, anyDay])), { requiredKeys: [] });

void test("open time is what a count of minutes by the clocks of the zone finds", () => {
  const span = 3 * DAY;
  fc.assert(
    fc.property(
      fc.oneof({ weight: 3, arbitrary: aroundAChange }, { weight: 1, arbitrary: anywhere }),
      anyWeek,
      fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 2 }),
      fc.integer({ min: 1, max: span }),
      ({ zone, start }, hours, closedAt, amount) => {
        const closed = closedAt.map((days) => new Date(start + days * DAY).toISOString().slice(0, 10));
        const calendar: OpenHours = { time_zone: zone, hours, closed };
        const until = start + span;
        const open = openBetween(calendar, start, until);
        // Most amounts end within the hours: those that do not are all alike.
        const asked = amount % 8 === 0 ? amount : Math.max(1, Math.ceil((amount / span) * open));
        const found = closesAfter(calendar, start, asked, until);
        assert.equal(found, closesAfterSlowly(calendar, start, asked, until));
        if (found !== null) assert.equal(openBetween(calendar, start, found), asked);
      },
    ),
    { numRuns: 100, seed: SEED },
  );
});
