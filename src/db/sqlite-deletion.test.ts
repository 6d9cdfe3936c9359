import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newTaskBody, startTestService } from "../../test/support/service.ts";
import { fillIndex } from "../tasks/search-index.ts";

/** Short values lie within a page with others, long ones have pages of their own. */
const LENGTHS = [100, 3_000, 60_000];

void test("of a deleted task, no byte of its title, its payload and its answer is left in the files of the database", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const { dataDir } = service.ctx.config;
    const mark = (what: string) => `${what}-mark-`;
    const ids = [];
    for (const length of LENGTHS) {
      const fill = (what: string) => mark(what).repeat(Math.ceil(length / 15));
      const body = newTaskBody({ task: mark("title"), payload: { amount: 1, customer: fill("payload") } });
      const created = await service.call<{ id: string }>("POST", "/api/tasks", { body });
      assert.equal(created.status, 201);
      const response = { approved: true, note: fill("answer") };
      assert.equal(
        (await service.call("POST", `/api/tasks/${created.body.id}/complete`, { body: { response } })).status,
        200,
      );
      ids.push(created.body.id);
    }
    // Its words are in the index of searches.
    service.clock.advance(61_000);
    assert.ok((await fillIndex(service.ctx)) > 0);
    // Others stay, so that their pages do.
    await service.create();
    const contains = (what: string) => {
      // The service may be copying its log back itself.
      const database = new DatabaseSync(join(dataDir, "service.db"), { timeout: 10_000 });
      database.exec("pragma wal_checkpoint(truncate)");
      const found = ["service.db", "service.db-wal"]
        .filter((file) => existsSync(join(dataDir, file)))
        .filter((file) => readFileSync(join(dataDir, file)).includes(mark(what)));
      database.close();
      return found;
    };
    assert.deepEqual(
      [contains("title"), contains("payload"), contains("answer")],
      [["service.db"], ["service.db"], ["service.db"]],
    );
    for (const id of ids) assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
    assert.deepEqual([contains("title"), contains("payload"), contains("answer")], [[], [], []]);
  } finally {
    await stop();
  }
});
