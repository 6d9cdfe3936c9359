import assert from "node:assert/strict";
import type { APIResponse, Locator, Page, Route } from "playwright-core";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, addOperator, createTask, PASSWORD, serve, TOKEN } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { startReceiver } from "../support/receiver.ts";

const ADA = "ada@example.com";

interface Told {
  status: string;
  response: unknown;
  completed_via_channel: string | null;
  completed_by_email: string | null;
  claimed_by_email: string | null;
  claim_expires_at: string | null;
  assigned_to_email: string | null;
  timeout_at: string;
}

testInBrowser(
  "a digit chooses and sends nothing; Ctrl and Enter send, and the next task has the focus",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const { id } = await createTask(service, "First", { timeout_seconds: 600 });
    await createTask(service, "Second");
    const page = await open();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/complete")) sent.push(request.url());
    });
    await signIn(page, service, ADA, `/tasks/${id}`);
    await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
    await page.keyboard.press("1");
    assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
    await page.keyboard.press("2");
    assert.equal(await page.getByRole("radio", { name: "No" }).isChecked(), true);
    await page.keyboard.press("9");
    await page.getByText("You're working on this").waitFor();
    assert.deepEqual(sent, []);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Second");
    await page.getByText("Answer sent").waitFor();
    await page.keyboard.press("1");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor({ state: "detached" });
    // One is enough for both.
    await hasCount(page.getByText("Answer sent"), 1);
    const told = await service.call<Told>("GET", `/api/tasks/${id}`);
    assert.deepEqual(
      [told.status, told.response, told.completed_via_channel, told.completed_by_email],
      ["completed", { approved: false }, "dashboard", ADA],
    );
    await page.getByRole("button", { name: "View" }).click();
    await page.getByText("You answered this on").waitFor();
    await axe(page);
  },
);

for (const [name, hold] of [
  ["reaches the service after the answer", (route: Route) => route.continue()],
  ["is told of after the answer", (route: Route, early: APIResponse) => route.fulfill({ response: early })],
] as const)
  testInBrowser(`a claim that ${name} changes nothing any more`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const { id } = await createTask(service, "In a hurry");
    const page = await open();
    const answered = Promise.withResolvers<void>();
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The page may leave it before it is over.
    page.on("requestfailed", (request) => {
      if (request.url().endsWith("/claim")) over.resolve();
    });
    await page.route("**/claim", async (route) => {
      const early = hold.length === 2 ? await route.fetch() : undefined;
      held.resolve();
      await answered.promise;
      await hold(route, early!).catch(() => undefined);
      over.resolve();
    });
    await signIn(page, service, ADA, `/tasks/${id}`);
    await page.getByRole("heading", { level: 1, name: "In a hurry" }).waitFor();
    await page.keyboard.press("1");
    await held.promise;
    await page.keyboard.press("Control+Enter");
    await page.getByText("Answer sent").waitFor();
    answered.resolve();
    await over.promise;
    await page.getByRole("button", { name: "View" }).click();
    await page.getByText("You answered this on").waitFor();
    await hasCount(page.getByRole("radio", { name: "Yes" }), 0);
  });

testInBrowser(
  "a digit chooses of what the task calls its decision, and of nothing where there is none",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const { id } = await createTask(service, "Which one?", {
      response_schema: {
        type: "object",
        properties: { urgent: { type: "boolean" }, way: { enum: ["air", "sea", "road"] } },
        required: ["urgent", "way"],
      },
      form_definition: { decision: "/way" },
    });
    const without = await createTask(service, "What do you say?", {
      response_schema: { type: "object", properties: { note: { type: "string" } } },
    });
    const page = await open();
    await signIn(page, service, ADA, `/tasks/${id}`);
    await page.getByRole("heading", { level: 1, name: "Which one?" }).waitFor();
    await page.keyboard.press("3");
    assert.equal(await page.getByRole("radio", { name: "Road" }).isChecked(), true);
    assert.equal(await page.getByRole("radio", { name: "No" }).isChecked(), false);
    await page.goto(`${service.url}/tasks/${without.id}`);
    await page.getByRole("heading", { level: 1, name: "What do you say?" }).waitFor();
    await page.keyboard.press("1");
    assert.match(await page.locator(".keys").innerText(), /^Ctrl Enter submit/);
  },
);

