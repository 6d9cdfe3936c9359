import assert from "node:assert/strict";
import { test } from "node:test";
import { nextAt, nextTime } from "./hours.ts";

const at = (text: string) => Date.parse(text);
const iso = (time: number) => new Date(time).toISOString();

void test("quiet hours end at their end, on the clock of the person", () => {
  const night = { from: "22:00", until: "07:00" };
  const berlin = (text: string) => iso(nextTime(night, "Europe/Berlin", at(text)));
  assert.equal(berlin("2026-01-10T20:59:59.999Z"), "2026-01-10T20:59:59.999Z");
  assert.equal(berlin("2026-01-10T21:00:00.000Z"), "2026-01-11T06:00:00.000Z");
  assert.equal(berlin("2026-01-11T05:59:59.999Z"), "2026-01-11T06:00:00.000Z");
  assert.equal(berlin("2026-01-11T06:00:00.000Z"), "2026-01-11T06:00:00.000Z");
  // The clocks go forward in this night.
  assert.equal(berlin("2026-03-28T21:30:00.000Z"), "2026-03-29T05:00:00.000Z");
});

void test("quiet hours may be within a day, reach to midnight, or be none", () => {
  const utc = (from: string, until: string, time: string) =>
    iso(nextTime({ from, until }, "UTC", at(`2026-01-10T${time}:00.000Z`)));
  assert.equal(utc("12:00", "13:30", "12:10"), "2026-01-10T13:30:00.000Z");
  assert.equal(utc("12:00", "13:30", "11:59"), "2026-01-10T11:59:00.000Z");
  assert.equal(utc("18:00", "00:00", "23:59"), "2026-01-11T00:00:00.000Z");
  assert.equal(utc("00:00", "06:00", "00:00"), "2026-01-10T06:00:00.000Z");
  assert.equal(utc("09:00", "09:00", "09:00"), "2026-01-10T09:00:00.000Z");
  assert.equal(nextTime(null, "UTC", 17), 17);
});

void test("the next time of day is later, also within its own minute", () => {
  const next = (text: string, time = "08:00") => iso(nextAt(time, "Europe/Berlin", at(text)));
  assert.equal(next("2026-01-10T06:59:59.999Z"), "2026-01-10T07:00:00.000Z");
  assert.equal(next("2026-01-10T07:00:00.000Z"), "2026-01-11T07:00:00.000Z");
  assert.equal(next("2026-01-10T07:00:30.000Z"), "2026-01-11T07:00:00.000Z");
  assert.equal(next("2026-01-10T07:00:00.000Z", "23:59"), "2026-01-10T22:59:00.000Z");
});
