import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addAgent, addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";

const navigation = (page: Page) => page.getByRole("navigation", { name: "Main" });
const list = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const menu = async (page: Page, item: string) => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

testInBrowser("a person saves what the list shows, finds it in the navigation, and changes it", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (const [task, labels] of [
    ["Refund A?", ["refund"]],
    ["Refund B?", ["refund"]],
    ["Publish?", []],
  ] as const)
    await createTask(service, task, { labels });
  const page = await visit(open, service, "/inbox?label=refund", { size: "wide", expected: [/status of 422/] });
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await hasFocus(dialog.getByLabel("Name"));
  assert.equal(await dialog.getByLabel("Name").inputValue(), "refund");
  await dialog.getByLabel("Name").fill("Refunds to look at");
  await assertUsable(page, "view-save");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.waitFor({ state: "hidden" });
  const link = navigation(page).getByRole("link", { name: "Refunds to look at 2" });
  await link.waitFor();
  assert.equal(await link.getAttribute("aria-current"), "page");
  await list(page, "Refunds to look at").getByRole("heading", { name: "Refunds to look at" }).waitFor();
  await assertUsable(page, "view");
  assert.equal(await page.getByRole("button", { name: "Update view" }).count(), 0);

  // The count follows what happens.
  await createTask(service, "Refund C?", { labels: ["Refund"] });
  await navigation(page).getByRole("link", { name: "Refunds to look at 3" }).waitFor();

  // A changed list is offered as what the view shows from now on.
  await page.getByRole("searchbox", { name: "Search" }).fill("refund b");
  await page.getByRole("button", { name: "Save as new view" }).waitFor();
  await page.getByRole("button", { name: "Update view" }).click();
  await page.getByText("View updated").waitFor();
  await navigation(page).getByRole("link", { name: "Refunds to look at 1" }).waitFor();

  await page.getByRole("searchbox", { name: "Search" }).fill("is:opne");
  await page.getByRole("button", { name: "Save as new view" }).click();
  await dialog.getByLabel("Name").fill("Wrong");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.getByText("`is:opne` is not known.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await menu(page, "Reset to the saved view");
  await page.waitForURL((url) => url.searchParams.get("q") === "refund b");

  await menu(page, "Rename");
  const renaming = page.getByRole("dialog", { name: "Rename view" });
  await renaming.getByLabel("Name").fill("B");
  await renaming.getByRole("button", { name: "Rename" }).click();
  await list(page, "B").getByRole("heading", { name: "B", exact: true }).waitFor();

  // The short address opens what the view shows now. The palette finds it, too.
  const id = new URL(page.url()).searchParams.get("view");
  await page.goto(`${service.url}/inbox?view=${id}`);
  await page.waitForURL((url) => url.searchParams.get("label") === "refund");
  await page.getByRole("link", { name: "Inbox" }).first().click();
  await list(page, "Inbox").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("B");
  await page.getByRole("option", { name: /^B\s*View/ }).click();
  await list(page, "B").waitFor();

  await menu(page, "Delete view");
  await confirm(page, "Delete the view “B”?", "Delete view");
  await list(page, "Inbox").waitFor();
  await page.waitForFunction(() => document.querySelector(".views") === null);
});

for (const size of ["wide", "phone"] as const)
  testInBrowser(
    `a shared view shows everyone their own tasks, and says what of it is gone (${size})`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, ADA);
      await addAssignee(service, "kim@example.com");
      const { id, asAgent } = await addAgent(service, "refund-bot");
      await createTask(asAgent, "Refund of Kim?", { assign_to: { email: "kim@example.com" } });
      await createTask(asAgent, "Refund of another?");
      const ada = await visit(open, service, `/inbox?agent=${id}`, { size });
      await ada.getByRole("button", { name: "Save view" }).click();
      const dialog = ada.getByRole("dialog", { name: "Save view" });
      await dialog.getByLabel("Name").fill("Refunds");
      await dialog.getByLabel("Who sees it").selectOption("Everyone");
      await assertUsable(ada, `view-share-${size}`);
      await dialog.getByRole("button", { name: "Save view" }).click();
      await list(ada, "Refunds").getByText("Refund of another?").waitFor();

      const page = await open({ size });
      await signIn(page, service, "kim@example.com", "/inbox");
      if (size === "phone") {
        await page.getByRole("button", { name: "Views" }).click();
        await page.getByRole("menuitem", { name: "Refunds 1" }).click();
      } else await navigation(page).getByRole("link", { name: "Refunds 1" }).click();
      await list(page, "Refunds").getByText("Refund of Kim?").waitFor();
      await page.getByRole("button", { name: "View", exact: true }).click();
      await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
      assert.equal(await page.getByRole("menuitem", { name: "Delete view" }).count(), 0);
      await page.keyboard.press("Escape");

      await service.call("DELETE", `/api/agents/${id}`);
      await page.reload();
      await page.getByText("The agent of this view was deleted.").waitFor();
      await assertUsable(page, `view-gone-${size}`);
      await screenshot(page, `view-gone-${size}`);
    },
  );
