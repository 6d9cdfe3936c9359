import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { actionTask } from "../support/actions.ts";
import { addOperator, createTask, PASSWORD, serve, type Service } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { startVendors } from "../support/vendors.ts";

const ADA = "ada@example.com";
const MIA = "mia@example.com";
/** A busy machine needs some time to store a hundred answers. */
const SENDING_MS = 200_000;

interface Told {
  status: string;
  response: unknown;
  completed_by_email: string | null;
}

/** Creates tasks that the same form answers. The first of them is due first. @returns their ids */
async function createTasks(service: Service, count: number, more: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const payload = { customer: `Customer ${i + 1}`, amount: 10 + i, currency: "EUR" };
    const { id } = await createTask(service, `Refund ${i + 1}`, { payload, timeout_seconds: 3600 + i * 60, ...more });
    ids.push(id);
  }
  return ids;
}

function row(page: Page, name: string): Locator {
  return page.getByRole("link", { name: new RegExp(`^${name} `) });
}

function box(page: Page, name: string): Locator {
  return page.getByRole("checkbox", { name: `Select: ${name}`, exact: true });
}

/** The titles of the selected rows. */
async function selected(page: Page): Promise<string[]> {
  const labels = await page.locator(".tick input:checked").evaluateAll((boxes) => boxes.map((box) => box.ariaLabel));
  return labels.map((label) => label!.replace("Select: ", ""));
}

async function isSelected(page: Page, count: number): Promise<void> {
  await page
    .getByRole("status")
    .filter({ hasText: `${count} selected` })
    .waitFor();
}

/** Answers a task as somebody else. */
async function answerAsMia(service: Service, id: string): Promise<void> {
  await service.call("POST", `/api/tasks/${id}/complete`, {
    response: { approved: false },
    completed_by_email: MIA,
    completed_via_channel: "slack",
  });
}

async function read(service: Service, id: string): Promise<Told> {
  return service.call<Told>("GET", `/api/tasks/${id}`);
}

testInBrowser("100 tasks are decided by keyboard, while somebody else answers one of them", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const ids = await createTasks(service, 100);
  const page = await open({ expected: [/status of 409/] });
  const told: string[] = [];
  // Somebody else is first with one task, at the moment at which its answer is sent.
  await page.route(`**/api/tasks/${ids[41]!}/complete`, async (route) => {
    await answerAsMia(service, ids[41]!);
    await route.continue();
  });
  page.on("request", (request) => {
    if (request.url().endsWith("/complete")) told.push(request.url());
  });
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await page.keyboard.press("Control+a");
  await isSelected(page, 50);
  await page.getByText("All 50 on this page are selected.").waitFor();
  await page.getByRole("button", { name: "Select all 100 that match" }).waitFor();
  await page.keyboard.press("Control+a");
  await isSelected(page, 100);
  await screenshot(page, "batch-selected");
  await page.keyboard.press("d");
  await page.getByRole("heading", { level: 1, name: "Decide 100 tasks together" }).waitFor();
  await page.keyboard.press("1");
  assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
  await screenshot(page, "batch-form");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Don't send" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Don't send");
  await screenshot(page, "batch-hold");
  assert.deepEqual(told, [], "nothing is sent before the time to take it back is over");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const finished = page.getByRole("heading", { level: 1, name: "99 of 100 tasks decided" });
  await finished.waitFor({ timeout: SENDING_MS });
  const problems = page.getByRole("region", { name: "Not decided: 1" }).getByRole("listitem");
  await hasCount(problems, 1);
  await problems.getByText(/mia@example.com answered this on .*, through Slack/).waitFor();
  await problems.getByRole("link", { name: "Refund 42" }).waitFor();
  await page
    .getByRole("status")
    .filter({ hasText: "Finished: 99 decided, 1 not decided" })
    .waitFor({ state: "attached" });
  await axe(page);
  await screenshot(page, "batch-results");
  assert.equal(told.length, 100, "each answer is sent once");
  for (const [i, id] of ids.entries()) {
    const { status, response, completed_by_email } = await read(service, id);
    const expected = i === 41 ? [false, MIA] : [true, ADA];
    assert.deepEqual(
      [status, (response as { approved: boolean }).approved, completed_by_email],
      ["completed", ...expected],
    );
    const trail = await service.call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
    assert.equal(trail.filter(({ action }) => action === "completed").length, 1, "one entry for each");
  }
  // The results stay until they are closed, on other pages too.
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "All done" }).waitFor();
  await page.getByText("99 of 100 decided").waitFor();
  await page.getByRole("link", { name: "Results" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.waitForURL("**/inbox");
  await hasCount(page.getByRole("link", { name: "Results" }), 0);
});

