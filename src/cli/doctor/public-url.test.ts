import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runDoctor, startPatient, startStandIn, WELL, withoutService } from "../../../test/support/doctor.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { readConfig } from "../../config.ts";
import { settingsOf } from "../../operations/settings.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../outbound/fixtures/${name}`, import.meta.url));
const tlsOf = (cert: string) => ({
  cert: readFileSync(fixture(cert), "utf8"),
  key: readFileSync(fixture("receiver-key.pem"), "utf8"),
});

/** What a service with this environment answers operators. */
const settings = (env: Record<string, string>) => ({
  body: settingsOf(
    readConfig(env, () => {
      throw new Error("all secrets are given");
    }).config,
  ),
});

void test("another service, or one with other settings, is told from this one", async (t) => {
  const { env } = await startPatient(t, "sqlite");
  const [stranger, other] = await Promise.all([
    runDoctor({ ...env, SERVICE_ADMIN_API_TOKEN: "the-token-of-another-service" }),
    runDoctor({ ...env, SERVICE_BODY_LIMIT_BYTES: "2048", SERVICE_CALLBACK_ALLOW_PRIVATE: "0" }),
  ]);
  assert.deepEqual([stranger.code, stranger.status["public-url"]], [1, "problem"]);
  assert.match(stranger.says("public-url"), /rejects this SERVICE_ADMIN_API_TOKEN/);
  assert.deepEqual([other.code, other.status["public-url"]], [1, "problem"]);
  assert.match(
    other.says("public-url"),
    /different settings.*SERVICE_CALLBACK_ALLOW_PRIVATE, SERVICE_BODY_LIMIT_BYTES/,
  );
});