testInBrowser("what an agent has filled in shows how it was changed", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Right amount?", {
    payload: { amount: "120" },
    response_schema: { type: "object", properties: { amount: { type: "string", title: "Amount" } } },
    form_definition: { prefill: { "/amount": "/amount" } },
  });
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  const amount = page.getByRole("textbox", { name: "Amount" });
  assert.equal(await amount.inputValue(), "120");
  await amount.fill("100");
  const changes = page.getByRole("region", { name: "Your changes" });
  await changes.getByText("120").waitFor();
  await changes.getByText("100").waitFor();
});

testInBrowser("letters and digits in a field are text", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Type into it");
  await createTask(service, "Another");
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("heading", { level: 1, name: "Type into it" }).waitFor();
  await page.keyboard.press("r");
  await page.waitForFunction(() => document.activeElement?.matches("input[type='radio']"));
  const note = page.getByRole("textbox", { name: /Note/ });
  await note.focus();
  await page.keyboard.type("j1s?cz[/");
  assert.equal(await note.inputValue(), "j1s?cz[/");
  assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), false);
  assert.equal(new URL(page.url()).pathname, `/tasks/${id}`);
});

testInBrowser("whoever was second sees who was first, and has what they entered", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Who is first?");
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("textbox", { name: /Note/ }).fill("Half a sentence");
  // The first edit claims the task; a claim that came after the answer would be refused, which a browser reports.
  await page.getByText("You're working on this").waitFor();
  await service.call("POST", `/api/tasks/${id}/complete`, {
    response: { approved: true },
    completed_by_email: "mia@example.com",
    completed_via_channel: "slack",
  });
  await page.getByText(/mia@example.com answered this on .*, through Slack/).waitFor();
  const unsent = page.getByRole("region", { name: "Your unsent answer" });
  assert.equal(await unsent.locator("dl").innerText(), "Note\nHalf a sentence");
  await axe(page);
  await screenshot(page, "task-answered-elsewhere");
  await page.getByRole("link", { name: /^Who is first/ }).waitFor({ state: "detached" });
  await page.reload();
  await unsent.getByRole("button", { name: "Discard" }).click();
  await unsent.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText(/mia@example.com answered/).waitFor();
  await hasCount(unsent, 0);
});

testInBrowser("an answer that comes too late is told so, and stays", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Too late?");
  const page = await open({ expected: [/status of 409/, /Failed to load resource/] });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("radio", { name: "Yes" }).check();
  // What would tell this page in time does not arrive.
  await page.route("**/api/events", (route) => route.abort());
  await page.route(`**/api/tasks/${id}/complete`, async (route) => {
    await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: false } });
    await route.continue();
  });
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByText("Someone answered this on").waitFor();
  const unsent = page.getByRole("region", { name: "Your unsent answer" });
  assert.match(await unsent.locator("dl").innerText(), /\nYes$/);
  assert.deepEqual((await service.call<Told>("GET", `/api/tasks/${id}`)).response, { approved: false });
});

testInBrowser("a task is claimed, released, and both can be undone", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Mine?");
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("heading", { level: 1, name: "Mine?" }).waitFor();
  await page.keyboard.press("c");
  await page.getByText("You're working on this").waitFor();
  await page.getByText("Unassigned, claimed by you").waitFor();
  assert.equal((await service.call<Told>("GET", `/api/tasks/${id}`)).claimed_by_email, ADA);
  await page.keyboard.press("z");
  await page.getByText("You're working on this").waitFor({ state: "detached" });
  assert.equal((await service.call<Told>("GET", `/api/tasks/${id}`)).claim_expires_at, null);
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByText("You're working on this").waitFor({ state: "detached" });
  await page.getByRole("alert").filter({ hasText: "Released" }).getByRole("button", { name: "Undo" }).click();
  await page.getByText("You're working on this").waitFor();
});

