import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { matchesGlob } from "node:path";
import { test } from "node:test";
import { FOUNDATIONS, ONLY_CHECKED, PROOFS, reachOf, SETS, touchedBy } from "./sets.ts";

const ALL = Object.keys(SETS);
// New files count before they are committed.
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
const FILES = listed.split("\n").filter(Boolean);

void test("every test file belongs to a set, and only to one", () => {
  const tests = FILES.filter((file) => file.endsWith(".test.ts"));
  assert.ok(tests.length > 150);
  const holding = (file: string) => ALL.filter((name) => SETS[name]!.files.some((glob) => matchesGlob(file, glob)));
  assert.deepEqual(
    tests.filter((file) => holding(file).length !== 1),
    [],
  );
});

void test("of every file it is known what has to be run when it changes", () => {
  assert.deepEqual(
    FILES.filter((file) => reachOf(file) === "unknown"),
    [],
  );
});

void test("every room that a set names is there", () => {
  const rooms = [...ALL.flatMap((name) => SETS[name]!.rooms), ...PROOFS, ...FOUNDATIONS, ...ONLY_CHECKED];
  assert.deepEqual(
    rooms.filter((room) => !FILES.some((file) => (room.endsWith("/") ? file.startsWith(room) : file === room))),
    [],
  );
});

void test("a test runs with its set, a room with all that rest on it, and what nobody has thought of with everything", () => {
  assert.deepEqual(touchedBy([]), { sets: [], proofs: false });
  assert.deepEqual(touchedBy(["src/tasks/claims.test.ts"]), { sets: ["service"], proofs: false });
  assert.deepEqual(touchedBy(["test/replicas/restarts.test.ts"]), { sets: ["processes"], proofs: false });
  assert.deepEqual(touchedBy(["docs/frameworks/langgraph.md"]), {
    sets: ["guides", "frameworks", "adapters", "words"],
    proofs: false,
  });
  assert.deepEqual(touchedBy(["src/tasks/claims.ts"]), {
    sets: ["pages", "frameworks", "processes", "service", "client", "words"],
    proofs: true,
  });
  assert.deepEqual(touchedBy(["bench/main.ts"]), { sets: [], proofs: false });
  for (const file of ["package-lock.json", "test/support/postgres.ts", "a-new-room/file.ts", "new.test.ts"])
    assert.deepEqual(touchedBy(["docs/quickstart.md", file]), { sets: ALL, proofs: true }, file);
});
