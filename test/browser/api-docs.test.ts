import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
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

for (const theme of ["light", "dark"] as const)
  for (const size of ["phone", "wide"] as const)
    testInBrowser(`everybody can use the API docs and the reference: ${theme}, ${size}`, async (open, t) => {
      const service = await serve(t);
      const page = await open({ theme, size });
      // Colours depend on the theme alone, and looking at them takes long for pages of this length.
      const rules = (theme === "light") === (size === "wide") ? "all" : "structure";
      await page.goto(`${service.url}/api/docs`);
      await page.locator("#operations-Operations-getStats").waitFor();
      await hasWayBack(page);
      assert.equal(await isDark(page), theme === "dark");
      await axe(page, rules);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await screenshot(page, `api-docs-${theme}-${size}`);
      for (const [id, method] of [
        ["createTask", "POST"],
        ["listTasks", "GET"],
      ] as const) {
        const call = page.locator(`#operations-Tasks-${id}`);
        await call.locator(".opblock-summary-control", { hasText: method }).click();
        await call.getByRole("button", { name: "Try it out" }).click();
        await call.getByRole("button", { name: "Execute" }).waitFor();
      }
      await page.getByRole("button", { name: "Authorize", exact: true }).click();
      await page.getByRole("heading", { name: "Available authorizations" }).waitFor();
      await axe(page, rules);
      await screenshot(page, `api-docs-open-${theme}-${size}`);

      await page.goto(`${service.url}/api/redoc`);
      await page.getByRole("heading", { name: "API reference" }).waitFor();
      await hasWayBack(page);
      assert.equal(await isDark(page), theme === "dark");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await axe(page, rules);
      await screenshot(page, `api-reference-${theme}-${size}`);
    });
