import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { walk } from "./support/keyboard.ts";
import { signIn } from "./support/sign-in.ts";
import { addAssignee, addOperator, createTask, PASSWORD, serve, TOKEN, type Service } from "../support/dashboard.ts";

const ADA = "ada@example.com";
const ASKED = "Confirm it's you";

/** Makes all sessions ones that began long ago, as far as the password goes. */
async function forgetConfirmations({ ctx }: Service): Promise<void> {
  await ctx.db.write((tx) => tx.query.updateTable("sessions").set({ confirmed_at: 0 }).execute());
}

function drafts(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("draft:")));
}

async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/** Asserts that a control is not cut off by its card. */
async function isWithin(control: Locator, card: Locator): Promise<void> {
  const [inner, outer] = [await control.boundingBox(), await card.boundingBox()];
  assert.ok(inner && outer);
  assert.ok(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width, JSON.stringify({ inner, outer }));
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(`people see where they are signed in, and end sessions: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    await addAssignee(service, "dana@example.com");
    const other = await open({ expected: [/status of 401/] });
    await signIn(other, service, "dana@example.com");
    const page = await open({ theme, size });
    await signIn(page, service, "dana@example.com", "/settings/sessions");
    const table = page.getByRole("table", { name: "Sessions" });
    // The helper of the tests signs in as a program.
    await table.getByText("127.0.0.1").first().waitFor();
    assert.equal(await table.getByRole("row").count(), 3);
    assert.equal(await table.getByText("This session").count(), 1);
    assert.deepEqual((await walk(page, 30)).problems, []);
    await axe(page);
    await screenshot(page, `sessions-${theme}-${size}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await isWithin(table.getByRole("button", { name: /^End the session of/ }), page.locator(".surface"));

    await table.getByRole("button", { name: /^End the session of/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
    await page.getByText("Session ended").waitFor();
    // The list is read again after that.
    await hasCount(table.getByRole("row"), 2);
    await other.getByRole("dialog", { name: "You are signed out" }).waitFor();

    const third = await open({ expected: [/status of 401/] });
    await signIn(third, service, "dana@example.com");
    await page.reload();
    await page.getByRole("button", { name: "End all other sessions" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End sessions" }).click();
    await page.getByText("All other sessions ended").waitFor();
    await third.getByRole("dialog", { name: "You are signed out" }).waitFor();
    await page.reload();
    await hasCount(table.getByRole("row"), 2);
    assert.equal(await page.getByRole("button", { name: "End all other sessions" }).count(), 0);
    await screenshot(page, `sessions-one-${theme}-${size}`);
  });

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(`a change that needs the password asks for it, and goes on: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const page = await open({ theme, size, expected: [/status of 403/, /status of 422/, /status of 401/] });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await signIn(page, service, ADA, "/settings/keys");
    const tab = await page.context().newPage();
    await tab.goto(`${service.url}/settings/keys`);
    await tab.getByRole("heading", { name: "Embed keys" }).waitFor();
    await forgetConfirmations(service);

    await page.getByRole("textbox", { name: "Name" }).fill("Shop");
    await page.getByRole("button", { name: "Create key" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: ASKED });
    await dialog.waitFor();
    const password = dialog.getByLabel("Your password", { exact: true });
    await page.locator("[role=dialog] input:focus").waitFor();
    assert.deepEqual((await walk(page, 10)).problems, []);
    await axe(page);
    await screenshot(page, `confirm-${theme}-${size}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);

    // Who does not give it is told, and is where they were.
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Confirm that it is you to do this.").waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Create key");

    await page.keyboard.press("Enter");
    await page.locator("[role=dialog] input:focus").waitFor();
    await page.keyboard.type("wrong password");
    await page.keyboard.press("Enter");
    await dialog.getByText("Wrong password.").waitFor();
    await password.fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Key of Shop" }).waitFor();
    await hasCount(dialog, 0);

    // It is not asked for again, and other pages of this browser go on.
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Desk");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "Key of Desk" }).waitFor();
    await isWithin(page.getByRole("button", { name: "Revoke Shop" }), page.getByRole("region", { name: "Keys" }));
    await screenshot(page, `keys-${theme}-${size}`);
    await tab.getByRole("textbox", { name: "Name" }).fill("Tab");
    await tab.getByRole("button", { name: "Create key" }).click();
    await tab.getByRole("heading", { name: "Key of Tab" }).waitFor();
    assert.equal(await tab.getByRole("dialog").count(), 0);
  });

testInBrowser("the password is asked for above another dialog, which stays", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Obsolete");
  await service.call("POST", "/api/service-keys", { name: "Shop" });
  const page = await open({ expected: [/status of 403/, /status of 404/] });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, service, ADA, "/settings/keys");
  await forgetConfirmations(service);
  await page.getByRole("button", { name: "Revoke Shop" }).click();
  const outer = page.getByRole("dialog", { name: "Revoke the key of Shop?" });
  await outer.getByRole("button", { name: "Revoke key" }).press("Enter");
  const inner = page.getByRole("dialog", { name: ASKED });
  await inner.waitFor();
  await page.locator("[role=dialog] input:focus").waitFor();
  // One Escape closes one dialog, and the focus is in the other.
  await page.keyboard.press("Escape");
  await inner.waitFor({ state: "detached" });
  await outer.getByText("Confirm that it is you to do this.").waitFor();
  await hasFocus(outer.getByRole("button", { name: "Revoke key" }));
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] input:focus").waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Key of Shop revoked").waitFor();
  await hasCount(page.getByRole("dialog"), 0);

  await forgetConfirmations(service);
  await page.goto(`${service.url}/tasks/${id}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /^Delete/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Delete/ })
    .click();
  await inner.waitFor();
  await inner.getByLabel("Your password", { exact: true }).fill(PASSWORD);
  await inner.getByRole("button", { name: "Confirm" }).click();
  await inner.waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.pathname.includes(id));
});

testInBrowser("signing out deletes what a person wrote from the browser, and keeps the theme", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Half answered");
  // What was asked for when the session ended is refused.
  const page = await open({ theme: "light", expected: [/status of 401/] });
  await signIn(page, service, ADA, "/settings");
  await page.getByText("Dark", { exact: true }).click();
  await page.getByText("5 seconds").click();
  await page.goto(`${service.url}/playground`);
  await page.getByRole("textbox", { name: "Task", exact: true }).fill("Tried out");
  await page.goto(`${service.url}/tasks/${id}`);
  await page.getByRole("textbox", { name: /Note/ }).fill("Half a sentence");
  assert.equal((await drafts(page)).length, 1);
  await signOut(page, "ada");
  const left = await page.evaluate(() => JSON.stringify(localStorage));
  assert.ok(!/Half a sentence|Tried out/.test(left), left);
  assert.match(left, /"dark"/);
  assert.match(left, /sendDelay\\":5/);
});

testInBrowser("what a person wrote is theirs after their session has ended, and nobody else's", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addOperator(service, "bob@example.com");
  const { id } = await createTask(service, "Half answered");
  const page = await open({ expected: [/status of 401/] });
  await signIn(page, service, ADA, `/tasks/${id}`);
  const note = page.getByRole("textbox", { name: /Note/ });
  await note.fill("Half a sentence");
  const [{ id: ada } = { id: "" }] = await service.call<{ id: string }[]>("GET", "/api/users?q=ada");
  const endSessions = async (): Promise<void> => {
    await fetch(`${service.url}/api/users/${ada}/sessions`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  };
  await endSessions();
  await page.goto(`${service.url}/login?to=/tasks/${id}`);
  await fillIn(page, ADA);
  await note.waitFor();
  assert.equal(await note.inputValue(), "Half a sentence");

  await endSessions();
  await page.goto(`${service.url}/login?to=/tasks/${id}`);
  await fillIn(page, "bob@example.com");
  await note.waitFor();
  assert.equal(await note.inputValue(), "");
  assert.deepEqual(await drafts(page), []);
});
