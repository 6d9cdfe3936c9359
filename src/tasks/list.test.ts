import assert from "node:assert/strict";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { timeOutDueTasks } from "./timeouts.ts";
import type { ListedTask, Stats, TaskCounts } from "./schema.ts";

const list = async ({ call }: TestService, query = "") => {
  const { status, body, headers } = await call<ListedTask[]>("GET", `/api/tasks${query}`);
  assert.equal(status, 200, query);
  return { rows: body, next: /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1] ?? null };
};
const names = async (service: TestService, query = "") => (await list(service, query)).rows.map(({ task }) => task);

/** Walks through all pages. */
async function walk(service: TestService, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let path: string | null = `/api/tasks${query}`; path !== null;) {
    const { rows, next } = await list(service, path.slice("/api/tasks".length));
    pages.push(rows.map(({ task }) => task));
    path = next;
  }
  return pages;
}

testOnBoth("tasks are listed newest first, in pages that meet without gap or overlap", async (service) => {
  for (let i = 0; i < 7; i++) {
    await service.create({ task: `t${i}` });
    // Two of a kind share a millisecond.
    if (i % 2 === 1) service.clock.advance(1000);
  }
  const everything = await names(service);
  assert.deepEqual(everything.slice().toSorted(), ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
  assert.equal(everything[0], "t6");
  const pages = await walk(service, "?limit=3");
  assert.deepEqual(
    pages.map((page) => page.length),
    [3, 3, 1],
  );
  assert.deepEqual(pages.flat(), everything);
  assert.deepEqual(await names(service, "?limit=2&offset=3"), everything.slice(3, 5));
  assert.deepEqual(await walk(service, "?limit=7"), [everything], "a full last page has no next one");
});

testOnBoth("the way to the next page keeps what was asked for, and names no host", async (service) => {
  for (let i = 0; i < 3; i++) await service.create({ task: "what? & why" });
  const cancelled = await service.create({ task: "what? & why" });
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  const pages = await walk(service, "?q=what?%20%26&status=created&limit=1");
  assert.deepEqual(
    pages.map((page) => page.length),
    [1, 1, 1],
  );
  const elsewhere = await service.app.inject({
    url: "http://evil.example/api/tasks?limit=1",
    headers: { authorization: `Bearer ${service.ctx.config.adminToken}` },
  });
  assert.match(String(elsewhere.headers["link"]), /^<\/api\/tasks\?limit=1&cursor=/);
});

testOnBoth("tasks created while paging do not shift the pages", async (service) => {
  for (let i = 0; i < 4; i++) {
    await service.create({ task: `t${i}` });
    service.clock.advance(1);
  }
  const first = await list(service, "?limit=2");
  await service.create({ task: "late" });
  assert.deepEqual(await names(service, first.next!.slice("/api/tasks".length)), ["t1", "t0"]);
});

testOnBoth("soonest deadline first, on request", async (service) => {
  for (const timeout_seconds of [600, 60, 3600, 120, 120])
    await service.create({ task: `${timeout_seconds}`, timeout_seconds });
  assert.deepEqual((await walk(service, "?sort=deadline&limit=2")).flat(), ["60", "120", "120", "600", "3600"]);
});

testOnBoth("a search finds titles, complete ids and keys, and the people of a task", async (service) => {
  const dana = await service.call<{ id: string }>("POST", "/api/users", {
    body: { email: "dana@example.com", display_name: "Dana Ek" },
  });
  const hers = await service.create({ task: "One", assign_to: { user_id: dana.body.id } });
  const mias = await service.create({ task: "Two", assign_to: { email: "mia@example.com" } });
  const keyed = await service.create({ task: "Three", idempotency_key: "order-48219:refund" });
  await service.call("POST", `/api/tasks/${keyed.id}/complete`, {
    body: { response: { approved: true }, completed_by_email: "kim@example.com" },
  });
  const found = (q: string) => names(service, `?q=${encodeURIComponent(q)}`);
  assert.deepEqual(await found("two"), ["Two"]);
  assert.deepEqual(await found(hers.id), ["One"]);
  assert.deepEqual(await found(` ${mias.id} `), ["Two"], "as it is copied from a log");
  assert.deepEqual(await found(`tsk_${"0".repeat(26)}`), []);
  assert.deepEqual(await found("order-48219:refund"), ["Three"]);
  assert.deepEqual(await found("order-48219"), [], "a key counts as a whole");
  assert.deepEqual(await found("dana ek"), ["One"]);
  assert.deepEqual(await found("MIA@"), ["Two"]);
  assert.deepEqual(await found("kim@example"), ["Three"]);
  assert.deepEqual(await names(service, `?q=${keyed.id}&terminal=false`), [], "other filters count as well");
  assert.deepEqual(await names(service, `?q=${keyed.id}&terminal=true&sort=deadline`), ["Three"]);
});

testOnBoth("a summary leaves out the documents of a task, and nothing else", async (service) => {
  const large = { payload: { text: "x".repeat(600_000) }, payload_schema: {} };
  const { id } = await service.create({ task: "Large", ...large });
  await service.create({ task: "As large", ...large });
  await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
  assert.equal((await list(service)).rows.length, 1, "a page of large documents is cut short");
  const { rows } = await list(service, "?view=summary");
  assert.deepEqual(
    rows.map(({ task }) => task),
    ["As large", "Large"],
  );
  const { payload, response, ...others } = (await list(service, "?view=full&terminal=true")).rows[0]!;
  assert.ok(payload !== undefined && response !== undefined);
  assert.deepEqual(rows[1], others);
});

testOnBoth("filters narrow the list", async (service) => {
  const a = await service.create({ task: "Refund 100% of order_7?", assign_to: { email: "Dana@Example.com" } });
  const b = await service.create({ task: "Publish the article", timeout_seconds: 60 });
  const c = await service.create({ task: "refund nothing, orderX7, 100 of it" });
  await service.call("POST", `/api/tasks/${c.id}/cancel`);
  service.clock.advance(60_000);
  await timeOutDueTasks(service.ctx);

  const by = async (query: string) => (await list(service, query)).rows.map(({ id }) => id).toSorted();
  const ids = (...tasks: { id: string }[]) => tasks.map(({ id }) => id).toSorted();
  assert.deepEqual(await by("?status=created"), ids(a));
  assert.deepEqual(await by("?status=cancelled&status=timed_out"), ids(b, c));
  assert.deepEqual(await by("?terminal=true"), ids(b, c));
  assert.deepEqual(await by("?terminal=false"), ids(a));
  assert.deepEqual(await by("?assigned_to=dana@example.com"), ids(a), "whatever the case");
  assert.deepEqual(await by("?assigned_to=usr_nobody"), []);
  assert.deepEqual(await by("?unassigned=true"), ids(b, c));
  assert.deepEqual(await by("?unassigned=false"), ids(a));
  assert.deepEqual(await by("?q=REFUND"), ids(a, c));
  assert.deepEqual(await by("?q=100%25"), ids(a), "% is itself");
  assert.deepEqual(await by("?q=order_7"), ids(a));
  assert.deepEqual(await by("?q=orderX7"), ids(c));
  assert.deepEqual(await by("?q="), ids(a, b, c));
  assert.deepEqual(await by("?q=refund&terminal=false&unassigned=false"), ids(a));

  const mine = await service.create({ idempotency_key: "bot%:é:1" });
  await service.create({ idempotency_key: "Bot%:é:1" });
  await service.create({ idempotency_key: "botX:é:1" });
  assert.deepEqual(await by(`?key_prefix=${encodeURIComponent("bot%:é")}`), ids(mine), "as it is written");
  assert.deepEqual(await by(`?key_prefix=${encodeURIComponent("bot%:é:12")}`), []);
});

testOnBoth("rows leave the schemas out unless asked, and the payload of redacted tasks always", async (service) => {
  await service.create({ payload: { amount: 1, secret: "SECRET" }, redact_payload: true });
  const [row] = (await list(service)).rows;
  assert.deepEqual(row?.payload, { _redacted: true });
  assert.ok(row && !("payload_schema" in row) && !("response_schema" in row) && !("form_definition" in row));
  const [whole] = (await list(service, "?include=schemas")).rows;
  assert.deepEqual(whole?.response_schema?.["type"], "object");
  assert.equal(whole?.form_definition, null);
  assert.ok(!JSON.stringify(whole).includes("SECRET"));
});

testOnBoth("a page of very large payloads is cut short and loses nothing", async (service) => {
  const payload = { text: "x".repeat(900_000) };
  for (let i = 0; i < 6; i++) {
    await service.create({ task: `t${i}`, payload, payload_schema: {} });
    service.clock.advance(1);
  }
  const pages = await walk(service, "?limit=6");
  assert.ok(pages.length > 1);
  assert.deepEqual(pages.flat(), ["t5", "t4", "t3", "t2", "t1", "t0"]);
});

testOnBoth("so is a page of very large responses or schemas", async (service) => {
  const description = "x".repeat(200_000);
  for (let i = 0; i < 8; i++) {
    const { id } = await service.create({ task: `t${i}`, response_schema: { description } });
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { text: "x".repeat(100_000) } } });
    service.clock.advance(1);
  }
  const newestFirst = ["t7", "t6", "t5", "t4", "t3", "t2", "t1", "t0"];
  const plain = await walk(service, "?limit=8");
  assert.deepEqual([plain.length, plain.flat()], [1, newestFirst]);
  const whole = await walk(service, "?limit=8&include=schemas");
  assert.ok(whole.length > 1);
  assert.deepEqual(whole.flat(), newestFirst);
  for (let i = 0; i < 8; i++) {
    const { id } = await service.create({ response_schema: {} });
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { text: "x".repeat(900_000) } } });
  }
  assert.ok((await list(service, "?limit=8")).rows.length < 8);
});

