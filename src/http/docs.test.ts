import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import { createApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { ERRORS } from "../errors.ts";
import { createContext } from "../start.ts";
import { VERSION } from "../version.ts";

const TOKEN = "a-token-for-this-test";
const authorization = `Bearer ${TOKEN}`;

async function setup(t: TestContext): Promise<FastifyInstance> {
  const dataDir = await mkdtemp(join(tmpdir(), "docs-test-"));
  const key = Buffer.alloc(32).toString("base64");
  const { config } = readConfig({ SERVICE_DATA_DIR: dataDir, SERVICE_ADMIN_API_TOKEN: TOKEN }, () => ({
    adminToken: TOKEN,
    secretKey: key,
    payloadKey: key,
  }));
  const ctx = await createContext(config, pino({ level: "silent" }));
  const app = await createApp(ctx);
  t.after(async () => {
    await app.close();
    await ctx.close();
    await rm(dataDir, { recursive: true });
  });
  return app;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; description?: string }[];
  tags: string[];
  security?: object[];
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }>; headers: object }>;
}
interface Description {
  openapi: string;
  info: { version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

async function describedBy(app: FastifyInstance): Promise<Description> {
  const answer = await app.inject("/api/openapi.json");
  assert.equal(answer.statusCode, 200);
  return answer.json<Description>();
}

function operationsOf({ paths }: Description): [name: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
}

test("the API description is OpenAPI 3.1 of this very version, and holds nothing that only this service understands", async (t) => {
  const app = await setup(t);
  const description = await describedBy(app);
  assert.equal(description.openapi, "3.1.0");
  assert.equal(description.info.version, VERSION);

  const seen: string[] = [];
  walk(description, (key, value) => {
    assert.notEqual(key, "$id");
    assert.notEqual(key, "nullable");
    assert.notEqual(value, "storable-text");
    if (key === "$ref") seen.push(String(value));
  });
  assert.ok(seen.length > 20);
  for (const ref of seen) {
    const [, area, group, name] = /^#\/(\w+)\/(\w+)\/([\w-]+)$/.exec(ref) ?? [];
    assert.equal(area, "components", ref);
    assert.ok(description.components[group!]?.[name!], `${ref} leads nowhere`);
  }
});

test("every route of the API is described, and tells who may call it and how it fails", async (t) => {
  const app = await setup(t);
  const description = await describedBy(app);
  const operations = operationsOf(description);
  const tags = new Set(description.tags.map(({ name }) => name));
  for (const [name, operation] of operations) {
    assert.ok(operation.operationId && operation.summary && operation.description, name);
    // A public one says so by an empty list.
    assert.ok(operation.security, `${name} does not say who may call it`);
    for (const parameter of operation.parameters ?? [])
      assert.ok(parameter.description, `${name}: ${parameter.name} is not described`);
    assert.ok(
      operation.tags.every((tag) => tags.has(tag)),
      name,
    );
    assert.ok(operation.responses["500"], `${name} does not list 500`);
    assert.ok(operation.responses["503"], `${name} does not list 503`);
    const isKnown = operation.responses["401"]?.description.includes("UNAUTHENTICATED") ?? false;
    // Operations with other credentials have their own error codes for invalid ones.
    const isCommon = operation.security?.some((way) => "bearer" in way || "session" in way) ?? false;
    assert.equal(isKnown, isCommon, `${name}: UNAUTHENTICATED belongs to the token and the session`);
    assert.ok(operation.security?.length === 0 || operation.responses["401"], name);
    for (const [status, { description: text, content, headers }] of Object.entries(operation.responses)) {
      assert.notEqual(text, "Default Response", `${name} ${status}`);
      assert.ok("X-Request-Id" in headers, `${name} ${status}`);
      // Routes of a sign-in with a company account are opened in a browser, so their errors are pages.
      const type = /\/auth\/oidc\/(start|callback)$/.test(name) ? "text/html" : "application/json";
      if (Number(status) >= 400) assert.deepEqual(Object.keys(content ?? {}), [type], `${name} ${status}`);
    }
  }
  const ids = operations.map(([, { operationId }]) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  // Unlisted routes are pages, what the scripts of the pages behind links call, or files of pages (`/assets/*`, of which the tree shows only the end).
  const listed = new Set(Object.keys(description.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ":$1")));
  for (const path of pathsOf(app)) {
    assert.ok(
      listed.has(path) ||
        /^\/(|setup|login|passkey|inbox|batch|worker\.js|icon\.svg|tasks\/:id|stats|deliveries|users|groups|invitation|agents|audit|playground|mcp(\/review)?|settings(\/:part)?|embed\*?|\*|docs\/.*|api\/channels\/(email|slack)\/action\/:token(\/conversation)?|api\/(docs|redoc|openapi\.json).*)$/.test(
          path,
        ),
      `${path} is not described`,
    );
  }
});

test("headers of an answer are described as headers", async (t) => {
  const { paths } = await describedBy(await setup(t));
  const created = paths["/api/tasks"]!["post"]!.responses["201"]!;
  assert.deepEqual((created.headers as Record<string, unknown>)["Idempotent-Replayed"], {
    description: "`true` if the task existed before.",
    schema: { type: "string", enum: ["true", "false"] },
  });
});

test("what the service answers is among what it says it answers", async (t) => {
  const app = await setup(t);
  const { paths } = await describedBy(app);
  const valid = {
    task: "Approve?",
    payload: {},
    payload_schema: { type: "object" },
    response_schema: { type: "object" },
    timeout_seconds: 60,
    idempotency_key: "k",
  };
  const headers = { authorization };
  const { id } = (await app.inject({ method: "POST", url: "/api/tasks", headers, payload: valid })).json<{
    id: string;
  }>();
  const calls: [template: string, request: InjectOptions][] = [
    ["/api/tasks", { method: "POST", url: "/api/tasks" }],
    ["/api/tasks", { method: "POST", url: "/api/tasks", headers, payload: valid }],
    ["/api/tasks", { method: "POST", url: "/api/tasks", headers, payload: {} }],
    [
      "/api/tasks",
      { method: "POST", url: "/api/tasks", headers, payload: { ...valid, idempotency_key: "l", timeout_seconds: 1 } },
    ],
    ["/api/tasks", { method: "POST", url: "/api/tasks", headers, payload: { task: "x".repeat(2_000_000) } }],
    ["/api/tasks", { method: "GET", url: "/api/tasks?limit=0", headers }],
    ["/api/tasks", { method: "GET", url: "/api/tasks?limit=x", headers }],
    ["/api/tasks", { method: "GET", url: "/api/tasks", headers }],
    ["/api/tasks/counts", { method: "GET", url: "/api/tasks/counts", headers }],
    ["/api/tasks/{id}", { method: "GET", url: "/api/tasks/tsk_none", headers }],
    ["/api/tasks/{id}", { method: "GET", url: `/api/tasks/${id}`, headers }],
    ["/api/tasks/{id}/poll", { method: "GET", url: `/api/tasks/${id}/poll?timeout=90`, headers }],
    ["/api/tasks/{id}/poll", { method: "GET", url: `/api/tasks/${id}/poll?timeout=0`, headers }],
    ["/api/tasks/{id}/audit", { method: "GET", url: `/api/tasks/${id}/audit`, headers }],
    ["/api/tasks/{id}/review", { method: "GET", url: `/api/tasks/${id}/review?time_zone=Europe/Berlin`, headers }],
    ["/api/tasks/{id}/complete", { method: "POST", url: `/api/tasks/${id}/complete`, headers, payload: {} }],
    [
      "/api/tasks/{id}/complete",
      { method: "POST", url: `/api/tasks/${id}/complete`, headers, payload: { response: {} } },
    ],
    [
      "/api/tasks/{id}/complete",
      { method: "POST", url: `/api/tasks/${id}/complete`, headers, payload: { response: {} } },
    ],
    ["/api/tasks/{id}/cancel", { method: "POST", url: `/api/tasks/${id}/cancel`, headers }],
    ["/api/tasks/{id}", { method: "DELETE", url: `/api/tasks/${id}`, headers }],
    ["/api/stats", { method: "GET", url: "/api/stats?window_days=0", headers }],
    ["/api/stats", { method: "GET", url: "/api/stats", headers }],
    ["/api/health", { method: "GET", url: "/api/health" }],
    ["/api/health", { method: "GET", url: "/api/health?live=2" }],
    ["/api/version", { method: "GET", url: "/api/version" }],
    ["/api/settings", { method: "GET", url: "/api/settings" }],
    ["/api/settings", { method: "GET", url: "/api/settings", headers }],
    ["/metrics", { method: "GET", url: "/metrics" }],
    ["/metrics", { method: "GET", url: "/metrics", headers }],
  ];
  const statuses = new Set<number>();
  for (const [template, request] of calls) {
    const answer = await app.inject(request);
    statuses.add(answer.statusCode);
    const told = paths[template]![String(request.method).toLowerCase()]!.responses[answer.statusCode];
    assert.ok(told, `${request.method} ${template} answered ${answer.statusCode}, which is not described`);
    if (answer.statusCode >= 400) {
      const { error_code } = answer.json<{ error_code: string }>();
      assert.match(told.description, new RegExp(`\`${error_code}\``), `${request.method} ${template}: ${error_code}`);
    }
  }
  assert.deepEqual(
    [...statuses].toSorted((a, b) => a - b),
    [200, 201, 204, 400, 401, 404, 409, 413, 422],
  );
});

for (const path of ["/docs/troubleshooting", "/api/docs", "/api/docs/", "/api/redoc"]) {
  test(`the page ${path} loads nothing from another host and runs no code made from text`, async (t) => {
    const app = await setup(t);
    const page = await app.inject(path);
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers["content-type"]), /^text\/html/);
    const policy = String(page.headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe-|https?:|\*/);

    const addresses = [...page.body.matchAll(/\b(?:src|href|spec-url)="([^"]*)"/g)].map(([, address]) => address!);
    assert.ok(addresses.length > 1);
    for (const address of addresses.filter((one) => !one.startsWith("data:") && !one.startsWith("#"))) {
      const url = new URL(address.replaceAll("&amp;", "&"), `http://here.test${path}`);
      assert.equal(url.origin, "http://here.test", address);
      const file = await app.inject(url.pathname + url.search);
      assert.equal(file.statusCode, 200, address);
    }
  });
}

