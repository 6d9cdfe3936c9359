import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { timeOfId } from "../lib/ids.ts";
import { contentsOf, onBoth, runDoctor, runText, startPatient, withoutService } from "../../test/support/doctor.ts";
import { openPooler } from "../../test/support/pooler.ts";
import { onePostgres } from "../../test/support/postgres.ts";
import { expectedSignature, startReceiver } from "../../test/support/receiver.ts";
import { PAYLOAD_KEY } from "../../test/support/service.ts";
import { startSlack } from "../../test/support/slack.ts";
import { startSmtp } from "../../test/support/smtp.ts";
import { startVendors } from "../../test/support/vendors.ts";
import { BOT_SCOPES } from "../channels/slack/workspaces/manifest.ts";
import { reportText, secretsIn } from "./doctor/report.ts";
import { UsageError } from "./options.ts";
import { runCommand } from "./run.ts";

const ESCAPE = "\u001B";
const SMTP_PASSWORD = "a-password-of-the-mail-server";

/** Everything that there is to set up, each with somebody at the other end. */
async function startOthers(t: TestContext) {
  const smtp = await startSmtp({
    onAuth: ({ username, password }, _session, done) =>
      password === SMTP_PASSWORD ? done(null, { user: username }) : done(new Error(`${password} is wrong`)),
  });
  const slack = await startSlack({ scopes: BOT_SCOPES });
  const vendors = await startVendors();
  const receiver = await startReceiver();
  t.after(() => Promise.all([smtp.close(), slack.close(), vendors.close(), receiver.close()]));
  const env = {
    SERVICE_EMAIL_FROM: "Approvals <approvals@example.com>",
    SERVICE_SMTP_URL: `smtp://ada:${SMTP_PASSWORD}@127.0.0.1:${smtp.port}`,
    SERVICE_SLACK_BOT_TOKEN: slack.token,
    SERVICE_SLACK_APP_TOKEN: slack.appToken,
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_SLACK_API_URL: slack.apiUrl,
    SERVICE_EMBED_SIGNING_SECRET: randomBytes(32).toString("hex"),
    SERVICE_EMBED_PARENT_ORIGINS: "https://shop.example.com",
    SERVICE_VERIFIER_KEY_ENVS: "OUR_VENDOR",
    OUR_VENDOR: "the-key-of-a-vendor-of-ours",
    ...vendors.env,
  };
  return { smtp, slack, vendors, receiver, env };
}

onBoth("where all is well it says so, sends what it is asked to and changes nothing", async (dialect, t) => {
  const { smtp, slack, vendors, receiver, env: others } = await startOthers(t);
  const { service, env } = await startPatient(t, dialect, others);
  const contents = await contentsOf(service.ctx.config);
  const args = ["--callback-url", receiver.url, "--mail-to", "dana@example.com"];
  const { code, out, err, status, says } = await runDoctor(env, args);
  assert.equal(err, "");
  const { disk: _asThisMachineIs, ...rest } = status;
  assert.deepEqual(rest, {
    settings: "ok",
    // The tests' server gives up durability to be fast.
    database: dialect === "sqlite" ? "ok" : "warning",
    schema: "ok",
    writing: "ok",
    "public-url": "ok",
    connections: "off",
    events: "off",
    proxy: "off",
    clock: "ok",
    callbacks: "ok",
    "callback-test": "ok",
    // Links lead to this machine.
    mail: "warning",
    "mail/default": "ok",
    "mail-test/default": "ok",
    "slack/environment": "ok",
    "slack-requests": "ok",
    "sign-in": "off",
    keys: "ok",
    "verifier/anthropic": "ok",
    "verifier/openai": "ok",
    "verifier/google": "ok",
    "verifier/azure": "ok",
    verifier: "ok",
    embed: "ok",
  });
  assert.equal(code, 0);

  assert.equal(receiver.received.length, 1);
  const { body, headers, task_id } = receiver.received[0]!;
  assert.equal(headers["x-service-signature"], expectedSignature(PAYLOAD_KEY, body));
  assert.deepEqual(JSON.parse(body), {
    task_id,
    idempotency_key: `test-of-callbacks-${task_id}`,
    status: "cancelled",
    response: null,
    completed_at: null,
    timed_out_at: null,
    completed_by_email: null,
    completed_via_channel: null,
    verification_attempt: 0,
    cancelled_at: new Date(timeOfId(task_id)).toISOString(),
    cancelled_by: null,
    cancel_reason: null,
    asked_by: { kind: "admin", id: null, name: "admin" },
    on_behalf_of: null,
    decided_by: null,
  });
  assert.match(says("callback-test"), /returned 200 after \d+ ms\. It said "ok"/);
  assert.deepEqual(
    smtp.received.map(({ to }) => to),
    [["dana@example.com"]],
  );
  assert.equal((await smtp.to("dana@example.com")).subject, "Test of the Human Task Service");
  assert.deepEqual(
    slack.calls.map(({ method }) => method).toSorted(),
    ["apps.connections.open", "auth.test"],
    "nothing is said in Slack",
  );
  assert.deepEqual(vendors.asked, [], "no vendor is called");
  assert.deepEqual(await contentsOf(service.ctx.config), contents);
  for (const secret of secretsIn(env, null)) assert.ok(!out.includes(secret));
});

