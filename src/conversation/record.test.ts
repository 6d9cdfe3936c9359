import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "./record.ts";

void test("a message says what a comment says, and then each file that it names, in a line", () => {
  const sha256 = "0123456789abcdef".repeat(4);
  const scan = { url: "https://files.example.com/1", sha256, bytes: 812, media_type: "image/png", name: "scan.png" };
  assert.equal(textOf({ text: "See <this>.", files: [] }), "See <this>.");
  assert.equal(
    textOf({ text: "See both.", files: [scan, { ...scan, bytes: 12_000_000, name: "large.png" }] }),
    "See both.\nscan.png (image/png, 812 bytes, SHA-256 0123456789ab...)\nlarge.png (image/png, 12 MB, SHA-256 0123456789ab...)",
  );
});
