import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator } from "playwright-core";
import { addAgent, addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import type { Service } from "../support/dashboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";
import { startReceiver } from "../support/receiver.ts";

async function idOf(service: Service, email: string): Promise<string> {
  const users = await service.call<{ id: string; email: string }[]>("GET", "/api/users");
  return users.find((user) => user.email === email)!.id;
}

/** A service with the projects `default` and `refunds`, one task in each, and Kim, who is an operator of `refunds` only. */
async function serveTwo(t: TestContext): Promise<Service> {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/projects", { slug: "refunds", name: "Refunds" });
  await service.call("POST", "/api/users", {
    email: "kim@example.com",
    display_name: "Kim Ode",
    password: "correct horse battery staple",
    projects: ["refunds"],
  });
  const user_id = await idOf(service, "kim@example.com");
  await service.call("POST", "/api/projects/refunds/members", { user_id, role: "operator" });
  await createTask(service, "Publish the notes?");
  const { asAgent } = await addAgent(service, "refunds-bot", { project: "refunds" });
  await createTask(asAgent, "Refund 42.50 EUR?");
  return service;
}

/** Waits until an element is within the window and nothing covers it. */
async function isInView(element: Locator): Promise<void> {
  const isSeen = (one: Element | null): boolean => {
    if (one === null) return false;
    const { left, top, width, height } = one.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return seen !== null && (one.contains(seen) || seen.contains(one));
  };
  await element.page().waitForFunction(isSeen, await element.elementHandle());
}

testInBrowser("people who have one project see nothing of projects", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await createTask(service, "Publish the notes?");
  const page = await visit(open, service, "/inbox");
  await page.getByText("Publish the notes?").first().waitFor();
  assert.equal(await page.getByText("Project:").count(), 0);
  await page.goto(`${service.url}/agents`);
  await page.getByRole("button", { name: "Add an agent" }).click();
  const form = page.getByRole("dialog", { name: "Add an agent" });
  await form.getByLabel("Name").waitFor();
  assert.equal(await form.getByLabel("Project").count(), 0);
});

