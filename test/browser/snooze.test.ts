import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { assertUsable, visit } from "./operating.ts";
import { hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";

const DAYS = 86_400;

const rows = (page: Page) => page.locator("[data-task]");
const row = (page: Page, task: string) => page.getByRole("region", { name: "Inbox" }).getByText(task);

testInBrowser(
  "a task is snoozed and woken with one key, found while it is away, and comes back by itself",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const { id } = await createTask(service, "Publish A?", { timeout_seconds: 20 * DAYS });
    await createTask(service, "Publish B?", { timeout_seconds: 21 * DAYS });
    const page = await visit(open, service, `/tasks/${id}`, { size: "wide" });
    await row(page, "Publish B?").waitFor();
    await page.keyboard.press("h");
    const dialog = page.getByRole("dialog", { name: "Snooze until" });
    await hasFocus(dialog.getByRole("button", { name: /Later today|Tomorrow morning/ }).first());
    await assertUsable(page, "snooze");
    await dialog.getByLabel("Date and time").fill("2100-01-01T09:00");
    await dialog.getByRole("button", { name: "Snooze" }).click();
    // The browser itself refuses a time after the deadline, and says so beside the field.
    assert.equal(
      await dialog.getByLabel("Date and time").evaluate((field: HTMLInputElement) => field.validity.rangeOverflow),
      true,
    );
    await dialog.getByRole("button", { name: /Tomorrow morning/ }).click();
    await dialog.waitFor({ state: "hidden" });
    await hasCount(rows(page), 1);
    // The next task is open.
    await page.locator(".pane").getByRole("heading", { name: "Publish B?" }).waitFor();
    await page.getByRole("link", { name: "Inbox 1" }).waitFor();

    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Snooze undone").waitFor();
    await hasCount(rows(page), 2);

    await page.goto(`${service.url}/tasks/${id}`);
    await row(page, "Publish B?").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Snooze" }).click();
    await dialog.getByRole("button", { name: /Next week/ }).click();
    await page.getByRole("button", { name: "Snoozed 1" }).click();
    await page.waitForURL((url) => url.searchParams.get("q") === "is:snoozed");
    await row(page, "Publish A?").click();
    await page.locator(".pane").getByText("Snoozed until").waitFor();
    await assertUsable(page, "snoozed");
    await screenshot(page, "snoozed");
    // The commands have it, too.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("wake");
    await page.getByRole("option", { name: /wake it up/ }).click();
    await page.getByText("No tasks match").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await hasCount(rows(page), 2);

    // Nothing is asked until then, and nothing announces it.
    await page.evaluate(
      async ([path, until]) => {
        const headers = { "content-type": "application/json" };
        await fetch(path!, { method: "PUT", headers, body: JSON.stringify({ until }) });
      },
      [`/api/tasks/${id}/snooze`, new Date(Date.now() + 1_500).toISOString()],
    );
    await hasCount(rows(page), 1);
    await hasCount(rows(page), 2);
  },
);
