import assert from "node:assert/strict";
import { header, mailsTo, send, withSender } from "../../test/support/mail.ts";
import { addUser, person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { DAY, HOUR, MINUTE } from "../lib/time.ts";
import { enqueueDueDigests } from "./digests.ts";

const choose = async (call: TestService["call"], body: object) =>
  assert.equal((await call("PATCH", "/api/auth/me/notifications", { body })).status, 200);

/** Lets time pass, and the digests that are due then be sent. */
async function pass(service: TestService, ms: number): Promise<void> {
  service.clock.advance(ms);
  await enqueueDueDigests(service.ctx);
  await send(service);
}

testOnBoth(
  "a daily digest lists what waits, the soonest first, at the chosen time of the person's day",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { user, call } = await person(service, { email: "dana@example.com" });
    await call("PATCH", "/api/auth/me", { body: { time_zone: "Europe/Berlin" } });
    const other = await addUser(service);
    // It is 13:00 in Berlin.
    await choose(call, { digest: "daily", digest_time: "15:30" });
    const assign_to = { user_id: user.id };
    const day = DAY / 1000;
    await service.create({ task: "Later\nwith more", assign_to, timeout_seconds: 3 * day });
    await service.create({ task: "Sooner <b>", assign_to, timeout_seconds: day });
    await service.create({ task: "Secret", assign_to, timeout_seconds: 2 * day, redact_payload: true });
    await service.create({ task: "Of another", assign_to: { user_id: other.id }, timeout_seconds: day });
    await pass(service, 2 * HOUR);
    assert.equal(smtp.received.length, 0);
    await pass(service, 31 * MINUTE);
    const [mail, ...more] = mailsTo(smtp, "dana@example.com");
    assert.equal(more.length, 0);
    assert.equal(header(mail!, "Subject"), "3 tasks wait for you");
    assert.equal(header(mail!, "Auto-Submitted"), "auto-generated");
    // Parsed as a mail program does.
    const { text, html } = await smtp.to("dana@example.com");
    assert.ok(text && html);
    assert.match(text.replaceAll(/\s+/g, " "), /Sooner <b> · 12\.5 · Dana.+A confidential task.+Later with more/);
    assert.doesNotMatch(text, /Secret|Of another/);
    assert.match(html, /Sooner &lt;b&gt;/);
    assert.match(text, /\/inbox\n/);
    assert.match(text, /\/settings\/notifications/);

    // The next day it says what is left; then nothing is.
    const tasks = (await call<{ id: string }[]>("GET", "/api/tasks")).body;
    await pass(service, DAY - HOUR);
    assert.equal(smtp.received.length, 1);
    await pass(service, HOUR);
    assert.equal(header(smtp.received[1]!, "Subject"), "2 tasks wait for you");
    for (const { id } of tasks) await service.call("DELETE", `/api/tasks/${id}`);
    await pass(service, DAY);
    assert.equal(smtp.received.length, 2);
  },
);

testOnBoth(
  "an hourly digest comes only if something has come in that hour, and none after it is turned off",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { user, call } = await person(service);
    const create = () => service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
    await choose(call, { digest: "hourly" });
    await create();
    await pass(service, HOUR);
    await pass(service, HOUR);
    assert.equal(smtp.received.length, 1);
    await create();
    await pass(service, HOUR);
    assert.equal(header(smtp.received[1]!, "Subject"), "2 tasks wait for you");
    await create();
    await choose(call, { digest: "off" });
    await pass(service, HOUR);
    assert.equal(smtp.received.length, 2);
  },
);

testOnBoth("two processes make one digest, and one that is turned off before it is sent is not", async (service, t) => {
  const smtp = await withSender(service, t);
  const { user, call } = await person(service);
  await choose(call, { digest: "hourly" });
  await service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
  service.clock.advance(HOUR);
  await Promise.all([enqueueDueDigests(service.ctx), enqueueDueDigests(service.ctx)]);
  await send(service);
  assert.equal(smtp.received.length, 1);
  await service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
  service.clock.advance(HOUR);
  await enqueueDueDigests(service.ctx);
  await choose(call, { digest: "off" });
  await send(service);
  assert.equal(smtp.received.length, 1);
});

testOnBoth("muted projects are left out, and people who left or have no sender get none", async (service, t) => {
  const { user, call } = await person(service);
  await choose(call, { digest: "hourly" });
  const create = () => service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
  await create();
  await pass(service, HOUR);
  const smtp = await withSender(service, t);
  const has = async () => (await call<{ can_email: boolean }>("GET", "/api/auth/me/notifications")).body.can_email;
  assert.equal(await has(), true);
  await choose(call, { muted_projects: ["default"] });
  await create();
  await pass(service, HOUR);
  assert.equal(smtp.received.length, 0);
  await choose(call, { muted_projects: [] });
  await create();
  await service.call("DELETE", `/api/users/${user.id}`);
  await pass(service, HOUR);
  assert.equal(smtp.received.length, 0);
});
