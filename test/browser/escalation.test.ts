import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import { addOperator, PASSWORD, serve, type Service } from "../support/dashboard.ts";
import { axe, screenshot, testInBrowser, type Open, type PageOptions } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

const MONTH_SECONDS = 2_592_000;

const asked = {
  task: "Release 42.50 EUR to Mia?",
  payload: { amount: 42.5, to: "Mia" },
  response_schema: {
    type: "object",
    properties: { approved: { type: "boolean", title: "Release it?" }, note: { type: "string", title: "Note" } },
    required: ["approved"],
  },
  form_definition: { ui: { approved: { "ui:enumNames": ["Release", "Reject"] } } },
  on_timeout: { response: { approved: false, note: "No one looked at it." } },
};

let keys = 0;

async function create(service: Service, fields: object): Promise<string> {
  const body = {
    ...asked,
    payload_schema: {},
    timeout_seconds: MONTH_SECONDS,
    idempotency_key: `escalation-${++keys}`,
    ...fields,
  };
  return (await service.call<{ id: string }>("POST", "/api/tasks", body)).id;
}

async function openAs(open: Open, service: Service, id: string, options: PageOptions = {}): Promise<Page> {
  const page = await open(options);
  await signIn(page, service, "ada@example.com", `/tasks/${id}`);
  await page.getByRole("heading", { name: asked.task, level: 1 }).waitFor();
  return page;
}

const LOOKS = [
  { theme: "light", size: "wide" },
  { theme: "dark", size: "wide" },
  { theme: "light", size: "phone" },
  { theme: "dark", size: "phone" },
] as const;

testInBrowser("a task says what happens while no one answers, and what has happened", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  for (const name of ["Ben", "Cy"])
    await service.call("POST", "/api/users", {
      email: `${name.toLowerCase()}@example.com`,
      display_name: name,
      pool: "finance",
      password: PASSWORD,
    });
  const id = await create(service, {
    assign_to: { email: "ada@example.com" },
    escalation: [
      { after: { fraction: 0.01 }, do: "offer", to: { pool: "finance" } },
      { after: { fraction: 0.02 }, do: "raise" },
      { after: { fraction: 0.03 }, do: "assign", to: { email: "ben@example.com" } },
      { after: { fraction: 0.9 }, do: "remind" },
    ],
  });
  const page = await openAs(open, service, id, LOOKS[0]);
  // Names of people come later than the task, which has addresses until then.
  const line = page.getByText(
    /^Offered to the pool finance in 7 hr\., then marked as urgent in 14 hr\., then assigned to Ben in 22 hr\., then reminder .+ · If no one answers by .+, the answer Reject counts$/,
  );
  await line.waitFor();
  assert.match(
    (await line.locator("time").first().getAttribute("title")) ?? "",
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  );
  assert.equal(await page.getByText("Urgent", { exact: true }).count(), 0);
  for (const look of LOOKS.slice(1)) {
    const other = await openAs(open, service, id, look);
    await other.getByText(/^Offered to the pool finance/).waitFor();
    await axe(other);
    await screenshot(other, `escalation-next-${look.theme}-${look.size}`);
  }
  await screenshot(page, "escalation-next-light-wide");

  // The deadline moves, and with it the first three steps are due within seconds, and the last one much later: times
  // count from when the task was created.
  const { created_at } = await service.call<{ created_at: string }>("GET", `/api/tasks/${id}`);
  const age = (Date.now() - Date.parse(created_at)) / 1_000;
  await service.call("PATCH", `/api/tasks/${id}`, { timeout_seconds: Math.max(200, Math.ceil(age / 0.03)) });
  await page.getByText(/^Reminder in/).waitFor();
  await page.locator(".task-state").getByText("Urgent", { exact: true }).waitFor();
  await page.locator(".task-row").getByText("Urgent", { exact: true }).waitFor();
  await service.call("PATCH", `/api/tasks/${id}`, { timeout_seconds: MONTH_SECONDS });
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.getByText("The service marked it as urgent").waitFor();
  await page.getByText("The service offered it to the pool finance").waitFor();
  await page.getByText("The service assigned it to Ben").waitFor();
  assert.deepEqual(await page.locator(".chain > li").allTextContents(), [
    "created for ada",
    "offered to the pool finance",
    "assigned to Ben",
  ]);
  await axe(page);
  await screenshot(page, "escalation-trail-light-wide");
  for (const look of LOOKS.slice(1)) {
    const other = await openAs(open, service, id, look);
    await other.getByRole("tab", { name: "Activity" }).click();
    await other.locator(".chain").waitFor();
    await axe(other);
    await screenshot(other, `escalation-trail-${look.theme}-${look.size}`);
  }
});

testInBrowser("a task that no one answered in time names no one, and shows the answer that counts", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const id = await create(service, { assign_to: { email: "ada@example.com" } });
  await service.ctx.db.write(async (tx) => {
    await tx.query.updateTable("tasks").set({ timeout_at: tx.now() }).where("id", "=", id).execute();
  });
  await timeOutDueTasks(service.ctx);
  for (const look of LOOKS) {
    const page = await openAs(open, service, id, look);
    await page.getByText(/^No one answered in time, so the answer given beforehand counts since /).waitFor();
    await page.getByText("No one looked at it.").waitFor();
    assert.equal(await page.locator(".task-state .who").textContent(), "No one in time");
    assert.equal(await page.getByText(/Someone|You answered/).count(), 0);
    await axe(page);
    await screenshot(page, `escalation-fallback-${look.theme}-${look.size}`);
  }
});
