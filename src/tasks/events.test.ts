import assert from "node:assert/strict";
import { test } from "node:test";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { person, signedIn, type Signed } from "../../test/support/people.ts";
import { ADMIN_TOKEN, newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Db } from "../db/database.ts";
import { createLocalHints } from "../db/hints.ts";
import { createTaskEvents } from "./events.ts";
import type { TaskRecord } from "./schema.ts";

interface Event {
  type: string;
  data: { id?: string; status?: string };
}

/** A reader of /api/events. */
async function listen(service: TestService, headers: Partial<Signed> | { authorization: string }) {
  const response = await service.app.inject({ url: "/api/events", headers, payloadAsStream: true });
  const stream = response.stream();
  const events: Event[] = [];
  const blocks: string[] = [];
  let text = "";
  let more = Promise.withResolvers<void>();
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      blocks.push(block);
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (type !== undefined) events.push({ type, data: JSON.parse(data!) as Event["data"] });
    }
    more.resolve();
    more = Promise.withResolvers();
  });
  const ended = new Promise<void>((resolve) => stream.once("close", resolve));
  return {
    response,
    events,
    /** Everything that came, as it was sent. */
    blocks,
    ended,
    /** Waits until an event came that fits, and gives all up to it. */
    until: async (fits: (event: Event) => boolean): Promise<Event[]> => {
      for (;;) {
        const at = events.findIndex(fits);
        if (at >= 0) return events.splice(0, at + 1);
        await more.promise;
      }
    },
    close: () => stream.destroy(),
  };
}
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
const of = (id: string, status: string) => (event: Event) => event.data.id === id && event.data.status === status;

testOnBoth(
  "a stream begins with reset and then tells which task changed, and nothing that is in it",
  async (service) => {
    const reader = await listen(service, admin);
    assert.equal(reader.response.statusCode, 200);
    assert.match(reader.response.headers["content-type"] as string, /^text\/event-stream/);
    assert.equal(reader.response.headers["cache-control"], "no-store");
    assert.equal(reader.response.headers["x-content-type-options"], "nosniff");
    assert.deepEqual(await reader.until(({ type }) => type === "reset"), [{ type: "reset", data: {} }]);
    const { id } = await service.create();
    assert.deepEqual((await reader.until(of(id, "created"))).at(-1), { type: "task", data: { id, status: "created" } });
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    await reader.until(of(id, "completed"));
    await service.call("DELETE", `/api/tasks/${id}`);
    await reader.until(of(id, "deleted"));
    reader.close();
  },
);

testOnBoth("a reader who leaves is forgotten", async (service) => {
  const address = await service.app.listen({ port: 0, host: "127.0.0.1" });
  const leave = new AbortController();
  const response = await fetch(`${address}/api/events`, { headers: admin, signal: leave.signal });
  assert.equal(response.status, 200);
  assert.equal(service.ctx.events.count(), 1);
  leave.abort();
  while (service.ctx.events.count() > 0) await new Promise((resolve) => setImmediate(resolve));
});

testOnBoth("a person hears of their own tasks and those on offer to them, and of no others", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service)];
  const reader = await listen(service, dana.headers);
  const foreign = await service.create({ assign_to: { email: mia.user.email! } });
  const loose = await service.create();
  await service.call("POST", `/api/tasks/${loose.id}/cancel`);
  const own = await service.create({ assign_to: { email: dana.user.email! } });
  const offered = await service.create({ assign_to: { pool: "p" } });
  const heard = await reader.until(of(offered.id, "created"));
  await service.call("POST", `/api/tasks/${foreign.id}/cancel`);
  await service.call("POST", `/api/tasks/${own.id}/cancel`);
  heard.push(...(await reader.until(of(own.id, "cancelled"))));
  const ids = new Set(heard.flatMap(({ data }) => data.id ?? []));
  assert.deepEqual(ids, new Set([own.id, offered.id]));
  reader.close();
});

testOnBoth("whose list a task leaves is told to read it anew", async (service) => {
  const [dana, mia] = [await person(service, { pool: "p" }), await person(service, { pool: "p" })];
  const { id } = await service.create({ assign_to: { pool: "p" } });
  const reader = await listen(service, dana.headers);
  await reader.until(({ type }) => type === "reset");
  const changes: [string, object][] = [
    ["claim", {}],
    ["release", {}],
  ];
  for (const [what, body] of changes) {
    await mia.call("POST", `/api/tasks/${id}/${what}`, { body });
    await reader.until(({ type }) => type === "reset");
  }
  await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: mia.user.id } });
  await reader.until(({ type }) => type === "reset");
  await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: dana.user.id } });
  await reader.until(({ type }) => type === "reset");
  await service.call("DELETE", `/api/tasks/${id}`);
  await reader.until(({ type }) => type === "reset");
  reader.close();
});

testOnBoth("a stream ends when its session has ended", async (service, t) => {
  const dana = await person(service);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const reader = await listen(service, dana.headers);
  t.mock.timers.tick(15_000);
  // Without a hint, as when a session expires.
  await service.ctx.db.write((tx) => tx.query.deleteFrom("sessions").execute());
  assert.equal(service.ctx.events.count(), 1);
  t.mock.timers.tick(15_000);
  await reader.ended;
  assert.equal(service.ctx.events.count(), 0);
});

