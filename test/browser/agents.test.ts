import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AgentRecord } from "../../src/agents/schema.ts";
import { addAgent, addAssignee, addOperator, createTask, PASSWORD, serve } from "../support/dashboard.ts";
import type { Service } from "../support/dashboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

async function agentOf(service: Service, name: string): Promise<AgentRecord> {
  const agents = await service.call<AgentRecord[]>("GET", "/api/agents");
  const agent = agents.find((one) => one.name === name);
  assert.ok(agent, name);
  return agent;
}

/** A service whose operator has deleted the agent `local` of the first start. */
async function serveWithoutAgents(t: TestContext): Promise<Service> {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("DELETE", `/api/agents/${(await agentOf(service, "local")).id}`);
  return service;
}

/** Returns the status of a request with this token. */
async function statusWith(service: Service, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${service.url}/api/tasks`, { headers })).status;
}

testInBrowser(
  "an agent is added, and its token is shown once, with the lines that its program needs",
  async (open, t) => {
    const service = await serveWithoutAgents(t);
    const page = await visit(open, service, "/agents", { expected: [/status of (400|409|422)/] });
    await page.getByRole("heading", { name: "No agents yet" }).waitFor();
    await assertUsable(page, "agents-empty");
    await page.getByRole("button", { name: "Add an agent" }).click();
    const form = page.getByRole("dialog", { name: "Add an agent" });
    assert.equal(await form.getByLabel("People it may ask").inputValue(), "directory");
    assert.equal(await form.getByRole("checkbox", { name: "Ask people" }).isChecked(), true);
    assert.equal(await form.getByRole("checkbox", { name: "Answer for people" }).isChecked(), false);
    await form.getByLabel("Name").fill("Refunds Bot");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("May have a to z, 0 to 9, hyphens, underscores and dots.", { exact: true }).waitFor();
    assert.equal(await form.getByLabel("Name").evaluate((input) => input === document.activeElement), true);
    await addAgent(service, "taken");
    await form.getByLabel("Name").fill("taken");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText(/already/).waitFor();
    await axe(page);
    await screenshot(page, "agents-refused");
    await form.getByLabel("Name").fill("refunds-bot");
    await form.getByLabel("Description").fill("Asks before it pays money back.");
    await form.getByRole("checkbox", { name: "Read all tasks" }).check();
    const trust = form.getByRole("checkbox", { name: "The person who uses it may answer at its host" });
    assert.equal(await trust.isChecked(), false);
    await trust.check();
    await form.getByLabel("Open tasks, at most").fill("50");
    await form.getByRole("button", { name: "Add", exact: true }).click();

    const shown = page.getByRole("dialog", { name: "Token of refunds-bot" });
    const lines = (await shown.locator("pre").innerText()).trim();
    const [, token] = /^SERVICE_URL=http\S+\nSERVICE_TOKEN=(hts_agent_\S+)$/.exec(lines) ?? [];
    assert.ok(token, lines);
    assert.equal(await shown.locator(".secret").innerText(), token);
    await axe(page);
    await screenshot(page, "agents-token");
    // A token that was closed by mistake would be lost.
    await page.keyboard.press("Escape");
    await shown.getByRole("button", { name: "Copy both lines" }).waitFor();
    assert.equal(await statusWith(service, token), 200);
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await shown.waitFor({ state: "hidden" });
    await hasCount(page.getByText(token), 0);

    const agent = await agentOf(service, "refunds-bot");
    const { description, scopes, host_answers, recipients, max_open_tasks, max_tasks_per_minute, tokens } = agent;
    assert.deepEqual(
      { description, scopes, host_answers, recipients, max_open_tasks, max_tasks_per_minute, tokens: tokens.length },
      {
        description: "Asks before it pays money back.",
        scopes: ["ask", "read"],
        host_answers: true,
        recipients: { mode: "directory" },
        max_open_tasks: 50,
        max_tasks_per_minute: 600,
        tokens: 1,
      },
    );
    const card = page.getByRole("region", { name: "refunds-bot", exact: true });
    await card.getByText("Ask people, Read all tasks").waitFor();
    await card.getByText("The person who uses it may answer. The host is trusted to ask them.").waitFor();
    await card.getByText("50 open tasks, 600 new tasks a minute").waitFor();
  },
);

testInBrowser("an agent is changed, and what somebody else changed stays", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await addAgent(service, "refunds-bot", {
    recipients: { mode: "directory", slack_teams: ["T1"] },
  });
  const page = await visit(open, service, "/agents", { expected: [/status of 400/] });
  const edit = page.getByRole("dialog", { name: "Edit refunds-bot" });
  await page.getByRole("button", { name: "Edit refunds-bot" }).click();
  await edit.getByLabel("New tasks a minute, at most").fill("many");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.locator("[name=max_tasks_per_minute][aria-invalid=true]").waitFor();
  await edit.getByLabel("New tasks a minute, at most").fill("7");
  await service.call("PATCH", `/api/agents/${id}`, { max_open_tasks: 9 });
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "hidden" });
  const first = await agentOf(service, "refunds-bot");
  assert.deepEqual([first.max_open_tasks, first.max_tasks_per_minute], [9, 7]);
  // The form does not show them.
  assert.deepEqual(first.recipients, { mode: "directory", slack_teams: ["T1"] });
  await page.getByText("9 open tasks, 7 new tasks a minute").waitFor();

  await page.getByRole("button", { name: "Edit refunds-bot" }).click();
  await edit.getByLabel("People it may ask").selectOption("list");
  await edit.getByLabel("Email domains").fill("example.com, example.org");
  await edit.getByRole("checkbox", { name: "Ask people" }).uncheck();
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "hidden" });
  const { recipients, scopes, host_answers } = await agentOf(service, "refunds-bot");
  assert.equal(host_answers, false);
  assert.deepEqual(recipients, { mode: "list", domains: ["example.com", "example.org"], slack_teams: ["T1"] });
  assert.deepEqual(scopes, []);
  await page.getByText("example.com, example.org, Slack workspace T1").waitFor();
});

testInBrowser("a token is replaced by another without a gap", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { token: old } = await addAgent(service, "refunds-bot");
  const page = await visit(open, service, "/agents");
  await page.getByRole("button", { name: "New token for refunds-bot" }).click();
  const dialog = page.getByRole("dialog", { name: "New token for refunds-bot" });
  await dialog.getByLabel("Expires").selectOption("90");
  await axe(page);
  await dialog.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("dialog", { name: "Token of refunds-bot" });
  const fresh = await shown.locator(".secret").innerText();
  await shown.getByRole("button", { name: "I have stored it" }).click();
  assert.deepEqual([await statusWith(service, old), await statusWith(service, fresh)], [200, 200]);
  const { tokens } = await agentOf(service, "refunds-bot");
  assert.deepEqual(
    tokens.map(({ expires_at }) => expires_at !== null),
    [false, true],
  );
  await page.getByText("Two tokens are the most.").waitFor();
  await assertUsable(page, "agents-two-tokens");
  const { prefix } = tokens[0]!;
  await page.getByRole("button", { name: `Revoke ${prefix} of refunds-bot` }).click();
  await confirm(page, `Revoke the token ${prefix} of refunds-bot?`, "Revoke token");
  await page.getByText(`Token ${prefix} revoked`).waitFor();
  assert.deepEqual([await statusWith(service, old), await statusWith(service, fresh)], [401, 200]);
  await page.getByRole("button", { name: "New token for refunds-bot" }).waitFor();
});

for (const theme of ["light", "dark"] as const)
  for (const size of ["phone", "wide"] as const)
    testInBrowser(`one button stops an agent and says what it does: ${theme}, ${size}`, async (open, t) => {
      const service = await serveWithoutAgents(t);
      const { id, token, asAgent } = await addAgent(service, "refunds-bot", {
        description: "Asks before it pays money back.",
        max_open_tasks: 12,
      });
      for (let i = 0; i < 12; i++) await createTask(asAgent, `Refund ${i}?`);
      // One more than it may have.
      await createTask(asAgent, "Refund 12?");
      await createTask(service, "Of somebody else");
      const page = await visit(open, service, "/agents", { theme, size });
      await page.getByText("12 open tasks", { exact: true }).waitFor();
      const limited = page.locator("dd").filter({ has: page.locator(".chip.warn") });
      await limited.waitFor();
      await assertUsable(page, `agents-${theme}-${size}`);
      await page.getByRole("button", { name: "Stop refunds-bot" }).click();
      const dialog = page.getByRole("dialog", { name: "Stop refunds-bot?" });
      await dialog.getByText("12 open tasks will be cancelled.").waitFor();
      const cancels = dialog.getByRole("checkbox", { name: "Cancel its open tasks" });
      assert.equal(await cancels.isChecked(), true);
      await cancels.uncheck();
      await dialog.getByText("12 open tasks stay, and people can still answer.").waitFor();
      await cancels.check();
      await axe(page);
      await screenshot(page, `agents-stop-${theme}-${size}`);
      await dialog.getByRole("button", { name: "Stop it" }).click();
      await page.getByText("refunds-bot is stopped").waitFor();
      await page.getByText("No open tasks").waitFor();
      assert.equal(await statusWith(service, token), 401);
      const left = await service.call<{ task: string }[]>("GET", "/api/tasks?terminal=false");
      assert.deepEqual(
        left.map(({ task }) => task),
        ["Of somebody else"],
      );
      await assertUsable(page, `agents-stopped-${theme}-${size}`);
      await page.getByRole("button", { name: "Let it go on: refunds-bot" }).click();
      await page.getByRole("button", { name: "Stop refunds-bot" }).waitFor();
      assert.equal(await statusWith(service, token), 200);

      // Without the tick, its tasks stay.
      await createTask(asAgent, "One more?");
      await page.getByRole("button", { name: "Stop refunds-bot" }).click();
      await dialog.getByText("1 open task will be cancelled.").waitFor();
      await cancels.uncheck();
      await dialog.getByRole("button", { name: "Stop it" }).click();
      await page.getByRole("button", { name: "Let it go on: refunds-bot" }).waitFor();
      await hasCount(page.getByRole("dialog"), 0);
      assert.equal((await service.call<unknown[]>("GET", `/api/tasks?agent=${id}&terminal=false`)).length, 1);
    });

testInBrowser("the longest name and description fit a phone", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAgent(service, "w".repeat(64), { description: "w".repeat(1000) });
  const page = await visit(open, service, "/agents", { size: "phone" });
  await page.getByRole("heading", { name: "w".repeat(64) }).waitFor();
  await assertUsable(page, "agents-long");
});

testInBrowser("a deleted agent is gone, and its tasks keep its name", async (open, t) => {
  const service = await serveWithoutAgents(t);
  const { id, token, asAgent } = await addAgent(service, "refunds-bot");
  const { id: task } = await createTask(asAgent, "Refund?");
  const page = await visit(open, service, "/agents");
  await page.getByRole("button", { name: "Delete refunds-bot" }).click();
  await page.getByText("People can still answer its 1 open task.").waitFor();
  await confirm(page, "Delete refunds-bot?", "Delete");
  await page.getByRole("heading", { name: "No agents yet" }).waitFor();
  assert.equal(await statusWith(service, token), 401);
  const { asked_by } = await service.call<{ asked_by: object }>("GET", `/api/tasks/${task}`);
  assert.deepEqual(asked_by, { kind: "agent", id, name: "refunds-bot" });
});

testInBrowser("a change asks for the password if that was given long ago", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/agents", { expected: [/status of 403/] });
  await service.ctx.db.write((tx) => tx.query.updateTable("sessions").set({ confirmed_at: 0 }).execute());
  await page.getByRole("button", { name: "Add an agent" }).click();
  const form = page.getByRole("dialog", { name: "Add an agent" });
  await form.getByLabel("Name").fill("refunds-bot");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("Your password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Confirm" }).click();
  const shown = page.getByRole("dialog", { name: "Token of refunds-bot" });
  await shown.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: "Stop refunds-bot" }).waitFor();
});

testInBrowser("only operators see agents", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open({ expected: [/status of 403/] });
  await signIn(page, service, "dana@example.com", "/agents");
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Agents" }).count(), 0);
});

testInBrowser("the inbox and the task's page say which agent asks, and for whom, as it says", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const { asAgent } = await addAgent(service, "refunds-bot", { scopes: ["ask", "answer"] });
  const other = await addAgent(service, "hiring-bot");
  const { id } = await createTask(asAgent, "Refund 48219?", {
    on_behalf_of: { name: "Mia <img src=x onerror=alert(1)> Ott" },
    assign_to: { email: "dana@example.com" },
  });
  await createTask(other.asAgent, "Invite Lee?");
  await createTask(service, "Publish the notes?", { on_behalf_of: { name: "Kim" } });
  const page = await visit(open, service, "/agents");
  const card = page.getByRole("region", { name: "refunds-bot", exact: true });
  await card.getByRole("link", { name: "1 open task" }).click();
  const rows = page.locator("[data-task]");
  await hasCount(rows, 1);
  await page.getByRole("button", { name: "Agent: refunds-bot" }).click();
  await axe(page);
  await page.getByRole("menuitemradio", { name: "Any agent" }).click();
  await hasCount(rows, 3);
  const rowOf = (task: string) => page.getByRole("link").filter({ hasText: task });
  assert.match(await rowOf("Refund 48219?").innerText(), /Asked by\s+refunds-bot/);
  assert.match(await rowOf("Invite Lee?").innerText(), /Asked by\s+hiring-bot/);
  assert.doesNotMatch(await rowOf("Publish the notes?").innerText(), /Asked by|admin/);
  await screenshot(page, "inbox-agents");
  await rowOf("Publish the notes?").click();
  await page.getByRole("heading", { level: 1, name: "Publish the notes?" }).waitFor();
  assert.equal(await page.getByText(/asks|Kim/).count(), 0);
  await rowOf("Refund 48219?").click();
  const line = "refunds-bot asks, on behalf of Mia <img src=x onerror=alert(1)> Ott (according to the agent)";
  await page.getByText(line).waitFor();
  await axe(page);
  await screenshot(page, "task-agent");

  await asAgent.call("POST", `/api/tasks/${id}/complete`, {
    response: { approved: true },
    completed_by_email: "dana@example.com",
  });
  await page.getByText(/^refunds-bot answered this on .*, in the name of dana\.$/).waitFor();
  await page.getByText(line.replace("asks", "asked")).waitFor();
  await page.getByRole("tab", { name: "Activity" }).click();
  const activity = page.getByRole("tabpanel", { name: "Activity" });
  await activity.getByText("refunds-bot created the task").waitFor();
  await activity.getByText("refunds-bot answered, in the name of dana@example.com").waitFor();
  await axe(page);
  await screenshot(page, "activity-agent");
  await page.goto(`${service.url}/inbox?scope=done`);
  await page.getByRole("region", { name: "Closed" }).getByText("refunds-bot, in the name of dana").waitFor();

  const phone = await open({ size: "phone", theme: "dark" });
  await signIn(phone, service, "dana@example.com", `/tasks/${id}`);
  await phone.getByText(line.replace("asks", "asked")).waitFor();
  await phone.getByText(/^refunds-bot answered this on/).waitFor();
  await axe(phone);
  await screenshot(phone, "task-agent-phone");
  // Only operators can list agents.
  await phone.goto(`${service.url}/inbox?scope=done`);
  await phone.getByText("Refund 48219?").waitFor();
  assert.equal(await phone.getByRole("button", { name: "Agent" }).count(), 0);
});
