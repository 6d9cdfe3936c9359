import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { callbackHandler, type Callback } from "../callbacks.ts";
import { createClient } from "../client.ts";
import type { Question } from "../question.ts";
import { AnswerRefusedError, ApiError, NoAnswerError, UnreachableError } from "../errors.ts";
import {
  answer,
  approve,
  asks,
  cancels,
  createTestHuman,
  inOrder,
  neverAnswer,
  TestMistake,
  verifierExhausts,
  verifierRejects,
  when,
} from "./index.ts";

const responseSchema = z.object({ approved: z.boolean(), note: z.string().default("none") });
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

function question(task: string, more: Partial<Question> = {}): Question<typeof responseSchema> {
  return { task, responseSchema, ...more } as never;
}

const VERIFIED = { verifierConfig: { provider: "openai", instructions: "Is it right?" } };

void test("an answer comes when the person has taken their time, and has the type of its schema", async () => {
  const human = createTestHuman(answer({ approved: true }, { after: "5 minutes", by: "dana@example.com" }));
  const began = human.clock.now();
  const given: { approved: boolean; note: string } = await human.client.awaitHuman(question("Refund?"));
  assert.deepEqual(given, { approved: true, note: "none" });
  assert.equal(human.clock.now() - began, 5 * MINUTE);
  const { status, completed_by_email, completed_via_channel, completed_at } = human.lastAsked;
  assert.deepEqual(
    [status, completed_by_email, completed_via_channel, completed_at],
    ["completed", "dana@example.com", "dashboard", "2026-01-31T12:05:00.000Z"],
  );
});

void test("a month without an answer is over in an instant", async () => {
  const human = createTestHuman(neverAnswer());
  const [began, began_ms] = [human.clock.now(), performance.now()];
  const asking = human.client.awaitHuman(question("Anybody?", { timeoutSeconds: 2_592_000 }));
  const error = await asking.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof NoAnswerError);
  assert.deepEqual([error.status, error.taskId], ["timed_out", human.lastAsked.id]);
  assert.equal(human.clock.now() - began, 30 * DAY);
  assert.ok(performance.now() - began_ms < 30_000);
});

void test("an answer that comes with the deadline comes too late", async () => {
  const human = createTestHuman(approve({ after: "1 day" }));
  await assert.rejects(human.client.awaitHuman(question("Refund?")), { code: "TIMED_OUT" });
});

void test("a person who gets more time answers after the first deadline", async () => {
  const human = createTestHuman(neverAnswer(), { time: "manual" });
  const asked = await human.client.ask(question("Refund?", { timeoutSeconds: 600 }));
  await human.clock.advance("9 minutes");
  const { timeout_at } = await human.client.extend(asked.id, 20 * 60);
  assert.equal(Date.parse(timeout_at) - human.clock.now(), 11 * MINUTE);
  await human.clock.advance("10 minutes");
  await human.client.complete(asked.id, { approved: true, note: "late" });
  assert.deepEqual(await asked.answer(), { approved: true, note: "late" });
});

void test("an answer that is thought about for too long changes nothing", async () => {
  const slow = async ({ id }: { id: string }) => {
    await human.client.cancel(id);
    return { approved: true };
  };
  const human = createTestHuman(answer(slow));
  await assert.rejects(human.client.awaitHuman(question("Refund?")), { code: "CANCELLED" });
  assert.deepEqual(human.mistakes, []);
});

void test("somebody may withdraw the task", async () => {
  const human = createTestHuman(cancels({ after: "2 hours", reason: "Not ours." }));
  await assert.rejects(human.client.awaitHuman(question("Refund?")), { code: "CANCELLED" });
  const [, cancelled] = await human.client.audit(human.lastAsked.id);
  assert.deepEqual([cancelled!.action, cancelled!.extra], ["cancelled", { reason: "Not ours." }]);
});

