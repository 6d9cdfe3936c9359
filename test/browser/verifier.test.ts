import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { startReceiver } from "../support/receiver.ts";
import { startVendors, type Turn } from "../support/vendors.ts";

const DANA = "dana@example.com";
const verifier_config = { provider: "openai", instructions: "The note must say why.", max_attempts: 2 };

/** A verdict that waits. `asked`: the vendor has the call, so the service has the answer. */
function heldTurn(turn: Turn): { turn: Turn; asked: Promise<void>; release: () => void } {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const after = () => {
    asked.resolve();
    return released.promise;
  };
  return { turn: { after, turn }, asked: asked.promise, release: released.resolve };
}

const submit = (page: Page) => page.getByRole("button", { name: "Submit" }).click();

testInBrowser(
  "an answer is checked, sent back with the reason, corrected, and heard of by the agent",
  async (open, t) => {
    const vendors = await startVendors();
    t.after(() => vendors.close());
    const hook = await startReceiver();
    t.after(() => hook.close());
    const service = await serve(t, { ...vendors.env, SERVICE_CALLBACK_ALLOW_PRIVATE: "1" });
    await addOperator(service, "ada@example.com");
    await addAssignee(service, DANA);
    const { id } = await createTask(service, "Publish the post?", {
      assign_to: { email: DANA },
      callback_url: hook.url,
      verifier_config,
    });
    const page = await open({ expected: [/status of 502/] });
    await signIn(page, service, DANA, `/tasks/${id}`);
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByLabel("Note").fill("Fine.");

    const verdict = Promise.withResolvers<void>();
    vendors.script.push({ after: verdict.promise, turn: { passed: false, reason: "Say what is fine about it." } });
    await submit(page);
    // Whoever answers need not be told how it is checked to be told that it is.
    await page.getByText("Checking your answer, usually 5 to 30 seconds").waitFor();
    await screenshot(page, "verifier-checking");
    verdict.resolve();
    const back = page.getByRole("alert").filter({ hasText: "Sent back" });
    await back.getByText("Say what is fine about it.").waitFor();
    await back.getByText("resubmit (attempt 2 of 2, the last one).").waitFor();
    assert.equal(await page.getByLabel("Note").inputValue(), "Fine.");
    await axe(page);
    await screenshot(page, "verifier-sent-back");

    // A vendor that fails takes nothing away, and the answer can be sent again.
    vendors.script.push({ status: 503 });
    await page.getByLabel("Note").fill("The facts are right.");
    await submit(page);
    await page.getByRole("alert").filter({ hasText: "Automatic check is unavailable" }).waitFor();
    assert.equal(await page.getByLabel("Note").inputValue(), "The facts are right.");
    assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
    await screenshot(page, "verifier-failed");
    vendors.script.push({ passed: true, reason: "It says why." });
    await submit(page);
    await page.getByText("Answer sent").waitFor();

    await hook.until(1);
    const told = JSON.parse(hook.received[0]!.body) as Record<string, unknown>;
    assert.deepEqual(
      [told["status"], told["response"], told["verification_attempt"]],
      ["completed", { approved: true, note: "The facts are right." }, 1],
    );
    assert.equal(vendors.asked.length, 3);
  },
);

testInBrowser(
  "after a reload, an answer that is being checked is shown as such, and is not asked for again",
  async (open, t) => {
    const vendors = await startVendors();
    t.after(() => vendors.close());
    const service = await serve(t, vendors.env);
    await addAssignee(service, DANA);
    const { id } = await createTask(service, "Publish the post?", { assign_to: { email: DANA }, verifier_config });
    const page = await open();
    await signIn(page, service, DANA, `/tasks/${id}`);
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByLabel("Note").fill("Fine.");
    const first = heldTurn({ passed: false, reason: "Say what is fine about it." });
    const second = heldTurn({ passed: true, reason: "It says why." });
    vendors.script.push(first.turn, second.turn);
    await submit(page);
    await first.asked;
    await page.reload();
    await page.getByText("Your answer is being checked").waitFor();
    assert.equal(await page.getByRole("button", { name: "Submit" }).isDisabled(), true);
    assert.equal(await page.getByLabel("Note").inputValue(), "Fine.");
    await page.keyboard.press("Control+Enter");
    await axe(page);
    await screenshot(page, "verifier-checking-after-reload");
    first.release();
    await page.getByRole("alert").filter({ hasText: "Say what is fine about it." }).waitFor();
    await page.getByRole("button", { name: "Submit", disabled: false }).waitFor();
    await page.getByLabel("Note").fill("The facts are right.");
    await submit(page);
    await second.asked;
    await page.reload();
    await page.getByText("Your answer is being checked").waitFor();
    second.release();
    await page.getByText("You answered this on").waitFor();
    await hasCount(page.getByText("Your unsent answer"), 0);
    assert.equal(vendors.asked.length, 2);
  },
);

