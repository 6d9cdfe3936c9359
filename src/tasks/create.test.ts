import assert from "node:assert/strict";
import { newTaskBody, testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { CreateTaskBody, TaskRecord } from "./schema.ts";

interface Refused {
  error_code: string;
  message: string;
  details?: { path: string; message: string; keyword?: string }[];
}

const post = (service: TestService, body: unknown) =>
  service.call<TaskRecord & Refused>("POST", "/api/tasks", { body });
const paths = (answer: Answer<Refused>) => (answer.body.details ?? []).map(({ path }) => path);
const count = async ({ call }: TestService) => (await call<unknown[]>("GET", "/api/tasks?limit=200")).body.length;

testOnBoth("a new task starts as created and carries every field of the task record", async (service) => {
  const body = newTaskBody({
    form_definition: { ui: {} },
    assign_to: { email: "Dana@example.com" },
    notify: ["email:dana@example.com"],
    redact_payload: true,
  });
  const answer = await post(service, body);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers["idempotent-replayed"], "false");
  assert.match(answer.body.id, /^tsk_[0-9a-hjkmnp-tv-z]{26}$/);
  const reminder = { do: "remind", at: "2026-01-31T12:45:00.000Z" };
  assert.deepEqual(answer.body, {
    id: answer.body.id,
    idempotency_key: body.idempotency_key,
    status: "created",
    task: body.task,
    payload: body.payload,
    payload_schema: body.payload_schema,
    response_schema: body.response_schema,
    form_definition: { ui: {} },
    action: null,
    actions: null,
    approvals: null,
    escalation: [{ step: 1, ...reminder, after: { fraction: 0.75 }, calendar: null, to: null, done_at: null }],
    on_timeout: null,
    resume: [],
    next_step: reminder,
    urgent: false,
    priority: "normal",
    labels: [],
    locale: null,
    facts: null,
    decision: null,
    assign_to: { email: "Dana@example.com" },
    assigned_to_email: "Dana@example.com",
    assigned_to_user_id: null,
    delegated_from: null,
    delegated_until: null,
    waiting_on: "people",
    version: 1,
    claimed_by_email: null,
    claim_expires_at: null,
    response: null,
    is_verified: false,
    verifier_result: null,
    verification_attempt: 0,
    verification_attempts_left: null,
    timeout_seconds: 3600,
    timeout_at: "2026-01-31T13:00:00.000Z",
    redact_payload: true,
    created_at: "2026-01-31T12:00:00.000Z",
    updated_at: "2026-01-31T12:00:00.000Z",
    completed_at: null,
    timed_out_at: null,
    completed_by_email: null,
    completed_by_user_id: null,
    completed_by_slack_team_id: null,
    completed_by_slack_user_id: null,
    completed_via_channel: null,
    cancelled_at: null,
    cancelled_by: null,
    cancel_reason: null,
    asked_by: { kind: "admin", id: null, name: "admin" },
    on_behalf_of: null,
    decided_by: null,
    project: "default",
    notify: ["email:dana@example.com"],
    callback_url: null,
    verifier_config: null,
  });
  assert.deepEqual((await service.call("GET", `/api/tasks/${answer.body.id}`)).body, answer.body);
});

testOnBoth("what an agent sent comes back as it was sent: key order, numbers, any text", async (service) => {
  const payload = {
    z: 1,
    a: { y: 0.1, b: [1e21, -0.5, 12345678901234] },
    "": "empty key",
    "kéy ☃": '\u0000 \ud83d\ude00 \\ "',
    constructor: "x",
    toString: null,
  };
  const created = await post(service, newTaskBody({ payload, payload_schema: { type: "object" } }));
  assert.equal(created.status, 201);
  const read = await service.call<TaskRecord>("GET", `/api/tasks/${created.body.id}`);
  assert.equal(JSON.stringify(read.body.payload), JSON.stringify(payload));
});

