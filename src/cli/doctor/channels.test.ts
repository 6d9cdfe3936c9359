import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { before, onBoth, runDoctor, startPatient, startStandIn, withoutService } from "../../../test/support/doctor.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { startReceiver } from "../../../test/support/receiver.ts";
import { startSlack } from "../../../test/support/slack.ts";
import { startSmtp } from "../../../test/support/smtp.ts";
import { VENDOR_KEY } from "../../../test/support/vendors.ts";
import { BOT_SCOPES } from "../../channels/slack/workspaces/manifest.ts";

onBoth("each sender of mail is tried, and told by its own line", async (dialect, t) => {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const nobody = await freePort();
  const { service, env } = await startPatient(t, dialect, {
    SERVICE_EMAIL_FROM: "approvals@example.com",
    SERVICE_SMTP_URL: `smtp://ada:wrong-password@127.0.0.1:${smtp.port}`,
  });
  const add = (id: string, transport: string, transport_config: object) =>
    service.call("POST", "/api/channels/email/identities", {
      body: { id, display_name: id, from_email: `${id}@example.com`, from_name: "Desk", transport, transport_config },
    });
  await add("desk", "smtp", { host: "127.0.0.1", port: smtp.port, user: "ada", password: "right" });
  await add("away", "smtp", { host: "127.0.0.1", port: nobody });
  await add("folder", "file", { dir: "outbox" });
  await add("log", "log", {});
  await add("resend", "resend", { api_key: "re_a-key-of-resend" });
  const { code, out, status, says } = await runDoctor(env);
  assert.equal(code, 1);
  assert.equal(status["mail/default"], "problem");
  assert.match(says("mail/default"), /refused_login.*Check SERVICE_SMTP_URL\./);
  assert.equal(status["mail/desk"], "ok");
  assert.match(says("mail/desk"), /^Email from "Desk" <desk@example\.com> is accepted by 127\.0\.0\.1:\d+\.$/);
  assert.equal(status["mail/away"], "problem");
  assert.match(says("mail/away"), /\(connect\): .*ECONNREFUSED.*Check the sender under Settings, Email\./);
  for (const id of ["folder", "log", "resend"]) assert.equal(status[`mail/${id}`], "warning", id);
  assert.deepEqual(smtp.received, []);
  assert.doesNotMatch(out, /wrong-password|re_a-key/);
});

