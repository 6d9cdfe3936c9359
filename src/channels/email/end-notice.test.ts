import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { addSender, header, mailsTo, send, told, withSender } from "../../../test/support/mail.ts";
import { addUser, person } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import type { ReceivedMail } from "../../../test/support/smtp.ts";
import { MINUTE } from "../../lib/time.ts";
import { timeOutDueTasks } from "../../tasks/timeouts.ts";

const DANA = "dana@example.com";
const LEE = "lee@example.com";
const NAMED = { task: "Refund?", notify: [`email:${DANA}`, `email:${LEE}`] };

function answer({ call }: TestService, id: string, by: string | null) {
  const body = { response: { approved: true, note: "the hidden words" }, ...(by && { completed_by_email: by }) };
  return call("POST", `/api/tasks/${id}/complete`, { body });
}

/** Both parts of a mail. */
async function partsOf({ source }: ReceivedMail): Promise<string[]> {
  const { text = "", html = "" } = await PostalMime.parse(source);
  return [text, html];
}

/** The people who heard of the end, in order of their addresses. */
async function heard(service: TestService, id: string): Promise<string[]> {
  const ended = (await told(service, id)).filter(({ purpose }) => purpose === "ended");
  assert.ok(ended.every(({ action, channel }) => action === "notification_sent" && channel === "email"));
  return ended.map(({ to }) => to).toSorted();
}

testOnBoth(
  "who was asked by mail hears once, in the same thread, that somebody else has answered",
  async (service, t) => {
    const smtp = await withSender(service, t);
    await addUser(service, { email: LEE, display_name: "Lee Park" });
    const { id } = await service.create(NAMED);
    await send(service);
    await answer(service, id, LEE);
    for (let times = 0; times < 3; times++) await send(service);

    const [asked, ended, ...more] = mailsTo(smtp, DANA);
    assert.ok(asked && ended);
    assert.deepEqual(more, []);
    assert.equal(mailsTo(smtp, LEE).length, 1);
    assert.equal(header(ended, "in-reply-to"), header(asked, "message-id"));
    assert.equal(header(ended, "references"), header(asked, "message-id"));
    assert.notEqual(header(ended, "message-id"), header(asked, "message-id"));
    assert.equal(header(ended, "subject"), "Answered by lee@example.com: Refund?");
    for (const part of await partsOf(ended)) {
      assert.match(part, /lee@example\.com answered this task on Sat,? 31 Jan/);
      assert.match(part, /There is nothing more to do\./);
      assert.doesNotMatch(part, /email\/action|choice=|hidden words|12[.,]5|Answer by/);
    }
    assert.deepEqual(await heard(service, id), [DANA]);
  },
);

testOnBoth("only people with a password are led to pages that they must sign in for", async (service, t) => {
  const smtp = await withSender(service, t);
  const dana = await addUser(service, { email: DANA });
  await addUser(service, { email: LEE, password: "correct horse battery staple" });
  const { id } = await service.create(NAMED);
  await send(service);
  await answer(service, id, "kim@example.com");
  await send(service);
  for (const [address, end] of [
    [DANA, new RegExp(`Open the task:\\s+\\S+/email/action/${id}\\.${dana.id}\\.`)],
    [LEE, new RegExp(`Open the task:\\s+\\S+/tasks/${id}$`, "m")],
  ] as const) {
    const [asked, ended] = mailsTo(smtp, address);
    assert.ok(asked && ended);
    for (const mail of [asked, ended]) {
      const [text = ""] = await partsOf(mail);
      assert.equal(/Your settings:\s+\S+\/settings/.test(text), address === LEE, text);
      assert.equal(/\/settings|\/tasks\//.test(text), address === LEE, text);
    }
    assert.match((await partsOf(ended))[0]!, end);
  }
});

testOnBoth("where nobody knows who answered, everyone who was asked hears that it is answered", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create(NAMED);
  await send(service);
  await answer(service, id, null);
  await send(service);
  assert.deepEqual(await heard(service, id), [DANA, LEE]);
  assert.equal(header(mailsTo(smtp, DANA)[1]!, "subject"), "Answered: Refund?");
});