void test("what is not this service at all is told, and never shown the token", async (t) => {
  const answers = {
    "is nobody": { says: /Nothing responds at .*ECONNREFUSED/, answers: null },
    "is something else": { says: /Another program .*HTTP 404/, answers: {} },
    "looks alike": { says: /Another program .*HTTP 200/, answers: { "/api/version": { body: { name: "shop" } } } },
    "sends people on": {
      says: /redirects to https:\/\/tasks\.example\.com\/login\. Set SERVICE_PUBLIC_URL/,
      answers: { "/api/version": { status: 301, headers: { location: "https://tasks.example.com/login" } } },
    },
    "is not well": {
      says: /is unhealthy \(\/api\/health returns HTTP 503\)/,
      answers: { ...WELL, "/api/health": { status: 503, body: { status: "failing" } } },
    },
  };
  await Promise.all(
    Object.entries(answers).map(async ([name, { says: expected, answers: own }]) => {
      const { port, asked } = own === null ? { port: await freePort(), asked: [] } : await startStandIn(t, own);
      const { code, status, says } = await runDoctor(
        withoutService(t, { SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}` }),
      );
      assert.deepEqual([code, status["public-url"]], [1, "problem"], name);
      assert.match(says("public-url"), expected, name);
      assert.deepEqual(
        asked.filter(({ headers }) => headers.authorization !== undefined),
        [],
        name,
      );
    }),
  );
});

void test("a service that runs elsewhere on this machine is named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-discovery-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "service.json");
  const port = await freePort();
  const ask = async (found: { public_url: string; pid: number }) => {
    writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", token: null, before: [], ...found }));
    const env = { SERVICE_PORT: `${port}`, SERVICE_DISCOVERY_FILE: file };
    return (await runDoctor(withoutService(t, env))).says("public-url");
  };
  const [there, same, gone] = [
    await ask({ public_url: "http://localhost:4321", pid: process.pid }),
    await ask({ public_url: `http://localhost:${port}`, pid: process.pid }),
    await ask({ public_url: "http://localhost:4321", pid: 2 ** 22 + 1 }),
  ];
  assert.match(there, /Nothing responds .* A service runs at http:\/\/localhost:4321 on this machine\./);
  for (const says of [same, gone]) assert.doesNotMatch(says, /A service runs at/);
});

void test("an answer without end is not read to its end", async (t) => {
  const server = createServer((_request, response) => {
    const write = () => void (response.writable && response.write("x".repeat(64 * 1024), write));
    write();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const { says } = await runDoctor(withoutService(t, { SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}` }));
  assert.match(says("public-url"), /Another program .*HTTP 200/);
});

void test("a service of another version is a warning, and one with settings of no known form is none of ours", async (t) => {
  const base = (port: number) => ({ SERVICE_PUBLIC_URL: `http://127.0.0.1:${port}`, SERVICE_PORT: String(port) });
  const older = { "/api/version": { body: { name: "human-task-service", version: "0.1.4" } } };
  const [old, strange] = await Promise.all(
    [
      { ...WELL, ...older, "/api/settings": { body: {} } },
      { ...WELL, "/api/settings": { body: null } },
    ].map(async (answers) => runDoctor(withoutService(t, base((await startStandIn(t, answers)).port)))),
  );
  assert.deepEqual([old!.code, old!.status["public-url"]], [0, "warning"]);
  assert.match(old!.says("public-url"), / runs version 0\.1\.4, and this is /);
  assert.deepEqual([strange!.code, strange!.status["public-url"]], [1, "problem"]);
  assert.match(strange!.says("public-url"), /runs with different settings/);
});

void test("over the network without TLS the token is not sent, and what links lead to tells services apart", async (t) => {
  const answers = (base: string) => ({
    ...WELL,
    "/api/settings": { status: 401, body: { docs: `${base}/docs/troubleshooting#UNAUTHENTICATED` } },
  });
  const same = await startStandIn(t, (port) => answers(`http://0.0.0.0:${port}`));
  const other = await startStandIn(t, answers("https://tasks.example.com"));
  const [known, unknown] = await Promise.all(
    [same, other].map(({ port }) =>
      runDoctor(withoutService(t, { SERVICE_PUBLIC_URL: `http://0.0.0.0:${port}`, SERVICE_HOST: "0.0.0.0" })),
    ),
  );
  assert.deepEqual([known!.status["public-url"], known!.status["proxy"]], ["ok", "warning"]);
  assert.match(known!.says("proxy"), /is not https, so others on the network can read passwords/);
  assert.equal(unknown!.status["public-url"], "problem");
  assert.match(unknown!.says("public-url"), /has a different SERVICE_PUBLIC_URL/);
  for (const { asked } of [same, other]) {
    assert.equal(asked.length, 3);
    assert.deepEqual(
      asked.filter(({ headers }) => headers.authorization !== undefined),
      [],
    );
  }
});

void test("what is wrong with TLS is told by its name", async (t) => {
  const good = await startStandIn(t, WELL, tlsOf("receiver.pem"));
  const expired = await startStandIn(t, WELL, tlsOf("expired.pem"));
  const plain = await startStandIn(t, WELL);
  const faults = [
    { url: `https://127.0.0.1:${good.port}`, says: /is not trusted here.*whole chain.*NODE_EXTRA_CA_CERTS/ },
    { url: `https://localhost:${good.port}`, ca: "ca.pem", says: /is not for localhost\. Get a certificate/ },
    { url: `https://127.0.0.1:${expired.port}`, ca: "ca.pem", says: /has expired\. Renew it/ },
    { url: `https://127.0.0.1:${plain.port}`, says: /does not use TLS/ },
    { url: "https://nobody.invalid", says: /The name nobody\.invalid does not resolve|EAI_AGAIN/ },
  ];
  await Promise.all(
    faults.map(async ({ url, ca, says: expected }) => {
      const trust = ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: fixture(ca) };
      const { code, status, says } = await runDoctor(withoutService(t, { SERVICE_PUBLIC_URL: url, ...trust }));
      assert.deepEqual([code, status["public-url"]], [1, "problem"], url);
      assert.match(says("public-url"), expected);
    }),
  );
});

void test("behind a proxy it asks for whose headers to believe", async (t) => {
  const proxies = { SERVICE_TRUSTED_PROXIES: "10.0.0.0/8" };
  const env = { NODE_EXTRA_CA_CERTS: fixture("ca.pem") };
  const withProxy = await Promise.all(
    [{}, proxies].map(async (own) => {
      const { port } = await startStandIn(
        t,
        (at) => ({
          ...WELL,
          "/api/settings": settings(withoutService(t, { SERVICE_PUBLIC_URL: `https://127.0.0.1:${at}`, ...own })),
        }),
        tlsOf("receiver.pem"),
      );
      return runDoctor(withoutService(t, { ...env, ...own, SERVICE_PUBLIC_URL: `https://127.0.0.1:${port}` }));
    }),
  );
  const [nobody, somebody] = withProxy;
  assert.deepEqual([nobody!.status["public-url"], nobody!.status["proxy"]], ["ok", "warning"]);
  assert.match(nobody!.says("proxy"), /SERVICE_TRUSTED_PROXIES is not set\. .*all people as one/);
  assert.deepEqual([somebody!.code, somebody!.status["proxy"]], [0, "ok"]);
});
