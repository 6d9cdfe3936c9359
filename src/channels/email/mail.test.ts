import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { header, mailsTo, send, SENDER, told, withSender } from "../../../test/support/mail.ts";
import { addUser } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import type { TestSmtp } from "../../../test/support/smtp.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import type { CreateTaskBody } from "../../tasks/schema.ts";

testOnBoth("a task tells everybody whom it names, once, after its creation was answered", async (service, t) => {
  const smtp = await withSender(service, t);
  const { id } = await service.create({
    notify: ["email:dana@example.com", "email+desk:DANA@example.com", "email:lee@example.com"],
  });
  await send(service);
  assert.deepEqual(smtp.received.flatMap(({ to }) => to).toSorted(), ["dana@example.com", "lee@example.com"]);
  const [first] = smtp.received;
  assert.ok(first);
  assert.equal(first.from, "desk@example.com");
  assert.equal(header(first, "auto-submitted"), "auto-generated");
  assert.equal(header(first, "x-auto-response-suppress"), "All");
  assert.equal(header(first, "x-entity-ref-id"), id);
  assert.equal(new Set(smtp.received.map((mail) => header(mail, "message-id"))).size, 2);
  const entries = await told(service, id);
  assert.deepEqual(entries.map(({ action, channel, to }) => `${action} ${channel} ${to}`).toSorted(), [
    "notification_sent email dana@example.com",
    "notification_sent email lee@example.com",
  ]);
});

testOnBoth("a link in a mail names the user it is for, where the directory knows the address", async (service, t) => {
  const smtp = await withSender(service, t);
  const user = await addUser(service, { email: "dana@example.com" });
  const { id } = await service.create({ notify: ["email:dana@example.com", "email:lee@example.com"] });
  await send(service);
  const linkTo = async (address: string) =>
    /email\/action\/([\w.-]+)$/m.exec((await smtp.to(address)).text ?? "")?.[1] ?? "";
  assert.match(await linkTo("dana@example.com"), new RegExp(`^${id}\\.${user.id}\\.[\\w-]{32}$`));
  assert.match(await linkTo("lee@example.com"), new RegExp(`^${id}\\.[\\w-]{32}$`));
});

testOnBoth("a creation that is repeated sends nothing again", async (service, t) => {
  const smtp = await withSender(service, t);
  const fields = { idempotency_key: "the-same", notify: ["email:dana@example.com"] };
  const first = await service.create(fields);
  const second = await service.create(fields);
  assert.equal(second.id, first.id);
  await send(service);
  assert.equal(smtp.received.length, 1);
});

testOnBoth(
  "without a sender that is meant, a task is created all the same and says who was not told",
  async (service, t) => {
    const bare = { notify: ["email:dana@example.com"] };
    const failures = async (fields: { notify: string[] }) => {
      const { id } = await service.create(fields);
      return (await told(service, id)).map(({ action, to, error }) => [action, to, error]);
    };
    assert.deepEqual(await failures(bare), [
      ["notification_failed", "dana@example.com", "no_identity: There is no email sender yet."],
    ]);
    await withSender(service, t);
    assert.deepEqual(await failures(bare), []);
    assert.deepEqual(await failures({ notify: ["email+other:dana@example.com"] }), [
      ["notification_failed", "dana@example.com", 'no_identity: There is no email sender "other".'],
    ]);
    await service.call("POST", "/api/channels/email/identities", {
      body: { ...SENDER, id: "second", transport: "log" },
    });
    assert.deepEqual(await failures(bare), [
      [
        "notification_failed",
        "dana@example.com",
        'no_identity: There are several email senders. Name one in notify, as in "email+desk:<address>".',
      ],
    ]);
    assert.deepEqual(await failures({ notify: ["email+second:dana@example.com"] }), []);
  },
);

