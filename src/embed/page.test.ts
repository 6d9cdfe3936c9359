import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { EMBED_ENV, PARENT } from "../../test/support/embed.ts";
import { startTestService, type TestService } from "../../test/support/service.ts";

async function withService(env: Record<string, string>, run: (service: TestService) => Promise<void>): Promise<void> {
  const { service, stop } = await startTestService("sqlite", { env });
  try {
    await run(service);
  } finally {
    await stop();
  }
}

const policyOf = async (service: TestService, path: string) => {
  const { headers } = await service.call("GET", path, { token: null });
  return headers["content-security-policy"]!;
};
const ancestorsOf = (policy: string) => /frame-ancestors ([^;]*)/.exec(policy)?.[1];

void test("the form may be framed by the listed origins, and nothing else by anybody", () =>
  withService(EMBED_ENV, async (service) => {
    const listed = `${PARENT} https://*.example.org http://localhost:3001`;
    for (const path of ["/embed", "/embed?id=tsk_1&theme=dark", "/embed/none.js"])
      assert.equal(ancestorsOf(await policyOf(service, path)), listed, path);
    for (const path of [
      "/",
      "/inbox",
      "/embedded",
      "/api/embed/task",
      "/api/embed/tokens",
      "/api/tasks",
      "/api/docs/",
      "/api/redoc",
      "/docs/troubleshooting",
      "/api/channels/email/action/x",
      "/light/none.js",
      "/nothing",
    ])
      assert.equal(ancestorsOf(await policyOf(service, path)), "'none'", path);
  }));

void test("the page of the form runs scripts of this service only, and sends nothing elsewhere", () =>
  withService(EMBED_ENV, async (service) => {
    const { status, headers, text } = await service.call("GET", "/embed?id=tsk_1", { token: null });
    assert.equal(status, 200);
    const policy = headers["content-security-policy"]!;
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
      assert.ok(policy.split("; ").includes(rule), `${rule} in ${policy}`);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/i);
    assert.equal(headers["x-frame-options"], undefined);
    assert.equal(headers["referrer-policy"], "no-referrer");
    // Whatever is asked for is never repeated.
    const asked = await service.call("GET", "/embed?id=%3Cscript%3E&theme=%22%3E%3Cscript%3E&accent=%3C/style%3E", {
      token: null,
    });
    assert.equal(asked.text, text);
  }));

void test("theme and accent stand in the page, and the policy knows the one style sheet by its hash", () =>
  withService(EMBED_ENV, async (service) => {
    const { headers, text } = await service.call("GET", "/embed?id=tsk_1&theme=dark&accent=0a6640", { token: null });
    assert.match(text, /<html lang="en" data-theme="dark">/);
    const style = /<style>(.*?)<\/style>/.exec(text)?.[1] ?? "";
    assert.match(style, /--accent:light-dark\(#0a6640,/);
    const hash = createHash("sha256").update(style).digest("base64");
    assert.ok(headers["content-security-policy"]!.includes(`style-src 'self' 'sha256-${hash}';`));
  }));

void test("without a secret there is no form to frame, and no page that might", () =>
  withService({}, async (service) => {
    const { status, text } = await service.call("GET", "/embed?id=tsk_1", { token: null });
    assert.equal(status, 404);
    assert.match(text, /EMBED_NOT_CONFIGURED/);
    assert.equal(ancestorsOf(await policyOf(service, "/embed")), "'none'");
  }));

void test("with a secret and no origin nobody may frame the form", () =>
  withService({ ...EMBED_ENV, SERVICE_EMBED_PARENT_ORIGINS: "" }, async (service) => {
    assert.equal(ancestorsOf(await policyOf(service, "/embed")), "'none'");
  }));
