import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser, type Open } from "./support/browser.ts";
import { addOperator, PASSWORD, serve, type Service } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const args = { to: "Nordwind", amount: 90 };
const args_schema = { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } };
const pay = { name: "pay", args, args_schema, allowed: ["approve", "edit", "reject"] };

const HIDDEN = "What others decide is hidden until the end.";

interface Task {
  id: string;
  status: string;
  response: unknown;
  approvals: { have: number };
}

let keys = 0;

/** Adds people of the desk, who decide. */
async function addDesk(service: Service, ...names: string[]): Promise<void> {
  for (const name of names)
    await service.call("POST", "/api/users", {
      email: `${name.toLowerCase()}@example.com`,
      display_name: name,
      pool: "desk",
      password: PASSWORD,
    });
}

async function ask(service: Service, approvals: object, fields: object = {}): Promise<string> {
  const { id } = await service.call<Task>("POST", "/api/tasks", {
    task: "Pay Nordwind?",
    timeout_seconds: 3600,
    idempotency_key: `approvals-${++keys}`,
    action: pay,
    approvals: { from: { pool: "desk" }, ...approvals },
    ...fields,
  });
  return id;
}

async function openAs(open: Open, service: Service, name: string, id: string, options: object = {}): Promise<Page> {
  const page = await open(options);
  await signIn(page, service, `${name.toLowerCase()}@example.com`, `/tasks/${id}`);
  await page.locator(".approvals").waitFor();
  return page;
}

/** Waits until the page says this of the approvals. */
const says = (page: Page, sentence: string): Promise<void> =>
  page.locator(".approvals-standing").getByText(sentence, { exact: true }).waitFor();

/** Changes the arguments as the person of a page does, without the page. */
async function edit(page: Page, service: Service, id: string): Promise<void> {
  const edited = await page.context().request.post(`${service.url}/api/tasks/${id}/complete`, {
    headers: { origin: service.url },
    data: { response: { decision: "edit", args: { ...args, amount: 45 } } },
  });
  assert.equal(edited.status(), 200);
}

const view = (page: Page): Promise<void> => page.getByRole("button", { name: "View" }).click();

testInBrowser("three people agree without seeing each other, about what one of them changed", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben", "Cy");
  const id = await ask(service, { need: 3, blind: true });
  const ada = await openAs(open, service, "Ada", id);
  const ben = await openAs(open, service, "Ben", id);
  const cy = await openAs(open, service, "Cy", id);
  await says(ada, `3 people must approve. ${HIDDEN}`);
  await ada.getByRole("button", { name: "Approve" }).click();
  await view(ada);
  await says(ada, `You approved. ${HIDDEN}`);
  await says(ben, `3 people must approve. ${HIDDEN}`);

  await cy.getByRole("button", { name: "Reject" }).click();
  await cy.getByRole("textbox", { name: "Message" }).fill("Not this week.");

  await ben.getByRole("button", { name: "Edit" }).click();
  await ben.getByRole("textbox", { name: "Amount" }).fill("45");
  await ben.getByRole("button", { name: "Approve with changes" }).click();
  await view(ben);
  await says(ben, `You approved. ${HIDDEN}`);
  await ben.getByText("You changed the arguments.").waitFor();

  // Nothing says who did it.
  await ada.getByText("Someone changed the arguments. Approvals from before do not count.").waitFor();
  await says(ada, `3 people must approve. ${HIDDEN}`);
  const card = ada.locator(".action-card");
  await card.getByText("Nordwind").waitFor();
  assert.deepEqual([await card.locator("del").innerText(), await card.locator("ins").innerText()], ["90", "45"]);
  assert.equal(await ada.getByText("Ben").count(), 0);
  await axe(ada);
  await screenshot(ada, "approvals-round");

  await cy
    .getByRole("alert")
    .getByText("Someone has just changed the arguments. What you typed is kept. Look at")
    .waitFor();
  assert.equal(await cy.getByRole("textbox", { name: "Message" }).inputValue(), "Not this week.");
  await screenshot(cy, "approvals-changed");
  await cy.getByRole("button", { name: "Back" }).click();
  await cy.getByRole("button", { name: "Approve" }).click();
  await view(cy);
  await says(cy, `You approved. ${HIDDEN}`);
  await ada.getByRole("button", { name: "Approve" }).click();
  await ada.getByText("Answer sent").waitFor();
  for (const [page, sentence] of [
    [ben, "3 of 3: You, Cy, and Ada approved"],
    [cy, "3 of 3: You, Ben, and Ada approved"],
  ] as const)
    await says(page, sentence);
  await ben.locator(".action-result").getByText("Approved with changes").waitFor();
  await ben.getByText("This was decided on").waitFor();
  await axe(ben);
  await screenshot(ben, "approvals-ended");
  const { status, response } = await service.call<Task>("GET", `/api/tasks/${id}`);
  assert.equal(status, "completed");
  assert.deepEqual(response, {
    decision: "edit",
    args: { ...args, amount: 45 },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
});

testInBrowser("a decision about other arguments than the page shows is not sent", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben", "Cy");
  const id = await ask(service, { need: 2 });
  const ben = await openAs(open, service, "Ben", id, { expected: [/status of 409/] });
  const ada = await openAs(open, service, "Ada", id);
  await ben.route("**/complete", async (route) => {
    await edit(ada, service, id);
    await route.continue();
  });
  await ben.getByRole("button", { name: "Approve" }).click();
  await ben.getByRole("alert").getByText("so nothing was sent").waitFor();
  await says(ben, "1 of 2: Ada approved, waiting for one more");
  assert.equal(await ben.locator(".action-card ins").innerText(), "45");
  assert.equal((await service.call<Task>("GET", `/api/tasks/${id}`)).approvals.have, 1);
});