test("the reference describes every call, with a curl command for the address that was asked", async (t) => {
  const app = await setup(t);
  const { paths, tags, components } = await describedBy(app);
  const { body } = await app.inject({ url: "/api/redoc", headers: { host: "tasks.example.com:8443" } });
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, summary }] of Object.entries(methods)) {
      const [, section] = new RegExp(`<section class="panel" id="${operationId}"[^]*?>([^]*?)</section>`).exec(body)!;
      assert.ok(section!.includes(`>${summary.replaceAll("'", "&#39;")}</a>`), summary);
      assert.ok(section!.includes(`<strong>${method.toUpperCase()}</strong> ${path}</code>`), operationId);
      assert.match(section!, /<pre>curl (-X [A-Z]+ )?&#39;http:\/\/tasks\.example\.com:8443\//, operationId);
    }
  for (const { name } of tags) assert.ok(body.includes(`<h2>${name}</h2>`), name);
  for (const name of Object.keys(components["schemas"]!)) assert.ok(body.includes(`id="schema-${name}"`), name);
  for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) assert.ok(body.includes(`id="${target}"`), target);
  assert.doesNotMatch(body, /<script|\{base\}|\[object|undefined/);
  const odd = await app.inject({ url: "/api/redoc", headers: { host: "a'$(b)" } });
  assert.ok(odd.body.includes("&#39;http://localhost/api/tasks&#39;"));
});

