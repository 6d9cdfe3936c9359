import assert from "node:assert/strict";
import { test } from "node:test";
import { planPayload } from "./payload.ts";
import { readReference } from "./reference.ts";
import { summarise } from "./summary.ts";

const FILE = {
  url: "https://files.example.com/invoice.pdf",
  sha256: "0123456789ab".padEnd(64, "c"),
  bytes: 24_310,
  media_type: "application/pdf",
  name: "invoice.pdf",
};

const planned = (payload: unknown) => planPayload({ payload, now: new Date(0) });

void test("an object with the five fields of a file in their right form is a file, and no other is", () => {
  assert.deepEqual(readReference(FILE), FILE);
  const upper = { ...FILE, sha256: FILE.sha256.toUpperCase(), media_type: "Application/PDF" };
  assert.deepEqual(readReference(upper), FILE);
  const { name: _name, ...four } = FILE;
  for (const other of [
    null,
    [FILE],
    four,
    { ...FILE, note: "a sixth" },
    { ...FILE, url: "ftp://files.example.com/a" },
    { ...FILE, url: "javascript:alert(1)" },
    { ...FILE, url: "https://user:secret@files.example.com/a" },
    { ...FILE, url: "https://files.example.com/a\nb" },
    { ...FILE, url: `https://files.example.com/${"a".repeat(2048)}` },
    { ...FILE, sha256: FILE.sha256.slice(1) },
    { ...FILE, bytes: "24310" },
    { ...FILE, bytes: 1.5 },
    { ...FILE, bytes: -1 },
    { ...FILE, media_type: "pdf" },
    { ...FILE, media_type: "application/pdf; charset=utf-8" },
    { ...FILE, name: " " },
  ])
    assert.equal(readReference(other), null, JSON.stringify(other));
});

void test("a file is shown with its name, type, size, digest and host, also in a list and at any depth", () => {
  const shown = {
    kind: "reference",
    name: "invoice.pdf",
    about: "application/pdf, 24 kB",
    text: "invoice.pdf (application/pdf, 24 kB, SHA-256 0123456789ab...)",
    sha256: FILE.sha256,
    href: FILE.url,
    host: "files.example.com",
    can_preview: true,
    is_image: false,
  };
  const place = { description: null, help: null };
  assert.deepEqual(planned({ scan: FILE }).nodes, [{ pointer: "/scan", title: "Scan", ...place, ...shown }]);
  const [list] = planned({ scans: [FILE, { ...FILE, name: "page 2.pdf" }] }).nodes;
  assert.deepEqual(list?.kind === "list" && list.items.map(({ kind }) => kind), ["reference", "reference"]);
  let deep: object = FILE;
  for (let i = 0; i < 10; i++) deep = { inside: deep };
  assert.match(JSON.stringify(planned(deep)), /"kind":"reference"/);
  const [large] = planned({ scan: { ...FILE, bytes: 10 * 1024 * 1024 + 1 } }).nodes;
  assert.ok(large?.kind === "reference" && !large.can_preview);
  const [text] = planned({ scan: { ...FILE, media_type: "image/svg+xml" } }).nodes;
  assert.ok(text?.kind === "reference" && !text.can_preview);
});

void test("a changed file is one change, and an equal one none", () => {
  const other = { ...FILE, sha256: "f".repeat(64), bytes: 25_000 };
  const [changes] = planned({ before: { scan: FILE, terms: FILE }, after: { scan: other, terms: FILE } }).nodes;
  assert.ok(changes?.kind === "changes");
  assert.deepEqual(
    changes.rows.map(({ title, change, before, after }) => [title, change, before?.kind, after?.kind]),
    [["Scan", "changed", "reference", "reference"]],
  );
  assert.equal(changes.unchanged, 1);
  const [pair] = planned({ old_scan: FILE, new_scan: other }).nodes;
  assert.equal(pair?.kind, "diff");
});

void test("a message has the file in one line, without its address", () => {
  assert.deepEqual(summarise(planned({ scan: { ...FILE, name: "a\u202Eb\nc.pdf" } }), 3), [
    { title: "Scan", text: "ab c.pdf (application/pdf, 24 kB, SHA-256 0123456789ab...)" },
  ]);
});
