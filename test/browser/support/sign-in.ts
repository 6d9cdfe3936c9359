import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { PASSWORD, type Service } from "../../support/dashboard.ts";

/**
 * Opens a page as somebody who signed in before. What the form of the sign-in does, dashboard.test.ts shows.
 * @param main - what the page calls its main navigation
 */
export async function signIn(
  page: Page,
  service: Service,
  email: string,
  path = "/inbox",
  main = "Main",
): Promise<void> {
  const response = await fetch(`${service.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  assert.equal(response.status, 200, await response.text());
  const [cookie] = response.headers.getSetCookie();
  const [name, value] = cookie!.split(";")[0]!.split("=") as [string, string];
  await page.context().addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: "Lax" }]);
  await page.goto(service.url + path);
  await page.getByRole("navigation", { name: main }).waitFor();
}
