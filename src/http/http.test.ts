import assert from "node:assert/strict";
import { connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { assertUnavailable, everyCall, type Call } from "../../test/support/every-call.ts";
import { postgres } from "../../test/support/postgres.ts";
import { newTaskBody, startTestService, testOnBoth, type TestService } from "../../test/support/service.ts";
import { openDatabaseProxy } from "../../test/support/tcp-proxy.ts";
import { ERRORS, ServiceError, type ErrorCode } from "../errors.ts";

interface Refused {
  error_code: ErrorCode;
  message: string;
  docs: string;
  request_id: string;
}

const raw = (service: TestService, text: string | Buffer, headers: Record<string, string> = {}) =>
  service.call<Refused>("POST", "/api/tasks", { raw: text, headers });
const valid = () => JSON.stringify(newTaskBody());

testOnBoth("a body that is not acceptable JSON is 400 with a sentence that helps", async (service) => {
  const nested = (depth: number) =>
    valid().replace('"payload":{', `"payload":{"deep":${"[".repeat(depth)}${"]".repeat(depth)},`);
  const bodies: [string, string | Buffer][] = [
    ["broken", '{"task": '],
    ["a trailing comma", '{"task":"x",}'],
    ["not UTF-8", Buffer.from(valid().replace("Dana", "D\u00ffna"), "latin1")],
    ["__proto__ as a key", valid().replace('"payload":{', '"payload":{"__proto__":{"a":1},')],
    ["__proto__ written with escapes", valid().replace('"payload":{', '"payload":{"\\u005f_proto__":{"a":1},')],
    ["a number that no double holds", valid().replace("12.5", "1e400")],
    ["the same, negative and long", valid().replace("12.5", `-${"9".repeat(400)}`)],
    ["65 levels", nested(63)],
    ["20,000 levels", nested(20_000)],
  ];
  for (const [name, body] of bodies) {
    const answer = await raw(service, body);
    assert.equal(answer.status, 400, name);
    assert.equal(answer.body.error_code, "MALFORMED_REQUEST", name);
    assert.match(answer.body.message, /^[A-Z].*\.$/s, name);
  }
  assert.equal((await raw(service, nested(62))).status, 201, "64 levels");
  for (const text of ["__proto__", "1e400", "[".repeat(100), '\\"[['.repeat(50), "9".repeat(400)]) {
    const body = JSON.stringify(newTaskBody({ payload: { amount: 1e308, text } }));
    assert.equal((await raw(service, body)).status, 201, `as a value: ${text.slice(0, 20)}`);
  }
});

testOnBoth("a body of another kind than JSON is 400", async (service) => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    ";",
  ]) {
    const answer = await raw(service, valid(), { "content-type": type });
    assert.equal(answer.status, 400, type);
    assert.equal(answer.body.error_code, "MALFORMED_REQUEST", type);
  }
  assert.equal((await raw(service, valid(), { "content-type": "application/json; charset=utf-8" })).status, 201);
});

testOnBoth("a body over the limit is 413", async (service) => {
  const answer = await raw(
    service,
    JSON.stringify(newTaskBody({ payload: { text: "x".repeat(1024 * 1024) }, payload_schema: {} })),
  );
  assert.equal(answer.status, 413);
  assert.equal(answer.body.error_code, "PAYLOAD_TOO_LARGE");
});

