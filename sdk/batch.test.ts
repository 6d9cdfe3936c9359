import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, createMany, HumanTaskError } from "./batch.ts";
import type { Question } from "./question.ts";
import { createTestHuman } from "./testing/human.ts";
import { neverAnswer } from "./testing/rules.ts";

/** Starts a service in memory. `requests` has the number of tasks of each request for many. */
function start() {
  const { clientOptions, client } = createTestHuman(neverAnswer());
  const requests: number[] = [];
  const counted: typeof fetch = async (input, init) => {
    if (typeof init?.body === "string") requests.push((JSON.parse(init.body) as { tasks: unknown[] }).tasks.length);
    return clientOptions.fetch(input, init);
  };
  return { client, requests, options: { ...clientOptions, fetch: counted } };
}

void test("many questions are asked with few requests, and each has its own result", async () => {
  const { client, requests, options } = start();
  const questions = Array.from({ length: 150 }, (_, i): Question => ({ task: `Refund number ${i}?` }));
  questions[3] = { task: "Too short?", timeoutSeconds: 1 };
  const results = await createMany(questions, options);
  assert.deepEqual(requests, [100, 50]);
  for (const [i, result] of results.entries()) {
    if (i === 3) {
      assert.ok(result instanceof ApiError);
      assert.deepEqual([result.status, result.code], [422, "VALIDATION_FAILED"]);
      assert.deepEqual(
        result.details.map(({ path }) => path),
        ["/timeout_seconds"],
      );
      continue;
    }
    assert.ok(!(result instanceof Error));
    assert.deepEqual([result.isReplay, result.record.task], [false, questions[i]!.task]);
    assert.equal(result.url, `http://human.test/tasks/${result.id}`);
  }
  const again = await createMany(questions.slice(0, 3), options);
  assert.deepEqual(
    again.map((one) => !(one instanceof Error) && [one.id, one.isReplay]),
    results.slice(0, 3).map((one) => !(one instanceof Error) && [one.id, true]),
  );
  assert.equal((await client.ask(questions[0]!)).isReplay, true, "a single question has the same key");
});

void test("questions that are long together are in several requests", async () => {
  const { requests, options } = start();
  const long = (length: number): Question => ({ task: "Read this?", payload: { text: "x".repeat(length) } });
  const results = await createMany([long(100_000), long(100_001), long(100_002), long(400_000), long(1)], options);
  assert.ok(results.every((one) => !(one instanceof Error)));
  assert.deepEqual(requests, [2, 1, 1, 1]);
  assert.deepEqual(await createMany([], options), []);
});

void test("a key that belongs to another question is an error of its own", async () => {
  const { options } = start();
  const [first, second] = await createMany(
    [
      { task: "Refund?", idempotencyKey: "k" },
      { task: "Delete?", idempotencyKey: "k" },
    ],
    options,
  );
  assert.ok(!(first instanceof Error) && second instanceof HumanTaskError);
  assert.deepEqual([second.code, second.taskId], ["OTHER_QUESTION", first!.id]);
});
