import assert from "node:assert/strict";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { newTaskBody, testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

/** What the release before did not store. */
const LOST = {
  decided_by_kind: null,
  decided_by_name: null,
  ladder: null,
  next_step_at: null,
  facts: null,
  decision: null,
  decision_tone: null,
  question: null,
  edited: null,
};

testOnBoth(
  "tasks of the release before say who asked and who decided, and keep their keys",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const { call: ada, user } = await person(service, { is_operator: true, display_name: "Ada" });
    const ofAda = await ada<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() });
    const body = newTaskBody({ notify: ["email:kim@example.com"], assign_to: { email: "kim@example.com" } });
    const { id } = await create(body);
    const answered = await create();
    await ada("POST", `/api/tasks/${answered.id}/complete`, { body: { response: { approved: true } } });
    const ended = await create();
    await call("POST", `/api/tasks/${ended.id}/complete`, { body: { response: { approved: true } } });
    const before = await ctx.db.query.selectFrom("tasks").selectAll().orderBy("id").execute();

    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0013"));
    await ctx.db.write(async (tx) => migrate(tx.query, dialect));

    const read = async (task: string) => (await call<TaskRecord>("GET", `/api/tasks/${task}`)).body;
    assert.deepEqual((await read(id)).asked_by, { kind: "admin", id: null, name: "admin" });
    assert.deepEqual((await read(ofAda.body.id)).asked_by, { kind: "user", id: user.id, name: "Ada" });
    assert.deepEqual((await read(answered.id)).decided_by, {
      kind: "person",
      user_id: user.id,
      email: user.email,
      name: null,
      channel: "dashboard",
    });
    assert.equal((await read(ended.id)).decided_by?.kind, "admin");
    const replay = await call<TaskRecord>("POST", "/api/tasks", { body });
    assert.deepEqual([replay.headers["idempotent-replayed"], replay.body.id], ["true", id]);
    // Nothing else has changed, and every row is there.
    const now = await ctx.db.query.selectFrom("tasks").selectAll().orderBy("id").execute();
    assert.deepEqual(
      now.map((row) => ({ ...row })),
      before.map((row) => ({ ...row, ...LOST })),
    );
    // What was an index of the table is one again.
    assert.equal((await call<TaskRecord[]>("GET", "/api/tasks?assigned_to=kim@example.com")).body.length, 1);
  },
  { changesTables: true },
);
