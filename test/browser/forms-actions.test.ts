import assert from "node:assert/strict";
import { createLink } from "../../src/channels/email/links.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { actionTask } from "../support/actions.ts";
import { serve } from "../support/dashboard.ts";
import { axe, axeInFrame, testInBrowser } from "./support/browser.ts";
import { hears, withEmbed } from "./support/embed-host.ts";

const DANA = "dana@example.com";
const LOWERED = {
  decision: "edit",
  args: { amount: 45, to: { name: "Mia" } },
  patch: [{ op: "replace", path: "/amount", value: 45 }],
};

for (const scripts of [true, false])
  testInBrowser(
    `a person lowers the amount of an action on the page of an email, with scripts: ${scripts}`,
    async (open, t) => {
      const service = await serve(t);
      await service.call("POST", "/api/users", { email: DANA });
      for (const risk of ["normal", "high"]) {
        const body = { ...actionTask({ action: { risk } }), notify: [`email:${DANA}`] };
        const { id } = await service.call<TaskRecord>("POST", "/api/tasks", body);
        const page = await open({ scripts, expected: [/status of 422/] });
        await page.goto(`${service.url}${new URL(createLink(service.ctx, id, DANA)).pathname}?choice=1`);
        if (scripts) await page.locator("[data-live]").waitFor();
        await axe(page);
        await page.getByLabel("Amount").fill("45");
        const submit = page.getByRole("button", { name: "Submit answer" });
        if (risk === "high") {
          await submit.click();
          await page.locator("#form-trouble").waitFor();
          assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).status, "created");
          await page.getByRole("textbox", { name: 'Type "refund" to approve' }).fill("refund");
        }
        if (scripts)
          await page.getByRole("region", { name: "Your changes" }).getByText("90", { exact: true }).waitFor();
        await submit.click();
        await page.getByRole("heading", { name: "Answer sent" }).waitFor();
        await page.getByText("90 → 45").waitFor();
        assert.deepEqual((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).response, LOWERED);
      }
    },
  );

testInBrowser("a person lowers the amount of an action in the page of another product", async (open, t) => {
  const service = await withEmbed(t);
  const page = await open({ origins: [service.url] });
  const { id } = await service.call<TaskRecord>("POST", "/api/tasks", actionTask({ action: { risk: "high" } }));
  const frame = await service.show(page, await service.mint({ task_id: id }));
  await frame.locator("#open").waitFor();
  await frame.getByText("Action: refund (high risk)").waitFor();
  await frame.getByRole("radio", { name: "Edit" }).check();
  await frame.getByLabel("Amount").fill("45");
  await axeInFrame(page);
  await frame.getByRole("button", { name: "Submit answer" }).click();
  await frame.locator("#form-trouble").waitFor();
  await frame.getByRole("textbox", { name: 'Type "refund" to approve' }).fill("refund");
  await frame.getByRole("button", { name: "Submit answer" }).click();
  await frame.getByRole("heading", { name: "Submitted" }).waitFor();
  assert.deepEqual((await hears(page, "task.completed"))["response"], LOWERED);
});