for (const size of ["phone", "desk", "wide"] as const)
  testInBrowser(`the chosen project limits the inbox and its numbers: ${size}`, async (open, t) => {
    const service = await serveTwo(t);
    await service.call("POST", "/api/projects", { slug: "hiring", name: "Hiring and onboarding" });
    await service.call("PATCH", "/api/projects/hiring", { archived: true });
    const page = await visit(open, service, "/inbox", { size, theme: size === "desk" ? "dark" : "light" });
    const rows = page.locator("[data-task]");
    await hasCount(rows, 2);
    await page.getByText("2 waiting").waitFor();
    // With the keyboard.
    await page.getByRole("button", { name: "Project: All projects" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitemradio", { name: "All projects", checked: true }).waitFor();
    await page.getByRole("menuitemradio", { name: "Hiring and onboarding Archived" }).waitFor();
    await assertUsable(page, `projects-switcher-${size}`);
    await page.getByRole("menuitemradio", { name: "Refunds" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 waiting").waitFor();
    await hasCount(rows, 1);
    await page.getByText("Refund 42.50 EUR?").first().waitFor();
    const switcher = page.getByRole("button", { name: "Project: Refunds" });
    // Where the name has no room.
    await switcher.getByText("RE", { exact: true }).waitFor();
    assert.equal(await switcher.getAttribute("title"), "Project: Refunds");
    // Live, and after a reload.
    await createTask(service, "Publish more notes?");
    await createTask(service, "Refund 7 EUR?", { project: "refunds" });
    await page.getByText("2 waiting").waitFor();
    await hasCount(rows, 2);
    await page.reload();
    await page.getByText("2 waiting").waitFor();
    await hasCount(rows, 2);
    await assertUsable(page, `projects-inbox-${size}`);
    await page.getByRole("button", { name: "Project: Refunds" }).click();
    await page.getByRole("menuitemradio", { name: "All projects" }).click();
    await page.getByText("4 waiting").waitFor();
  });

testInBrowser("people of one project learn nothing of the others", async (open, t) => {
  const service = await serveTwo(t);
  await addAssignee(service, "dana@example.com");
  await createTask(service, "Lunch?", { assign_to: { email: "dana@example.com" } });
  // An operator of the only project, and a member.
  for (const [email, task] of [
    ["kim@example.com", "Refund 42.50 EUR?"],
    ["dana@example.com", "Lunch?"],
  ] as const) {
    const page = await open({});
    const known = page.waitForResponse(`${service.url}/api/projects`);
    await signIn(page, service, email, "/inbox");
    await known;
    await page.locator("[data-task]", { hasText: task }).waitFor();
    await hasCount(page.locator("[data-task]"), 1);
    assert.equal(await page.getByText("Project:").count(), 0);
  }
});

testInBrowser("a project that is gone limits nothing", async (open, t) => {
  const service = await serveTwo(t);
  const page = await open({ expected: [/status of 404/] });
  await page.addInitScript(() => localStorage.setItem("preferences", JSON.stringify({ project: "no-more" })));
  await signIn(page, service, "ada@example.com");
  await page.getByText("2 waiting").waitFor();
  await page.getByRole("button", { name: "Project: All projects" }).waitFor();
});

testInBrowser("an operator of one project sees its pages, and no others", async (open, t) => {
  const service = await serveTwo(t);
  const page = await open({});
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page, service, "kim@example.com", "/inbox");
  await hasCount(page.locator("[data-task]"), 1);
  const main = page.getByRole("navigation", { name: "Main" });
  await main.getByRole("link", { name: "Agents" }).click();
  await page.getByRole("region", { name: "refunds-bot", exact: true }).waitFor();
  await main.getByRole("link", { name: "Stats" }).click();
  await page.getByText("Waiting now").waitFor();
  await main.getByRole("link", { name: "Deliveries" }).click();
  await page.getByRole("heading", { name: "Deliveries", exact: true }).waitFor();
  assert.equal(await main.getByRole("link", { name: /People|Playground/ }).count(), 0);
  await main.getByRole("link", { name: "Settings" }).click();
  const parts = page.getByRole("navigation", { name: "Settings" });
  await parts.getByRole("link", { name: "Embed keys" }).click();
  await page.getByRole("heading", { name: "Create a key" }).waitFor();
  await parts.getByRole("link", { name: "Email" }).click();
  await page.getByRole("heading", { name: "Email is off" }).waitFor();
  await parts.getByRole("link", { name: "Connections" }).click();
  await page.getByText("No connections yet.").waitFor();
  await parts.getByRole("link", { name: "Events" }).click();
  await page.getByText("No subscriptions yet.").waitFor();
  assert.equal(await parts.getByRole("link", { name: /Status|Sign-in|Slack|Security/ }).count(), 0);
  for (const path of [
    "/users",
    "/groups",
    "/playground",
    "/settings/slack",
    "/settings/security",
    "/settings/status",
  ]) {
    await page.goto(service.url + path);
    await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  }
});

testInBrowser("an operator of some projects gives a task to somebody who is in its project", async (open, t) => {
  const service = await serveTwo(t);
  await addAssignee(service, "dana@example.com");
  await service.call("POST", "/api/projects", { slug: "hiring", name: "Hiring" });
  await service.call("POST", "/api/users", { email: "lee@example.com", display_name: "Lee", projects: ["hiring"] });
  const user_id = await idOf(service, "kim@example.com");
  await service.call("POST", "/api/projects/hiring/members", { user_id, role: "operator" });
  const page = await open({});
  await signIn(page, service, "kim@example.com", "/inbox");
  await page.locator("[data-task]").click();
  await page.getByRole("tab", { name: "Activity" }).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Assign" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign this task" });
  await dialog.getByRole("combobox", { name: "To" }).click();
  await page.getByRole("option", { name: "Kim Ode" }).waitFor();
  assert.equal(await page.getByRole("option", { name: /dana|Lee/ }).count(), 0);
  await page.getByRole("option", { name: "Kim Ode" }).click();
  await dialog.getByRole("button", { name: "Assign" }).click();
  await page.getByText("Assigned to Kim Ode").waitFor();
});

testInBrowser("a project is created, renamed, archived and brought back", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/settings/projects", { expected: [/status of (409|422)/] });
  await page.getByRole("textbox", { name: "Name" }).fill("Refunds");
  await page.getByLabel("Slug").fill("Re funds");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByText("May have a to z, 0 to 9 and hyphens.").waitFor();
  await page.getByLabel("Slug").fill("default");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByText(/PROJECT_ALREADY_EXISTS/).waitFor();
  await page.getByLabel("Slug").fill("refunds");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByText("Refunds created").waitFor();
  await page.getByRole("button", { name: "Project: All projects" }).waitFor();
  await page.getByRole("button", { name: "Rename Refunds" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename Refunds" });
  await dialog.getByLabel("Name").fill("Refunds and returns");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Recipients of Refunds and returns" }).click();
  const limits = page.getByRole("dialog", { name: "Recipients of Refunds and returns" });
  await limits.getByLabel("People its agents may ask").selectOption("list");
  await limits.getByLabel("Email domains").fill("example.com, example.org");
  await assertUsable(page, "projects-recipients");
  await limits.getByRole("button", { name: "Save" }).click();
  await limits.waitFor({ state: "hidden" });
  const { recipients } = await service.call<{ recipients: unknown }>("GET", "/api/projects/refunds");
  assert.deepEqual(recipients, { mode: "list", domains: ["example.com", "example.org"], slack_teams: [] });
  const row = page.getByRole("row", { name: "Refunds and returns" });
  await row.getByRole("button", { name: "Archive Refunds and returns" }).click();
  await page.getByText("People can still answer its open tasks.").waitFor();
  await confirm(page, "Archive Refunds and returns?", "Archive");
  await row.getByText("Archived").waitFor();
  const archived = () => service.call<{ archived_at: string | null }>("GET", "/api/projects/refunds");
  assert.notEqual((await archived()).archived_at, null);
  await assertUsable(page, "projects-settings");
  await row.getByRole("button", { name: "Bring back Refunds and returns" }).click();
  await confirm(page, "Bring Refunds and returns back?", "Bring back");
  await row.getByRole("button", { name: "Archive Refunds and returns" }).waitFor();
  assert.equal((await archived()).archived_at, null);
  assert.equal(await page.getByRole("button", { name: /^Archive Default/ }).count(), 0);
});

interface Membership {
  email: string;
  role: string;
}

const membersOf = async (service: Service): Promise<string[]> => {
  const members = await service.call<Membership[]>("GET", "/api/projects/refunds/members");
  return members.map(({ email, role }) => `${email} ${role}`);
};

for (const [theme, size] of [
  ["light", "phone"],
  ["dark", "wide"],
] as const)
  testInBrowser(`people join a project, get another role and leave it: ${theme}, ${size}`, async (open, t) => {
    const service = await serveTwo(t);
    await addAssignee(service, "dana@example.com");
    const page = await visit(open, service, "/settings/projects", { theme, size });
    await page.getByRole("button", { name: "People of Refunds" }).click();
    const people = page.getByRole("region", { name: "People of Refunds" });
    await people.getByRole("combobox", { name: "Role of Kim Ode" }).waitFor();
    // They are below the list of projects.
    await isInView(people.getByRole("combobox", { name: "Role of Kim Ode" }));
    await people.getByRole("combobox", { name: "Add a person" }).fill("dan");
    await page.getByRole("option", { name: "dana" }).click();
    await people.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("dana added").waitFor();
    assert.deepEqual(await membersOf(service), ["dana@example.com member", "kim@example.com operator"]);
    await people.getByRole("combobox", { name: "Role of dana" }).selectOption("operator");
    await page.getByText("dana is an operator now").waitFor();
    assert.deepEqual(await membersOf(service), ["dana@example.com operator", "kim@example.com operator"]);
    await assertUsable(page, `projects-people-${theme}-${size}`);
    await people.getByRole("button", { name: "Remove dana" }).click();
    await page.getByText("A task for this person alone becomes unassigned").waitFor();
    await screenshot(page, `operate-projects-remove-${theme}-${size}`);
    await confirm(page, "Remove dana from Refunds?", "Remove");
    await page.getByText("dana removed").waitFor();
    assert.deepEqual(await membersOf(service), ["kim@example.com operator"]);
  });

testInBrowser("an operator of one project changes its people, and creates and archives nothing", async (open, t) => {
  const service = await serveTwo(t);
  const page = await open({ expected: [/status of 403/] });
  await signIn(page, service, "kim@example.com", "/settings/projects");
  await page.getByRole("button", { name: "Rename Refunds" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Archive|Create|Default|Recipients/ }).count(), 0);
  await page.getByRole("button", { name: "People of Refunds" }).click();
  const people = page.getByRole("region", { name: "People of Refunds" });
  await people.getByText("Ask an operator of the service to add others.").waitFor();
  await people.getByRole("combobox", { name: "Role of Kim Ode" }).selectOption("member");
  // They are no operator any more.
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
});

testInBrowser("people manage only the projects where they are operators", async (open, t) => {
  const service = await serveTwo(t);
  await addAssignee(service, "dana@example.com");
  const user_id = await idOf(service, "kim@example.com");
  await service.call("POST", "/api/projects/default/members", { user_id, role: "member" });
  const page = await open({});
  await signIn(page, service, "kim@example.com", "/settings/projects");
  await page.getByRole("button", { name: "People of Refunds" }).waitFor();
  await page.getByRole("button", { name: "Project: All projects" }).waitFor();
  await hasCount(page.getByRole("table", { name: "Projects" }).getByRole("row"), 2);
  assert.equal(await page.getByRole("table").getByText("Default").count(), 0);
  await page.goto(`${service.url}/agents`);
  await page.getByRole("button", { name: "Add an agent" }).click();
  const form = page.getByRole("dialog", { name: "Add an agent" });
  await form.getByLabel("Name").waitFor();
  assert.equal(await form.getByLabel("Project", { exact: true }).count(), 0);

  const member = await open({});
  await signIn(member, service, "dana@example.com", "/settings/projects");
  await member.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  await member.goto(`${service.url}/settings`);
  const parts = member.getByRole("navigation", { name: "Settings" });
  await parts.getByRole("link", { name: "Sessions" }).waitFor();
  assert.equal(await parts.getByRole("link", { name: "Projects" }).count(), 0);
});

testInBrowser("what is new gets a project, and lists and tasks say which", async (open, t) => {
  const service = await serveTwo(t);
  const page = await visit(open, service, "/inbox", { expected: [/status of 422/] });
  const row = page.locator("[data-task]", { hasText: "Refund 42.50 EUR?" });
  await row.getByText("refunds-bot · Project: Refunds").waitFor();
  await row.click();
  await page.locator(".task-head").getByText("Project: Refunds").waitFor();
  await assertUsable(page, "projects-task");

  await page.goto(`${service.url}/agents`);
  await page.getByRole("region", { name: "refunds-bot", exact: true }).getByText("Project: Refunds").waitFor();
  await page.getByRole("button", { name: "Add an agent" }).click();
  const agent = page.getByRole("dialog", { name: "Add an agent" });
  await agent.getByLabel("Name").fill("returns-bot");
  assert.equal(await agent.getByLabel("Project", { exact: true }).inputValue(), "default");
  await agent.getByRole("checkbox", { name: "Read all tasks of its project" }).check();
  await agent.getByLabel("Project", { exact: true }).selectOption("refunds");
  // Without scrolling.
  await isInView(agent.getByRole("button", { name: "Add", exact: true }));
  await assertUsable(page, "projects-agent");
  await agent.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("region", { name: "returns-bot", exact: true }).getByText("Project: Refunds").waitFor();

  await page.goto(`${service.url}/settings/keys`);
  await page.getByLabel("Name").fill("Shop");
  await page.getByLabel("Project").selectOption("refunds");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("row", { name: "Shop" }).getByText("Project: Refunds").waitFor();

  await page.goto(`${service.url}/settings/email`);
  await page.getByRole("button", { name: "Add a sender" }).click();
  const sender = page.getByRole("dialog", { name: "Add a sender" });
  await sender.getByLabel("Name", { exact: true }).fill("Desk");
  await sender.getByLabel("Project").selectOption("refunds");
  await sender.getByLabel("From address").fill("desk@example.com");
  await sender.getByLabel(/Sent through|Transport|Send through/).selectOption("log");
  await sender.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("main").getByText("Project: Refunds").waitFor();

  await page.goto(`${service.url}/users`);
  await page.getByRole("button", { name: "Add a person" }).click();
  const person = page.getByRole("dialog", { name: "Add a person" });
  await person.getByLabel("Email").fill("lee@example.com");
  assert.equal(await person.getByRole("checkbox", { name: "Default" }).isChecked(), true);
  await person.getByText("Full access to all projects, including").waitFor();
  await person.getByRole("checkbox", { name: "Default" }).uncheck();
  await person.getByRole("button", { name: "Add", exact: true }).click();
  await person.getByText("Choose at least one project.").waitFor();
  await assertUsable(page, "projects-person");
  await person.getByRole("checkbox", { name: "Refunds" }).check();
  await person.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("lee@example.com added").waitFor();
  assert.ok((await membersOf(service)).includes("lee@example.com member"));
  const rowOf = (name: string) => page.getByRole("table", { name: "People" }).getByRole("row", { name });
  await rowOf("lee@example.com").getByText("Project: Refunds").waitFor();
  await rowOf("Kim Ode").getByText("Project: Refunds (operator)").waitFor();
  await rowOf("ada@example.com").getByText("All projects").waitFor();
  await assertUsable(page, "projects-users");
});

testInBrowser("failed callbacks of other projects are not sent again by mistake", async (open, t) => {
  const service = await serveTwo(t);
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  for (const project of ["default", "refunds"]) {
    const { id } = await createTask(service, `Of ${project}`, { project, callback_url: receiver.url });
    await service.call("POST", `/api/tasks/${id}/cancel`);
  }
  await receiver.until(2);
  await service.ctx.deliveries.settle();
  await service.ctx.db.write((tx) => tx.query.updateTable("deliveries").set({ status: "ABANDONED" }).execute());
  const page = await visit(open, service, "/deliveries");
  await page.getByRole("link", { name: "Deliveries 2" }).waitFor();
  await page.getByRole("button", { name: "Retry all failed" }).waitFor();
  await page.getByRole("button", { name: "Project: All projects" }).click();
  await page.getByRole("menuitemradio", { name: "Refunds" }).click();
  await page.getByRole("link", { name: "Deliveries 1" }).waitFor();
  await hasCount(page.getByRole("table", { name: "Deliveries" }).getByRole("row"), 2);
  // The API would send those of all projects.
  await hasCount(page.getByRole("button", { name: "Retry all failed" }), 0);
});

testInBrowser("agents of different projects with one name are told apart", async (open, t) => {
  const service = await serveTwo(t);
  const { asAgent } = await addAgent(service, "refunds-bot", { scopes: ["ask", "read"] });
  await createTask(asAgent, "Publish the terms of refunds?");
  const page = await visit(open, service, "/agents");
  const cards = page.getByRole("region", { name: "refunds-bot", exact: true });
  await hasCount(cards, 2);
  await cards.getByText("Ask people, Read all tasks of its project").waitFor();
  await page.getByRole("button", { name: "Stop refunds-bot of Refunds" }).click();
  const stop = page.getByRole("dialog", { name: "Stop refunds-bot of Refunds?" });
  await stop.getByText("1 open task will be cancelled.").waitFor();
  await assertUsable(page, "projects-agents-stop");
  await stop.getByRole("button", { name: "Stop it" }).click();
  await page.getByText("refunds-bot of Refunds is stopped").waitFor();
  await page.getByRole("button", { name: "Let it go on: refunds-bot of Refunds" }).waitFor();
  await page.getByRole("button", { name: "Delete refunds-bot of Default" }).click();
  const deletion = page.getByRole("dialog", { name: "Delete refunds-bot of Default?" });
  await deletion.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Edit refunds-bot of Default" }).click();
  const edit = page.getByRole("dialog", { name: "Edit refunds-bot of Default" });
  await edit.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "New token for refunds-bot of Default" }).click();
  const token = page.getByRole("dialog", { name: "New token for refunds-bot of Default" });
  await token.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("dialog", { name: "Token of refunds-bot of Default", exact: true });
  await shown.getByRole("button", { name: "I have stored it" }).click();
});