testOnBoth("the same key gives the same task, whatever its status, and writes nothing", async (service) => {
  const body = newTaskBody();
  const first = await post(service, body);
  const again = await post(service, body);
  assert.equal(again.status, 201);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal(again.headers["idempotent-mismatch"], undefined);
  assert.deepEqual(again.body, first.body);

  await service.call("POST", `/api/tasks/${first.body.id}/cancel`);
  const ended = await post(service, body);
  assert.equal(ended.headers["idempotent-replayed"], "true");
  assert.equal(ended.body.id, first.body.id);
  assert.equal(ended.body.status, "cancelled");
  assert.equal(await count(service), 1);
});

testOnBoth("a replay that asks for something else gets the stored task and is told so", async (service) => {
  const body = newTaskBody();
  const { id } = (await post(service, body)).body;
  for (const change of [
    { task: "Another?" },
    { payload: { amount: 13 } },
    { timeout_seconds: 61 },
    { redact_payload: true },
    { notify: ["slack:#x"] },
  ]) {
    const answer = await post(service, { ...body, ...change });
    assert.equal(answer.headers["idempotent-mismatch"], "true", JSON.stringify(change));
    assert.equal(answer.body.id, id);
    assert.equal(answer.body.task, body.task);
  }
  const same = {
    ...body,
    notify: null,
    redact_payload: false,
    payload: { customer: "Dana", amount: 12.5 },
    unknown_field: 1,
  };
  assert.equal(
    (await post(service, same)).headers["idempotent-mismatch"],
    undefined,
    "null, the default and another order of keys mean the same",
  );
});

testOnBoth("a replay is answered even where the request would be refused today", async (service) => {
  const { id, idempotency_key } = await service.create();
  const answer = await post(service, { idempotency_key, timeout_seconds: 1, payload_schema: { type: "nonsense" } });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.id, id);
  assert.equal(answer.headers["idempotent-mismatch"], "true");
});

testOnBoth("a response schema that no object fits is refused, since an answer is an object", async (service) => {
  const body = newTaskBody();
  const draft07 = "http://json-schema.org/draft-07/schema#";
  for (const response_schema of [
    { type: "boolean" },
    { type: ["string", "null"] },
    { type: "array", items: { type: "object" } },
    { enum: ["approve", "reject"] },
    { const: 1 },
    { not: {} },
    { not: { type: "object" } },
    { $ref: "#/$defs/word", $defs: { word: { type: "string" } } },
    { allOf: [{ type: "object" }, { type: "string" }] },
    { anyOf: [{ type: "string" }, { type: "number" }] },
    { oneOf: [{ const: "a" }, { const: "b" }] },
    { $schema: draft07, $ref: "#/definitions/word", definitions: { word: { type: "string" } } },
  ]) {
    const { status, body: refused } = await post(service, { ...body, response_schema });
    assert.deepEqual(
      [status, refused.error_code, refused.details?.map(({ path }) => path)],
      [422, "RESPONSE_SCHEMA_NOT_OBJECT", ["/response_schema"]],
      JSON.stringify(response_schema),
    );
  }
  assert.equal(await count(service), 0);

  for (const response_schema of [
    {},
    { type: ["object", "null"] },
    { properties: { approved: { type: "boolean" } } },
    { anyOf: [{ type: "string" }, { type: "object" }] },
    { $schema: draft07, $ref: "#/definitions/form", definitions: { form: { type: "object" } } },
  ]) {
    const { status } = await post(service, newTaskBody({ response_schema }));
    assert.equal(status, 201, JSON.stringify(response_schema));
  }
});

