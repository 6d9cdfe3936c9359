import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { addAgent, addOperator, createTask, serve, type Service } from "../support/dashboard.ts";
import { APP_KEY, startGithub } from "../support/engines/github.ts";
import { startTemporal } from "../support/engines/temporal.ts";
import { startReceiver } from "../support/receiver.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

const SETTINGS = "/settings/connections";

interface Connection {
  id: string;
  name: string;
  kind: string;
  project: string;
  address: Record<string, unknown>;
  has_secret: boolean;
  allowed_agents: string[] | null;
  asks: object | null;
  refused_at: string | null;
}

const connectionsOf = (service: Service): Promise<Connection[]> => service.call("GET", "/api/connections");

const newConnection = (service: Service, fields: object): Promise<Connection> =>
  service.call("POST", "/api/connections", { kind: "temporal", ...fields });

/** What is said about one connection, and can be done with it. */
const about = (page: Page, name: string): Locator =>
  page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });

const button = (at: Page | Locator, name: string): Locator => at.getByRole("button", { name, exact: true });

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(`an operator adds, tests, changes and deletes a connection: ${theme}, ${size}`, async (open, t) => {
    const engine = await startTemporal(t);
    const { address, secret } = engine.connection;
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const { id: bot } = await addAgent(service, "refunds-bot");
    await addAgent(service, "coder");
    const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of (400|409|422)/] });
    await page.getByText("No connections yet.").waitFor();
    await assertUsable(page, `connections-empty-${theme}-${size}`);
    await button(page, "Add a connection").click();
    const form = page.getByRole("dialog", { name: "Add a connection" });
    const add = button(form, "Add");
    await form.getByLabel("Engine").selectOption("Temporal");
    await form.getByLabel("Secret", { exact: true }).fill("a-key-that-is-wrong");
    // Each mistake is shown at its field, which has the focus.
    for (const [said, label, entry] of [
      ["Must not be empty.", "Name", "production"],
      ["Is missing.", "URL", "gopher://temporal.example.com"],
      ["Is missing.", "Namespace", "default"],
      ["The URL must begin with http or https.", "URL", String(address["url"])],
    ] as const) {
      await add.click();
      await form.getByText(said).first().waitFor();
      await hasFocus(form.getByLabel(label, { exact: true }));
      if (label === "Namespace") await assertUsable(page, `connections-error-${theme}-${size}`);
      await form.getByLabel(label, { exact: true }).fill(entry);
    }
    await form.getByLabel("Any agent of the project may use it").uncheck();
    await form.getByRole("checkbox", { name: "refunds-bot" }).check();
    await assertUsable(page, `connections-form-${theme}-${size}`);
    await add.click();
    await page.getByText("Connection production added").waitFor();
    const row = about(page, "production");
    await row.getByText("A secret is stored. 1 agent may use it.").waitFor();
    const [stored] = await connectionsOf(service);
    assert.deepEqual([stored!.kind, stored!.address, stored!.allowed_agents], ["temporal", address, [bot]]);

    // The engine refuses the secret, and says so in place.
    await button(page, "Test production").click();
    await row.getByText("It does not work: ").waitFor();
    await row.getByText("Request unauthorized").first().waitFor();
    await row.getByText(/^Temporal has refused the secret since/).waitFor();
    await assertUsable(page, `connections-refused-${theme}-${size}`);
    await button(page, "Edit production").click();
    const edit = page.getByRole("dialog", { name: "Edit production" });
    assert.equal(await edit.getByLabel("Secret", { exact: true }).inputValue(), "", "no page has it");
    await edit.getByLabel("Secret", { exact: true }).fill(secret!);
    await button(edit, "Save").click();
    await hasCount(row.getByText(/refused the secret/), 0);
    await hasCount(row.getByText("It does not work: "), 0);
    await button(page, "Test production").click();
    await row.getByText('The namespace "default" is there.').waitFor();
    await assertUsable(page, `connections-${theme}-${size}`);

    // The secret does not follow to another server.
    await button(page, "Edit production").click();
    await edit.getByLabel("URL").fill("https://temporal.example.org");
    await edit.getByLabel("Any agent of the project may use it").check();
    await button(edit, "Save").click();
    await edit.getByText("Send the secret as well: the new address is another server.").waitFor();
    await hasFocus(edit.getByLabel("Secret", { exact: true }));
    assert.deepEqual((await connectionsOf(service))[0]!.address, address);
    await edit.getByLabel("Secret", { exact: true }).fill("a-key-for-it");
    await button(edit, "Save").click();
    await row.getByText("https://temporal.example.org").waitFor();
    await row.getByText("A secret is stored. Any agent of its project may use it.").waitFor();
    await button(page, "Edit production").click();
    await edit.getByLabel("Delete the stored secret").check();
    await hasCount(edit.getByLabel("Secret", { exact: true }), 0);
    await button(edit, "Save").click();
    await row.getByText("No secret is stored.").waitFor();

    // Tasks name connections, so a name is there once.
    await button(page, "Add a connection").click();
    await form.getByLabel("Engine").selectOption("Temporal");
    await form.getByLabel("Name", { exact: true }).fill("production");
    await form.getByLabel("URL").fill("https://temporal.example.com");
    await form.getByLabel("Namespace").fill("default");
    await add.click();
    await hasFocus(form.getByLabel("Name", { exact: true }));
    await page.keyboard.press("Escape");

    await button(page, "Delete production").click();
    await screenshot(page, `operate-connections-delete-${theme}-${size}`);
    await confirm(page, "Delete the connection production?", "Delete connection");
    await page.getByText("No connections yet.").waitFor();
    assert.deepEqual(await connectionsOf(service), []);
  });