void test("a verifier sends answers back before one passes", async () => {
  const reason = "Say for which order.";
  const rules = verifierRejects(2, approve({ after: "1 minute" }), { after: "10 minutes", reason });
  const human = createTestHuman(rules, { time: "manual" });
  const asking = human.client.awaitHuman(question("Refund?", VERIFIED));
  await human.clock.advance("15 minutes");
  const { status, verification_attempt, verifier_result, response } = human.lastAsked;
  assert.deepEqual(
    [status, verification_attempt, verifier_result, response],
    ["rejected", 1, { passed: false, reason, attempt: 1 }, null],
  );
  await human.clock.advance("6 minutes");
  assert.equal((await asking).approved, true);
  const trail = await human.client.audit(human.lastAsked.id);
  assert.deepEqual(
    trail.map(({ action, verifier_reason }) => [action, verifier_reason]),
    [
      ["created", null],
      ["rejected", reason],
      ["rejected", reason],
      ["verified", null],
    ],
  );
});

void test("a verifier that no answer passes ends the task", async () => {
  const human = createTestHuman(verifierExhausts(approve(), { reason: "Never." }));
  await assert.rejects(human.client.awaitHuman(question("Refund?", VERIFIED)), {
    code: "VERIFICATION_EXHAUSTED",
    message: /Never\./,
  });
  assert.equal(human.lastAsked.verification_attempt, 3);
});

void test("the first rule that says something of a question counts", async () => {
  const human = createTestHuman([
    when(/refund/i, inOrder([answer({ approved: false }), answer((task) => ({ approved: true, note: task.task }))])),
    when(({ payload }) => payload["amount"] === 1, answer({ approved: true, note: "small" })),
    answer({ approved: false, note: "else" }),
  ]);
  const ask = async (task: string, more?: Partial<Question>) => human.client.awaitHuman(question(task, more));
  assert.deepEqual(await ask("Refund 1?"), { approved: false, note: "none" });
  assert.deepEqual(await ask("Refund 2?"), { approved: true, note: "Refund 2?" });
  assert.equal((await ask("Refund 3?")).note, "else");
  assert.equal((await ask("Pay?", { payload: { amount: 1 } })).note, "small");
  assert.deepEqual(
    human.asked.map(({ task }) => task),
    ["Refund 1?", "Refund 2?", "Refund 3?", "Pay?"],
  );
});

void test("a question that no rule speaks of is a mistake of the test, and says which rule to add", async () => {
  const human = createTestHuman([when(/refund/i, approve())]);
  const asking = human.client.awaitHuman(question("Publish the article?"));
  await assert.rejects(
    asking,
    (error) => error instanceof TestMistake && /"Publish the article\?": add one/.test(error.message),
  );
  // The error is reported even if a program continues without an answer.
  await assert.rejects(human.client.awaitHuman(question("Refund?")), TestMistake);
  assert.equal(human.mistakes.length, 1);
});

void test("an answer that does not fit is a mistake of the test, and says where", async () => {
  for (const [given, place] of [
    [{ approved: "yes" }, /\/approved: Must be true or false/],
    [{}, /required property "approved"/],
    ["yes", /Must be an object/],
    [undefined, /Must be an object/],
  ] as const) {
    const human = createTestHuman(answer(() => given, { after: "1 hour" }));
    const asking = human.client.awaitHuman(question("Refund?"));
    await assert.rejects(asking, (error) => error instanceof TestMistake && place.test(error.message));
  }
});

