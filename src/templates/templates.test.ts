import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent } from "../../test/support/agents.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { SECOND } from "../lib/time.ts";
import { takeDueSteps } from "../tasks/escalating.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { TemplateRecord } from "./schema.ts";

const STEPS = [
  { after: 7200, do: "remind" },
  { after: { fraction: 0.75 }, do: "offer", to: { pool: "finance" } },
];
/** Two closed days after a Saturday at noon, which is when tests begin. */
const OFFICE = { time_zone: "UTC", hours: { mon: [["09:00", "17:00"]], tue: [["09:00", "17:00"]] } };

const set = ({ call }: Pick<TestService, "call">, name: string, body: object) =>
  call<TemplateRecord>("PUT", `/api/escalations/${name}`, { body });

const ask = ({ call }: Pick<TestService, "call">, fields: object) =>
  call<TaskRecord & { error_code: string; details: { path: string; message: string }[] }>("POST", "/api/tasks", {
    body: { ...newTaskBody(), timeout_seconds: 86_400, ...fields },
  });

testOnBoth("a task chooses a template by its name, and keeps its steps when the template changes", async (service) => {
  const { body: template, status } = await set(service, "usual", { steps: STEPS });
  const full = STEPS.map((step) => ({ calendar: null, to: null, ...step }));
  assert.deepEqual([status, template.name, template.project, template.is_built_in], [201, "usual", "default", false]);
  assert.deepEqual(template.steps, full);
  assert.deepEqual((await service.call("GET", "/api/escalations/usual")).body, template);
  const { body: task } = await ask(service, { escalation: "usual" });
  const stepsOf = ({ escalation }: TaskRecord) => escalation.map(({ do: kind, after }) => ({ do: kind, after }));
  const asked = STEPS.map(({ do: kind, after }) => ({ do: kind, after }));
  assert.deepEqual(stepsOf(task), asked);
  assert.equal((await set(service, "usual", { steps: [{ after: 60, do: "raise" }] })).status, 200);
  assert.equal((await service.call("DELETE", "/api/escalations/usual")).status, 204);
  const { body: after } = await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`);
  assert.deepEqual(stepsOf(after), asked);
  const again = {
    ...newTaskBody(),
    timeout_seconds: 86_400,
    idempotency_key: task.idempotency_key,
    escalation: "usual",
  };
  const replayed = await service.call<TaskRecord>("POST", "/api/tasks", { body: again });
  assert.deepEqual([replayed.body.id, replayed.headers["idempotent-replayed"]], [task.id, "true"]);
});

testOnBoth("`standard` is there from the start, and a project can have its own", async (service) => {
  const list = async () => (await service.call<TemplateRecord[]>("GET", "/api/escalations")).body;
  assert.deepEqual(
    (await list()).map(({ name, is_built_in }) => [name, is_built_in]),
    [["standard", true]],
  );
  assert.equal((await ask(service, { escalation: "standard" })).body.escalation.length, 3);
  await set(service, "standard", { steps: STEPS });
  assert.deepEqual(
    (await list()).map(({ name, is_built_in, steps }) => [name, is_built_in, steps.length]),
    [["standard", false, 2]],
  );
  assert.equal((await service.call("DELETE", "/api/escalations/standard")).status, 204);
  assert.equal((await service.call("DELETE", "/api/escalations/standard")).status, 404);
  assert.equal((await list())[0]!.is_built_in, true);
});

testOnBoth("a name that is no template is refused with the names that are, up to twenty", async (service) => {
  const said = async () => (await ask(service, { escalation: "hurry" })).body.details[0]!.message;
  assert.equal(await said(), 'There is no template "hurry" in this project. It has standard.');
  for (const name of ["standard", "payments"]) await set(service, name, { steps: STEPS });
  assert.match(await said(), /It has payments and standard\.$/);
  for (let more = 0; more < 20; more += 1) await set(service, `a-${String(more).padStart(2, "0")}`, { steps: STEPS });
  assert.match(await said(), /It has a-00, .*, a-18, a-19 and others\.$/);
});

testOnBoth("steps that cannot be meant are refused, with their place", async (service) => {
  const refused: [escalation: unknown, path: string][] = [
    ["unknown", "/escalation"],
    [[{ after: 86_400, do: "raise" }], "/escalation/0/after"],
    [[{ after: 0, do: "raise" }], "/escalation/0/after"],
    [[{ after: { fraction: 1 }, do: "raise" }], "/escalation/0/after/fraction"],
    [[{ after: { part: 0.5 }, do: "raise" }], "/escalation/0/after/fraction"],
    [[{ after: 60, do: "shout" }], "/escalation/0/do"],
    [[{ after: 60, do: "raise", to: { pool: "finance" } }], "/escalation/0/to"],
    [[{ after: 60, do: "notify" }], "/escalation/0/to"],
    [[{ after: 60, do: "notify", to: [] }], "/escalation/0/to"],
    [[{ after: 60, do: "notify", to: ["pigeon:dana"] }], "/escalation/0/to/0"],
    [[{ after: 60, do: "offer", to: ["email:dana@example.com"] }], "/escalation/0/to"],
    [[{ after: 60, do: "offer", to: { pools: "finance" } }], "/escalation/0/to/pools"],
    [[{ after: 60, do: "assign", to: { emails: ["a@example.com", "b@example.com"] } }], "/escalation/0/to/emails"],
    [[{ after: 60, do: "raise", calendar: "none" }], "/escalation/0/calendar"],
    [Array.from({ length: 11 }, () => ({ after: 60, do: "raise" })), "/escalation"],
    [7, "/escalation"],
  ];
  for (const [escalation, path] of refused) {
    const { status, body } = await ask(service, { escalation });
    assert.ok(status === 422 || status === 400, JSON.stringify(escalation));
    assert.equal(body.details[0]!.path, path, JSON.stringify(body));
  }
  const { body } = await ask(service, { on_timeout: { response: { approved: "perhaps" } } });
  assert.equal(body.details[0]!.path, "/on_timeout/response/approved");
  const ownPath = await set(service, "usual", { steps: [{ after: 60, do: "notify" }] });
  assert.equal((ownPath.body as unknown as { details: { path: string }[] }).details[0]!.path, "/steps/0/to");
});

testOnBoth(
  "where certain people must approve, no step brings in others, and silence does not approve",
  async (service) => {
    const approvals = { need: 2, from: { pool: "finance" } };
    await service.call("POST", "/api/users", { body: { email: "a@example.com", pool: "finance" } });
    await service.call("POST", "/api/users", { body: { email: "b@example.com", pool: "finance" } });
    const send = (fields: object) =>
      service.call<{ details: { path: string }[] }>("POST", "/api/tasks", {
        body: actionTask({ approvals, ...fields }),
      });
    for (const kind of ["offer", "assign"]) {
      const steps = [{ after: 60, do: kind, to: { pool: "desk" } }];
      const own = await send({ escalation: steps });
      assert.deepEqual([own.status, own.body.details[0]!.path], [422, "/escalation/0/do"]);
      await set(service, kind, { steps });
      const named = await send({ escalation: kind });
      assert.deepEqual([named.status, named.body.details[0]!.path], [422, "/escalation"]);
    }
    for (const response of [{ decision: "approve" }, { decision: "edit", args: { amount: 1, to: { name: "Mia" } } }]) {
      const { status, body } = await send({ on_timeout: { response } });
      assert.deepEqual([status, body.details[0]!.path], [422, "/on_timeout/response"]);
    }
    assert.equal((await send({ on_timeout: { response: { decision: "reject" } } })).status, 201);
  },
);

testOnBoth("an agent that may not ask someone cannot have a step ask them", async (service) => {
  const recipients = { mode: "list", domains: ["example.com"] };
  const agent = await newAgent(service, { recipients });
  const steps = [
    { after: 60, do: "notify", to: ["email:dana@example.com", "email:mallory@evil.example"] },
    { after: 90, do: "assign", to: { email: "mallory@evil.example" } },
    { after: 95, do: "offer", to: { emails: ["dana@example.com", "mallory@evil.example"] } },
  ];
  const { status, body } = await ask(agent, { escalation: steps });
  assert.deepEqual([status, body.error_code], [422, "RECIPIENT_NOT_ALLOWED"]);
  assert.deepEqual(
    body.details.map(({ path }) => path),
    ["/escalation/0/to/1", "/escalation/1/to/email", "/escalation/2/to/emails/1"],
  );
});

testOnBoth(
  "a step with a calendar counts open time, and waits longer if the calendar is closed meanwhile",
  async (service) => {
    const office = (closed: string[]) => service.call("PUT", "/api/calendars/office", { body: { ...OFFICE, closed } });
    await office([]);
    const { body: task } = await ask(service, {
      timeout_seconds: 20 * 86_400,
      escalation: [{ after: 3600, calendar: "office", do: "raise" }],
    });
    assert.equal(task.escalation[0]!.at, "2026-02-02T10:00:00.000Z");
    assert.equal((await service.call("DELETE", "/api/calendars/office")).status, 409);
    await office(["2026-02-02"]);
    const read = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body;
    service.clock.advance(Date.parse("2026-02-02T10:00:00Z") - service.clock.now());
    await takeDueSteps(service.ctx);
    assert.deepEqual([(await read()).urgent, (await read()).next_step?.at], [false, "2026-02-03T10:00:00.000Z"]);
    service.clock.advance(86_400 * SECOND);
    await takeDueSteps(service.ctx);
    assert.equal((await read()).urgent, true);
    assert.equal((await service.call("DELETE", "/api/calendars/office")).status, 204);
  },
);

testOnBoth(
  "a calendar that a template names is in use, and a share of the time is one of the open time",
  async (service) => {
    await service.call("PUT", "/api/calendars/office", { body: OFFICE });
    await set(service, "office-hours", { steps: [{ after: { fraction: 0.5 }, calendar: "office", do: "remind" }] });
    assert.equal((await service.call("DELETE", "/api/calendars/office")).status, 409);
    // From Saturday noon to Wednesday noon there are two days of eight hours.
    const { body } = await ask(service, { timeout_seconds: 4 * 86_400, escalation: "office-hours" });
    assert.equal(body.escalation[0]!.at, "2026-02-02T17:00:00.000Z");
  },
);

testOnBoth("a step whose calendar was deleted all the same keeps its time", async (service) => {
  await service.call("PUT", "/api/calendars/office", { body: OFFICE });
  const { body: task } = await ask(service, {
    timeout_seconds: 20 * 86_400,
    escalation: [{ after: 3600, calendar: "office", do: "raise" }],
  });
  await service.ctx.db.write((tx) => tx.query.deleteFrom("calendars").where("name", "=", "office").execute());
  service.clock.advance(Date.parse(task.escalation[0]!.at) - service.clock.now());
  assert.equal(await takeDueSteps(service.ctx), 1);
  assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body.urgent, true);
});
