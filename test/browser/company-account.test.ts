import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { freePort } from "../support/free-port.ts";
import { startRealProvider, type RealProvider } from "../support/oidc/real-provider.ts";
import { addAssignee, addOperator, PASSWORD, serve, type Service } from "../support/dashboard.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { assertUsable, visit } from "./operating.ts";
import { signIn } from "./support/sign-in.ts";

const BUTTON = "Sign in with your company account";

/** A service with a provider. They are two sites to a browser: 127.0.0.1 and localhost. */
async function serveWithProvider(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ service: Service; provider: RealProvider }> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const provider = await startRealProvider({ publicUrl });
  t.after(() => provider.stop());
  const service = await serve(t, { ...provider.env, SERVICE_PORT: String(port), ...env });
  for (const name of ["ada", "dana", "stranger"])
    provider.accounts.set(name, {
      sub: `${name}-1`,
      email: `${name}@example.com`,
      email_verified: true,
      name: `${name} of the provider`,
    });
  return { service, provider };
}

async function signInAtProvider(page: Page, account: string | null): Promise<void> {
  await page.getByRole("heading", { name: "Company sign-in" }).waitFor();
  if (account === null) return page.getByRole("button", { name: "Cancel" }).click();
  await page.getByLabel("Account").fill(account);
  await page.getByRole("button", { name: "Continue" }).click();
}

