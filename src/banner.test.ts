import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { pino } from "pino";
import { logStarted, startedText, type Started } from "./banner.ts";
import { SAMPLE_TASK } from "./lib/sample-task.ts";
import { readConfig } from "./config.ts";

const TOKEN = "sat_only-shown-once";
const LOCAL_TOKEN = "hts_agent_can-only-ask";

function started(change: Partial<Started> = {}, env: Record<string, string> = {}): Started {
  const { config } = readConfig({ SERVICE_DATA_DIR: "./data", ...env }, () => ({
    adminToken: TOKEN,
    secretKey: Buffer.alloc(32, 1).toString("base64"),
    payloadKey: Buffer.alloc(32, 2).toString("base64"),
  }));
  return {
    config,
    version: "1.2.3",
    address: "http://127.0.0.1:3000",
    isNewDatabase: true,
    hasNewSecrets: true,
    isOwnToken: false,
    setupToken: null,
    localToken: LOCAL_TOKEN,
    warnings: [],
    ...change,
  };
}

const plain = (change?: Partial<Started>, env?: Record<string, string>) =>
  startedText(started(change, env), { color: false });

test("the first start shows the admin token, and a call of an agent that works as it stands", () => {
  const text = plain();
  assert.match(text, /Human Task Service 1\.2\.3 is running at http:\/\/localhost:3000\n/);
  assert.match(text, /sqlite {2}\.\/data\/service\.db {2}\(new\)/);
  assert.match(text, /\(new, saved in \.\/data\/secrets\.json;/);
  assert.match(text, new RegExp(`curl -s http://localhost:3000/api/tasks -H "Authorization: Bearer ${LOCAL_TOKEN}"`));
  const [, body] = /-d '([^']*)'\n/.exec(text) ?? [];
  assert.deepEqual(JSON.parse(body!), SAMPLE_TASK);
  assert.equal(SAMPLE_TASK.timeout_seconds, 3600);
});

test("the first start says whether forms can be embedded, and where", () => {
  assert.match(plain(), /Embed {7}off: set SERVICE_EMBED_SIGNING_SECRET\n/);
  const env = {
    SERVICE_EMBED_SIGNING_SECRET: "0123456789abcdef".repeat(4),
    SERVICE_EMBED_PARENT_ORIGINS: "https://app.example.com",
  };
  assert.match(plain({}, env), /Embed {7}on, for https:\/\/app\.example\.com\n/);
  assert.ok(!plain({}, env).includes("0123456789abcdef"));
});

test("later starts say where it runs and what is off, and no secret", () => {
  const text = plain({ isNewDatabase: false, hasNewSecrets: false, warnings: ["Callbacks are off."] });
  assert.equal(text, "\n  Human Task Service 1.2.3 is running at http://localhost:3000\n\n  Callbacks are off.\n\n");
});

test("the setup link is shown at every start until it was used", () => {
  const link = "Set up      http://localhost:3000/setup#token=once";
  assert.ok(plain({ setupToken: "once" }).includes(link));
  assert.ok(plain({ setupToken: "once", isNewDatabase: false, hasNewSecrets: false }).includes(link));
  assert.ok(!plain().includes("Set up"));
});

test("a token that is not new is not shown", () => {
  const kept = plain({ hasNewSecrets: false });
  assert.match(kept, /Admin token in \.\/data\/secrets\.json\n/);
  assert.ok(!kept.includes(TOKEN));

  const own = plain({ isOwnToken: true }, { SERVICE_ADMIN_API_TOKEN: "my-own-long-token" });
  assert.ok(!own.includes("my-own-long-token") && !own.includes(TOKEN));
  assert.match(own, /Admin token the one in SERVICE_ADMIN_API_TOKEN\n/);
  // Without the local agent, such as after an operator deleted it.
  assert.match(plain({ localToken: null }), /Bearer \$SERVICE_TOKEN"/);
});

test("without a terminal for it there is no colour", () => {
  // oxlint-disable-next-line no-control-regex -- an escape sequence is what it looks for
  const escapes = /\x1b\[/;
  assert.match(startedText(started(), { color: true }), escapes);
  assert.doesNotMatch(plain(), escapes);
});

test("where the system chose the port, the address says it", () => {
  assert.match(plain({ address: "http://127.0.0.1:4567" }, { SERVICE_PORT: "0" }), /at http:\/\/127\.0\.0\.1:4567\n/);
});

test("a log is told the same, and never a secret", () => {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  const { config } = started();
  logStarted(started({ warnings: ["Callbacks are off."] }), pino(sink));
  const text = JSON.stringify(lines);
  for (const secret of [
    TOKEN,
    LOCAL_TOKEN,
    ...[config.secretKey, config.payloadKey!].map((key) => Buffer.from(key).toString("base64")),
  ])
    assert.ok(!text.includes(secret));
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ["Callbacks are off.", "Secrets created", "Human Task Service is running"],
  );
  assert.equal(lines.at(-1)!["url"], "http://localhost:3000");
});
