import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { pino } from "pino";
import type { ServiceError } from "../errors.ts";
import type * as Thread from "./thread.ts";
import type * as Verifier from "./verify.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

void test("where a provider's packages are not installed, it is said which ones", async (t) => {
  // As where only the service was installed: its sources are somewhere else, with what they need and no more.
  const place = mkdtempSync(join(tmpdir(), "not-installed-test-"));
  t.after(() => rmSync(place, { recursive: true }));
  for (const folder of ["src", "threads"]) cpSync(here(`../../${folder}`), join(place, folder), { recursive: true });
  cpSync(here("../../package.json"), join(place, "package.json"));
  mkdirSync(join(place, "node_modules"));
  symlinkSync(here("../../node_modules/cockatiel"), join(place, "node_modules/cockatiel"));
  const copy = (file: string) => pathToFileURL(join(place, "src/verifier", file)).href;
  const { createVerify } = (await import(copy("verify.ts"))) as typeof Verifier;
  const { createVendorThread } = (await import(copy("thread.ts"))) as typeof Thread;

  const log = pino({ level: "silent" });
  const vendors = createVendorThread({ log, charactersMax: 1_000_000 });
  t.after(() => vendors.close());
  const settings = { keyEnvs: [], keys: { OPENAI_API_KEY: "k" }, baseUrls: { openai: "http://127.0.0.1:9/v1" } };
  const verify = createVerify({ settings, vendors, log });
  const config = {
    provider: "openai",
    instructions: "x",
    model: "m",
    max_attempts: 3,
    api_key_env: "OPENAI_API_KEY",
  } as const;
  await assert.rejects(
    () => verify(config, { task: "t", payload: {}, response: {} }),
    (error: ServiceError) =>
      error.code === "VERIFIER_PROVIDER_UNAVAILABLE" &&
      JSON.stringify(error.details).includes("npm install ai @ai-sdk/openai"),
  );
});
