import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildRenderer } from "../../build.ts";
import type * as Pieces from "./markdown-pieces.tsx";

const folder = mkdtempSync(join(tmpdir(), "markdown-pieces-"));
after(() => rmSync(folder, { recursive: true }));
await buildRenderer(join(import.meta.dirname, "markdown-pieces.tsx"), folder);
const { readPieces } = (await import(join(folder, "markdown-pieces.js"))) as typeof Pieces;

/** Each reading of the clock is `step` milliseconds later. Start times of tests are far apart. */
let started = 1e6;
function newClock(step: number): () => number {
  started += 1e6;
  let time = started;
  return () => (time += step);
}

void test("a text that is not long is read as a whole", () => {
  const { pieces, rest } = readPieces(`[a][1]\n\n${"word ".repeat(700)}\n\n[1]: https://example.com`, newClock(0));
  assert.deepEqual([pieces.length, rest], [1, ""]);
});

void test("a long text is read in pieces that end at empty lines, never within a block of code, and nothing is lost", () => {
  const block = "```\ncode\n\nmore\n```\n\nsome **text**\n\n";
  const text = block.repeat(1_000);
  const { pieces, rest } = readPieces(text, newClock(0));
  assert.equal(rest, "");
  assert.ok(pieces.length > 8 && pieces.every((piece) => piece.text.length <= 5_100));
  const codes = pieces.flatMap(({ tree }) => tree.children.filter(({ type }) => type === "code"));
  assert.equal(codes.length, 1_000);
});

void test("a link finds its address in any piece", () => {
  const text = `See [there][1].\n\n${"A line of text.\n\n".repeat(400)}\n\n[1]: https://example.com\n`;
  const { pieces } = readPieces(text, newClock(0));
  assert.ok(pieces.length > 1);
  assert.match(JSON.stringify(pieces[0]!.tree), /"linkReference"/);
});

void test("when the time is up, the rest stays as it was written; and it is one time for all texts of a page", () => {
  const text = "a\n=\n\n".repeat(4_000);
  const clock = newClock(60);
  const first = readPieces(text, clock);
  assert.ok(first.pieces.length > 0 && first.pieces.length < 10);
  assert.ok(first.rest.length > 0 && text.endsWith(first.rest));
  const second = readPieces(text, clock);
  assert.deepEqual([second.pieces.length, second.rest === text], [0, true]);
  assert.ok(readPieces(text, newClock(60)).pieces.length > 0);
});

void test("without an empty line, a long text stays as it was written", () => {
  const text = "a\n=\n".repeat(9_750);
  assert.deepEqual(readPieces(text, newClock(0)), { pieces: [], rest: text });
});

void test("thousands of marks stay as they were written", () => {
  const text = "[a".repeat(2_001);
  assert.deepEqual(readPieces(text, newClock(0)), { pieces: [], rest: text });
});