testOnBoth("a task from before that rule is still found by its key, read and ended", async (service) => {
  const { id, idempotency_key } = await service.create();
  const response_schema = { type: "boolean" };
  await service.ctx.db.write(async (tx) =>
    tx.query
      .updateTable("task_documents")
      .set({ response_schema: JSON.stringify(response_schema) })
      .where("task_id", "=", id)
      .execute(),
  );
  const again = await post(service, newTaskBody({ idempotency_key, response_schema }));
  assert.deepEqual(
    [again.status, again.headers["idempotent-replayed"], again.headers["idempotent-mismatch"], again.body.id],
    [201, "true", undefined, id],
  );
  assert.deepEqual((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.response_schema, response_schema);
  const refused = await service.call<Refused>("POST", `/api/tasks/${id}/complete`, { body: { response: {} } });
  assert.deepEqual([refused.status, refused.body.error_code], [422, "VALIDATION_FAILED"]);
  assert.equal((await service.call("POST", `/api/tasks/${id}/cancel`)).status, 200);
});

testOnBoth("40 parallel creations with one key make one task", async (service) => {
  const body = newTaskBody();
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(service, body)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body: task }) => task.id)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers["idempotent-replayed"] === "false").length, 1);
  assert.equal(await count(service), 1);
  const { body: trail } = await service.call<unknown[]>("GET", `/api/tasks/${answers[0]!.body.id}/audit`);
  assert.equal(trail.length, 1);
});

testOnBoth("a creation whose own writing was repeated is not called a replay", async (service) => {
  const { taskCreator } = service.ctx;
  // As where the answer to a commit was lost: it is written, and the second try finds the key taken.
  service.ctx.taskCreator = async (...rows) => {
    await taskCreator(...rows);
    return taskCreator(...rows);
  };
  const answer = await post(service, newTaskBody());
  assert.deepEqual([answer.status, answer.headers["idempotent-replayed"]], [201, "false"]);
  assert.equal(await count(service), 1);
});

testOnBoth("a deleted task frees its key", async (service) => {
  const body = newTaskBody();
  const first = await post(service, body);
  assert.equal((await service.call("DELETE", `/api/tasks/${first.body.id}`)).status, 204);
  const second = await post(service, body);
  assert.equal(second.headers["idempotent-replayed"], "false");
  assert.notEqual(second.body.id, first.body.id);
});

testOnBoth("what the route does not take is 400 and names the place", async (service) => {
  const body = newTaskBody();
  const { task: _, ...withoutTask } = body;
  const cases: [unknown, string[]][] = [
    [withoutTask, ["/task"]],
    [{ ...body, task: 5 }, ["/task"]],
    [{ ...body, task: null }, ["/task"]],
    [{ ...body, timeout_seconds: "900" }, ["/timeout_seconds"]],
    [{ ...body, timeout_seconds: 60.5 }, ["/timeout_seconds"]],
    [{ ...body, payload: [] }, ["/payload"]],
    [{ ...body, payload: "x" }, ["/payload"]],
    [{ ...body, payload_schema: true }, ["/payload_schema"]],
    [{ ...body, response_schema: [] }, ["/response_schema"]],
    [{ ...body, notify: "email:dana@example.com" }, ["/notify"]],
    [{ ...body, notify: [5] }, ["/notify/0"]],
    [{ ...body, assign_to: "dana" }, ["/assign_to"]],
    [{ ...body, redact_payload: "yes" }, ["/redact_payload"]],
    [{ ...body, form_definition: [] }, ["/form_definition"]],
    [{ ...body, verifier_config: "x" }, ["/verifier_config"]],
    [{ ...body, callback_url: 1 }, ["/callback_url"]],
    [{}, ["/payload", "/payload_schema", "/response_schema", "/task", "/timeout_seconds", "/idempotency_key"]],
    [[], [""]],
    ["text", [""]],
    [7, [""]],
    [null, ["/payload", "/payload_schema", "/response_schema", "/task", "/timeout_seconds", "/idempotency_key"]],
  ];
  for (const [sent, expected] of cases) {
    const answer = await post(service, sent);
    assert.equal(answer.status, 400, JSON.stringify(sent));
    assert.equal(answer.body.error_code, "MALFORMED_REQUEST");
    assert.deepEqual(paths(answer), expected, JSON.stringify(sent));
  }
  assert.equal(await count(service), 0);
});

