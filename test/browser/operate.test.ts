import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, screenshot, testInBrowser } from "../support/browser.ts";
import { addOperator, createTask, serve, signIn } from "../support/dashboard.ts";
import type { Service } from "../support/dashboard.ts";

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
  by_day: Ends[];
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
    const page = await open();
    await signIn(page, service, "ada@example.com", "/stats");
    await page.getByText("1 due within the hour").waitFor();
    assert.deepEqual(await figureOf(page, "Waiting now"), ["2", "1 due within the hour"]);
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
        `${totals.verification_exhausted} failed checks, ${totals.cancelled} cancelled. The table below has every figure.`,
    );
    for (const summary of await page.getByText("Show as table").all()) await summary.click();
    assert.deepEqual(
      await figuresOf(page, "Closed tasks per day"),
      stats.by_day.map((day) => [day.completed, day.timed_out, day.verification_exhausted, day.cancelled].map(String)),
    );
    assert.deepEqual(
      await figuresOf(page, "Answers by channel"),
      stats.by_channel.map(({ completed }) => [String(completed)]),
    );
    await axe(page);
  },
);

testInBrowser("before anything has ended the figures are zero, and one line says why", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/stats");
  await page.getByText("No task has ended in the last 30 days.").waitFor();
  assert.deepEqual(await figureOf(page, "Completed"), ["0", "No task has ended"]);
  await page.getByText("Show as table").first().click();
  assert.deepEqual(
    await figuresOf(page, "Closed tasks per day"),
    Array.from({ length: 30 }, () => ["0", "0", "0", "0"]),
  );
  await screenshot(page, "operate-stats-empty");
});

/** Asserts that everybody can use what is shown: rules that a program can check, and no scrolling to the side. */
async function assertUsable(page: Page, name: string): Promise<void> {
  await axe(page);
  await screenshot(page, `operate-${name}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.equal(await page.locator("main").evaluate((main) => main.scrollWidth <= main.clientWidth), true);
}

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
    const page = await open({ theme, size });
    await signIn(page, service, "ada@example.com", "/stats");
    await page.getByRole("img", { name: /^Answers by channel/ }).waitFor();
    await assertUsable(page, `stats-${theme}-${size}`);
  });