test("groups of calls have proper names", async (t) => {
  const { tags } = await describedBy(await setup(t));
  for (const { name } of tags) assert.match(name, /^[A-Z]/);
});

test("the link in an error body leads to the place that explains its code", async (t) => {
  const app = await setup(t);
  const { body } = await app.inject("/docs/troubleshooting");
  for (const code of Object.keys(ERRORS)) assert.equal(body.split(`id="${code}"`).length, 2, code);

  const refused = await app.inject({ url: "/api/tasks/tsk_none", headers: { authorization } });
  const { error_code, docs } = refused.json<{ error_code: string; docs: string }>();
  const url = new URL(docs);
  assert.equal(url.pathname, "/docs/troubleshooting");
  assert.equal(url.hash, `#${error_code}`);
  assert.equal(error_code, "TASK_NOT_FOUND");
});

test("the troubleshooting page shows its sentences as text", async (t) => {
  const app = await setup(t);
  const { body } = await app.inject("/docs/troubleshooting");
  assert.ok(body.includes("<code>Authorization: Bearer &lt;token&gt;</code>"));
  assert.doesNotMatch(body, /<token>|`/);
});

function walk(value: unknown, visit: (key: string, value: unknown) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    visit(key, item);
    walk(item, visit);
  }
}

/** Returns the paths of all routes, from the router's printed tree. */
function pathsOf(app: FastifyInstance): string[] {
  const parts: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const match = /^([│├└─ ]*)(\S*) ?(\(.*\))?$/u.exec(line);
      if (!match || line === "") return [];
      const depth = match[1]!.length / 4;
      parts.length = depth - 1;
      parts[depth - 1] = match[2]!;
      return match[3] === undefined ? [] : [parts.join("")];
    });
}
