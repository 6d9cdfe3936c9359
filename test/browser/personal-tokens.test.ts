import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addAssignee, addOperator, serve } from "../support/dashboard.ts";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { walk } from "./support/keyboard.ts";
import { signIn } from "./support/sign-in.ts";

const DANA = "dana@example.com";

async function looksRight(page: Page, name: string): Promise<void> {
  assert.deepEqual((await walk(page, 40)).problems, []);
  await axe(page);
  await screenshot(page, name);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}

/** How the reviewers' server answers an assistant with this token. */
async function statusOf(url: string, token: string): Promise<number> {
  const { status } = await fetch(`${url}/mcp/review`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return status;
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
  ["dark", "wide"],
  ["light", "phone"],
] as const)
  testInBrowser(
    `a person makes a token for their assistant, copies it once, and revokes it: ${theme}, ${size}`,
    async (open, t) => {
      const service = await serve(t);
      await addAssignee(service, DANA);
      const page = await open({ theme, size });
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const copied = async (label: string) => {
        await page.getByRole("button", { name: label }).click();
        await page.getByRole("button", { name: "Copied" }).first().waitFor();
        return page.evaluate(() => navigator.clipboard.readText());
      };
      await signIn(page, service, DANA, "/settings/tokens");
      await page.getByText("You have no personal tokens.").waitFor();
      await looksRight(page, `personal-tokens-none-${theme}-${size}`);
      await page.getByRole("textbox", { name: "Name" }).fill("Claude Code");
      await page.getByRole("button", { name: "Create token" }).click();
      await page.getByRole("heading", { name: "Token of Claude Code" }).waitFor();
      await looksRight(page, `personal-token-shown-${theme}-${size}`);
      const token = await copied("Copy token");
      assert.match(token, /^hts_person_/);
      const settings = JSON.parse(await copied("Copy settings")) as {
        mcpServers: Record<string, { url: string; headers: { Authorization: string } }>;
      };
      assert.deepEqual(settings.mcpServers["my-tasks"], {
        type: "http",
        url: `${service.url}/mcp/review`,
        headers: { Authorization: `Bearer ${token}` },
      });
      assert.equal(
        await copied("Copy command"),
        `claude mcp add --transport http my-tasks ${service.url}/mcp/review --header "Authorization: Bearer ${token}"`,
      );
      assert.equal(await statusOf(service.url, token), 200);

      await page.getByRole("button", { name: "I have stored it" }).click();
      await page.getByText(token).waitFor({ state: "detached" });
      await page.reload();
      const table = page.getByRole("table", { name: "Personal tokens" });
      await table.getByText(token.slice(0, 16)).waitFor();
      await looksRight(page, `personal-tokens-${theme}-${size}`);
      await page.getByRole("button", { name: "Revoke Claude Code" }).click();
      const sure = page.getByRole("dialog", { name: "Revoke the token of Claude Code?" });
      await axe(page);
      await sure.getByRole("button", { name: "Revoke token" }).click();
      await page.getByText("You have no personal tokens.").waitFor();
      assert.equal(await statusOf(service.url, token), 401);
    },
  );

testInBrowser("an operator sees that a person has tokens, and revokes them", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, DANA);
  const dana = await open();
  await signIn(dana, service, DANA, "/settings/tokens");
  await dana.getByRole("textbox", { name: "Name" }).fill("Claude Code");
  await dana.getByRole("button", { name: "Create token" }).click();
  const shown = dana.locator("code.secret");
  await shown.waitFor();
  const token = await shown.innerText();

  const ada = await open();
  await signIn(ada, service, "ada@example.com", "/users");
  await ada.getByRole("button", { name: "Edit dana" }).click();
  const form = ada.getByRole("dialog", { name: "Edit dana" });
  await form.getByText("Personal token: Claude Code").waitFor();
  await axe(ada);
  await screenshot(ada, "person-tokens");
  await form.getByRole("button", { name: "Revoke personal tokens" }).click();
  const sure = ada.getByRole("dialog", { name: "Revoke all personal tokens of dana?" });
  await axe(ada);
  await sure.getByRole("button", { name: "Revoke tokens" }).click();
  await ada.getByText("Personal tokens of dana revoked").waitFor();
  await form.getByText("Personal token: Claude Code").waitFor({ state: "detached" });
  assert.equal(await statusOf(service.url, token), 401);
});