void test("what else a test says wrongly is told as its mistake", async () => {
  const asking = async (rule: Parameters<typeof createTestHuman>[0], more?: Partial<Question>) =>
    createTestHuman(rule).client.awaitHuman(question("Refund?", more));
  const mistake = (message: RegExp) => (error: unknown) => error instanceof TestMistake && message.test(error.message);
  await assert.rejects(asking(verifierRejects(1, approve())), mistake(/give the question verifierConfig/));
  await assert.rejects(
    asking(verifierRejects(3, approve()), VERIFIED),
    mistake(/3 rejections close it: use verifierExhausts/),
  );
  const broken = () => {
    throw new Error("no such customer");
  };
  await assert.rejects(asking(answer(broken)), mistake(/"Refund\?" failed: no such customer/));
  await assert.rejects(asking(when(broken, approve())), mistake(/no such customer/));
  const pattern = { type: "object", properties: { code: { type: "string", pattern: "^A" } }, required: ["code"] };
  await assert.rejects(asking(approve(), { responseSchema: pattern }), mistake(/approve\(\) cannot .* use answer/));
  assert.throws(() => approve({ after: "5 fortnights" as never }), mistake(/5 fortnights/));
  assert.throws(() => createTestHuman().lastAsked, mistake(/Nothing was asked/));
});

void test("an answer that only the program's own schema refuses is told by the client", async () => {
  const strict = z.object({ code: z.string().refine((text) => text.startsWith("A-"), "Codes begin with A-.") });
  const human = createTestHuman(answer({ code: "B-1" }));
  await assert.rejects(human.client.awaitHuman({ task: "Which?", responseSchema: strict }), AnswerRefusedError);
});

void test("the same question is one task, and the client tells a key that is used for another", async () => {
  const human = createTestHuman(approve());
  const [first, again] = [await human.client.ask(question("Refund?")), await human.client.ask(question("Refund?"))];
  assert.deepEqual([first.isReplay, again.isReplay, again.id], [false, true, first.id]);
  assert.equal(human.asked.length, 1);
  await human.client.ask(question("One", { idempotencyKey: "k" }));
  const other = human.client.ask({ task: "Two", idempotencyKey: "k", responseSchema: { type: "object" } });
  await assert.rejects(other, { code: "OTHER_QUESTION" });
});

void test("what the service refuses, it refuses here", async () => {
  const { client } = createTestHuman(neverAnswer());
  await assert.rejects(client.ask(question("Refund?", { timeoutSeconds: 5 })), {
    code: "VALIDATION_FAILED",
    status: 422,
  });
  await assert.rejects(client.get("tsk_none"), (error) => error instanceof ApiError && error.code === "TASK_NOT_FOUND");
  const embedding = client.embedToken({ taskId: "x", parentOrigin: "https://x.example", sub: "1" });
  await assert.rejects(embedding, { code: "EMBED_NOT_CONFIGURED" });
});

void test("a single value is answered with it, and found wrong where it does not fit", async () => {
  const asked = async (rule: Parameters<typeof createTestHuman>[0], responseSchema: Question["responseSchema"]) =>
    createTestHuman(rule).client.awaitHuman({ task: "Refund?", responseSchema });
  assert.equal(await asked(answer(false), z.boolean()), false);
  assert.equal(await asked(answer("no"), { enum: ["yes", "no"] }), "no");
  assert.equal(await asked(answer(null), z.number().nullable()), null);
  assert.deepEqual(await asked(answer(["a", "b"]), z.array(z.string())), ["a", "b"]);
  assert.equal(await asked(answer({ value: true }), z.boolean()), true);
  assert.equal(
    await asked(
      answer(() => 7),
      z.number(),
    ),
    7,
  );
  assert.equal(await asked(answer(true), undefined), true);
  assert.equal(await asked(approve(), z.boolean()), true);
  assert.equal(await asked(approve(), z.enum(["reject", "approve"])), "approve");
  const tags = { type: "array", minItems: 2, items: { $ref: "#/$defs/tag" }, $defs: { tag: { enum: ["x", "y"] } } };
  assert.deepEqual(await asked(approve(), tags), ["x", "x"]);
  const lists = { type: "array", items: { $ref: "#" } };
  assert.deepEqual(await asked(answer([[], [[]]]), lists), [[], [[]]]);

  await assert.rejects(asked(answer([["x"]]), lists), /\/value\/0\/0/);
  await assert.rejects(asked(answer("perhaps"), z.boolean()), TestMistake);
  await assert.rejects(asked(answer(["x", "z"]), tags), /\/value\/1/);
  await assert.rejects(asked(answer(true), z.object({})), /Must be an object/);
  await assert.rejects(asked(answer(true), z.never()), { status: 422, code: "RESPONSE_SCHEMA_NOT_OBJECT" });
});

