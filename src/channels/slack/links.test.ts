import assert from "node:assert/strict";
import type { InputBlock } from "@slack/types";
import { addUser } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import {
  buttonsIn,
  liveButtons,
  said,
  testWithSlack,
  whispers,
  type Stage,
} from "../../../test/support/slack-service.ts";
import type { User } from "../../../test/support/slack/workspace.ts";
import { HOUR } from "../../lib/time.ts";
import type { AuditEntryRecord, CreateTaskBody, TaskRecord } from "../../tasks/schema.ts";
import { createLink } from "../email/links.ts";
import { createSlackLink } from "./links.ts";

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

/** A task of which Slack shows nothing, and the one person it tells. */
async function redacted({ service, slack, send }: Stage, user: User, fields: Partial<CreateTaskBody> = {}) {
  const { id } = await service.create({
    payload: { amount: 1, customer: "hunter2" },
    redact_payload: true,
    notify: [`slack:${user.id}`],
    ...fields,
  });
  await send();
  const post = slack.posts.find((one) => said(one).includes(id))!;
  return { id, post };
}

/** Presses the button, and gives the path of the link that is whispered. */
async function linkOf({ slack }: Stage, user: User, post: { channel: string } & Parameters<typeof said>[0]) {
  const { failure } = await slack.click({ user, post: post as never, action_id: "answer:browser" });
  assert.equal(failure, null);
  const whisper = slack.posts.at(-1)!;
  assert.equal(whisper.ephemeral_to, user.id);
  const url = /"url":"([^"]+)"/.exec(JSON.stringify(whisper.blocks))?.[1];
  return url === undefined ? null : new URL(url).pathname;
}

const open = ({ call }: TestService, path: string, method: "GET" | "HEAD" = "GET") =>
  call(method, path, { token: null });

async function answer(service: TestService, path: string, page?: string, more = {}) {
  const text = page ?? (await open(service, path)).text;
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  return service.call("POST", path, {
    token: null,
    raw: new URLSearchParams({ ...fields, "/approved": "true", "/note": "Fine by me.", ...more }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
  });
}

const titleOf = ({ text }: { text: string }) => /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1];

testWithSlack(
  "what Slack may not show is answered through a link of one's own, without an account",
  async (stage) => {
    const { service, slack, send } = stage;
    const stranger = slack.addUser({ id: "U0123456789", name: "stranger" });
    const { id, post } = await redacted(stage, stranger);
    assert.match(said(post), /^Open in browser to answer\.$/m);
    assert.deepEqual(liveButtons(post), ["answer:browser"]);
    const path = (await linkOf(stage, stranger, post))!;
    assert.match(whispers(slack).at(-1) ?? "", /^This link is personal/);
    assert.match(path, /^\/api\/channels\/slack\/action\/tsk_/);

    // Looking changes nothing, and nothing of the task is in Slack.
    for (const method of ["GET", "HEAD"] as const) assert.equal((await open(service, path, method)).status, 200);
    const page = await open(service, path);
    assert.equal(page.headers["cache-control"], "no-store");
    assert.match(page.text, new RegExp(`You answer as the Slack member ${stranger.id}\\.`));
    assert.equal((await read(service, id)).status, "created");
    assert.doesNotMatch(JSON.stringify(slack.calls), /hunter2/);

    // What no page of the link has made is no answer.
    assert.equal((await answer(service, path, "")).status, 403);
    assert.equal((await read(service, id)).status, "created");
    // Whoever it was forwarded to opens the same page, and answers as the one it was made for.
    const done = await answer(service, path);
    assert.deepEqual([done.status, titleOf(done)], [200, "Answer sent"]);
    const task = await read(service, id);
    assert.deepEqual(task.response, { approved: true, note: "Fine by me." });
    assert.deepEqual(
      [task.completed_via_channel, task.completed_by_slack_team_id, task.completed_by_slack_user_id],
      ["slack", slack.team.id, stranger.id],
    );
    const { body: audit } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    assert.equal(audit.find(({ action }) => action === "completed")?.channel, "slack");
    for (const again of [await open(service, path), await answer(service, path, "")])
      assert.deepEqual([again.status, titleOf(again)], [410, "You already answered this"]);
    await send();
    assert.deepEqual(buttonsIn(post), []);
    assert.deepEqual(slack.failures, []);
  },
  { mentions: ["<@U0123456789>"] },
);

