import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { keyOf } from "./idempotency.ts";
import type { CreateTask } from "./shapes.ts";

type Content = CreateTask & { occasion?: string };
const VECTORS = JSON.parse(readFileSync(new URL("idempotency.vectors.json", import.meta.url), "utf8")) as {
  name: string;
  content: Content;
  key: string;
}[];

for (const { name, content, key } of VECTORS)
  void test(`a key of the content, as another language makes it: ${name}`, async () => {
    const { occasion, ...question } = content;
    assert.equal(await keyOf(question, occasion), key);
  });

void test("how long it stays open, and whom it calls back, make no other question of it", async () => {
  const { content, key } = VECTORS[0]!;
  const changed = {
    ...content,
    timeout_seconds: 60,
    callback_url: "http://127.0.0.1/",
    redact_payload: true,
    notify: null,
  };
  assert.equal(await keyOf(changed, undefined), key);
});
