import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import type { Service } from "../support/dashboard.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Receiver } from "../support/receiver.ts";
import { assertUsable, confirm, visit } from "./operating.ts";

const DAY = 86_400_000;

interface Ends {
  completed: number;
  timed_out: number;
  verification_exhausted: number;
  cancelled: number;
}

interface Stats {
  totals: Ends;
  median_completion_seconds: number;
  p90_completion_seconds: number;
  by_day: (Ends & { created: number })[];
  by_channel: { completed: number }[];
}

/** Tasks that ended in the last days, in every way there is and with answers from several places. */
async function endTasks(service: Service, count: number): Promise<void> {
  const channels = ["dashboard", "slack", "a channel with a long name of its own", null];
  const ends = ["completed", "completed", "completed", "timed_out", "verification_exhausted", "cancelled"];
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await createTask(service, `Task ${i}`);
    await service.call("POST", `/api/tasks/${id}/complete`, {
      response: { approved: true },
      completed_via_channel: channels[i % channels.length],
    });
    ids.push(id);
  }
  // At once, since the service keeps the totals of what is over.
  await service.ctx.db.write(async (tx) => {
    for (const [i, id] of ids.entries()) {
      const ended_at = Date.now() - ((i * i) % 29) * DAY;
      const status = ends[((i * 5) % 7) % ends.length]!;
      const completed_at = status === "completed" ? ended_at : null;
      const set = { status, ended_at, completed_at, created_at: ended_at - i * 40_000 };
      await tx.query.updateTable("tasks").set(set).where("id", "=", id).execute();
    }
  });
}

/** The figures of a table, row by row, without what names the row. */
async function figuresOf(page: Page, table: string): Promise<string[][]> {
  const rows = page.getByRole("table", { name: table }).locator("tbody tr");
  return rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
}

/** What stands below a heading of the figures. */
async function figureOf(page: Page, label: string): Promise<string[]> {
  return page.locator("dl > div", { hasText: label }).locator("dd").allInnerTexts();
}

testInBrowser(
  "the figures are those that the service gives, and the tables have every one of them",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await endTasks(service, 50);
    await createTask(service, "Waits");
    await createTask(service, "Waits longer", { timeout_seconds: 90_000 });
    const stats = await service.call<Stats>("GET", "/api/stats");
    const { totals } = stats;
    const page = await visit(open, service, "/stats");
    await page.getByText("1 due within an hour").waitFor();
    assert.deepEqual(await figureOf(page, "Waiting now"), ["2", "1 due within an hour"]);
    const rateOf = (part: number) => `${Math.round((part / 50) * 100)}% of closed tasks`;
    assert.deepEqual(await figureOf(page, "Completed"), [String(totals.completed), rateOf(totals.completed)]);
    assert.deepEqual(await figureOf(page, "Timed out"), [String(totals.timed_out), rateOf(totals.timed_out)]);
    assert.deepEqual(await figureOf(page, "Median time"), [
      `${Math.round(stats.median_completion_seconds / 60)} min`,
      `90% within ${Math.round(stats.p90_completion_seconds / 60)} min`,
    ]);
    const chart = page.getByRole("img", { name: /^Closed tasks per day/ });
    assert.equal(
      await chart.getAttribute("aria-label"),
      `Closed tasks per day: ${totals.completed} completed, ${totals.timed_out} timed out, ` +
        `${totals.verification_exhausted} failed checks, ${totals.cancelled} cancelled. The table below has the numbers.`,
    );
    for (const summary of await page.getByText("Show as table").all()) await summary.click();
    assert.deepEqual(
      await figuresOf(page, "Closed tasks per day"),
      stats.by_day.map((day) =>
        [day.completed, day.timed_out, day.verification_exhausted, day.cancelled, day.created].map(String),
      ),
    );
    assert.deepEqual(
      await figuresOf(page, "Answers by channel"),
      stats.by_channel.map(({ completed }) => [String(completed)]),
    );
    await axe(page);
  },
);

