import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Caller } from "../people/caller.ts";
import { findSession, startSession } from "../people/sessions.ts";
import { exportAudit } from "./audit.ts";
import type { AuditRecord } from "./schema.ts";

const list = async ({ call }: Pick<TestService, "call">, query = "") => {
  const { status, body, text, headers } = await call<AuditRecord[]>("GET", `/api/audit${query}`);
  assert.equal(status, 200, text);
  return { rows: body, next: /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1] ?? null };
};
const whats = async (service: Pick<TestService, "call">, query = "") =>
  (await list(service, query)).rows.map(({ what }) => what);

testOnBoth("tasks, people, keys and settings are in one list, newest first, with filters", async (service) => {
  const { call, create, clock } = service;
  const dana = await person(service, { email: "dana@example.com", is_operator: true });
  clock.advance(1000);
  const agent = await newAgent(service, { name: "refund-agent" });
  clock.advance(1000);
  const task = await create({ task: "Refund Mia?" });
  clock.advance(1000);
  await dana.call("POST", `/api/tasks/${task.id}/cancel`, { body: { reason: "Twice." } });
  clock.advance(24 * 3600_000);
  await agent.call("POST", "/api/tasks", {
    body: {
      task: "Late",
      idempotency_key: "l",
      payload: {},
      payload_schema: {},
      response_schema: { type: "object" },
      timeout_seconds: 60,
    },
  });

  const { rows } = await list(service);
  assert.deepEqual(
    rows.map(({ kind, what }) => `${kind} ${what}`),
    [
      "task created",
      "task cancelled",
      "task created",
      "security agent_token_created",
      "security agent_created",
      "security user_created",
    ],
  );
  const cancelled = rows[1]!;
  assert.deepEqual(
    [cancelled.actor.email, cancelled.reason, cancelled.task, cancelled.task_id, cancelled.project],
    ["dana@example.com", "Twice.", "Refund Mia?", task.id, "default"],
  );
  assert.deepEqual([rows[0]!.actor.name, rows[0]!.actor.id], ["refund-agent", agent.id]);

  assert.deepEqual(await whats(service, "?kind=task"), ["created", "cancelled", "created"]);
  assert.deepEqual(await whats(service, "?actor=Dana@example.com"), ["cancelled"]);
  assert.deepEqual(await whats(service, `?actor=${dana.user.id}`), ["cancelled"]);
  assert.deepEqual(await whats(service, `?actor=${agent.id}`), ["created"]);
  assert.deepEqual(await whats(service, "?what=cancelled&what=agent_created"), ["cancelled", "agent_created"]);
  assert.deepEqual(await whats(service, `?task_id=${task.id}`), ["cancelled", "created"]);
  assert.deepEqual(await whats(service, "?from=2026-02-01"), ["created"]);
  assert.deepEqual(await whats(service, "?kind=task&until=2026-02-01"), ["cancelled", "created"]);
  assert.deepEqual(await whats(service, "?what=nothing"), []);
  for (const query of ["?from=yesterday", "?kind=all", "?cursor=x", "?limit=0"])
    assert.equal((await call("GET", `/api/audit${query}`)).status, 422, query);
});

testOnBoth("pages meet without gap or overlap, and an export has the same", async (service) => {
  const { call, create, clock } = service;
  for (let i = 0; i < 4; i++) {
    const { id } = await create({ task: `=t${i}` });
    await person(service);
    if (i % 2 === 0) clock.advance(1000);
    await call("POST", `/api/tasks/${id}/cancel`);
  }
  const all = (await list(service, "?limit=200")).rows.map(({ id }) => id);
  assert.ok(all.length >= 12);
  const walked: string[] = [];
  for (let path: string | null = "?limit=5"; path !== null;) {
    const { rows, next } = await list(service, path);
    walked.push(...rows.map(({ id }) => id));
    path = next?.slice("/api/audit".length) ?? null;
  }
  assert.deepEqual(walked, all);

  const lines = await call<never>("GET", "/api/audit/export?format=ndjson");
  assert.equal(lines.headers["content-type"], "application/x-ndjson; charset=utf-8");
  const ids = lines.text
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as AuditRecord).id);
  assert.deepEqual(ids, all);
  const table = await call<never>("GET", "/api/audit/export?format=csv&kind=task");
  assert.equal(table.headers["content-disposition"], 'attachment; filename="audit-2026-01-31.csv"');
  assert.match(table.text, /^\uFEFFat,kind,what,outcome,actor_kind,actor,task_id,task,project,/);
  assert.equal(table.text.split("\r\n").length, 8 + 2);
  assert.ok(table.text.includes(",'=t3,"), "a title does not run as a formula");
  assert.deepEqual(await whats(service, "?what=audit_exported"), ["audit_exported", "audit_exported"]);
});

testOnBoth("operators of a project see its tasks alone, and others see nothing", async (service) => {
  await newProject(service, "billing");
  const kim = await person(service, { projects: ["billing"] });
  await join(service, "billing", kim.user.id, "operator");
  const ours = await service.create({ project: "billing" });
  await service.create();
  const { rows } = await list(kim);
  assert.deepEqual(
    rows.map(({ what, task_id }) => [what, task_id]),
    [["created", ours.id]],
  );
  assert.deepEqual(await whats(kim, "?kind=security"), []);
  assert.deepEqual(await whats(service, "?project=billing"), ["created"]);
  assert.equal((await kim.call("GET", "/api/audit?project=default")).status, 404);
  const lee = await person(service);
  for (const path of ["/api/audit", "/api/audit/export?format=csv"])
    assert.equal((await lee.call("GET", path)).status, 403);
});

testOnBoth(
  "the decisions about a blind task stay hidden while it is open, and a deleted one leaves its deletion",
  async (service) => {
    const people = [await person(service), await person(service)];
    const asked: object = {
      payload: undefined,
      payload_schema: undefined,
      response_schema: undefined,
      action: { name: "refund", args: {} },
      approvals: { need: 2, from: { emails: people.map(({ user }) => user.email!) }, blind: true },
    };
    const { id } = await service.create(asked);
    const decide = async (at: number) => {
      const { status, text } = await people[at]!.call("POST", `/api/tasks/${id}/complete`, {
        body: { response: { decision: "approve" } },
      });
      assert.equal(status, 200, text);
    };
    await decide(0);
    assert.ok(!(await whats(service, "?kind=task")).includes("approved"));
    await decide(1);
    assert.ok((await whats(service, "?kind=task")).includes("approved"));
    await service.call("DELETE", `/api/tasks/${id}`);
    const { rows } = await list(service, "?kind=task");
    assert.deepEqual(
      rows.map(({ what, task, task_id }) => [what, task, task_id]),
      [["deleted", null, id]],
    );
  },
);

testOnBoth("an export ends when the session does, so that it does not look complete", async (service) => {
  const dana = await person(service, { is_operator: true });
  for (let i = 0; i < 201; i++) await service.create();
  const { hash } = service.ctx.cookies.make();
  const at = { address: "127.0.0.1", userAgent: null };
  await service.ctx.db.write((tx) => startSession(tx, dana.user.id, at, { hash, method: "password" }));
  const session = (await findSession(service.ctx.db, hash))!;
  const caller: Caller = { kind: "user", ...session, session: hash, isLimited: false };
  const parts = await exportAudit(service.ctx, caller, { format: "ndjson", kind: "task" });
  assert.equal((await parts.next()).done, false);
  await service.call("DELETE", `/api/users/${dana.user.id}/sessions`);
  await assert.rejects(parts.next(), { code: "UNAUTHENTICATED" });
});