testOnBoth("signing out ends the stream of that session at once, and no other", async (service, t) => {
  const here = await person(service);
  const there = await signedIn(service, here.user.id);
  // The beat that looks at every session never comes here.
  t.mock.timers.enable({ apis: ["setInterval"] });
  const [reader, other] = [await listen(service, here.headers), await listen(service, there)];
  await here.call("POST", "/api/auth/logout");
  await reader.ended;
  assert.equal(service.ctx.events.count(), 1);
  other.close();
});

testOnBoth("a stream ends at once when its person is deactivated, and no other does", async (service, t) => {
  const [dana, mia] = [await person(service), await person(service)];
  // The beat that looks at every session never comes here.
  t.mock.timers.enable({ apis: ["setInterval"] });
  const [reader, other] = [await listen(service, dana.headers), await listen(service, mia.headers)];
  await service.call("DELETE", `/api/users/${dana.user.id}`);
  await reader.ended;
  assert.equal(service.ctx.events.count(), 1);
  other.close();
});

testOnBoth("a person has 20 streams at most: the oldest ends, and no stream of anybody else", async (service) => {
  const [dana, mia] = [await person(service), await person(service)];
  const second = await signedIn(service, dana.user.id);
  const other = await listen(service, mia.headers);
  const agents = await Promise.all(Array.from({ length: 25 }, async () => listen(service, admin)));
  const first = await listen(service, dana.headers);
  await first.until(({ type }) => type === "reset");
  const readers = [];
  for (let i = 0; i < 19; i++) readers.push(await listen(service, i % 2 === 0 ? dana.headers : second));
  assert.equal(service.ctx.events.count(), 46);
  // Another session does not make the share larger.
  readers.push(await listen(service, second));
  await first.ended;
  assert.equal(service.ctx.events.count(), 46);
  const { id } = await service.create({ assign_to: { email: dana.user.email! } });
  for (const reader of readers) await reader.until(of(id, "created"));
  for (const { close } of [other, ...agents, ...readers]) close();
});

testOnBoth("a page whose stream was replaced is told to come back later than after a stop", async (service) => {
  const dana = await person(service);
  const first = await listen(service, dana.headers);
  const readers = [];
  for (let i = 0; i < 20; i++) readers.push(await listen(service, dana.headers));
  await first.ended;
  const [soon, later] = [/^retry: 3000$/, /^retry: 600000\nevent: replaced\ndata: \{\}$/];
  assert.match(first.blocks[0]!, soon);
  assert.match(first.blocks.at(-1)!, later);
  await service.app.close();
  for (const { blocks, ended } of readers) {
    await ended;
    assert.match(blocks[0]!, soon);
    assert.doesNotMatch(blocks.at(-1)!, later);
  }
});

testOnBoth("a stop ends every stream", async (service) => {
  const readers = [await listen(service, admin), await listen(service, admin)];
  await service.app.close();
  for (const { ended } of readers) await ended;
});

void test("where hints of other processes were lost, or do not arrive, pages are told to read everything again", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const local = createLocalHints();
  let isHealthy = true;
  const hints = { ...local, isShared: true, isHealthy: () => isHealthy };
  const events = createTaskEvents({ hints, now: () => 0 } as unknown as Db, assert.ifError);
  const changes: string[] = [];
  events.open({ kind: "admin" }, null, { change: ({ type }) => changes.push(type), end: () => {} });
  assert.deepEqual(changes, ["reset"], "at its start");
  t.mock.timers.tick(60_000);
  assert.equal(changes.length, 1, "none while hints arrive");
  local.reset();
  assert.equal(changes.length, 2);
  isHealthy = false;
  t.mock.timers.tick(60_000);
  assert.deepEqual(
    changes,
    Array.from({ length: 6 }, () => "reset"),
  );
  events.stop();
  t.mock.timers.tick(60_000);
  assert.equal(changes.length, 6);
});

testOnBoth("a burst of changes is told as one reset", async (service) => {
  const reader = await listen(service, admin);
  await reader.until(({ type }) => type === "reset");
  service.ctx.db.hints.publish(Array.from({ length: 501 }, (_, i) => `task:tsk_${i}`));
  assert.deepEqual(await reader.until(({ type }) => type === "reset"), [{ type: "reset", data: {} }]);
  reader.close();
});

testOnBoth("an agent hears of its own tasks, and its stream ends with a scope that is taken away", async (service) => {
  const agent = await newAgent(service, { scopes: ["ask"] });
  const reader = await newAgent(service, { scopes: ["ask", "read"] });
  const bearer = ({ token }: TestAgent) => ({ authorization: `Bearer ${token}` });
  const [own, all] = [await listen(service, bearer(agent)), await listen(service, bearer(reader))];
  const { id: foreign } = await service.create();
  const { body: mine } = await agent.call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody() });
  await all.until(of(foreign, "created"));
  const heard = await own.until(of(mine.id, "created"));
  assert.deepEqual(new Set(heard.flatMap(({ data }) => data.id ?? [])), new Set([mine.id]));
  await service.call("PATCH", `/api/agents/${reader.id}`, { body: { scopes: ["ask"] } });
  await service.call("PATCH", `/api/agents/${agent.id}`, { body: { disabled: true } });
  while (service.ctx.events.count() > 0) await new Promise((resolve) => setImmediate(resolve));
});

testOnBoth("an agent holds a share of the streams, as a person does", async (service) => {
  const agent = await newAgent(service);
  for (let i = 0; i < 22; i++) await listen(service, { authorization: `Bearer ${agent.token}` });
  while (service.ctx.events.count() > 20) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(service.ctx.events.count(), 20);
});
