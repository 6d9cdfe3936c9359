import assert from "node:assert/strict";
import { newAgent } from "../../../test/support/agents.ts";
import { undoFrom } from "../../../test/support/older-release.ts";
import { person } from "../../../test/support/people.ts";
import { newTaskBody, testOnBoth } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { migrate } from "../migrate.ts";

testOnBoth(
  "what a database of the release before holds belongs to the project default",
  async (service) => {
    const { ctx, dialect, call, create } = service;
    const { id } = await create();
    const { user } = await person(service);
    // As the release before left it.
    await ctx.db.write((tx) => undoFrom(tx, "0018"));
    await ctx.db.write((tx) => migrate(tx.query, dialect));

    assert.equal((await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.project, "default");
    const project = await ctx.db.query.selectFrom("projects").select(["slug", "name", "archived_at"]).execute();
    assert.deepEqual({ ...project[0] }, { slug: "default", name: "Default", archived_at: null });
    const members = await ctx.db.query.selectFrom("project_members").select(["project", "user_id", "role"]).execute();
    assert.deepEqual({ ...members[0] }, { project: "default", user_id: user.id, role: "member" });
    assert.equal(members.length, 1);

    const agent = await newAgent(service);
    const { body } = await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() });
    assert.equal(body.project, "default");
  },
  { changesTables: true },
);

testOnBoth("everyone who is added is a member of the project default", async (service) => {
  const { user } = await person(service);
  const members = await service.ctx.db.query
    .selectFrom("project_members")
    .select(["project", "user_id", "role"])
    .execute();
  assert.deepEqual({ ...members[0] }, { project: "default", user_id: user.id, role: "member" });
  assert.equal(members.length, 1);
});
