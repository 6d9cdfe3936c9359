import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addAgent, addOperator, serve, type Service } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const DANA = "dana@example.com";

const args = {
  order: "48219",
  amount: 90,
  to: { name: "Mia", city: "Bern" },
  lines: [{ text: "Jacket" }, { text: "Shoes" }],
};
const args_schema = {
  type: "object",
  properties: {
    order: { type: "string" },
    amount: { type: "number", maximum: 100 },
    to: { type: "object", properties: { name: { type: "string" }, city: { type: "string" } } },
    lines: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
  },
  required: ["amount"],
};
const ALL = ["approve", "edit", "reject", "respond"];
const refund = { name: "refund", description: "Pays the customer back.", args, args_schema, allowed: ALL };

interface Task {
  id: string;
  status: string;
  response: unknown;
}

let keys = 0;

/** Asks as an agent, and opens the task as Dana. */
async function asked(
  open: (options?: object) => Promise<Page>,
  service: Service,
  fields: object,
  options: object = {},
): Promise<{ page: Page; read: () => Promise<Task> }> {
  await addOperator(service, DANA);
  const { asAgent } = await addAgent(service, "refunds-bot");
  const { id } = await asAgent.call<Task>("POST", "/api/tasks", {
    task: "Refund order 48219?",
    timeout_seconds: 3600,
    idempotency_key: `action-${++keys}`,
    ...fields,
  });
  const page = await open(options);
  await signIn(page, service, DANA, `/tasks/${id}`);
  await page.getByRole("button", { name: "Approve" }).first().waitFor();
  return { page, read: () => service.call<Task>("GET", `/api/tasks/${id}`) };
}

/** Waits until the answer is sent. */
const sent = (page: Page): Promise<void> => page.getByText("Answer sent").waitFor();

testInBrowser("an action says who wants to run it, and one key approves it", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: refund });
  await page.getByText("refunds-bot wants to run refund").waitFor();
  await page.getByText("Pays the customer back.").waitFor();
  await axe(page);
  await screenshot(page, "action");
  await page.keyboard.press("a");
  await sent(page);
  assert.deepEqual((await read()).response, { decision: "approve", args });
  await page.getByRole("button", { name: "View" }).click();
  await page.locator(".action-result").getByText("Approved by you").waitFor();
});

testInBrowser("an edit is beside the original, and is sent with what it changed", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: refund });
  await page.keyboard.press("e");
  const approve = page.getByRole("button", { name: "Approve with changes" });
  assert.equal(await approve.isDisabled(), true);
  const amount = page.getByRole("textbox", { name: "Amount" });
  await amount.fill("45");
  const side = page.locator(".action-side.changed");
  assert.equal(await side.count(), 1);
  assert.equal(await side.locator("del").innerText(), "90");
  await axe(page);
  await screenshot(page, "action-edit");
  // It closes the form, and keeps what was entered.
  await page.keyboard.press("Escape");
  await hasCount(amount, 0);
  await page.keyboard.press("e");
  assert.equal(await amount.inputValue(), "45");
  await amount.press("Control+Enter");
  await sent(page);
  assert.deepEqual((await read()).response, {
    decision: "edit",
    args: { ...args, amount: 45 },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
  await page.getByRole("button", { name: "View" }).click();
  const result = page.locator(".action-result");
  await result.getByText("Approved with changes by you").waitFor();
  assert.deepEqual([await result.locator("del").innerText(), await result.locator("ins").innerText()], ["90", "45"]);
  await axe(page);
});

testInBrowser(
  "arguments are money and code where hints say so, also while they are edited and after that",
  async (open, t) => {
    const ui_schema = {
      amount: { "ui:title": "Sum", "ui:widget": "currency", "ui:currency": "EUR" },
      script: { "ui:widget": "code" },
    };
    const action = { ...refund, args: { amount: 90, script: "pay(90)" }, args_schema: undefined, ui_schema };
    const { page, read } = await asked(open, await serve(t), { action });
    const card = page.locator(".action-card");
    await card.getByText("€90.00").waitFor();
    await card.locator("pre", { hasText: "pay(90)" }).waitFor();
    await page.keyboard.press("e");
    await page.locator("textarea[name='/args/script']").waitFor();
    await card.getByText("In EUR").waitFor();
    await page.getByRole("textbox", { name: "Sum" }).fill("45");
    assert.equal(await page.locator(".action-side.changed del").innerText(), "€90.00");
    await axe(page);
    await screenshot(page, "action-hints");
    await page.getByRole("button", { name: "Approve with changes" }).click();
    await sent(page);
    assert.deepEqual(((await read()).response as { args: object }).args, { amount: 45, script: "pay(90)" });
    await page.getByRole("button", { name: "View" }).click();
    const result = page.locator(".action-result");
    await result.getByText("Sum").waitFor();
    assert.deepEqual(
      [await result.locator("del").innerText(), await result.locator("ins").innerText()],
      ["€90.00", "€45.00"],
    );
  },
);

