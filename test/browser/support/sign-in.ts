import type { Page } from "playwright-core";
import { PASSWORD, type Service } from "../../support/dashboard.ts";

export async function signIn(page: Page, service: Service, email: string, path = "/inbox"): Promise<void> {
  await page.goto(service.url + path);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}
