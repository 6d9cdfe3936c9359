import assert from "node:assert/strict";
import { test } from "node:test";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { csvLine } from "../lib/csv.ts";
import type { Caller } from "../people/caller.ts";
import { findSession, startSession } from "../people/sessions.ts";
import { exportTasks } from "./export.ts";
import type { ListedTask } from "./schema.ts";

const lines = (text: string) => text.split("\n").slice(0, -1);
const tasksIn = (ndjson: string) => lines(ndjson).map((line) => JSON.parse(line) as ListedTask);

void test("a cell is quoted where the format asks for it, and never runs as a formula", () => {
  assert.equal(csvLine(["a", 1, null, 'say "hi", twice', "two\nlines"]), 'a,1,,"say ""hi"", twice","two\nlines"\r\n');
  for (const start of ["=", "+", "-", "@", "\t", "\uFF1D"]) assert.equal(csvLine([`${start}1`]), `'${start}1\r\n`);
  assert.equal(csvLine(["\r=1"]), '"\'\r=1"\r\n');
  assert.equal(csvLine(["1-2", -3]), "1-2,-3\r\n", "only at the beginning, and only texts");
});

testOnBoth(
  "an export has the tasks of the list with the same filters, as a table or as lines of JSON",
  async (service) => {
    const { call, create, clock } = service;
    const dana = await person(service, { email: "dana@example.com", is_operator: true });
    const named = { form_definition: { ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } } };
    const a = await create({
      task: '=HYPERLINK("x"), Mia',
      idempotency_key: "k-1",
      labels: ["vip", "to check"],
      ...named,
    });
    await dana.call("POST", `/api/tasks/${a.id}/complete`, { body: { response: { approved: true } } });
    clock.advance(1000);
    const b = await create({ task: "Zoë", idempotency_key: "+k", redact_payload: true });
    await call("POST", `/api/tasks/${b.id}/cancel`);
    await create({ task: "open" });

    const csv = await call<never>("GET", "/api/tasks/export?format=csv&terminal=true");
    assert.equal(csv.status, 200, csv.text);
    assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8; header=present");
    assert.equal(csv.headers["content-disposition"], 'attachment; filename="tasks-2026-01-31.csv"');
    assert.equal(csv.headers["cache-control"], "no-store");
    assert.equal(
      csv.text,
      "\uFEFFid,project,title,status,decision,decided_by,channel,asked_by,created_at,ended_at,attempts,idempotency_key,labels\r\n" +
        `${b.id},default,Zoë,cancelled,,,,admin,2026-01-31T12:00:01.000Z,2026-01-31T12:00:01.000Z,0,'+k,\r\n` +
        `${a.id},default,"'=HYPERLINK(""x""), Mia",completed,Approve,dana@example.com,dashboard,admin,` +
        '2026-01-31T12:00:00.000Z,2026-01-31T12:00:00.000Z,0,k-1,"vip, to check"\r\n',
    );

    for (const filter of ["", "&terminal=true&sort=ended", "&decision=Approve", "&q=open", "&unassigned=false"]) {
      const { body: rows } = await call<ListedTask[]>("GET", `/api/tasks?limit=200${filter}`);
      const { text, headers } = await call<never>("GET", `/api/tasks/export?format=ndjson${filter}`);
      assert.equal(headers["content-disposition"], 'attachment; filename="tasks-2026-01-31.ndjson"');
      assert.deepEqual(
        tasksIn(text),
        rows,
        `${filter}: payload and response as in the list, a confidential payload too`,
      );
    }
    for (const [query, path] of [
      ["", "/query/format"],
      ["?format=xlsx", "/query/format"],
      ["?format=csv&sort=deadline", "/query/sort"],
      ["?format=csv&ended_after=x", "/query/ended_after"],
    ]) {
      const { body, headers } = await call<{ details: { path: string }[] }>("GET", `/api/tasks/export${query}`);
      assert.equal(body.details[0]?.path, path);
      assert.equal(headers["content-disposition"], undefined, "an error is no file");
    }
  },
);

testOnBoth("everyone exports what they may list, and nothing else", async (service) => {
  const dana = await person(service);
  const own = await service.create({ assign_to: { user_id: dana.user.id }, callback_url: "https://example.com/hook" });
  await service.create();
  const { text } = await dana.call<never>("GET", "/api/tasks/export?format=ndjson");
  assert.deepEqual(
    tasksIn(text).map(({ id, callback_url }) => [id, callback_url]),
    [[own.id, undefined]],
  );
  assert.equal((await service.call("GET", "/api/tasks/export?format=csv", { token: null })).status, 401);
  const other = await dana.call<{ error_code: string }>("GET", "/api/tasks/export?format=csv&project=other");
  assert.equal(other.body.error_code, "PROJECT_NOT_FOUND");
});

/** Creates tasks of which a page of a list holds one. */
async function createLarge({ create }: TestService, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.push((await create({ payload: { text: "x".repeat(700_000) }, payload_schema: {} })).id);
  return ids;
}

testOnBoth("an export that fails in the middle is broken off, so that no part looks whole", async (service) => {
  const [oldest] = await createLarge(service, 2);
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("tasks").set({ verifier_result: "{" }).where("id", "=", oldest!).execute(),
  );
  const address = await service.app.listen({ port: 0, host: "127.0.0.1" });
  const authorization = `Bearer ${service.ctx.config.adminToken}`;
  const response = await fetch(`${address}/api/tasks/export?format=ndjson`, { headers: { authorization } });
  assert.equal(response.status, 200);
  await assert.rejects(response.text(), /terminated/);
});

testOnBoth("an export reads on as it is read, and ends when the person is signed out", async (service) => {
  const { ctx } = service;
  const dana = await person(service, { is_operator: true });
  const ids = await createLarge(service, 3);
  const { hash: session } = ctx.cookies.make();
  await ctx.db.write((tx) =>
    startSession(tx, dana.user.id, { address: "127.0.0.1", userAgent: null }, { hash: session, method: "password" }),
  );
  const caller: Caller = { kind: "user", ...(await findSession(ctx.db, session))!, session, isLimited: false };
  const parts = await exportTasks(ctx, caller, { format: "ndjson" });
  const next = async () => tasksIn((await parts.next()).value ?? "").map(({ id }) => id);
  assert.deepEqual(await next(), [ids[2]]);
  // It is not read ahead: what is deleted before its turn is not in it.
  await service.call("DELETE", `/api/tasks/${ids[1]}`);
  assert.deepEqual(await next(), [ids[0]]);
  assert.equal((await parts.next()).done, true);

  const others = await exportTasks(ctx, caller, { format: "ndjson" });
  await others.next();
  await service.call("DELETE", `/api/users/${dana.user.id}/sessions`);
  await assert.rejects(others.next(), { code: "UNAUTHENTICATED" });
});