testOnBoth("a query that makes no sense is refused with its place", async (service) => {
  const refused = async (query: string) => {
    const { status, body } = await service.call<{ details: { path: string }[] }>("GET", `/api/tasks${query}`);
    return `${status} ${body.details[0]?.path}`;
  };
  assert.equal(await refused("?limit=0"), "422 /query/limit");
  assert.equal(await refused("?limit=201"), "422 /query/limit");
  for (const limit of ["ten", "", "1.5", "Infinity", "0x10", "1e1", "%205"])
    assert.equal(await refused(`?limit=${limit}`), "400 /query/limit");
  for (const offset of ["-Infinity", "1e400"]) assert.equal(await refused(`?offset=${offset}`), "400 /query/offset");
  assert.equal(await refused("?limit=1&limit=2"), "400 /query/limit");
  assert.equal(await refused("?status=done"), "422 /query/status/0");
  assert.equal(await refused("?sort=size"), "422 /query/sort");
  assert.equal(await refused("?unassigned=maybe"), "400 /query/unassigned");
  assert.equal(await refused("?q=%00"), "422 /query/q");
  assert.equal(await refused("?key_prefix="), "422 /query/key_prefix");
  assert.equal(await refused("?assigned_to=%00"), "422 /query/assigned_to");
  for (const cursor of [
    "x",
    "bnVsbA",
    Buffer.from('[1,"a\'b"]').toString("base64url"),
    Buffer.from('[1.5,"a"]').toString("base64url"),
    "%00",
  ]) {
    assert.equal(await refused(`?cursor=${cursor}`), "422 /query/cursor");
  }
});

