import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { person } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { startSmtp } from "../../../test/support/smtp.ts";
import type { IdentityRecord, TestMailResult } from "./schema.ts";
import { readTransport } from "./transport.ts";

const PATH = "/api/channels/email/identities";
const MAIN = {
  id: "main",
  display_name: "Main",
  from_email: "tasks@example.com",
  from_name: "Tasks",
  transport: "smtp",
  transport_config: { host: "127.0.0.1", port: 2525, user: "ada", password: "right" },
};

type Body = Record<string, unknown>;
const set = (service: TestService, body: Body) =>
  service.call<IdentityRecord & { details: { path: string }[] }>("POST", PATH, { body });
const sendTest = (service: TestService, id: string, to = "dana@example.com") =>
  service.call<TestMailResult>("POST", `${PATH}/${id}/test`, { body: { to } });

testOnBoth(
  "an identity is made, changed, read and deleted, and its passwords are never seen again",
  async (service) => {
    const made = await set(service, MAIN);
    assert.equal(made.status, 200);
    const { transport_config: _secret, ...shown } = MAIN;
    assert.deepEqual(made.body, {
      ...shown,
      project: "default",
      reply_to: null,
      created_at: made.body.created_at,
      updated_at: made.body.created_at,
    });
    const stored = JSON.stringify(await service.ctx.db.query.selectFrom("email_identities").selectAll().execute());
    assert.doesNotMatch(stored, /right|2525/);

    service.clock.advance(1000);
    const changed = await set(service, { ...shown, from_name: null, reply_to: "desk@example.com" });
    assert.deepEqual([changed.body.from_name, changed.body.reply_to], [null, "desk@example.com"]);
    assert.equal(changed.body.created_at, made.body.created_at);
    assert.notEqual(changed.body.updated_at, made.body.updated_at);
    assert.deepEqual((await service.call("GET", `${PATH}/main`)).body, changed.body);
    await set(service, { ...MAIN, id: "a.second_one-2" });
    const ids = (await service.call<IdentityRecord[]>("GET", PATH)).body.map(({ id }) => id);
    assert.deepEqual(ids, ["a.second_one-2", "main"]);

    assert.equal((await service.call("DELETE", `${PATH}/main`)).status, 204);
    for (const [method, path] of [
      ["DELETE", `${PATH}/main`],
      ["GET", `${PATH}/main`],
      ["GET", `${PATH}/%00`],
      ["DELETE", `${PATH}/%00`],
      ["POST", `${PATH}/main/test`],
    ] as const) {
      const body = method === "POST" ? { body: { to: "dana@example.com" } } : {};
      assert.equal((await service.call(method, path, body)).status, 404, `${method} ${path}`);
    }
  },
);

testOnBoth("what cannot be an identity is refused at its place, and changes nothing", async (service) => {
  await set(service, MAIN);
  const before = await service.call<IdentityRecord[]>("GET", PATH);
  const refused: [Body, string][] = [
    [{ id: "with space" }, "/id"],
    [{ id: "a+b" }, "/id"],
    [{ from_email: "not an address" }, "/from_email"],
    [{ from_email: "a@example.com\r\nBcc: b@example.com" }, "/from_email"],
    [{ from_name: "Tasks\r\nBcc: b@example.com" }, "/from_name"],
    [{ display_name: "two\nlines" }, "/display_name"],
    [{ reply_to: "nobody" }, "/reply_to"],
    [{ transport_config: {} }, "/transport_config/host"],
    [{ transport_config: { host: "a b" } }, "/transport_config/host"],
    [{ transport_config: { host: "mail.example.com", port: 0 } }, "/transport_config/port"],
    [{ transport_config: { host: "mail.example.com", port: "25" } }, "/transport_config/port"],
    [{ transport_config: { host: "mail.example.com", secure: "yes" } }, "/transport_config/secure"],
    [{ transport_config: { host: "mail.example.com", use_tls: true } }, "/transport_config/use_tls"],
    [{ transport_config: { host: "mail.example.com", "a/b~": 1 } }, "/transport_config/a~1b~0"],
    [{ transport_config: { host: "mail.example.com", allow_unencrypted: 1 } }, "/transport_config/allow_unencrypted"],
    [{ transport: "log", transport_config: { dir: "outbox" } }, "/transport_config/dir"],
    [{ transport_config: { host: "mail.example.com", user: "ada" } }, "/transport_config/password"],
    [{ transport_config: { host: "mail.example.com", password: "x" } }, "/transport_config/user"],
    [{ transport_config: { host: "mail.example.com", user: "a\r\nb", password: "x" } }, "/transport_config/user"],
    [{ transport: "file", transport_config: { dir: "../elsewhere" } }, "/transport_config/dir"],
    [{ transport: "file", transport_config: { dir: "/tmp" } }, "/transport_config/dir"],
    [{ transport: "file", transport_config: { dir: "a/../../b" } }, "/transport_config/dir"],
    // Another way than before: it has nothing to keep.
    [{ transport: "resend", transport_config: null }, "/transport_config/api_key"],
  ];
  for (const [changes, path] of refused) {
    const answer = await set(service, { ...MAIN, ...changes });
    assert.deepEqual([answer.status, answer.body.details?.[0]?.path], [422, path], JSON.stringify(changes));
  }
  assert.equal((await set(service, { ...MAIN, transport: "pigeon" })).status, 422);
  assert.deepEqual((await service.call("GET", PATH)).body, before.body);
});

