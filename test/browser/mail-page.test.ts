import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { createTask, serve, type Service } from "../support/dashboard.ts";
import { startReceiver } from "../support/receiver.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";
import { startVendors } from "../support/vendors.ts";

const DANA = "dana@example.com";

/** A service that sends mail through a real mail server. */
async function withMail(t: TestContext, env: Record<string, string> = {}): Promise<Service & { smtp: TestSmtp }> {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const service = await serve(t, {
    SERVICE_EMAIL_FROM: "Desk <desk@example.com>",
    SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
    ...env,
  });
  return { ...service, smtp };
}

/** The address of the action page, as the mail to somebody has it. */
async function linkIn(service: Service & { smtp: TestSmtp }, to = DANA): Promise<string> {
  const { text = "" } = await service.smtp.to(to);
  const link = /https?:\S+\/api\/channels\/email\/action\/[\w.-]+/.exec(text)?.[0];
  assert.ok(link, text);
  return service.url + new URL(link).pathname;
}

testInBrowser("from a mail to the agent's callback, in a browser without scripts", async (open, t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const service = await withMail(t, { SERVICE_CALLBACK_ALLOW_PRIVATE: "1" });
  const { id } = await createTask(service, "Approve the refund?", {
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Approve this refund?" }, note: { type: "string" } },
      required: ["approved"],
    },
    notify: [`email:${DANA}`],
    callback_url: receiver.url,
  });
  const link = await linkIn(service);
  const page = await open({ scripts: false, size: "phone" });
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "Approve the refund?" }).waitFor();
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByLabel("Note").fill("The parcel was open.");
  await screenshot(page, "mail-page-phone");
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { level: 1, name: "Answer sent" }).waitFor();
  await axe(page);
  await screenshot(page, "mail-sent-phone");
  const task = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.deepEqual(task.response, { approved: true, note: "The parcel was open." });
  assert.equal(task.completed_by_email, DANA);
  await receiver.until(1);
  const callback = JSON.parse(receiver.received[0]!.body) as { task_id: string; completed_via_channel: string };
  assert.deepEqual([callback.task_id, callback.completed_via_channel], [id, "email"]);

  const again = await open({ scripts: false, expected: [/status of 410/] });
  assert.equal((await again.goto(link))?.status(), 410);
  await again.getByRole("heading", { level: 1, name: "You already answered this" }).waitFor();
  await axe(again);
  await screenshot(again, "mail-used");
});

testInBrowser("while an answer by mail is checked the page says so, and then what came of it", async (open, t) => {
  const vendors = await startVendors();
  t.after(() => vendors.close());
  const service = await withMail(t, vendors.env);
  await createTask(service, "Approve the refund?", {
    notify: [`email:${DANA}`],
    verifier_config: { provider: "google", instructions: "The note must say why.", max_attempts: 3 },
  });
  const page = await open();
  await page.goto(await linkIn(service));
  await page.locator("[data-live]").waitFor();
  await page.getByRole("radio", { name: "Yes" }).check();
  const verdict = Promise.withResolvers<void>();
  vendors.script.push({ after: verdict.promise, turn: { passed: false, reason: "Say why." } });
  const said = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const status = document.querySelector("output.status")!;
        new MutationObserver(() => resolve(status.textContent)).observe(status, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      }),
  );
  await page.getByRole("button", { name: "Submit answer" }).click({ noWaitAfter: true });
  // A page that is being left answers no questions; what it has written down before, it has shown.
  assert.equal(await said, "Checking your answer, usually 5 to 30 seconds");
  verdict.resolve();
  await page.getByText("Say why.").waitFor();
  assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
  await screenshot(page, "mail-sent-back");
});

testInBrowser(
  "a mail's button opens the page with its option chosen and focused, and sends nothing",
  async (open, t) => {
    const service = await withMail(t);
    const { id } = await createTask(service, "Which plan?", {
      response_schema: {
        type: "object",
        properties: { plan: { enum: ["small", "medium", "large"] }, note: { type: "string" } },
        required: ["plan"],
      },
      notify: [`email:${DANA}`],
    });
    const link = await linkIn(service);
    for (const scripts of [false, true]) {
      const page = await open({ scripts, theme: scripts ? "dark" : "light" });
      await page.goto(`${link}?choice=1`);
      const medium = page.getByRole("radio", { name: "Medium" });
      assert.equal(await medium.isChecked(), true);
      await hasFocus(medium);
      await hasCount(page.getByRole("radio", { checked: true }), 1);
      await screenshot(page, `mail-choice-${scripts ? "dark" : "light"}`);
    }
    assert.equal((await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).status, "created");
    // One that does not exist is passed over.
    const page = await open();
    await page.goto(`${link}?choice=7`);
    await page.getByRole("radio", { name: "Medium" }).waitFor();
    await hasCount(page.getByRole("radio", { checked: true }), 0);
  },
);

testInBrowser("who was second is told who was first, and what they entered is still there", async (open, t) => {
  const service = await withMail(t);
  await service.call("POST", "/api/users", { email: "lee@example.com", display_name: "Lee Chen" });
  await createTask(service, "Publish the page?", { notify: [`email:${DANA}`, "email:lee@example.com"] });
  const [slow, fast] = [await open({ expected: [/status of 409/] }), await open({ size: "phone", theme: "dark" })];
  await slow.goto(await linkIn(service));
  await fast.goto(await linkIn(service, "lee@example.com"));
  for (const page of [slow, fast]) {
    await page.getByRole("radio").first().check();
    await page.getByLabel("Note").fill(page === slow ? "My own words" : "");
  }
  await fast.getByRole("button", { name: "Submit answer" }).click();
  await fast.getByRole("heading", { name: "Answer sent" }).waitFor();
  await slow.getByRole("button", { name: "Submit answer" }).click();
  await slow.getByRole("heading", { name: "Already answered by Lee Chen" }).waitFor();
  // In a card, as a sent answer is.
  await slow.locator("main .sheet").getByText("My own words").waitFor();
  await axe(slow);
  await screenshot(slow, "mail-second");
});
