import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";

testOnBoth("a created task can be read", async ({ create, call }) => {
  const task = await create();
  const read = await call("GET", `/api/tasks/${task.id}`);
  assert.deepEqual(read.body, task);
});
