import assert from "node:assert/strict";
import { sql } from "kysely";
import { newAgent } from "../../test/support/agents.ts";
import { newConnection } from "../../test/support/connections.ts";
import { startTemporal } from "../../test/support/engines/temporal.ts";
import { person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { COLUMNS } from "../db/columns.ts";
import type { WebhookDelivery } from "../deliveries/schema.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import type { ConnectionKind, ConnectionRecord, ProbeResult } from "./schema.ts";

interface Refused {
  error_code: string;
  details: { path: string; message: string }[];
}

const PATH = "/api/connections";
const ADDRESS = { url: "https://temporal.example.com:7243", namespace: "default" };
const OLD = Buffer.alloc(32, 3);

const create = ({ call }: Pick<TestService, "call">, fields: object = {}) =>
  call<ConnectionRecord & Refused>("POST", PATH, {
    body: { name: "temporal", kind: "temporal", address: ADDRESS, secret: "a-key", ...fields },
  });
const change = ({ call }: Pick<TestService, "call">, id: string, body: object) =>
  call<ConnectionRecord & Refused>("PATCH", `${PATH}/${id}`, { body });
const read = async ({ call }: Pick<TestService, "call">, id: string) =>
  (await call<ConnectionRecord>("GET", `${PATH}/${id}`)).body;
const probe = async ({ call }: Pick<TestService, "call">, id: string) =>
  (await call<ProbeResult>("POST", `${PATH}/${id}/probe`)).body;

/** Creates a task that resumes a workflow, and answers it. */
async function resumed(service: TestService, entry: object): Promise<string> {
  const { body, status, text } = await service.call<TaskRecord>("POST", "/api/tasks", {
    body: { ...newTaskBody(), resume: [entry] },
  });
  assert.equal(status, 201, text);
  await service.call("POST", `/api/tasks/${body.id}/complete`, { body: { response: { approved: true } } });
  return body.id;
}

async function deliver({ ctx, clock }: TestService, ms = 1_000): Promise<void> {
  clock.advance(ms);
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

const entryOf = async ({ call }: TestService, id: string) =>
  (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body.resume![0]!;

testOnBoth("a connection keeps its secret to itself, and is listed by its name", async (service) => {
  const made = await create(service, { secret: "very-secret-key" });
  assert.equal(made.status, 201);
  const now = new Date(service.clock.now()).toISOString();
  assert.deepEqual(made.body, {
    id: made.body.id,
    project: "default",
    name: "temporal",
    kind: "temporal",
    address: ADDRESS,
    has_secret: true,
    allowed_agents: null,
    asks: null,
    created_at: now,
    updated_at: now,
    refused_at: null,
    refusal: null,
  });
  const before = await create(service, { name: "a first one" });
  const list = await service.call<ConnectionRecord[]>("GET", PATH);
  assert.deepEqual(list.body, [before.body, made.body]);
  assert.deepEqual(await read(service, made.body.id), made.body);
  for (const table of Object.keys(COLUMNS)) {
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(service.ctx.db.query);
    assert.ok(!JSON.stringify(rows).includes("very-secret-key"), table);
  }
  assert.equal((await service.call("DELETE", `${PATH}/${made.body.id}`)).status, 204);
  const gone = await service.call<Refused>("GET", `${PATH}/${made.body.id}`);
  assert.deepEqual([gone.status, gone.body.error_code], [404, "CONNECTION_NOT_FOUND"]);
});

testOnBoth("the list of kinds says what a form for each of them asks", async (service) => {
  const { body: kinds, text } = await service.call<ConnectionKind[]>("GET", `${PATH}/kinds`);
  const known = new Map(kinds.map((kind) => [kind.kind, kind]));
  assert.equal(known.has("url"), false, "it has no connections");
  const { address, ...temporal } = known.get("temporal")!;
  assert.deepEqual(temporal, {
    kind: "temporal",
    title: "Temporal",
    secret: "An API key, or a JWT that the server accepts. It is sent as a bearer token.",
    secret_required: false,
    secret_multiline: false,
    creates_tasks: false,
  });
  assert.deepEqual(address["required"], ["url", "namespace"]);
  assert.deepEqual(Object.keys(address["properties"] as object), ["url", "namespace"]);
  const { secret_required, secret_multiline, creates_tasks } = known.get("github")!;
  assert.deepEqual([secret_required, secret_multiline, creates_tasks], [true, true, true]);
  assert.doesNotMatch(text, /storable-text/, "that format is of this service alone");
  for (const { kind } of kinds) {
    const { body } = await create(service, { kind, address: {}, secret: null, name: kind });
    assert.match(body.details[0]!.path, /^\/address\/[a-z_]+$/, kind);
  }
});

testOnBoth("what a kind cannot use is refused, with its place", async (service) => {
  await create(service, { name: "taken" });
  const refused: [fields: object, path: string | undefined, code?: string][] = [
    [{ name: "taken" }, undefined, "CONNECTION_ALREADY_EXISTS"],
    [{ name: "" }, "/name"],
    [{ name: " spaced" }, "/name"],
    [{ kind: "fax" }, "/kind"],
    [{ kind: "url" }, "/kind"],
    [{ address: { namespace: "default" } }, "/address/url"],
    [{ address: { ...ADDRESS, namespace: 7 } }, "/address/namespace"],
    [{ address: { ...ADDRESS, url: "gopher://example.com" } }, "/address/url"],
    [{ secret: "two\nlines" }, "/secret"],
    [
      { kind: "ag-ui", address: { url: ADDRESS.url, api_key_header: "X-Key" }, secret: null },
      "/address/api_key_header",
    ],
    [{ secret: "" }, "/secret"],
    [{ kind: "github", address: { app_id: "Iv23liExample" }, secret: null }, "/secret"],
    [{ allowed_agents: ["agt_00000000000000000000000000"] }, "/allowed_agents/0"],
    [{ project: "nothing" }, "/project"],
  ];
  for (const [fields, path, code] of refused) {
    const { body, status } = await create(service, { name: "another", ...fields });
    assert.ok([400, 409, 422].includes(status), JSON.stringify(fields));
    assert.equal(code ?? body.details[0]!.path, code === undefined ? path : body.error_code, JSON.stringify(body));
  }
  assert.equal((await service.call<ConnectionRecord[]>("GET", PATH)).body.length, 1);
});

testOnBoth("a connection is not renamed to a name that is taken, and a project has at most 200", async (service) => {
  const [first, second] = [await create(service), await create(service, { name: "another" })];
  const renamed = await change(service, second.body.id, { name: "temporal" });
  assert.deepEqual([renamed.status, renamed.body.error_code], [409, "CONNECTION_ALREADY_EXISTS"]);
  assert.equal((await read(service, second.body.id)).name, "another");
  const { query } = service.ctx.db;
  const row = await query
    .selectFrom("connections")
    .selectAll()
    .where("id", "=", first.body.id)
    .executeTakeFirstOrThrow();
  const more = Array.from({ length: 198 }, (_, i) => ({ ...row, id: `con_${i}`, name: `more ${i}` }));
  await service.ctx.db.write((tx) => tx.query.insertInto("connections").values(more).execute());
  const full = await create(service, { name: "one too many" });
  assert.deepEqual([full.status, full.body.details[0]!.path], [422, "/project"]);
  await service.call("DELETE", `${PATH}/${second.body.id}`);
  assert.equal((await create(service, { name: "another" })).status, 201);
});

testOnBoth(
  "a new secret counts from the next attempt on, and the refusal of the old one is over",
  async (service, t) => {
    const engine = await startTemporal(t);
    const { address, secret } = engine.connection;
    const { body: connection } = await create(service, { address, secret: "expired" });
    const waiting = await engine.wait();
    const id = await resumed(service, { connection: "temporal", ...waiting.entry });
    await deliver(service);
    const refused = await entryOf(service, id);
    assert.deepEqual([refused.status, waiting.received.length], ["pending", 0]);
    assert.match(refused.error!, /^refused: /);
    const marked = await read(service, connection.id);
    assert.equal(marked.refused_at, new Date(service.clock.now()).toISOString());
    assert.ok(marked.refusal!.length > 0 && !marked.refusal!.includes("expired"));

    const changed = await change(service, connection.id, { secret });
    assert.deepEqual([changed.body.refused_at, changed.body.refusal], [null, null]);
    await deliver(service, 3_600_000);
    assert.deepEqual([(await entryOf(service, id)).status, waiting.received.length], ["done", 1]);
  },
);

testOnBoth("a secret is not sent to another server than the one that it was entered for", async (service) => {
  const { body } = await create(service);
  const elsewhere = { ...ADDRESS, url: "https://evil.example.com" };
  const refused = await change(service, body.id, { address: elsewhere });
  assert.deepEqual([refused.status, refused.body.details[0]!.path], [422, "/secret"]);
  assert.deepEqual((await read(service, body.id)).address, ADDRESS);
  assert.equal((await change(service, body.id, { address: { ...ADDRESS, namespace: "other" } })).status, 200);
  const moved = await change(service, body.id, { address: elsewhere, secret: "a-key-for-it" });
  assert.deepEqual(moved.body.address, elsewhere);
  const without = await change(service, body.id, { secret: null, address: ADDRESS });
  assert.deepEqual([without.status, without.body.has_secret], [200, false]);
});

testOnBoth("a probe says whether the engine is there and accepts the secret", async (service, t) => {
  const engine = await startTemporal(t);
  const { address, secret } = engine.connection;
  const { body: connection } = await create(service, { address, secret });
  assert.equal((await probe(service, connection.id)).ok, true);
  await change(service, connection.id, { secret: "wrong" });
  const wrong = await probe(service, connection.id);
  assert.equal(wrong.ok, false);
  assert.notEqual(wrong.detail, "");
  assert.notEqual((await read(service, connection.id)).refused_at, null);
  await change(service, connection.id, { secret });
  assert.equal((await probe(service, connection.id)).ok, true);
  await engine.close();
  const silent = await probe(service, connection.id);
  assert.equal(silent.ok, false);
  assert.match(silent.detail, /ECONNREFUSED|refused|closed/);
});

testOnBoth(
  "only operators of the project see and change a connection, and agents only name those that they may",
  async (service) => {
    await newProject(service, "desk");
    const [own, other] = [await newAgent(service), await newAgent(service)];
    const [member, operator] = [await person(service), await person(service, { is_operator: true })];
    const { body: connection } = await create(operator, { allowed_agents: [own.id, own.id] });
    assert.deepEqual(connection.allowed_agents, [own.id]);
    for (const caller of [member, own]) {
      assert.equal((await caller.call("GET", PATH)).status, 403);
      assert.equal((await caller.call("GET", `${PATH}/${connection.id}`)).status, 403);
      assert.equal((await caller.call("POST", `${PATH}/${connection.id}/probe`)).status, 403);
      assert.equal((await create(caller, { name: "mine" })).status, 403);
    }
    const name = (caller: Pick<TestService, "call">, named: string, fields: object = {}) =>
      caller.call<TaskRecord & Refused>("POST", "/api/tasks", {
        body: { ...newTaskBody(), resume: [{ connection: named, workflow_id: "w", signal: "s" }], ...fields },
      });
    assert.equal((await name(own, "temporal")).status, 201);
    assert.equal((await name(own, connection.id)).status, 201);
    assert.equal((await name(service, "temporal")).status, 201);
    const foreign = await create(service, { name: "of-desk", project: "desk" });
    for (const [caller, named] of [
      [other, "temporal"],
      [other, connection.id],
      [own, "of-desk"],
      [own, foreign.body.id],
      [service, "of-desk"],
    ] as const) {
      const { status, body } = await name(caller, named);
      assert.deepEqual([status, body.details[0]!.path], [422, "/resume/0/connection"]);
      // It tells nothing about connections of others.
      assert.equal(body.details[0]!.message, `There is no connection "${named}" in this project that you may use.`);
    }
  },
);

testOnBoth("after a connection was deleted, what waits is not resumed, and the task says why", async (service, t) => {
  const engine = await startTemporal(t);
  const { body: connection } = await create(service, engine.connection);
  const waiting = await engine.wait();
  const id = await resumed(service, { connection: "temporal", ...waiting.entry });
  await service.call("DELETE", `${PATH}/${connection.id}`);
  await deliver(service);
  const entry = await entryOf(service, id);
  assert.deepEqual([entry.status, waiting.received.length], ["failed", 0]);
  assert.match(entry.error!, /^no_connection: /);
});

testOnBoth(
  "the list of deliveries names the engine and the connection, and shows no address but its origin",
  async (service, t) => {
    const engine = await startTemporal(t);
    const { body: connection } = await create(service, engine.connection);
    const id = await resumed(service, { connection: connection.id, ...(await engine.wait()).entry });
    await deliver(service);
    const { body } = await service.call<WebhookDelivery[]>("GET", `/api/admin/webhook-deliveries?kind=resume`);
    const { origin } = new URL(String(engine.connection.address["url"]));
    assert.deepEqual(
      body.map(({ task_id, engine: kind, connection: of, url, meaning }) => [task_id, kind, of, url, meaning]),
      [[id, "temporal", connection.id, origin, "done"]],
    );
    // Another connection to the same server.
    const { body: other } = await create(service, { ...engine.connection, name: "other" });
    const otherId = await resumed(service, { connection: other.id, ...(await engine.wait()).entry });
    await deliver(service);
    for (const [named, task] of [
      [connection.id, id],
      [other.id, otherId],
    ]) {
      const path = `/api/admin/webhook-deliveries?connection=${named}`;
      const { body: rows } = await service.call<WebhookDelivery[]>("GET", path);
      assert.deepEqual(
        rows.map(({ task_id }) => task_id),
        [task],
      );
    }
  },
);

testOnBoth(
  "during a rotation of the secret key, secrets of both keys open, and afterwards only those that were encrypted again",
  async (service, t) => {
    const engine = await startTemporal(t);
    const { config, db } = service.ctx;
    const connection = await newConnection(service, { ...engine.connection, name: "temporal" });
    const keys = { secretKey: config.secretKey, previous: config.previous };
    const { body } = await service.call<{ resealed: number; unreadable: string[] }>("POST", "/api/admin/reseal");
    assert.deepEqual([body.resealed, body.unreadable], [0, []]);
    const before = await db.query.selectFrom("connections").select("secret").executeTakeFirstOrThrow();
    Object.assign(config, { secretKey: OLD, previous: { ...keys.previous, secretKey: keys.secretKey } });
    const again = await service.call<{ resealed: number }>("POST", "/api/admin/reseal");
    assert.equal(again.body.resealed, 1);
    assert.notEqual(
      (await db.query.selectFrom("connections").select("secret").executeTakeFirstOrThrow()).secret,
      before.secret,
    );
    Object.assign(config, { previous: { ...keys.previous, secretKey: null } });
    assert.equal((await probe(service, connection.id)).ok, true);
    Object.assign(config, { secretKey: Buffer.alloc(32, 5) });
    const lost = await probe(service, connection.id);
    assert.deepEqual([lost.ok, lost.detail.includes("SERVICE_SECRET_KEY")], [false, true]);
  },
);