void test("a test mail goes through every sender, and what became of it is told", async (t) => {
  const smtp = await startSmtp({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("nobody") ? done(new Error("There is no such person")) : done(),
  });
  t.after(() => smtp.close());
  const { service, env } = await startPatient(t, "sqlite", {
    SERVICE_EMAIL_FROM: "approvals@example.com",
    SERVICE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  });
  const body = { id: "folder", display_name: "x", from_email: "x@example.com", transport: "file" };
  await service.call("POST", "/api/channels/email/identities", {
    body: { ...body, transport_config: { dir: "outbox" } },
  });
  const outbox = join(service.ctx.config.dataDir, "outbox");
  const refused = await runDoctor(env, ["--mail-to", "nobody@example.com"]);
  assert.deepEqual([refused.code, refused.status["mail-test/default"]], [1, "problem"]);
  assert.match(
    refused.says("mail-test/default"),
    /nobody@example\.com was not accepted \(refused_address: .*no such person/,
  );
  assert.equal(refused.status["mail/default"], "ok", "the server itself is well");
  assert.equal(readdirSync(outbox).length, 1);

  const none = await runDoctor(withoutService(t), ["--mail-to", "dana@example.com"]);
  assert.equal(none.status["mail-test"], "problem");
  assert.match(none.says("mail-test"), /^Email is off\. Set SERVICE_EMAIL_FROM and SERVICE_SMTP_URL/);
  assert.ok(!existsSync(join(none.out, "outbox")));
});

void test("what people get by mail is shown: the subject, and where its links lead", async (t) => {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const env = {
    SERVICE_EMAIL_FROM: "approvals@example.com",
    SERVICE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    SERVICE_PUBLIC_URL: `http://0.0.0.0:${await freePort()}`,
  };
  const { says, status } = await runDoctor(withoutService(t, env));
  assert.equal(status["mail"], "ok");
  assert.equal(
    says("mail"),
    `People get email such as "Decision needed: Refund 42.50 EUR to Mia?", with links that start with ${env.SERVICE_PUBLIC_URL}/api/channels/email/action/.`,
  );
});

onBoth("each workspace's token is tried at Slack, and what it may not do is told", async (dialect, t) => {
  const slack = await startSlack({ scopes: BOT_SCOPES.filter((scope) => scope !== "im:write") });
  t.after(() => slack.close());
  const [gone, kept] = [slack.addTeam("Gone"), slack.addTeam("Kept")];
  const { service, env } = await startPatient(t, dialect, {
    SERVICE_SLACK_BOT_TOKEN: slack.token,
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_SLACK_API_URL: slack.apiUrl,
  });
  for (const { token: bot_token } of [gone, kept])
    await service.call("POST", "/api/channels/slack/installations", { body: { bot_token } });
  gone.uninstall();
  const { code, out, status, says } = await runDoctor(env);
  assert.equal(code, 1);
  const names = ["slack/environment", `slack/${gone.team.id}`, `slack/${kept.team.id}`];
  for (const name of names) assert.equal(status[name], "problem", name);
  assert.match(says(names[0]!), /for Acme lacks the scopes im:write\. .*renew SERVICE_SLACK_BOT_TOKEN\.$/);
  assert.match(says(names[1]!), /^token_revoked: /);
  assert.match(says(names[2]!), /for Kept lacks the scopes im:write\. /);
  assert.equal(status["slack-requests"], "warning");
  assert.match(says("slack-requests"), /needs an https address.*SERVICE_PUBLIC_URL.*SERVICE_SLACK_APP_TOKEN/);
  for (const { token } of [slack, gone, kept]) assert.ok(!out.includes(token));
});

void test("an app that may not read threads works, and what it lacks is told", async (t) => {
  const slack = await startSlack({ scopes: BOT_SCOPES.filter((scope) => !scope.endsWith(":history")) });
  t.after(() => slack.close());
  const { status, says } = await runDoctor(
    withoutService(t, {
      SERVICE_SLACK_BOT_TOKEN: slack.token,
      SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
      SERVICE_SLACK_API_URL: slack.apiUrl,
    }),
  );
  assert.equal(status["slack/environment"], "warning");
  assert.match(
    says("slack/environment"),
    /lacks the scopes channels:history, groups:history, im:history\. .* does not reach the tasks\.$/,
  );
});

void test("what was sealed with another key is told to be set again", async (t) => {
  const slack = await startSlack();
  t.after(() => slack.close());
  const { service, env } = await startPatient(t, "sqlite", {
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_SLACK_API_URL: slack.apiUrl,
  });
  const sender = { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "log" };
  await service.call("POST", "/api/channels/email/identities", { body: { ...sender, transport_config: {} } });
  await service.call("POST", "/api/channels/slack/installations", { body: { bot_token: slack.token } });
  const otherKey = Buffer.alloc(32, 8).toString("base64");
  const { status, says } = await runDoctor({ ...env, SERVICE_SECRET_KEY: otherKey });
  const names = ["mail/desk", `slack/${slack.team.id}`] as const;
  for (const name of names) assert.equal(status[name], "problem");
  assert.match(says(names[0]), /encrypted with another SERVICE_SECRET_KEY\. Enter them again\./);
  assert.match(says(names[1]), /sealed: .*Reinstall the app/);
});

void test("tokens that Slack does not know, and an app that is in no workspace, are told", async (t) => {
  const slack = await startSlack();
  t.after(() => slack.close());
  const api = { SERVICE_SLACK_API_URL: slack.apiUrl };
  const tokens = { SERVICE_SLACK_BOT_TOKEN: "xoxb-not-the-one", SERVICE_SLACK_APP_TOKEN: "xapp-1-not-the-one" };
  const overHttp = {
    SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
    SERVICE_PUBLIC_URL: `https://127.0.0.1:${await freePort()}`,
  };
  const [wrong, nowhere] = await Promise.all([
    runDoctor(withoutService(t, { ...api, ...tokens })),
    runDoctor(withoutService(t, { ...api, ...overHttp })),
  ]);
  assert.equal(wrong.status["slack/environment"], "problem");
  assert.match(wrong.says("slack/environment"), /^invalid_auth: .*Check SERVICE_SLACK_BOT_TOKEN\.$/);
  assert.equal(wrong.status["slack-requests"], "problem");
  assert.match(wrong.says("slack-requests"), /not_allowed_token_type.*Check SERVICE_SLACK_APP_TOKEN\.$/);
  assert.equal(nowhere.status["slack"], "warning");
  assert.match(nowhere.says("slack"), /not installed in a workspace yet\. Install it under Settings, Slack/);
  assert.equal(nowhere.status["slack-requests"], "ok");
  assert.match(
    nowhere.says("slack-requests"),
    /arrive at https:\/\/127\.0\.0\.1:\d+\/api\/channels\/slack\/interactions,/,
  );
});

void test("a test callback is kept from private addresses, and what the receiver says is told", async (t) => {
  const receiver = await startReceiver((response) => response.writeHead(401).end(`who are you? ${"x".repeat(1000)}`));
  t.after(() => receiver.close());
  const here = { SERVICE_PUBLIC_URL: "http://0.0.0.0:9" };
  const metadata = "http://169.254.169.254/latest";
  const { SERVICE_PAYLOAD_KEY: _none, ...noKey } = withoutService(t, {
    SERVICE_DATABASE_URL: "postgres://ada@127.0.0.1:9/tasks",
  });
  const [refused, allowed, never, keyless] = await Promise.all([
    runDoctor(withoutService(t, here), ["--callback-url", receiver.url]),
    runDoctor(withoutService(t, { ...here, SERVICE_CALLBACK_ALLOW_PRIVATE: "1" }), ["--callback-url", receiver.url]),
    runDoctor(withoutService(t, { SERVICE_CALLBACK_ALLOW_PRIVATE: "1" }), ["--callback-url", metadata]),
    runDoctor(noKey, ["--callback-url", receiver.url]),
  ]);
  for (const { code, status } of [refused, allowed, never, keyless])
    assert.deepEqual([code, status["callback-test"]], [1, "problem"]);
  assert.equal(refused.status["callbacks"], "ok");
  assert.match(refused.says("callback-test"), /^refused_address: .*set SERVICE_CALLBACK_ALLOW_PRIVATE to 1\.$/);
  assert.equal(allowed.status["callbacks"], "warning");
  assert.match(allowed.says("callbacks"), /can reach your network/);
  assert.match(
    allowed.says("callback-test"),
    /^http_status: .* answered 401\. It said "who are you\? x+"\. .*webhook-key/,
  );
  assert.match(never.says("callback-test"), /^refused_address: .*metadata/);
  assert.equal(keyless.status["callbacks"], "off");
  assert.match(keyless.says("callback-test"), /Set SERVICE_PAYLOAD_KEY/);
  assert.equal(receiver.received.length, 1, "only where it was allowed");
});

void test("what a verifier lacks is told: keys, addresses and packages", async (t) => {
  const vendor = await startStandIn(t, {});
  const env = withoutService(t, {
    OPENAI_API_KEY: VENDOR_KEY,
    SERVICE_VERIFIER_OPENAI_BASE_URL: `http://127.0.0.1:${vendor.port}/v1`,
    AZURE_OPENAI_API_KEY: VENDOR_KEY,
    SERVICE_VERIFIER_KEY_ENVS: "OTHER_KEY",
  });
  const withoutPackages = before(`import { registerHooks } from "node:module";
    registerHooks({ resolve: (name, context, next) => next(name === "@ai-sdk/openai" ? "not-there" : name, context) });`);
  const { code, out, status, says } = await runDoctor(env, [], withoutPackages);
  assert.equal(code, 1);
  assert.deepEqual(
    [status["verifier/openai"], status["verifier/azure"], status["verifier"]],
    ["problem", "problem", "warning"],
  );
  assert.match(says("verifier/openai"), /npm install ai @ai-sdk\/openai/);
  assert.match(says("verifier/azure"), /SERVICE_VERIFIER_AZURE_BASE_URL is empty/);
  assert.match(says("verifier"), /allows OTHER_KEY, which is not set/);
  assert.equal(status["verifier/google"], undefined);
  assert.ok(!out.includes(VENDOR_KEY));
  assert.deepEqual(vendor.asked, []);
});

void test("embedding says who may, or why nobody may", async (t) => {
  const secret = { SERVICE_EMBED_SIGNING_SECRET: "ab".repeat(32) };
  const origins = { SERVICE_EMBED_PARENT_ORIGINS: "https://*.example.com, http://localhost:8080" };
  const [both, onlySecret] = await Promise.all([
    runDoctor(withoutService(t, { ...secret, ...origins })),
    runDoctor(withoutService(t, secret)),
  ]);
  assert.equal(both.status["embed"], "ok");
  assert.match(both.says("embed"), /^Pages of https:\/\/\*\.example\.com, http:\/\/localhost:8080 may embed the form/);
  assert.equal(onlySecret.status["embed"], "off");
  assert.match(onlySecret.says("settings"), /SERVICE_EMBED_PARENT_ORIGINS is not set/);
});
