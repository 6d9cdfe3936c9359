import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addOperator, PASSWORD, serve } from "../support/dashboard.ts";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { walk } from "./support/keyboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";

/** Reads the link that a dialog shows once, as it is on the address of the test's service, and closes the dialog. */
async function shownLink(page: Page, url: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: "Link for Dana" });
  const link = new URL(await dialog.locator("code").innerText());
  await axe(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  return url + link.pathname + link.hash;
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `a person is invited, chooses a password, and gets a link for another one: ${theme}, ${size}`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      const page = await visit(open, service, "/users", { theme, size });
      await page.getByRole("button", { name: "Add a person" }).click();
      const form = page.getByRole("dialog", { name: "Add a person" });
      await form.getByLabel("Name").fill("Dana");
      await form.getByLabel("Email").fill("dana@example.com");
      await axe(page);
      await screenshot(page, `invitation-add-${theme}-${size}`);
      await form.getByRole("button", { name: "Add" }).click();
      await page.getByText("There is no email sender that reaches people.").waitFor();
      await screenshot(page, `invitation-link-${theme}-${size}`);
      const link = await shownLink(page, service.url);
      const row = page.getByRole("row", { name: /Dana/ });
      await row.getByText("Invited, until").waitFor();
      await assertUsable(page, `invited-${theme}-${size}`);

      const hers = await open({ theme, size, expected: [/status of (403|422)/] });
      await hers.goto(link);
      await hers.getByRole("heading", { name: "Choose your password" }).waitFor();
      await hers.getByText("Welcome, Dana.").waitFor();
      assert.deepEqual((await walk(hers, 10)).problems, []);
      await axe(hers);
      await screenshot(hers, `invitation-open-${theme}-${size}`);
      const password = hers.getByLabel("Password", { exact: true });
      await password.fill("password1234");
      await password.press("Enter");
      await hers.getByText("This is one of the passwords that are guessed first.").waitFor();
      // A reload opens the link again.
      await hers.reload();
      await password.fill(PASSWORD);
      await hers.getByRole("button", { name: "Set password and sign in" }).click();
      await hers.getByRole("navigation", { name: "Main" }).waitFor();
      assert.equal(new URL(hers.url()).hash, "");
      await hers.goBack().catch(() => null);
      const late = await open({ theme, size, expected: [/status of 403/] });
      await late.goto(link);
      await late.getByRole("heading", { name: "This link no longer works" }).waitFor();
      await axe(late);
      await screenshot(late, `invitation-used-${theme}-${size}`);
      await late.getByRole("link", { name: "Go to sign-in" }).click();
      await late.getByRole("heading", { name: "Sign in" }).waitFor();

      await page.reload();
      await row.getByText("Invited, until").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Edit Dana" }).click();
      await page.getByRole("button", { name: "Send a link for a new password" }).click();
      const reset = await shownLink(page, service.url);
      await page.getByRole("dialog", { name: "Edit Dana" }).getByRole("button", { name: "Cancel" }).click();
      await row.getByText("Link for a new password, until").waitFor();
      await page.getByRole("button", { name: "Link of Dana" }).click();
      await axe(page);
      await screenshot(page, `invitation-menu-${theme}-${size}`);
      await page.getByRole("menuitem", { name: "Copy a new link" }).click();
      const newer = await shownLink(page, service.url);
      await late.goto(newer);
      await late.getByRole("heading", { name: "Choose a new password" }).waitFor();
      await axe(late);
      await screenshot(late, `invitation-reset-${theme}-${size}`);
      await page.getByRole("button", { name: "Link of Dana" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await confirm(page, "Revoke the link of Dana?", "Revoke link");
      await page.getByText("Link of Dana revoked").waitFor();
      for (const old of [reset, newer]) {
        await late.goto(service.url);
        await late.goto(old);
        await late.getByRole("heading", { name: "This link no longer works" }).waitFor();
      }
    },
  );