testOnBoth("a mail server that is away for a while is tried again; the person is told once", async (service, t) => {
  let isAway = true;
  const smtp = await withSender(service, t, {
    onMailFrom: (_address, _session, done) =>
      isAway ? done(Object.assign(new Error("Later"), { responseCode: 451 })) : done(),
  });
  const { id } = await service.create({ notify: ["email:dana@example.com"] });
  await send(service);
  service.clock.advance(11 * SECOND);
  await send(service);
  assert.deepEqual(await told(service, id), []);
  isAway = false;
  service.clock.advance(2 * MINUTE);
  await send(service);
  assert.equal(smtp.received.length, 1);
  assert.deepEqual(
    (await told(service, id)).map(({ action }) => action),
    ["notification_sent"],
  );
});

testOnBoth("after about an hour of trying, the task says who was not told and why", async (service, t) => {
  const smtp = await withSender(service, t);
  await smtp.close();
  const { id } = await service.create({ notify: ["email:dana@example.com"], timeout_seconds: 86_400 });
  for (let times = 0; times < 6; times++) {
    assert.deepEqual(await told(service, id), []);
    await send(service);
    service.clock.advance(33 * MINUTE);
  }
  const [entry, ...more] = await told(service, id);
  assert.deepEqual(more, []);
  assert.equal(entry?.action, "notification_failed");
  assert.match(entry?.error ?? "", /^connect: /);
});

testOnBoth("an address that the server refuses for good is not tried again", async (service, t) => {
  await withSender(service, t, {
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error("No such user"), { responseCode: 550 })),
  });
  const { id } = await service.create({ notify: ["email:dana@example.com"] });
  await send(service);
  const [entry] = await told(service, id);
  assert.equal(entry?.action, "notification_failed");
  assert.match(entry?.error ?? "", /^refused_address: .*No such user/);
});

testOnBoth("nobody is told of a task that has ended before its mail is sent", async (service, t) => {
  const smtp = await withSender(service, t);
  const answered = await service.create({ notify: ["email:dana@example.com"] });
  await service.call("POST", `/api/tasks/${answered.id}/complete`, { body: { response: { approved: true } } });
  const late = await service.create({ notify: ["email:dana@example.com"], timeout_seconds: 60 });
  service.clock.advance(MINUTE);
  await send(service);
  assert.deepEqual(smtp.received, []);
  for (const { id } of [answered, late]) assert.deepEqual(await told(service, id), []);
});

/** What somebody may read who may not answer: the subject, and the parts of the mail. */
async function informedOf(smtp: TestSmtp, address: string): Promise<{ subject: string; parts: string[] }> {
  const { subject = "", text = "", html = "" } = await smtp.to(address);
  for (const part of [text, html]) {
    assert.doesNotMatch(part, /email\/action|choice=|\/tasks\//);
    assert.match(part, /a decision is waiting for someone else/);
  }
  return { subject, parts: [text, html] };
}

testOnBoth(
  "whoever is named and may not answer is told who can, until when, and gets nothing to answer with",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const dana = await addUser(service, { email: "dana@example.com", display_name: "Dana Reyes" });
    await addUser(service, { email: "kim@example.com", pool: "refunds" });
    await addUser(service, { email: "lead@example.com" });
    const about: [Partial<CreateTaskBody>, RegExp][] = [
      [{ assign_to: { user_id: dana.id } }, /This task is assigned to Dana Reyes\./],
      [{ assign_to: { pool: "refunds" } }, /This task is offered to the pool (&quot;|")refunds(&quot;|")\./],
      [{ assign_to: { emails: ["kim@example.com", "pat@example.com"] } }, /This task is offered to .*pat@example\.com/],
      [{ assign_to: { role: "cfo" } }, /Only an operator can answer this task\./],
    ];
    for (const [fields, who] of about) {
      smtp.received.length = 0;
      const notify = ["email:lead@example.com", "email:outside@example.com"];
      const { id } = await service.create({ ...fields, notify, task: "Refund?" });
      await send(service);
      assert.equal(smtp.received.length, 2);
      for (const address of ["lead@example.com", "outside@example.com"]) {
        const { subject, parts } = await informedOf(smtp, address);
        assert.equal(subject, "For your information: Refund?");
        for (const part of parts) {
          assert.match(part, who);
          assert.match(part, /An answer is due by Sat,? 31 Jan/);
        }
      }
      const sent = (await told(service, id)).filter(({ action }) => action === "notification_sent");
      assert.deepEqual(sent.map(({ to }) => to).toSorted(), ["lead@example.com", "outside@example.com"]);
    }
  },
);