testOnBoth("nobody gets in without the token, and is told so before the body is looked at", async (service) => {
  const { id } = await service.create();
  const calls: [Parameters<TestService["call"]>[0], string][] = [
    ["POST", "/api/tasks"],
    ["GET", "/api/tasks"],
    ["GET", "/api/tasks/counts"],
    ["GET", `/api/tasks/${id}`],
    ["GET", `/api/tasks/${id}/poll`],
    ["GET", `/api/tasks/${id}/audit`],
    ["GET", `/api/tasks/${id}/review`],
    ["POST", `/api/tasks/${id}/complete`],
    ["POST", `/api/tasks/${id}/cancel`],
    ["DELETE", `/api/tasks/${id}`],
    ["GET", "/api/stats"],
    ["GET", "/metrics"],
  ];
  for (const [method, path] of calls) {
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: "Basic YTpi" },
      { authorization: "Bearer" },
      { authorization: `Bearer ${service.ctx.config.adminToken}x` },
    ]) {
      const answer = await service.call<Refused>(method, path, {
        token: null,
        headers,
        ...(method === "POST" && { raw: "{ not json" }),
      });
      assert.equal(answer.status, 401, `${method} ${path}`);
      assert.equal(answer.body.error_code, "UNAUTHENTICATED");
      assert.equal(answer.headers["www-authenticate"], "Bearer");
    }
  }
  assert.equal(
    (
      await service.call("GET", `/api/tasks/${id}`, {
        token: null,
        headers: { authorization: `bearer ${service.ctx.config.adminToken}` },
      })
    ).status,
    200,
    "the scheme's case does not matter",
  );
});

