import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { header, mailsTo, send as sendMails, withSender } from "../../test/support/mail.ts";
import { testOnBoth } from "../../test/support/service.ts";
import { said, testWithSlack } from "../../test/support/slack-service.ts";
import { SECOND } from "../lib/time.ts";
import { takeDueSteps } from "../tasks/escalating.ts";
import type { EmbedTask } from "../embed/schema.ts";

const DANA = "dana@example.com";
const ASKED = {
  task: "Release it?",
  response_schema: {
    type: "object",
    properties: { approved: { type: "boolean", title: "Release it?" } },
    required: ["approved"],
  },
  form_definition: { ui: { approved: { "ui:enumNames": ["Release", "Reject <now>"] } } },
  timeout_seconds: 7200,
  escalation: [
    { after: 60, do: "raise" as const },
    { after: 60, do: "remind" as const },
  ],
  on_timeout: { response: { approved: false } },
};
const COUNTS = /If no one answers by [^.]+, the answer “Reject (<|&lt;)now(>|&gt;)” counts\./;

testOnBoth(
  "a task that a step has marked is urgent in the reminder, on the page of its link and in an embedded form",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({ ...ASKED, notify: [`email:${DANA}`] });
    const key = await newServiceKey(service);
    const embedded = async () => {
      const { embed_token: token } = (await mint(service, key.key, { task_id: id })).body;
      return (await service.call<EmbedTask>("GET", "/api/embed/task", { token })).body.review_html ?? "";
    };
    await sendMails(service);
    const [first] = mailsTo(smtp, DANA);
    const { text = "" } = await PostalMime.parse(first!.source);
    assert.match(text, COUNTS);
    const link = /\S+(\/api\/channels\/email\/action\/[^\s?]+)/.exec(text)?.[1] ?? "/";
    const page = async () => (await service.call("GET", link, { token: null })).text;
    for (const html of [await page(), await embedded()]) {
      assert.match(html, COUNTS);
      assert.doesNotMatch(html, /Urgent/);
    }
    service.clock.advance(60 * SECOND);
    assert.equal(await takeDueSteps(service.ctx), 1);
    await sendMails(service);
    const reminder = mailsTo(smtp, DANA)[1]!;
    assert.equal(header(reminder, "subject"), "Urgent: Reminder: Release it?");
    const reminding = (await PostalMime.parse(reminder.source)).text ?? "";
    assert.match(reminding, /urgent: a decision is still waiting for you/);
    assert.match(reminding, /: 119 minutes left/);
    assert.match(reminding, COUNTS);
    for (const html of [await page(), await embedded()]) assert.match(html, /<strong>Urgent<\/strong> · Answer by/);
  },
  { env: EMBED_ENV },
);

testWithSlack(
  "a message and its reminder say that a task is urgent, and what counts",
  async ({ service, slack, send }) => {
    const { id } = await service.create({ ...ASKED, notify: ["slack:#approvals"] });
    await send();
    const post = slack.posts.find((one) => said(one).includes(id))!;
    assert.match(said(post), COUNTS);
    assert.doesNotMatch(said(post), /Urgent/);
    service.clock.advance(60 * SECOND);
    assert.equal(await takeDueSteps(service.ctx), 1);
    await send();
    assert.match(said(post), /Urgent: Release it\?/);
    assert.match(post.text, /^Urgent: Decision needed: /);
    const reply = slack.posts.find((one) => said(one).startsWith("Reminder: "))!;
    assert.match(said(reply), COUNTS);
    assert.deepEqual(slack.failures, []);
  },
);
