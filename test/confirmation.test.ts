import assert from "node:assert/strict";
import { person, type Signed } from "./support/people.ts";
import { testOnBoth, type TestService } from "./support/service.ts";

const MINUTE = 60_000;

/** The routes for which a session must have confirmed its person. All others must be usable without. */
const NEED_CONFIRMATION = [
  "DELETE /api/agents/{id}",
  "DELETE /api/agents/{id}/tokens/{token_id}",
  "DELETE /api/auth/me/tokens/{id}",
  "DELETE /api/auth/passkeys/{id}",
  "DELETE /api/auth/sessions",
  "DELETE /api/auth/sessions/{id}",
  "DELETE /api/channels/email/identities/{id}",
  "DELETE /api/channels/slack/installations/{team_id}",
  "DELETE /api/connections/{id}",
  "DELETE /api/event-subscriptions/{id}",
  "DELETE /api/projects/{slug}/members/{user_id}",
  "DELETE /api/service-keys/{id}",
  "DELETE /api/tasks/{id}",
  "DELETE /api/users/{id}",
  "DELETE /api/users/{id}/invitation",
  "DELETE /api/users/{id}/oidc-accounts",
  "DELETE /api/users/{id}/passkeys",
  "DELETE /api/users/{id}/sessions",
  "DELETE /api/users/{id}/tokens",
  "GET /api/channels/slack/oauth/start",
  "PATCH /api/agents/{id}",
  "PATCH /api/connections/{id}",
  "PATCH /api/event-subscriptions/{id}",
  "PATCH /api/projects/{slug}",
  "PATCH /api/users/{id}",
  "POST /api/agents",
  "POST /api/agents/{id}/tokens",
  "POST /api/auth/me/tokens",
  "POST /api/auth/passkeys",
  "POST /api/auth/passkeys/options",
  "POST /api/channels/email/identities",
  "POST /api/channels/slack/installations",
  "POST /api/connections",
  "POST /api/event-subscriptions",
  "POST /api/event-subscriptions/{id}/rotate",
  "POST /api/projects",
  "POST /api/projects/{slug}/members",
  "POST /api/service-keys",
  "POST /api/users",
  "POST /api/users/{id}/invitation",
  "PUT /api/hooks/rules",
  "PUT /api/users/{id}/absence",
];

testOnBoth("the list of routes that need a confirmed password is complete", async (service) => {
  const { paths } = (await service.call<{ paths: Paths }>("GET", "/api/openapi.json")).body;
  let headers = await withOldSession(service);
  const refused: string[] = [];
  const described: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      if ((await errorOf(service, name, { ...headers })) === "CONFIRMATION_REQUIRED") refused.push(name);
      if (JSON.stringify(responses["403"] ?? "").includes("CONFIRMATION_REQUIRED")) described.push(name);
      // It ended the session.
      if (name === "POST /api/auth/logout") headers = await withOldSession(service);
    }
  }
  assert.deepEqual(refused.toSorted(), NEED_CONFIRMATION);
  assert.deepEqual(described.toSorted(), NEED_CONFIRMATION, "the description names the error");
});

testOnBoth("the admin token is not asked to confirm", async (service) => {
  service.clock.advance(10 * MINUTE);
  for (const name of NEED_CONFIRMATION) assert.notEqual(await errorOf(service, name), "CONFIRMATION_REQUIRED", name);
});

/** An operator who signed in too long ago. */
async function withOldSession(service: TestService): Promise<Signed> {
  const { headers } = await person(service, { is_operator: true });
  service.clock.advance(10 * MINUTE);
  return headers;
}

type Paths = Record<string, Record<string, { responses: Record<string, object> }>>;

/** The code that a call without a body gets, or null. */
async function errorOf(service: TestService, name: string, headers?: Record<string, string>): Promise<string | null> {
  const [method, path] = name.split(" ") as ["GET" | "POST" | "PATCH" | "DELETE", string];
  // It answers with a stream that does not end.
  if (path === "/api/events") return null;
  const { body } = await service.call<{ error_code?: string } | null>(method, path.replaceAll(/\{\w+\}/g, "x"), {
    ...(headers && { headers, token: null }),
  });
  return body?.error_code ?? null;
}
