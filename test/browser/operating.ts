import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, screenshot } from "./support/browser.ts";
import type { Open, PageOptions, Rules } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";
import type { Service } from "../support/dashboard.ts";

/** Opens a page as Ada, an operator. Without motion, so that nothing is judged while it is half there. */
export async function visit(open: Open, service: Service, path: string, options: PageOptions = {}): Promise<Page> {
  const page = await open(options);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, service, "ada@example.com", path);
  return page;
}

/** Says yes to what a dialog asks. */
export async function confirm(page: Page, question: string, action: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: question });
  await dialog.waitFor();
  await axe(page);
  await dialog.getByRole("button", { name: action }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** Asserts that everybody can use what is shown: rules that a program can check, and no scrolling to the side. */
export async function assertUsable(page: Page, name: string, rules: Rules = "all"): Promise<void> {
  await axe(page, rules);
  await screenshot(page, `operate-${name}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  // In the dashboard, parts of the page scroll, and not the page.
  const isLonger = await page.evaluate(
    () => document.querySelector(".shell") !== null && document.documentElement.scrollHeight > innerHeight,
  );
  assert.equal(isLonger, false, "the page scrolls");
  const wide = await page
    .locator("main, .flush")
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className));
  assert.deepEqual(wide, []);
}