testOnBoth("an unknown address is a page in a browser, and JSON for everyone else", async (service) => {
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  for (const path of ["/foo/bar", "/settings/slack/more", "/apis"]) {
    const page = await service.call("GET", path, { token: null, headers: { accept } });
    assert.equal(page.status, 404, path);
    assert.match(String(page.headers["content-type"]), /^text\/html/, path);
    assert.match(String(page.headers["content-security-policy"]), /^default-src 'none'; style-src 'sha256-/);
    assert.match(page.text, /<h1>Page not found<\/h1>/);
    assert.match(page.text, /<a href="\/inbox">/);
  }
  for (const [path, headers] of [
    ["/foo/bar", {}],
    ["/foo/bar", { accept: "application/json" }],
    ["/api/nothing", { accept }],
    ["/api", { accept }],
    ["/api?x", { accept }],
    ["/mcp/nothing", { accept }],
  ] as const) {
    const answer = await service.call<Refused>("GET", path, { token: null, headers });
    assert.deepEqual([answer.status, answer.body.error_code], [404, "NOT_FOUND"], path);
  }
  const posted = await service.call<Refused>("POST", "/foo/bar", { token: null, headers: { accept } });
  assert.deepEqual([posted.status, posted.body.error_code], [404, "NOT_FOUND"]);
});

testOnBoth("unknown paths are 404, other methods 405 with Allow", async (service) => {
  for (const path of ["/api/nothing", "/api/tasks/x/y", "/API/tasks", "/api/tasks/tsk_1/complete/x"]) {
    const answer = await service.call<Refused>("GET", path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.body.error_code, "NOT_FOUND", path);
  }
  const cases: [Parameters<TestService["call"]>[0], string, string][] = [
    ["PUT", "/api/tasks", "GET, POST"],
    ["DELETE", "/api/tasks", "GET, POST"],
    ["GET", "/api/tasks/tsk_1/complete", "POST"],
    ["POST", "/api/tasks/tsk_1", "DELETE, GET, PATCH"],
    ["POST", "/api/health", "GET"],
  ];
  for (const [method, path, allow] of cases) {
    const answer = await service.call<Refused>(method, path);
    assert.equal(answer.status, 405, `${method} ${path}`);
    assert.equal(answer.body.error_code, "METHOD_NOT_ALLOWED");
    assert.equal(answer.headers["allow"], allow);
  }
});

testOnBoth("an id that no task has is 404, whatever it is made of", async (service) => {
  for (const id of [
    "tsk_00000000000000000000000000",
    "tsk_",
    "x",
    "%00",
    "..%2f..",
    "tsk_0000000000000000000000000'",
    "a".repeat(400),
    "%F0%9F%92%A9",
    "__proto__",
  ]) {
    for (const [method, suffix] of [
      ["GET", ""],
      ["GET", "/poll"],
      ["GET", "/audit"],
      ["GET", "/review"],
      ["POST", "/complete"],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const) {
      const answer = await service.call<Refused>(
        method,
        `/api/tasks/${id}${suffix}`,
        method === "POST" ? { body: { response: {} } } : {},
      );
      assert.equal(answer.status, 404, `${method} ${id}${suffix}`);
      assert.equal(answer.body.error_code, "TASK_NOT_FOUND");
    }
  }
  assert.equal((await service.call("GET", "/api/tasks/%zz")).status, 400);
  assert.equal((await service.call("GET", `/api/tasks/${"a".repeat(600)}`)).status, 404);
});

testOnBoth("every error has a code, a sentence, a link and the request's id; no stack", async (service) => {
  const answers = [
    await service.call<Refused>("GET", "/api/tasks/x", { headers: { "x-request-id": "my-id-1" } }),
    await service.call<Refused>("GET", "/nowhere"),
    await service.call<Refused>("GET", "/api/tasks", { token: null }),
    await raw(service, "{"),
  ];
  for (const { body, headers, status } of answers) {
    assert.deepEqual(Object.keys(body).slice(0, 4), ["error_code", "message", "docs", "request_id"]);
    assert.equal(ERRORS[body.error_code].status, status);
    assert.equal(body.docs, `http://localhost:0/docs/troubleshooting#${body.error_code}`);
    assert.equal(body.request_id, headers["x-request-id"]);
    assert.match(headers["content-type"]!, /^application\/json/);
    assert.ok(!JSON.stringify(body).includes("    at "));
  }
  assert.equal(answers[0]!.body.request_id, "my-id-1");
});

testOnBoth("what nobody expected is 500 with nothing of its cause", async (service) => {
  service.app.get("/boom", () => {
    throw new Error("the password is hunter2");
  });
  const answer = await service.call<Refused>("GET", "/boom");
  assert.equal(answer.status, 500);
  assert.equal(answer.body.error_code, "INTERNAL");
  assert.ok(!answer.text.includes("hunter2"));
});

testOnBoth("the log has the cause of what nobody expected, and of what was meant no stack", async (service) => {
  const lines: unknown[] = [];
  service.ctx.log.error = (line: { error_code: string; err?: Error }) => lines.push([line.error_code, line.err]);
  const cause = new Error("the password is hunter2");
  service.app.get("/boom", () => {
    throw cause;
  });
  service.app.get("/refused", () => {
    throw new ServiceError("VERIFIER_PROVIDER_ERROR");
  });
  await service.call("GET", "/boom");
  await service.call("GET", "/refused");
  assert.deepEqual(lines, [
    ["INTERNAL", cause],
    ["VERIFIER_PROVIDER_ERROR", undefined],
  ]);
});

testOnBoth("every answer carries a request id: the caller's where it can be one", async (service) => {
  const id = async (given: string) =>
    (await service.call("GET", "/api/version", { headers: { "x-request-id": given } })).headers["x-request-id"]!;
  assert.equal(await id("abc-123"), "abc-123");
  assert.equal(await id("x".repeat(128)), "x".repeat(128));
  assert.equal(await id("with space"), "with space");
  for (const given of ["", "x".repeat(129), "tab\t", "é"]) assert.match(await id(given), /^[0-9a-f-]{36}$/, given);
});

testOnBoth("every answer carries the headers that keep browsers safe", async (service) => {
  for (const path of ["/api/version", "/api/tasks", "/nowhere"]) {
    const { headers } = await service.call("GET", path);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.match(headers["content-security-policy"]!, /frame-ancestors 'none'/);
    assert.equal(headers["access-control-allow-origin"], undefined);
    assert.equal(headers["cache-control"], "no-store");
  }
});

testOnBoth("health, version and metrics answer", async (service) => {
  const health = await service.call("GET", "/api/health", { token: null });
  assert.equal(health.status, 200);
  assert.deepEqual(health.body, {
    status: "ok",
    version: service.ctx.version,
    database: "ok",
    deliveries: { overdue_seconds: 0 },
  });
  assert.deepEqual((await service.call("GET", "/api/health?live=1", { token: null })).body, {
    status: "ok",
    version: service.ctx.version,
  });
  assert.deepEqual((await service.call("GET", "/api/version", { token: null })).body, {
    name: "human-task-service",
    version: "0.1.5",
  });
  await service.create();
  const metrics = await service.call("GET", "/metrics");
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /^service_tasks_created_total 1$/m);
  assert.match(metrics.text, /service_http_request_seconds_count\{method="POST",route="\/api\/tasks",status="201"\} 1/);
});

testOnBoth("health names the database when it fails, and the process goes on", async (service) => {
  const { id } = await service.create();
  const { db } = service.ctx;
  const { ping } = db;
  const fail = async () => {
    throw new Error("connection refused");
  };
  Object.assign(db, { ping: fail });
  const health = await service.call("GET", "/api/health");
  assert.equal(health.status, 503);
  assert.deepEqual(health.body, {
    error_code: "DATABASE_UNAVAILABLE",
    message: "The database does not answer.",
    docs: "http://localhost:0/docs/troubleshooting#DATABASE_UNAVAILABLE",
    request_id: health.headers["x-request-id"],
    status: "failing",
    version: service.ctx.version,
    database: "failing",
  });
  assert.equal((await service.call("GET", "/api/health?live=1")).status, 200);
  Object.assign(db, { ping });
  assert.equal((await service.call("GET", `/api/tasks/${id}`)).status, 200);
});

void test("a database that does not answer is 503 in health and in every call, and the process goes on (PostgreSQL)", async () => {
  const { url, drop } = await (await postgres()).createDatabase();
  const proxy = await openDatabaseProxy(url);
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: proxy.url } });
  const send = async ({ method, path, body }: Call) => {
    const answer = await service.call(method, path, { body });
    return { status: answer.status, retryAfter: answer.headers["retry-after"], body: answer.body };
  };
  try {
    const open = async () => (await service.create()).id;
    const calls = everyCall([await open(), await open(), await open()]);
    await proxy.refuse();
    await assertUnavailable(calls, send, 10_000);
    assert.equal((await service.call("GET", "/api/health?live=1")).status, 200);
    await proxy.pass();
    proxy.freeze();
    // The database's own limit and one second. The rest is a margin for a busy machine.
    await assertUnavailable(calls, send, 20_000);
    await proxy.pass();
    for (const call of calls) {
      const { status, body } = await send(call);
      assert.equal(status, call.status, `${call.method} ${call.path}: ${JSON.stringify(body)}`);
    }
    const { body: counts } = await service.call("GET", "/api/tasks/counts");
    assert.deepEqual([counts["open"], counts["closed_today"]], [2, 2], "nothing happened twice or by itself");
  } finally {
    await proxy.pass();
    await stop();
    await proxy.close();
    await drop();
  }
});

