import assert from "node:assert/strict";
import { person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { HOUR } from "../lib/time.ts";
import type { ListedTask, Stats, StatsGroups, TaskRecord } from "./schema.ts";

const NAMED = { form_definition: { ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } } };
const WITHOUT_FORM = { payload: undefined, payload_schema: undefined, response_schema: undefined };
const ACTION = {
  ...WITHOUT_FORM,
  action: { name: "refund", args: { amount: 12 }, allowed: ["approve", "edit", "reject"] },
} as const;
const DRAFT = {
  payload: { draft: "Dear Mia" },
  payload_schema: { type: "object" },
  response_schema: { type: "object", properties: { text: { type: "string" } } },
  form_definition: { prefill: { "/text": "/draft" } },
};

const groups = async ({ call }: TestService, query = "") => {
  const { status, body, text } = await call<StatsGroups>("GET", `/api/stats/groups${query}`);
  assert.equal(status, 200, text);
  return body;
};
const listed = async ({ call }: TestService, query: string) => {
  const { status, body, text } = await call<ListedTask[]>("GET", `/api/tasks${query}`);
  assert.equal(status, 200, text);
  return body.map(({ id }) => id).toSorted();
};

testOnBoth(
  "closed tasks are counted by agent, question, person and label, and each number has its list",
  async (service) => {
    const { call, create } = service;
    const dana = await person(service, { email: "dana@example.com", display_name: "Dana", is_operator: true });
    const { body: agent } = await call<{ id: string }>("POST", "/api/agents", { body: { name: "refund-agent" } });
    const token = await call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, { body: { name: "t" } });
    const ofAgent = async (fields: object) => {
      const { body, text } = await call<TaskRecord>("POST", "/api/tasks", {
        token: token.body.token,
        body: { task: "Refund", idempotency_key: `a${Math.random()}`, payload: {}, timeout_seconds: 600, ...fields },
      });
      assert.ok(body.id, text);
      return body.id;
    };
    const answer = async (id: string, response: object, by = dana.call) => {
      const { body, text } = await by<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response } });
      assert.equal(body.status, "completed", text);
      return id;
    };
    const action = { payload: undefined, action: ACTION.action, labels: ["VIP"] };
    const approved = await answer(await ofAgent({ ...action, task: "Refund 1" }), { decision: "approve" });
    const edited = await answer(await ofAgent({ ...action, task: "Refund 2" }), {
      decision: "edit",
      args: { amount: 10 },
    });
    const rejected = await answer(await ofAgent({ ...action, task: "Refund 3", labels: [] }), { decision: "reject" });
    const kept = await answer((await create(DRAFT)).id, { text: "Dear Mia" });
    const written = await answer((await create({ ...DRAFT, task: "A letter" })).id, { text: "Dear Leo" });
    const cancelled = await create({ ...NAMED, labels: ["vip"], task: "Cancelled" });
    await call("POST", `/api/tasks/${cancelled.id}/cancel`);
    await create({ ...NAMED, task: "Waits" });

    const found = await groups(service);
    assert.equal(found.is_complete, true);
    assert.deepEqual(found.all, {
      closed: 6,
      completed: 5,
      approved: 1,
      rejected: 1,
      edited: 2,
      unedited: 2,
      refused: 0,
    });
    const short = (group: { closed: number; completed: number; approved: number; edited: number }) =>
      [group.closed, group.completed, group.approved, group.edited].join(" ");
    assert.deepEqual(
      found.by_agent.map((group) => [group.agent, group.name, short(group)]),
      [[agent.id, "refund-agent", "3 3 1 1"]],
    );
    assert.deepEqual(
      found.by_question.map((group) => [group.title, short(group)]),
      [
        ["Refund 3", "3 3 1 1"],
        ["A letter", "2 2 0 1"],
        ["Cancelled", "1 0 0 0"],
      ],
    );
    assert.deepEqual(
      found.by_person.map((group) => [group.user_id, group.name, short(group)]),
      [[dana.user.id, "Dana", "5 5 1 2"]],
    );
    assert.deepEqual(
      found.by_label.map((group) => [group.label, short(group)]),
      [["vip", "3 2 1 1"]],
    );

    const range = `ended_after=${found.counted_from}&ended_before=${found.to}`;
    const lists: [query: string, ids: string[]][] = [
      [`agent=${agent.id}`, [approved, edited, rejected]],
      [`question=${found.by_question[0]!.question}`, [approved, edited, rejected]],
      [`completed_by=${dana.user.id}`, [approved, edited, rejected, kept, written]],
      ["label=vip", [approved, edited, cancelled.id]],
      ["tone=ok", [approved]],
      ["tone=bad", [rejected]],
      ["edited=true", [edited, written]],
      ["edited=false", [approved, kept]],
      ["refused=true", []],
    ];
    for (const [query, ids] of lists)
      assert.deepEqual(await listed(service, `?sort=ended&${range}&${query}`), ids.toSorted(), query);
    assert.equal((await call("GET", "/api/tasks?tone=green")).status, 422);
  },
);