testInBrowser(
  "a bar is as tall as its counts, is told under the pointer, and keeps to its place in a window of any width",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await endTasks(service, 50);
    const { by_day } = await service.call<Stats>("GET", "/api/stats?window_days=30");
    const page = await visit(open, service, "/stats");
    const chart = page.getByRole("img", { name: /^Closed tasks per day/ });
    const days = chart.locator(".pointed");
    await days.first().waitFor();
    const counts = by_day.map((day) => [day.completed, day.timed_out, day.verification_exhausted, day.cancelled]);
    const heights = await days.evaluateAll((all) =>
      all.map((day) =>
        [...day.querySelectorAll("rect:not(.ground)")].map((part) => Number(part.getAttribute("height"))),
      ),
    );
    const unit = Math.max(...heights.flat()) / Math.max(...counts.flat());
    const inCounts = heights.map((parts) => parts.map((height) => Math.round((height / unit) * 100) / 100));
    assert.deepEqual(
      inCounts,
      counts.map((day) => day.filter((count) => count > 0)),
    );
    const fullest = counts.findIndex((day) => day.filter((count) => count > 0).length > 1);
    await days.nth(fullest).hover();
    const [completed, timedOut, failed, cancelled] = counts[fullest]!;
    const said = [
      `Created: ${by_day[fullest]!.created}`,
      `Cancelled: ${cancelled}`,
      `Failed checks: ${failed}`,
      `Timed out: ${timedOut}`,
    ];
    const told = page.getByRole("tooltip").locator("li");
    await hasCount(told, said.length + 1);
    assert.deepEqual(await told.allInnerTexts(), [...said, `Completed: ${completed}`]);
    for (const width of [390, 1440, 800]) {
      await page.setViewportSize({ width, height: 800 });
      // The last bar ends where the chart does, but for the gap beside it.
      await page.waitForFunction(() => {
        const [picture] = document.querySelectorAll("[role=img]");
        const bar = picture!.querySelector(".pointed:last-child .ground")!;
        return Math.abs(bar.getBoundingClientRect().right - picture!.getBoundingClientRect().right) < 1;
      });
    }
  },
);

testInBrowser("before anything has ended the figures are zero, and one line says why", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/stats");
  await page.getByText("No tasks were closed in the last 30 days.").waitFor();
  assert.deepEqual(await figureOf(page, "Completed"), ["0", "No closed tasks"]);
  await page.getByText("Show as table").first().click();
  assert.deepEqual(
    await figuresOf(page, "Closed tasks per day"),
    Array.from({ length: 30 }, () => ["0", "0", "0", "0", "0"]),
  );
  await screenshot(page, "operate-stats-empty");
});

interface Answers {
  status: number;
  /** What is waited for before each answer. */
  until?: Promise<unknown>;
}

/** Answers as `answers` says, which a test may change. */
async function receive(t: TestContext, answers: Answers): Promise<Receiver> {
  const started = await startReceiver(async (response) => {
    await answers.until;
    response.writeHead(answers.status).end("Here it is noon");
  });
  t.after(() => started.close());
  return started;
}

/** Creates tasks whose callbacks have all failed. */
async function giveUp(service: Service, receiver: Receiver, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const { id } = await createTask(service, name, { callback_url: receiver.url });
    ids.push(id);
    await service.call("POST", `/api/tasks/${id}/cancel`);
  }
  await receiver.until(names.length);
  await service.ctx.deliveries.settle();
  await service.ctx.db.write((tx) =>
    tx.query.updateTable("deliveries").set({ status: "ABANDONED", next_attempt_at: null }).execute(),
  );
  return ids;
}

