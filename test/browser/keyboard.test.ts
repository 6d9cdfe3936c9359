import assert from "node:assert/strict";
import { axe, hasCount, hasFocus, testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, PASSWORD, serve } from "../support/dashboard.ts";
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

testInBrowser("the palette finds and does what is possible now, by keys alone", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const person = { email: "bob@example.com", password: PASSWORD, display_name: "bob" };
  const bob = await service.call<{ id: string }>("POST", "/api/users", person);
  await createTask(service, "Approve the refund?", { timeout_seconds: 3600, assign_to: { user_id: bob.id } });
  await createTask(service, "Publish the notes?", { timeout_seconds: 7200 });
  const page = await open();
  await signIn(page, service, ADA);
  await page.getByRole("heading", { level: 1, name: "Approve the refund?" }).waitFor();
  const field = page.getByRole("combobox", { name: "Search actions, pages, people and tasks" });
  const chosen = page.getByRole("option", { selected: true });
  const find = async (query: string, name: RegExp): Promise<void> => {
    await page.keyboard.press("Control+k");
    await hasFocus(field);
    await field.fill(query);
    await chosen.filter({ hasText: name }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Commands" }).waitFor({ state: "detached" });
  };
  // Also from within a field.
  await page.keyboard.press("/");
  await find("stats", /^Stats/);
  await page.getByText("Waiting now").waitFor();
  await page.keyboard.press("Control+k");
  await page
    .getByRole("group", { name: "Recent" })
    .getByRole("option", { name: /^Stats/, selected: true })
    .waitFor();
  // No task is open here.
  await hasCount(page.getByRole("option", { name: /Pass on/ }), 0);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("group", { name: "Actions" }).getByRole("option", { selected: true }).waitFor();
  await axe(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await find("bob", /^bob/);
  await page.waitForURL(`**/inbox?assignee=${bob.id}`);
  await hasCount(page.getByRole("link", { name: /^Publish the notes/ }), 0);
  await find("notes", /^Publish the notes/);
  await page.getByRole("heading", { level: 1, name: "Publish the notes?" }).waitFor();
  await page.keyboard.press("Control+k");
  await page
    .getByRole("group", { name: "Recent" })
    .getByRole("option", { name: /^Publish the notes/ })
    .waitFor();
  // So far nothing was done that can be undone.
  await hasCount(page.getByRole("option", { name: /^Undo/ }), 0);
  await page.keyboard.press("Escape");
  // The focus comes back.
  await hasFocus(page.getByRole("heading", { level: 1, name: "Publish the notes?" }));
  await page.keyboard.press("c");
  await page.getByText("Claimed", { exact: true }).waitFor();
  await find("undo", /^Undo the last claim/);
  await page.getByText("Claim undone").waitFor();
  await find("pass on", /^Pass on to someone else/);
  await page.getByRole("dialog", { name: "Assign this task" }).waitFor();

  const phone = await open({ size: "phone" });
  await signIn(phone, service, "bob@example.com");
  await phone.getByRole("button", { name: "bob" }).click();
  await phone.getByRole("menuitem", { name: "Commands" }).click();
  await phone.getByRole("option", { name: "Settings: Profile" }).waitFor();
  await axe(phone);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  for (const name of [/^Stats/, /^Settings: Security/, /^Mine/]) await hasCount(phone.getByRole("option", { name }), 0);
  await phone.getByRole("combobox").fill("nothing like it");
  await phone.getByRole("paragraph").filter({ hasText: "No matches" }).waitFor();
});

testInBrowser("a task can have the full width, and the list the width that one likes", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTask(service, "One", { timeout_seconds: 3600 });
  await createTask(service, "Two", { timeout_seconds: 7200 });
  const page = await open();
  await signIn(page, service, ADA);
  const list = page.getByRole("region", { name: "Inbox" });
  const title = (name: string) => page.getByRole("heading", { level: 1, name });
  await title("One").waitFor();
  const divider = page.getByRole("separator", { name: "Width of the list" });
  await divider.focus();
  const width = async () => Math.round((await list.boundingBox())!.width);
  const before = await width();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((wanted) => document.querySelector(".list")!.clientWidth >= wanted, before + 14);
  assert.equal(await divider.getAttribute("aria-valuenow"), String(before + 16));
  assert.equal(await width(), before + 16);
  await page.keyboard.press("Home");
  await page.waitForFunction((wanted) => document.querySelector(".list")!.clientWidth < wanted, before);
  assert.equal(await divider.getAttribute("aria-valuenow"), await divider.getAttribute("aria-valuemin"));
  const box = (await divider.boundingBox())!;
  await page.mouse.move(box.x + 4, 300);
  await page.mouse.down();
  await page.mouse.move(700, 300);
  await page.mouse.up();
  await page.waitForFunction((wanted) => document.querySelector(".list")!.clientWidth > wanted, before);
  const dragged = await width();
  await axe(page);
  await page.reload();
  await title("One").waitFor();
  assert.equal(await width(), dragged);

  await page.keyboard.press("Enter");
  await hasFocus(title("One"));
  await page.keyboard.press("f");
  await list.waitFor({ state: "hidden" });
  await page.reload();
  await title("One").waitFor();
  assert.equal(await list.isVisible(), false);
  await axe(page);
  await page.keyboard.press("j");
  await hasFocus(title("Two"));
  // One of the two is shown, as on a phone.
  await page.keyboard.press("Escape");
  await hasFocus(page.getByRole("link", { name: /^Two/ }));
  await axe(page);
  await page.getByRole("button", { name: "Show tasks beside the list" }).click();
  await title("Two").waitFor();
  assert.equal(await width(), dragged);
});
