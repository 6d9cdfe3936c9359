import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { pino } from "pino";
import type { ServiceError } from "../errors.ts";
import { createVerify } from "./verify.ts";

void test("where a provider's packages are not installed, it is said which ones", async (t) => {
  // As where only the service was installed.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === "ai" || specifier.startsWith("@ai-sdk/") ? `${specifier}-not-there` : specifier, context),
  });
  t.after(() => hooks.deregister());
  const settings = { keyEnvs: [], keys: { OPENAI_API_KEY: "k" }, baseUrls: { openai: "http://127.0.0.1:9/v1" } };
  const verify = createVerify({ settings, log: pino({ level: "silent" }) });
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
      error.code === "VERIFIER_PROVIDER_UNAVAILABLE" && error.message.includes("npm install ai @ai-sdk/openai"),
  );
});
