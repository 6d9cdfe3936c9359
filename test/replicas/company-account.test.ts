import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserRecord } from "../../src/people/schema.ts";
import { startRealProvider } from "../support/oidc/real-provider.ts";
import { codeOf, newVisitor, type Visited } from "../support/oidc/visitor.ts";
import { postgres } from "../support/postgres.ts";
import { startProcess, type ServiceProcess } from "../support/processes.ts";

const PUBLIC_URL = "http://tasks.test";

/** Sends requests to the processes in turn, as a load balancer does. */
function inTurn(processes: readonly ServiceProcess[]): Visited & { count: number } {
  const balancer: Visited & { count: number } = {
    count: 0,
    ctx: { config: { publicUrl: PUBLIC_URL } },
    call: async (method, path, { headers = {} } = {}) => {
      const { url } = processes[balancer.count++ % processes.length]!;
      const response = await fetch(url + path, { method, headers, redirect: "manual" });
      const text = await response.text();
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        cookies: response.headers.getSetCookie(),
        body: (text.startsWith("{") ? JSON.parse(text) : null) as never,
        text,
      };
    },
  };
  return balancer;
}

void test("a sign-in that begins at one process is completed at another, once", async (t) => {
  const provider = await startRealProvider({ publicUrl: PUBLIC_URL });
  const database = await (await postgres()).createDatabase();
  const env = { ...provider.env, SERVICE_DATABASE_URL: database.url };
  const [a, b] = await Promise.all([startProcess(env), startProcess(env)]);
  t.after(async () => {
    await Promise.all([a.kill(), b.kill()]);
    await database.drop();
    await provider.stop();
  });
  await a.call<UserRecord>("POST", "/api/users", { email: "dana@example.com" });
  provider.accounts.set("dana", { sub: "dana-1", email: "dana@example.com", email_verified: true });
  const service = inTurn([a, b]);
  const visitor = newVisitor(service);
  const callback = await visitor.goTo("dana");
  assert.equal(service.count, 1);
  const kept = new Map(visitor.cookies);
  const answer = await visitor.open(callback);
  assert.deepEqual([answer.status, answer.headers["location"]], [302, "/inbox"], answer.text);
  for (let i = 0; i < 2; i++)
    assert.equal((await visitor.call("GET", "/api/auth/me")).body["email"], "dana@example.com");
  const replay = newVisitor(service);
  for (const [name, value] of kept) replay.cookies.set(name, value);
  assert.equal(codeOf(await replay.open(callback)), "OIDC_SIGN_IN_EXPIRED");
});