testOnBoth("a test mail goes through a mail server, from the identity, to whoever asked", async (service) => {
  const smtp = await startSmtp();
  try {
    const transport_config = { host: smtp.host, port: smtp.port, user: "ada", password: "right" };
    await set(service, { ...MAIN, from_name: 'Tasks "Ö", Inc.', reply_to: "desk@example.com", transport_config });
    const mia = await person(service, { email: "mia@example.com", is_operator: true });
    const { body } = await mia.call<TestMailResult>("POST", `${PATH}/main/test`, { body: {} });
    assert.deepEqual(body, { sent: true, to: "mia@example.com", error: null });
    const [mail] = smtp.received;
    assert.deepEqual([mail?.from, mail?.to, mail?.user], ["tasks@example.com", ["mia@example.com"], "ada"]);
    assert.match(mail!.source, /^From: .*<tasks@example\.com>\r\n/m);
    assert.match(mail!.source, /^Reply-To: desk@example\.com\r\n/m);
    assert.match(mail!.source, /^Auto-Submitted: auto-generated\r\n/m);
    assert.match(mail!.source, /^Message-ID: <[\w-]+@example\.com>\r\n/m);
    assert.match(mail!.source, /^Content-Type: text\/plain/m);
    assert.match(mail!.source, /^Content-Type: text\/html/m);
    const nobody = await service.call<{ details: { path: string }[] }>("POST", `${PATH}/main/test`, { body: {} });
    assert.deepEqual([nobody.status, nobody.body.details[0]?.path], [422, "/to"]);
    const wrong = await service.call<{ details: { path: string }[] }>("POST", `${PATH}/main/test`, {
      body: { to: "a@example.com\r\nBcc: b@example.com" },
    });
    assert.deepEqual([wrong.status, wrong.body.details[0]?.path], [422, "/to"]);
    assert.equal(smtp.received.length, 1);
  } finally {
    await smtp.close();
  }
});

testOnBoth("what a mail server refuses is said in a word and a sentence", async (service) => {
  const smtp = await startSmtp({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("full") ? done(new Error("The mailbox is full")) : done(),
  });
  const pem = (name: string) => readFileSync(new URL(`../../outbound/fixtures/${name}`, import.meta.url), "utf8");
  const certificate = { cert: pem("receiver.pem"), key: pem("receiver-key.pem") };
  const tls = await startSmtp({ ...certificate, secure: true });
  const upgraded = await startSmtp({ ...certificate, disabledCommands: [] });
  const silent = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const silentPort = (silent.address() as { port: number }).port;
  try {
    const config = { host: smtp.host, port: smtp.port };
    const says = async (transport_config: Body, to?: string) => {
      await set(service, { ...MAIN, transport_config });
      const { body } = await sendTest(service, "main", to);
      assert.equal(body.sent, false);
      return body.error;
    };
    assert.match((await says(config, "full@example.com"))!, /^refused_address: .*mailbox is full/);
    assert.match((await says({ ...config, user: "ada", password: "wrong" }))!, /^refused_login: /);
    assert.match((await says({ host: "127.0.0.1", port: silentPort }))!, /^connect: /);
    // A certificate that is not trusted, from the first byte and by STARTTLS, and a server without TLS.
    assert.match((await says({ host: "127.0.0.1", port: tls.port, secure: true }))!, /^tls: .*certificate/);
    assert.match((await says({ host: "127.0.0.1", port: upgraded.port }))!, /^tls: .*certificate/);
    assert.match((await says({ ...config, secure: true }))!, /^tls: /);
    assert.equal(smtp.received.length, 0);
  } finally {
    await Promise.all([smtp, tls, upgraded].map(async (server) => server.close()));
    await new Promise<void>((resolve) => silent.close(() => resolve()));
  }
});

