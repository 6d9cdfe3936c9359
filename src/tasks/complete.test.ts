import assert from "node:assert/strict";
import { after } from "node:test";
import { startVendors } from "../../test/support/vendors.ts";
import { test } from "node:test";
import * as fc from "fast-check";
import { person } from "../../test/support/people.ts";
import { testOnBoth, newTaskBody, startTestService, type TestService } from "../../test/support/service.ts";
import { ServiceError } from "../errors.ts";
import type { Verify } from "../verifier/verify.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "./schema.ts";

const verifier_config = { provider: "openai", instructions: "Is there a receipt?", max_attempts: 2 };
const answer = (approved: boolean, more: object = {}) => ({ body: { response: { approved }, ...more } });

const complete = (service: TestService, id: string, options = answer(true)) =>
  service.call<TaskRecord & { error_code: string; details?: { path: string }[] }>(
    "POST",
    `/api/tasks/${id}/complete`,
    options,
  );
const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const trail = async ({ call }: TestService, id: string) =>
  (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body;
const actions = async (service: TestService, id: string) => (await trail(service, id)).map(({ action }) => action);

async function owed({ ctx }: TestService, id: string): Promise<Record<string, unknown>[]> {
  const rows = await ctx.db.query
    .selectFrom("deliveries")
    .innerJoin("delivery_bodies", (join) =>
      join.onRef("delivery_id", "=", "deliveries.id").onRef("delivery_bodies.home", "=", "deliveries.home"),
    )
    .select(["deliveries.status", "deliveries.destination", "delivery_bodies.body"])
    .where("task_id", "=", id)
    .execute();
  return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as unknown }));
}

testOnBoth("a valid answer completes the task, is stored, and is stamped as the admin token says", async (service) => {
  const { id } = await service.create();
  service.clock.advance(90_000);
  const done = await complete(
    service,
    id,
    answer(true, { completed_by_email: "dana@example.com", completed_via_channel: "sms" }),
  );
  assert.equal(done.status, 200);
  assert.equal(done.body.status, "completed");
  assert.deepEqual(done.body.response, { approved: true });
  assert.equal(done.body.completed_at, "2026-01-31T12:01:30.000Z");
  assert.equal(done.body.completed_by_email, "dana@example.com");
  assert.equal(done.body.completed_via_channel, "sms");
  assert.deepEqual(await read(service, id), done.body);
});

testOnBoth("without an override nobody and no channel is stamped", async (service) => {
  const { id } = await service.create();
  const { body } = await complete(service, id);
  assert.equal(body.completed_by_email, null);
  assert.equal(body.completed_by_user_id, null);
  assert.equal(body.completed_via_channel, null);
});

testOnBoth(
  "an answer that does not fit its schema is 422, names the field, and leaves the task open",
  async (service) => {
    const { id } = await service.create({
      response_schema: {
        type: "object",
        properties: { approved: { type: "boolean" }, when: { type: "string", format: "date" } },
        required: ["approved"],
        additionalProperties: false,
      },
    });
    const send = async (response: unknown) => {
      const { status, body } = await service.call<{ error_code: string; details: { path: string; keyword: string }[] }>(
        "POST",
        `/api/tasks/${id}/complete`,
        { body: { response } },
      );
      return [status, body.error_code, ...(body.details ?? []).map(({ path, keyword }) => `${path} ${keyword}`)];
    };
    assert.deepEqual(await send({ approved: "yes" }), [422, "VALIDATION_FAILED", "/response/approved type"]);
    assert.deepEqual(await send({}), [422, "VALIDATION_FAILED", "/response required"]);
    assert.deepEqual(await send({ approved: true, when: "tomorrow" }), [
      422,
      "VALIDATION_FAILED",
      "/response/when format",
    ]);
    assert.deepEqual(await send({ approved: true, "a/b": 1 }), [
      422,
      "VALIDATION_FAILED",
      "/response/a~1b additionalProperties",
    ]);
    assert.deepEqual(await send([]), [400, "MALFORMED_REQUEST", "/response type"]);
    assert.deepEqual(await send(null), [400, "MALFORMED_REQUEST", "/response type"]);
    assert.deepEqual(await actions(service, id), ["created"]);
    assert.equal((await read(service, id)).status, "created");
  },
);

