import assert from "node:assert/strict";
import { test } from "node:test";
import type { SecurityEvent } from "./queries.ts";
import { aboutOf } from "./security-words.ts";

void test("a count of one is told in the singular", () => {
  const about = (type: SecurityEvent["type"], count: number) => aboutOf({ type, details: { count }, target: null });
  assert.equal(about("settings_resealed", 1), "1 setting");
  assert.equal(about("settings_resealed", 2), "2 settings");
  assert.equal(about("callbacks_redelivered", 1), "1 delivery");
  assert.equal(about("callbacks_redelivered", 0), "0 deliveries");
});