testInBrowser("each toast undoes what it is about, and says so", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "First", { timeout_seconds: 600 });
  await createTask(service, "Second");
  const page = await open();
  const says = (text: string) => page.getByRole("alert").filter({ hasText: text });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
  await page.keyboard.press("c");
  await says("Claimed").waitFor();
  await page.keyboard.press("s");
  await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
  await says("Claimed").getByRole("button", { name: "Undo" }).click();
  await says("Claim undone").waitFor();
  await says("Claimed").waitFor({ state: "detached" });
  assert.equal((await service.call<Told>("GET", `/api/tasks/${id}`)).claimed_by_email, null);
  await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
  await page.keyboard.press("z");
  await says("Skip undone").waitFor();
  await says("Skipped").waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
});

testInBrowser("Ctrl and Enter send from anywhere on the task's page, also what a reload left", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Anywhere", { timeout_seconds: 600 });
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.reload();
  await page.waitForFunction(() => document.activeElement?.textContent === "Anywhere");
  // The answer is not in sight there.
  await page.getByRole("tab", { name: "Raw" }).click();
  await page.getByRole("heading", { name: "Fetch it" }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("tab", { name: "Review" }).click();
  await page.getByRole("radio", { name: "Yes" }).waitFor();
  await page.getByRole("button", { name: "More" }).focus();
  await page.keyboard.press("Control+Enter");
  await page.getByText("Answer sent").waitFor();
  assert.deepEqual((await service.call<Told>("GET", `/api/tasks/${id}`)).response, { approved: true });
});

for (const redact_payload of [false, true])
  testInBrowser(
    `what was entered stays when the task is deleted meanwhile${redact_payload ? ", without a draft too" : ""}`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, ADA);
      const { id } = await createTask(service, "Soon gone", { redact_payload });
      const page = await open({ expected: [/status of 404/] });
      await signIn(page, service, ADA, `/tasks/${id}`);
      await page.getByRole("textbox", { name: /Note/ }).fill("A long thought");
      await page.getByText("You're working on this").waitFor();
      const headers = { authorization: `Bearer ${TOKEN}` };
      assert.equal((await fetch(`${service.url}/api/tasks/${id}`, { method: "DELETE", headers })).status, 204);
      await page.getByRole("heading", { name: "This task doesn't exist, or it was deleted" }).waitFor();
      const unsent = page.getByRole("region", { name: "Your unsent answer" });
      assert.equal(await unsent.locator("dl").innerText(), "Note\nA long thought");
      await axe(page);
    },
  );

for (const size of ["phone", "wide"] as const)
  testInBrowser(`beside a long address, the button that takes over is not cut (${size})`, async (open, t) => {
    const service = await serve(t);
    const long = `${"long".repeat(14)}@${"sub.".repeat(12)}example.com`;
    await addOperator(service, ADA);
    await addOperator(service, long);
    const { id } = await createTask(service, "One at a time");
    const [theirs, page] = [await open(), await open({ size })];
    await signIn(theirs, service, long, `/tasks/${id}`);
    await theirs.getByRole("textbox", { name: /Note/ }).fill("Mine");
    await signIn(page, service, ADA, `/tasks/${id}`);
    const button = page.getByRole("button", { name: "Take over" });
    await button.waitFor();
    assert.deepEqual(
      await button.evaluate(
        (one) =>
          [one, ...one.querySelectorAll("*")].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .length,
      ),
      0,
    );
    assert.ok(await page.locator(".held").evaluate((one) => one.scrollWidth <= one.clientWidth));
    await screenshot(page, `task-held-long-${size}`);
  });