onBoth("to people it tells one line each, aligned and without colours, and the sum of them", async (dialect, t) => {
  const { env } = await startPatient(t, dialect);
  const { code, out, err } = await runText(env);
  assert.deepEqual([code, err], [0, ""]);
  const lines = out.trimEnd().split("\n");
  assert.equal(lines.pop(), dialect === "sqlite" ? "No problems found." : "0 problems, 2 warnings.");
  assert.equal(lines.pop(), "");
  const columns = lines.map((line) => /^(ok|warning|problem|off) +[a-z-]+ +/.exec(line)?.[0].length);
  assert.equal(new Set(columns).size, 1, out);
  assert.ok(!out.includes(ESCAPE));
});

void test("a terminal gets the same in colours", () => {
  const findings = [
    { name: "mail", status: "ok", message: "Well." },
    { name: "slack", status: "problem", message: "Not well." },
  ] as const;
  const text = reportText(findings, { color: true });
  const lines = [
    `${ESCAPE}[32mok     ${ESCAPE}[39m  mail   Well.`,
    `${ESCAPE}[31mproblem${ESCAPE}[39m  slack  Not well.`,
    "",
    "1 problem, 0 warnings.",
    "",
  ];
  assert.equal(text, lines.join("\n"));
  assert.equal(stripVTControlCharacters(text), reportText(findings, { color: false }));
});

void test("what is not understood ends with 2 and the help, and nothing is looked at", async (t) => {
  const { code, out, err } = await runText(withoutService(t), ["--callback-url", "not an address"]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^--callback-url takes a URL\.\n[^]*doctor \[--callback-url/);
  const wrong = [
    ["--nonsense"],
    ["more"],
    ["--mail-to", "nobody"],
    ["--timeout", "0"],
    ["--timeout", "1s"],
    ["--json=yes"],
  ];
  const unexpected = () => assert.fail("nothing is to be looked at");
  const output = { result: unexpected, note: unexpected };
  const around = { env: {}, output, ask: null, color: false, finish: unexpected, exit: unexpected };
  for (const args of wrong) await assert.rejects(runCommand(["doctor", ...args], around), UsageError, args.join(" "));
});

void test("settings that cannot work are told in their sentences, all of them", async (t) => {
  const env = withoutService(t, { SERVICE_PORT: "x", SERVICE_LOG_LEVEL: "loud" });
  const { code, findings } = await runDoctor(env);
  assert.equal(code, 1);
  assert.deepEqual(
    findings.map(({ name, status, message }) => [name, status, message.split(" ")[0]]),
    [
      ["settings", "problem", "SERVICE_PORT"],
      ["settings", "problem", "SERVICE_LOG_LEVEL"],
      ["everything-else", "off", "Not"],
    ],
  );
});

void test("before the first start it says so, and makes no secret, no database and no folder", async (t) => {
  const { SERVICE_DATA_DIR: parent = "" } = withoutService(t);
  const dataDir = join(parent, "data");
  const { code, status, says } = await runDoctor({ SERVICE_DATA_DIR: dataDir, SERVICE_PORT: "9" }, [
    "--callback-url",
    "http://127.0.0.1:9/",
  ]);
  assert.equal(code, 1);
  assert.deepEqual([status["settings"], status["database"]], ["warning", "warning"]);
  assert.match(says("settings"), /secrets\.json does not exist yet\. The first start creates it/);
  assert.match(says("callback-test"), /no signing key yet\. The first start/);
  assert.deepEqual(readdirSync(parent), []);
});

void test("the secrets of the data directory are used, and not shown", async (t) => {
  const { SERVICE_DATA_DIR: dataDir = "" } = withoutService(t);
  const { loadSecrets, rotateSecrets } = await import("../secrets.ts");
  const { secrets } = loadSecrets(dataDir);
  let echoed = `${secrets.payloadKey} ${secrets.adminToken}`;
  const echo = await startReceiver((response) => response.end(echoed));
  t.after(() => echo.close());
  const { out, says, status } = await runDoctor({ SERVICE_DATA_DIR: dataDir, SERVICE_PORT: "9" }, [
    "--callback-url",
    echo.url,
  ]);
  assert.equal(status["callback-test"], "ok", out);
  const { body, headers } = echo.received[0]!;
  assert.equal(headers["x-service-signature"], expectedSignature(secrets.payloadKey, body));
  assert.match(says("callback-test"), /It said "\*\*\* \*\*\*"/);
  for (const secret of Object.values(secrets)) assert.ok(!out.includes(secret));
  assert.deepEqual(readdirSync(dataDir), ["secrets.json"]);
  assert.ok(!existsSync(join(dataDir, "service.db")));

  // Nor are previous values, of the data directory and of the environment.
  rotateSecrets(dataDir, ["adminToken", "payloadKey"]);
  const SERVICE_SECRET_KEY_PREVIOUS = Buffer.alloc(32, 3).toString("base64");
  const env = { SERVICE_DATA_DIR: dataDir, SERVICE_PORT: "9", SERVICE_SECRET_KEY_PREVIOUS };
  echoed = `${secrets.adminToken} ${SERVICE_SECRET_KEY_PREVIOUS}`;
  const during = await runDoctor(env, ["--callback-url", echo.url]);
  assert.match(during.says("callback-test"), /It said "\*\*\* \*\*\*"/);
});

void test("a pooler in transaction mode is told of, with the cure (PostgreSQL)", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  const pooler = await openPooler(url);
  t.after(async () => {
    await pooler.close();
    await drop();
  });
  const { out, status } = await runDoctor(withoutService(t, { SERVICE_DATABASE_URL: pooler.url }));
  assert.match(out, /LISTEN does not work.*pool_mode = session/);
  assert.equal(status["writing"], "ok");
});