testWithSlack("a form that Slack cannot ask is answered through such a link by who may answer", async (stage) => {
  const { service, slack, send } = stage;
  const user = await addUser(service, { email: "dana@example.com" });
  const [dana, out] = ["dana", "out"].map((name) => slack.addUser({ name, email: `${name}@example.com` }));
  const { id } = await service.create({
    response_schema: {
      type: "object",
      properties: {
        approved: { type: "boolean" },
        note: { type: "string" },
        code: { type: "string" },
      },
      required: ["approved", "code"],
    },
    form_definition: { code: { "ui:widget": "password" } },
    assign_to: { email: "dana@example.com" },
    notify: ["slack:#approvals"],
  });
  await send();
  const post = slack.posts[0]!;
  assert.deepEqual(liveButtons(post), ["answer:browser"]);
  assert.equal(await linkOf(stage, out!, post), null);
  assert.match(whispers(slack).at(-1) ?? "", /^This task is assigned to dana@example\.com\..*Nothing was sent\.$/);
  const path = (await linkOf(stage, dana!, post))!;
  assert.ok(path.includes(user.id));
  assert.equal((await answer(service, path, undefined, { "/code": "1234" })).status, 200);
  const task = await read(service, id);
  assert.deepEqual(
    [task.completed_by_email, task.completed_by_user_id, task.completed_via_channel],
    ["dana@example.com", user.id, "slack"],
  );
});

testWithSlack(
  "a link from Slack opens one task for one person; any other token is a page that says so",
  async (stage) => {
    const { service, slack } = stage;
    const stranger = slack.addUser({ name: "stranger" });
    const { id, post } = await redacted(stage, stranger);
    const { id: other } = await redacted(stage, stranger);
    const path = (await linkOf(stage, stranger, post))!;
    const mail = new URL(createLink(service.ctx, id, "dana@example.com")).pathname;
    const tokens = [
      path.replace(id, other),
      path.replace(stranger.id, "U0123456789"),
      path.replace(slack.team.id, "T0123456789"),
      path.replace(post.channel, "C0123456789"),
      path.replace(`.${post.channel}`, ""),
      path.replace(".-.", ".usr_01K9Z8Q6V3."),
      `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`,
      path.slice(0, -1),
      `${path}.more`,
      "/api/channels/slack/action/x",
      mail.replace("/email/", "/slack/"),
      path.replace("/slack/action/", "/email/action/"),
    ];
    for (const token of tokens)
      for (const tried of [await open(service, token), await answer(service, token, "")]) {
        assert.equal(tried.status, 404, token);
        assert.match(tried.headers["content-type"] ?? "", /^text\/html/);
        assert.equal(titleOf(tried), "This link doesn&#39;t work");
      }
    for (const task of [id, other]) assert.equal((await read(service, task)).status, "created");
    await service.call("DELETE", `/api/tasks/${id}`);
    assert.equal((await open(service, path)).status, 404);
  },
);

testWithSlack("a link from Slack answers for nobody who was deactivated, or is somebody else by now", async (stage) => {
  const { service, slack } = stage;
  const ids = { slack_team_id: slack.team.id };
  const member = slack.addUser({ name: "dana" });
  const user = await addUser(service, { email: "dana@example.com", slack_user_id: member.id, ...ids });
  const { id, post } = await redacted(stage, member);
  const path = (await linkOf(stage, member, post))!;
  const page = (await open(service, path)).text;

  await service.call("DELETE", `/api/users/${user.id}`);
  for (const tried of [await open(service, path), await answer(service, path, page)]) assert.equal(tried.status, 403);
  // The id may be given to somebody else; their predecessor's link is not theirs.
  await service.call("PATCH", `/api/users/${user.id}`, { body: { slack_team_id: null, slack_user_id: null } });
  await addUser(service, { email: "lee@example.com", is_operator: true, slack_user_id: member.id, ...ids });
  for (const tried of [await open(service, path), await answer(service, path, page)]) assert.equal(tried.status, 403);
  assert.equal((await read(service, id)).status, "created");
});

testWithSlack("a link from Slack ends with its task, and says when somebody else has it", async (stage) => {
  const { service, slack } = stage;
  const stranger = slack.addUser({ name: "stranger" });
  const { id, post } = await redacted(stage, stranger);
  const path = (await linkOf(stage, stranger, post))!;
  await service.call("POST", `/api/tasks/${id}/assign`, { body: { email: "lee@example.com" } });
  const theirs = await answer(service, path, "");
  assert.equal(theirs.status, 403);
  assert.match(theirs.text, /lee@example\.com/);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  const late = await redacted(stage, stranger);
  const lateLink = (await linkOf(stage, stranger, late.post))!;
  service.clock.advance(HOUR);
  for (const ended of [path, lateLink])
    for (const { status, headers } of [await open(service, ended), await answer(service, ended, "")]) {
      assert.equal(status, 409);
      assert.match(headers["content-type"] ?? "", /^text\/html/);
    }
});

