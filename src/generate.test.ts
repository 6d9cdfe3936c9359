import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { generate } from "./generate.ts";

test("the generated files are up to date", async () => {
  for (const [path, content] of Object.entries(await generate())) {
    const kept = await readFile(new URL(`../${path}`, import.meta.url), "utf8");
    assert.ok(kept === content, `${path} is out of date: run npm run generate`);
    assert.ok(content.endsWith("\n") && !content.endsWith("\n\n"), path);
  }
});
