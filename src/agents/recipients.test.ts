import assert from "node:assert/strict";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { addUser, person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import type { ProjectRecord } from "../projects/schema.ts";

const ask = async ({ call }: TestAgent, fields: object) => {
  const { status, body } = await call<{ error_code?: string; details?: { path: string }[] }>("POST", "/api/tasks", {
    body: newTaskBody(fields),
  });
  return [status, body.error_code ?? null, body.details?.map(({ path }) => path) ?? null];
};
const ALLOWED = [201, null, null];
const denied = (...paths: string[]) => [422, "RECIPIENT_NOT_ALLOWED", paths];

testOnBoth("an agent that may ask the directory alone asks no stranger", async (service) => {
  await addUser(service, { email: "dana@example.com", slack_team_id: "T0123", slack_user_id: "U0123" });
  const gone = await addUser(service, { email: "gone@example.com" });
  await service.call("DELETE", `/api/users/${gone.id}`);
  const agent = await newAgent(service, { recipients: { mode: "directory" } });
  for (const fields of [
    {},
    { assign_to: { email: "Dana@Example.com" } },
    { notify: ["email:dana@example.com"] },
    { notify: ["slack:U0123", "slack+T0123:U0123", "slack:dana@example.com"] },
    { notify: ["slack:#approvals"] },
    { assign_to: { role: "approver" } },
  ])
    assert.deepEqual(await ask(agent, fields), ALLOWED, JSON.stringify(fields));
  const { length: before } = (await agent.call<object[]>("GET", "/api/tasks")).body;
  for (const [fields, ...paths] of [
    [{ notify: ["email:dana@example.com", "email:eve@evil.example"] }, "/notify/1"],
    [
      { notify: ["slack:eve@evil.example", "slack:U0999", "slack+T0999:U0123", "slack:@eve"] },
      ...[0, 1, 2, 3].map((i) => `/notify/${i}`),
    ],
    [{ assign_to: { email: "eve@evil.example" } }, "/assign_to/email"],
    [{ assign_to: { emails: ["dana@example.com", "eve@evil.example"] } }, "/assign_to/emails/1"],
    [{ notify: ["email:gone@example.com"] }, "/notify/0"],
  ] as const)
    assert.deepEqual(await ask(agent, fields), denied(...paths), JSON.stringify(fields));
  assert.equal((await agent.call<object[]>("GET", "/api/tasks")).body.length, before, "nothing was stored");
});

testOnBoth("an agent with a list asks these domains and workspaces", async (service) => {
  const recipients = { mode: "list", domains: ["example.com"], slack_teams: ["T0123"] };
  const agent = await newAgent(service, { recipients });
  assert.deepEqual(await ask(agent, { notify: ["email:dana@EXAMPLE.com", "slack+T0123:#approvals"] }), ALLOWED);
  assert.deepEqual(
    await ask(agent, { notify: ["slack+T0999:#approvals", "slack:#approvals"] }),
    denied("/notify/0", "/notify/1"),
  );
  for (const email of ["dana@sub.example.com", "dana@example.com.evil.example", "dana@notexample.com"])
    assert.deepEqual(await ask(agent, { assign_to: { email } }), denied("/assign_to/email"), email);
  await service.call("PATCH", `/api/agents/${agent.id}`, { body: { recipients: null } });
  assert.deepEqual(await ask(agent, { assign_to: { email: "eve@evil.example" } }), ALLOWED);
});

testOnBoth("an agent that may ask the directory in some workspaces asks no stranger there", async (service) => {
  await addUser(service, { email: "dana@example.com", slack_team_id: "T0123", slack_user_id: "U0123" });
  await addUser(service, { email: "kim@example.com", slack_team_id: "T0999", slack_user_id: "U0999" });
  const gone = await addUser(service, { slack_team_id: "T0123", slack_user_id: "U0555" });
  await service.call("DELETE", `/api/users/${gone.id}`);
  const agent = await newAgent(service, { recipients: { mode: "directory", slack_teams: ["T0123"] } });
  assert.deepEqual(await ask(agent, { notify: ["slack+T0123:U0123", "slack+T0123:#approvals"] }), ALLOWED);
  // Strangers, people who have left, another workspace, and no workspace.
  const notify = [
    "slack+T0123:U0777",
    "slack+T0123:U0555",
    "slack+T0999:U0999",
    "slack+T0999:#approvals",
    "slack:U0123",
  ];
  assert.deepEqual(await ask(agent, { notify }), denied(...notify.map((_, i) => `/notify/${i}`)));
});

testOnBoth("what an agent may ask is narrowed by its project, and by its own rule", async (service) => {
  await newProject(service, "refunds");
  await addUser(service, { email: "dana@example.com" });
  await addUser(service, { email: "kim@other.example" });
  const agent = await newAgent(service, { project: "refunds" });
  const elsewhere = await newAgent(service);
  const asked = async (...emails: string[]) => ask(agent, { assign_to: { emails } });
  const limit = async (path: string, recipients: object | null) =>
    assert.equal((await service.call("PATCH", path, { body: { recipients } })).status, 200);
  const [project, own] = ["/api/projects/refunds", `/api/agents/${agent.id}`];

  assert.deepEqual(await asked("eve@evil.example"), ALLOWED);
  // The rule of the project holds from the next request on, and for its agents alone.
  await limit(project, { mode: "directory" });
  assert.deepEqual(await asked("dana@example.com", "eve@evil.example"), denied("/assign_to/emails/1"));
  assert.deepEqual(await ask(agent, { assign_to: { email: "eve@evil.example" } }), denied("/assign_to/email"));
  for (const stranger of ["email:eve@evil.example", "slack:eve@evil.example", "slack:U0999", "slack+T0999:U0999"])
    assert.deepEqual(await ask(agent, { notify: [stranger] }), denied("/notify/0"), stranger);
  assert.deepEqual(await ask(elsewhere, { assign_to: { email: "eve@evil.example" } }), ALLOWED);
  const byAdmin = newTaskBody({ project: "refunds", assign_to: { email: "eve@evil.example" } });
  assert.equal((await service.call("POST", "/api/tasks", { body: byAdmin })).status, 201);
  // Its own does not widen it.
  await limit(own, { mode: "anyone" });
  assert.deepEqual(await asked("eve@evil.example"), denied("/assign_to/emails/0"));
  await limit(own, { mode: "list", domains: ["example.com"] });
  assert.deepEqual(
    await asked("dana@example.com", "stranger@example.com", "kim@other.example"),
    denied("/assign_to/emails/1", "/assign_to/emails/2"),
  );
  await limit(project, null);
  assert.deepEqual(await asked("stranger@example.com", "kim@other.example"), denied("/assign_to/emails/1"));
});

testOnBoth("a new project may limit its agents, and only operators of all change that", async (service) => {
  const body = { slug: "hiring", name: "Hiring", recipients: { mode: "list", domains: ["example.com"] } };
  const created = await service.call<ProjectRecord>("POST", "/api/projects", { body });
  assert.deepEqual(created.body.recipients, body.recipients);
  const operator = await person(service);
  await join(service, "hiring", operator.user.id, "operator");
  const change = async (recipients: object | null) => {
    const answer = await operator.call<{ error_code?: string }>("PATCH", "/api/projects/hiring", {
      body: { recipients },
    });
    return [answer.status, answer.body.error_code];
  };
  assert.deepEqual(await change(null), [403, "FORBIDDEN"]);
  assert.deepEqual(await change({ mode: "nobody" }), [422, "VALIDATION_FAILED"]);
  const renamed = await operator.call<ProjectRecord>("PATCH", "/api/projects/hiring", { body: { name: "People" } });
  assert.deepEqual([renamed.status, renamed.body.recipients], [200, body.recipients]);
});
