import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { join, newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { CalendarRecord } from "./schema.ts";

const OFFICE = {
  time_zone: "Europe/Berlin",
  hours: {
    mon: [
      ["09:00", "12:00"],
      ["12:00", "17:00"],
    ],
    sun: [["22:00", "24:00"]],
  },
  closed: ["2026-12-25", "2028-02-29"],
};
const PATH = "/api/calendars/support";

const set = (call: TestService["call"], body: object = OFFICE, path = PATH) =>
  call<CalendarRecord>("PUT", path, { body });

testOnBoth("a calendar is created, read, listed, replaced and deleted", async ({ call, clock }) => {
  const created = await set(call);
  assert.equal(created.status, 201);
  const { created_at, updated_at, ...rest } = created.body;
  assert.deepEqual(rest, { name: "support", project: "default", ...OFFICE });
  assert.equal(updated_at, created_at);
  assert.deepEqual((await call<CalendarRecord>("GET", PATH)).body, created.body);

  clock.advance(1000);
  // What is null is left out.
  const changed = await set(call, {
    time_zone: "UTC",
    hours: { fri: [["00:00", "24:00"]], sat: null, sun: [] },
    closed: null,
  });
  assert.equal(changed.status, 200);
  const hours = { fri: [["00:00", "24:00"]], sun: [] };
  assert.deepEqual(
    { ...changed.body, updated_at: null },
    { ...created.body, time_zone: "UTC", hours, closed: [], updated_at: null },
  );
  assert.ok(changed.body.updated_at > created_at);
  assert.equal((await set(call, OFFICE, "/api/calendars/a_1-b")).status, 201);
  const { body: list } = await call<CalendarRecord[]>("GET", "/api/calendars");
  assert.deepEqual(
    list.map(({ name }) => name),
    ["a_1-b", "support"],
  );
  assert.deepEqual(list[1], changed.body);

  assert.equal((await call("DELETE", PATH)).status, 204);
  for (const method of ["GET", "DELETE"] as const)
    assert.deepEqual(errorOf(await call(method, PATH)), [404, "CALENDAR_NOT_FOUND"]);
  assert.deepEqual(errorOf(await call("GET", "/api/calendars/Support")), [404, "CALENDAR_NOT_FOUND"]);
});

function errorOf({ status, body }: { status: number; body: object }): unknown[] {
  const { error_code, details } = body as { error_code: string; details?: { path: string }[] };
  return [status, error_code, ...(details ?? []).map(({ path }) => path)];
}

const wrong: [name: string, body: object, path: string][] = [
  [
    "hours that overlap",
    {
      hours: {
        mon: [
          ["09:00", "12:00"],
          ["11:59", "17:00"],
        ],
      },
    },
    "/hours/mon/1",
  ],
  [
    "hours that are not in order",
    {
      hours: {
        tue: [
          ["13:00", "17:00"],
          ["09:00", "12:00"],
        ],
      },
    },
    "/hours/tue/1",
  ],
  ["hours that end when they begin", { hours: { wed: [["09:00", "09:00"]] } }, "/hours/wed/0"],
  ["hours over midnight", { hours: { wed: [["22:00", "06:00"]] } }, "/hours/wed/0"],
  ["hours that begin at the end of the day", { hours: { thu: [["24:00", "24:00"]] } }, "/hours/thu/0"],
  ["a time that does not exist", { hours: { thu: [["09:00", "24:01"]] } }, "/hours/thu/0/1"],
  ["a time without a zero", { hours: { thu: [["9:00", "17:00"]] } }, "/hours/thu/0/0"],
  ["hours without an end", { hours: { thu: [["09:00"]] } }, "/hours/thu/0"],
  ["hours with three times", { hours: { thu: [["09:00", "12:00", "17:00"]] } }, "/hours/thu/0"],
  ["hours of a day that is not one", { hours: { monday: [["09:00", "17:00"]] } }, "/hours"],
  [
    "more hours in a day than eight",
    { hours: { fri: Array.from({ length: 9 }, (_, at) => [`1${at}:00`, `1${at}:30`]) } },
    "/hours/fri",
  ],
  ["no hours at all", { hours: { mon: [], tue: null } }, "/hours"],
  ["an unknown time zone", { time_zone: "Europe/Nowhere" }, "/time_zone"],
  ["an offset instead of a time zone", { time_zone: "+01:00" }, "/time_zone"],
  ["a date that does not exist", { closed: ["2026-12-25", "2026-02-29"] }, "/closed/1"],
  ["a date in another form", { closed: ["25.12.2026"] }, "/closed/0"],
  ["more closed dates than 366", { closed: Array.from({ length: 367 }, () => "2026-12-25") }, "/closed"],
];

testOnBoth("a calendar that is wrong says where, and nothing is stored", async ({ call }) => {
  for (const [name, body, path] of wrong)
    assert.deepEqual(errorOf(await set(call, { ...OFFICE, ...body })), [422, "VALIDATION_FAILED", path], name);
  for (const name of ["Support", "a.b", "%20", "a".repeat(65)])
    assert.deepEqual(
      errorOf(await set(call, OFFICE, `/api/calendars/${name}`)),
      [422, "VALIDATION_FAILED", "/params/name"],
      name,
    );
  assert.deepEqual((await call<CalendarRecord[]>("GET", "/api/calendars")).body, []);
});

testOnBoth("a calendar at the limits is stored and comes back", async ({ call }) => {
  const closed = Array.from({ length: 366 }, (_, at) => new Date(Date.UTC(2028, 0, 1 + at)).toISOString().slice(0, 10));
  const day = Array.from({ length: 8 }, (_, at) => [`1${at}:00`, `1${at}:59`]);
  const hours = Object.fromEntries(["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map((name) => [name, day]));
  const path = `/api/calendars/${"a".repeat(64)}`;
  const body = { time_zone: "America/Argentina/ComodRivadavia", hours, closed };
  assert.equal((await set(call, body, path)).status, 201);
  const {
    created_at: _at,
    updated_at: _too,
    name: _name,
    project: _project,
    ...stored
  } = (await call<CalendarRecord>("GET", path)).body;
  assert.deepEqual(stored, body);
});

testOnBoth(
  "each project has calendars of its own, which its operators change and its asking agents read",
  async (service) => {
    const { call } = service;
    for (const slug of ["refunds", "returns"]) await newProject(service, slug);
    const operator = await person(service, { projects: ["refunds"] });
    await join(service, "refunds", operator.user.id, "operator");
    const asker = await newAgent(service, { project: "refunds" });
    const reader = await newAgent(service, { project: "refunds", scopes: ["read"] });

    // The same name, in the default project and in the only one of the operator.
    assert.equal((await set(call)).status, 201);
    const own = await set(operator.call, { ...OFFICE, time_zone: "Asia/Kathmandu" });
    assert.deepEqual([own.status, own.body.project], [201, "refunds"]);
    const zoneOf = async (by: TestService["call"], query = "") =>
      (await by<CalendarRecord>("GET", PATH + query)).body.time_zone;
    assert.equal(await zoneOf(call), "Europe/Berlin");
    assert.equal(await zoneOf(call, "?project=refunds"), "Asia/Kathmandu");
    for (const by of [operator, asker]) assert.equal(await zoneOf(by.call), "Asia/Kathmandu");
    const listed = async (by: TestService["call"], query = "") =>
      (await by<CalendarRecord[]>("GET", `/api/calendars${query}`)).body.map(
        ({ project, name }) => `${project}/${name}`,
      );
    assert.deepEqual(await listed(call), ["default/support", "refunds/support"]);
    assert.deepEqual(await listed(call, "?project=returns"), []);
    for (const by of [operator, asker]) assert.deepEqual(await listed(by.call), ["refunds/support"]);
    assert.deepEqual(errorOf(await reader.call("GET", "/api/calendars")), [403, "AGENT_SCOPE_MISSING"]);

    // What is in another project does not exist.
    for (const by of [operator, asker]) {
      for (const slug of ["default", "returns", "nowhere"]) {
        for (const path of [PATH, "/api/calendars"])
          assert.deepEqual(errorOf(await by.call("GET", `${path}?project=${slug}`)), [404, "PROJECT_NOT_FOUND"]);
      }
    }
    assert.deepEqual(errorOf(await set(operator.call, OFFICE, `${PATH}?project=default`)), [404, "PROJECT_NOT_FOUND"]);
    assert.deepEqual(errorOf(await operator.call("DELETE", `${PATH}?project=default`)), [404, "PROJECT_NOT_FOUND"]);

    // Who operates several projects names one.
    await join(service, "returns", operator.user.id, "operator");
    for (const answer of [
      await set(operator.call),
      await operator.call("GET", PATH),
      await operator.call("DELETE", PATH),
    ])
      assert.deepEqual(errorOf(answer), [422, "VALIDATION_FAILED", "/query/project"]);

    assert.equal((await operator.call("DELETE", `${PATH}?project=refunds`)).status, 204);
    assert.equal((await call("GET", PATH)).status, 200);
  },
);

testOnBoth("an archived project gets no new calendar, and can still change those that it has", async (service) => {
  const { call } = service;
  await newProject(service, "old");
  await set(call, OFFICE, `${PATH}?project=old`);
  await call("PATCH", "/api/projects/old", { body: { archived: true } });
  assert.equal((await set(call, OFFICE, `${PATH}?project=old`)).status, 200);
  assert.deepEqual(errorOf(await set(call, OFFICE, "/api/calendars/other?project=old")), [409, "PROJECT_ARCHIVED"]);
});

testOnBoth("a service has 500 calendars at most", async ({ call, ctx }) => {
  await set(call);
  await ctx.db.write(async (tx) => {
    const row = await tx.query.selectFrom("calendars").selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: 498 }, (_, at) => ({ ...row, name: `calendar-${at}` }));
    await tx.query.insertInto("calendars").values(rows).execute();
  });
  assert.equal((await set(call, OFFICE, "/api/calendars/last")).status, 201);
  assert.deepEqual(errorOf(await set(call, OFFICE, "/api/calendars/more")), [422, "VALIDATION_FAILED", "/params/name"]);
  assert.equal((await set(call)).status, 200);
});