testOnBoth("operators and people whose addresses a task is offered to get a link to answer", async (service, t) => {
  const smtp = await withSender(service, t);
  await addUser(service, { email: "op@example.com", is_operator: true });
  const emails = ["pat@example.com", "sam@example.com"];
  await service.create({ assign_to: { emails }, notify: ["op@example.com", ...emails].map((to) => `email:${to}`) });
  await send(service);
  for (const address of ["op@example.com", ...emails])
    assert.match((await smtp.to(address)).text ?? "", /email\/action\/tsk_/);
});

testOnBoth("who may answer is asked about when the mail is sent, not when the task is created", async (service, t) => {
  const smtp = await withSender(service, t);
  const given = await service.create({ notify: ["email:dana@example.com"] });
  await service.call("POST", `/api/tasks/${given.id}/assign`, { body: { email: "lee@example.com" } });
  const taken = await service.create({ assign_to: { email: "lee@example.com" }, notify: ["email:pat@example.com"] });
  await service.call("POST", `/api/tasks/${taken.id}/assign`, { body: { email: "pat@example.com" } });
  await send(service);
  const { parts } = await informedOf(smtp, "dana@example.com");
  for (const part of parts) assert.match(part, /This task is assigned to lee@example\.com\./);
  assert.match((await smtp.to("pat@example.com")).text ?? "", /email\/action\/tsk_/);
});

const INACTIVE = "inactive: This person was deactivated.";

testOnBoth("who was deactivated is not told, and the task says so from its creation on", async (service, t) => {
  const smtp = await withSender(service, t);
  const gone = await addUser(service, { email: "gone@example.com", slack_team_id: "T1", slack_user_id: "U0GONE" });
  await service.call("DELETE", `/api/users/${gone.id}`);
  const { id } = await service.create({
    notify: ["email:gone@example.com", "email:GONE@example.com", "slack:gone@example.com", "slack+T1:U0GONE"],
  });
  const failed = (await told(service, id)).map(({ action, channel, to, error }) => [action, channel, to, error]);
  assert.deepEqual(failed, [
    ["notification_failed", "email", "gone@example.com", INACTIVE],
    ["notification_failed", "slack", "gone@example.com", INACTIVE],
    ["notification_failed", "slack", "U0GONE", INACTIVE],
  ]);
  await send(service);
  assert.deepEqual(smtp.received, []);
  assert.deepEqual(await service.ctx.db.query.selectFrom("deliveries").selectAll().execute(), []);
});

testOnBoth("who is deactivated before their mail is sent gets none, and the task says so", async (service, t) => {
  const smtp = await withSender(service, t);
  const gone = await addUser(service, { email: "gone@example.com", slack_team_id: "T1", slack_user_id: "U0GONE" });
  const named = { notify: ["email:gone@example.com", "email:lee@example.com"] };
  const first = await service.create(named);
  await service.call("DELETE", `/api/users/${gone.id}`);
  await send(service);
  await service.call("PATCH", `/api/users/${gone.id}`, { body: { active: true } });
  const second = await service.create(named);
  await service.call("PATCH", `/api/users/${gone.id}`, { body: { email: null } });
  await service.call("DELETE", `/api/users/${gone.id}`);
  await send(service);
  assert.deepEqual(new Set(smtp.received.flatMap(({ to }) => to)), new Set(["lee@example.com"]));
  for (const { id } of [first, second]) {
    const failed = (await told(service, id)).filter(({ action }) => action === "notification_failed");
    assert.deepEqual(
      failed.map(({ to, error }) => [to, error]),
      [["gone@example.com", INACTIVE]],
    );
  }
});

