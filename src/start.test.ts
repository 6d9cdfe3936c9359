import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pino } from "pino";
import { readConfig } from "./config.ts";
import { createContext } from "./start.ts";

type Ending = Partial<Record<"close" | "stop", () => unknown>>;

void test("the end of a context ends every part that can be ended, and the database last", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "context-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const { config } = readConfig({ SERVICE_DATA_DIR: dataDir }, () => ({
    adminToken: "unused",
    secretKey: Buffer.alloc(32).toString("base64"),
    payloadKey: Buffer.alloc(32).toString("base64"),
  }));
  const ctx = await createContext(config, pino({ level: "silent" }));
  const parts: string[] = [];
  const ended: string[] = [];
  for (const [name, part] of Object.entries(ctx)) {
    for (const how of ["close", "stop"] as const) {
      const end = (part as Ending | null)?.[how];
      if (typeof end !== "function") continue;
      parts.push(name);
      (part as Ending)[how] = () => {
        ended.push(name);
        return end();
      };
    }
  }
  await ctx.close();
  assert.deepEqual(ended.toSorted(), parts.toSorted());
  assert.ok(parts.length >= 8, parts.join());
  assert.equal(ended.at(-1), "db");
});