void test("no secret is shown, whoever repeats it, and no stranger draws on the terminal", async (t) => {
  const { env: others } = await startOthers(t);
  const env = withoutService(t, {
    ...others,
    SERVICE_SMTP_URL: others.SERVICE_SMTP_URL.replace(SMTP_PASSWORD, "not%20the-password"),
    // Nobody listens there; what is left of the address is told.
    SERVICE_DATABASE_URL: "postgres://ada:sesame-of-the-database@127.0.0.1:9/tasks",
  });
  const secrets = secretsIn(env, null);
  const echo = await startReceiver((response) => response.end(`${ESCAPE}[31m\r\n${secrets.join(" ").slice(0, 4000)}`));
  t.after(() => echo.close());
  const { out, err, says } = await runDoctor(env, ["--callback-url", echo.url]);
  assert.match(says("mail/default"), /refused_login.*\*\*\* is wrong/);
  assert.match(says("callback-test"), /It said " \[31m \*\*\*/);
  assert.ok(secrets.length >= 12, "as many as are set");
  for (const secret of secrets) assert.ok(!(out + err).includes(secret), "a secret is shown");
});

void test("who does not answer is told after a while, and keeps nobody else waiting", async (t) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  silent.on("connection", (socket) => socket.on("error", () => {}));
  const { port } = silent.address() as AddressInfo;
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const env = withoutService(t, {
    SERVICE_DATABASE_URL: `postgres://ada@127.0.0.1:${port}/tasks`,
    SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SERVICE_EMAIL_FROM: "approvals@example.com",
    SERVICE_SMTP_URL: `smtp://127.0.0.1:${port}`,
    SERVICE_SLACK_BOT_TOKEN: "xoxb-some-token",
    SERVICE_SLACK_APP_TOKEN: "xapp-1-some-token",
    SERVICE_SLACK_API_URL: `http://127.0.0.1:${port}/`,
  });
  const { code, status, says, stayedMs } = await runDoctor(env, ["--timeout", "3", "--callback-url", receiver.url]);
  assert.equal(code, 1);
  for (const name of ["database", "public-url", "mail/default", "slack/environment", "slack-requests"]) {
    assert.equal(status[name], "problem", name);
    assert.match(says(name), /longer than 3 s/, name);
  }
  assert.equal(status["callback-test"], "ok");
  // A connection to a mail server is given up after 20 s.
  assert.ok(stayedMs < 10_000, "it ends when everything is said");
});