testInBrowser("an edit keeps the arguments that the schema does not describe", async (open, t) => {
  const more = { ...args, trace: "t-1", to: { ...args.to, vip: true } };
  const { page, read } = await asked(open, await serve(t), { action: { ...refund, args: more } });
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Amount" }).fill("45");
  await page.getByRole("button", { name: "Approve with changes" }).click();
  await sent(page);
  assert.deepEqual((await read()).response, {
    decision: "edit",
    args: { ...more, amount: 45 },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
});

testInBrowser("nothing outside of what is editable has a field", async (open, t) => {
  const action = { ...refund, editable: ["/amount", "/to/city", "/lines/1/text"] };
  const { page, read } = await asked(open, await serve(t), { action });
  await page.keyboard.press("e");
  const fields = page.locator(".action-edit :is(input, textarea):not([type='hidden'])");
  assert.deepEqual(await fields.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).name)), [
    "/args/amount",
    "/args/to/city",
    "/args/lines/1/text",
  ]);
  await hasCount(page.locator(".action-edit button"), 0);
  await page.getByRole("textbox", { name: "City" }).fill("Basel");
  await page.keyboard.press("Control+Enter");
  await sent(page);
  const { response } = await read();
  assert.deepEqual(response, {
    decision: "edit",
    args: { ...args, to: { name: "Mia", city: "Basel" } },
    patch: [{ op: "replace", path: "/to/city", value: "Basel" }],
  });
});

testInBrowser("what the schema forbids is said at its field, and nothing is sent", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: refund });
  await page.keyboard.press("e");
  const amount = page.getByRole("textbox", { name: "Amount" });
  await amount.fill("500");
  await amount.press("Control+Enter");
  await page.locator(".action-side").getByText("Use 100 or less.").waitFor();
  assert.equal((await read()).response, null);
});

testInBrowser("what the service refuses is said at its field", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: refund }, { expected: [/status of 422/] });
  await page.route("**/complete", (route) =>
    route.fulfill({
      status: 422,
      json: {
        error_code: "NOT_EDITABLE",
        message: "Not editable.",
        details: [{ path: "/response/args/to/name", message: "This argument cannot be changed.", keyword: "editable" }],
      },
    }),
  );
  await page.keyboard.press("e");
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("Lee");
  await name.press("Control+Enter");
  await page.locator(".action-side.changed .error").waitFor();
  assert.equal(await name.getAttribute("aria-invalid"), "true");
  assert.equal(await name.inputValue(), "Lee");
  assert.equal((await read()).response, null);
});

testInBrowser("neither a key nor Enter approves a high risk; its typed name does", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: { ...refund, risk: "high" } });
  await page.locator(".task-head").getByText("High risk").waitFor();
  await hasCount(page.locator(".action-bar .primary"), 0);
  await page.keyboard.press("a");
  const typed = page.getByRole("textbox", { name: /type refund/ });
  await page.waitForFunction(() => document.activeElement?.matches(".action-risk input"));
  await axe(page);
  await screenshot(page, "action-high-risk");
  const approve = page.locator(".action-open").getByRole("button", { name: "Approve" });
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/complete")) requests.push(request.url());
  });
  for (const [text, isReady] of [
    ["", false],
    ["refun", false],
    ["refund", true],
  ] as const) {
    await typed.fill(text);
    await page.keyboard.press("Enter");
    if (!isReady) await page.keyboard.press("Control+Enter");
    assert.equal(await approve.isDisabled(), !isReady, text);
  }
  assert.deepEqual(requests, []);
  assert.equal((await read()).response, null);
  await approve.click();
  await sent(page);
  assert.deepEqual((await read()).response, { decision: "approve", args });
});

