import assert from "node:assert/strict";
import { hasFocus, testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { focused, tabTo } from "./support/keyboard.ts";
import { signIn } from "./support/sign-in.ts";

/** Every page is used with the keyboard alone: nothing here clicks. */

const ADA = "ada@example.com";

for (const size of ["phone", "desk", "wide"] as const)
  testInBrowser(
    `the link that skips the navigation moves nothing when it takes the focus (${size})`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, ADA);
      const { id } = await createTask(service, "Approve the refund?");
      const page = await open({ size });
      for (const path of ["/inbox", `/tasks/${id}`, "/stats", "/agents", "/users", "/settings"]) {
        await signIn(page, service, ADA, path);
        const main = page.locator("#main");
        // On a phone, the inbox shows the list alone.
        await main.waitFor({ state: "attached" });
        const navigation = page.getByRole("navigation", { name: "Main" });
        const before = [await main.boundingBox(), await navigation.boundingBox()];
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        await page.getByRole("link", { name: "Skip to the page" }).focus();
        assert.deepEqual([await main.boundingBox(), await navigation.boundingBox()], before, path);
      }
    },
  );

testInBrowser("menus open, move and close with the keyboard, and give the focus back", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Approve the refund?");
  for (const size of ["phone", "desk", "wide"] as const) {
    const page = await open({ size });
    await signIn(page, service, ADA, `/tasks/${id}`);
    await page.getByRole("heading", { name: "Approve the refund?" }).waitFor();
    for (const [menu, last] of [
      ["More", "Delete"],
      ["ada", "Sign out"],
    ] as const) {
      await tabTo(page, menu);
      const opener = page.getByRole("button", { name: menu });
      await hasFocus(opener);
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: last }).waitFor();
      await page.locator("[role='menuitem']:focus").waitFor();
      for (let presses = 0; presses < 20 && (await focused(page)) !== last; presses++)
        await page.keyboard.press("ArrowDown");
      assert.equal(await focused(page), last, `${menu}, ${size}`);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      assert.match(page.url(), new RegExp(`/tasks/${id}$`));
      // The focus comes back.
      await hasFocus(opener);
    }
  }
});

testInBrowser("Escape in a dialog over a task closes the dialog, and not the task", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Approve the refund?");
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("heading", { name: "Approve the refund?" }).waitFor();
  const closes = async (): Promise<void> => {
    // It hears keys once it has taken the focus.
    await page.locator("[role='dialog']:focus-within").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.match(page.url(), new RegExp(`/tasks/${id}$`));
  };
  await page.keyboard.press("?");
  await closes();
  for (const item of ["Assign", "Change deadline", "Cancel task", "Delete"]) {
    await tabTo(page, "More");
    await page.keyboard.press("Enter");
    await page.locator("[role='menuitem']:focus").waitFor();
    for (let presses = 0; presses < 20 && (await focused(page)) !== item; presses++)
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await closes();
  }
  await page.keyboard.press("Escape");
  await page.waitForURL("**/inbox");
});
