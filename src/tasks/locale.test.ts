import assert from "node:assert/strict";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import type { TaskRecord } from "./schema.ts";

testOnBoth(
  "a task names the language it is written in, in any spelling of a tag, and keeps it as it was",
  async (service) => {
    for (const locale of ["de", "pt-BR", "zh-Hant-TW", "AR-eg"]) {
      const created = await service.create({ locale });
      assert.equal(created.locale, locale);
      assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${created.id}`)).body.locale, locale);
    }
    assert.equal((await service.create({ locale: null })).locale, null);
    assert.equal((await service.create()).locale, null);
  },
);

testOnBoth("a language that no tag can name is refused at its place, and creates nothing", async (service) => {
  for (const locale of ["x", "de_CH", "deutsch sprachig", "de-", "a".repeat(61)]) {
    const body = newTaskBody({ locale });
    const { status, body: refusal } = await service.call<{ details: { path: string }[] }>("POST", "/api/tasks", {
      body,
    });
    assert.deepEqual([status >= 400 && status < 500, refusal.details[0]!.path], [true, "/locale"], locale);
  }
  assert.deepEqual((await service.call("GET", "/api/tasks")).body, []);
});

testOnBoth("the same key with another language is told to be another request", async (service) => {
  const body = newTaskBody({ locale: "de" });
  assert.equal((await service.call("POST", "/api/tasks", { body })).status, 201);
  const again = await service.call("POST", "/api/tasks", { body });
  assert.deepEqual([again.status, again.headers["idempotent-mismatch"]], [201, undefined]);
  const other = await service.call("POST", "/api/tasks", { body: { ...body, locale: "fr" } });
  assert.deepEqual([other.status, other.headers["idempotent-mismatch"]], [201, "true"]);
});