testWithSlack("while Slack cannot say who somebody is, the page says that, and takes nothing", async (stage) => {
  const { service, slack } = stage;
  const kim = slack.addUser({ name: "kim", email: "kim@elsewhere.example" });
  const { id, post } = await redacted(stage, kim, { assign_to: { email: "kim@elsewhere.example" } });
  const path = (await linkOf(stage, kim, post))!;
  const page = (await open(service, path)).text;
  slack.refuse("users.info", 2, "internal_error");
  for (const tried of [await open(service, path), await answer(service, path, page)]) {
    assert.equal(tried.status, 502);
    assert.match(tried.headers["content-type"] ?? "", /^text\/html/);
    assert.match(tried.text, /Slack cannot confirm who this link is for right now\. Nothing was sent\./);
  }
  assert.equal((await read(service, id)).status, "created");
  assert.equal((await answer(service, path, page)).status, 200);
  assert.equal((await read(service, id)).completed_by_email, "kim@elsewhere.example");
});

testWithSlack(
  "a link that was made for a member counts for nobody where the app is not set up",
  async ({ service }) => {
    const { id } = await service.create({ notify: ["email:dana@example.com"] });
    const who = { team_id: "T0123456789", user_id: "U0123456789" };
    const path = new URL(createSlackLink(service.ctx, id, who, { user_id: null, channel: "C0123456789" })).pathname;
    assert.equal((await open(service, path)).status, 403);
  },
);

testWithSlack("an answer that brings up what Slack cannot ask goes on through a link of one's own", async (stage) => {
  const { service, slack, send } = stage;
  await addUser(service, { email: "dana@example.com" });
  const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
  const { id } = await service.create({
    response_schema: {
      type: "object",
      properties: { kind: { enum: ["plain", "secret"] }, note: { type: "string" } },
      required: ["kind", "note"],
      if: { properties: { kind: { const: "secret" } }, required: ["kind"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
      then: { properties: { pin: { type: "string", format: "password" } }, required: ["pin"] },
    },
    notify: ["slack:#approvals"],
  });
  await send();
  await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:open" });
  const view = slack.views[0]!;
  const inputs = view.blocks.filter(({ type }) => type === "input") as unknown as InputBlock[];
  const values = Object.fromEntries(
    inputs.map(({ block_id = "", element }) => [
      block_id,
      { [element.action_id ?? ""]: block_id === "/kind" ? "1" : "Mine" },
    ]),
  );
  const { failure } = await slack.submit({ user: dana, view, values });
  assert.equal(failure, null);
  assert.match(said(view), /Open in browser to answer\. Your personal link is in the channel where you opened this\./);
  assert.match(said(view), /Mine/);
  assert.match(JSON.stringify(slack.posts.at(-1)), /slack\/action\/tsk_/);
  assert.equal(slack.posts.at(-1)?.ephemeral_to, dana.id);
  assert.equal((await read(service, id)).status, "created");
});

testWithSlack(
  "an answer through such a link that is sent back is asked of its member again, as theirs",
  async (stage) => {
    const { service, slack, send } = stage;
    const stranger = slack.addUser({ name: "stranger" });
    const { id } = await service.create({
      response_schema: {
        type: "object",
        properties: {
          approved: { type: "boolean" },
          note: { type: "string" },
          pin: { type: "string", format: "password" },
        },
        required: ["approved", "pin"],
      },
      notify: [`slack:${stranger.id}`],
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 3 },
    });
    await send();
    const path = (await linkOf(stage, stranger, slack.posts[0]!))!;
    const back = await answer(service, path, undefined, { "/pin": "1234" });
    for (const page of [back, await open(service, path)]) {
      assert.equal(page.status, 200);
      assert.match(page.text, /Sent back\. .*\(attempt 2 of 3\)\./);
      assert.match(page.text, /Say why\./);
      assert.doesNotMatch(page.text, /An answer was sent back/);
    }
    assert.equal((await read(service, id)).status, "rejected");
  },
  { env: { OPENAI_API_KEY: "k" }, verify: async () => ({ passed: false, reason: "Say why." }) },
);