testOnBoth("a task that has ended takes no answer and no cancellation", async (service) => {
  const { id } = await service.create();
  assert.equal((await complete(service, id)).status, 200);
  const again = await complete(service, id, answer(false));
  assert.equal(again.status, 409);
  assert.equal(again.body.error_code, "TASK_ALREADY_TERMINAL");
  const invalid = await service.call<{ error_code: string }>("POST", `/api/tasks/${id}/complete`, {
    body: { response: {} },
  });
  assert.equal(
    invalid.body.error_code,
    "TASK_ALREADY_TERMINAL",
    "that it is over is said before what is wrong with the answer",
  );
  assert.equal((await service.call("POST", `/api/tasks/${id}/cancel`)).status, 409);
  assert.deepEqual((await read(service, id)).response, { approved: true });
});

testOnBoth("an answer at or after the deadline is refused even before the timeout is written down", async (service) => {
  const { id } = await service.create({ timeout_seconds: 60 });
  service.clock.advance(59_999);
  const inTime = await service.create({ timeout_seconds: 60 });
  service.clock.advance(1);
  const late = await complete(service, id);
  assert.equal(late.status, 409);
  assert.equal(late.body.error_code, "TASK_ALREADY_TERMINAL");
  assert.equal((await read(service, id)).status, "created");
  assert.equal((await complete(service, inTime.id)).status, 200);
});

testOnBoth(
  "the verifier is not asked about an answer that comes too late",
  async (service) => {
    const { id } = await service.create({ timeout_seconds: 60, verifier_config });
    service.clock.advance(60_000);
    assert.equal((await complete(service, id)).body.error_code, "TASK_ALREADY_TERMINAL");
  },
  {
    verify: async () => {
      throw new Error("it was asked");
    },
  },
);

testOnBoth("a task whose time has run out times out, once, with its callback owed", async (service) => {
  const { id } = await service.create({ timeout_seconds: 60, callback_url: "http://127.0.0.1:9/hook" });
  const other = await service.create({ timeout_seconds: 61 });
  service.clock.advance(60_000);
  assert.equal(await timeOutDueTasks(service.ctx), 1);
  assert.equal(await timeOutDueTasks(service.ctx), 0);
  const task = await read(service, id);
  assert.equal(task.status, "timed_out");
  assert.equal(task.timed_out_at, "2026-01-31T12:01:00.000Z");
  assert.equal(task.completed_at, null);
  assert.deepEqual(
    (await trail(service, id)).map(({ action, actor_type }) => `${action} ${actor_type}`),
    ["created agent", "timed_out system"],
  );
  assert.equal((await owed(service, id)).length, 1);
  assert.equal((await read(service, other.id)).status, "created");
});