testInBrowser("failed deliveries are sent again: one, some, and all", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const answer = { status: 500 };
  const receiver = await receive(t, answer);
  const names = ["First", "Second", "Third", "Fourth", "Fifth"];
  const [first, second, third] = await giveUp(service, receiver, names);
  const nameOf = new Map([first, second, third].map((id, i) => [id, names[i]!]));
  answer.status = 200;
  const page = await visit(open, service, "/deliveries");
  const table = page.getByRole("table", { name: "Deliveries" });
  const rowOf = (id: string | undefined) => table.getByRole("row").filter({ hasText: nameOf.get(id)! });
  const places = page.getByRole("navigation", { name: "Main" });
  await places.getByRole("link", { name: "Deliveries 5" }).waitFor();

  await rowOf(first).getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog", { name: "Send this delivery again?" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await rowOf(first).getByRole("button", { name: "Send again" }).click();
  await confirm(page, "Send this delivery again?", "Send again");
  await receiver.until(6);
  assert.equal(receiver.received[5]!.task_id, first);
  await rowOf(first).getByText("Delivered").waitFor();
  await places.getByRole("link", { name: "Deliveries 4" }).waitFor();

  await rowOf(second)
    .getByRole("checkbox", { name: /^Select the delivery/ })
    .check();
  await rowOf(third)
    .getByRole("checkbox", { name: /^Select the delivery/ })
    .check();
  await page.getByText("2 selected").waitFor();
  await screenshot(page, "operate-deliveries-selected");
  await page.getByRole("button", { name: "Send selected again" }).click();
  await confirm(page, "Send 2 deliveries again?", "Send again");
  await page.getByText("Sending 2 deliveries").waitFor();
  await receiver.until(8);
  assert.deepEqual(new Set(receiver.received.slice(6).map(({ task_id }) => task_id)), new Set([second, third]));
  await page.getByRole("checkbox", { name: "Select all" }).waitFor();

  await page.getByRole("button", { name: "Retry all failed" }).click();
  await confirm(page, "Retry all 2 failed deliveries?", "Send again");
  await receiver.until(10);
  await places.getByRole("link", { name: "Deliveries", exact: true }).waitFor();
  await page.getByRole("button", { name: "Retry all failed" }).waitFor({ state: "hidden" });
  assert.equal(receiver.received.length, 10);
});

testInBrowser("a callback has an address, and shows its body and its attempts", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const answer: Answers = { status: 500 };
  const receiver = await receive(t, answer);
  await giveUp(service, receiver, ["One"]);
  const page = await visit(open, service, "/deliveries", { expected: [/status of 404/] });
  const failing = page.getByRole("table", { name: "Failing receivers" });
  await failing.getByRole("button", { name: "Redeliver 1 to this receiver" }).waitFor();
  const table = page.getByRole("table", { name: "Deliveries" });
  await table.getByRole("link", { name: `${new URL(receiver.url).host}${new URL(receiver.url).pathname}` }).click();
  const drawer = page.getByRole("dialog", { name: "Delivery" });
  await drawer.getByText("Here it is noon").waitFor();
  await drawer.getByText("The receiver answered 500.").waitFor();
  assert.deepEqual(
    JSON.parse(await drawer.getByLabel("Body", { exact: true }).innerText()),
    JSON.parse(receiver.received[0]!.body),
  );
  const request = drawer.getByLabel("Request", { exact: true });
  assert.match(await request.innerText(), /^POST http[\s\S]*webhook-id: dlv_[\s\S]*webhook-signature: \.\.\.$/);
  await axe(page);
  await screenshot(page, "operate-delivery");
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(answer, { status: 204, until: promise });
  await page.reload();
  await drawer.getByRole("button", { name: "Send again" }).click();
  await confirm(page, "Send this delivery again?", "Send again");
  await drawer.getByText("Pending").waitFor();
  // What comes of it is seen without any doing.
  resolve();
  await drawer.getByText("204 No Content").waitFor();
  await drawer.getByText("retry 1").waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await page.waitForURL(`${service.url}/deliveries`);
  await table.getByRole("link", { name: "One" }).click();
  await page.getByRole("heading", { name: "One", exact: true }).waitFor();
  await page.goto(`${service.url}/deliveries?id=dlv_00000000000000000000000000`);
  await drawer.getByText("No delivery has this id. (DELIVERY_NOT_FOUND)").waitFor();
});