testInBrowser("a tab is called as its task, and the inbox has the count", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Approve the refund?");
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.waitForFunction(() => document.title === "Approve the refund? - Human Task Service");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.title === "(1) Inbox - Human Task Service");
});

/** Checks who is named. Names of people come after the rows, which have addresses until then. @param who - null: no one */
async function names(named: Locator, who: string | null, message?: string): Promise<void> {
  if (who !== null) await named.filter({ hasText: new RegExp(`^${who}$`) }).waitFor();
  assert.deepEqual(await named.allInnerTexts(), who === null ? [] : [who], message);
}

testInBrowser("a closed task says who closed it, in the list and in its head", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addAssignee(service, "mia@example.com");
  const hers = await createTask(service, "Answered by Mia", { assign_to: { email: ADA } });
  const agents = await createTask(service, "Answered for Ada", { assign_to: { email: ADA } });
  const nobodys = await createTask(service, "Answered by no one known");
  const cancelled = await createTask(service, "Not needed");
  const given = { response: { approved: true } };
  const mia = { completed_by_email: "mia@example.com", completed_via_channel: "slack" };
  await service.call("POST", `/api/tasks/${hers.id}/complete`, { ...given, ...mia });
  await service.call("POST", `/api/tasks/${agents.id}/complete`, { ...given, completed_by_email: ADA });
  await service.call("POST", `/api/tasks/${nobodys.id}/complete`, given);
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`, { reason: "Duplicate" });
  const page = await open();
  await signIn(page, service, ADA, "/inbox?scope=done");
  for (const [task, id, who, sentence] of [
    ["Answered by Mia", hers.id, "mia", /^mia answered this on .*, through Slack\./],
    ["Answered for Ada", agents.id, "ada, through the API", /^ada answered this on .*, through the API\./],
    [
      "Answered by no one known",
      nobodys.id,
      "Someone, through the API",
      /^Someone answered this on .*, through the API/,
    ],
    ["Not needed", cancelled.id, null, /^The agent cancelled this task on /],
  ] as const) {
    const row = page.getByRole("link", { name: new RegExp(`^${task}`) });
    await names(row.locator(".task-meta:last-child .who"), who);
    await row.click();
    await page.getByRole("heading", { level: 1, name: task }).waitFor();
    await names(page.locator(".task-state .who"), who, id);
    await page.getByText(sentence).waitFor();
  }
  await axe(page);
});

testInBrowser("a claim of somebody else keeps nobody from answering who wants to", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addAssignee(service, "mia@example.com");
  const { id } = await createTask(service, "Forgotten claim", { assign_to: { email: "mia@example.com" } });
  const [ada, mia] = [await open(), await open()];
  await signIn(ada, service, ADA, `/tasks/${id}`);
  await ada.getByRole("heading", { level: 1, name: "Forgotten claim" }).waitFor();
  await ada.keyboard.press("c");
  await ada.getByText("You're working on this").waitFor();
  await signIn(mia, service, "mia@example.com", `/tasks/${id}`);
  await mia.getByText("ada@example.com is working on this").waitFor();
  assert.equal(await mia.getByRole("button", { name: "Submit answer" }).isDisabled(), true);
  await axe(mia);
  await mia.getByRole("button", { name: "Answer anyway" }).click();
  await mia.getByRole("radio", { name: "Yes" }).check();
  await mia.getByRole("button", { name: "Submit answer" }).click();
  await mia.getByText("Answer sent").waitFor();
  const told = await service.call<Told>("GET", `/api/tasks/${id}`);
  assert.deepEqual(
    [told.status, told.completed_by_email, told.claimed_by_email],
    ["completed", "mia@example.com", null],
  );
});

testInBrowser("a task that was cancelled says to everyone that it was, and why", async (open, t) => {
  const service = await serve(t);
  await addAssignee(service, "mia@example.com");
  const { id } = await createTask(service, "Not needed", { assign_to: { email: "mia@example.com" } });
  await service.call("POST", `/api/tasks/${id}/cancel`, { reason: "Duplicate of order 48219" });
  const page = await open();
  await signIn(page, service, "mia@example.com", `/tasks/${id}`);
  // Only operators see who did what.
  await page.getByText(/^This task was cancelled on /).waitFor();
  await page.getByText("Reason: Duplicate of order 48219").waitFor();
  await axe(page);
});

testInBrowser(
  "the page of a cancelled task names the agent that cancelled it, and no agent that was stopped",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const { id: agent, asAgent } = await addAgent(service, "refunds-bot");
    const own = await createTask(asAgent, "Cancelled by its agent");
    await createTask(asAgent, "Stopped");
    await asAgent.call("POST", `/api/tasks/${own.id}/cancel`);
    await service.call("PATCH", `/api/agents/${agent}`, { disabled: true, cancel_open_tasks: true });
    const page = await open();
    await signIn(page, service, ADA, `/tasks/${own.id}?scope=done`);
    await page.getByText(/^refunds-bot cancelled this task on /).waitFor();
    await page.getByRole("link", { name: /^Stopped/ }).click();
    await page.getByRole("heading", { level: 1, name: "Stopped" }).waitFor();
    await page.getByText("Reason: The agent was stopped.").waitFor();
    await page.getByText(/^This task was cancelled on /).waitFor();
    assert.equal(await page.getByText(/agent cancelled|by the agent/).count(), 0);
  },
);

testInBrowser(
  "who holds a task is seen by the other before they enter anything, and what is entered stays",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await addOperator(service, "bob@example.com");
    const { id } = await createTask(service, "One at a time");
    const [ada, bob] = [await open(), await open()];
    await signIn(ada, service, ADA, `/tasks/${id}`);
    await signIn(bob, service, "bob@example.com", `/tasks/${id}`);
    await ada.getByRole("textbox", { name: /Note/ }).fill("From Ada");
    await bob.getByText("ada@example.com is working on this").waitFor();
    assert.equal(await bob.getByRole("textbox", { name: /Note/ }).isDisabled(), true);
    assert.equal(await bob.getByRole("button", { name: "Submit answer" }).isDisabled(), true);
    await axe(bob);
    await screenshot(bob, "task-held");
    await bob.getByRole("button", { name: "Take over" }).click();
    await ada.getByText("bob@example.com is working on this").waitFor();
    assert.equal(await ada.getByRole("textbox", { name: /Note/ }).inputValue(), "From Ada");
  },
);

testInBrowser("what the service finds in an answer stands at its field, and nothing is lost", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Refused", {
    response_schema: {
      type: "object",
      properties: { code: { type: "string", title: "Code" }, note: { type: "string" } },
      required: ["code"],
    },
  });
  const page = await open({ expected: [/status of 422/] });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("textbox", { name: "Code" }).fill("A-1");
  await page.route(`**/api/tasks/${id}/complete`, (route) =>
    route.fulfill({
      status: 422,
      json: {
        error_code: "RESPONSE_VALIDATION_FAILED",
        message: "The response does not fit.",
        details: [{ path: "/response/code", message: "no", keyword: "pattern" }],
      },
    }),
  );
  await page.getByRole("button", { name: "Submit answer" }).click();
  const code = page.getByRole("textbox", { name: "Code" });
  await page.waitForFunction(() => document.querySelector("[aria-invalid='true']"));
  assert.equal(await code.getAttribute("aria-invalid"), "true");
  assert.equal(await code.inputValue(), "A-1");
  await page.unroute(`**/api/tasks/${id}/complete`);
  await code.fill("A-2");
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { name: "All done" }).waitFor();
  assert.deepEqual((await service.call<Told>("GET", `/api/tasks/${id}`)).response, { code: "A-2" });
});

testInBrowser("a schema that no form can ask for is answered as JSON", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Anything", {
    response_schema: { type: "object", properties: { any: { not: { type: "null" } } }, required: ["any"] },
  });
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("textbox", { name: /Any/ }).fill(`{"deep": [1, 2]}`);
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { name: "All done" }).waitFor();
  assert.deepEqual((await service.call<Told>("GET", `/api/tasks/${id}`)).response, { any: { deep: [1, 2] } });
});

/** The session ends, and the next press of the button finds out, unless something that the page asks by itself was first. */
async function signOutElsewhere(page: Page): Promise<void> {
  await page.context().clearCookies();
  // A click as of a pointer would wait for a dialog that is there already to go away.
  await page.getByRole("button", { name: "Submit answer" }).dispatchEvent("click");
}

testInBrowser("on a phone, a message covers neither bar at the bottom", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Short", {
    payload: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`row_${i}`, i])),
  });
  const page = await open({ size: "phone" });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Change deadline" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Change deadline" }).click();
  const message = page.getByRole("alert").filter({ hasText: "Deadline changed" });
  await message.waitFor();
  await screenshot(page, "phone-toast");
  const [box, bar] = [await message.boundingBox(), await page.locator(".answer-bar").boundingBox()];
  assert.ok(box && bar && box.y + box.height <= bar.y, JSON.stringify({ box, bar }));
});

testInBrowser("whoever is signed out while they type signs in over the page, and goes on", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  // No draft is kept of a redacted task: what stays, stays on the page.
  const { id } = await createTask(service, "Long thought", { redact_payload: true });
  const page = await open({ expected: [/status of 401/] });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("textbox", { name: /Note/ }).fill("A long thought");
  await page.getByRole("radio", { name: "Yes" }).check();
  await signOutElsewhere(page);
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.waitFor();
  await axe(page);
  await screenshot(page, "signed-out");
  await dialog.getByLabel(/Password/).fill("not this one");
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel(/Password/).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("textbox", { name: /Note/ }).inputValue(), "A long thought");
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { name: "All done" }).waitFor();
});

testInBrowser("what was asked before somebody signed in again does not sign them out", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Long thought");
  const page = await open({ expected: [/status of 401/] });
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("radio", { name: "Yes" }).check();
  await signOutElsewhere(page);
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.waitFor();
  // The page asks for something once more, and is answered late.
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (route: Route): Promise<void> => {
    asked.resolve();
    await released.promise;
    await route.fulfill({ status: 401, json: { error_code: "UNAUTHENTICATED", message: "Sign in." } });
  };
  await page.route("**/api/tasks/counts", answer, { times: 1 });
  await createTask(service, "Another one");
  await asked.promise;
  await dialog.getByLabel(/Password/).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const late = page.waitForResponse((response) => response.status() === 401);
  released.resolve();
  await late;
  // The page goes on to a task that its list has.
  await page.getByRole("link", { name: /^Another one/ }).waitFor();
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { name: "Another one" }).waitFor();
});

testInBrowser("each answer that waits can be taken back, while one works on the next", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const one = await createTask(service, "One", { timeout_seconds: 600 });
  const two = await createTask(service, "Two", { timeout_seconds: 1200 });
  const three = await createTask(service, "Three", { timeout_seconds: 1800, redact_payload: true });
  const status = async ({ id }: { id: string }) => (await service.call<Told>("GET", `/api/tasks/${id}`)).status;
  const page = await open({ expected: [/status of 409/] });
  await signIn(page, service, ADA);
  await page.evaluate(() => localStorage.setItem("preferences", JSON.stringify({ sendDelay: 5 })));
  await page.goto(`${service.url}/tasks/${one.id}`);
  await page.clock.install();
  const shows = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  const answer = async (choice: string): Promise<void> => {
    await page.getByRole("radio", { name: choice }).check();
    await page.getByRole("button", { name: "Submit answer" }).click();
  };
  const sending = (name: string) => page.getByRole("alert").filter({ hasText: `Sending in 5 seconds: ${name}` });
  const asksBeforeLeaving = () => page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await shows("One");
  await answer("Yes");
  await shows("Two");
  await answer("No");
  await shows("Three");
  await sending("Two").waitFor();
  await page.getByRole("link", { name: /^Two/ }).getByText("Sending").waitFor();
  assert.equal(await asksBeforeLeaving(), true);
  await sending("One").getByRole("button", { name: "Undo" }).click();
  await shows("One");
  await page.getByText("Not sent. Your answer is still here.").waitFor();
  assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
  assert.deepEqual([await status(one), await status(two)], ["created", "created"]);
  await page.clock.fastForward(6_000);
  await page.getByText("Answer sent").waitFor();
  await page.getByRole("link", { name: /^Two/ }).waitFor({ state: "detached" });
  assert.deepEqual([await status(one), await status(two)], ["created", "completed"]);
  assert.equal(await asksBeforeLeaving(), false);

  // What was entered for a confidential task is there again as well, though the browser keeps no draft of it.
  await answer("Yes");
  await shows("Three");
  await page.getByRole("textbox", { name: /Note/ }).fill("Between us");
  await answer("Yes");
  await page.waitForURL("**/inbox");
  await page.getByText("Select a task.").waitFor();
  await page.keyboard.press("z");
  await shows("Three");
  assert.equal(await page.getByRole("textbox", { name: /Note/ }).inputValue(), "Between us");

  // An answer that is not accepted comes back.
  await service.call("POST", `/api/tasks/${one.id}/complete`, { response: { approved: false } });
  await page.clock.fastForward(6_000);
  const refused = page.getByRole("alert").filter({ hasText: "One: This task was closed while you were working." });
  await refused.getByRole("button", { name: "Open" }).click();
  await shows("One");
  await page.getByRole("region", { name: "Your unsent answer" }).waitFor();
  assert.equal(await status(three), "created");
});

testInBrowser(
  "an operator assigns, extends, cancels and deletes, and is asked before what cannot be undone",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    await addOperator(service, "bob@example.com");
    const { id } = await createTask(service, "To be moved");
    const page = await open({ expected: [/status of 404/] });
    await signIn(page, service, ADA, `/tasks/${id}`);
    const choose = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await choose("Assign");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("p");
    const people = page.getByRole("combobox", { name: "To" });
    await hasFocus(people);
    await people.fill("bob");
    await page.getByRole("option", { name: "bob" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Assign" }).click();
    await page.getByText("Assigned to bob").waitFor();
    assert.equal((await service.call<Told>("GET", `/api/tasks/${id}`)).assigned_to_email, "bob@example.com");

    await choose("Change deadline");
    const deadline = page.getByRole("dialog", { name: "Change the deadline?" });
    await deadline.getByRole("combobox", { name: "New deadline" }).click();
    await page.getByRole("option", { name: "In 3 days" }).click();
    await axe(page);
    await deadline.getByRole("button", { name: "Change deadline" }).click();
    await page.getByText("Deadline changed").waitFor();
    const { timeout_seconds } = await service.call<{ timeout_seconds: number }>("GET", `/api/tasks/${id}`);
    assert.ok(timeout_seconds >= 259_200, String(timeout_seconds));

    // A moment of one's own, in one's own time zone. The activity says what it was before.
    await choose("Change deadline");
    await deadline.getByRole("combobox", { name: "New deadline" }).click();
    await page.getByRole("option", { name: "Date and time" }).click();
    const moment = deadline.getByLabel("Date and time");
    await moment.fill("2020-01-31T12:00");
    await deadline.getByText("Choose a time in the future.").first().waitFor();
    const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    await moment.fill(`${day}T09:30`);
    await deadline.getByText(/^The task will time out on .* 9:30\sAM\.$/).waitFor();
    await axe(page);
    await screenshot(page, "task-deadline");
    await deadline.getByRole("button", { name: "Change deadline" }).click();
    await deadline.waitFor({ state: "detached" });
    const { timeout_at } = await service.call<Told>("GET", `/api/tasks/${id}`);
    assert.equal(timeout_at.slice(0, 19), `${day}T09:30:00`);
    await page.getByRole("tab", { name: "Activity" }).click();
    await page
      .getByRole("region", { name: "What happened" })
      .getByText(/changed the deadline from .* to .* 9:30\sAM$/)
      .waitFor();
    await page.getByRole("tab", { name: "Review" }).click();

    await choose("Cancel task");
    const cancel = page.getByRole("dialog", { name: "Cancel this task?" });
    await cancel.waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Keep it open");
    await axe(page);
    await cancel.getByLabel("Reason").fill("Not needed");
    await cancel.getByRole("button", { name: "Cancel task" }).click();
    await page.getByText(/^You cancelled this task on /).waitFor();
    await page.getByText("Reason: Not needed").waitFor();
    assert.equal((await service.call<Told>("GET", `/api/tasks/${id}`)).status, "cancelled");

    await choose("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete this task?" });
    await dialog.getByText(/the agent gets a 404/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await choose("Delete");
    await dialog.getByRole("button", { name: "Delete task" }).click();
    await page.waitForURL("**/inbox");
    assert.equal((await service.call<{ error_code: string }>("GET", `/api/tasks/${id}`)).error_code, "TASK_NOT_FOUND");
  },
);

testInBrowser(
  "the activity tells all that happened, what became of the callback, and which hints did nothing",
  async (open, t) => {
    const receiver = await startReceiver((response) => response.writeHead(500).end());
    t.after(() => receiver.close());
    const service = await serve(t, { SERVICE_CALLBACK_ALLOW_PRIVATE: "1" });
    await addOperator(service, ADA);
    const { id } = await createTask(service, "With a callback", {
      callback_url: receiver.url,
      form_definition: { nothing_like_it: { widget: "textarea" } },
    });
    const page = await open();
    await signIn(page, service, ADA, `/tasks/${id}`);
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.getByRole("heading", { name: "All done" }).waitFor();
    await receiver.until(1);
    // What came of the attempt is written down.
    await service.ctx.deliveries.settle();
    await page.goto(`${service.url}/tasks/${id}?scope=done`);
    await page.getByRole("heading", { level: 1, name: "With a callback" }).waitFor();
    await page.keyboard.press("]");
    const happened = page.getByRole("region", { name: "What happened" });
    await happened.getByText("ada@example.com answered").waitFor();
    await happened.getByText("The agent created the task").waitFor();
    await page.getByRole("region", { name: "Ignored hints" }).getByText("/nothing_like_it", { exact: true }).waitFor();
    const callback = page.getByRole("region", { name: "Callback" });
    await callback.getByText(/last answer 500/).waitFor();
    await axe(page);
    await screenshot(page, "task-activity");
    await callback.getByRole("button", { name: "Redeliver" }).click();
    await receiver.until(2);
    await page.keyboard.press("]");
    await page.getByRole("region", { name: "Response" }).getByText(`"approved": true`).waitFor();
    await axe(page);
    await screenshot(page, "task-raw");
  },
);

testInBrowser("a page that loses its connection says so, and catches up by itself", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/Failed to load resource/, /ERR_/] });
  await page.clock.install();
  await page.route("**/api/events", (route) => route.abort());
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  await page.clock.fastForward(6_000);
  await page.getByText("Reconnecting").waitFor();
  await createTask(service, "Meanwhile");
  await page.clock.fastForward(16_000);
  await page.getByRole("link", { name: /^Meanwhile/ }).waitFor();
});