testInBrowser("somebody whose decision does not count sees why, in place of the buttons", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben");
  await addOperator(service, "dana@example.com");
  const first = await ask(service, { need: 1 });
  const id = await ask(service, { need: 1, exclude: [`answered:${first}`] });
  const ada = await openAs(open, service, "Ada", first);
  await ada.getByRole("button", { name: "Approve" }).click();
  await ada.getByText("Answer sent").waitFor();
  for (const [name, reason] of [
    ["Ada", `You decided task ${first}, so someone else has to decide this one.`],
    ["Dana", 'This task is offered to the pool "desk".'],
  ] as const) {
    const page = await openAs(open, service, name, id);
    await page.locator(".approvals").getByText(`You cannot decide this. ${reason}`).waitFor();
    await page.locator(".action-card").getByText("Nordwind").waitFor();
    await hasCount(page.locator(".action-bar"), 0);
    await page.keyboard.press("a");
    await axe(page);
    await screenshot(page, `approvals-refused-${name.toLowerCase()}`);
  }
  assert.equal((await service.call<Task>("GET", `/api/tasks/${id}`)).approvals.have, 0);
  const ben = await openAs(open, service, "Ben", id);
  await ben.getByRole("button", { name: "Approve" }).click();
  await ben.getByText("Answer sent").waitFor();
});

testInBrowser("a person takes their decision back, or decides otherwise, while the task is open", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben", "Cy");
  const id = await ask(service, { need: 2, veto: "none" });
  const page = await openAs(open, service, "Ada", id);
  await says(page, "0 of 2: no approvals yet, waiting for 2 people");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await page.keyboard.press("a");
  // The task says so as well, until the page leaves it.
  await page.getByRole("alert").getByText("1 of 2: You approved, waiting for one more").waitFor();
  await view(page);
  await says(page, "1 of 2: You approved, waiting for one more");
  assert.equal(await page.getByRole("button", { name: "Approve" }).getAttribute("aria-pressed"), "true");
  await axe(page);
  await screenshot(page, "approvals-decided");
  await page.getByRole("button", { name: "Take it back" }).click();
  await says(page, "0 of 2: no approvals yet, waiting for 2 people");
  await page.getByText("Your decision was taken back").waitFor();
  await hasCount(page.getByRole("button", { name: "Take it back" }), 0);
  await page.getByRole("button", { name: "Approve" }).click();
  await view(page);
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Too much.");
  await page.locator(".action-open").getByRole("button", { name: "Reject" }).click();
  await view(page);
  await says(page, "0 of 2: You rejected, waiting for 2 people");
  assert.equal((await service.call<Task>("GET", `/api/tasks/${id}`)).approvals.have, 0);
});

testInBrowser("a batch tells tasks that wait for others from finished ones", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben");
  await addOperator(service, "dana@example.com");
  const alone = await ask(service, { need: 1 }, { task: "Pay one" });
  const both = await ask(service, { need: 2 }, { task: "Pay two" });
  const page = await open();
  await signIn(page, service, "ada@example.com");
  await page.getByText("0 of 2 approved").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByRole("link", { name: "Decide together" }).click();
  await page.getByRole("radio", { name: "Approve" }).check();
  await page.getByRole("button", { name: "Decide 2 tasks" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("1 of them waits for other people to approve.").waitFor();
  await page.locator("summary").getByText("2 tasks decided").click();
  await page.getByText("1 of 2: You approved, waiting for one more").waitFor();
  await axe(page);
  await screenshot(page, "approvals-batch");
  for (const [id, status] of [
    [alone, "completed"],
    [both, "created"],
  ] as const)
    assert.equal((await service.call<Task>("GET", `/api/tasks/${id}`)).status, status);

  const dana = await openAs(open, service, "dana", both);
  await dana.getByText("1 of 2 approved").waitFor();
  await dana.getByRole("tab", { name: "Activity" }).click();
  await dana.getByText("ada@example.com approved it (1 of 2)").waitFor();
  await screenshot(dana, "approvals-activity");
});

testInBrowser("a batch shows the arguments as they were changed, and decides about these", async (open, t) => {
  const service = await serve(t);
  await addDesk(service, "Ada", "Ben", "Cy");
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push(await ask(service, { need: 3 }, { task: `Pay ${i}` }));
  await edit(await openAs(open, service, "Ben", ids[0]!), service, ids[0]!);
  const page = await open();
  await signIn(page, service, "ada@example.com");
  await page.getByText("1 of 3 approved").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByRole("link", { name: "Decide together" }).click();
  await page.locator(".batch-rows").getByText("45").waitFor();
  await page.getByRole("radio", { name: "Approve" }).check();
  await page.getByRole("button", { name: "Decide 10 tasks" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("All of them wait for other people to approve.").waitFor();
  assert.equal((await service.call<Task>("GET", `/api/tasks/${ids[0]!}`)).approvals.have, 2);
});
