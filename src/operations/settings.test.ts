import assert from "node:assert/strict";
import { test } from "node:test";
import { secretKeyFingerprints } from "../lib/keys.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, startTestService, testOnBoth } from "../../test/support/service.ts";

const EMBED_SECRET = "0123456789abcdef".repeat(4);

testOnBoth(
  "an operator reads how the service is set, and no secret or path with it",
  async (service) => {
    const { ctx, dialect } = service;
    const { status, body, text } = await service.call("GET", "/api/settings");
    assert.equal(status, 200);
    assert.deepEqual(body, {
      version: ctx.version,
      public_url: "https://tasks.example.com",
      database: { kind: dialect, status: "ok" },
      callbacks: { signed: true, allow_private: false },
      keys: { secret_key: secretKeyFingerprints(ctx.config).current },
      embed: { configured: true, allowed_origins: ["https://shop.example.com", "https://*.example.org"] },
      sign_in: {
        password: "operators",
        oidc: {
          issuer: "https://login.example.com",
          client_id: "tasks",
          scopes: "openid email",
          groups_claim: "groups",
          operator_group: "task-admins",
          auto_create: true,
        },
      },
      slack: { http: true, socket_mode: false, oauth: false },
      trusted_proxies: ["10.0.0.0/8"],
      body_limit_bytes: 2048,
      security_events_days: 90,
      require_passkey: null,
      log_level: "warn",
    });
    const secrets = [
      "xoxb-1-secret",
      "signing-secret",
      EMBED_SECRET,
      "provider-secret",
      ADMIN_TOKEN,
      PAYLOAD_KEY,
      Buffer.from(ctx.config.secretKey).toString("base64"),
      "postgres://",
    ];
    for (const secret of [...secrets, ctx.config.dataDir]) assert.ok(!text.includes(secret), secret);
  },
  {
    env: {
      SERVICE_PUBLIC_URL: "https://tasks.example.com",
      SERVICE_TRUSTED_PROXIES: "10.0.0.0/8",
      SERVICE_BODY_LIMIT_BYTES: "2048",
      SERVICE_SECURITY_EVENTS_DAYS: "90",
      SERVICE_LOG_LEVEL: "warn",
      SERVICE_SLACK_BOT_TOKEN: "xoxb-1-secret",
      SERVICE_SLACK_SIGNING_SECRET: "signing-secret",
      SERVICE_OIDC_ISSUER: "https://login.example.com",
      SERVICE_OIDC_CLIENT_ID: "tasks",
      SERVICE_OIDC_CLIENT_SECRET: "provider-secret",
      SERVICE_OIDC_SCOPES: "openid  email",
      SERVICE_OIDC_OPERATOR_GROUP: "task-admins",
      SERVICE_OIDC_AUTO_CREATE: "1",
      SERVICE_PASSWORD_SIGN_IN: "operators",
      SERVICE_EMBED_SIGNING_SECRET: EMBED_SECRET,
      SERVICE_EMBED_PARENT_ORIGINS: "https://shop.example.com,https://*.example.org",
    },
  },
);

testOnBoth("a database that does not answer is told, since the admin token needs none", async (service) => {
  service.ctx.db.ping = () => Promise.reject(new Error("connection refused"));
  const { status, body } = await service.call<{ database: object }>("GET", "/api/settings");
  assert.equal(status, 200);
  assert.deepEqual(body.database, { kind: service.dialect, status: "failing" });
});

void test("without a payload key or a secret for tokens, callbacks and embedding are told to be off", async () => {
  const { service, stop } = await startTestService("postgres", {
    env: { SERVICE_PAYLOAD_KEY: "", SERVICE_CALLBACK_ALLOW_PRIVATE: "1" },
  });
  try {
    const { body } = await service.call<{ callbacks: object; embed: object }>("GET", "/api/settings");
    assert.deepEqual(body.callbacks, { signed: false, allow_private: true });
    assert.deepEqual(body.embed, { configured: false, allowed_origins: [] });
  } finally {
    await stop();
  }
});
