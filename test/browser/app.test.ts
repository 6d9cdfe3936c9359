import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { HumanRequest } from "../../mcp/requests.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { addAgent, serve, type Service } from "../support/dashboard.ts";
import { startAppHost, type AppHost, type HostOptions, type ShownCall } from "./support/app-host.ts";
import { axe, axeInFrame, hasCount, screenshot, testInBrowser } from "./support/browser.ts";

const QUESTION = {
  question: "Publish the notes of release 4.2?",
  context: { notes: "Faster search, and a way to undo.", readers: 4200 },
  answer_schema: {
    type: "object",
    properties: {
      publish: { type: "boolean", title: "Publish them?" },
      version: { type: "string", title: "Version", pattern: "^4\\.\\d+$" },
    },
    required: ["publish", "version"],
  },
};

const REFUND = {
  name: "refund",
  description: "Pay back an order",
  args: { amount: 90, order: "48220", note: "Parcel was open" },
  args_schema: { type: "object", properties: { amount: { type: "number" }, note: { type: "string" } } },
};

/** A service with an agent, and a host that is connected as this agent. */
async function start(t: TestContext, agent: object = { host_answers: true }) {
  const service = await serve(t, { SERVICE_PUBLIC_URL: "https://tasks.example.com" });
  const { token } = await addAgent(service, "release-bot", { ...agent });
  return { service, host: await startAppHost(t, service.url, token) };
}

const requestOf = ({ result }: ShownCall) => result.structuredContent as HumanRequest;

function taskOf(service: Service, shown: ShownCall): Promise<TaskRecord> {
  return service.call("GET", `/api/tasks/${requestOf(shown).request_id}`);
}

async function answered(host: AppHost, shown: ShownCall): Promise<HumanRequest> {
  const { request_id } = requestOf(shown);
  const { structuredContent } = await host.call("check_on_human", { request_id, wait_seconds: 0 });
  return structuredContent as HumanRequest;
}

async function fillIn({ frame }: ShownCall, version = "4.2"): Promise<void> {
  await frame.getByRole("radio", { name: "Yes" }).check();
  await frame.getByLabel("Version").fill(version);
}

const submit = ({ frame }: ShownCall) => frame.getByRole("button", { name: "Submit answer" }).click();
const hasHeading = ({ frame }: ShownCall, name: string) => frame.getByRole("heading", { name }).waitFor();
const callsOf = ({ sent }: ShownCall) => sent.filter((method) => method.startsWith("tools/call"));

/** The frame shows everything: nothing in it scrolls. */
async function fits({ page, frame }: ShownCall): Promise<void> {
  await frame.waitForFunction(() => innerHeight === Math.ceil(document.body.getBoundingClientRect().height));
  const { scrollWidth, clientWidth } = await frame.evaluate(() => document.documentElement);
  assert.equal(scrollWidth, clientWidth);
  await axe(page);
  await axeInFrame(page);
}

testInBrowser("the person at the host answers in the form, and the model learns of it", async (open, t) => {
  const { service, host } = await start(t);
  const page = await open({ origins: host.origins });
  const shown = await host.show(page, "ask_human", QUESTION);
  await hasHeading(shown, QUESTION.question);
  await shown.frame.getByText("Faster search, and a way to undo.").waitFor();
  assert.equal(requestOf(shown).status, "pending");
  await fits(shown);
  assert.deepEqual(callsOf(shown), ["tools/call read_request"], "only the person answers");
  await fillIn(shown);
  await submit(shown);
  await hasHeading(shown, "Submitted");
  await shown.until("ui/message");
  await fits(shown);
  await screenshot(page, "app-submitted");

  const response = { publish: true, version: "4.2" };
  const task = await taskOf(service, shown);
  assert.deepEqual([task.status, task.response, task.completed_via_channel], ["completed", response, "mcp"]);
  assert.deepEqual((await answered(host, shown)).answer, response);
  assert.equal(shown.context.length, 1);
  assert.match(shown.context[0]!, /^Answered\.[^]*"version": "4\.2"/);
  assert.match(shown.messages.join(), new RegExp(`^I answered the request ${task.id}\\. Call check_on_human`));
  await hasCount(shown.frame.getByText("If it does not continue"), 1);
  await shown.frame.getByText("If it does not continue").waitFor({ state: "hidden" });
});