testInBrowser("rows are selected with X, ranges, Ctrl and boxes, and Escape clears them", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTasks(service, 8);
  const page = await open();
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  assert.deepEqual(await selected(page), ["Refund 2"]);
  await page.keyboard.press("Shift+J");
  await page.keyboard.press("Shift+ArrowDown");
  assert.deepEqual(await selected(page), ["Refund 2", "Refund 3", "Refund 4"]);
  await page.keyboard.press("Shift+K");
  assert.deepEqual(await selected(page), ["Refund 2", "Refund 3"]);
  await row(page, "Refund 7").click({ modifiers: ["ControlOrMeta"] });
  assert.deepEqual(await selected(page), ["Refund 2", "Refund 3", "Refund 7"]);
  await row(page, "Refund 5").click({ modifiers: ["Shift"] });
  assert.deepEqual(await selected(page), ["Refund 2", "Refund 3", "Refund 5", "Refund 6", "Refund 7"]);
  await box(page, "Refund 1").check();
  await box(page, "Refund 3").uncheck();
  assert.deepEqual(await selected(page), ["Refund 1", "Refund 2", "Refund 5", "Refund 6", "Refund 7"]);
  await page.getByRole("heading", { level: 1, name: "Refund 2" }).waitFor();
  await axe(page);
  await page.keyboard.press("Escape");
  assert.deepEqual(await selected(page), []);
  await hasCount(page.getByRole("link", { name: "Decide together" }), 0);
  // A plain click still opens a task, and what is selected stays selected.
  await box(page, "Refund 8").check();
  await row(page, "Refund 4").click();
  await page.getByRole("heading", { level: 1, name: "Refund 4" }).waitFor();
  assert.deepEqual(await selected(page), ["Refund 8"]);
  // Another list has a selection of its own.
  await page.getByRole("link", { name: "Unassigned" }).first().click();
  await page.getByRole("region", { name: "Unassigned" }).waitFor();
  assert.deepEqual(await selected(page), []);
});

testInBrowser(
  "what is the same in all tasks is apart from what differs, and each shows its whole payload",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await createTasks(service, 3);
    const page = await open();
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    await page.keyboard.press("Control+a");
    await page.getByRole("link", { name: "Decide together" }).click();
    await page.getByText("The same in all:").waitFor();
    const tasks = page.getByRole("region", { name: "3 tasks" });
    assert.match(await tasks.locator(".batch-common").innerText(), /Currency\s+EUR/);
    assert.match(
      await tasks.getByRole("listitem").nth(1).innerText(),
      /Refund 2\s+Customer Customer 2\s+,\s+Amount 11/,
    );
    await tasks.getByText("Refund 2", { exact: true }).click();
    await tasks.getByRole("listitem").nth(1).getByRole("definition").filter({ hasText: "EUR" }).waitFor();
    await axe(page);
    await tasks.getByRole("button", { name: "Leave out: Refund 2" }).click();
    await page.getByRole("heading", { level: 1, name: "Decide 2 tasks together" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.ariaLabel === "Leave out: Refund 3");
    assert.deepEqual(await selected(page), ["Refund 1", "Refund 3"]);
  },
);

testInBrowser(
  "an action is decided together with the same action, and one with a high risk by itself",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const ask = async (amount: number, risk: string) => {
      const { action, ...body } = actionTask({ action: { args: { amount }, risk }, task: `Refund ${amount}` });
      return (await service.call<{ id: string }>("POST", "/api/tasks", { ...body, action })).id;
    };
    const ids = [await ask(1, "normal"), await ask(2, "normal"), await ask(3, "high")];
    const page = await open();
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    await page.keyboard.press("Control+a");
    await page.getByRole("link", { name: "Decide together" }).click();
    await page.getByRole("button", { name: "Decide this one" }).click();
    await page.getByText("an action with a high risk").waitFor();
    await hasCount(page.getByRole("radio"), 0);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await box(page, "Refund 3").uncheck();
    await page.getByRole("link", { name: "Decide together" }).click();
    await page.getByRole("radio", { name: "Approve" }).check();
    await hasCount(page.getByRole("radio", { name: "Edit" }), 0);
    await page.getByRole("button", { name: "Decide 2 tasks" }).click();
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByText("2 tasks decided").first().waitFor();
    const responses = await Promise.all(ids.map(async (id) => (await read(service, id)).response));
    assert.deepEqual(responses, [
      { decision: "approve", args: { amount: 1 } },
      { decision: "approve", args: { amount: 2 } },
      null,
    ]);
  },
);

