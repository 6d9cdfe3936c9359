import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { addLink } from "../../src/people/oidc/links.ts";
import { endSessionsOf } from "../../src/people/sessions.ts";
import { addAssignee, addOperator, PASSWORD, type Service } from "../support/dashboard.ts";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { walk } from "./support/keyboard.ts";
import { signIn } from "./support/sign-in.ts";
import { addAuthenticator, serveAtHostName } from "./support/virtual-authenticator.ts";

const ADA = "ada@example.com";
const LOOKS = [
  ["light", "wide"],
  ["dark", "phone"],
] as const;

/** Makes all sessions ones whose person was asked long ago. */
async function forgetConfirmations({ ctx }: Service): Promise<void> {
  await ctx.db.write((tx) => tx.query.updateTable("sessions").set({ confirmed_at: 0 }).execute());
}

async function looksRight(page: Page, name: string): Promise<void> {
  assert.deepEqual((await walk(page, 30)).problems, []);
  await axe(page);
  await screenshot(page, name);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}

async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

const inbox = (page: Page) => page.getByRole("navigation", { name: "Main" }).waitFor();
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Confirm it's you" });

for (const [theme, size] of LOOKS)
  testInBrowser(`a person adds, renames, uses and removes a passkey: ${theme}, ${size}`, async (open, t) => {
    const service = await serveAtHostName(t);
    await addAssignee(service, "dana@example.com");
    const page = await open({ theme, size, expected: [/status of 403/, /status of 401/] });
    const device = await addAuthenticator(page);
    await signIn(page, service, "dana@example.com", "/settings/passkeys");
    await page.getByText("You have no passkeys.").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Chrome on Linux");
    await page.getByRole("textbox", { name: "Name" }).fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const table = page.getByRole("table", { name: "Passkeys" });
    await table.getByRole("cell", { name: "Never" }).waitFor();
    assert.equal(await device.count(), 1);
    await looksRight(page, `passkeys-${theme}-${size}`);
    // The device has one already.
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("This device already has a passkey of yours.").waitFor();

    await page.getByRole("button", { name: "Rename Laptop" }).click();
    const rename = page.getByRole("dialog", { name: "Rename Laptop" });
    await rename.getByRole("textbox", { name: "Name" }).fill("Work laptop");
    await axe(page);
    await rename.getByRole("button", { name: "Save" }).click();
    await table.getByRole("rowheader", { name: "Work laptop" }).waitFor();

    await signOut(page, "dana");
    await device.openSignIn(service.url);
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    assert.equal(await page.getByLabel("Email").getAttribute("autocomplete"), "username webauthn");
    await looksRight(page, `login-passkey-${theme}-${size}`);
    await button.click();
    await inbox(page);
    await page.goto(`${service.url}/settings/passkeys`);
    await table.getByRole("rowheader", { name: "Work laptop" }).waitFor();
    assert.equal(await table.getByRole("cell", { name: "Never" }).count(), 0);

    // It confirms as well, beside the password.
    await forgetConfirmations(service);
    await page.getByRole("button", { name: "Remove Work laptop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
    const confirm = dialogOf(page);
    await confirm.getByText("This change needs your password or a passkey.").waitFor();
    await looksRight(page, `confirm-passkey-${theme}-${size}`);
    await confirm.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("Passkey removed").waitFor();
    await page.getByText("You have no passkeys.").waitFor();

    // What is left on the device is unknown to the service, which says what to do.
    await signOut(page, "dana");
    await device.openSignIn(service.url);
    await button.click();
    await page.getByText("This passkey is not accepted here. Use another passkey, or your password.").waitFor();
    await page.getByLabel("Email").fill("dana@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await inbox(page);
  });

for (const [theme, size] of LOOKS)
  testInBrowser(
    `every way is shown: a passkey, the password, the company account: ${theme}, ${size}`,
    async (open, t) => {
      const issuer = "https://login.example.com";
      const service = await serveAtHostName(t, {
        SERVICE_OIDC_ISSUER: issuer,
        SERVICE_OIDC_CLIENT_ID: "tasks",
        SERVICE_OIDC_CLIENT_SECRET: "a secret of the client",
      });
      await addAssignee(service, "dana@example.com");
      const [{ id } = { id: "" }] = await service.call<{ id: string }[]>("GET", "/api/users?q=dana");
      await service.ctx.db.write((tx) => addLink(tx, { issuer, subject: "dana-1" }, id));
      const page = await open({ theme, size, expected: [/status of 403/, /status of 401/] });
      const device = await addAuthenticator(page);
      await signIn(page, service, "dana@example.com", "/settings/passkeys");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByRole("table", { name: "Passkeys" }).waitFor();

      await forgetConfirmations(service);
      await page.getByRole("button", { name: /^Remove/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
      const confirm = dialogOf(page);
      await confirm.getByText("Or sign in again with your company account.").waitFor();
      assert.deepEqual(await waysIn(confirm), ["Use a passkey", "password", "Confirm with your company account"]);
      await looksRight(page, `confirm-every-way-${theme}-${size}`);
      await page.keyboard.press("Escape");
      await confirm.waitFor({ state: "detached" });
      await page.keyboard.press("Escape");

      await service.ctx.db.write((tx) => endSessionsOf(tx, id));
      const out = page.getByRole("dialog", { name: "You are signed out" });
      const company = "Sign in with your company account";
      await out.getByRole("link", { name: company }).waitFor();
      assert.deepEqual(await waysIn(out), ["Use a passkey", "password", company]);
      await axe(page);
      await screenshot(page, `signed-out-every-way-${theme}-${size}`);

      await device.openSignIn(service.url);
      await page.getByRole("link", { name: company }).waitFor();
      assert.deepEqual(await waysIn(page.getByRole("main")), ["password", "Sign in with a passkey", company]);
      await looksRight(page, `login-every-way-${theme}-${size}`);
    },
  );

/** The ways to sign in or to confirm that a part of the page shows, in its order. */
async function waysIn(part: Locator): Promise<string[]> {
  const all = await part
    .locator("button, a, input[type=password]")
    .evaluateAll((elements) =>
      elements.map((one) => (one instanceof HTMLInputElement ? one.type : (one.textContent ?? ""))),
    );
  return all.filter((one) => one === "password" || /passkey|company account/.test(one));
}

testInBrowser("the browser fills in a passkey by itself where it can", async (open, t) => {
  const service = await serveAtHostName(t);
  await addAssignee(service, "dana@example.com");
  const page = await open({ expected: [/status of 401/] });
  const device = await addAuthenticator(page);
  await signIn(page, service, "dana@example.com", "/settings/passkeys");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("table", { name: "Passkeys" }).waitFor();
  await device.setPresent(false);
  await signOut(page, "dana");
  // Chromium's device takes a touch for the choice of the passkey in the field.
  await device.setPresent(true);
  await page.reload();
  await inbox(page);
});

testInBrowser("who has no passkey, or is not recognized by the device, is told what to do", async (open, t) => {
  const service = await serveAtHostName(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 401/, /status of 403/] });
  const device = await addAuthenticator(page);
  await page.goto(`${service.url}/login`);
  const button = page.getByRole("button", { name: "Sign in with a passkey" });
  await button.click();
  await page.getByText("No passkey was used. You cancelled, or this device has none for this service.").waitFor();
  await device.setVerified(false);
  await signIn(page, service, ADA, "/settings/passkeys");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("No passkey was used.").waitFor();
  assert.equal(await device.count(), 0);
  await device.setVerified(true);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("table", { name: "Passkeys" }).waitFor();

  // Another address than the public URL has no passkeys, and does not offer any.
  const elsewhere = service.url.replace("localhost", "127.0.0.1");
  const other = await open({ origins: [elsewhere] });
  await other.goto(`${elsewhere}/login`);
  await other.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  await other.waitForLoadState("networkidle");
  assert.equal(await other.getByRole("button", { name: "Sign in with a passkey" }).count(), 0);
  await signIn(other, { ...service, url: elsewhere }, ADA, "/settings/passkeys");
  await other.getByRole("button", { name: "Add a passkey" }).click();
  await other.getByText("Passkeys work only at localhost. Open the service there.").waitFor();
});

for (const [theme, size] of LOOKS)
  testInBrowser(
    `an operator who needs a passkey adds one first, and is reset by another: ${theme}, ${size}`,
    async (open, t) => {
      const service = await serveAtHostName(t, { SERVICE_REQUIRE_PASSKEY: "operators" });
      await addOperator(service, ADA);
      await addOperator(service, "bob@example.com");
      const withPassword = async (page: Page, email: string) => {
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
      };
      const page = await open({ theme, size, expected: [/status of 40[139]/] });
      const device = await addAuthenticator(page);
      await page.goto(`${service.url}/users`);
      await withPassword(page, ADA);
      await page.getByRole("heading", { name: "Operators need a passkey" }).waitFor();
      await looksRight(page, `passkey-required-${theme}-${size}`);
      await page.goto(`${service.url}/inbox`);
      await page.getByRole("heading", { name: "Operators need a passkey" }).waitFor();
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await inbox(page);

      // The last one stays.
      await page.goto(`${service.url}/settings/passkeys`);
      await page.getByRole("button", { name: /^Remove/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove passkey" }).click();
      await page.getByText("This is your last passkey, and operators need one. Add another one first.").waitFor();
      await page.keyboard.press("Escape");

      // A password is not asked for any more.
      await forgetConfirmations(service);
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await dialogOf(page).getByText("This change needs your passkey.").waitFor();
      assert.equal(await dialogOf(page).getByLabel("Your password").count(), 0);
      await axe(page);
      await dialogOf(page).getByRole("button", { name: "Use a passkey" }).click();
      await page.getByText("This device already has a passkey of yours.").waitFor();

      await device.setPresent(false);
      await signOut(page, "ada");
      await withPassword(page, ADA);
      await page.getByText("Operators sign in with a passkey on this service.").waitFor();

      // She has lost it. Bob removes it.
      const bob = await open({ theme, size, expected: [/status of 403/] });
      await addAuthenticator(bob);
      await bob.goto(`${service.url}/users`);
      await withPassword(bob, "bob@example.com");
      await bob.getByRole("button", { name: "Add a passkey" }).click();
      await bob.getByRole("button", { name: "Edit ada" }).click();
      const form = bob.getByRole("dialog", { name: "Edit ada" });
      await form.getByText("Passkey: Chrome on Linux").waitFor();
      await axe(bob);
      await screenshot(bob, `person-passkeys-${theme}-${size}`);
      await form.getByRole("button", { name: "Remove passkeys" }).click();
      const sure = bob.getByRole("dialog", { name: "Remove all passkeys of ada?" });
      await axe(bob);
      await sure.getByRole("button", { name: "Remove passkeys" }).click();
      await bob.getByText("Passkeys of ada removed").waitFor();
      await form.getByText("Passkey: Chrome on Linux").waitFor({ state: "detached" });
      await withPassword(page, ADA);
      await page.getByRole("heading", { name: "Operators need a passkey" }).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  );

testInBrowser("a session that becomes limited, or ends, goes on with a passkey", async (open, t) => {
  const service = await serveAtHostName(t, { SERVICE_REQUIRE_PASSKEY: "operators" });
  await addAssignee(service, "dana@example.com");
  const page = await open({ expected: [/status of 403/, /status of 401/] });
  await addAuthenticator(page);
  await signIn(page, service, "dana@example.com", "/settings/passkeys");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("table", { name: "Passkeys" }).waitFor();
  const [dana = { id: "" }] = await service.call<{ id: string }[]>("GET", "/api/users?q=dana");
  await service.call("PATCH", `/api/users/${dana.id}`, { is_operator: true });
  await page.getByRole("link", { name: "Closed" }).click();
  await page.getByText("You have a passkey. Use it to continue.").waitFor();
  await axe(page);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("heading", { name: "People" }).waitFor();

  await service.ctx.db.write((tx) => endSessionsOf(tx, dana.id));
  const out = page.getByRole("dialog", { name: "You are signed out" });
  await out.getByRole("button", { name: "Use a passkey" }).waitFor();
  await axe(page);
  await out.getByRole("button", { name: "Use a passkey" }).click();
  await out.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.getByRole("heading", { name: "No deliveries yet" }).waitFor();
});