testOnBoth("a cancellation is told with its reason, except to the one who cancelled", async (service, t) => {
  const smtp = await withSender(service, t);
  const operator = await person(service, { email: "op@example.com", is_operator: true });
  const { id } = await service.create({ ...NAMED, notify: [...NAMED.notify, "email:op@example.com"] });
  await send(service);
  await operator.call("POST", `/api/tasks/${id}/cancel`, { body: { reason: "The customer called back." } });
  await send(service);
  assert.deepEqual(await heard(service, id), [DANA, LEE]);
  for (const part of await partsOf(mailsTo(smtp, DANA)[1]!)) {
    assert.match(part, /This task was cancelled on/);
    assert.match(part, /Reason: The customer called back\./);
  }
});

testOnBoth("a former assignee hears that the task was cancelled, and not why", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create();
  for (const email of [DANA, LEE]) {
    await service.call("POST", `/api/tasks/${id}/assign`, { body: { email } });
    await send(service);
  }
  await service.call("POST", `/api/tasks/${id}/cancel`, { body: { reason: "The customer called back." } });
  await send(service);
  assert.deepEqual(await heard(service, id), [DANA, LEE]);
  for (const part of await partsOf(mailsTo(smtp, DANA)[1]!)) assert.doesNotMatch(part, /called back/);
  for (const part of await partsOf(mailsTo(smtp, LEE)[1]!)) assert.match(part, /Reason: The customer called back\./);
});

testOnBoth("a mail about the end of a redacted task has no reason and no values", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ ...NAMED, redact_payload: true });
  await send(service);
  await service.call("POST", `/api/tasks/${id}/cancel`, { body: { reason: "Account 48219 is closed." } });
  await send(service);
  const [, ended] = mailsTo(smtp, DANA);
  assert.match(header(ended!, "subject") ?? "", /^Cancelled: /);
  for (const part of await partsOf(ended!)) assert.doesNotMatch(part, /48219|12[.,]5|Reason/);
});

testOnBoth("a task that times out is told as such", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({ ...NAMED, timeout_seconds: 600 });
  await send(service);
  service.clock.advance(10 * MINUTE);
  await timeOutDueTasks(service.ctx);
  await send(service);
  assert.deepEqual(await heard(service, id), [DANA, LEE]);
  for (const part of await partsOf(mailsTo(smtp, DANA)[1]!)) assert.match(part, /This task has timed out\./);
});

testOnBoth("a person whose mail was never sent hears nothing: neither the question nor its end", async (service, t) => {
  let isAway = true;
  const smtp = await withSender(service, t, {
    onRcptTo: ({ address }, _session, done) =>
      isAway && address === DANA ? done(Object.assign(new Error("Later"), { responseCode: 451 })) : done(),
  });
  const { id } = await service.create(NAMED);
  await send(service);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  isAway = false;
  service.clock.advance(MINUTE);
  await send(service);
  assert.deepEqual(await heard(service, id), [LEE]);
  assert.deepEqual(mailsTo(smtp, DANA), []);
});

testOnBoth("a person whose mail is under way when the task ends hears of the end as well", async (service, t) => {
  const ids: string[] = [];
  const smtp = await withSender(service, t, {
    onRcptTo: ({ address }, _session, done) => {
      if (address !== DANA || ids.length === 0) return done();
      const cancelFirst = async (id: string) => {
        await service.call("POST", `/api/tasks/${id}/cancel`);
        done();
      };
      void cancelFirst(ids.pop()!);
    },
  });
  const { id } = await service.create({ ...NAMED, notify: [`email:${DANA}`] });
  ids.push(id);
  await send(service);
  await send(service);
  assert.equal(mailsTo(smtp, DANA).length, 2);
  assert.deepEqual(await heard(service, id), [DANA]);
});

