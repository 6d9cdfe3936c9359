import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axe, testInBrowser } from "./support/browser.ts";
import { PASSWORD } from "../support/dashboard.ts";
import { startProcess } from "../support/processes.ts";

/** From starting the process. */
const FIRST_ANSWER_MS = 60_000;
const INTERACTIONS_MAX = 8;

testInBrowser(
  "from the start of the process to the first answer it takes less than a minute and no mouse",
  async (open, t) => {
    const folder = mkdtempSync(join(tmpdir(), "first-run-"));
    const began = performance.now();
    const service = await startProcess({ SERVICE_DATA_DIR: folder });
    t.after(async () => {
      await service.kill();
      rmSync(folder, { recursive: true });
    });
    const page = await open();
    let interactions = 0;
    /** Goes to a control with Tab. */
    const reach = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        const here = await page.evaluate(() => {
          const at = document.activeElement as HTMLInputElement | null;
          return at?.labels?.[0]?.textContent ?? at?.ariaLabel ?? at?.textContent ?? "";
        });
        if (here.trim() === name) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`"${name}" is not reached`);
    };
    const type = async (name: string, text: string): Promise<void> => {
      interactions++;
      await reach(name);
      await page.keyboard.type(text);
    };
    const press = async (name: string): Promise<void> => {
      interactions++;
      await reach(name);
      await page.keyboard.press("Enter");
    };
    await page.goto(service.url);
    await page.getByRole("heading", { name: "Welcome. Who are you?" }).waitFor();
    const isThere = performance.now();
    await axe(page);
    const checking = performance.now() - isThere;
    await type("Name", "Ada");
    await type("Email", "ada@example.com");
    await type("Password", PASSWORD);
    await press("Continue");
    await page.getByRole("button", { name: "Answer a sample task" }).waitFor();
    await press("Answer a sample task");
    await page.getByRole("heading", { level: 1, name: /refund/ }).waitFor();
    interactions++;
    await page.keyboard.press("1");
    interactions++;
    await page.keyboard.press("Control+Enter");
    await page.getByText("Answer sent").waitFor();
    const took = performance.now() - began - checking;
    t.diagnostic(`${(took / 1000).toFixed(1)} s, ${interactions} interactions`);
    const { body } = await service.call<{ status: string; response: unknown }[]>("GET", "/api/tasks");
    assert.deepEqual([body.length, body[0]?.status, body[0]?.response], [1, "completed", { approved: true }]);
    assert.ok(interactions <= INTERACTIONS_MAX, `${interactions} interactions`);
    assert.ok(took < FIRST_ANSWER_MS, `${took} ms`);
  },
);