testInBrowser(
  "an action is decided in the form, and an edit keeps the arguments that it does not show",
  async (open, t) => {
    const { host } = await start(t);
    const shown = await host.show(await open({ origins: host.origins }), "approve_action", REFUND);
    await hasHeading(shown, "Pay back an order");
    await shown.frame.getByText("48220").waitFor();
    await shown.frame.getByRole("radio", { name: "Edit" }).check();
    await shown.frame.getByLabel("Amount").fill("45");
    await fits(shown);
    await screenshot(shown.page, "app-action");
    // The shortcut submits too, although the sandbox of the host allows no forms.
    await shown.frame.getByLabel("Amount").press("Control+Enter");
    await hasHeading(shown, "Submitted");
    await shown.until("ui/message");
    const { answer } = await answered(host, shown);
    assert.deepEqual((answer as { args: object }).args, { ...REFUND.args, amount: 45 });
    assert.match(shown.context[0]!, /^The person changed the arguments\. Run the action now with exactly the args/);
  },
);

testInBrowser("everything in the form can be reached and pressed by keyboard", async (open, t) => {
  const { host } = await start(t);
  const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION);
  const { page, frame } = shown;
  await frame.getByRole("radio", { name: "Yes" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.localName), "body", "the form takes no focus");
  const press = async (key: string, name: string) => {
    await page.keyboard.press(key);
    await frame.waitForFunction((name) => document.activeElement?.matches(name), name);
  };
  await press("Tab", "[type=radio]");
  await page.keyboard.press("Space");
  await press("Tab", "[type=text]");
  await page.keyboard.type("4.3");
  // Enter in a field presses the button.
  await page.keyboard.press("Enter");
  await hasHeading(shown, "Submitted");
  await frame.waitForFunction(() => document.activeElement?.id === "sent");
  await shown.until("ui/message");
  assert.deepEqual((await answered(host, shown)).answer, { publish: true, version: "4.3" });
});

testInBrowser(
  "an answer that does not fit is refused by the service, at its field, and nothing is lost",
  async (open, t) => {
    const { service, host } = await start(t);
    const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION);
    await submit(shown);
    // What the form knows by itself is not sent.
    await shown.frame.getByText("Not sent. Fix 2 answers below.").waitFor();
    await fillIn(shown, "5");
    await submit(shown);
    const field = shown.frame.getByLabel("Version");
    await shown.frame.locator("[aria-invalid=true]").waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await field.inputValue(), "5");
    assert.deepEqual(callsOf(shown), ["tools/call read_request", "tools/call answer_request"]);
    await fits(shown);
    await screenshot(shown.page, "app-invalid");
    assert.equal((await taskOf(service, shown)).status, "created");
    await field.fill("4.4");
    await submit(shown);
    await hasHeading(shown, "Submitted");
    await shown.until("ui/message");
  },
);

testInBrowser("a form whose request was revised shows the new version, and keeps what was entered", async (open, t) => {
  const { service, host } = await start(t);
  const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION);
  await fillIn(shown);
  const payload = { notes: "Faster search only.", readers: 4200 };
  await service.call("POST", `/api/tasks/${requestOf(shown).request_id}/revise`, { payload });
  await submit(shown);
  await shown.frame.getByText("Not sent. The request was revised in the meantime").waitFor();
  await shown.frame.getByText("Faster search only.", { exact: true }).waitFor();
  assert.equal((await taskOf(service, shown)).status, "created");
  await fits(shown);
  await screenshot(shown.page, "app-revised");
  assert.equal(await shown.frame.getByLabel("Version").inputValue(), "4.2");
  await submit(shown);
  await hasHeading(shown, "Submitted");
  await shown.until("ui/message");
  const { answer, version } = await answered(host, shown);
  assert.deepEqual([answer, version], [{ publish: true, version: "4.2" }, 2]);
});

