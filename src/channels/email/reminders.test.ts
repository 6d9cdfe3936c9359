import assert from "node:assert/strict";
import { header, mailsTo, send, told, withSender } from "../../../test/support/mail.ts";
import { actionTask } from "../../../test/support/actions.ts";
import { person } from "../../../test/support/people.ts";
import { testOnBoth } from "../../../test/support/service.ts";
import { SECOND } from "../../lib/time.ts";
import { takeDueSteps } from "../../tasks/escalating.ts";
import type { AuditEntryRecord, TaskRecord } from "../../tasks/schema.ts";

const HOUR_SECONDS = 3600;
const DANA = "dana@example.com";
const LEE = "lee@example.com";

testOnBoth(
  "a task that was mailed has one reminder at a quarter of its time left, in the same thread",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id, escalation } = await service.create({
      task: "Refund?",
      notify: [`email:${DANA}`],
      timeout_seconds: HOUR_SECONDS,
    });
    assert.deepEqual(
      escalation.map(({ do: kind, after }) => [kind, after]),
      [["remind", { fraction: 0.75 }]],
    );
    await send(service);
    service.clock.advance(0.75 * HOUR_SECONDS * SECOND);
    await takeDueSteps(service.ctx);
    await send(service);
    const [first, reminder, ...more] = mailsTo(smtp, DANA);
    assert.equal(more.length, 0);
    assert.equal(header(reminder!, "subject"), "Reminder: Refund?");
    assert.equal(header(reminder!, "in-reply-to"), header(first!, "message-id"));
    assert.notEqual(header(reminder!, "message-id"), header(first!, "message-id"));
    assert.deepEqual(
      (await told(service, id)).map(({ purpose }) => purpose),
      ["decision", "reminder"],
    );
  },
);

testOnBoth(
  "there is no reminder where the request says so, nor for a task of less than half an hour",
  async (service) => {
    const notify = [`email:${DANA}`];
    assert.deepEqual((await service.create({ notify, timeout_seconds: HOUR_SECONDS, escalation: [] })).escalation, []);
    assert.deepEqual(
      (await service.create({ notify, timeout_seconds: 1799, idempotency_key: "short" })).escalation,
      [],
    );
    assert.deepEqual(
      (await service.create({ timeout_seconds: HOUR_SECONDS, idempotency_key: "untold" })).escalation,
      [],
    );
  },
);

testOnBoth(
  "whoever answered, or cannot answer any more, is not reminded; the assignee is, once",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const ada = await person(service, { email: "ada@example.com" });
    const { id } = await service.create({
      notify: [`email:${DANA}`],
      timeout_seconds: HOUR_SECONDS,
      escalation: [{ after: 600, do: "remind" }],
    });
    const own = await service.create({
      idempotency_key: "own",
      notify: [`email:${ada.user.email}`],
      timeout_seconds: HOUR_SECONDS,
      escalation: [{ after: 600, do: "remind" }],
    });
    assert.equal(own.assigned_to_user_id, ada.user.id);
    await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: ada.user.id } });
    await send(service);
    smtp.received.length = 0;
    service.clock.advance(600 * SECOND);
    await takeDueSteps(service.ctx);
    await send(service);
    assert.equal(mailsTo(smtp, DANA).length, 0);
    assert.equal(mailsTo(smtp, ada.user.email!).length, 2);
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  },
);

testOnBoth(
  "a step tells more people, and who is told may answer a task that is for those who are told",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const lee = await person(service, { email: LEE });
    const { id } = await service.create({
      notify: [`email:${DANA}`, "email:other@example.com"],
      timeout_seconds: HOUR_SECONDS,
      escalation: [
        { after: 600, do: "notify", to: [`email:${LEE}`, `email:${DANA}`] },
        { after: 1200, do: "remind" },
      ],
    });
    await send(service);
    const complete = () =>
      lee.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    assert.equal((await complete()).status, 403);
    service.clock.advance(600 * SECOND);
    await takeDueSteps(service.ctx);
    await send(service);
    assert.deepEqual([mailsTo(smtp, LEE).length, mailsTo(smtp, DANA).length], [1, 1]);
    service.clock.advance(600 * SECOND);
    await takeDueSteps(service.ctx);
    await send(service);
    assert.deepEqual([mailsTo(smtp, LEE).length, mailsTo(smtp, DANA).length], [2, 2]);
    assert.equal((await complete()).body.completed_by_email, LEE);
  },
);

