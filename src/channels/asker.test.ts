import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { send, withSender } from "../../test/support/mail.ts";
import { addUser } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth } from "../../test/support/service.ts";
import { said, testWithSlack } from "../../test/support/slack-service.ts";
import type { EmbedTask } from "../embed/schema.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { createLink } from "./email/links.ts";

/* Who asks, on each surface outside of the dashboard. (beyond: Agents) */

const DANA = "dana@example.com";
const LINE = "refunds-bot asks, on behalf of Mia <b>Ott</b> (according to the agent)";
const ESCAPED = LINE.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const FOR_MIA = { on_behalf_of: { name: "Mia <b>Ott</b>", email: "mia@example.com" } };
/** Says nothing that is looked for here. */
const WITHOUT = /asks|behalf|refunds-bot|Mia/;

testOnBoth(
  "an email says which agent asks, in both of its parts, and says nothing of the admin token",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const agent = await newAgent(service, { name: "refunds-bot" });
    const create = (address: string, fields: object, call = agent.call) =>
      call("POST", "/api/tasks", { body: newTaskBody({ notify: [`email:${address}`], ...fields }) });
    await create("dana@example.com", FOR_MIA);
    await create("lee@example.com", { ...FOR_MIA, redact_payload: true });
    await create("kim@example.com", FOR_MIA, service.call);
    await send(service);
    const dana = await smtp.to("dana@example.com");
    assert.ok(dana.text?.replaceAll("\n  ", " ").includes(LINE), dana.text);
    assert.ok(dana.html?.toString().includes(ESCAPED));
    const redacted = await smtp.to("lee@example.com");
    assert.match(redacted.text ?? "", /^ {2}refunds-bot asks$/m);
    for (const part of [redacted.text, redacted.html]) assert.doesNotMatch(String(part), /Mia/);
    const byAdmin = await smtp.to("kim@example.com");
    for (const part of [byAdmin.text, byAdmin.html]) assert.doesNotMatch(String(part), WITHOUT);
  },
);

testOnBoth(
  "the mail page and the embedded form say which agent asks, and say nothing of the admin token",
  async (service) => {
    const agent = await newAgent(service, { name: "refunds-bot" });
    const { key } = await newServiceKey(service);
    const body = () => ({ body: newTaskBody({ notify: [`email:${DANA}`], ...FOR_MIA }) });
    const pagesOf = async ({ id }: TaskRecord) => {
      const path = new URL(createLink(service.ctx, id, DANA)).pathname;
      const page = await service.call("GET", path, { token: null });
      const { embed_token } = (await mint(service, key, { task_id: id })).body;
      const embedded = await service.call<EmbedTask>("GET", "/api/embed/task", { token: embed_token });
      assert.deepEqual([page.status, embedded.status], [200, 200]);
      return [page.text, embedded.body.review_html ?? ""];
    };
    const asked = (await agent.call<TaskRecord>("POST", "/api/tasks", body())).body;
    for (const html of await pagesOf(asked)) assert.ok(html.includes(ESCAPED), html);
    const byAdmin = (await service.call<TaskRecord>("POST", "/api/tasks", body())).body;
    for (const html of await pagesOf(byAdmin)) assert.doesNotMatch(html, WITHOUT);
  },
  { env: EMBED_ENV },
);

testWithSlack("a Slack message and its modal say which agent asks", async ({ service, slack, send: sendAll }) => {
  const agent = await newAgent(service, { name: "refunds-bot" });
  await addUser(service, { email: DANA });
  const dana = slack.addUser({ name: "dana", email: DANA });
  const fields = {
    notify: ["slack:#approvals"],
    response_schema: { type: "object", properties: { a: { type: "string" } } },
  };
  const { body } = await agent.call<TaskRecord>("POST", "/api/tasks", {
    body: newTaskBody({ ...fields, ...FOR_MIA }),
  });
  await sendAll();
  const [post] = slack.posts;
  assert.ok(said(post!).includes(ESCAPED), said(post!));
  await slack.click({ user: dana, post: post!, action_id: "answer:open" });
  assert.ok(JSON.stringify(slack.views).includes(ESCAPED));
  await service.call("POST", `/api/tasks/${body.id}/cancel`);
  await sendAll();
  assert.ok(said(slack.posts[0]!).includes(ESCAPED.replace("asks", "asked")), said(slack.posts[0]!));
  await service.call("POST", "/api/tasks", { body: newTaskBody({ ...fields, ...FOR_MIA }) });
  await sendAll();
  assert.doesNotMatch(said(slack.posts[1]!), WITHOUT);
});
