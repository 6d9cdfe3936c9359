import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnifiedDiff } from "../../../form/payload/unified-diff.ts";
import { readDiff } from "./diff-lines.ts";

void test("lines have the numbers of both sides, and content that looks like a head is content", () => {
  const [file, ...others] = readDiff(
    "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@ orders\n select 1\n--- note\n-x\n+++ y\n",
  );
  assert.deepEqual([others, file?.after, file?.added, file?.removed], [[], "q.sql", 1, 2]);
  assert.deepEqual(
    file?.hunks[0]?.lines.map(({ kind, before, after, text }) => [kind, before, after, text]),
    [
      ["same", 1, 1, "select 1"],
      ["removed", 2, null, "-- note"],
      ["removed", 3, null, "x"],
      ["added", null, 2, "++ y"],
    ],
  );
});

void test("a diff whose counts are wrong keeps all of its lines", () => {
  const [one, two] = readDiff(
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n+d\n\n e\n--- a/y\n+++ b/y\n@@ -5,2 +5,2 @@\n-f\n+g\n",
  );
  assert.equal(one?.hunks[0]?.lines.length, 6);
  assert.deepEqual([two?.before, two?.hunks[0]?.lines.map(({ text }) => text)], ["y", ["f", "g"]]);
});

void test("new, deleted and renamed files are named, and so is what is before the first file", () => {
  const files = readDiff(
    "A note\ndiff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n--- a/gone\t2026\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
  );
  assert.deepEqual(
    files.map(({ before, after, head }) => [before, after, head.length]),
    [
      [null, null, 1],
      ["gone", null, 4],
    ],
  );
});

void test("a text is a diff by the head of a file and a hunk", () => {
  assert.ok(isUnifiedDiff("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n"));
  for (const text of [
    "--- a rule\nand more",
    "diff --git a/x b/x",
    "- one\n+ two",
    "See\n--- a/x\n+++ b/x\n@@ -1 +1 @@",
  ])
    assert.equal(isUnifiedDiff(text), false, text);
});