testInBrowser("an edit of a high risk needs its name too", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: { ...refund, risk: "high" } });
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Amount" }).fill("45");
  const approve = page.getByRole("button", { name: "Approve with changes" });
  assert.equal(await approve.isDisabled(), true);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("textbox", { name: /type refund/ }).fill("refund");
  await approve.click();
  await sent(page);
  assert.equal(((await read()).response as { decision: string }).decision, "edit");
});

testInBrowser("a rejection opens its message, which is required where the action says so", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: { ...refund, message_required: ["reject"] } });
  await page.keyboard.press("r");
  const message = page.getByRole("textbox", { name: "Message" });
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.keyboard.press("Control+Enter");
  await page.locator(".action-open .error").waitFor();
  assert.equal((await read()).response, null);
  await message.fill("Ask Finance first.");
  await message.press("Control+Enter");
  await sent(page);
  assert.deepEqual((await read()).response, { decision: "reject", message: "Ask Finance first." });
  await page.getByRole("button", { name: "View" }).click();
  await page.locator(".action-result").getByText("Rejected by you").waitFor();
  await page.locator(".action-message").getByText("Ask Finance first.").waitFor();
});

const three = [
  { ...refund, allowed: ["approve", "edit", "reject"] },
  { name: "send_email", args: { subject: "Your refund" }, allowed: ALL },
  { name: "delete_customer", args: { id: "c-1" }, risk: "high" },
];
const risky = [
  { name: "delete_order", args: { id: "o-1" }, risk: "high" },
  { name: "delete_customer", args: { id: "c-1" }, risk: "high" },
  { name: "tell", args: {} },
];

testInBrowser("three actions are decided with the keyboard alone, and sent at once", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { actions: three });
  await page.getByText("refunds-bot wants to run 3 actions").waitFor();
  const send = page.getByRole("button", { name: "Send 3 decisions" });
  const focusIsOn = (index: number) =>
    page.waitForFunction((i) => document.activeElement?.getAttribute("data-action") === String(i), index);
  await page.keyboard.press("j");
  await focusIsOn(1);
  await page.keyboard.press("k");
  await focusIsOn(0);
  await page.keyboard.press("a");
  await focusIsOn(1);
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.keyboard.type("Write it in German.");
  await page.keyboard.press("Control+Enter");
  await focusIsOn(2);
  assert.equal(await send.isDisabled(), true);
  await page.keyboard.press("r");
  await page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await page.keyboard.press("Control+Enter");
  await page.getByText("3 of 3 decided: 1 approved, 1 rejected, 1 responded").waitFor();
  await focusIsOn(2);
  await axe(page);
  await screenshot(page, "actions");
  await page.keyboard.press("Control+Enter");
  await sent(page);
  assert.deepEqual((await read()).response, {
    decisions: [
      { decision: "approve", args },
      { decision: "respond", message: "Write it in German." },
      { decision: "reject" },
    ],
  });
  await page.getByRole("button", { name: "View" }).click();
  await hasCount(page.locator(".action-result"), 3);
  await axe(page);
});

testInBrowser("Shift and A approve all others, and ask for each with a high risk", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { actions: risky });
  await page.keyboard.press("Shift+A");
  await page.getByText("1 of 3 decided: 1 approved").waitFor();
  for (const name of ["delete_order", "delete_customer"]) {
    const typed = page.getByRole("textbox", { name: `type ${name}` });
    await typed.waitFor();
    await page.waitForFunction(() => document.activeElement?.matches(".action-risk input"));
    assert.equal(await typed.inputValue(), "");
    await typed.fill(name);
    await page.keyboard.press("Control+Enter");
  }
  await page.getByText("3 of 3 decided: 3 approved").waitFor();
  await page.getByRole("button", { name: "Send 3 decisions" }).click();
  await sent(page);
  const { decisions } = (await read()).response as { decisions: { decision: string }[] };
  assert.deepEqual(
    decisions.map(({ decision }) => decision),
    ["approve", "approve", "approve"],
  );
});