testInBrowser("tasks with another form are said, and stay selected for afterwards", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const ids = await createTasks(service, 3);
  await createTask(service, "How many?", {
    response_schema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  });
  const page = await open();
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "These tasks have 2 different forms" }).waitFor();
  await axe(page);
  await screenshot(page, "batch-kinds");
  await page.getByRole("button", { name: "Decide these 3" }).click();
  await page.getByText("1 task with another form stays selected.").waitFor();
  await page.getByRole("radio", { name: "No" }).check();
  await page.getByRole("button", { name: "Decide 3 tasks" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByRole("heading", { level: 1, name: "3 tasks decided", exact: true }).waitFor();
  for (const id of ids) assert.deepEqual((await read(service, id)).response, { approved: false });
  await page.getByRole("button", { name: "Done" }).click();
  await isSelected(page, 1);
  await box(page, "How many?").waitFor();
  assert.deepEqual(await selected(page), ["How many?"]);
});

testInBrowser("a batch can be taken back before it is sent, by a button, a key, or by leaving", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const ids = await createTasks(service, 2);
  const page = await open();
  await page.clock.install();
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("d");
  const note = page.getByRole("textbox", { name: /Note/ });
  await page.getByRole("radio", { name: "Yes" }).check();
  await note.fill("Fine.");
  const stops = page.getByRole("button", { name: "Don't send" });
  /** Submits, and takes it back while the time of the page stands still: on a busy machine it would be over before that. */
  const takeBack = async (how: () => Promise<void>): Promise<void> => {
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await page.getByRole("button", { name: "Decide 2 tasks" }).click();
    await stops.waitFor();
    await how();
    await stops.waitFor({ state: "detached" });
    await page.clock.resume();
  };
  await takeBack(async () => {
    const says = page.getByRole("status").filter({ hasText: "Sending 2 answers in 5 seconds" });
    await says.waitFor({ state: "attached" });
    await stops.click();
  });
  await page.getByText("Sending cancelled. Nothing was sent.").waitFor();
  assert.equal(await note.inputValue(), "Fine.");
  await takeBack(() => page.keyboard.press("z"));
  await page.getByText("Sending cancelled. Nothing was sent.").waitFor();
  await takeBack(() => page.keyboard.press("Escape"));
  await page.getByText("Nothing was sent, because you left the page").waitFor();
  await page.clock.fastForward("00:30");
  for (const id of ids) assert.equal((await read(service, id)).status, "created");
});

testInBrowser(
  "what did not get through is sent again only when the person wants it, and never twice",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const ids = await createTasks(service, 8);
    const page = await open({ expected: [/Failed to load resource/] });
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    // While the tasks are read, the network is still there.
    let isDown = false;
    const sent: string[] = [];
    // The first answer arrives and its response does not. Nothing else gets through.
    await page.route(/\/api\/tasks\/tsk_\w+(\/complete)?$/, async (route) => {
      const url = route.request().url();
      if (url.endsWith("/complete")) sent.push(url);
      if (!isDown) return route.continue();
      if (url.endsWith(`${ids[0]!}/complete`)) await route.fetch();
      return route.abort();
    });
    await page.keyboard.press("Control+a");
    await page.getByRole("link", { name: "Decide together" }).click();
    await page.getByRole("radio", { name: "Yes" }).check();
    isDown = true;
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("heading", { level: 1, name: "0 of 8 tasks decided" }).waitFor();
    assert.equal(sent.length, 5, "after a failure, no further answer is begun");
    const problems = page.getByRole("region", { name: "Not decided, or not known: 8" });
    await hasCount(problems.getByText("It is not known whether the answer arrived."), 5);
    await hasCount(problems.getByText("Not sent, because an answer before it did not get through."), 3);
    await axe(page);
    await screenshot(page, "batch-offline");
    assert.equal((await read(service, ids[0]!)).status, "completed");
    isDown = false;
    await page.getByRole("button", { name: "Send these 8 again" }).click();
    await page.getByRole("heading", { level: 1, name: "8 tasks decided", exact: true }).waitFor();
    assert.equal(sent.length, 13);
    for (const id of ids) {
      const trail = await service.call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
      assert.equal(trail.filter(({ action }) => action === "completed").length, 1);
    }
  },
);