testInBrowser("each kind of engine has a form of its own, also for a secret of several lines", async (open, t) => {
  const engine = await startGithub(t);
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const kinds = await service.call<{ title: string; address: { properties: object } }[]>(
    "GET",
    "/api/connections/kinds",
  );
  const page = await visit(open, service, SETTINGS, { expected: [/status of (400|422)/] });
  await button(page, "Add a connection").click();
  const form = page.getByRole("dialog", { name: "Add a connection" });
  const engines = form.getByLabel("Engine");
  assert.deepEqual(
    await engines.locator("option").allTextContents(),
    kinds.map(({ title }) => title),
  );
  for (const { title, address } of kinds) {
    await engines.selectOption(title);
    await hasCount(form.locator("[name^='/address/']"), Object.keys(address.properties).length);
    await hasCount(form.locator("[name='/secret']"), 1);
    await assertUsable(page, `connections-kind-${title.replaceAll(" ", "-")}`);
  }
  await engines.selectOption("GitHub");
  await form.getByLabel("Name", { exact: true }).fill("deployments");
  const { url, app_id } = engine.connection.address;
  await form.getByLabel("URL").fill(String(url));
  await form.getByLabel("App ID").fill(String(app_id));
  await form.getByLabel("Installation ID").fill("one");
  await form.getByLabel("Secret").fill(engine.connection.secret);
  await button(form, "Add").click();
  await hasFocus(form.getByLabel("Installation ID"));
  await form.getByLabel("Installation ID").fill("");
  await button(form, "Add").click();
  await button(page, "Test deployments").click();
  await about(page, "deployments")
    .getByText(/^It works: /)
    .waitFor();
});

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `an operator says who asks where GitHub creates tasks, and who is asked: ${theme}, ${size}`,
    async (open, t) => {
      const engine = await startGithub(t);
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      const { id: bot } = await addAgent(service, "deploy-bot");
      const { address, secret } = engine.connection;
      await newConnection(service, { address, secret: APP_KEY, name: "deployments", kind: "github" });
      await newConnection(service, {
        name: "main",
        address: { url: "https://temporal.example.com", namespace: "default" },
      });
      const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of 422/] });
      const row = about(page, "deployments");
      const said = row.getByText("GitHub creates tasks.");
      const stored = async () => (await connectionsOf(service)).find(({ name }) => name === "deployments")!;
      const edit = page.getByRole("dialog", { name: "Edit deployments" });
      const creates = edit.getByLabel("GitHub creates tasks with its webhook");
      const change = async (enter: () => Promise<void>) => {
        await button(page, "Edit deployments").click();
        await enter();
        await button(edit, "Save").click();
        await edit.waitFor({ state: "hidden" });
      };
      await button(page, "Edit main").click();
      const other = page.getByRole("dialog", { name: "Edit main" });
      await other.getByLabel("Namespace").waitFor();
      await hasCount(other.getByLabel(/creates tasks/), 0);
      await page.keyboard.press("Escape");
      await hasCount(said, 0);
      await change(async () => {
        await creates.check();
        await edit.getByLabel("Agent that asks").selectOption("deploy-bot");
        await edit.getByLabel("Who is asked").fill("deployer");
        await edit.getByText("Empty: operators only.").waitFor();
        // What GitHub does not sign creates no tasks, so the form says at once what is missing.
        await button(edit, "Save").click();
        await edit.getByText(/Webhooks create tasks only if/).waitFor();
        await edit.getByLabel("Secret").fill(secret);
        await edit.getByLabel("Who is asked").scrollIntoViewIfNeeded();
        await assertUsable(page, `connections-asks-${theme}-${size}`);
      });
      await said.waitFor();
      const { id, asks } = await stored();
      assert.deepEqual(asks, { agent_id: bot, assign_to: { role: "deployer" } });
      await row.getByText(`${service.url}/api/connections/${id}/github`).waitFor();
      await assertUsable(page, `connections-creates-${theme}-${size}`);

      // What the form has no field for is kept.
      await service.call("PATCH", `/api/connections/${id}`, { asks: { ...asks, notify: ["email:ops@example.com"] } });
      await page.reload();
      await change(async () => {
        await edit.getByText("Empty: operators, and people who get a message.").waitFor();
        await edit.getByLabel("Who is asked").fill("kim@example.com");
      });
      const notify = ["email:ops@example.com"];
      assert.deepEqual((await stored()).asks, { agent_id: bot, assign_to: { email: "kim@example.com" }, notify });
      const pool = { pool: "deployers", role: "lead" };
      await service.call("PATCH", `/api/connections/${id}`, { asks: { agent_id: bot, assign_to: pool } });
      await page.reload();
      await change(async () => {
        await edit.getByLabel("Agent that asks").selectOption("local");
        await hasCount(edit.getByLabel("Who is asked"), 0);
      });
      assert.deepEqual({ ...(await stored()).asks, agent_id: "" }, { agent_id: "", assign_to: pool });
      await change(() => creates.uncheck());
      await hasCount(said, 0);
      assert.equal((await stored()).asks, null);
    },
  );