testOnBoth("a step whose message cannot be sent happens all the same, and the trail says why", async (service) => {
  const { id } = await service.create({
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: 600, do: "notify", to: [`email:${LEE}`] },
      { after: 601, do: "raise" },
    ],
  });
  service.clock.advance(700 * SECOND);
  await takeDueSteps(service.ctx);
  const [failed] = await told(service, id);
  assert.equal(failed!.action, "notification_failed");
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.urgent, true);
});

testOnBoth("reminders that were missed are one", async (service, t) => {
  const smtp = await withSender(service, t);
  await service.create({
    notify: [`email:${DANA}`],
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: 600, do: "remind" },
      { after: 601, do: "remind" },
    ],
  });
  await send(service);
  service.clock.advance(700 * SECOND);
  await takeDueSteps(service.ctx);
  await send(service);
  assert.equal(mailsTo(smtp, DANA).length, 2);
});

testOnBoth("reminders that were missed are one also where it cannot be sent", async (service) => {
  const { id } = await service.create({
    notify: [`email:${DANA}`],
    timeout_seconds: HOUR_SECONDS,
    escalation: [
      { after: 600, do: "remind" },
      { after: 601, do: "remind" },
    ],
  });
  const before = (await told(service, id)).length;
  service.clock.advance(700 * SECOND);
  await takeDueSteps(service.ctx);
  assert.equal((await told(service, id)).length, before + 1);
});

testOnBoth("of people who must approve, those who have not decided are reminded", async (service, t) => {
  const smtp = await withSender(service, t);
  const [ada, ben] = [
    await person(service, { email: "ada@example.com" }),
    await person(service, { email: "ben@example.com" }),
  ];
  const emails = [ada.user.email!, ben.user.email!];
  const { body } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: actionTask({
      approvals: { need: 2, from: { emails } },
      notify: emails.map((email) => `email:${email}`),
      timeout_seconds: HOUR_SECONDS,
      escalation: [{ after: 600, do: "remind" }],
    }),
  });
  await send(service);
  await ada.call("POST", `/api/tasks/${body.id}/complete`, { body: { response: { decision: "approve" } } });
  smtp.received.length = 0;
  service.clock.advance(600 * SECOND);
  await takeDueSteps(service.ctx);
  await send(service);
  assert.deepEqual(
    emails.map((email) => mailsTo(smtp, email).length),
    [0, 1],
  );
});

testOnBoth(
  "a step and the messages that it owes are stored together, or not at all, and then once",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { id } = await service.create({
      timeout_seconds: HOUR_SECONDS,
      escalation: [
        { after: 600, do: "raise" },
        { after: 600, do: "notify", to: [`email:${LEE}`] },
      ],
    });
    const stored = async () => {
      const { urgent, escalation } = (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
      const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
      const steps = trail.filter(({ action }) => action === "escalated").length;
      return { urgent, done: escalation.map(({ done_at }) => done_at !== null), steps };
    };
    service.clock.advance(600 * SECOND);
    const enqueue = () => Promise.reject(new Error("the process ends here"));
    await assert.rejects(
      takeDueSteps({ db: service.ctx.db, notifier: { ...service.ctx.notifier, enqueue } }),
      /the process ends here/,
    );
    assert.deepEqual(await stored(), { urgent: false, done: [false, false], steps: 0 });
    for (const taken of [1, 0]) {
      assert.equal(await takeDueSteps(service.ctx), taken);
      await send(service);
      assert.deepEqual(await stored(), { urgent: true, done: [true, true], steps: 2 });
      assert.equal(mailsTo(smtp, LEE).length, 1);
    }
  },
);
