import assert from "node:assert/strict";
import type { Request } from "playwright-core";
import { testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";
const TASKS = 1_000;
/** From a key to what it changes on the screen. */
const KEY_TO_PAINT_MS = 100;

testInBrowser("a first load asks this service alone, and loads what its budget allows", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ empty: true });
  const loaded: { type: string; bytes: number; url: string }[] = [];
  const sizes: Promise<void>[] = [];
  const note = (request: Request): void => {
    const type = request.resourceType();
    sizes.push(
      request.sizes().then(({ responseBodySize: bytes }) => void loaded.push({ type, bytes, url: request.url() })),
    );
  };
  page.on("requestfinished", note);
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  // Those that come later, for a list that is loaded anew, are not of the first load.
  page.off("requestfinished", note);
  await Promise.all(sizes);
  const kB = (type: string) => loaded.reduce((sum, one) => sum + (one.type === type ? one.bytes : 0), 0) / 1000;
  // What a browser has kept takes no bytes.
  assert.ok(kB("script") > 100, `${kB("script")} kB of scripts`);
  assert.ok(kB("script") <= 280, `${kB("script")} kB of scripts`);
  assert.ok(kB("stylesheet") <= 45, `${kB("stylesheet")} kB of styles`);
  const files = loaded.filter(({ type }) => type === "script" || type === "stylesheet" || type === "font");
  assert.ok(files.length <= 12, files.map(({ url }) => url).join(" "));
});

testInBrowser(`with ${TASKS} tasks listed, a key shows what it does in ${KEY_TO_PAINT_MS} ms`, async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (let i = 0; i < TASKS; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, j) => createTask(service, `Task ${i + j}`, { timeout_seconds: 3600 + i + j })),
    );
  const page = await open();
  await signIn(page, service, ADA);
  // So many rows take their time on a machine that has other work; what is measured comes later.
  page.setDefaultTimeout(60_000);
  for (let listed = 50; listed < TASKS; listed += 50) {
    await page.waitForFunction((count) => document.querySelectorAll("[data-task]").length >= count, listed);
    await page.getByRole("button", { name: "Load more" }).scrollIntoViewIfNeeded();
  }
  await page.waitForFunction((count) => document.querySelectorAll("[data-task]").length === count, TASKS);
  await page.getByRole("link", { name: /^Task 0 / }).click();
  await page.getByRole("textbox", { name: /Note/ }).waitFor();
  const slowest = async (name: string, press: () => Promise<void>): Promise<void> => {
    await page.evaluate(() => {
      const found: number[] = [];
      Object.assign(globalThis, { found });
      new PerformanceObserver((entries) => {
        for (const entry of entries.getEntries()) if (entry.name === "keydown") found.push(entry.duration);
      }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    });
    for (let i = 0; i < 15; i++) await press();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
    const times = await page.evaluate(() => (globalThis as unknown as { found: number[] }).found);
    // Faster than 16 ms is not told. A busy machine is slow now and then, a slow page each time: the quarter that was the
    // fastest tells.
    const all = [...times, ...Array<number>(Math.max(0, 15 - times.length)).fill(0)].toSorted((a, b) => a - b);
    const quarter = all[Math.floor(all.length / 4)]!;
    t.diagnostic(`${name}: a quarter within ${quarter} ms, half within ${all[Math.floor(all.length / 2)]} ms`);
    assert.ok(quarter <= KEY_TO_PAINT_MS, `${name}: ${all.join(", ")} ms`);
  };
  await slowest("j", () => page.keyboard.press("j"));
  await page.getByRole("textbox", { name: /Note/ }).focus();
  await slowest("typing", () => page.keyboard.press("a"));
});
