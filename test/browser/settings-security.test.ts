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
  await hasCount(table.getByRole("row"), 2);
  await page.getByLabel("Until").fill("2020-01-31");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("heading", { name: "No events match" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "No events match" }).waitFor();
  assert.equal(await page.getByLabel("Until").inputValue(), "2020-01-31");
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
});
