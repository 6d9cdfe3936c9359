import assert from "node:assert/strict";
import { addSender, send, told, withSender } from "../../test/support/mail.ts";
import { addUser, PASSWORD, person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { slackOf, testWithSlack } from "../../test/support/slack-service.ts";
import { startSmtp } from "../../test/support/smtp.ts";
import { callerOfLink } from "../channels/email/links.ts";
import { slackCallerOf } from "../channels/slack/clicks/people.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { getTaskWithDocuments } from "../tasks/store.ts";

const SENDERS = "/api/channels/email/identities";

async function operatorOf(service: TestService, slug: string) {
  const operator = await person(service, { projects: [slug] });
  await join(service, slug, operator.user.id, "operator");
  return operator;
}

async function createIn(service: TestService, project: string, fields: object): Promise<TaskRecord> {
  const { status, body, text } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: newTaskBody({ project, ...fields }),
  });
  assert.equal(status, 201, text);
  return body;
}

testOnBoth("operators of a project reach neither other senders nor the server's own", async (service) => {
  await newProject(service, "refunds");
  await newProject(service, "hiring");
  const { call } = await operatorOf(service, "refunds");
  const sender = { display_name: "Desk", from_email: "desk@example.com", transport: "smtp" };
  const body = { ...sender, transport_config: { host: "127.0.0.1" } };
  const set = async (by: TestService["call"], fields: object) =>
    (await by<{ details?: { path: string }[] }>("POST", SENDERS, { body: { ...body, ...fields } })).body.details?.[0]
      ?.path ?? null;
  assert.equal(await set(service.call, { id: "theirs", project: "hiring" }), null);
  assert.equal(await set(call, { id: "ours" }), null);
  assert.equal(await set(call, { id: "theirs" }), "/id");
  for (const transport of ["file", "log"])
    assert.equal(await set(call, { id: "local", transport, transport_config: null }), "/transport", transport);
  for (const path of ["/theirs", "/theirs/test"]) {
    const method = path.endsWith("/test") ? "POST" : "GET";
    const options = method === "POST" ? { body: { to: "dana@example.com" } } : {};
    assert.equal((await call(method, SENDERS + path, options)).status, 404, path);
  }
});

testOnBoth(
  "a test of the sender of the environment is for operators of all projects",
  async (service) => {
    await newProject(service, "refunds");
    const { call } = await operatorOf(service, "refunds");
    const test = { body: { to: "dana@example.com" } };
    assert.equal((await call("POST", `${SENDERS}/default/test`, test)).status, 404);
    assert.equal((await service.call("POST", `${SENDERS}/default/test`, test)).status, 200);
  },
  { env: { SERVICE_EMAIL_FROM: "tasks@example.com", SERVICE_SMTP_URL: "smtp://127.0.0.1:1" } },
);

testOnBoth("mail that waits is not sent by another project that has taken the id of its sender", async (service, t) => {
  await newProject(service, "hiring");
  await withSender(service, t);
  const { id } = await createIn(service, "default", { notify: ["email:dana@example.com"] });
  await service.call("DELETE", `${SENDERS}/desk`);
  const other = await startSmtp();
  t.after(() => other.close());
  const { call } = await operatorOf(service, "hiring");
  await addSender({ call }, other, "desk");
  await send(service);
  assert.equal(other.received.length, 0);
  assert.deepEqual(
    (await told(service, id)).map(({ error }) => error),
    ['no_identity: The email sender "desk" was deleted.'],
  );
});

testOnBoth(
  "a person of the directory who is not in the project gets no mail, and their link opens nothing",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { user } = await person(service, { email: "dana@example.com" });
    const { id } = await createIn(service, "default", { notify: ["email:dana@example.com"] });
    const task = await getTaskWithDocuments(service.ctx.db, id);
    const recipient = { address: "dana@example.com", user_id: user.id };
    assert.notEqual(await callerOfLink(service.ctx.db, task, recipient), null);
    await service.call("DELETE", `/api/projects/default/members/${user.id}`);
    assert.equal(await callerOfLink(service.ctx.db, task, recipient), null);
    const later = await createIn(service, "default", { notify: ["email:dana@example.com"] });
    await send(service);
    assert.equal(smtp.received.length, 0);
    assert.deepEqual(
      (await told(service, later.id)).map(({ action, error }) => [action, error]),
      [["notification_failed", "not_in_project: This person is not in the project."]],
    );
  },
);

testWithSlack("nor a message in Slack, and what they press there counts for nothing", async ({ service, slack }) => {
  const own = { slack_team_id: slack.team.id, slack_user_id: slack.addUser({ name: "dana" }).id };
  const { id: user_id } = await addUser(service, { email: "dana@example.com", ...own });
  const who = { team_id: own.slack_team_id, user_id: own.slack_user_id };
  const { id } = await service.create({ notify: ["slack:#approvals"] });
  const workspaces = { only: async () => who.team_id, find: async () => slackOf(service).ofEnvironment! };
  const known = async () =>
    (
      await slackCallerOf(
        service.ctx.db,
        workspaces,
        who,
        { id, notify: null, escalation: null, ladder: null, project: "default" },
        "C0123456789",
      )
    ).person?.id ?? null;
  assert.equal(await known(), user_id);
  await service.call("DELETE", `/api/projects/default/members/${user_id}`);
  assert.equal(await known(), null);
  const later = await service.create({ notify: [`slack:${who.user_id}`] });
  assert.deepEqual(
    (await told(service, later.id)).map(({ error }) => error),
    ["not_in_project: This person is not in the project."],
  );
});

testOnBoth(
  "an operator of one project must use a passkey as well, where operators must",
  async (service) => {
    await newProject(service, "refunds");
    const email = "dana@example.com";
    const { id } = await addUser(service, { email, password: PASSWORD, projects: ["refunds"] });
    const isLimited = async () => {
      const body = { email, password: PASSWORD };
      const answer = await service.call<{ passkey_required?: boolean }>("POST", "/api/auth/login", {
        token: null,
        body,
      });
      return answer.body.passkey_required === true;
    };
    assert.equal(await isLimited(), false);
    await join(service, "refunds", id, "operator");
    assert.equal(await isLimited(), true);
  },
  { env: { SERVICE_REQUIRE_PASSKEY: "operators" } },
);