void test("questions at the same time are answered at the same time", async () => {
  const human = createTestHuman(approve({ after: "5 minutes" }));
  const began = human.clock.now();
  const tasks = ["One?", "Two?", "Three?"];
  await Promise.all(tasks.map(async (task) => human.client.awaitHuman(question(task))));
  assert.equal(human.clock.now() - began, 5 * MINUTE);
});

void test("time stands still while a call of the client does something, whoever waits beside it", async () => {
  const human = createTestHuman([when(/slow/, approve({ after: "1 hour" })), approve({ after: "2 hours" })]);
  const slow = responseSchema.refine(async () => sleep(20, true));
  const [checked_at] = await Promise.all([
    human.client.awaitHuman({ task: "slow?", responseSchema: slow }).then(() => human.clock.now()),
    human.client.awaitHuman(question("other?")),
  ]);
  assert.equal(checked_at, Date.parse("2026-01-31T13:00:00.000Z"));
});

void test("time stands still while an answer is made up", async () => {
  const slow = async () => {
    await sleep(20);
    return { approved: true };
  };
  const human = createTestHuman([when(/slow/, answer(slow, { after: "1 hour" })), approve({ after: "2 hours" })]);
  await Promise.all(["slow?", "other?"].map(async (task) => human.client.awaitHuman(question(task))));
  // The order of two concurrent questions is not guaranteed.
  assert.deepEqual(Object.fromEntries(human.asked.map(({ task, completed_at }) => [task, completed_at])), {
    "slow?": "2026-01-31T13:00:00.000Z",
    "other?": "2026-01-31T14:00:00.000Z",
  });
});

void test("time stands still while nobody waits", async () => {
  const human = createTestHuman(approve({ after: "1 hour" }));
  const asked = await human.client.ask(question("Refund?"));
  await sleep(5);
  assert.deepEqual([human.lastAsked.status, human.clock.now()], ["created", Date.parse(human.lastAsked.created_at)]);
  await asked.answer();
});

void test("of several questions the first answer counts, and the others are withdrawn", async () => {
  const human = createTestHuman([
    when(({ assigned_to_email }) => assigned_to_email === "dana@example.com", approve({ after: "2 hours" })),
    when(({ assigned_to_email }) => assigned_to_email === "kim@example.com", approve({ after: "1 hour" })),
    neverAnswer(),
  ]);
  const people = ["dana@example.com", "kim@example.com", "lee@example.com"];
  const began = human.clock.now();
  const first = await human.client.anyOf(people.map((email) => question("Refund?", { assignTo: { email } })));
  assert.equal(human.clock.now() - began, 60 * MINUTE);
  assert.deepEqual([first.index, first.answer.approved, first.leftOpen], [1, true, []]);
  assert.deepEqual(
    Object.fromEntries(human.asked.map(({ assigned_to_email, status }) => [assigned_to_email, status])),
    { "dana@example.com": "cancelled", "kim@example.com": "completed", "lee@example.com": "cancelled" },
  );
});

void test("a program that stops waiting leaves its question open, or withdraws it", async () => {
  for (const [cancelOnAbort, status] of [
    [false, "created"],
    [true, "cancelled"],
  ] as const) {
    const human = createTestHuman(neverAnswer(), { time: "manual" });
    const stop = new AbortController();
    const { signal } = stop;
    const asking = human.client.awaitHuman({ ...question("Refund?"), signal, cancelOnAbort });
    await human.untilAsked();
    stop.abort(new Error("enough"));
    await assert.rejects(asking, /enough/);
    assert.equal(human.lastAsked.status, status);
    const sleeping = human.clock.sleep(1000, signal);
    await assert.rejects(sleeping, /enough/);
  }
});