testOnBoth("what is well-formed and cannot be accepted is 422 and names the place", async (service) => {
  const body = newTaskBody();
  const cases: [Partial<CreateTaskBody>, string][] = [
    [{ timeout_seconds: 59 }, "/timeout_seconds"],
    [{ timeout_seconds: 2_592_001 }, "/timeout_seconds"],
    [{ task: "" }, "/task"],
    [{ task: "x".repeat(10_001) }, "/task"],
    [{ task: "a\u0000b" }, "/task"],
    [{ task: "half \ud83d" }, "/task"],
    [{ idempotency_key: "" }, "/idempotency_key"],
    [{ idempotency_key: "k".repeat(256) }, "/idempotency_key"],
    [{ idempotency_key: "a\u0000" }, "/idempotency_key"],
    [{ payload: { amount: "12" } }, "/payload/amount"],
    [{ payload: { customer: "Dana" } }, "/payload"],
    [{ payload_schema: { type: "nonsense" } }, "/payload_schema/type"],
    [{ response_schema: { properties: { a: { minLength: -1 } } } }, "/response_schema/properties/a/minLength"],
    [{ response_schema: { $schema: "http://json-schema.org/draft-04/schema#" } }, "/response_schema/$schema"],
    [{ response_schema: { $ref: "https://example.com/schema.json" } }, "/response_schema/$ref"],
    [{ response_schema: { pattern: "(" } }, "/response_schema/pattern"],
    [{ notify: ["email"] }, "/notify/0"],
    [{ notify: ["slack:#ok", "pigeon:roof"] }, "/notify/1"],
    [{ notify: ["email:nobody"] }, "/notify/0"],
    [{ notify: ["email+a+b:dana@example.com"] }, "/notify/0"],
    [{ notify: ["slack:some channel"] }, "/notify/0"],
    [{ notify: Array.from({ length: 21 }, () => "slack:#a") }, "/notify"],
    [{ assign_to: {} }, "/assign_to"],
    [{ assign_to: { colour: "red" } }, "/assign_to/colour"],
    [{ assign_to: { email: "nobody" } }, "/assign_to/email"],
    [{ assign_to: { email: "dana@example.com", role: "finance" } }, "/assign_to"],
    [{ assign_to: { emails: [] } }, "/assign_to/emails"],
    [{ callback_url: "ftp://example.com/" }, "/callback_url"],
    [{ callback_url: "https://user:secret@example.com/" }, "/callback_url"],
    [{ callback_url: "http://169.254.169.254/latest/" }, "/callback_url"],
    [{ callback_url: "not a url" }, "/callback_url"],
  ];
  for (const [change, path] of cases) {
    const answer = await post(service, { ...body, ...change });
    assert.equal(answer.status, 422, JSON.stringify(change).slice(0, 100));
    assert.equal(answer.body.error_code, "VALIDATION_FAILED");
    assert.ok(paths(answer).includes(path), `${JSON.stringify(change).slice(0, 100)} names ${paths(answer).join(" ")}`);
    assert.ok(
      answer.body.details!.every(({ message }) => /^[A-Z0-9"].*\.$/s.test(message)),
      `a sentence: ${answer.body.details![0]?.message}`,
    );
  }
  assert.equal(await count(service), 0);
});

testOnBoth("the edges of every limit are accepted", async (service) => {
  for (const change of [
    { timeout_seconds: 60 },
    { timeout_seconds: 2_592_000 },
    { task: "x".repeat(10_000) },
    { idempotency_key: "k".repeat(255) },
    { assign_to: { userId: "usr_1" } },
    { assign_to: { role: "finance", accessLevel: "senior", pool: null } },
    { assign_to: { pool: "night" } },
    { assign_to: { emails: ["a@example.com", "b@example.com"] } },
    {
      notify: [
        "email+desk:dana@example.com",
        "slack:#approvals",
        "slack+T1:C024BE91L",
        "slack:@dana",
        "slack:U123ABC",
        "slack:dana@example.com",
      ],
    },
    { callback_url: "http://127.0.0.1:9999/hook" },
    {
      callback_url: null,
      notify: null,
      assign_to: null,
      verifier_config: null,
      form_definition: null,
      redact_payload: null,
    },
    {
      response_schema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { a: { type: "object" } },
        $ref: "#/definitions/a",
      },
    },
    {
      response_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $defs: { a: { type: "string" } },
        properties: { a: { $ref: "#/$defs/a" } },
      },
    },
  ]) {
    const answer = await post(service, newTaskBody(change));
    assert.equal(answer.status, 201, `${JSON.stringify(change).slice(0, 100)}: ${answer.text}`);
  }
});

