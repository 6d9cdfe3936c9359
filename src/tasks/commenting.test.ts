import assert from "node:assert/strict";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { expectedSignature, startReceiver } from "../../test/support/receiver.ts";
import { newTaskBody, PAYLOAD_KEY, testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import type { CommentRecord } from "../conversation/schema.ts";
import type { AuditEntryRecord, PollResult, TaskRecord } from "./schema.ts";

type Body = CommentRecord & { error_code: string; details: { path: string }[] };
type Call = TestService["call"];

const say = (call: Call, id: string, text: string, fields: object = {}): Promise<Answer<Body>> =>
  call<Body>("POST", `/api/tasks/${id}/comments`, { body: { text, ...fields } });
const ask = (call: Call, id: string, text: string) => say(call, id, text, { kind: "question" });
const said = async (call: Call, id: string) => (await call<CommentRecord[]>("GET", `/api/tasks/${id}/comments`)).body;
const read = async (call: Call, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const poll = async (call: Call, id: string, query: string) =>
  (await call<PollResult>("GET", `/api/tasks/${id}/poll?${query}`)).body;
const trail = async (call: Call, id: string) =>
  (await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`)).body.map(({ action }) => action);
const createdBy = async ({ call }: TestAgent, fields: object) =>
  (await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) })).body;
const complete = (call: Call, id: string) =>
  call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });

testOnBoth("people and the asker talk about a task, and all who may read it see who said what", async (service) => {
  const agent = await newAgent(service, { name: "payments" });
  const [dana, op] = [await person(service, { display_name: "Dana Ek" }), await person(service, { is_operator: true })];
  const { id } = await createdBy(agent, { assign_to: { email: dana.user.email! } });
  const first = await say(dana.call, id, "The amount looks high.");
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(first.body, {
    id: first.body.id,
    task_id: id,
    kind: "comment",
    text: "The amount looks high.",
    files: [],
    version: null,
    by: { kind: "person", user_id: dana.user.id, email: dana.user.email, name: "Dana Ek", channel: "dashboard" },
    is_asker: false,
    created_at: new Date(service.clock.now()).toISOString(),
  });
  await say(op.call, id, "I agree.");
  await say(agent.call, id, "It covers two orders.");
  for (const call of [dana.call, op.call, agent.call, service.call])
    assert.deepEqual(
      (await said(call, id)).map(({ text, by, is_asker }) => [text, by.kind, by.name, is_asker]),
      [
        ["The amount looks high.", "person", "Dana Ek", false],
        ["I agree.", "person", op.user.display_name, false],
        ["It covers two orders.", "agent", "payments", true],
      ],
    );
  assert.deepEqual(await trail(service.call, id), ["created", "assigned", "commented", "commented", "commented"]);
  assert.equal((await complete(dana.call, id)).status, 200);
  assert.equal((await said(agent.call, id)).length, 3);
});

testOnBoth("a question makes the task wait for its asker, and the asker's reply for people again", async (service) => {
  const agent = await newAgent(service);
  const dana = await person(service);
  const { id, waiting_on } = await createdBy(agent, { assign_to: { email: dana.user.email! } });
  assert.equal(waiting_on, "people");
  const { body: question } = await ask(dana.call, id, "Which card was charged?");
  assert.equal((await read(dana.call, id)).waiting_on, "agent");
  assert.deepEqual((await poll(agent.call, id, "timeout=0")).questions, [question]);
  // Other people's comments answer nothing.
  await say(service.call, id, "I wonder, too.");
  assert.equal((await read(dana.call, id)).waiting_on, "agent");
  await say(agent.call, id, "The one that ends with 4242.");
  assert.equal((await read(dana.call, id)).waiting_on, "people");
  assert.deepEqual((await poll(agent.call, id, "timeout=0")).questions, []);
  await ask(dana.call, id, "And when?");
  // It can still be answered, and then waits for no one.
  const { body: ended } = await complete(dana.call, id);
  assert.deepEqual([ended.status, ended.waiting_on], ["completed", null]);
  const after = await poll(agent.call, id, "timeout=0&until=attention");
  assert.deepEqual([after.status, after.waiting_on, after.questions], ["completed", null, []]);
  assert.deepEqual(await trail(service.call, id), [
    "created",
    "assigned",
    "question_asked",
    "commented",
    "commented",
    "question_asked",
    "completed",
  ]);
});

testOnBoth("a reply answers the questions that its writer has seen, and later ones stay open", async (service) => {
  const dana = await person(service, { is_operator: true });
  const { id } = await service.create();
  const [{ body: first }, { body: second }] = [
    await ask(dana.call, id, "Which card?"),
    await ask(dana.call, id, "When?"),
  ];
  const questions = async () =>
    (await poll(service.call, id, "timeout=0&until=attention")).questions.map((one) => one.id);
  assert.deepEqual(await questions(), [first.id, second.id]);
  await say(service.call, id, "4242.", { reply_to: first.id });
  assert.deepEqual([(await read(service.call, id)).waiting_on, await questions()], ["agent", [second.id]]);
  await say(service.call, id, "Yesterday.", { reply_to: second.id });
  assert.deepEqual([(await read(service.call, id)).waiting_on, await questions()], ["people", []]);
});

testOnBoth("a poll until attention ends with a question, and one until the end waits on", async (service) => {
  const dana = await person(service, { is_operator: true });
  const { id } = await service.create();
  const [attentive, patient] = [
    poll(service.call, id, "timeout=60&until=attention"),
    poll(service.call, id, "timeout=60"),
  ];
  while (service.ctx.waiters.count() < 2) await new Promise(setImmediate);
  const { body: question } = await ask(dana.call, id, "Which card?");
  assert.deepEqual((await attentive).questions, [question]);
  assert.equal(service.ctx.waiters.count(), 1);
  // It returns at once while the question is open.
  assert.deepEqual((await poll(service.call, id, "timeout=60&until=attention")).questions, [question]);
  await complete(service.call, id);
  assert.equal((await patient).status, "completed");
});

testOnBoth(
  "a callback tells of a question where the request asks for it, signed as the outcome",
  async (service, t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const dana = await person(service, { is_operator: true });
    const callback = { callback_url: receiver.url };
    const told = await service.create({ ...callback, callback_events: ["task.question"] });
    const other = await service.create(callback);
    const { body: question } = await ask(dana.call, told.id, "Which card?");
    await ask(dana.call, other.id, "Which card?");
    await say(service.call, told.id, "4242.");
    service.clock.advance(6_000);
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
    assert.equal(receiver.received.length, 1);
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    assert.deepEqual(JSON.parse(body), {
      event: "task.question",
      task_id: told.id,
      idempotency_key: told.idempotency_key,
      status: "created",
      waiting_on: "agent",
      comment: question,
    });
    assert.equal(headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, body));
    await complete(service.call, told.id);
    service.clock.advance(6_000);
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
    const outcome = JSON.parse(receiver.received[1]!.body) as { event?: string; status: string };
    assert.deepEqual([outcome.event, outcome.status], [undefined, "completed"]);
  },
);

testOnBoth("a repeated comment with a key is the same comment", async (service) => {
  const [dana, mia] = [await person(service, { is_operator: true }), await person(service, { is_operator: true })];
  const { id } = await service.create();
  const once = await say(dana.call, id, "Fine.", { idempotency_key: "a" });
  const again = await say(dana.call, id, "Fine.", { idempotency_key: "a" });
  assert.deepEqual(again.body, once.body);
  assert.deepEqual(
    [once, again].map(({ headers }) => headers["idempotent-replayed"]),
    ["false", "true"],
  );
  await say(mia.call, id, "Fine.", { idempotency_key: "a" });
  await complete(service.call, id);
  // Also when the task has ended since.
  assert.deepEqual((await say(dana.call, id, "Fine.", { idempotency_key: "a" })).body, once.body);
  assert.equal((await said(service.call, id)).length, 2);
});

testOnBoth("twenty people who comment at once are all heard, and a question among them waits", async (service) => {
  const dana = await person(service, { is_operator: true });
  const { id } = await service.create();
  const all = Array.from({ length: 20 }, (_, i) => (i === 7 ? ask(dana.call, id, "Why?") : say(dana.call, id, `${i}`)));
  assert.deepEqual(new Set((await Promise.all(all)).map(({ status }) => status)), new Set([201]));
  const texts = (await said(service.call, id)).map(({ text }) => text);
  assert.equal(new Set(texts).size, 20);
  assert.equal((await read(service.call, id)).waiting_on, "agent");
  assert.equal((await trail(service.call, id)).length, 21);
});

testOnBoth(
  "who may not read a task neither reads nor writes there, and a reader's agent writes nothing",
  async (service) => {
    const [asking, reading, foreign] = [
      await newAgent(service),
      await newAgent(service, { scopes: ["read"] }),
      await newAgent(service),
    ];
    const [dana, mia] = [await person(service), await person(service)];
    const { id } = await createdBy(asking, { assign_to: { email: dana.user.email! } });
    const codes = async (call: Call) => [
      (await call<Body>("GET", `/api/tasks/${id}/comments`)).body.error_code,
      (await say(call, id, "Hello")).body.error_code,
    ];
    assert.deepEqual(await codes(mia.call), ["FORBIDDEN", "FORBIDDEN"]);
    assert.deepEqual(await codes(foreign.call), ["TASK_NOT_FOUND", "TASK_NOT_FOUND"]);
    assert.deepEqual(await codes(reading.call), [undefined, "AGENT_SCOPE_MISSING"]);
    assert.deepEqual(await codes(dana.call), [undefined, undefined]);
  },
);

testOnBoth("a wrong comment gets a clear error, and nothing is written", async (service) => {
  const dana = await person(service, { is_operator: true });
  const { id } = await service.create();
  const { body: comment } = await say(dana.call, id, "First");
  const refused = async (call: Call, text: string, fields: object) => {
    const { status, body } = await say(call, id, text, fields);
    return [status, body.details?.[0]?.path];
  };
  assert.deepEqual(await refused(dana.call, " \n", {}), [422, "/text"]);
  assert.deepEqual(await refused(dana.call, "x".repeat(20_001), {}), [422, "/text"]);
  assert.deepEqual(await refused(dana.call, "x", { kind: "shout" }), [422, "/kind"]);
  assert.deepEqual(await refused(service.call, "x", { kind: "question" }), [422, "/kind"]);
  assert.deepEqual(await refused(dana.call, "x", { reply_to: comment.id }), [422, "/reply_to"]);
  assert.deepEqual(await refused(service.call, "x", { reply_to: comment.id }), [422, "/reply_to"]);
  assert.equal((await say(dana.call, "tsk_unknown", "x")).body.error_code, "TASK_NOT_FOUND");
  // Characters are counted as people do.
  assert.equal((await say(dana.call, id, "😀".repeat(20_000))).status, 201);
  assert.equal((await said(service.call, id)).length, 2);
  const nowhere = newTaskBody({ callback_events: ["task.question"] });
  const { status, body } = await service.call<Body>("POST", "/api/tasks", { body: nowhere });
  assert.deepEqual([status, body.details[0]!.path], [422, "/callback_events"]);
});

testOnBoth("people and the asker talk on after the end, and the task waits for no one", async (service, t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const agent = await newAgent(service);
  const dana = await person(service);
  const asked = { assign_to: { email: dana.user.email! }, timeout_seconds: 60 };
  const callback = { callback_url: receiver.url, callback_events: ["task.question"] };
  const { id } = await createdBy(agent, { ...asked, ...callback });
  await complete(dana.call, id);
  await say(dana.call, id, "I looked twice.");
  const { status, body: question } = await ask(dana.call, id, "Was it paid?");
  assert.deepEqual([status, question.kind], [201, "question"]);
  const after = await poll(agent.call, id, "timeout=0&until=attention");
  assert.deepEqual([after.status, after.waiting_on, after.questions], ["completed", null, []]);
  assert.equal((await read(dana.call, id)).waiting_on, null);
  assert.equal((await say(agent.call, id, "Yes.", { reply_to: question.id })).body.is_asker, true);
  assert.deepEqual(
    (await said(agent.call, id)).map(({ text }) => text),
    ["I looked twice.", "Was it paid?", "Yes."],
  );
  assert.deepEqual((await trail(service.call, id)).slice(-4), [
    "completed",
    "commented",
    "question_asked",
    "commented",
  ]);
  // The asker has what it waited for: its callback got the outcome, and no question after it.
  service.clock.advance(6_000);
  await service.ctx.deliveries.turn();
  await service.ctx.deliveries.settle();
  assert.deepEqual(
    receiver.received.map(({ body }) => (JSON.parse(body) as { status: string }).status),
    ["completed"],
  );

  // Out of time, and the sweep has not come yet.
  const late = await createdBy(agent, { ...asked, idempotency_key: "late" });
  service.clock.advance(60_000);
  assert.equal((await ask(dana.call, late.id, "Too late?")).status, 201);
  const over = await poll(agent.call, late.id, "timeout=0&until=attention");
  assert.deepEqual(over.questions, []);
  await service.call("DELETE", `/api/tasks/${id}`);
  assert.equal((await say(dana.call, id, "Gone?")).body.error_code, "TASK_NOT_FOUND");
});

testOnBoth("comments are read in pages, oldest first, which go on while others write", async (service) => {
  const { id } = await service.create();
  for (let i = 0; i < 5; i++) await say(service.call, id, `${i}`);
  const texts: string[] = [];
  const sizes: number[] = [];
  for (let path: string | undefined = `/api/tasks/${id}/comments?limit=2`; path !== undefined;) {
    const { body, headers }: Answer<CommentRecord[]> = await service.call<CommentRecord[]>("GET", path);
    texts.push(...body.map(({ text }) => text));
    sizes.push(body.length);
    if (sizes.length === 1) await say(service.call, id, "5");
    path = /^<([^>]+)>; rel="next"$/.exec(headers["link"] ?? "")?.[1];
  }
  assert.deepEqual(
    [texts, sizes],
    [
      ["0", "1", "2", "3", "4", "5"],
      [2, 2, 2],
    ],
  );
  for (const query of ["cursor=nonsense", "limit=0", "limit=201"]) {
    const { status, body } = await service.call<Body>("GET", `/api/tasks/${id}/comments?${query}`);
    assert.deepEqual([status, body.error_code], [422, "VALIDATION_FAILED"]);
  }
});

testOnBoth("a task takes two hundred comments, and can be answered after that", async (service) => {
  const { id } = await service.create();
  for (let i = 0; i < 200; i++) assert.equal((await say(service.call, id, `${i}`)).status, 201);
  const { status, body } = await say(service.call, id, "one more");
  assert.deepEqual([status, body.error_code], [409, "TOO_MANY_COMMENTS"]);
  // Those who ask do not take the place of those who reply.
  const dana = await person(service, { is_operator: true });
  assert.equal((await ask(dana.call, id, "Why?")).status, 201);
  assert.equal((await complete(service.call, id)).status, 200);
});

testOnBoth("what was said goes with its task", async (service) => {
  const { id } = await service.create();
  await say(service.call, id, "secret");
  await service.call("DELETE", `/api/tasks/${id}`);
  const rows = await service.ctx.db.query.selectFrom("task_comments").selectAll().execute();
  assert.deepEqual(rows, []);
});