testOnBoth("a window is the last days, or from one day to another, and nothing else", async (service) => {
  const { call, create, clock } = service;
  const early = await create();
  await call("POST", `/api/tasks/${early.id}/cancel`);
  clock.advance(48 * HOUR);
  const late = await create();
  await call("POST", `/api/tasks/${late.id}/cancel`);

  const closed = async (query: string) => [
    (await groups(service, query)).all.closed,
    (await call<Stats>("GET", `/api/stats${query}`)).body.totals.cancelled,
  ];
  assert.deepEqual(await closed("?window_days=1"), [1, 1]);
  assert.deepEqual(await closed("?window_days=3"), [2, 2]);
  assert.deepEqual(await closed("?from=2026-01-31&to=2026-02-01"), [1, 1]);
  assert.deepEqual(await closed("?from=2026-02-01&to=2026-02-01"), [0, 0]);
  assert.equal((await call<Stats>("GET", "/api/stats?from=2026-01-31&to=2026-02-01")).body.window_days, 2);
  const wrong = [
    "from=2026-01-31",
    "to=2026-01-31",
    "from=2026-02-01&to=2026-01-31",
    "from=2026-02-30&to=2026-03-01",
    "from=2026-02-01&to=2026-02-03",
    "from=2020-01-01&to=2026-01-31",
    "from=2026-01-31&to=2026-02-01&window_days=3",
  ];
  for (const query of wrong)
    for (const path of ["/api/stats", "/api/stats/groups"])
      assert.equal((await call("GET", `${path}?${query}`)).status, 422, query);
});

testOnBoth("open tasks are counted by how long they wait, and each age has its list", async (service) => {
  const { create, clock } = service;
  const old = await create({ timeout_seconds: 864_000 });
  clock.advance(30 * HOUR);
  const middle = await create({ timeout_seconds: 864_000 });
  clock.advance(2 * HOUR);
  const young = [await create({ timeout_seconds: 864_000 }), await create({ timeout_seconds: 864_000 })];
  const { waiting } = await groups(service);
  assert.equal(waiting.is_complete, true);
  assert.deepEqual(
    waiting.ages.map(({ open }) => open),
    [2, 1, 0, 1, 0, 0],
  );
  const listOf = async (i: number) => {
    const { after, before } = waiting.ages[i]!;
    const query = new URLSearchParams({ terminal: "false" });
    if (after !== null) query.set("created_after", after);
    if (before !== null) query.set("created_before", before);
    return listed(service, `?${query.toString()}`);
  };
  assert.deepEqual(await listOf(0), young.map(({ id }) => id).toSorted());
  assert.deepEqual(await listOf(1), [middle.id]);
  assert.deepEqual(await listOf(3), [old.id]);
});

testOnBoth("operators of a project see the groups of their projects alone", async (service) => {
  const { call, create } = service;
  await newProject(service, "billing");
  const kim = await person(service, { projects: ["billing"] });
  await join(service, "billing", kim.user.id, "operator");
  const ours = await create({ labels: ["ours"], project: "billing" });
  const theirs = await create({ labels: ["theirs"] });
  for (const { id } of [ours, theirs]) await call("POST", `/api/tasks/${id}/cancel`);
  const labelsOf = async (query: string) => (await groups(service, query)).by_label.map(({ label }) => label);
  const { body } = await kim.call<StatsGroups>("GET", "/api/stats/groups");
  assert.deepEqual(
    body.by_label.map(({ label }) => label),
    ["ours"],
  );
  assert.deepEqual([await labelsOf(""), await labelsOf("?project=default")], [["ours", "theirs"], ["theirs"]]);
  assert.equal((await kim.call("GET", "/api/stats/groups?project=default")).status, 404);
  const lee = await person(service);
  assert.equal((await lee.call("GET", "/api/stats/groups")).status, 403);
});