testInBrowser(
  "callbacks are filtered by status, task and receiver, and the address keeps the filters",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const page = await visit(open, service, "/deliveries");
    await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
    await screenshot(page, "operate-deliveries-empty");
    const receiver = await receive(t, { status: 500 });
    const other = await receive(t, { status: 200 });
    await giveUp(service, receiver, ["One", "Two"]);
    const { id } = await createTask(service, "Three", { callback_url: other.url });
    await service.call("POST", `/api/tasks/${id}/cancel`);
    await other.until(1);
    await service.ctx.deliveries.settle();
    await page.reload();
    const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
    await hasCount(rows, 3);
    // What an address says that nobody knows is left out.
    await page.goto(`${service.url}/deliveries?status=NONSENSE`);
    await hasCount(rows, 3);
    await rows.last().getByRole("checkbox").check();
    await page.getByText("1 selected").waitFor();
    await page.getByRole("link", { name: "Delivered" }).click();
    await page.waitForURL("**/deliveries?status=SUCCEEDED");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await page.getByText("Select all").waitFor();
    await page.getByRole("link", { name: "Retrying" }).click();
    await page.getByRole("heading", { name: "No deliveries match" }).waitFor();
    await page
      .getByRole("navigation", { name: "Status" })
      .getByRole("link", { name: /^Failed/ })
      .click();
    await hasCount(rows, 2);
    await rows
      .first()
      .getByRole("link", { name: new URL(receiver.url).host })
      .click();
    await page.getByRole("link", { name: "All deliveries of this task" }).click();
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await hasCount(page.getByRole("button", { name: "Retry all failed" }), 0);
    await page.getByRole("link", { name: /show all$/ }).click();
    await hasCount(rows, 3);
    await page.goto(`${service.url}/deliveries?origin=${encodeURIComponent(new URL(receiver.url).origin)}`);
    await hasCount(rows, 2);
    await page.getByRole("button", { name: "Retry all failed" }).click();
    await service.call("POST", "/api/admin/webhook-deliveries/redeliver", { status: "ABANDONED" });
    const { origin } = new URL(receiver.url);
    await confirm(page, `Retry all 2 failed deliveries to ${origin}?`, "Send again");
    await page.getByText("Nothing was sent. These deliveries no longer exist.").waitFor();
  },
);

testInBrowser("callbacks beyond the first page are loaded on demand", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const names = Array.from({ length: 52 }, (_, i) => `Task ${i}`);
  await giveUp(service, await receive(t, { status: 500 }), names);
  const page = await visit(open, service, "/deliveries");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /50\+/ }).waitFor();
  await page.getByText("Select all").click();
  await page.getByText("50 selected").waitFor();
  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByRole("table", { name: "Deliveries" }).locator("tbody tr").nth(51).waitFor();
  await page.getByText("50 selected").click();
  await page.getByText("52 selected").waitFor();
  await page.getByRole("button", { name: "Load more" }).waitFor({ state: "hidden" });
});

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "wide"],
  ["light", "phone"],
  ["dark", "phone"],
  ["light", "narrow"],
] as const)
  testInBrowser(`everybody can use the operators' pages: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await endTasks(service, 50);
    const page = await visit(open, service, "/stats", { theme, size });
    await page.getByRole("img", { name: /^Answers by channel/ }).waitFor();
    await assertUsable(page, `stats-${theme}-${size}`);
    for (const summary of await page.getByText("Show as table").all()) await summary.click();
    await assertUsable(page, `stats-tables-${theme}-${size}`);
    await giveUp(service, await receive(t, { status: 500 }), ["One", "Two", "Three"]);
    await page.goto(`${service.url}/deliveries`);
    await page.getByRole("table", { name: "Failing receivers" }).waitFor();
    await assertUsable(page, `deliveries-${theme}-${size}`);
    const table = page.getByRole("table", { name: "Deliveries" });
    await table.getByRole("link", { name: /^127/ }).first().click();
    await page.getByText("Here it is noon").waitFor();
    await assertUsable(page, `delivery-${theme}-${size}`);
    await addOperator(service, "a.person.with.a.very.long.address@subdomain.example.com");
    await service.call("POST", "/api/users", {
      email: "dana@example.com",
      display_name: "Dana",
      role: "reviewer_of_international_contracts",
    });
    await page.goto(`${service.url}/users`);
    await page.getByRole("table", { name: "People" }).waitFor();
    await assertUsable(page, `users-${theme}-${size}`);
    await page.getByRole("button", { name: "Edit Dana" }).click();
    await page.getByRole("dialog", { name: "Edit Dana" }).waitFor();
    await assertUsable(page, `user-${theme}-${size}`);
  });