testInBrowser(
  "an operator of projects sees their connections and agents, and those with the same name stay apart",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await service.call("POST", "/api/projects", { slug: "refunds", name: "Refunds" });
    await service.call("POST", "/api/projects", { slug: "hiring", name: "Hiring" });
    await addAgent(service, "refunds-bot", { project: "refunds" });
    await addAgent(service, "hiring-bot", { project: "hiring" });
    const address = { url: "https://temporal.example.com", namespace: "default" };
    for (const project of ["refunds", "hiring"]) await newConnection(service, { name: "main", project, address });
    const page = await visit(open, service, SETTINGS);
    await button(page, "Edit main of Refunds").waitFor();
    await button(page, "Edit main of Hiring").waitFor();
    await button(page, "Add a connection").click();
    const form = page.getByRole("dialog", { name: "Add a connection" });
    await form.getByLabel("Any agent of the project may use it").uncheck();
    await form.getByRole("checkbox", { name: "local" }).waitFor();
    await hasCount(form.getByRole("checkbox", { name: /-bot$/ }), 0);
    for (const [project, agent] of [
      ["Refunds", "refunds-bot"],
      ["Hiring", "hiring-bot"],
    ] as const) {
      await form.getByRole("combobox", { name: "Project" }).selectOption(project);
      await form.getByRole("checkbox", { name: agent }).waitFor();
      await hasCount(form.getByRole("checkbox", { name: /-bot$/ }), 1);
    }
    const kim = await service.call<{ id: string }>("POST", "/api/users", {
      email: "kim@example.com",
      password: "correct horse battery staple",
      projects: ["hiring"],
    });
    await service.call("POST", "/api/projects/hiring/members", { user_id: kim.id, role: "operator" });
    const theirs = await open();
    await signIn(theirs, service, "kim@example.com", SETTINGS);
    await hasCount(theirs.getByRole("button", { name: /^Edit / }), 1);
    await button(theirs, "Edit main").click();
    await theirs.getByLabel("Any agent of the project may use it").uncheck();
    await theirs.getByRole("checkbox", { name: "hiring-bot" }).check();
    await button(theirs, "Save").click();
    await theirs.getByText("1 agent may use it.").waitFor();
  },
);

