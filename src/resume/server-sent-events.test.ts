import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as assertProperty, array, integer, property } from "fast-check";
import { readEvents } from "./server-sent-events.ts";

function read(text: string, sizes: readonly number[] = []): string[] {
  const events: string[] = [];
  const take = readEvents((data) => events.push(data));
  let rest = Buffer.from(text);
  for (const size of sizes) {
    take(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  take(rest);
  return events;
}

void test("the data of events is read, and comments, names and ids are not", () => {
  assert.deepEqual(read('data: {"a":1}\n\n: ping\n\nevent: x\nid: 7\ndata:b\ndata: c\n\ndata\n\n'), [
    '{"a":1}',
    "b\nc",
    "",
  ]);
});

void test("an event that has not ended is not read", () => {
  assert.deepEqual(read("data: a\n\ndata: b\n"), ["a"]);
});

void test("in whatever pieces and with whatever line ends they come, the events are the same", () => {
  assertProperty(
    property(array(integer({ min: 1, max: 9 })), (sizes) => {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = ["data: Größe", "data: 2", "", "data: b", "", ": end"].join(end);
        assert.deepEqual(read(text, sizes), ["Größe\n2", "b"]);
      }
    }),
  );
});

void test("an event beyond 1 MiB is left out, in one line or in many, and the next one is read", () => {
  const line = `data: ${"x".repeat(300_000)}\n`;
  assert.deepEqual(read(`${line.repeat(4)}\ndata: a\n\n`), ["a"]);
  const long = `data: ${"x".repeat(3_000_000)}`;
  assert.deepEqual(read(`${long}\ndata: more\n\ndata: a\n\n`, [1_500_000, 10, 10]), ["a"]);
});