testOnBoth("counts say how much there is to do", async (service) => {
  const closed = await service.create();
  await service.call("POST", `/api/tasks/${closed.id}/cancel`);
  await service.create({ timeout_seconds: 60 });
  await service.create({ timeout_seconds: 7200, assign_to: { email: "dana@example.com" } });
  const counts = async () => (await service.call<TaskCounts>("GET", "/api/tasks/counts")).body;
  assert.deepEqual(await counts(), { open: 2, mine: 0, unclaimed: 1, due_within_hour: 1, closed_today: 1 });
  service.clock.advance(12 * 3600_000);
  assert.equal((await counts()).closed_today, 0, "from midnight UTC on");
});

testOnBoth("stats count what happened in the window, by day and by channel", async (service) => {
  const empty = (await service.call<Stats>("GET", "/api/stats?window_days=2")).body;
  assert.deepEqual(empty, {
    window_days: 2,
    generated_at: "2026-01-31T12:00:00.000Z",
    totals: { created: 0, rejected: 0, completed: 0, timed_out: 0, cancelled: 0, verification_exhausted: 0 },
    completion_rate: null,
    avg_completion_seconds: null,
    median_completion_seconds: null,
    p90_completion_seconds: null,
    by_day: [
      { date: "2026-01-30", created: 0, completed: 0, timed_out: 0, cancelled: 0, verification_exhausted: 0 },
      { date: "2026-01-31", created: 0, completed: 0, timed_out: 0, cancelled: 0, verification_exhausted: 0 },
    ],
    by_channel: [],
  });

  const answer = async (seconds: number, channel: string | null) => {
    const { id } = await service.create({ timeout_seconds: 100_000 });
    service.clock.advance(seconds * 1000);
    await service.call("POST", `/api/tasks/${id}/complete`, {
      body: { response: { approved: true }, completed_via_channel: channel },
    });
  };
  for (const seconds of [1, 2, 3, 4]) await answer(seconds, "slack");
  await answer(10, null);
  const cancelled = await service.create();
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  await service.create({ timeout_seconds: 60 });
  service.clock.advance(24 * 3600_000);
  await timeOutDueTasks(service.ctx);
  await service.create();

  const { body } = await service.call<Stats>("GET", "/api/stats?window_days=2");
  assert.deepEqual(body.totals, {
    created: 1,
    rejected: 0,
    completed: 5,
    timed_out: 1,
    cancelled: 1,
    verification_exhausted: 0,
  });
  assert.equal(body.completion_rate, 5 / 7);
  assert.deepEqual(
    [body.avg_completion_seconds, body.median_completion_seconds, body.p90_completion_seconds],
    [4, 3, 10],
  );
  assert.deepEqual(body.by_day, [
    { date: "2026-01-31", created: 7, completed: 5, timed_out: 0, cancelled: 1, verification_exhausted: 0 },
    { date: "2026-02-01", created: 1, completed: 0, timed_out: 1, cancelled: 0, verification_exhausted: 0 },
  ]);
  assert.deepEqual(body.by_channel, [
    { channel: "slack", completed: 4 },
    { channel: null, completed: 1 },
  ]);

  const today = (await service.call<Stats>("GET", "/api/stats?window_days=1")).body;
  assert.deepEqual([today.totals.completed, today.totals.timed_out, today.by_day.length], [0, 1, 1]);
  assert.equal((await service.call<Stats>("GET", "/api/stats")).body.by_day.length, 30);
  assert.equal((await service.call("GET", "/api/stats?window_days=0")).status, 422);
  assert.equal((await service.call("GET", "/api/stats?window_days=366")).status, 422);
});