testInBrowser(
  "the first answer counts: the form says that someone else was faster, or that the task was cancelled",
  async (open, t) => {
    const { service, host } = await start(t);
    for (const [path, body, says] of [
      ["complete", { response: { publish: false, version: "4.1" } }, "Not sent. This task is already answered."],
      ["cancel", {}, "Not sent. This task was cancelled."],
    ] as const) {
      const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION);
      await fillIn(shown);
      await service.call("POST", `/api/tasks/${requestOf(shown).request_id}/${path}`, body);
      await submit(shown);
      await shown.frame.getByText(says).waitFor();
      assert.equal(await shown.frame.getByRole("button", { name: "Submit answer" }).isDisabled(), true);
      assert.equal(await shown.frame.getByLabel("Version").inputValue(), "4.2");
      assert.deepEqual([shown.context, shown.messages], [[], []]);
      await fits(shown);
      await screenshot(shown.page, `app-late-${path}`);
    }
  },
);

testInBrowser(
  "an old call that the host shows again has the state of now, and no form for what has ended",
  async (open, t) => {
    const { service, host } = await start(t);
    const show = async (again?: ShownCall) =>
      host.show(await open({ origins: host.origins }), "ask_human", QUESTION, again && { again: again.result });
    const first = await show();
    await fillIn(first);
    const second = await show(first);
    await hasHeading(second, QUESTION.question);
    await submit(first);
    await hasHeading(first, "Submitted");
    const third = await show(first);
    await hasHeading(third, "This task is already closed");
    await third.frame.getByText("You already answered this. Your first answer is stored.").waitFor();
    await hasCount(third.frame.locator("form"), 0);
    await fits(third);
    await fillIn(second, "4.9");
    await submit(second);
    await second.frame.getByText("Not sent. You already answered this.").waitFor();
    assert.deepEqual((await taskOf(service, first)).response, { publish: true, version: "4.2" });
  },
);

testInBrowser(
  "a question that is not for the person at the host stays where it is answered, and nothing of it is shown",
  async (open, t) => {
    const { service, host } = await start(t);
    const secret = { question: "Who gets the raise?", context: { name: "Dana Ondale" }, wait_seconds: 0 };
    for (const [name, args] of [
      ["ask_human", { ...secret, confidential: true }],
      ["ask_human", { ...secret, assign_to: "lee@example.com" }],
      ["ask_human", { ...secret, notify: ["email:lee@example.com"] }],
      ["approve_action", { name: "raise", args: secret.context, risk: "high", wait_seconds: 0 }],
      ["approve_action", { name: "raise", args: secret.context, approvals: { need: 2 }, wait_seconds: 0 }],
    ] as const) {
      const shown = await host.show(await open({ origins: host.origins }), name, args);
      await hasHeading(shown, "This is answered somewhere else");
      await hasCount(shown.frame.locator("form"), 0);
      // The page has it neither in a result nor in a message. The host alone has it, of the call.
      const { request_id, url } = requestOf(shown);
      const { structuredContent, content } = await host.client.callTool({
        name: "read_request",
        arguments: { request_id },
      });
      assert.doesNotMatch(JSON.stringify([structuredContent, content, await shown.frame.content()]), /Ondale/);
      const tried = { name: "answer_request", arguments: { request_id, response: { answer: "Me" } } };
      assert.equal((await host.client.callTool(tried)).isError, true);
      assert.equal((await taskOf(service, shown)).status, "created");
      await shown.frame.getByRole("link", { name: url }).click();
      await shown.until("ui/open-link");
      assert.deepEqual(shown.opened, [url]);
      await fits(shown);
      await screenshot(shown.page, "app-elsewhere");
    }
  },
);

testInBrowser("an agent whose host may not answer gets no form, until an operator allows it", async (open, t) => {
  const service = await serve(t);
  const { id, token } = await addAgent(service, "release-bot");
  const host = await startAppHost(t, service.url, token);
  const question = { ...QUESTION, wait_seconds: 0 };
  const shown = await host.show(await open({ origins: host.origins }), "ask_human", question);
  await hasHeading(shown, "This is answered somewhere else");
  await service.call("PATCH", `/api/agents/${id}`, { host_answers: true });
  const allowed = await host.show(await open({ origins: host.origins }), "ask_human", question);
  await hasHeading(allowed, QUESTION.question);
});

