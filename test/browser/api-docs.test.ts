import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { axe, screenshot, SIZES, testInBrowser } from "./support/browser.ts";
import { inEachView } from "./support/views.ts";
import { serve } from "../support/dashboard.ts";

/** The product's name leads back to the dashboard. */
async function hasWayBack(page: Page): Promise<void> {
  const name = page.getByRole("banner").getByRole("link", { name: "Human Task Service" });
  assert.equal(await name.getAttribute("href"), "/");
}

const isDark = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    for (const one of [document.body, document.documentElement]) {
      const channels = getComputedStyle(one)
        .backgroundColor.match(/[\d.]+/g)!
        .map(Number);
      if (channels[3] !== 0) return channels[0]! < 128;
    }
    return false;
  });

/**
 * Looks at the page that is open in every view. These pages are long: loading them takes seconds, and so does a check with
 * axe.
 */
async function lookAt(
  t: TestContext,
  page: Page,
  name: string,
  look: (theme: "light" | "dark") => Promise<void>,
): Promise<void> {
  await inEachView(t, page, name, ["phone", "wide"], async ({ theme, size }) => {
    await look(theme);
    // Colours depend on the theme alone, and everything else on the size alone.
    if ((theme === "light") === (size === "wide")) await axe(page);
    await screenshot(page, `${name.replaceAll(" ", "-")}-${theme}-${size}`);
  });
}

/** The page is whole in the theme and size that it is shown in. */
async function isWhole(page: Page, theme: "light" | "dark"): Promise<void> {
  await hasWayBack(page);
  assert.equal(await isDark(page), theme === "dark");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}

testInBrowser("everybody can use the API docs", async (open, t) => {
  const service = await serve(t);
  const page = await open({ theme: "dark", size: "phone" });
  await page.goto(`${service.url}/api/docs`);
  await page.locator("#operations-Operations-getStats").waitFor();
  // As it is loaded, before anything has changed.
  await isWhole(page, "dark");
  await lookAt(t, page, "api docs", async (theme) => isWhole(page, theme));
  for (const [id, method, size] of [
    ["createTask", "POST", "phone"],
    ["listTasks", "GET", "wide"],
  ] as const) {
    await page.setViewportSize(SIZES[size]);
    const call = page.locator(`#operations-Tasks-${id}`);
    await call.locator(".opblock-summary-control", { hasText: method }).click();
    await call.getByRole("button", { name: "Try it out" }).click();
    await call.getByRole("button", { name: "Execute" }).waitFor();
  }
  for (const size of ["phone", "wide"] as const) {
    await page.keyboard.press("Escape");
    await page.setViewportSize(SIZES[size]);
    await page.getByRole("button", { name: "Authorize", exact: true }).click();
    await page.getByRole("heading", { name: "Available authorizations" }).waitFor();
  }
  await lookAt(t, page, "api docs open", async (theme) => assert.equal(await isDark(page), theme === "dark"));
});

testInBrowser("everybody can use the API reference", async (open, t) => {
  const service = await serve(t);
  const page = await open({ theme: "dark", size: "phone" });
  await page.goto(`${service.url}/api/redoc`);
  await page.getByRole("heading", { name: "API reference" }).waitFor();
  await isWhole(page, "dark");
  await lookAt(t, page, "api reference", async (theme) => isWhole(page, theme));
});
