import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { addUser, person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { ListedTask } from "../tasks/schema.ts";
import { COUNTED_MAX, PERSONAL_MAX, SHARED_MAX, type CountedViewRecord, type ViewRecord } from "./schema.ts";

type Call = TestService["call"];
type Refusal = { error_code: string; message: string; details?: { path: string; message: string }[] };

const save = async (call: Call, name: string, filter: object = {}, project: string | null = null) => {
  const { status, body } = await call<ViewRecord>("POST", "/api/views", { body: { name, filter, project } });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
};
const listed = async (call: Call, query = "") =>
  (await call<CountedViewRecord[]>("GET", `/api/views${query}`)).body.map(({ name, count }) => [name, count] as const);
const refusal = async (call: Call, body: object, path = "/api/views", method: "POST" | "PATCH" = "POST") => {
  const { status, body: refused } = await call<Refusal>(method, path, { body });
  return [status, refused.error_code, refused.details?.[0]?.path ?? null];
};

testOnBoth("a view shows how many tasks its list has, and each person sees only their own views", async (service) => {
  const { create } = service;
  const operator = await person(service, { is_operator: true });
  const ada = await person(service, { display_name: "Ada" });
  const email = ada.user.email!;
  await create({ assign_to: { email }, labels: ["Refund"] });
  await create({ assign_to: { email }, labels: ["Refund"], priority: "high" });
  await create({ assign_to: { email } });
  await create({ labels: ["Refund"] });
  const filters: [name: string, filter: object, query: string][] = [
    ["Everything", {}, ""],
    ["Mine", { scope: "mine" }, "assigned_to=me"],
    ["Free", { scope: "unclaimed" }, "unassigned=true"],
    ["Also free", { assignee: "none", sort: "created" }, "unassigned=true"],
    ["Of Ada", { assignee: ada.user.id }, `assigned_to=${ada.user.id}`],
    ["Refunds", { label: "refund" }, "label=refund"],
    ["High", { priority: "high" }, "priority=high"],
    ["Sent back", { status: "rejected" }, "status=rejected"],
    ["Words", { q: 'by:Ada label:"refund"' }, `q=${encodeURIComponent('by:Ada label:"refund"')}`],
  ];
  for (const { call, user } of [operator, ada]) {
    const counted = [];
    for (const [name, filter, query] of filters) {
      const view = await save(call, name, filter);
      assert.deepEqual([view.name, view.project, view.filter, view.can_change], [name, null, filter, true]);
      const path = `/api/tasks?terminal=false&${query.replace("=me", `=${user.id}`)}`;
      counted.push([name, (await call<ListedTask[]>("GET", path)).body.length]);
    }
    assert.deepEqual(await listed(call), counted);
  }
  // Closed tasks are not counted: there can be any number of them.
  await save(ada.call, "Done", { scope: "done", range: "7", sort: "created" });
  assert.deepEqual((await listed(ada.call)).at(-1), ["Done", null]);
  assert.equal((await listed(operator.call)).length, filters.length);
});

testOnBoth("a count ends at a hundred", async (service) => {
  const { user, call } = await person(service);
  const operator = await person(service, { is_operator: true });
  for (let i = 0; i <= COUNTED_MAX; i++) await service.create({ assign_to: { email: user.email! } });
  for (const one of [call, operator.call]) {
    await save(one, "All");
    assert.deepEqual(await listed(one), [["All", COUNTED_MAX]]);
  }
});

testOnBoth("a shared view is seen by everyone in its project, each with their own tasks", async (service) => {
  await newProject(service, "refunds");
  const [boss, ada, ben] = [await person(service), await person(service), await person(service)];
  const root = await person(service, { is_operator: true });
  await join(service, "refunds", boss.user.id, "operator");
  await join(service, "refunds", ada.user.id);
  const of = async (email: string, project: string) => service.create({ project, assign_to: { email } });
  await of(ada.user.email!, "refunds");
  await of(ada.user.email!, "default");
  await of(boss.user.email!, "refunds");
  const view = await save(boss.call, "Refunds", { q: "is:open" }, "refunds");
  assert.deepEqual([view.project, view.filter], ["refunds", { q: "is:open", project: "refunds" }]);

  assert.deepEqual(await listed(boss.call), [["Refunds", 2]]);
  assert.deepEqual(await listed(root.call), [["Refunds", 2]]);
  assert.deepEqual(await listed(ada.call), [["Refunds", 1]]);
  assert.deepEqual(await listed(ben.call), []);
  // A view of another project is left out.
  assert.deepEqual(await listed(root.call, "?project=default"), []);
  assert.deepEqual(await listed(root.call, "?project=refunds"), [["Refunds", 2]]);
  assert.deepEqual((await ben.call("GET", "/api/views?project=refunds")).status, 404);

  const path = `/api/views/${view.id}`;
  assert.deepEqual(await refusal(ada.call, { name: "Mine" }, path, "PATCH"), [403, "FORBIDDEN", null]);
  assert.deepEqual(await refusal(ben.call, { name: "Mine" }, path, "PATCH"), [404, "NOT_FOUND", null]);
  assert.deepEqual([(await ada.call("DELETE", path)).status, (await ben.call("DELETE", path)).status], [403, 404]);
  const mine = await save(ada.call, "Mine", { scope: "mine" });
  // Nor does an operator of all see what a person keeps.
  assert.equal((await root.call("DELETE", `/api/views/${mine.id}`)).status, 404);
  assert.deepEqual(await refusal(ada.call, { name: "X", filter: {}, project: "refunds" }), [403, "FORBIDDEN", null]);
  const noProject = [422, "VALIDATION_FAILED", "/project"];
  assert.deepEqual(await refusal(ben.call, { name: "X", filter: {}, project: "refunds" }), noProject);
  await service.call("PATCH", "/api/projects/refunds", { body: { archived: true } });
  const archived = [409, "PROJECT_ARCHIVED", null];
  assert.deepEqual(await refusal(boss.call, { name: "X", filter: {}, project: "refunds" }), archived);
  assert.equal((await boss.call("DELETE", path)).status, 204);
  assert.deepEqual(await listed(ada.call), [["Mine", 2]]);
});

testOnBoth("views are renamed, moved, given another filter, and deleted", async (service) => {
  const { call } = await person(service);
  const [a, b, c] = [await save(call, "A"), await save(call, "B"), await save(call, "C")];
  const change = async ({ id }: ViewRecord, body: object) => {
    const answer = await call<ViewRecord>("PATCH", `/api/views/${id}`, { body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const names = async () => (await listed(call)).map(([name]) => name).join(" ");
  const moved = await change(c, { position: 0 });
  assert.deepEqual([moved.position, await names()], [0, "C A B"]);
  assert.deepEqual([(await change(c, { position: 99 })).position, await names()], [2, "A B C"]);
  const changed = await change(b, {
    name: "  Refunds \n of today ",
    filter: { label: "refund", q: null, sort: "deadline" },
  });
  assert.deepEqual([changed.name, changed.filter, changed.position], ["Refunds of today", { label: "refund" }, 1]);
  // What is not given stays.
  assert.deepEqual(await change(b, {}), { ...changed, updated_at: (await change(b, {})).updated_at });
  assert.equal((await call("DELETE", `/api/views/${a.id}`)).status, 204);
  assert.equal((await call("DELETE", `/api/views/${a.id}`)).status, 404);
  assert.deepEqual(
    (await call<ViewRecord[]>("GET", "/api/views")).body.map(({ name, position }) => [name, position]),
    [
      ["Refunds of today", 0],
      ["C", 1],
    ],
  );
  for (const id of ["viw_0", "x", "viw_01kajv3mzt8w5rq0e4v9c2n7xb"])
    assert.deepEqual(await refusal(call, {}, `/api/views/${id}`, "PATCH"), [404, "NOT_FOUND", null]);
});

testOnBoth("a filter that can never be right is refused, and names the place", async (service) => {
  const { call } = await person(service);
  await newProject(service, "elsewhere");
  const { id: agent } = await newAgent(service, { project: "elsewhere" });
  const unknown = "usr_01kajv3mzt8w5rq0e4v9c2n7xb";
  const wrong: [body: object, path: string][] = [
    [{ filter: { q: "refund is:opne" } }, "/filter/q"],
    [{ filter: { status: "completed" } }, "/filter/status"],
    [{ filter: { scope: "done", status: "created" } }, "/filter/status"],
    [{ filter: { scope: "mine", assignee: "none" } }, "/filter/assignee"],
    [{ filter: { assignee: unknown } }, "/filter/assignee"],
    [{ filter: { assignee: "ada@example.com" } }, "/filter/assignee"],
    [{ filter: { decision: "Yes" } }, "/filter/decision"],
    [{ filter: { range: "7" } }, "/filter/range"],
    [{ filter: { scope: "done", by: unknown } }, "/filter/by"],
    [{ filter: { agent: "x" } }, "/filter/agent"],
    [{ filter: { agent } }, "/filter/agent"],
    [{ filter: { project: "elsewhere" } }, "/filter/project"],
    [{ filter: { project: "No such" } }, "/filter/project"],
    [{ name: " \n ", filter: {} }, "/name"],
    [{ name: "a\u0007b", filter: {} }, "/name"],
    [{ name: "x".repeat(61), filter: {} }, "/name"],
    [{ filter: { scope: "everything" } }, "/filter/scope"],
    [{ filter: { q: "x".repeat(201) } }, "/filter/q"],
  ];
  for (const [body, path] of wrong)
    assert.deepEqual(await refusal(call, { name: "View", ...body }), [422, "VALIDATION_FAILED", path], path);
  for (const body of [{ filter: {} }, { name: "View" }, { name: "View", filter: { q: 5 } }])
    assert.equal((await refusal(call, body))[1], "MALFORMED_REQUEST", JSON.stringify(body));
  assert.deepEqual(await listed(call), []);
  const view = await save(call, "View", { q: "is:open" });
  const path = `/api/views/${view.id}`;
  assert.equal((await refusal(call, { name: "New", filter: { q: "is:opne" } }, path, "PATCH"))[2], "/filter/q");
  assert.equal((await call<ViewRecord[]>("GET", "/api/views")).body[0]!.name, "View");
});

testOnBoth("names are there once, and there are bounds", async (service) => {
  const { call } = await person(service, { is_operator: true });
  const taken = [422, "VALIDATION_FAILED", "/name"];
  const view = await save(call, "Refunds");
  const other = await save(call, "Refunds", {}, "default");
  assert.equal((await save(call, "Refunds")).id, view.id, "the same again is there already");
  assert.deepEqual(await refusal(call, { name: "Refunds", filter: { q: "is:urgent" } }), taken);
  assert.deepEqual(await refusal(call, { name: "refunds", filter: {} }), taken);
  assert.deepEqual(await refusal(call, { name: "REFUNDS", filter: {}, project: "default" }), taken);
  for (let i = 1; i < PERSONAL_MAX; i++) await save(call, `${i}`);
  for (let i = 1; i < SHARED_MAX; i++) await save(call, `${i}`, {}, "default");
  assert.deepEqual(await refusal(call, { name: "More", filter: {} }), taken);
  assert.deepEqual(await refusal(call, { name: "More", filter: {}, project: "default" }), taken);
  assert.deepEqual(await refusal(call, { name: "1" }, `/api/views/${view.id}`, "PATCH"), taken);
  assert.equal((await call("PATCH", `/api/views/${other.id}`, { body: { name: "REFUNDS" } })).status, 200);
});

testOnBoth("of many who save at once, no more than the bound succeed", async (service) => {
  const { call } = await person(service);
  for (let i = 1; i < PERSONAL_MAX; i++) await save(call, `${i}`);
  const answers = await Promise.all(
    ["a", "b", "c"].map((name) => call("POST", "/api/views", { body: { name, filter: {} } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 422, 422],
  );
});

testOnBoth("a view whose project, agent or person is gone is still there, and says so", async (service) => {
  await newProject(service, "refunds");
  const { user, call } = await person(service, { projects: ["default", "refunds"] });
  const root = await person(service, { is_operator: true });
  const [gone, away] = [await addUser(service), await addUser(service)];
  const { id: agent } = await newAgent(service);
  await save(call, "Refunds", { project: "refunds" });
  await save(root.call, "Agent", { agent });
  await save(root.call, "Person", { assignee: gone.id });
  await save(root.call, "Answered", { scope: "done", by: away.id });
  await service.call("DELETE", `/api/projects/refunds/members/${user.id}`);
  await service.call("DELETE", `/api/users/${gone.id}`);
  await service.call("DELETE", `/api/users/${away.id}`);
  await service.call("DELETE", `/api/agents/${agent}`);
  const problems = async (one: Call) =>
    (await one<CountedViewRecord[]>("GET", "/api/views")).body.map(({ problems, count }) => [problems, count]);
  assert.deepEqual(await problems(call), [[["project"], null]]);
  // What a deactivated person answered is still theirs.
  assert.deepEqual(await problems(root.call), [
    [["agent"], 0],
    [["assignee"], 0],
    [[], null],
  ]);
});

testOnBoth("the views of a person go when they are deactivated, and what they shared stays", async (service) => {
  const ada = await person(service, { is_operator: true });
  const root = await person(service, { is_operator: true });
  await save(ada.call, "Mine");
  await save(ada.call, "Ours", {}, "default");
  await service.call("DELETE", `/api/users/${ada.user.id}`);
  assert.deepEqual(await listed(root.call), [["Ours", 0]]);
  const kept = await service.ctx.db.query.selectFrom("saved_views").select("name").execute();
  assert.deepEqual(
    kept.map(({ name }) => name),
    ["Ours"],
  );
});