testOnBoth(
  "a verifier's settings are checked at creation",
  async (service) => {
    const valid = { provider: "anthropic", instructions: "Is there a receipt?" };
    const codes = async (verifier_config: Record<string, unknown>) => {
      const answer = await post(service, newTaskBody({ verifier_config }));
      return answer.status === 201 ? 201 : `${answer.status} ${answer.body.error_code} ${paths(answer).join(" ")}`;
    };
    assert.equal(await codes(valid), 201);
    for (const provider of ["claude", "openai", "google", "gemini", "azure", "azure_openai"])
      assert.equal(await codes({ ...valid, provider }), 201, provider);
    assert.equal(
      await codes({ ...valid, model: "m", max_attempts: 10, api_key_env: "OPENAI_API_KEY", metadata: { a: 1 } }),
      201,
    );
    assert.equal(await codes({ ...valid, api_key_env: "OUR_KEY" }), 201);

    assert.equal(
      await codes({ ...valid, provider: "oracle" }),
      "422 VERIFIER_PROVIDER_UNKNOWN /verifier_config/provider",
    );
    assert.equal(
      await codes({ ...valid, provider: "constructor" }),
      "422 VERIFIER_PROVIDER_UNKNOWN /verifier_config/provider",
    );
    assert.equal(await codes({ provider: "openai" }), "422 VERIFIER_CONFIG_INVALID /verifier_config/instructions");
    assert.equal(await codes({ instructions: "x" }), "422 VERIFIER_CONFIG_INVALID /verifier_config/provider");
    assert.equal(
      await codes({ ...valid, max_attempts: 0 }),
      "422 VERIFIER_CONFIG_INVALID /verifier_config/max_attempts",
    );
    assert.equal(
      await codes({ ...valid, max_attempts: 11 }),
      "422 VERIFIER_CONFIG_INVALID /verifier_config/max_attempts",
    );
    assert.equal(
      await codes({ ...valid, api_key_env: "SERVICE_SECRET_KEY" }),
      "422 VERIFIER_CONFIG_INVALID /verifier_config/api_key_env",
    );
    assert.equal(await codes({ ...valid, metadata: [] }), "422 VERIFIER_CONFIG_INVALID /verifier_config/metadata");
  },
  { env: { SERVICE_VERIFIER_KEY_ENVS: "OUR_KEY" } },
);

testOnBoth("hostile schemas and patterns end with a verdict or a refusal, and the service goes on", async (service) => {
  const doubling: Record<string, unknown> = { a0: { type: "string" } };
  for (let i = 1; i < 40; i++)
    doubling[`a${i}`] = { allOf: [{ $ref: `#/$defs/a${i - 1}` }, { $ref: `#/$defs/a${i - 1}` }] };
  const payload_schemas = [
    { $defs: doubling, $ref: "#/$defs/a39" },
    { $ref: "#" },
    { $ref: "#/__proto__/x" },
    { properties: { text: { pattern: "^(a+)+$" } } },
    { properties: { text: { pattern: "^(?=(a+)+$)(a+)+\\1$" } } },
    { allOf: Array.from({ length: 20_000 }, () => ({})) },
    { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, {}])) },
  ];
  for (const payload_schema of payload_schemas) {
    const answer = await post(service, newTaskBody({ payload: { text: `${"a".repeat(40)}b` }, payload_schema }));
    assert.equal(answer.status, 422, JSON.stringify(payload_schema).slice(0, 80));
    assert.ok(answer.body.details!.length > 0);
  }
  assert.equal((await post(service, newTaskBody())).status, 201);
});

testOnBoth("an address without its channel in notify is 422, and the message says what to write", async (service) => {
  const answer = await post(service, newTaskBody({ notify: ["slack:#ok", " dana@example.com"] }));
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.details, [
    { path: "/notify/1", message: '"dana@example.com" names no channel. Write "email:dana@example.com".' },
  ]);
  assert.equal(await count(service), 0);
});