void test("time that is moved by hand stands still while the program works", async () => {
  const human = createTestHuman(approve({ after: "5 minutes" }), { time: "manual" });
  let isAnswered = false;
  const program = (async () => {
    await human.client.awaitHuman(question("One?"));
    isAnswered = true;
    // Real work that the clock does not know about.
    await sleep(5);
    return human.client.awaitHuman(question("Two?"));
  })();
  await human.untilAsked(1);
  await sleep(5);
  assert.equal(human.clock.now(), Date.parse("2026-01-31T12:00:00.000Z"));
  await human.clock.advance("4 minutes");
  assert.equal(isAnswered, false);
  await human.clock.advance("1 minute");
  assert.equal(isAnswered, true);
  const second = await human.untilAsked(2);
  assert.equal(second.created_at, "2026-01-31T12:05:00.000Z");
  await human.clock.advance(5 * MINUTE);
  assert.equal((await program).approved, true);
});

void test("who moves the clock while it is being moved, moves it further", async () => {
  const human = createTestHuman();
  const began = human.clock.now();
  const sleeping = human.clock.sleep(60 * MINUTE);
  await Promise.all([human.clock.advance("1 minute"), human.clock.advance("1 minute")]);
  assert.equal(human.clock.now() - began, 2 * MINUTE);
  await sleeping;
  assert.equal(human.clock.now() - began, 60 * MINUTE);
});

void test("a runner's fake timers do not stop it", async (t) => {
  t.mock.timers.enable();
  const human = createTestHuman(approve({ after: "5 minutes" }));
  assert.equal((await human.client.awaitHuman(question("Refund?"))).approved, true);
});

void test("what is due now happens without anybody moving the clock or waiting for it", async () => {
  const human = createTestHuman(approve(), { time: "manual" });
  const asked = await human.client.ask(question("Refund?"));
  assert.equal((await asked.answer()).approved, true);
});

void test("a program that polls by itself hears when it would", async () => {
  const human = createTestHuman(approve({ after: "40 seconds" }));
  const { id } = await human.client.ask(question("Refund?"));
  const began = human.clock.now();
  assert.equal((await human.client.poll(id)).status, "created");
  assert.equal(human.clock.now() - began, 25_000);
  assert.equal((await human.client.poll(id, { timeoutSeconds: 60 })).status, "completed");
  assert.equal(human.clock.now() - began, 40_000);
});

void test("a program may sleep by the same clock, and decide without an answer", async () => {
  const human = createTestHuman(approve({ after: "2 hours" }));
  const stop = new AbortController();
  const winner = await Promise.race([
    human.client.awaitHuman({ ...question("Refund?"), signal: stop.signal }).then(() => "human"),
    human.clock.sleep(60 * MINUTE).then(() => "timer"),
  ]);
  assert.deepEqual([winner, human.lastAsked.status], ["timer", "created"]);
  stop.abort();
});

void test("a program that makes its own client has the same person before it", async () => {
  const human = createTestHuman(approve({ after: "8 hours" }));
  const client = createClient({ ...human.clientOptions, headers: { "x-gateway": "1" } });
  assert.equal((await client.awaitHuman(question("Refund?"))).approved, true);
  const silent = createTestHuman();
  const asking = createClient(silent.clientOptions).awaitHuman(question("Refund?"));
  await assert.rejects(asking, { code: "TEST_MISTAKE", message: /No rule for the task "Refund\?"/ });
});

void test("a service that is away for a while is waited for, and people go on meanwhile", async () => {
  const human = createTestHuman(approve({ after: "1 minute" }), { time: "manual" });
  const asking = human.client.awaitHuman(question("Refund?"));
  await human.untilAsked();
  human.unreachableFor("4 minutes");
  await human.clock.advance("2 minutes");
  assert.equal(human.lastAsked.status, "completed");
  await human.clock.advance("3 minutes");
  assert.equal((await asking).approved, true);
});

