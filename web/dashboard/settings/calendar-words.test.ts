import assert from "node:assert/strict";
import { test } from "node:test";
import { withSpeech } from "../../../languages/server.ts";
import { calendarWords, dayText, readDates, readDay } from "./calendar-words.ts";

const DAY = [["09:00", "17:00"]];
const WEEK = { mon: DAY, tue: DAY, wed: DAY, thu: DAY, fri: DAY };

void test("a calendar is said in plain words", () => {
  const said = (
    hours: Parameters<typeof calendarWords>[0]["hours"],
    closed: string[] = [],
    time_zone = "Europe/Berlin",
  ) => calendarWords({ time_zone, hours, closed });
  assert.equal(
    said(WEEK, ["2026-12-25", "2026-12-26", "2027-01-01", "2027-01-01"]),
    "Mon to Fri 9:00 to 17:00, Europe/Berlin, 3 closed days",
  );
  assert.equal(
    said(
      {
        ...WEEK,
        thu: [
          ["09:00", "12:00"],
          ["13:30", "17:00"],
        ],
        sat: [],
        sun: [["00:00", "24:00"]],
      },
      ["2026-12-25"],
      "America/New_York",
    ),
    "Mon to Wed 9:00 to 17:00; Thu 9:00 to 12:00 and 13:30 to 17:00; Fri 9:00 to 17:00; Sun all day, America/New York, 1 closed day",
  );
  assert.equal(said({ sat: DAY, sun: DAY }, [], "UTC"), "Sat and Sun 9:00 to 17:00, UTC");
  assert.equal(said({ ...WEEK, sat: DAY, sun: DAY }, [], "UTC"), "Every day 9:00 to 17:00, UTC");
  assert.equal(said({ mon: [["00:30", "24:00"]] }, [], "UTC"), "Mon 0:30 to 24:00, UTC");
  assert.equal(said({}, [], "UTC"), "Never open, UTC");
});

void test("a calendar is said in the language of its reader", () => {
  const texts = {
    "{firstDay} to {lastDay}": "{firstDay} bis {lastDay}",
    "{opens} to {closes}": "{opens} bis {closes} Uhr",
    "{hours}, {zone}, {n} closed days": { one: "{hours} ({zone}), {n} Tag zu", other: "{hours} ({zone}), {n} Tage zu" },
  };
  const hours = { ...WEEK, sat: [["09:00", "12:00"]], sun: [["09:00", "12:00"]] };
  const said = (closed: string[]) =>
    withSpeech({ language: "de", catalogue: texts }, () =>
      calendarWords({ time_zone: "Europe/Berlin", hours, closed }),
    );
  const open = "Mo bis Fr 9:00 bis 17:00 Uhr; Sa und So 9:00 bis 12:00 Uhr";
  assert.equal(said(["2026-12-25"]), `${open} (Europe/Berlin), 1 Tag zu`);
  assert.equal(said(["2026-12-25", "2026-12-26"]), `${open} (Europe/Berlin), 2 Tage zu`);
});

void test("the hours of a day are read as people write them", () => {
  assert.deepEqual(readDay("9-12, 13:30 to 17"), [
    ["09:00", "12:00"],
    ["13:30", "17:00"],
  ]);
  assert.deepEqual(readDay(" 9:00–17.30 "), [["09:00", "17:30"]]);
  assert.deepEqual(readDay("0:30-24:00 and 1 - 2"), [
    ["00:30", "24:00"],
    ["01:00", "02:00"],
  ]);
  assert.deepEqual(readDay(" "), []);
  for (const text of ["9", "closed", "9:0-17:00", "9-17-18", "-9-17"]) assert.equal(readDay(text), null, text);
  // Times that do not exist are for the service to refuse.
  assert.deepEqual(readDay("9-99"), [["09:00", "99:00"]]);
  const entered = [
    ["00:30", "09:00"],
    ["13:30", "24:00"],
  ];
  assert.equal(dayText(entered), "0:30-9:00, 13:30-24:00");
  assert.deepEqual(readDay(dayText(entered)), entered);
});

void test("dates are read from lines and lists", () => {
  assert.deepEqual(readDates("2026-12-25\n2026-12-26, x  "), ["2026-12-25", "2026-12-26", "x"]);
  assert.deepEqual(readDates(""), []);
});
