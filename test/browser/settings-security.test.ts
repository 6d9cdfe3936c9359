import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, serve } from "../support/dashboard.ts";
import { assertUsable, visit } from "./operating.ts";
import { signIn } from "./support/sign-in.ts";

testInBrowser("operators read, filter and download the security log", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/service-keys", { name: "Shop" });
  for (let i = 0; i < 3; i++)
    await fetch(`${service.url}/api/tasks`, {
      headers: { authorization: "Bearer guess", "user-agent": "x".repeat(90) },
    });
  await service.ctx.security.flush();

  const page = await visit(open, service, "/settings/security");
  const table = page.getByRole("table", { name: "Security events" });
  await table
    .getByRole("row", { name: /Signed in/ })
    .getByText("ada@example.com")
    .waitFor();
  await table
    .getByRole("row", { name: /Embed key created Shop/ })
    .getByText("Admin token")
    .waitFor();
  await table
    .getByRole("row", { name: /Invalid token rejected, 2 times/ })
    .getByText("127.0.0.1")
    .waitFor();
  await assertUsable(page, "security");

  await page.getByRole("link", { name: "Failed" }).click();
  await hasCount(table.getByRole("row"), 3);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("combobox", { name: "Event" }).fill("embed key c");
  await page.getByRole("option", { name: "Embed key created" }).click();
  await hasCount(table.getByRole("row"), 2);
  assert.equal(new URL(page.url()).search, "?type=embed_key_created");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { type: string }).type),
    ["embed_key_created"],
  );

  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Who").fill("ADA@example.com");
  await page.getByRole("button", { name: "Filter" }).click();
  await hasCount(table.getByRole("row"), 3);
  await table.getByRole("row", { name: /Security events exported/ }).waitFor();
  await page.getByLabel("Until").fill("2020-01-31");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("heading", { name: "No events match" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "No events match" }).waitFor();
  assert.equal(await page.getByLabel("Until").inputValue(), "2020-01-31");
});

testInBrowser("a filter that can match nothing is told at its field, and all can be shown again", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/settings/security");
  const table = page.getByRole("table", { name: "Security events" });
  await table.waitFor();
  await page.getByLabel("Who").fill("Dana");
  await page.getByLabel("Network address").fill("10.0.0.0/8x");
  await page.getByLabel("From").fill("2026-02-03");
  await page.getByLabel("Until").fill("2026-02-01");
  await page.getByRole("button", { name: "Filter" }).click();
  for (const problem of ["Enter an email address or an id.", "Enter one address", "Choose a day after the first one."])
    await page.getByText(problem).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "actor");
  await assertUsable(page, "security-filter");
  assert.equal(new URL(page.url()).search, "");
  await page.getByRole("button", { name: "Show all" }).click();
  await hasCount(page.getByText("Enter one address"), 0);
  for (const field of ["Who", "Network address", "From", "Until"])
    assert.equal(await page.getByLabel(field).inputValue(), "", field);
  await page.getByLabel("Network address").fill("127.0.0.1");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.waitForURL("**/settings/security?address=127.0.0.1");
  await table.waitFor();
  // No such day: it would have meant another one.
  await page.goto(`${service.url}/settings/security?from=2026-13-40&until=2026-02-30`);
  await table.waitFor();
});

testInBrowser("an event names the browser, and has the rest in its details", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  await fetch(`${service.url}/api/tasks`, { headers: { authorization: "Bearer guess", "user-agent": agent } });
  await service.ctx.security.flush();
  const events = await service.call<{ type: string; request_id: string }[]>("GET", "/api/security-events");
  const { request_id } = events.find(({ type }) => type === "credentials_rejected")!;
  const page = await visit(open, service, "/settings/security", { timeZone: "Asia/Tokyo" });
  const row = page.getByRole("row", { name: /Invalid token rejected/ });
  await row.getByText("Chrome on Linux", { exact: true }).waitFor();
  await page.getByRole("columnheader", { name: "When (Asia/Tokyo)" }).waitFor();
  await row.getByText("Details").click();
  await row.getByText(agent, { exact: true }).waitFor();
  await row.getByText(request_id, { exact: true }).waitFor();
  await row.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).waitFor();
  await assertUsable(page, "security-details");
});

testInBrowser("the security log fits a phone and a tablet, in both themes", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addOperator(service, `${"long".repeat(15)}@${"example".repeat(8)}.com`);
  await fetch(`${service.url}/api/tasks`, { headers: { authorization: "Bearer guess" } });
  await service.ctx.security.flush();
  for (const theme of ["light", "dark"] as const) {
    for (const size of ["phone", "tablet"] as const) {
      const page = await visit(open, service, "/settings/security", { theme, size });
      await page.getByRole("table").getByText("Invalid token rejected").waitFor();
      await page.getByText("Details").first().click();
      await assertUsable(page, `security-${size}-${theme}`);
    }
  }
});

testInBrowser("people who are not operators do not see the security log", async (open, t) => {
  const service = await serve(t);
  await addAssignee(service, "dana@example.com");
  const page = await open();
  await signIn(page, service, "dana@example.com", "/settings/security");
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  // Somebody makes them an operator while they wait.
  const { user_id } = await page.evaluate(
    async () => (await fetch("/api/auth/me")).json() as Promise<{ user_id: string }>,
  );
  await service.call("PATCH", `/api/users/${user_id}`, { is_operator: true });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await page.getByRole("table", { name: "Security events" }).waitFor();
});