testOnBoth("whatever is asked for, pages hold what fits, in order", async (service) => {
  const all: ListedTask[] = [];
  for (let i = 0; i < 30; i++) {
    const email = [null, "dana@example.com", "Dana@Example.com", "kim@example.com"][i % 4];
    const { id } = await service.create({
      task: i % 5 === 0 ? "refund" : "article",
      idempotency_key: `${i % 3 === 0 ? "refunds" : "articles"}:${i}`,
      timeout_seconds: 100_000 + ((i * 37) % 30) * 60,
      ...(email && { assign_to: { email } }),
    });
    const complete = { body: { response: { approved: true } } };
    if (i % 7 === 1) await service.call("POST", `/api/tasks/${id}/cancel`);
    if (i % 7 > 3) await service.call("POST", `/api/tasks/${id}/complete`, complete);
    if (i % 7 === 2)
      await service.ctx.db.write((tx) =>
        tx.query.updateTable("tasks").set({ status: "rejected" }).where("id", "=", id).execute(),
      );
    all.unshift((await service.call<ListedTask>("GET", `/api/tasks/${id}`)).body);
    if (i % 3 === 0) service.clock.advance(1000);
  }
  const endOf = ({ completed_at, cancelled_at }: ListedTask) => completed_at ?? cancelled_at;
  const lastEnded = all
    .filter((task) => endOf(task) !== null)
    .toSorted((a, b) => (`${endOf(a)}${a.id}` < `${endOf(b)}${b.id}` ? 1 : -1));
  const soonest = all.toSorted((a, b) => (`${a.timeout_at}${a.id}` < `${b.timeout_at}${b.id}` ? -1 : 1));
  const isOpen = ({ status }: ListedTask) => status === "created" || status === "rejected";

  const filters: [string, (task: ListedTask) => boolean][] = [
    ["", () => true],
    ["&terminal=false", isOpen],
    ["&terminal=true", (task) => !isOpen(task)],
    ["&status=created", ({ status }) => status === "created"],
    ["&status=rejected&status=cancelled&status=rejected", ({ status }) => ["rejected", "cancelled"].includes(status)],
    ["&status=rejected&status=cancelled&terminal=false", ({ status }) => status === "rejected"],
    ["&status=completed&terminal=false", () => false],
  ];
  const people: [string, (task: ListedTask) => boolean][] = [
    ["", () => true],
    ["&assigned_to=DANA@example.com", (task) => task.assigned_to_email?.toLowerCase() === "dana@example.com"],
    ["&unassigned=true", (task) => task.assigned_to_email === null],
    ["&q=REFUND", ({ task }) => task === "refund"],
    ["&key_prefix=refunds:", (task) => task.idempotency_key.startsWith("refunds:")],
  ];
  for (const [filter, fits] of filters) {
    for (const [person, isTheirs] of people) {
      for (const [sort, sorted] of [
        ["", all] as const,
        ["&sort=deadline", soonest] as const,
        ["&sort=ended", lastEnded] as const,
      ]) {
        const query = `${filter}${person}${sort}`;
        const wanted = sorted.filter((task) => fits(task) && isTheirs(task)).map(({ id }) => id);
        const found: string[] = [];
        for (let path: string | null = `?limit=7${query}`; path !== null;) {
          const { rows, next } = await list(service, path);
          found.push(...rows.map(({ id }) => id));
          path = next?.slice("/api/tasks".length) ?? null;
        }
        assert.deepEqual(found, wanted, query);
        const skipped = await list(service, `?limit=5&offset=3${query}`);
        assert.deepEqual(
          skipped.rows.map(({ id }) => id),
          wanted.slice(3, 8),
          query,
        );
      }
    }
  }
});