void test("a task is waited for by its id, also while the service is away", { timeout: 60_000 }, async () => {
  const human = createTestHuman(approve({ after: "1 hour" }));
  const { id } = await human.client.ask(question("Refund?"));
  human.unreachableFor("4 minutes");
  assert.deepEqual(await human.client.wait(id), { approved: true });
});

void test("a request that the service holds breaks off when it goes away", async () => {
  const human = createTestHuman(neverAnswer(), { time: "manual" });
  const { id } = await human.client.ask(question("Refund?"));
  const polling = human.client.poll(id);
  await human.clock.advance("1 second");
  human.unreachableFor("1 hour");
  await Promise.all([assert.rejects(polling, UnreachableError), human.clock.advance("10 minutes")]);
});

void test("a service that stays away is an error of its own", async () => {
  const human = createTestHuman(approve());
  human.unreachableFor("1 hour");
  await assert.rejects(human.client.awaitHuman(question("Refund?")), UnreachableError);
  // The service is back, and the program can ask again.
  await human.clock.advance("1 hour");
  assert.equal((await human.client.awaitHuman(question("Refund?"))).approved, true);
});

void test("what a task would resume is shown on it, by any connection, and nothing is sent", async () => {
  const sent: string[] = [];
  const human = createTestHuman(approve(), {
    deliver: async ({ url }) => {
      sent.push(url);
      return new Response(null, { status: 204 });
    },
  });
  const resume = [
    { connection: "temporal", workflow_id: "refund-1", signal: "decided", select: "response" as const },
    { url: "https://engine.example/waiting/secret" },
  ];
  const { answer, record } = await human.client.ask(question("Refund?", { resume }));
  const [temporal, url] = record.resume!;
  assert.deepEqual(temporal, { kind: "unknown", ...resume[0], status: "waiting", error: null, delivery_id: null });
  assert.deepEqual([url!.kind, url!.url, url!.select], ["url", "https://engine.example/…", "outcome"]);
  await answer();
  await human.clock.advance("3 days");
  assert.deepEqual(
    human.lastAsked.resume!.map(({ status }) => status),
    ["pending", "pending"],
  );
  assert.deepEqual([sent, human.callbacks], [[], []]);
});

void test("a handler of callbacks gets them signed, and again while it fails", async () => {
  const heard: Callback[] = [];
  let failures = 2;
  const human = createTestHuman(approve({ after: "1 hour" }), {
    deliver: async (request) => handler(request),
  });
  const handler = callbackHandler(human.payloadKey, (callback) => {
    if (failures-- > 0) throw new Error("the database is away");
    heard.push(callback);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const callbackUrl = "https://agent.example/callbacks";
  const { id } = await human.client.ask(question("Refund?", { callbackUrl }));
  // Nothing awaits the outcome. The expected callback makes the time pass.
  void human.clock.sleep(2 * 60 * MINUTE).then(resolve);
  await promise;
  assert.deepEqual(
    heard.map(({ task_id, status, response }) => [task_id, status, response]),
    [[id, "completed", { approved: true }]],
  );
  const [callback] = human.callbacks;
  assert.deepEqual([callback!.url, callback!.status, callback!.attempts.length], [callbackUrl, "delivered", 3]);
  assert.equal(callback!.attempts[2], 204);
});

void test("that a callback is expected makes the time pass", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const human = createTestHuman(neverAnswer(), {
    deliver: async () => {
      resolve(human.clock.now());
      return new Response();
    },
  });
  const began = human.clock.now();
  await human.client.ask(question("Refund?", { callbackUrl: "https://agent.example/" }));
  assert.equal((await promise) - began, DAY);
});

void test("a handler that never answers 2xx is given up after three days", async () => {
  const human = createTestHuman(approve(), { deliver: () => new Response(null, { status: 500 }) });
  const { id } = await human.client.ask(question("Refund?", { callbackUrl: "https://agent.example/" }));
  await human.clock.advance("3 days");
  assert.deepEqual([human.callbacks[0]!.status, human.callbacks[0]!.attempts.length], ["abandoned", 13]);
  assert.equal((await human.client.audit(id)).at(-1)!.action, "callback_abandoned");
});

void test("a handler that asks again gets its answer", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const human = createTestHuman(approve({ after: "1 hour" }), {
    deliver: async () => {
      resolve((await human.client.awaitHuman(question("And this one?"))).approved);
      return new Response();
    },
  });
  await human.client.ask(question("Refund?", { callbackUrl: "https://agent.example/" }));
  assert.equal(await promise, true);
});