testInBrowser(
  "tasks that others work on are left out, and those that others answer are said at once",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await addOperator(service, MIA);
    const ids = await createTasks(service, 4);
    const [page, mias] = [await open({ theme: "dark" }), await open()];
    await signIn(mias, service, MIA, `/tasks/${ids[1]!}`);
    await mias.getByRole("heading", { level: 1, name: "Refund 2" }).waitFor();
    await mias.keyboard.press("c");
    await mias.getByText("You're working on this").waitFor();
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("d");
    await page.getByRole("heading", { level: 1, name: "Decide 3 tasks together" }).waitFor();
    await page.getByText("1 task is being worked on by others, and left out.").waitFor();
    await page.getByText("mia@example.com is working on this").waitFor();
    await answerAsMia(service, ids[2]!);
    await page.getByRole("heading", { level: 1, name: "Decide 2 tasks together" }).waitFor();
    await page
      .getByRole("listitem")
      .getByText(/mia answered this on .*, through Slack/)
      .waitFor();
    await axe(page);
    await screenshot(page, "batch-taken");
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByRole("button", { name: "Decide too" }).click();
    await page.getByRole("button", { name: "Decide 3 tasks" }).click();
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("heading", { level: 1, name: "3 of 4 tasks decided" }).waitFor();
    await page.getByRole("region", { name: "Not decided: 1" }).getByRole("link", { name: "Refund 3" }).waitFor();
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await read(service, id)).completed_by_email)), [
      ADA,
      ADA,
      MIA,
      ADA,
    ]);
  },
);

testInBrowser("what an agent has filled in stays as it is in each task", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const reply = {
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Send it?" }, reply: { type: "string", title: "Reply" } },
      required: ["approved", "reply"],
    },
    form_definition: { prefill: { "/reply": "/draft" } },
  };
  const drafts = ["Dear Mia", "Dear Lee"];
  const ids: string[] = [];
  for (const draft of drafts) ids.push((await createTask(service, draft, { ...reply, payload: { draft } })).id);
  const without = await createTask(service, "No draft", { ...reply, payload: {} });
  const page = await open({ size: "desk" });
  await signIn(page, service, ADA);
  await row(page, "Dear Mia").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("d");
  await page.getByText("Each task keeps its own value: Reply").waitFor();
  await hasCount(page.getByRole("textbox", { name: "Reply" }), 0);
  await page.getByRole("radio", { name: "Yes" }).check();
  await screenshot(page, "batch-kept");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByRole("heading", { level: 1, name: "2 of 3 tasks decided" }).waitFor();
  await page.getByText(/It needs an answer of its own. Reply: /).waitFor();
  for (const [i, id] of ids.entries())
    assert.deepEqual((await read(service, id)).response, { approved: true, reply: drafts[i] });
  assert.equal((await read(service, without.id)).status, "created");
});

testInBrowser(
  "a tab asks before it is closed while answers are being sent, and other pages can be looked at",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await createTasks(service, 2);
    const page = await open();
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("d");
    await page.getByRole("radio", { name: "Yes" }).check();
    const held = Promise.withResolvers<void>();
    await page.route("**/complete", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("heading", { level: 1, name: "Deciding 2 tasks" }).waitFor();
    const asked = page.waitForEvent("dialog");
    const closing = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), "beforeunload");
    await dialog.dismiss();
    await closing;
    await page.getByRole("link", { name: "Closed", exact: true }).click();
    await page.getByText("Sending: 0 of 2").waitFor();
    held.resolve();
    await page.getByText("2 of 2 decided").waitFor();
    await page.getByRole("alert").filter({ hasText: "2 tasks decided" }).waitFor();
  },
);

