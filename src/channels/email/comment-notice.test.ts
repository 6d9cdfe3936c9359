import assert from "node:assert/strict";
import { newAgent } from "../../../test/support/agents.ts";
import { header, mailsTo, send, told, withSender } from "../../../test/support/mail.ts";
import { person } from "../../../test/support/people.ts";
import type { TestSmtp } from "../../../test/support/smtp.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../../test/support/service.ts";
import { createLink } from "./links.ts";
import { MINUTE } from "../../lib/time.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

const DANA = "dana@example.com";
const LEE = "lee@example.com";

/** Says something with the admin token, which is the asker of the tests' tasks, or with another. */
async function say({ call }: Pick<TestService, "call">, id: string, text: string, kind = "comment"): Promise<void> {
  assert.equal((await call("POST", `/api/tasks/${id}/comments`, { body: { text, kind } })).status, 201);
}

/** Lets a minute pass, in which what is said is collected, and sends. */
async function collect(service: TestService): Promise<void> {
  service.clock.advance(MINUTE);
  await send(service);
}

/** The text of the nth mail to an address, in one line. */
async function textOf(smtp: TestSmtp, to: string, nth: number): Promise<string> {
  return ((await smtp.to(to, nth)).text ?? "").replaceAll(/\s+/g, " ");
}

testOnBoth("whom a mail asked gets what the asker replies, in the same thread", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ task: "Refund?", notify: [`email:${DANA}`] });
  await send(service);
  await say(service, id, "The card ends\nwith 4242.");
  await send(service);
  assert.equal(mailsTo(smtp, DANA).length, 1, "what follows at once is collected");
  await collect(service);
  const [first, reply, ...more] = mailsTo(smtp, DANA);
  assert.equal(more.length, 0);
  assert.equal(header(reply!, "subject"), "Reply: Refund?");
  const thread = header(first!, "message-id");
  assert.match(thread ?? "", /^<.+@example\.com>$/);
  const { inReplyTo, references } = await smtp.to(DANA, 1);
  assert.deepEqual([inReplyTo, references], [thread, thread]);
  assert.match(await textOf(smtp, DANA, 1), /Reply from admin The card ends with 4242\./);
  for (const nth of [0, 1]) assert.match(await textOf(smtp, DANA, nth), /Replies to this email are not read\./);
  assert.deepEqual(
    (await told(service, id)).map(({ purpose }) => purpose),
    ["decision", "commented"],
  );
});

testOnBoth("a burst is one mail, and what is said after it is another", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ task: "Refund?", notify: [`email:${DANA}`] });
  await send(service);
  for (let i = 1; i <= 7; i++) await say(service, id, `Part ${i}.`);
  await collect(service);
  await say(service, id, "Later.");
  await collect(service);
  const [, , , ...more] = mailsTo(smtp, DANA);
  assert.equal(more.length, 0);
  assert.match(await textOf(smtp, DANA, 1), /7 new comments .*Part 1\. .*Part 5\. .*\+ 2 on the review page/);
  assert.doesNotMatch(await textOf(smtp, DANA, 1), /Part 6/);
  assert.match(await textOf(smtp, DANA, 2), /Reply from admin Later\./);
  assert.notEqual((await smtp.to(DANA, 1)).messageId, (await smtp.to(DANA, 2)).messageId);
});

testOnBoth("the author gets no mail of their own words, and the others do", async (service, t) => {
  const smtp = await withSender(service, t);
  const lee = await person(service, { email: LEE, display_name: "Lee Chen" });
  const { id } = await service.create({ task: "Refund?", notify: [`email:${DANA}`, `email:${LEE}`] });
  await send(service);
  await say(lee, id, "Which card?", "question");
  await collect(service);
  assert.deepEqual([mailsTo(smtp, DANA).length, mailsTo(smtp, LEE).length], [2, 1]);
  const [, asked] = mailsTo(smtp, DANA);
  assert.equal(header(asked!, "subject"), "New comment: Refund?");
  assert.match(await textOf(smtp, DANA, 1), /Question from Lee Chen Which card\?/);
});

testOnBoth("of a confidential task the mail says that something was said, and not what", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ task: "Refund?", redact_payload: true, notify: [`email:${DANA}`] });
  await send(service);
  await say(service, id, "Johanna Lindqvist, card 4242");
  await collect(service);
  const [, mail] = mailsTo(smtp, DANA);
  assert.match(await textOf(smtp, DANA, 1), /Reply from admin Read it on the review page\./);
  assert.doesNotMatch(mail!.source, /Lindqvist|4242/);
});

testOnBoth("who cannot answer any more, or was never mailed, gets nothing of it", async (service, t) => {
  const smtp = await withSender(service, t);
  const ada = await person(service, { email: "ada@example.com" });
  const { id } = await service.create({ task: "Refund?", notify: [`email:${DANA}`] });
  const quiet = await service.create({ task: "Unsent?", idempotency_key: "unsent" });
  await send(service);
  await say(service, quiet.id, "Hello?");
  await say(service, id, "Sent before it was assigned to another.");
  await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: ada.user.id } });
  await collect(service);
  assert.equal(mailsTo(smtp, DANA).length, 1);
  // Ada got the mail about her task, with a link to a page that has the conversation.
  assert.equal(mailsTo(smtp, ada.user.email!).length, 1);
  await say(service, id, "For Ada.");
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  smtp.received.length = 0;
  await collect(service);
  assert.deepEqual(
    smtp.received.map((mail) => header(mail, "subject")?.split(":")[0]).filter((word) => word === "New comment"),
    [],
    "a closed task has only the notice of its end",
  );
});

testOnBoth(
  "a question from the page of the link has a reply by mail, and none goes to who asked it",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const agent = await newAgent(service, { name: "refund-bot" });
    const { id } = (
      await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody({ notify: [`email:${DANA}`] }) })
    ).body;
    await send(service);
    const path = new URL(createLink(service.ctx, id, DANA)).pathname;
    const { text: page } = await service.call("GET", path, { token: null });
    const asked = await service.call("POST", `${path}/conversation`, {
      token: null,
      raw: new URLSearchParams({
        "~nonce": /name="~nonce" value="([^"]*)"/.exec(page)![1]!,
        "~text": "Which card?",
        "~say": "question",
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(asked.status, 200);
    await collect(service);
    assert.equal(mailsTo(smtp, DANA).length, 1);
    await say(agent, id, "The one that ends with 4242.");
    await collect(service);
    assert.equal(mailsTo(smtp, DANA).length, 2);
    assert.match(await textOf(smtp, DANA, 1), /Reply from refund-bot The one that ends with 4242\./);
  },
);
