import assert from "node:assert/strict";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { testInBrowser } from "./support/browser.ts";
import { assertUsable, visit } from "./operating.ts";

testInBrowser("each number of the stats opens its tasks, for the days that are chosen", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const named = { form_definition: { ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } } };
  for (const [i, approved] of [true, true, false].entries()) {
    const { id } = await createTask(service, `Refund ${i}`, { ...named, labels: i === 0 ? ["vip"] : [] });
    await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved } });
  }
  await createTask(service, "Waits");
  const page = await visit(open, service, "/stats");
  const row = page.getByRole("table", { name: "By question" }).locator("tbody tr");
  assert.match(await row.innerText(), /Refund 2[\s\S]*3[\s\S]*3[\s\S]*2 \(67%\)/);
  await assertUsable(page, "stats-groups");

  const titles = async () => {
    await page.locator(".task-row").first().waitFor();
    const rows = await page.locator(".task-row").allInnerTexts();
    return rows.map((text) => /Refund \d|Waits/.exec(text)![0]).toSorted((a, b) => (a < b ? -1 : 1));
  };
  await row.getByRole("link", { name: "2 (67%)" }).click();
  await page.getByRole("button", { name: "Remove the filter: Approved" }).waitFor();
  assert.deepEqual(await titles(), ["Refund 0", "Refund 1"]);
  await page.getByRole("button", { name: "Remove the filter: Approved" }).click();
  await page.getByText("Refund 2").first().waitFor();
  assert.deepEqual(await titles(), ["Refund 0", "Refund 1", "Refund 2"]);

  await page.getByRole("link", { name: "Stats" }).click();
  await page.getByRole("table", { name: "By label" }).getByRole("link", { name: "vip" }).click();
  await page.waitForURL(/label=vip/);
  await page.getByText("Refund 0").first().waitFor();
  assert.deepEqual(await titles(), ["Refund 0"]);
  await page.getByRole("link", { name: "Stats" }).click();
  const ages = page.getByRole("region", { name: "Age of open tasks", exact: true });
  await ages.locator(".opens-list").first().click();
  await page.waitForURL(/age=0-1/);
  await page.getByRole("button", { name: "Remove the filter: 0 h – 1 h old" }).waitFor();
  assert.deepEqual(await titles(), ["Waits"]);

  await page.getByRole("link", { name: "Stats" }).click();
  await page.getByRole("link", { name: "7 days" }).click();
  await page.waitForURL(/days=7/);
  await page.waitForFunction(
    () => document.querySelectorAll('table[aria-label="Closed tasks per day"] tbody tr').length === 7,
  );
  const today = new Date().toISOString().slice(0, 10);
  await page.getByLabel("First day (UTC)").fill(today);
  await page.getByLabel("Last day (UTC)").fill(today);
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(new RegExp(`from=${today}&to=${today}`));
});

testInBrowser("the audit shows who did what to tasks and people, filtered and as a file", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Refund Mia?");
  const page = await visit(open, service, `/tasks/${id}`);
  await page.evaluate(async (task) => {
    await fetch(`/api/tasks/${task}/cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ reason: "Asked twice" }),
    });
  }, id);
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  const table = page.getByRole("table", { name: "What happened" });
  const cancelled = table.locator("tbody tr", { hasText: "Task cancelled" });
  assert.match(await cancelled.innerText(), /Asked twice[\s\S]*ada@example\.com[\s\S]*Refund Mia\?/);
  await table.getByText("Signed in").first().waitFor();
  await assertUsable(page, "audit");

  await page.getByRole("navigation", { name: "Kind" }).getByRole("link", { name: "Tasks" }).click();
  await page.waitForURL(/kind=task/);
  await table.getByText("Signed in").first().waitFor({ state: "hidden" });
  await page.getByLabel("Who").fill("ada@example.com");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL(/actor=ada/);
  await table.getByText("Task created").waitFor({ state: "hidden" });
  assert.equal(await table.locator("tbody tr").count(), 1);
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  assert.match((await file).suggestedFilename(), /^audit-.*\.csv$/);
  await cancelled.getByRole("link", { name: "Refund Mia?" }).click();
  await page.getByText("Reason: Asked twice").waitFor();

  // The list of people says what each has to do, and leads there.
  await createTask(service, "For Ada", { assign_to: { email: "ada@example.com" } });
  await page.getByRole("link", { name: "People", exact: true }).click();
  const ada = page.getByRole("table", { name: "People" }).locator("tbody tr", { hasText: "ada" });
  await ada.getByText(/1 open · none answered in 30 days · seen/).waitFor();
  await assertUsable(page, "people");
  await ada.getByRole("link", { name: "1 open" }).click();
  await page.getByText("For Ada").first().waitFor();
});
