import assert from "node:assert/strict";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { person, signedIn } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";

/**
 * Not JSON: a stream of events, text for Prometheus, the forms that a chat vendor sends (spec: Endpoints), and the pages that a
 * browser gets when a sign-in with a company account fails.
 */
const EXCEPTIONS = new Set([
  "GET /api/events",
  "GET /metrics",
  "POST /api/channels/slack/interactions",
  "GET /api/auth/oidc/start",
  "GET /api/auth/oidc/callback",
]);

interface Operation {
  requestBody?: { content: object };
  security?: Record<string, unknown>[];
}

testOnBoth(
  "every route answers with JSON, errors included, and takes no body of another kind",
  async (service) => {
    const description = await service.call<{ paths: Record<string, Record<string, Operation>> }>(
      "GET",
      "/api/openapi.json",
    );
    const { user } = await person(service, { is_operator: true });
    const { key } = await newServiceKey(service);
    const wrongKinds: string[] = [];
    let count = 0;
    for (const [path, operations] of Object.entries(description.body.paths))
      for (const [method, { requestBody, security = [] }] of Object.entries(operations)) {
        const name = `${method.toUpperCase()} ${path}`;
        if (EXCEPTIONS.has(name)) continue;
        const { id } = await service.create();
        const token = (await mint(service, key, { task_id: id })).body.embed_token;
        const schemes = new Set(security.flatMap((scheme) => Object.keys(scheme)));
        const headers = schemes.has("service_key")
          ? { authorization: `Bearer ${key}` }
          : schemes.has("embed_token")
            ? { authorization: `Bearer ${token}` }
            : await signedIn(service, user.id);
        const address = path.replace("{id}", id).replace("{team_id}", "T1").replace("/poll", "/poll?timeout=0");
        const send = (more: object) =>
          service.call(method.toUpperCase() as "POST", address, {
            token: null,
            headers: { ...headers, ...more },
            ...(requestBody && { raw: JSON.stringify({ response: { approved: true } }) }),
          });
        const kind = requestBody ? { "content-type": "application/json" } : {};
        for (const answer of [await send({ authorization: "Bearer wrong" }), await send(kind)]) {
          if (answer.status === 204) assert.equal(answer.text, "", name);
          else {
            assert.equal(answer.headers["content-type"], "application/json; charset=utf-8", name);
            assert.ok(typeof JSON.parse(answer.text) === "object", name);
          }
        }
        if (!requestBody) continue;
        assert.deepEqual(Object.keys(requestBody.content), ["application/json"], name);
        for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/xml"]) {
          const { status, body } = await send({ "content-type": type });
          if (status !== 400 || body["error_code"] !== "MALFORMED_REQUEST")
            wrongKinds.push(`${name}, ${type}: ${status}`);
        }
        count++;
      }
    assert.deepEqual(wrongKinds, []);
    assert.ok(count > 15, `${count} routes with a body`);
  },
  { env: EMBED_ENV },
);