testOnBoth(
  "cancelling ends the task and says when, by whom and why: record, poll, callback, trail",
  async (service) => {
    // Redaction is about what people review and answer, never about why a task was withdrawn.
    const fields = { redact_payload: true, callback_url: "http://127.0.0.1:9/hook" };
    const { id } = await service.create(fields);
    const cancelled = await service.call<TaskRecord>("POST", `/api/tasks/${id}/cancel`, {
      body: { reason: "Duplicate" },
    });
    assert.equal(cancelled.status, 200);
    assert.equal(cancelled.body.status, "cancelled");
    const at = "2026-01-31T12:00:00.000Z";
    const said = { cancelled_at: at, cancelled_by: null, cancel_reason: "Duplicate" };
    const polled = (await service.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=0`)).body;
    const [listed] = (await service.call<TaskRecord[]>("GET", "/api/tasks?status=cancelled")).body;
    const [callback] = await owed(service, id);
    for (const told of [cancelled.body, await read(service, id), polled, listed, callback?.["body"] as PollResult])
      assert.partialDeepStrictEqual(told, said);

    const op = await person(service, { is_operator: true });
    const theirs = await service.create();
    await op.call("POST", `/api/tasks/${theirs.id}/cancel`);
    const { cancelled_by, cancel_reason } = await read(service, theirs.id);
    assert.deepEqual([cancelled_by, cancel_reason], [op.user.email, null]);

    const [, entry] = await trail(service, id);
    assert.deepEqual(
      [entry?.action, entry?.from_status, entry?.to_status, entry?.extra],
      ["cancelled", "created", "cancelled", { reason: "Duplicate" }],
    );
    const plain = await service.create();
    assert.equal((await service.call("POST", `/api/tasks/${plain.id}/cancel`)).status, 200, "without a body");
    assert.equal((await service.call("POST", "/api/tasks/tsk_00000000000000000000000000/cancel")).status, 404);
  },
);

testOnBoth(
  "every end owes exactly one callback, with the bytes of that moment; without a callback_url none",
  async (service) => {
    const callback_url = "http://127.0.0.1:9/hook?x=1";
    const { id, idempotency_key } = await service.create({ callback_url });
    await complete(service, id, answer(true, { completed_by_email: "dana@example.com", completed_via_channel: "sms" }));
    assert.deepEqual(await owed(service, id), [
      {
        status: "PENDING",
        destination: callback_url,
        body: {
          task_id: id,
          idempotency_key,
          status: "completed",
          response: { approved: true },
          completed_at: "2026-01-31T12:00:00.000Z",
          timed_out_at: null,
          completed_by_email: "dana@example.com",
          completed_via_channel: "sms",
          verification_attempt: 0,
          cancelled_at: null,
          cancelled_by: null,
          cancel_reason: null,
          asked_by: { kind: "admin", id: null, name: "admin" },
          on_behalf_of: null,
          decided_by: { kind: "admin", user_id: null, email: null, name: "admin", channel: "sms" },
        },
      },
    ]);
    const cancelled = await service.create({ callback_url });
    await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
    assert.deepEqual(
      (await owed(service, cancelled.id)).map(({ body }) => (body as { status: string }).status),
      ["cancelled"],
    );
    const quiet = await service.create();
    await complete(service, quiet.id);
    assert.deepEqual(await owed(service, quiet.id), []);
  },
);

testOnBoth(
  "the trail holds the keys of an answer and never its values; nothing of either when redacted",
  async (service) => {
    const schema = { response_schema: { type: "object" }, payload_schema: {}, payload: { iban: "SECRET-1" } };
    const { id } = await service.create(schema);
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { note: "SECRET-2" } } });
    const entries = await trail(service, id);
    assert.deepEqual(entries[1]?.extra, { response_keys: ["note"] });
    assert.ok(!JSON.stringify(entries).includes("SECRET"));

    const redacted = await service.create({ ...schema, redact_payload: true });
    await service.call("POST", `/api/tasks/${redacted.id}/complete`, { body: { response: { note: "SECRET-2" } } });
    assert.equal((await trail(service, redacted.id))[1]?.extra, null);
  },
);

const verdicts: { passed: boolean; reason: string }[] = [];
const scripted: Verify = async () => verdicts.shift() ?? { passed: true, reason: "Fine." };

testOnBoth(
  "the verifier sends an answer back, gives it to those who correct it, and passes the corrected one",
  async (service) => {
    const { id } = await service.create({
      verifier_config: { ...verifier_config, max_attempts: 3 },
      callback_url: "http://127.0.0.1:9/",
    });
    verdicts.push({ passed: false, reason: "No receipt." });
    const back = await complete(service, id, answer(false, { completed_by_email: "dana@example.com" }));
    assert.equal(back.status, 200);
    assert.equal(back.body.status, "rejected");
    assert.equal(back.body.response, null);
    assert.equal(back.body.completed_by_email, null);
    assert.equal(back.body.verification_attempt, 1);
    assert.deepEqual(back.body.verifier_result, { passed: false, reason: "No receipt.", attempt: 1 });
    assert.deepEqual(await owed(service, id), [], "a rejection fires no callback");
    assert.deepEqual(back.body.rejected_response, { approved: false });
    const open = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
    assert.deepEqual((await open()).rejected_response, { approved: false }, "for everyone who may answer");
    const kept = await service.ctx.db.query
      .selectFrom("verification_attempts")
      .selectAll()
      .where("task_id", "=", id)
      .execute();
    assert.deepEqual(
      kept.map(({ attempt, response, reason, actor_email }) => ({ attempt, response, reason, actor_email })),
      [{ attempt: 1, response: '{"approved":false}', reason: "No receipt.", actor_email: "dana@example.com" }],
    );

    const passed = await complete(service, id);
    assert.equal(passed.body.status, "completed");
    assert.deepEqual(passed.body.verifier_result, { passed: true, reason: "Fine.", attempt: 1 });
    assert.ok(!("rejected_response" in passed.body) && !("rejected_response" in (await open())));
    const entries = await trail(service, id);
    assert.deepEqual(
      entries.map(({ action, verifier_reason }) => [action, verifier_reason]),
      [
        ["created", null],
        ["rejected", "No receipt."],
        ["verified", null],
      ],
    );
    assert.equal((await owed(service, id)).length, 1);
  },
  { verify: scripted },
);

testOnBoth(
  "the last refusal ends the task as verification_exhausted and owes the callback",
  async (service) => {
    const { id } = await service.create({ verifier_config, callback_url: "http://127.0.0.1:9/" });
    verdicts.push({ passed: false, reason: "One." }, { passed: false, reason: "Two." });
    assert.equal((await complete(service, id)).body.status, "rejected");
    const last = await complete(service, id);
    assert.equal(last.status, 200);
    assert.equal(last.body.status, "verification_exhausted");
    assert.deepEqual(last.body.verifier_result, { passed: false, reason: "Two.", attempt: 2 });
    assert.deepEqual(await actions(service, id), ["created", "rejected", "verification_exhausted"]);
    assert.deepEqual(
      (await owed(service, id)).map(({ body }) => [
        (body as TaskRecord).status,
        (body as TaskRecord).response,
        (body as TaskRecord).verification_attempt,
      ]),
      [["verification_exhausted", null, 2]],
    );
    assert.equal((await complete(service, id)).status, 409);
  },
  { verify: scripted },
);

testOnBoth(
  "redact_payload skips the verifier entirely",
  async (service) => {
    const { id } = await service.create({ verifier_config, redact_payload: true });
    const done = await complete(service, id);
    assert.equal(done.body.status, "completed");
    assert.equal(done.body.verifier_result, null);
    assert.deepEqual(await actions(service, id), ["created", "completed"]);
  },
  {
    verify: async () => {
      throw new Error("it was asked");
    },
  },
);

for (const [code, status] of [
  ["VERIFIER_API_KEY_MISSING", 500],
  ["VERIFIER_PROVIDER_UNAVAILABLE", 500],
  ["VERIFIER_PROVIDER_ERROR", 502],
] as const) {
  testOnBoth(
    `a verifier that fails with ${code} consumes nothing`,
    async (service) => {
      const { id } = await service.create({ verifier_config });
      const failed = await complete(service, id);
      assert.equal(failed.status, status);
      assert.equal(failed.body.error_code, code);
      const task = await read(service, id);
      assert.deepEqual([task.status, task.verification_attempt, task.verifier_result], ["created", 0, null]);
      assert.deepEqual(await actions(service, id), ["created"]);
    },
    {
      verify: async () => {
        throw new ServiceError(code);
      },
    },
  );
}

testOnBoth("an answer that needs a vendor's key is not judged where there is none", async (service) => {
  const { id } = await service.create({ verifier_config });
  const failed = await complete(service, id);
  assert.equal(failed.status, 500);
  assert.equal(failed.body.error_code, "VERIFIER_API_KEY_MISSING");
  assert.equal((await read(service, id)).status, "created");
});

const vendors = await startVendors();
after(() => vendors.close());

testOnBoth(
  "a vendor is asked over its own protocol: it sends an answer back, fails once, and passes the corrected one",
  async (service) => {
    const { id } = await service.create({
      verifier_config: { ...verifier_config, max_attempts: 3 },
      callback_url: "http://127.0.0.1:9/",
    });
    vendors.script.push({ passed: false, reason: "Say why." }, { status: 529 }, { passed: true, reason: "Good." });
    assert.equal((await complete(service, id)).body.verifier_result?.reason, "Say why.");
    const failed = await complete(service, id);
    assert.equal(failed.status, 502);
    assert.equal(failed.body.error_code, "VERIFIER_PROVIDER_ERROR");
    const { message, details } = JSON.parse(failed.text) as Record<string, unknown>;
    assert.equal(message, "Automatic check is unavailable. Nothing was stored; try again in a minute.");
    assert.deepEqual(details, [{ path: "/verifier_config", message: "The provider answered HTTP 529." }]);
    assert.equal((await read(service, id)).verification_attempt, 1);
    assert.equal((await complete(service, id)).body.status, "completed");
    assert.deepEqual(await actions(service, id), ["created", "rejected", "verified"]);
    assert.equal((await owed(service, id)).length, 1);
  },
  { env: vendors.env },
);

testOnBoth(
  "of a redacted task no vendor hears anything",
  async (service) => {
    const { length: before } = vendors.asked;
    const { id } = await service.create({ verifier_config, redact_payload: true });
    assert.equal((await complete(service, id)).body.status, "completed");
    assert.equal(vendors.asked.length, before);
  },
  { env: vendors.env },
);

testOnBoth("a stored verifier configuration that is no longer valid is 422 and consumes nothing", async (service) => {
  const { id } = await service.create({ verifier_config });
  const store = (config: object) =>
    service.ctx.db.write((tx) =>
      tx.query
        .updateTable("task_documents")
        .set({ verifier_config: JSON.stringify(config) })
        .where("task_id", "=", id)
        .execute(),
    );
  await store({ provider: "gone", instructions: "x" });
  assert.equal((await complete(service, id)).body.error_code, "VERIFIER_PROVIDER_UNKNOWN");
  await store({ provider: "openai" });
  assert.equal((await complete(service, id)).body.error_code, "VERIFIER_CONFIG_INVALID");
  assert.deepEqual(await actions(service, id), ["created"]);
});

let during: (id: string) => Promise<void> = async () => {};
let judged = "";
const interrupted: Verify = async () => {
  await during(judged);
  return { passed: false, reason: "No." };
};

testOnBoth(
  "what happens to a task while the verifier is asked wins, and the verdict consumes nothing",
  async (service) => {
    const events: Record<string, { during: (id: string) => Promise<void>; code: string; left: string[] }> = {
      cancel: {
        during: async (id) => void (await service.call("POST", `/api/tasks/${id}/cancel`)),
        code: "TASK_ALREADY_TERMINAL",
        left: ["created", "cancelled"],
      },
      timeout: {
        during: async () => {
          service.clock.advance(3_600_000);
          await timeOutDueTasks(service.ctx);
        },
        code: "TASK_ALREADY_TERMINAL",
        left: ["created", "timed_out"],
      },
      deletion: {
        during: async (id) => void (await service.call("DELETE", `/api/tasks/${id}`)),
        code: "TASK_NOT_FOUND",
        left: ["deleted"],
      },
      "another verdict": {
        during: async (id) => {
          during = async () => {};
          assert.equal((await complete(service, id)).body.status, "rejected");
        },
        code: "TASK_CHANGED",
        left: ["created", "rejected"],
      },
      revision: {
        during: async (id) =>
          void (await service.call("POST", `/api/tasks/${id}/revise`, { body: { payload: { amount: 1 } } })),
        code: "TASK_REVISED",
        left: ["created", "revised"],
      },
    };
    for (const [name, event] of Object.entries(events)) {
      const { id } = await service.create({ verifier_config });
      judged = id;
      during = event.during;
      const lost = await complete(service, id);
      assert.equal(lost.body.error_code, event.code, name);
      assert.deepEqual(await actions(service, id), event.left, name);
    }
  },
  { verify: interrupted },
);

testOnBoth(
  "a verdict's reason is stored whatever the vendor put into it",
  async (service) => {
    const { id } = await service.create({ verifier_config });
    const { body } = await complete(service, id);
    assert.equal(body.verifier_result?.reason, `bad\ufffd \ufffd ${"x".repeat(3993)}`);
  },
  { verify: async () => ({ passed: false, reason: `bad\u0000 \ud800 ${"x".repeat(10_000)}` }) },
);

testOnBoth("deleting takes everything with it but who deleted it and when", async (service) => {
  const { id } = await service.create({ callback_url: "http://127.0.0.1:9/" });
  await complete(service, id);
  assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
  assert.equal((await service.call("GET", `/api/tasks/${id}`)).status, 404);
  assert.equal((await complete(service, id)).status, 404);
  assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 404);
  const entries = await trail(service, id);
  assert.deepEqual(
    entries.map(({ action, task_id, actor_type, from_status }) => [action, task_id, actor_type, from_status]),
    [["deleted", id, "agent", "completed"]],
  );
  for (const table of [
    "tasks",
    "task_documents",
    "task_responses",
    "deliveries",
    "delivery_bodies",
    "verification_attempts",
  ] as const) {
    assert.deepEqual(await service.ctx.db.query.selectFrom(table).selectAll().execute(), [], table);
  }
});

testOnBoth("complete, cancel and timeout racing give one end, one audit entry, one delivery row", async (service) => {
  for (let round = 0; round < 10; round++) {
    const { id } = await service.create({ timeout_seconds: 60, callback_url: "http://127.0.0.1:9/" });
    service.clock.advance(round % 2 === 0 ? 59_999 : 60_000);
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => complete(service, id)),
      ...Array.from({ length: 5 }, () => service.call("POST", `/api/tasks/${id}/cancel`)),
      timeOutDueTasks(service.ctx).then((ended) => ({ status: ended > 0 ? 200 : 409 })),
      timeOutDueTasks(service.ctx).then((ended) => ({ status: ended > 0 ? 200 : 409 })),
    ]);
    assert.deepEqual(
      answers.filter(({ status }) => status !== 409).map(({ status }) => status),
      [200],
      "exactly one won",
    );
    assert.equal((await trail(service, id)).length, 2);
    assert.equal((await owed(service, id)).length, 1);
    service.clock.advance(60_000);
  }
});

void test("whatever is done in whatever order, status, trail, answer and debt agree", async () => {
  const { service, stop } = await startTestService("sqlite", { verify: scripted });
  try {
    const step = fc.constantFrom("pass", "refuse", "cancel", "wait", "sweep", "replay");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, isVerified) => {
        const body = newTaskBody({
          timeout_seconds: 60,
          callback_url: "http://127.0.0.1:9/",
          ...(isVerified && { verifier_config }),
        });
        const { id } = (await service.call<TaskRecord>("POST", "/api/tasks", { body })).body;
        let left = 60_000;
        const expected = ["created"];
        const isOpen = () => ["created", "rejected"].includes(expected.at(-1)!);
        for (const each of steps) {
          if (each === "wait") {
            service.clock.advance(25_000);
            left -= 25_000;
          } else if (each === "replay") {
            assert.equal((await service.call("POST", "/api/tasks", { body })).headers["idempotent-replayed"], "true");
          } else if (each === "sweep") {
            await timeOutDueTasks(service.ctx);
            if (isOpen() && left <= 0) expected.push("timed_out");
          } else if (each === "cancel") {
            const { status } = await service.call("POST", `/api/tasks/${id}/cancel`);
            assert.equal(status, isOpen() ? 200 : 409);
            if (isOpen()) expected.push("cancelled");
          } else {
            const takes = isOpen() && left > 0;
            if (takes && isVerified) verdicts.push({ passed: each === "pass", reason: "." });
            assert.equal((await complete(service, id)).status, takes ? 200 : 409);
            if (takes && isVerified && each === "refuse")
              expected.push(expected.at(-1) === "rejected" ? "verification_exhausted" : "rejected");
            else if (takes) expected.push(isVerified ? "verified" : "completed");
          }
        }
        const task = await read(service, id);
        assert.deepEqual(await actions(service, id), expected);
        assert.equal(task.status, expected.at(-1) === "verified" ? "completed" : expected.at(-1));
        assert.equal(task.response !== null, task.status === "completed");
        assert.equal((await owed(service, id)).length, isOpen() ? 0 : 1);
      }),
      { numRuns: 60 },
    );
  } finally {
    await stop();
  }
});