void test("a task that is deleted is over for whoever waits for it", async () => {
  const human = createTestHuman(approve({ after: "1 hour" }), { time: "manual" });
  const asking = human.client.awaitHuman(question("Refund?"));
  const { id } = await human.untilAsked();
  await human.client.delete(id);
  await assert.rejects(asking, { code: "TASK_NOT_FOUND" });
  assert.equal(human.lastAsked.id, id);
});

void test("a person asks before they decide, the program replies, and the person goes on", async () => {
  const human = createTestHuman(
    asks("Which card was charged?", asks("When?", answer(true, { after: "1 hour" }), { after: "2 hours" }), {
      after: "1 day",
      by: "dana@example.com",
    }),
  );
  const heard: string[] = [];
  const said = await human.client.awaitHuman({
    task: "Refund?",
    timeoutSeconds: 7 * 86_400,
    onQuestion: ({ text, by }) => {
      heard.push(`${by.email}: ${text}`);
      return `Reply ${heard.length}`;
    },
  });
  assert.equal(said, true);
  assert.deepEqual(heard, ["dana@example.com: Which card was charged?", "person@example.com: When?"]);
  const { id } = human.lastAsked;
  assert.deepEqual(
    (await human.client.comments(id)).map(({ kind, text }) => `${kind}: ${text}`),
    ["question: Which card was charged?", "comment: Reply 1", "question: When?", "comment: Reply 2"],
  );
});

void test("a program that revises what it asks gets the answer to the new version", async () => {
  const human = createTestHuman(
    asks(
      "Does that include shipping?",
      answer(({ version, payload }: { version: number; payload: unknown }) => ({
        approved: true,
        note: `${version}: ${JSON.stringify(payload)}`,
      })),
    ),
  );
  const said = await human.client.awaitHuman({
    task: "Refund?",
    payload: { amount: 42.5 },
    responseSchema: {
      type: "object",
      properties: { approved: { type: "boolean" }, note: { type: "string" } },
      required: ["approved", "note"],
    } as const,
    onQuestion: () => ({ payload: { amount: 40 }, note: "Without shipping." }),
  });
  assert.equal(said.note, '2: {"amount":40}');
  assert.equal(human.lastAsked.version, 2);
});

void test("without a reply the person decides nothing, and the program learns that no one answered", async () => {
  const human = createTestHuman(asks("Which card?", answer(true)));
  await assert.rejects(human.client.awaitHuman({ task: "Refund?" }), NoAnswerError);
  assert.deepEqual([human.lastAsked.status, human.lastAsked.version], ["timed_out", 1]);
});

void test("a callback tells of a question, where the question of the program asks for it", async () => {
  const events: unknown[] = [];
  const human = createTestHuman(asks("Which card?", answer(true)), {
    deliver: async (request) => {
      const { event, comment } = (await request.json()) as { event?: string; comment?: { text: string } };
      events.push(event === undefined ? "the end" : [event, comment?.text]);
      if (event !== undefined) await human.client.comment(human.lastAsked.id, "4242");
      return new Response(null, { status: 204 });
    },
  });
  const callbackUrl = "https://agent.example/hook";
  await human.client.awaitHuman({ task: "Refund?", callbackUrl, callbackEvents: ["task.question"] });
  await human.clock.advance(0);
  assert.deepEqual(events, [["task.question", "Which card?"], "the end"]);
});