testOnBoth("who changes their address before their mail is sent gets a link of their own", async (service, t) => {
  const smtp = await withSender(service, t);
  const user = await addUser(service, { email: "dana@example.com" });
  await service.create({ notify: ["email:dana@example.com"] });
  await service.call("PATCH", `/api/users/${user.id}`, { body: { email: "dana.reyes@example.com" } });
  await send(service);
  assert.match((await smtp.to("dana@example.com")).text ?? "", new RegExp(`email/action/tsk_\\w+\\.${user.id}\\.`));
});

testOnBoth(
  "an answer that was sent back brings a second mail in the same thread",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({
      notify: ["email:dana@example.com"],
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 2 },
    });
    await send(service);
    const body = { response: { approved: true }, completed_by_email: "dana@example.com" };
    const answer = () => service.call("POST", `/api/tasks/${id}/complete`, { body });
    await answer();
    await send(service);
    // The last attempt ends the task: nothing more is asked of anybody.
    await answer();
    await send(service);
    const [first, second, ...more] = smtp.received;
    assert.deepEqual(more, []);
    assert.ok(first && second);
    assert.equal(header(second, "in-reply-to"), header(first, "message-id"));
    assert.equal(header(second, "references"), header(first, "message-id"));
    assert.match(
      (await PostalMime.parse(second.source)).text ?? "",
      /Your next answer is attempt 2 of 2, the last one\./,
    );
    assert.notEqual(header(second, "message-id"), header(first, "message-id"));
    assert.deepEqual(
      (await told(service, id)).map(({ action, purpose }) => [action, purpose]),
      [
        ["notification_sent", "decision"],
        ["notification_sent", "sent_back"],
      ],
    );
  },
  { verify: async () => ({ passed: false, reason: "The note is missing." }), env: { OPENAI_API_KEY: "k" } },
);

const SENDS_BACK = {
  verify: async () => ({ passed: false, reason: "The note is missing." }),
  env: { OPENAI_API_KEY: "k" },
};
const verifier_config = { provider: "openai", instructions: "Check it.", max_attempts: 5 };

testOnBoth(
  "only the person who answered is told that their answer was sent back",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({
      notify: ["email:dana@example.com", "email:mia@example.com"],
      verifier_config,
    });
    await send(service);
    smtp.received.length = 0;
    const answeredBy = async (completed_by_email: string) => {
      const body = { response: { approved: true }, completed_by_email };
      assert.equal((await service.call("POST", `/api/tasks/${id}/complete`, { body })).status, 200);
      await send(service);
    };
    await answeredBy("agent@example.com");
    assert.deepEqual(smtp.received, []);
    await answeredBy("mia@example.com");
    assert.deepEqual(
      smtp.received.map(({ to }) => to),
      [["mia@example.com"]],
    );
    assert.match((await smtp.to("mia@example.com")).text ?? "", /your answer was sent back/);
  },
  SENDS_BACK,
);

testOnBoth(
  "a person who may not answer any more is not asked for a correction",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({ notify: ["email:dana@example.com"], verifier_config });
    await send(service);
    const body = { response: { approved: true }, completed_by_email: "dana@example.com" };
    await service.call("POST", `/api/tasks/${id}/complete`, { body });
    await service.call("POST", `/api/tasks/${id}/assign`, { body: { email: "lee@example.com" } });
    await send(service);
    assert.equal(mailsTo(smtp, "dana@example.com").length, 1);
    const toDana = (await told(service, id)).filter(({ to }) => to === "dana@example.com");
    assert.deepEqual(
      toDana.map(({ action, purpose }) => [action, purpose]),
      [["notification_sent", "decision"]],
    );
  },
  SENDS_BACK,
);

testOnBoth("who is to be told by Slack is said not to have been, as long as there is none", async (service) => {
  const { id } = await service.create({ notify: ["slack:#approvals"] });
  assert.deepEqual(
    (await told(service, id)).map(({ action, channel, to }) => [action, channel, to]),
    [["notification_failed", "slack", "#approvals"]],
  );
});
