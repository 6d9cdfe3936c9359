import assert from "node:assert/strict";
import { test } from "node:test";
import { pauses } from "./pauses.ts";

test("long work lets others have a turn, and short work does not wait", async (t) => {
  let now = 1000;
  t.mock.method(performance, "now", () => now);
  const pause = pauses();
  assert.equal(pause(), null);
  now += 9;
  assert.equal(pause(), null);
  now += 1;
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  await pause();
  assert.equal(hadTurn, true);
  assert.equal(pause(), null, "the time begins again");
});
