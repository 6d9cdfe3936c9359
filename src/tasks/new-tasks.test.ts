import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";
import { createNewTasks } from "./new-tasks.ts";

testOnBoth("a new task is found once, and none from before the start", async (service) => {
  const { db } = service.ctx;
  const newTasks = createNewTasks(db);
  const { id: first } = await service.create();
  newTasks.startFrom(db.now());
  const idsFound = async () => (await newTasks.find()).map(({ id }) => id);
  assert.deepEqual(await idsFound(), [first], "it may have been written just now");
  const { id: second } = await service.create();
  const { id: third } = await service.create();
  assert.deepEqual((await idsFound()).toSorted(), [second, third].toSorted());
  assert.deepEqual(await idsFound(), []);

  const later = createNewTasks(db);
  later.startFrom(db.now() + 60_000);
  assert.deepEqual(await later.find(), []);
});