async function assertFits(page: Page): Promise<void> {
  await axe(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}

async function forgetConfirmations({ ctx }: Service): Promise<void> {
  await ctx.db.write((tx) => tx.query.updateTable("sessions").set({ confirmed_at: 0 }).execute());
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `people sign in with their company account, and confirm with it: ${theme}, ${size}`,
    async (open, t) => {
      const { service, provider } = await serveWithProvider(t);
      await service.call("POST", "/api/users", { email: "ada@example.com", is_operator: true, display_name: "Ada" });
      const page = await open({ theme, size, origins: [provider.issuer], expected: [/status of 403/] });
      await page.goto(`${service.url}/settings/keys`);
      await page.getByRole("link", { name: BUTTON }).waitFor();
      await page.getByLabel("Password", { exact: true }).waitFor();
      await assertFits(page);
      await screenshot(page, `login-company-${theme}-${size}`);

      // Who cancels is told what to do, and can start again from there.
      await page.getByRole("link", { name: BUTTON }).click();
      await signInAtProvider(page, null);
      await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
      await assertFits(page);
      await screenshot(page, `company-refused-${theme}-${size}`);
      await page.getByRole("link", { name: "Start again" }).click();
      await signInAtProvider(page, "ada");
      await page.getByRole("heading", { name: "Embed keys" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/settings/keys");

      await forgetConfirmations(service);
      await page.getByRole("textbox", { name: "Name" }).fill("Shop");
      await page.getByRole("button", { name: "Create key" }).click();
      const dialog = page.getByRole("dialog", { name: "Confirm it's you" });
      await dialog.getByRole("link", { name: "Confirm with your company account" }).waitFor();
      assert.equal(await dialog.getByLabel("Your password", { exact: true }).count(), 0);
      await assertFits(page);
      await screenshot(page, `confirm-company-${theme}-${size}`);
      await dialog.getByRole("link", { name: "Confirm with your company account" }).click();
      await signInAtProvider(page, "ada");
      await page.getByRole("heading", { name: "Embed keys" }).waitFor();
      await page
        .getByText("You have confirmed that it is you. Nothing was changed yet: repeat your last step.")
        .waitFor();
      await assertFits(page);
      await screenshot(page, `confirmed-company-${theme}-${size}`);
      await page.waitForURL(`${service.url}/settings/keys`);
      // The address proves nothing.
      await forgetConfirmations(service);
      await page.goto(`${service.url}/settings/keys?confirmed=1`);
      await page.getByRole("textbox", { name: "Name" }).fill("Shop");
      await page.getByRole("button", { name: "Create key" }).click();
      await dialog.getByRole("link", { name: "Confirm with your company account" }).click();
      await signInAtProvider(page, "ada");
      await page.getByRole("textbox", { name: "Name" }).fill("Shop");
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("heading", { name: "Key of Shop" }).waitFor();
      // A person without a password has none to change.
      await page.goto(`${service.url}/settings`);
      await page.getByRole("heading", { name: "This browser" }).waitFor();
      assert.equal(await page.getByRole("heading", { name: "Password" }).count(), 0);
    },
  );

testInBrowser("the sign-in page shows only what is possible", async (open, t) => {
  const { service, provider } = await serveWithProvider(t, { SERVICE_PASSWORD_SIGN_IN: "operators" });
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open({ origins: [provider.issuer], expected: [/status of 403/, /status of 401/] });
  await page.goto(`${service.url}/login`);
  await page.getByText("Operators can sign in with a password.").waitFor();
  await page.getByLabel("Email").fill("dana@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page
    .getByText("Password sign-in is turned off for you. Sign in with your company account or a passkey.")
    .waitFor();
  await page.getByRole("link", { name: BUTTON }).click();
  await signInAtProvider(page, "dana");
  await page.getByRole("heading", { name: "All done" }).waitFor();

  // A session that has ended is continued in the same way.
  await service.ctx.db.write((tx) => tx.query.deleteFrom("sessions").execute());
  // By a script: the dialog may be there already, since any request of the page may have learned of it.
  await page.getByRole("link", { name: "Closed" }).first().dispatchEvent("click");
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.getByRole("link", { name: BUTTON }).waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Sign in" }).count(), 0);
  await axe(page);

  const off = await serveWithProvider(t, { SERVICE_PASSWORD_SIGN_IN: "off" });
  const other = await open({ origins: [off.provider.issuer] });
  await other.goto(`${off.service.url}/login?to=/tasks/tsk_1`);
  const link = other.getByRole("link", { name: BUTTON });
  assert.match((await link.getAttribute("href"))!, /return_to=%2Ftasks%2Ftsk_1$/);
  assert.equal(await other.getByLabel("Email").count(), 0);
});

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(`operators see and test the provider: ${theme}, ${size}`, async (open, t) => {
    const { service, provider } = await serveWithProvider(t, { SERVICE_OIDC_OPERATOR_GROUP: "task-admins" });
    await addOperator(service, "ada@example.com");
    const page = await visit(open, service, "/settings/sign-in", { theme, size });
    await page.getByText(provider.issuer).first().waitFor();
    await page.getByText("task-admins").waitFor();
    assert.ok(!(await page.content()).includes(provider.env["SERVICE_OIDC_CLIENT_SECRET"]!));
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText(`${provider.issuer} responds, has keys, and accepts the client.`).waitFor();
    await assertUsable(page, `sign-in-${theme}-${size}`);
    await provider.stop();
    await page.getByRole("button", { name: "Test" }).click();
    await page
      .getByRole("alert")
      .getByText(/did not answer/)
      .waitFor();
    await assertUsable(page, `sign-in-failed-${theme}-${size}`);
  });

testInBrowser("operators see the company account of a person, and remove it", async (open, t) => {
  const { service, provider } = await serveWithProvider(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/users", { email: "dana@example.com", display_name: "Dana" });
  const dana = await open({ origins: [provider.issuer], expected: [/status of 401/] });
  await dana.goto(`${service.url}/login`);
  await dana.getByRole("link", { name: BUTTON }).click();
  await signInAtProvider(dana, "dana");
  await dana.getByRole("heading", { name: "All done" }).waitFor();

  await service.call("POST", "/api/users", { email: "lee@example.com" });
  const page = await open();
  await signIn(page, service, "ada@example.com", "/users");
  await page.getByRole("row", { name: "lee@example.com" }).getByText("With the company account").waitFor();
  await screenshot(page, "company-account-people");
  await page.getByRole("button", { name: "Edit Dana" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit Dana" });
  await dialog.getByText("dana-1").waitFor();
  await axe(page);
  await screenshot(page, "company-account-edit");
  await dialog.getByRole("button", { name: "Remove the company account" }).click();
  await page.getByText("The company account of Dana is removed").waitFor();
  await hasCount(dialog.getByText("dana-1"), 0);
  await dana.getByRole("dialog", { name: "You are signed out" }).waitFor();
});
