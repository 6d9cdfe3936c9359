import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { addOperator, createTask, serve, type Service } from "../support/dashboard.ts";
import { startReceiver } from "../support/receiver.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, screenshot, testInBrowser } from "./support/browser.ts";

const SETTINGS = "/settings/events";

interface Subscription {
  id: string;
  url: string;
  events: string[];
  disabled_at: string | null;
}

const subscriptionsOf = (service: Service): Promise<Subscription[]> => service.call("GET", "/api/event-subscriptions");

const button = (at: Page | Locator, name: string): Locator => at.getByRole("button", { name, exact: true });

/** Reads the secret that a dialog shows, copies it, and closes the dialog. */
async function storeSecret(page: Page, host: string, shot: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: `Secret of ${host}` });
  const secret = await dialog.getByText(/^whsec_/).innerText();
  await assertUsable(page, shot);
  // It would be lost.
  await page.keyboard.press("Escape");
  await button(dialog, "Copy the secret").click();
  await dialog.getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await button(dialog, "I have stored it").click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await page.content()).includes(secret), false);
  return secret;
}

/** Returns the signature that a secret makes, by Standard Webhooks. */
function signatureOf(secret: string, headers: Record<string, unknown>, body: string): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

for (const [theme, size] of [
  ["light", "phone"],
  ["dark", "wide"],
] as const)
  testInBrowser(`an operator subscribes to events, and sees the secret once: ${theme}, ${size}`, async (open, t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of (400|422)/] });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByText("No subscriptions yet.").waitFor();
    await button(page, "Add a subscription").click();
    const form = page.getByRole("dialog", { name: "Add a subscription" });
    const add = button(form, "Add");
    await form.getByLabel("URL").fill("gopher://example.com");
    await add.click();
    await form.getByText("Choose at least one event.").waitFor();
    await form.getByRole("checkbox", { name: "Created" }).check();
    await form.getByRole("checkbox", { name: "Completed" }).check();
    await add.click();
    await form.getByText("The URL must begin with http or https.").waitFor();
    await assertUsable(page, `events-form-${theme}-${size}`);
    await form.getByLabel("URL").fill(receiver.url);
    await add.click();
    const { host } = new URL(receiver.url);
    const first = await storeSecret(page, host, `events-secret-${theme}-${size}`);
    const row = page.locator("dl > div").filter({ hasText: receiver.url });
    await row.getByText("Created, completed", { exact: true }).waitFor();
    assert.deepEqual((await subscriptionsOf(service))[0]!.events, ["task.completed", "task.created"]);

    await button(page, `Replace secret ${receiver.url}`).click();
    await confirm(page, `Replace the secret of ${host}?`, "Replace secret");
    const second = await storeSecret(page, host, `events-replaced-${theme}-${size}`);
    assert.notEqual(second, first);
    await row.getByText(/^Secret replaced/).waitFor();
    await createTask(service, "Publish the notes?");
    await receiver.until(1);
    const { headers, body } = receiver.received[0]!;
    assert.deepEqual(
      String(headers["webhook-signature"]).split(" ").toSorted(),
      [first, second].map((secret) => signatureOf(secret, headers, body)).toSorted(),
    );
    await service.ctx.deliveries.settle();

    await button(page, `Edit ${receiver.url}`).click();
    const edit = page.getByRole("dialog", { name: "Edit the subscription" });
    await edit.getByRole("checkbox", { name: "Created" }).uncheck();
    await edit.getByRole("checkbox", { name: "Timed out" }).check();
    await button(edit, "Save").click();
    await row.getByText("Completed, timed out", { exact: true }).waitFor();
    await button(page, `Turn off ${receiver.url}`).click();
    await confirm(page, `Turn off the subscription of ${host}?`, "Turn off");
    await row.getByText(/^Off since/).waitFor();
    assert.notEqual((await subscriptionsOf(service))[0]!.disabled_at, null);
    await assertUsable(page, `events-off-${theme}-${size}`);
    await button(page, `Turn on ${receiver.url}`).click();
    await hasCount(row.getByText(/^Off since/), 0);
    assert.equal((await subscriptionsOf(service))[0]!.disabled_at, null);
    await assertUsable(page, `events-${theme}-${size}`);

    await page.getByRole("link", { name: `Deliveries of ${receiver.url}` }).click();
    const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
    await hasCount(rows, 1);
    await rows.getByText("Event", { exact: true }).waitFor();
    await assertUsable(page, `events-deliveries-${theme}-${size}`);
    await rows.getByRole("link", { name: host }).click();
    const drawer = page.getByRole("dialog", { name: "Delivery" });
    await drawer.getByText("Happened").waitFor();
    await drawer.getByRole("link", { name: "All deliveries of this subscription" }).waitFor();
    await assertUsable(page, `event-delivery-${theme}-${size}`);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
    await page.getByRole("link", { name: `Subscription of ${host}: show all` }).waitFor();

    await page.goto(`${service.url}${SETTINGS}`);
    await button(page, `Delete ${receiver.url}`).click();
    await screenshot(page, `operate-events-delete-${theme}-${size}`);
    await confirm(page, `Delete the subscription of ${host}?`, "Delete subscription");
    await page.getByText("No subscriptions yet.").waitFor();
    assert.deepEqual(await subscriptionsOf(service), []);
    // What is about a deleted one is still shown.
    await page.goto(`${service.url}/deliveries?kind=event`);
    await rows.getByText("Event", { exact: true }).waitFor();
    await rows.getByRole("link", { name: host }).click();
    await drawer.getByText("Happened").waitFor();
  });