testOnBoth("a password goes to another machine only under TLS, unless the sender allows otherwise", async (service) => {
  const smtp = await startSmtp();
  // The test server is not loopback by this name, and has no STARTTLS.
  const config = { host: "0.0.0.0", port: smtp.port, user: "ada", password: "right" };
  const says = async (transport_config: Body) => {
    await set(service, { ...MAIN, transport_config });
    return (await sendTest(service, "main")).body.error;
  };
  try {
    assert.match((await says(config))!, /^tls: /);
    assert.equal(smtp.received.length, 0);
    assert.equal(await says({ host: config.host, port: config.port }), null);
    assert.equal(await says({ ...config, allow_unencrypted: true }), null);
    assert.deepEqual(
      smtp.received.map(({ user }) => user),
      [null, "ada"],
    );
  } finally {
    await smtp.close();
  }
});

void test("port 465 is TLS from the first byte, unless the settings say otherwise", () => {
  const secureOf = (config: Body) => {
    const transport = readTransport("smtp", { host: "mail.example.com", ...config });
    return transport.kind === "smtp" ? [transport.port, transport.secure] : [];
  };
  assert.deepEqual(secureOf({}), [587, false]);
  assert.deepEqual(secureOf({ secure: true }), [465, true]);
  assert.deepEqual(secureOf({ port: 465 }), [465, true]);
  assert.deepEqual(secureOf({ port: 465, secure: null }), [465, true]);
  assert.deepEqual(secureOf({ port: 465, secure: false }), [465, false]);
  assert.deepEqual(secureOf({ port: 2465 }), [2465, false]);
});

testOnBoth("a file of the data directory takes a mail whole, and a log what is not secret", async (service) => {
  await set(service, { ...MAIN, transport: "file", transport_config: { dir: "outbox/mail" } });
  assert.equal((await sendTest(service, "main")).body.sent, true);
  const folder = join(service.ctx.config.dataDir, "outbox/mail");
  const files = await readdir(folder);
  assert.equal(files.length, 1);
  const mail = JSON.parse(await readFile(join(folder, files[0]!), "utf8")) as Record<string, string>;
  assert.equal(mail["to"], "dana@example.com");
  for (const part of ["subject", "text", "html"]) assert.ok(mail[part], part);
  await set(service, { ...MAIN, transport: "log", transport_config: {} });
  assert.equal((await sendTest(service, "main")).body.sent, true);
});

testOnBoth("settings that were sealed with another key are not used, and say so", async (service) => {
  await set(service, MAIN);
  await set(service, { ...MAIN, id: "other" });
  // A row that was copied to another place.
  const { transport_config } = await service.ctx.db.query
    .selectFrom("email_identities")
    .select("transport_config")
    .where("id", "=", "other")
    .executeTakeFirstOrThrow();
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("email_identities").set({ transport_config }).where("id", "=", "main").execute(),
  );
  assert.match((await sendTest(service, "main")).body.error!, /^sealed: /);
});

testOnBoth(
  "the environment makes an identity, which only the environment changes",
  async (service) => {
    const { body } = await service.call<IdentityRecord[]>("GET", PATH);
    assert.deepEqual(
      body.map(({ id, from_email, from_name, transport }) => ({ id, from_email, from_name, transport })),
      [{ id: "default", from_email: "tasks@example.com", from_name: "Task Desk", transport: "smtp" }],
    );
    assert.deepEqual((await service.call("GET", `${PATH}/default`)).body, body[0]);
    assert.equal((await set(service, { ...MAIN, id: "default" })).status, 422);
    assert.equal((await service.call("DELETE", `${PATH}/default`)).status, 422);
    assert.match((await sendTest(service, "default")).body.error!, /^connect: /);
  },
  {
    env: {
      SERVICE_EMAIL_FROM: '"Task Desk" <tasks@example.com>',
      SERVICE_SMTP_URL: "smtp://ada:p%40ss@127.0.0.1:9",
    },
  },
);
