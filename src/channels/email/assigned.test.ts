import assert from "node:assert/strict";
import { addSender, header, mailsTo, send, told, withSender } from "../../../test/support/mail.ts";
import { addUser, person } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import type { ReceivedMail } from "../../../test/support/smtp.ts";

const DANA = "dana@example.com";
const LEE = "lee@example.com";

async function assign({ call }: Pick<TestService, "call">, id: string, to: object): Promise<void> {
  assert.equal((await call("POST", `/api/tasks/${id}/assign`, { body: to })).status, 200);
}

/** The path of the link in a mail. */
function linkIn({ source }: ReceivedMail): string {
  const [, path = ""] = /(\/api\/channels\/email\/action\/[\w.-]+)\r?\n/.exec(source.replaceAll("=\r\n", "")) ?? [];
  assert.notEqual(path, "", source);
  return path;
}

const page = ({ call }: TestService, path: string) => call("GET", path, { token: null });

testOnBoth("a new assignee is asked by mail, with a link that answers", async (service, t) => {
  const smtp = await withSender(service, t);
  const dana = await addUser(service, { email: DANA });
  const { id } = await service.create({ task: "Refund?", assign_to: { email: LEE } });
  await send(service);
  assert.equal(smtp.received.length, 0);
  await assign(service, id, { user_id: dana.id });
  await send(service);
  const [mail, ...more] = smtp.received;
  assert.ok(mail);
  assert.deepEqual([mail.to, more], [[DANA], []]);
  assert.equal(header(mail, "subject"), "Decision needed: Refund?");
  assert.equal(header(mail, "in-reply-to"), undefined);
  assert.deepEqual(
    (await told(service, id)).map(({ action, to, purpose }) => [action, to, purpose]),
    [["notification_sent", DANA, "assigned"]],
  );
  const opened = await page(service, linkIn(mail));
  assert.equal(opened.status, 200);
  assert.match(opened.text, /You answer as dana@example\.com/);
});

testOnBoth("an address outside the directory that a task is assigned to gets a link too", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create();
  await assign(service, id, { email: "Outside@example.com" });
  await send(service);
  assert.equal((await page(service, linkIn(smtp.received[0]!))).status, 200);
});

testOnBoth("nobody is told what they did themselves, nor what they know already", async (service, t) => {
  const smtp = await withSender(service, t);
  const operator = await person(service, { email: "op@example.com", is_operator: true });
  const { id } = await service.create();
  await assign(operator, id, { user_id: operator.user.id });
  await assign(operator, id, { user_id: null });
  await assign(operator, id, { email: "OP@example.com" });
  await send(service);
  assert.deepEqual(smtp.received, []);
  await assign(service, id, { email: DANA });
  await assign(service, id, { email: DANA.toUpperCase() });
  await send(service);
  assert.equal(smtp.received.length, 1);
});

testOnBoth("a claim mails nobody", async (service, t) => {
  const smtp = await withSender(service, t);
  const dana = await person(service, { email: DANA, pool: "refunds" });
  await addUser(service, { email: LEE, pool: "refunds" });
  const { id } = await service.create({ assign_to: { pool: "refunds" } });
  await dana.call("POST", `/api/tasks/${id}/claim`, { body: {} });
  await dana.call("POST", `/api/tasks/${id}/release`);
  await send(service);
  assert.deepEqual(smtp.received, []);
});

testOnBoth(
  "who was asked before is asked again in the same thread; the former assignee hears nothing",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({ notify: [`email:${DANA}`, `email:${LEE}`] });
    await send(service);
    await assign(service, id, { email: DANA });
    await send(service);
    await assign(service, id, { email: LEE });
    await send(service);
    const [asked, again, ...more] = mailsTo(smtp, DANA);
    assert.ok(asked && again);
    assert.deepEqual(more, []);
    assert.equal(header(again, "in-reply-to"), header(asked, "message-id"));
    assert.notEqual(header(again, "message-id"), header(asked, "message-id"));
    assert.equal(mailsTo(smtp, LEE).length, 2);
  },
);

testOnBoth("a mail that is not sent yet asks the assignee, and no second one does", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ notify: [`email:${DANA}`, `email:${LEE}`] });
  await assign(service, id, { email: DANA });
  await send(service);
  assert.equal(mailsTo(smtp, DANA).length, 1);
  assert.equal((await page(service, linkIn(mailsTo(smtp, DANA)[0]!))).status, 200);
});

testOnBoth("who is not the assignee any more when the mail is due gets none", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create();
  await assign(service, id, { email: DANA });
  await assign(service, id, { email: LEE });
  await send(service);
  assert.deepEqual(
    smtp.received.flatMap(({ to }) => to),
    [LEE],
  );
  assert.deepEqual(
    (await told(service, id)).map(({ to }) => to),
    [LEE],
  );
});

testOnBoth("the link of an assignee ends with the assignment", async (service, t) => {
  const smtp = await withSender(service, t);
  // The task has no assignee, so everyone who was asked may answer.
  const { id } = await service.create({ notify: [`email:${LEE}`, "email:kim@example.com"] });
  await send(service);
  await assign(service, id, { email: DANA });
  await send(service);
  const path = linkIn(mailsTo(smtp, DANA)[0]!);
  await assign(service, id, { email: LEE });
  const others = await page(service, path);
  assert.equal(others.status, 403);
  assert.match(others.text, /This task is assigned to lee@example\.com\./);
  await assign(service, id, { user_id: null });
  assert.equal((await page(service, path)).status, 403);
  assert.equal((await page(service, linkIn(mailsTo(smtp, LEE)[0]!))).status, 200);
});

testOnBoth("the sender is the one that the task names, else the only one", async (service, t) => {
  const smtp = await withSender(service, t);
  const only = await service.create();
  await assign(service, only.id, { email: DANA });
  await send(service);
  await addSender(service, smtp, "second");
  const named = await service.create({ notify: [`email+second:${LEE}`, "email+desk:kim@example.com"] });
  await assign(service, named.id, { email: DANA });
  await assign(service, named.id, { email: "kim@example.com" });
  await send(service);
  assert.deepEqual(
    mailsTo(smtp, DANA).map(({ from }) => from),
    ["desk@example.com"],
  );
  assert.deepEqual(
    mailsTo(smtp, "kim@example.com").map(({ from }) => from),
    ["desk@example.com"],
  );
  const unnamed = await service.create();
  await assign(service, unnamed.id, { email: "pat@example.com" });
  await send(service);
  assert.deepEqual(mailsTo(smtp, "pat@example.com"), []);
  assert.deepEqual(await told(service, unnamed.id), []);
});

testOnBoth("without any sender an assignment sends nothing, and the trail claims nothing", async (service) => {
  const { id } = await service.create();
  await assign(service, id, { email: DANA });
  await send(service);
  assert.deepEqual(await told(service, id), []);
});

testOnBoth("a later assignee hears of the end of the task", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create();
  await assign(service, id, { email: DANA });
  await send(service);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  await send(service);
  const [asked, ended] = mailsTo(smtp, DANA);
  assert.equal(header(ended!, "in-reply-to"), header(asked!, "message-id"));
});