testOnBoth("a list that is wrong from end to end is refused by its first entry", async (service) => {
  const answer = await service.call<Refused & { details: { path: string }[] }>("POST", "/api/tasks", {
    body: { ...newTaskBody(), notify: Array.from({ length: 100_000 }, () => 1) },
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(
    answer.body.details.map(({ path }) => path),
    ["/notify/0"],
  );
});

testOnBoth("a method that nobody knows is the caller's mistake", async (service) => {
  for (const method of ["QUERY", "PROPFIND", "LOCK", "TRACE"]) {
    const answer = await service.app.inject({ method: method as "GET", url: "/api/version" });
    assert.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${method}: ${answer.statusCode}`);
  }
});

void test("whoever sends a body that is too large gets to read why", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
    const body = JSON.stringify(newTaskBody({ payload: { text: "x".repeat(4_000_000) }, payload_schema: {} }));
    for (let i = 0; i < 10; i++) {
      const answer = await fetch(`${url}/api/tasks`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${service.ctx.config.adminToken}`, "content-type": "application/json" },
      });
      assert.equal(answer.status, 413);
      assert.equal(((await answer.json()) as Refused).error_code, "PAYLOAD_TOO_LARGE");
    }
  } finally {
    await stop();
  }
});

/** Sends raw bytes, and returns the answer until the service closes the connection. */
async function sendBytes({ app }: TestService, bytes: string): Promise<string> {
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

testOnBoth("an address or a method that there is not is told before the body is looked at", async ({ app, call }) => {
  for (const [path, status] of [
    ["/api/nothing", 404],
    ["/api/stats", 405],
  ] as const) {
    const headers = { "content-type": "text/plain" };
    const texts = await call<Refused>("POST", path, { raw: "not JSON", headers });
    assert.equal(texts.status, status, texts.text);
    assert.equal(texts.headers["allow"], status === 405 ? "GET" : undefined);
    const query = await app.inject({ method: "QUERY", url: path });
    assert.equal(query.statusCode, status, "a method that must have a body");
  }
});

testOnBoth("a file that the pages do not have is not found, whatever its name", async ({ call }) => {
  for (const path of ["/api/docs/static/nothing.js", "/api/docs/static/%2e%2e%2fpackage.json"])
    for (const method of ["GET", "HEAD"] as const) {
      const answer = await call<Refused>(method, path);
      assert.equal(answer.status, 404, `${method} ${path}`);
      assert.equal(answer.headers["allow"], undefined);
    }
});

void test("what the platform would refuse without a word is answered like everything else", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const get = "GET /api/version HTTP/1.1\r\nConnection: close\r\n";
    const hostless = await sendBytes(service, `${get}\r\n`);
    assert.match(hostless, /^HTTP\/1\.1 400 .*x-request-id: .*"error_code":"MALFORMED_REQUEST".*Host/s);
    for (const hosts of ["Host: x\r\nHost: x\r\n", "Host: x\r\nhOST: y\r\n"])
      assert.match(
        await sendBytes(service, `${get}${hosts}\r\n`),
        /^HTTP\/1\.1 400 .*x-request-id: .*"error_code":"MALFORMED_REQUEST".*`Host` is given twice/s,
      );
    assert.match(await sendBytes(service, `${get}Host: x\r\nExpect: something\r\n\r\n`), /^HTTP\/1\.1 200 /);
    assert.match(await sendBytes(service, "GET /api/version HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
  } finally {
    await stop();
  }
});

void test("where people come by https, every answer tells browsers to stay with it", async () => {
  for (const [url, expected] of [
    ["https://tasks.example.com", "max-age=31536000"],
    ["http://tasks.example.com", undefined],
    ["https://localhost:3000", undefined],
  ] as const) {
    const { service, stop } = await startTestService("sqlite", { env: { SERVICE_PUBLIC_URL: url } });
    try {
      for (const path of ["/api/version", "/api/tasks/none", "/api/nothing", "/inbox", "/%"]) {
        const answer = await service.call("GET", path);
        assert.equal(answer.headers["strict-transport-security"], expected, `${url} ${path}`);
      }
      const garbage = await sendBytes(service, "GARBAGE\r\n\r\n");
      assert.equal(/^strict-transport-security: (.*)$/m.exec(garbage)?.[1], expected);
    } finally {
      await stop();
    }
  }
});

void test("bytes that are not HTTP get an answer and lose the connection", async () => {
  const { service, stop } = await startTestService("sqlite");
  try {
    const send = (bytes: string) => sendBytes(service, bytes);
    const garbage = await send("GARBAGE\r\n\r\n");
    assert.match(garbage, /^HTTP\/1\.1 400 .*"error_code":"MALFORMED_REQUEST"/s);
    assert.match(
      garbage,
      /^x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\ncontent-security-policy: /m,
    );
    assert.match(
      await send(`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 .*"error_code":"REQUEST_HEADERS_TOO_LARGE"/s,
    );
    assert.match(
      await send("POST /api/tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
      /^HTTP\/1\.1 400 /,
    );
    const other = "GET /api/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert.match(await send(other), /^HTTP\/1\.1 200 /, "others are not harmed");
  } finally {
    await stop();
  }
});