testInBrowser("a host that refuses is no dead end: the form says so, and answers are kept", async (open, t) => {
  const { service, host } = await start(t);
  const options: HostOptions = { talks: false, refuses: true };
  const refused = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION, options);
  await hasHeading(refused, "The form could not be loaded");
  await refused.frame.getByText("Nothing was sent. The host does not allow this.").waitFor();
  await refused.frame.getByRole("link", { name: requestOf(refused).url }).waitFor();
  await fits(refused);
  await screenshot(refused.page, "app-refused");

  options.refuses = false;
  const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION, options);
  await fillIn(shown);
  options.refuses = true;
  await submit(shown);
  await shown.frame.getByText("Not sent. The host does not allow this.").waitFor();
  assert.equal(await shown.frame.getByLabel("Version").inputValue(), "4.2");
  assert.equal((await taskOf(service, shown)).status, "created");
  options.refuses = false;
  await submit(shown);
  await hasHeading(shown, "Submitted");
  // This host takes nothing for the model. The person is told, and the model asks.
  await shown.frame.getByText("If it does not continue, tell it to check for your answer.").waitFor();
  assert.deepEqual((await answered(host, shown)).answer, { publish: true, version: "4.2" });
});

testInBrowser("the form is light or dark as the host is, on a phone and on a wide screen", async (open, t) => {
  const { host } = await start(t);
  const grounds = new Set<string>();
  for (const size of ["phone", "wide"] as const)
    for (const theme of ["light", "dark"] as const) {
      // The browser prefers the other one.
      const page = await open({ origins: host.origins, size, theme: theme === "light" ? "dark" : "light" });
      const shown = await host.show(page, "approve_action", REFUND, { context: { theme } });
      const ground = () => shown.frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await hasHeading(shown, "Pay back an order");
      await fits(shown);
      await screenshot(page, `app-${size}-${theme}`);
      grounds.add(await ground());
      // The host changes its look.
      const before = await ground();
      shown.bridge.setHostContext({ theme: theme === "light" ? "dark" : "light" });
      await shown.frame.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, before);
      await axeInFrame(page);
      grounds.add(await ground());
    }
  assert.equal(grounds.size, 2);
});

testInBrowser(
  "what a model sends is shown and does nothing: the form loads nothing, and answers nothing by itself",
  async (open, t) => {
    const { service, host } = await start(t);
    const hostile = `<script>document.querySelector("button.primary").click()</script><img src=x onerror="parent.postMessage({jsonrpc:'2.0',id:9,method:'tools/call'},'*')">`;
    const question = {
      question: `Continue? ${hostile}`,
      context: {
        html: hostile,
        picture: "https://evil.example/pixel.png",
        markdown: `# Hi\n${hostile}\n![x](https://evil.example/x.png) [a link](https://example.com/more) [bad](javascript:alert(1))`,
        [hostile]: [hostile],
      },
      answer_schema: {
        type: "object",
        properties: { ok: { type: "boolean", title: hostile, default: true, description: hostile } },
      },
    };
    const shown = await host.show(await open({ origins: host.origins }), "ask_human", question);
    await shown.frame.locator("form").waitFor();
    await shown.frame.getByText("document.querySelector").first().waitFor();
    await fits(shown);
    assert.equal(await shown.frame.locator("script").count(), 1);
    // What another frame sends is no message of the host.
    await shown.frame.evaluate(() => {
      postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-cancelled", params: {} }, "*");
    });
    shown.bridge.setHostContext({ theme: "dark" });
    await shown.frame.waitForFunction(() => document.documentElement.dataset["theme"] === "dark");
    await hasCount(shown.frame.getByRole("heading", { name: "Cancelled" }), 0);
    // A second result, as another call of the model, shows that call and answers nothing.
    await shown.bridge.sendToolResult(shown.result);
    await shown.until("tools/call read_request", 2);
    assert.deepEqual(callsOf(shown), ["tools/call read_request", "tools/call read_request"]);
    assert.equal((await taskOf(service, shown)).status, "created");
  },
);

testInBrowser("the host ends the form, or tells of a call that it cancelled", async (open, t) => {
  const { host } = await start(t);
  const shown = await host.show(await open({ origins: host.origins }), "ask_human", QUESTION);
  await hasHeading(shown, QUESTION.question);
  assert.deepEqual(await shown.bridge.teardownResource({}), {});
  await shown.bridge.sendToolCancelled({ reason: "by the user" });
  await hasHeading(shown, "Cancelled");
  await fits(shown);
});