testInBrowser("on a phone, tasks are selected by touch", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTasks(service, 3);
  const page = await open({ size: "phone" });
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await hasCount(page.locator(".tick input").filter({ visible: true }), 0);
  await page.getByRole("button", { name: "Select" }).click();
  await row(page, "Refund 1").click();
  await row(page, "Refund 3").click();
  assert.deepEqual(await selected(page), ["Refund 1", "Refund 3"]);
  await axe(page);
  await screenshot(page, "batch-phone-selected");
  await page.getByRole("link", { name: "Decide together" }).click();
  await page.getByRole("heading", { level: 1, name: "Decide 2 tasks together" }).waitFor();
  await axe(page);
  await screenshot(page, "batch-phone-form");
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByRole("button", { name: "Decide 2 tasks" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByRole("heading", { level: 1, name: "2 tasks decided", exact: true }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row(page, "Refund 2").waitFor();
  // A touch opens a task again.
  await row(page, "Refund 2").click();
  await page.getByRole("heading", { level: 1, name: "Refund 2" }).waitFor();
});

testInBrowser("an answer that the automatic check sends back, or that it cannot check, is said", async (open, t) => {
  const vendors = await startVendors();
  t.after(() => vendors.close());
  const service = await serve(t, vendors.env);
  await addOperator(service, ADA);
  const verifier_config = { provider: "openai", instructions: "The note must say why.", max_attempts: 2 };
  const ids = await createTasks(service, 3, { verifier_config });
  vendors.script.push({ passed: true, reason: "Good." }, { passed: false, reason: "Say why." }, { status: 503 });
  const page = await open({ expected: [/status of 502/] });
  await signIn(page, service, ADA);
  await row(page, "Refund 1").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("d");
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByRole("heading", { level: 1, name: "1 of 3 tasks decided" }).waitFor();
  const problems = page.getByRole("region", { name: "Not decided: 2" });
  await problems.getByRole("listitem").filter({ hasText: "Sent back" }).getByText("Say why.").waitFor();
  await problems.getByText("Not sent").waitFor();
  await screenshot(page, "batch-checked");
  // Only what was not checked is sent again: what was sent back needs another answer.
  vendors.script.push({ passed: true, reason: "Good." });
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByRole("heading", { level: 1, name: "2 of 3 tasks decided" }).waitFor();
  const statuses = await Promise.all(ids.map(async (id) => (await read(service, id)).status));
  assert.deepEqual(statuses.toSorted(), ["completed", "completed", "rejected"]);
  assert.equal(vendors.asked.length, 4);
});

testInBrowser("the values of one task are not sent to the others as JSON", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const reply = {
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Send it?" }, reply: { type: "string", title: "Reply" } },
      required: ["approved", "reply"],
      // No field can say this, so the form offers JSON.
      not: { properties: { approved: { const: false } } },
    },
    form_definition: { prefill: { "/reply": "/draft" } },
  };
  const ids: string[] = [];
  for (const draft of ["Dear Mia", "Dear Lee"])
    ids.push((await createTask(service, draft, { ...reply, payload: { draft } })).id);
  const page = await open();
  await signIn(page, service, ADA);
  await row(page, "Dear Mia").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("d");
  await page.getByRole("radio", { name: "No" }).check();
  await page.getByRole("button", { name: "Decide 2 tasks" }).click();
  await page.getByRole("button", { name: "Answer as JSON instead" }).click();
  await page.locator("form.answer textarea").fill('{"approved": true, "reply": "Dear Mia"}');
  await page.getByRole("button", { name: "Decide 2 tasks" }).click();
  await page.getByText("Answer with the form: as JSON, the answer has values of a single task.").waitFor();
  for (const id of ids) assert.equal((await read(service, id)).status, "created");
});

testInBrowser(
  "after another person has signed in on the page, nothing further is sent, and nothing is shown",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await addOperator(service, MIA);
    const ids = await createTasks(service, 8);
    const page = await open({ expected: [/Failed to load resource/] });
    // No event makes the page load its list: only the end of the batch does.
    await page.route("**/api/events", () => undefined);
    await signIn(page, service, ADA);
    await row(page, "Refund 1").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("d");
    await page.getByRole("radio", { name: "Yes" }).check();
    const [stored, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    await page.route("**/complete", async (route) => {
      const response = await route.fetch();
      if (++sent === 5) stored.resolve();
      await held.promise;
      await route.fulfill({ response });
    });
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Send now" }).click();
    await stored.promise;
    await page.getByRole("button", { name: "ada" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Email").fill(MIA);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await row(page, "Refund 8").waitFor();
    await hasCount(page.locator("[data-task]"), 3);
    const reloaded = page.waitForRequest(/\/api\/tasks\?view=summary/);
    held.resolve();
    await reloaded;
    assert.equal(sent, 5);
    const statuses = await Promise.all(ids.map(async (id) => (await read(service, id)).status));
    assert.deepEqual(statuses.slice(5), ["created", "created", "created"]);
    await hasCount(page.getByRole("link", { name: "Results" }), 0);
    await hasCount(page.getByText("decided"), 0);
  },
);
