import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { actionTask } from "../../test/support/actions.ts";
import { header, mailsTo, send as sendMails, withSender } from "../../test/support/mail.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { said, testWithSlack, whispers } from "../../test/support/slack-service.ts";
import { MINUTE } from "../lib/time.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";

const DANA = "dana@example.com";
const COUNTS = "so the answer given beforehand counts";
const ASKED = {
  task: "Refund?",
  response_schema: {
    type: "object",
    properties: { verdict: { title: "Verdict", enum: ["grant", "refuse"] } },
    required: ["verdict"],
  },
  form_definition: { ui: { verdict: { "ui:enumNames": ["Grant it", "Refuse it"] } } },
  on_timeout: { response: { verdict: "refuse" } },
  timeout_seconds: 120,
};

/** Lets the deadline of all tasks pass. */
async function pass({ clock, ctx }: TestService): Promise<void> {
  clock.advance(2 * MINUTE);
  assert.ok((await timeOutDueTasks(ctx)) > 0);
}

const linkIn = (text: string) => /\S+(\/api\/channels\/email\/action\/\S+)/.exec(text)?.[1] ?? "/";

testOnBoth("the end mail and the page of a link say that no one answered, and what counts", async (service, t) => {
  const smtp = await withSender(service, t);
  const cases = [
    { asked: newTaskBody(ASKED), says: `${COUNTS}: Refuse it.` },
    {
      asked: actionTask({ on_timeout: { response: { decision: "reject" } }, timeout_seconds: 120 }),
      says: `${COUNTS}: Reject.`,
    },
    { asked: newTaskBody({ ...ASKED, redact_payload: true }), says: `${COUNTS}.` },
  ];
  for (const [i, { asked, says }] of cases.entries()) {
    const to = `p${i}@example.com`;
    const body = { ...asked, idempotency_key: to, notify: [`email:${to}`] };
    assert.equal((await service.call("POST", "/api/tasks", { body })).status, 201);
    await sendMails(service);
    await pass(service);
    await sendMails(service);
    const [first, ended] = mailsTo(smtp, to);
    assert.ok(first && ended);
    assert.match(header(ended, "subject") ?? "", /^No one answered in time: /);
    const { text = "", html = "" } = await PostalMime.parse(ended.source);
    for (const part of [text, html]) {
      assert.ok(part.replaceAll(/\s+/g, " ").includes(says), part);
      assert.doesNotMatch(part, /Answered|Someone|Rejected/);
    }
    const link = linkIn((await PostalMime.parse(first.source)).text ?? "");
    const page = await service.call("GET", link, { token: null });
    assert.equal(page.status, 409);
    assert.ok(page.text.includes(says), page.text);
    assert.doesNotMatch(page.text, /Already answered|Someone/);
  }
});

testWithSlack(
  "a message and a late click say that no one answered, and what counts",
  async ({ service, slack, send }) => {
    const dana = slack.addUser({ name: "dana", email: DANA });
    const notify = ["slack:#approvals"];
    const open = await service.create({ ...ASKED, notify });
    const hidden = await service.create({ ...ASKED, redact_payload: true, notify });
    await send();
    const [post, hiddenPost] = [open, hidden].map(({ id }) => slack.posts.find((one) => said(one).includes(id))!);
    await pass(service);
    await slack.click({ user: dana, post: post!, action_id: "answer:choose:1", confirm: true });
    assert.match(whispers(slack).join("\n"), /counts: Refuse it\./);
    await send();
    assert.match(said(post!), /No one answered in time, so the answer given beforehand counts: Refuse it\./);
    assert.match(said(hiddenPost!), /No one answered in time, so the answer given beforehand counts\./);
    assert.doesNotMatch(said(post!) + said(hiddenPost!), /Answered|by dana/);
    assert.deepEqual(slack.failures, []);
  },
);