testOnBoth(
  "a person who was deactivated hears nothing, and the task does not complain about it",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const dana = await addUser(service, { email: DANA });
    const { id } = await service.create(NAMED);
    await send(service);
    await service.call("DELETE", `/api/users/${dana.id}`);
    await answer(service, id, null);
    await send(service);
    assert.deepEqual(await heard(service, id), [LEE]);
    assert.equal(mailsTo(smtp, DANA).length, 1);
    assert.ok((await told(service, id)).every(({ action }) => action === "notification_sent"));
  },
);

testOnBoth("an address that two senders were asking when the task ended hears once", async (service, t) => {
  const waiting: (() => void)[] = [];
  let isHeld = true;
  const smtp = await withSender(service, t, {
    onRcptTo: (_address, _session, done) => {
      if (!isHeld) return done();
      waiting.push(done);
      if (waiting.length < 2) return;
      isHeld = false;
      const endFirst = async () => {
        await service.call("POST", `/api/tasks/${id}/cancel`);
        for (const each of waiting) each();
      };
      void endFirst();
    },
  });
  await addSender(service, smtp, "second");
  const { id } = await service.create({ notify: [`email+desk:${DANA}`, `email+second:${DANA}`] });
  await send(service);
  await send(service);
  assert.equal(smtp.received.length, 3);
  assert.deepEqual(await heard(service, id), [DANA]);
});

testOnBoth("an address that two senders asked hears once", async (service, t) => {
  const smtp = await withSender(service, t);
  await addSender(service, smtp, "second");
  const { id } = await service.create({ notify: [`email+desk:${DANA}`, `email+second:${DANA.toUpperCase()}`] });
  await send(service);
  assert.equal(smtp.received.length, 2);
  await service.call("POST", `/api/tasks/${id}/cancel`);
  await send(service);
  assert.equal(smtp.received.length, 3);
});

testOnBoth(
  "a mail server that is away when the task ends is tried again, and the end is told once",
  async (service, t) => {
    let isAway = false;
    const smtp = await withSender(service, t, {
      onMailFrom: (_address, _session, done) =>
        isAway ? done(Object.assign(new Error("Later"), { responseCode: 451 })) : done(),
    });
    const { id } = await service.create({ notify: [`email:${DANA}`] });
    await send(service);
    isAway = true;
    await service.call("POST", `/api/tasks/${id}/cancel`);
    await send(service);
    isAway = false;
    service.clock.advance(MINUTE);
    for (let times = 0; times < 2; times++) await send(service);
    assert.equal(smtp.received.length, 2);
    assert.deepEqual(await heard(service, id), [DANA]);
  },
);

testOnBoth("a claim, a release and an assignment are no end", async (service, t) => {
  const smtp = await withSender(service, t);
  const operator = await person(service, { is_operator: true });
  const { id } = await service.create(NAMED);
  await send(service);
  await operator.call("POST", `/api/tasks/${id}/claim`, { body: {} });
  await operator.call("POST", `/api/tasks/${id}/release`);
  await operator.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: operator.user.id } });
  await send(service);
  assert.equal(smtp.received.length, 2);
  assert.deepEqual(await heard(service, id), []);
});

testOnBoth(
  "who gave the last answer that the check rejected is not told of the end; the others are",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({
      ...NAMED,
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 1 },
    });
    await send(service);
    await answer(service, id, LEE);
    await send(service);
    assert.deepEqual(await heard(service, id), [DANA]);
    for (const part of await partsOf(mailsTo(smtp, DANA)[1]!))
      assert.match(part, /No answer passed the automatic check/);
  },
  { verify: async () => ({ passed: false, reason: "The note is missing." }), env: { OPENAI_API_KEY: "k" } },
);
