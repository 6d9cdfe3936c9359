import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { actionTask } from "../../test/support/actions.ts";
import { person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { startPushService, type PushService } from "../../test/support/push-service.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { News, NotificationChoicesRecord, NotifiedBrowser, NotifiedBrowsers } from "./schema.ts";

const BROWSERS = "/api/auth/me/browsers";
const CHOICES = "/api/auth/me/notifications";

type Call = TestService["call"];

/** A person with a browser in which they are told. */
async function told(service: TestService, pushes: PushService, fields: object = {}) {
  const one = await person(service, fields);
  return { ...one, browser: await addBrowser(one.call, pushes) };
}

async function addBrowser(call: Call, pushes: PushService) {
  const { body } = await call<NotifiedBrowsers>("GET", BROWSERS);
  const { id, endpoint } = pushes.subscribe(body.public_key);
  const added = await call<NotifiedBrowser>("PUT", `${BROWSERS}/${id}`, { body: { endpoint } });
  assert.equal(added.status, 200, added.text);
  return { id, endpoint };
}

/** Lets time pass, and everything that is due then be sent. */
async function deliver({ ctx, clock }: TestService, ms = 6 * SECOND): Promise<void> {
  clock.advance(ms);
  for (let i = 0; i < 4; i++) {
    // Rows for a browser that is being told are looked at again after a second.
    clock.advance(1.1 * SECOND);
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
  }
}

const newsOf = async (call: Call, id: string) => (await call<News>("GET", `${BROWSERS}/${id}/news`)).body;
const choose = (call: Call, body: object) => call<NotificationChoicesRecord>("PATCH", CHOICES, { body });

async function start(t: TestContext, service: TestService) {
  const pushes = await startPushService(t);
  t.after(() => assert.deepEqual(pushes.refused, [], "the push service refused a request"));
  return { pushes, ...(await told(service, pushes)) };
}

testOnBoth("a person is told in their browser of tasks for them, and of no others", async (service, t) => {
  const { pushes, user, call, browser } = await start(t, service);
  const other = await told(service, pushes);
  await service.create();
  await service.create({ assign_to: { user_id: other.user.id } });
  await deliver(service);
  assert.deepEqual(
    pushes.pushed.map(({ endpoint }) => endpoint),
    [other.browser.endpoint],
  );

  const task = await service.create({ assign_to: { user_id: user.id }, priority: "urgent" });
  await deliver(service);
  const last = pushes.pushed.at(-1)!;
  assert.equal(last.endpoint, browser.endpoint);
  assert.equal(last.headers["urgency"], "high");
  assert.deepEqual(await newsOf(call, browser.id), {
    waiting: 1,
    purpose: "decision",
    task: { id: task.id, title: task.task },
    notice: { title: task.task, body: "1 task waits for you.", path: `/tasks/${task.id}` },
  });
});

testOnBoth("what several may take tells each of them, until one has taken it", async (service, t) => {
  const { pushes, user, call } = await start(t, service);
  const other = await told(service, pushes);
  const emails = [user.email!, other.user.email!];
  const task = await service.create({ assign_to: { emails } });
  await deliver(service);
  assert.equal(pushes.pushed.length, 2);
  await service.create({ assign_to: { emails } });
  await call("POST", `/api/tasks/${task.id}/complete`, { body: { response: { approved: true } } });
  await deliver(service, MINUTE);
  assert.equal(pushes.pushed.length, 4);
});

testOnBoth("what an operator gives to one of several notifies that one only", async (service, t) => {
  const { pushes, user } = await start(t, service);
  const other = await told(service, pushes);
  const task = await service.create({ assign_to: { emails: [user.email!, other.user.email!] } });
  const given = await service.call("POST", `/api/tasks/${task.id}/assign`, { body: { user_id: other.user.id } });
  assert.equal(given.status, 200, given.text);
  await deliver(service);
  assert.deepEqual(
    pushes.pushed.map(({ endpoint }) => endpoint),
    [other.browser.endpoint],
  );
});

testOnBoth(
  "what one of several has claimed before the notification goes out is told to them only",
  async (service, t) => {
    const { pushes, user, call, browser } = await start(t, service);
    const other = await told(service, pushes);
    const task = await service.create({ assign_to: { emails: [user.email!, other.user.email!] } });
    assert.equal((await call("POST", `/api/tasks/${task.id}/claim`)).status, 200);
    await deliver(service);
    assert.deepEqual(
      pushes.pushed.map(({ endpoint }) => endpoint),
      [browser.endpoint],
    );
  },
);

testOnBoth(
  "of two who must approve, the one who has decided before the notification is not told",
  async (service, t) => {
    const pushes = await startPushService(t);
    const pool = "approvers";
    const [one, other] = [await told(service, pushes, { pool }), await told(service, pushes, { pool })];
    const body = { ...actionTask(), approvals: { need: 2, from: { pool } } };
    const { body: task } = await service.call<{ id: string }>("POST", "/api/tasks", { body });
    const answer = { body: { response: { decision: "approve" } } };
    const approved = await one.call("POST", `/api/tasks/${task.id}/complete`, answer);
    assert.equal(approved.status, 200, approved.text);
    await deliver(service);
    assert.deepEqual(
      pushes.pushed.map(({ endpoint }) => endpoint),
      [other.browser.endpoint],
    );
  },
);

testOnBoth("what is due at once for a browser that was told before is one notification", async (service, t) => {
  const { pushes, user } = await start(t, service);
  const assigned = () => service.create({ assign_to: { user_id: user.id } });
  await assigned();
  await deliver(service);
  assert.equal(pushes.pushed.length, 1);
  service.clock.advance(MINUTE);
  for (let i = 0; i < 4; i++) await assigned();
  await deliver(service);
  assert.equal(pushes.pushed.length, 2);
});

testOnBoth("what is decided before the notification goes out is not told", async (service, t) => {
  const { pushes, user } = await start(t, service);
  const task = await service.create({ assign_to: { user_id: user.id } });
  await service.call("POST", `/api/tasks/${task.id}/complete`, { body: { response: { approved: true } } });
  await deliver(service);
  assert.equal(pushes.pushed.length, 0);
});

testOnBoth("many tasks at once are one notification, and what comes later is another", async (service, t) => {
  const { pushes, user, call, browser } = await start(t, service);
  const assigned = () => service.create({ assign_to: { user_id: user.id } });
  for (let i = 0; i < 5; i++) await assigned();
  await deliver(service);
  assert.equal(pushes.pushed.length, 1);
  assert.equal((await newsOf(call, browser.id)).waiting, 5);
  await assigned();
  await deliver(service);
  assert.equal(pushes.pushed.length, 1, "half a minute has not passed");
  await deliver(service, MINUTE);
  assert.equal(pushes.pushed.length, 2);
});

testOnBoth("in quiet hours nothing is sent, and at their end one notification tells of all", async (service, t) => {
  const { pushes, user, call } = await start(t, service);
  // It is 12:00 UTC.
  await call("PATCH", "/api/auth/me", { body: { time_zone: "Europe/Berlin" } });
  assert.equal((await choose(call, { quiet_hours: { from: "12:30", until: "14:00" } })).status, 200);
  for (let i = 0; i < 2; i++) await service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
  await deliver(service);
  await deliver(service, 50 * MINUTE);
  assert.equal(pushes.pushed.length, 0);
  await deliver(service, 10 * MINUTE);
  assert.equal(pushes.pushed.length, 1);
});

testOnBoth("a muted project tells nothing, others do", async (service, t) => {
  const { pushes, user, call } = await start(t, service);
  await newProject(service, "noisy");
  await service.call("POST", "/api/projects/noisy/members", { body: { user_id: user.id, role: "member" } });
  await choose(call, { muted_projects: ["noisy"] });
  await service.create({ project: "noisy", assign_to: { user_id: user.id } });
  await deliver(service);
  assert.equal(pushes.pushed.length, 0);
  await service.create({ assign_to: { user_id: user.id } });
  await deliver(service);
  assert.equal(pushes.pushed.length, 1);
});

testOnBoth("a confidential task has no title, and an answer to a question is told", async (service, t) => {
  const { pushes, user, call, browser } = await start(t, service);
  const task = await service.create({ assign_to: { user_id: user.id }, redact_payload: true });
  await deliver(service);
  assert.equal((await newsOf(call, browser.id)).task?.title, null);
  const path = `/api/tasks/${task.id}/comments`;
  const question = await call<{ id: string }>("POST", path, { body: { text: "Which one?", kind: "question" } });
  await deliver(service, MINUTE);
  assert.equal(pushes.pushed.length, 1, "a person is not told of what they wrote");
  await service.call("POST", path, { body: { text: "The second.", reply_to: question.body.id } });
  await deliver(service, MINUTE);
  assert.equal(pushes.pushed.length, 2);
  assert.equal((await newsOf(call, browser.id)).purpose, "commented");
});

testOnBoth(
  "a snoozed task notifies no one who snoozed it, and does not count, until it is back",
  async (service, t) => {
    const { pushes, user, call, browser } = await start(t, service);
    const task = await service.create({ assign_to: { user_id: user.id }, timeout_seconds: 86_400 });
    await deliver(service);
    const path = `/api/tasks/${task.id}`;
    await call("POST", `${path}/comments`, { body: { text: "I look at it later." } });
    const until = new Date(service.clock.now() + 3 * 3_600_000).toISOString();
    assert.equal((await call("PUT", `${path}/snooze`, { body: { until } })).status, 200);
    await service.call("POST", `${path}/comments`, { body: { text: "No hurry." } });
    await deliver(service, MINUTE);
    assert.equal(pushes.pushed.length, 1);
    assert.equal((await newsOf(call, browser.id)).waiting, 0);
    await call("DELETE", `${path}/snooze`);
    await service.call("POST", `${path}/comments`, { body: { text: "Now?" } });
    await deliver(service, MINUTE);
    assert.equal(pushes.pushed.length, 2);
    assert.equal((await newsOf(call, browser.id)).waiting, 1);
  },
);

testOnBoth("a push service that is down is tried again, and its failure is shown", async (service, t) => {
  const { pushes, user, call, browser } = await start(t, service);
  const failureOf = async () => (await call<NotifiedBrowsers>("GET", BROWSERS)).body.browsers[0]?.failure;
  pushes.fail(503, { "retry-after": "120" });
  await service.create({ assign_to: { user_id: user.id } });
  await deliver(service);
  assert.match((await failureOf())!, /^http_status: The receiver answered 503/);
  pushes.fail(null);
  await deliver(service, MINUTE);
  assert.equal(pushes.pushed.length, 0, "it asked for two minutes");
  await deliver(service, 2 * MINUTE);
  assert.equal(pushes.pushed.length, 1);
  assert.equal(await failureOf(), null);
  // The browser is gone: its person has removed the permission.
  pushes.fail(410);
  await service.create({ assign_to: { user_id: user.id } });
  await deliver(service, MINUTE);
  assert.equal(await failureOf(), undefined);
  assert.equal((await call("GET", `${BROWSERS}/${browser.id}/news`)).status, 404);
});

testOnBoth("a browser is added once, tested, given to the next person who uses it, and removed", async (service, t) => {
  const { pushes, call, browser } = await start(t, service);
  const path = `${BROWSERS}/${browser.id}`;
  const put = (as: Call) => as("PUT", path, { body: { endpoint: browser.endpoint } });
  assert.equal((await put(call)).status, 200);
  const tested = await call<NotifiedBrowser>("POST", `${path}/test`);
  assert.equal(tested.body.failure, null);
  assert.equal(pushes.pushed.length, 1);
  assert.deepEqual(await newsOf(call, browser.id), {
    waiting: 0,
    purpose: "test",
    task: null,
    notice: { title: "Notifications work in this browser", body: "You are all caught up.", path: "/inbox" },
  });

  const other = await person(service);
  for (const method of ["GET", "POST", "DELETE"] as const) {
    const what = { GET: "/news", POST: "/test", DELETE: "" }[method];
    assert.equal((await other.call(method, `${path}${what}`)).status, 404, method);
  }
  assert.equal((await put(other.call)).status, 200);
  assert.deepEqual((await call<NotifiedBrowsers>("GET", BROWSERS)).body.browsers, []);
  assert.equal((await other.call("DELETE", path)).status, 204);
  assert.equal((await other.call("DELETE", path)).status, 404);
});

testOnBoth("addresses that no browser has, and choices that make no sense, are refused", async (service) => {
  const { call } = await person(service);
  const idOf = (endpoint: string) => createHash("sha256").update(endpoint).digest("hex");
  const put = async (endpoint: string, id = idOf(endpoint)) => {
    const { status, body } = await call<{ details: { path: string }[] }>("PUT", `${BROWSERS}/${id}`, {
      body: { endpoint },
    });
    return `${status} ${body.details?.[0]?.path}`;
  };
  assert.equal(await put("ftp://example.com/x"), "422 /endpoint");
  assert.equal(await put("http://push.example.com/x"), "422 /endpoint");
  assert.equal(await put("https://push.example.com/x", "0".repeat(64)), "422 /endpoint");
  assert.equal(await put("https://169.254.169.254/x"), "422 /endpoint");
  for (const body of [
    { quiet_hours: { from: "9:00", until: "10:00" } },
    { quiet_hours: { from: "24:00", until: "10:00" } },
    { quiet_hours: { from: "09:00", until: "09:00" } },
    { digest: "weekly" },
    { muted_projects: "all" },
  ])
    assert.ok([400, 422].includes((await choose(call, body)).status), JSON.stringify(body));

  const chosen = { quiet_hours: { from: "22:00", until: "07:00" }, muted_projects: ["b", "a", "b"] };
  assert.deepEqual((await choose(call, chosen)).body, {
    quiet_hours: chosen.quiet_hours,
    muted_projects: ["a", "b"],
    digest: "off",
    digest_time: "08:00",
    can_email: false,
  });
  assert.equal((await choose(call, { quiet_hours: null })).body.quiet_hours, null);
  assert.deepEqual((await call<NotificationChoicesRecord>("GET", CHOICES)).body.muted_projects, ["a", "b"]);
  // Choices are of people.
  assert.equal((await service.call("GET", CHOICES)).status, 403);
});