testInBrowser(
  "whoever opens a task that was sent back has the answer before them, and the activity says who judged it",
  async (open, t) => {
    const vendors = await startVendors();
    t.after(() => vendors.close());
    const service = await serve(t, vendors.env);
    await addOperator(service, "ada@example.com");
    await addAssignee(service, DANA);
    const { id } = await createTask(service, "Publish the post?", { assign_to: { email: DANA }, verifier_config });
    const [danas, page] = [await open(), await open()];
    await signIn(page, service, "ada@example.com", `/tasks/${id}`);
    await page.getByLabel("Note").waitFor();
    await signIn(danas, service, DANA, `/tasks/${id}`);
    await danas.getByRole("radio", { name: "Yes" }).check();
    await danas.getByLabel("Note").fill("Fine.");
    vendors.script.push({ passed: false, reason: "Say what is fine about it." });
    await submit(danas);
    await danas.getByRole("alert").filter({ hasText: "Sent back" }).waitFor();
    const hasAnswer = async (one: Page): Promise<void> => {
      await one.getByRole("alert").filter({ hasText: "Say what is fine about it." }).waitFor();
      assert.equal(await one.getByLabel("Note").inputValue(), "Fine.");
      assert.equal(await one.getByRole("radio", { name: "Yes" }).isChecked(), true);
    };
    // The page that was open already, another browser of the same person, and someone else's.
    await hasAnswer(page);
    const elsewhere = await open();
    await signIn(elsewhere, service, DANA, `/tasks/${id}`);
    await hasAnswer(elsewhere);

    await danas.getByRole("button", { name: "Release" }).click();
    await page.reload();
    await hasAnswer(page);
    vendors.script.push({ passed: true, reason: "It says why." });
    await page.getByLabel("Note").fill("The facts are right.");
    await submit(page);
    await page.getByText("Answer sent").waitFor();
    await page.goto(`${service.url}/tasks/${id}?scope=done`);
    const refused = page.getByRole("article", { name: "Attempt 1" });
    await refused.getByText("by dana@example.com").waitFor();
    await refused.getByText("Reason: Say what is fine about it.").waitFor();
    await refused.getByText("Fine.", { exact: true }).waitFor();
    await page.getByText("It passed the automatic check.").waitFor();
    const [answer, heading] = [
      await page.locator(".reply .payload").first().boundingBox(),
      await page.getByRole("heading", { name: "Rejected answers" }).boundingBox(),
    ];
    assert.ok(answer && heading && heading.y - (answer.y + answer.height) >= 16, JSON.stringify({ answer, heading }));
    await screenshot(page, "verifier-passed");
    await axe(page);
    await page.getByRole("tab", { name: "Activity" }).click();
    const happened = page.getByRole("region", { name: "What happened" });
    await happened.getByText("The automatic check sent back the answer of dana@example.com").waitFor();
    await happened.getByText("The automatic check accepted the answer of ada@example.com").waitFor();
    await axe(page);
  },
);

testInBrowser("the last answer that fails the checks closes the task, and the page says why", async (open, t) => {
  const vendors = await startVendors();
  t.after(() => vendors.close());
  const service = await serve(t, vendors.env);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, DANA);
  const { id } = await createTask(service, "Publish the post?", { assign_to: { email: DANA }, verifier_config });
  const page = await open();
  await signIn(page, service, DANA, `/tasks/${id}`);
  vendors.script.push({ passed: false, reason: "One." }, { passed: false, reason: "No reason again." });
  await page.getByRole("radio", { name: "Yes" }).check();
  await submit(page);
  await page.getByRole("alert").filter({ hasText: "Sent back" }).waitFor();
  await submit(page);
  await page.getByText("Automatic check failed; the task is closed. No reason again.").waitFor();
  await hasCount(page.getByText("Answer sent"), 0);
  await hasCount(page.getByText("not sent"), 0);
  await axe(page);
  await screenshot(page, "verifier-exhausted");
});