testInBrowser("decisions of a list survive a reload, but a high risk is confirmed again", async (open, t) => {
  const { page } = await asked(open, await serve(t), { actions: three });
  await page.keyboard.press("Shift+A");
  await page.getByRole("textbox", { name: /type delete_customer/ }).fill("delete_customer");
  await page.keyboard.press("Control+Enter");
  await page.getByText("3 of 3 decided").waitFor();
  await page.reload();
  await page.getByText("2 of 3 decided: 2 approved").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send 3 decisions" }).isDisabled(), true);
});

testInBrowser("an approval can be taken back for as long as other answers", async (open, t) => {
  const { page, read } = await asked(open, await serve(t), { action: refund });
  await page.evaluate(() => localStorage.setItem("preferences", JSON.stringify({ sendDelay: 5 })));
  await page.reload();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Not sent. Your answer is still here.").waitFor();
  assert.equal((await read()).response, null);
});

testInBrowser("the list names the action and its risk", async (open, t) => {
  const { page } = await asked(open, await serve(t), { action: { ...refund, risk: "high" } });
  const row = page.locator(".task-row");
  await row.getByText("refund", { exact: true }).waitFor();
  await row.getByText("High risk").waitFor();
});

testInBrowser("keys decide nothing while someone else works on it, or another tab is shown", async (open, t) => {
  const service = await serve(t);
  const { page, read } = await asked(open, service, { action: refund });
  await page.getByRole("tab", { name: "Raw" }).click();
  await page.keyboard.press("a");
  await page.keyboard.press("e");
  await page.getByRole("tab", { name: "Review" }).click();
  await hasCount(page.locator(".action-open"), 0);
  const { id } = await read();
  await addOperator(service, "kim@example.com");
  const other = await open();
  await signIn(other, service, "kim@example.com", `/tasks/${id}`);
  await other.getByRole("button", { name: "Approve" }).waitFor();
  await other.keyboard.press("c");
  await other.getByText("You're working on this").waitFor();
  await page.getByText("is working on this").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("e");
  await hasCount(page.locator(".action-open"), 0);
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("You're working on this").waitFor();
  await page.keyboard.press("e");
  await page.locator(".action-open").waitFor();
  assert.equal((await read()).response, null);
});

testInBrowser("Escape closes the form and not the task, when its code was loaded before", async (open, t) => {
  const { page } = await asked(open, await serve(t), { action: refund });
  await page.getByRole("link", { name: "Closed" }).click();
  await hasCount(page.getByRole("button", { name: "Approve" }), 0);
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await page.locator(".task-row").click();
  await page.waitForURL("**/tasks/*");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await page.keyboard.press("e");
  await page.waitForFunction(() => document.activeElement?.matches(".action-open input"));
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("Escape");
  await hasCount(page.locator(".action-open"), 0);
  await page.getByRole("button", { name: "Approve" }).waitFor();
});

testInBrowser("with Caps Lock, the key A approves one action", async (open, t) => {
  const { page } = await asked(open, await serve(t), { actions: three });
  await page.evaluate(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "A", bubbles: true })));
  await page.getByText("1 of 3 decided: 1 approved").waitFor();
});

testInBrowser("a secret argument is in no draft", async (open, t) => {
  const schema = {
    type: "object",
    properties: { pin: { type: "string", format: "password" }, note: { type: "string" } },
  };
  const action = { name: "unlock", args: { pin: "1111", note: "a" }, args_schema: schema, allowed: ALL };
  const { page } = await asked(open, await serve(t), { action });
  await page.keyboard.press("e");
  await page.getByLabel("Pin", { exact: false }).first().fill("98765");
  await page.getByRole("textbox", { name: "Note" }).fill("kept");
  const drafts = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  assert.deepEqual([drafts.includes("kept"), drafts.includes("98765")], [true, false]);
});

for (const options of [{ theme: "dark" }, { size: "phone" }, { size: "narrow" }])
  testInBrowser(`actions fit and can be read: ${Object.values(options).join()}`, async (open, t) => {
    const { page } = await asked(open, await serve(t), { actions: three }, options);
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Amount" }).fill("45");
    await axe(page);
    await screenshot(page, `actions-${Object.values(options).join()}`);
    const overflow = await page.evaluate(() => document.querySelector(".pane")!.scrollWidth > innerWidth);
    assert.equal(overflow, false);
  });
