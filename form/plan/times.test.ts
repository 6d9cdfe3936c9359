import assert from "node:assert/strict";
import { test } from "node:test";
import { isDate, localOf, utcOf, zonedTimeOf, zoneName } from "./times.ts";

void test("a local time is sent as the instant it is, in summer and in winter", () => {
  assert.equal(utcOf("2027-01-15T14:30", "Europe/Berlin"), "2027-01-15T13:30:00Z");
  assert.equal(utcOf("2027-07-15T14:30", "Europe/Berlin"), "2027-07-15T12:30:00Z");
  assert.equal(utcOf("2027-07-15T14:30:05", "America/New_York"), "2027-07-15T18:30:05Z");
  assert.equal(utcOf("2027-07-15T00:15", "Asia/Kathmandu"), "2027-07-14T18:30:00Z");
  assert.equal(utcOf("0099-01-01T00:00", "UTC"), "0099-01-01T00:00:00Z");
});

void test("an hour that is left out does not exist, and of one that comes twice the first is meant", () => {
  assert.equal(utcOf("2027-03-28T02:30", "Europe/Berlin"), "skipped");
  assert.equal(utcOf("2027-10-31T02:30", "Europe/Berlin"), "2027-10-31T00:30:00Z");
});

void test("what is no date or time is told apart", () => {
  for (const text of ["", "2027-02-30T10:00", "2027-01-01T24:00", "2027-01-01", "tomorrow", "2027-13-01T00:00"])
    assert.equal(utcOf(text, "UTC"), null, text);
  assert.equal(isDate("2028-02-29"), true);
  assert.equal(isDate("2027-02-29"), false);
});

void test("an instant is shown in the zone of whoever reads it, and comes back unchanged", () => {
  assert.equal(localOf("2027-07-15T12:30:00Z", "Europe/Berlin"), "2027-07-15T14:30");
  assert.equal(localOf("2027-07-15T12:30:00+02:00", "UTC"), "2027-07-15T10:30");
  assert.equal(localOf("2027-07-15T12:30:07Z", "UTC"), "2027-07-15T12:30:07");
  assert.equal(localOf("next week", "UTC"), null);
});

void test("a time of day carries the offset of its zone", () => {
  const winter = new Date("2026-11-22T12:00:00Z");
  assert.equal(zonedTimeOf("14:30", "Europe/Berlin", winter), "14:30:00+01:00");
  assert.equal(zonedTimeOf("14:30:15", "UTC", winter), "14:30:15Z");
  assert.equal(zonedTimeOf("14:30", "America/St_Johns", winter), "14:30:00-03:30");
});

void test("seconds, fractions and offsets of a value do not get in the way of showing it", () => {
  assert.equal(localOf("2027-07-15T12:30:07.900Z", "UTC"), "2027-07-15T12:30:07");
  assert.equal(localOf("2027-07-15t12:30:00z", "Europe/Berlin"), "2027-07-15T14:30");
  assert.equal(localOf("2027-07-15 12:30:45", "Europe/Berlin"), "2027-07-15T12:30");
  assert.equal(localOf("2027-07-15", "UTC"), null);
  assert.equal(localOf("2027-13-15T12:30:00Z", "UTC"), null);
  assert.equal(utcOf("2027-07-15T14:30:05.250", "UTC"), "2027-07-15T14:30:05Z");
});

void test("a zone is named in words, UTC as it is", () => {
  const winter = new Date("2026-11-22T12:00:00Z");
  assert.equal(zoneName("UTC", winter, "en"), "UTC");
  assert.equal(zoneName("Europe/Berlin", winter, "en"), "Central European Standard Time (GMT+1)");
});

void test("an hour that comes twice can be named in UTC", () => {
  assert.equal(utcOf("2026-10-25T02:30", "Europe/Berlin"), "2026-10-25T00:30:00Z");
  assert.equal(utcOf("2026-10-25T01:30Z", "Europe/Berlin"), "2026-10-25T01:30:00Z");
  assert.equal(utcOf("2026-02-30T01:30Z", "Europe/Berlin"), null);
});