/** Ends a task that resumes something, and waits until that was tried. */
async function resume(service: Service, entry: object): Promise<string> {
  const { id } = await createTask(service, "Approve the refund?", { resume: [entry] });
  await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
  await service.ctx.deliveries.turn();
  await service.ctx.deliveries.settle();
  return id;
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `a task and the list of deliveries say what became of what waited, in words: ${theme}, ${size}`,
    async (open, t) => {
      const engine = await startTemporal(t);
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      const made = await newConnection(service, { ...engine.connection, name: "production" });
      await newConnection(service, { ...engine.connection, name: "staging" });
      const waiting = await engine.wait();
      const gone = await engine.wait();
      gone.close();
      const { id } = await createTask(service, "Approve the refund?", {
        resume: [
          { connection: "production", ...waiting.entry },
          { connection: "staging", ...gone.entry },
          { url: "http://127.0.0.1:9/resume/very-secret" },
        ],
      });
      const page = await visit(open, service, `/tasks/${id}`, { theme, size });
      const section = page.getByRole("region", { name: "What it resumes" });
      await page.getByRole("tab", { name: "Activity" }).click();
      await hasCount(section.getByText("Will be resumed when the task closes"), 3);
      await hasCount(section.getByRole("link", { name: "Delivery" }), 0);
      await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
      await service.ctx.deliveries.turn();
      await service.ctx.deliveries.settle();
      await page.reload();
      await page.getByRole("tab", { name: "Activity" }).click();
      const entry = (words: string) => section.getByRole("listitem").filter({ hasText: words });
      await entry("Temporal, production").getByText("Resumed:", { exact: true }).waitFor();
      await entry("Temporal, staging").getByText("Nothing waits there any more").waitFor();
      await entry("URL").getByText("Trying again").waitFor();
      await page
        .getByRole("region", { name: "Needs attention" })
        .getByText(/couldn't resume what waits for it: /)
        .waitFor();
      await assertUsable(page, `resumed-${theme}-${size}`);
      await entry("Temporal, staging").getByRole("link", { name: "Delivery" }).click();
      const drawer = page.getByRole("dialog", { name: "Delivery" });
      await drawer.getByText("Resume, Temporal", { exact: true }).waitFor();
      await drawer.getByText("Nothing waits there any more", { exact: true }).waitFor();
      await drawer.getByText("Task created").waitFor();
      await hasCount(drawer.getByText(/^retry/), 0);
      await assertUsable(page, `resume-delivery-${theme}-${size}`);
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "hidden" });
      const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
      await hasCount(rows, 3);
      await rows.filter({ hasText: "Resume, Temporal, production" }).getByText("Resumed.").waitFor();
      await rows.filter({ hasText: "Resume, URL" }).getByText("127.0.0.1:9").waitFor();
      assert.ok(!(await page.content()).includes("very-secret"));
      await assertUsable(page, `resumes-${theme}-${size}`);
      // The address of what was resumed without a connection is not all of a URL.
      await rows.filter({ hasText: "Resume, URL" }).getByRole("link", { name: "127.0.0.1:9" }).click();
      await drawer.getByText("http://127.0.0.1:9/…").waitFor();
      await drawer.getByRole("link", { name: "All deliveries to this receiver" }).click();
      await page.waitForURL(/origin=/);
      await hasCount(rows, 1);

      await page.goto(`${service.url}${SETTINGS}`);
      await page.getByRole("link", { name: "Deliveries of production" }).click();
      await page.waitForURL(`**/deliveries?connection=${made.id}`);
      await hasCount(rows, 1);
      await page.getByRole("link", { name: "Connection production: show all" }).click();
      await hasCount(rows, 3);
      await page.getByRole("navigation", { name: "Kind" }).getByRole("link", { name: "Callbacks" }).click();
      await page.waitForURL("**/deliveries?kind=callback");
      await page.getByRole("heading", { name: "No deliveries match" }).waitFor();
    },
  );

testInBrowser("what was resumed later needs no attention, and what was resumed before says so", async (open, t) => {
  let status = 404;
  const receiver = await startReceiver((response) => void response.writeHead(status).end());
  t.after(() => receiver.close());
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const id = await resume(service, { url: receiver.url });
  const page = await visit(open, service, `/tasks/${id}`);
  await page.getByRole("tab", { name: "Activity" }).click();
  const section = page.getByRole("region", { name: "What it resumes" });
  await section.getByText("Nothing waits there any more").waitFor();
  const attention = page.getByRole("region", { name: "Needs attention" });
  await attention.waitFor();
  status = 200;
  await section.getByRole("link", { name: "Delivery" }).click();
  await page.getByRole("dialog", { name: "Delivery" }).getByRole("button", { name: "Send again" }).click();
  await confirm(page, "Send this delivery again?", "Send again");
  const drawer = page.getByRole("dialog", { name: "Delivery" });
  await drawer.getByText("Resumed", { exact: true }).waitFor();
  await page.goto(`${service.url}/tasks/${id}`);
  await page.getByRole("tab", { name: "Activity" }).click();
  await section.getByText("Resumed:", { exact: true }).waitFor();
  await hasCount(attention, 0);
});
