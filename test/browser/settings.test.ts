import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import type { Page } from "playwright-core";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, addOperator, createTask, PASSWORD, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const isNotWider = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

testInBrowser("a name and a time zone are saved, shown, and can be taken back", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/settings");
  await page.getByRole("textbox", { name: "Name" }).fill("Ada Lovelace");
  const zone = page.getByRole("combobox", { name: "Time zone" });
  await zone.fill("new york");
  await page.getByRole("option", { name: "America/New York" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Profile saved").waitFor();
  await page.getByRole("button", { name: "Ada Lovelace" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Profile" }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Ada Lovelace");
  assert.equal(await zone.inputValue(), "America/New York");
  const [user] = await service.call<{ display_name: string }[]>("GET", "/api/users");
  assert.equal(user?.display_name, "Ada Lovelace");
  await page.getByRole("button", { name: "Clear the time zone" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "ada@example.com" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Profile" }).waitFor();
  assert.equal(await zone.inputValue(), "");
});

testInBrowser("a new password signs out everywhere else, and the old one opens nothing", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open({ expected: [/status of 422/] });
  const other = await open({ expected: [/status of 401/] });
  await signIn(page, service, "dana@example.com", "/settings");
  await signIn(other, service, "dana@example.com");
  const change = async (current: string): Promise<void> => {
    await page.getByLabel("Current password", { exact: true }).fill(current);
    await page.getByLabel("New password", { exact: true }).fill("a longer and better one");
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await page.getByLabel("New password", { exact: true }).fill("seen");
  await page.getByRole("button", { name: "Show the new password" }).click();
  assert.equal(await page.getByLabel("New password", { exact: true }).getAttribute("type"), "text");
  await change("not it");
  await page.getByText("Wrong password.").waitFor();
  await axe(page);
  await change(PASSWORD);
  await page.getByText("Password changed.").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Profile" }).waitFor();
  await other.goto(service.url);
  await other.getByLabel("Email").fill("dana@example.com");
  await other.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByText("Wrong email or password.").waitFor();
  await other.getByLabel("Password", { exact: true }).fill("a longer and better one");
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("navigation", { name: "Main" }).waitFor();
});

testInBrowser("theme, shortcuts and send delay are kept in the browser, and count at once", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ theme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await signIn(page, service, "ada@example.com", "/settings");
  await page.getByRole("heading", { name: "This browser" }).waitFor();
  const light = await ground();
  await page.getByText("Dark", { exact: true }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.getByRole("switch", { name: "Single-key shortcuts" }).click();
  await page.getByText("5 seconds").click();
  await page.reload();
  await page.getByRole("heading", { name: "Profile" }).waitFor();
  assert.equal(await ground(), dark);
  assert.equal(await page.getByRole("radio", { name: "Dark" }).isChecked(), true);
  assert.equal(await page.getByRole("switch", { name: "Single-key shortcuts" }).isChecked(), false);
  assert.equal(await page.getByRole("radio", { name: "5 seconds" }).isChecked(), true);
  await page.getByText("System", { exact: true }).click();
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  // The page notes it some time after the browser has changed.
  await page.waitForFunction((dark) => getComputedStyle(document.body).backgroundColor === dark, dark);
});

testInBrowser("where the browser keeps nothing, or something damaged, the defaults hold", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await page.addInitScript(() => localStorage.setItem("preferences", '{"sendDelay": "soon", "singleKeys": '));
  await signIn(page, service, "ada@example.com", "/settings");
  const keys = page.getByRole("switch", { name: "Single-key shortcuts" });
  await keys.waitFor();
  assert.equal(await keys.isChecked(), true);
  assert.equal(await page.getByRole("radio", { name: "Off" }).isChecked(), true);
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new Error("full");
    };
  });
  await page.getByText("5 seconds").click();
  assert.equal(await page.getByRole("radio", { name: "5 seconds" }).isChecked(), true, "until the page is left");
  await page.reload();
  await keys.waitFor();
  assert.equal(await page.getByRole("radio", { name: "Off" }).isChecked(), true);
});

testInBrowser("a service key is shown once, gone after a reload, and revoked after a question", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ expected: [/status of 401/] });
  await signIn(page, service, "ada@example.com", "/settings/keys");
  await page.getByText("No active keys.").waitFor();
  const create = async (name: string): Promise<string> => {
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = page.getByRole("region", { name: `Key of ${name}` });
    return secret.getByText(/^hsk_/).innerText();
  };
  const key = await create("Shop");
  await screenshot(page, "settings-key-secret");
  await axe(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
  const row = page.getByRole("region", { name: "Keys", exact: true }).getByRole("row", { name: /Shop/ });
  await row.getByText("Never").waitFor();
  await page.reload();
  await row.waitFor();
  assert.equal((await page.content()).includes(key), false);
  await create("Desk");
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: "Create key" }).waitFor();
  await page.getByRole("button", { name: "Revoke Shop" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke the key of Shop?" });
  await dialog.getByText(/stop working immediately/).waitFor();
  await screenshot(page, "settings-key-revoke");
  await axe(page);
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByText("Revoked (1)").click();
  await page.getByRole("table", { name: "Revoked keys" }).getByRole("row", { name: /Shop/ }).waitFor();
  const keys = await service.call<{ name: string; revoked_at: string | null }[]>("GET", "/api/service-keys");
  assert.deepEqual(
    keys.map(({ name, revoked_at }) => [name, revoked_at === null]),
    [
      ["Desk", true],
      ["Shop", false],
    ],
  );
});

testInBrowser("an assignee sees their own parts of the settings, and no operator's", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open();
  await signIn(page, service, "dana@example.com", "/settings");
  const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
  await parts.first().waitFor();
  assert.deepEqual(await parts.allInnerTexts(), [
    "Profile",
    "Notifications",
    "Passkeys",
    "Sessions",
    "Personal tokens",
    "About",
  ]);
  for (const part of ["status", "email", "keys", "embed", "connections", "events", "quickstart"]) {
    await page.goto(`${service.url}/settings/${part}`);
    await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  }
  await page.goto(`${service.url}/settings/about`);
  await page.getByText(/^Human Task Service \d/).waitFor();
  await page.goto(`${service.url}/settings/nothing`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
});

testInBrowser("the status says what is on, what is off, and what to set", async (open, t) => {
  const service = await serve(t, { SERVICE_TRUSTED_PROXIES: "10.0.0.0/8", SERVICE_CALLBACK_ALLOW_PRIVATE: "0" });
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/settings/status");
  const facts = page.locator("dl > div");
  const fact = async (variable: string): Promise<string> =>
    (await facts.filter({ hasText: variable }).innerText()).split(/\n+/).slice(0, 2).join(": ");
  await facts.first().waitFor();
  assert.equal(await fact("SERVICE_DATABASE_URL"), "Database: SQLite");
  assert.equal(await fact("SERVICE_PAYLOAD_KEY"), "Callbacks: On, signed");
  assert.equal(await fact("SERVICE_CALLBACK_ALLOW_PRIVATE"), "Private receivers: Rejected");
  assert.equal(await fact("SERVICE_TRUSTED_PROXIES"), "Trusted proxies: 10.0.0.0/8");
  assert.equal(await fact("SERVICE_BODY_LIMIT_BYTES"), "Maximum request size: 1 MiB");
  assert.equal(await fact("SERVICE_LOG_LEVEL"), "Log level: error");
  assert.equal(await fact("SERVICE_EMBED_SIGNING_SECRET"), "Embed: Off");
  await page.getByRole("link", { name: "Embed", exact: true }).click();
  await page.getByText("None. No page may embed the form.").waitFor();
  await page.getByRole("link", { name: "Profile" }).click();
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
});

testInBrowser("where the form can be embedded, both pages say for whom, and what is missing", async (open, t) => {
  const origins = "https://shop.example.com,https://*.example.org";
  for (const [listed, chip] of [
    ["", "On, no origins"],
    [origins, "On, 2 origins"],
  ] as const) {
    const service = await serve(t, {
      SERVICE_EMBED_SIGNING_SECRET: "0123456789abcdef".repeat(4),
      SERVICE_EMBED_PARENT_ORIGINS: listed,
    });
    await addOperator(service, "ada@example.com");
    const page = await open();
    await signIn(page, service, "ada@example.com", "/settings/status");
    await page.locator("dl > div").filter({ hasText: "SERVICE_EMBED_PARENT_ORIGINS" }).getByText(chip).waitFor();
    await axe(page);
    await page.getByRole("link", { name: "Embed", exact: true }).click();
    await page.getByText("On", { exact: true }).waitFor();
    if (listed === "") await page.getByText("None. No page may embed the form.").waitFor();
    for (const origin of listed.split(",").filter(Boolean)) await page.getByText(origin, { exact: true }).waitFor();
    await axe(page);
  }
});

testInBrowser("what cannot be loaded says why, and can be tried again", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ expected: [/status of 429/] });
  let isDown = true;
  const body = JSON.stringify({ error_code: "RATE_LIMITED", message: "Too many." });
  await page.route(/api\/(settings|service-keys)$/, (route) =>
    isDown ? route.fulfill({ status: 429, contentType: "application/json", body }) : route.continue(),
  );
  await signIn(page, service, "ada@example.com", "/settings/status");
  for (const [link, heading] of [
    ["Status", "Could not load the status"],
    ["Embed", "Could not load the settings"],
    ["Embed keys", "Could not load the keys"],
  ] as const) {
    await page.getByRole("link", { name: link, exact: true }).click();
    await page.getByRole("heading", { name: heading }).waitFor();
    await page.getByText("Too many. (RATE_LIMITED)").waitFor();
  }
  isDown = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No active keys.").waitFor();
});

testInBrowser("the quickstart says when an agent's task arrives, and opens it", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/settings/quickstart");
  await page.getByText("Waiting for your first task").waitFor();
  await screenshot(page, "settings-quickstart");
  await createTask(service, "Long before");
  await page.getByText("Received: Long before").waitFor();
  await createTask(service, "From the agent");
  await page.getByText("Received: From the agent").waitFor();
  assert.equal((await service.call<unknown[]>("GET", "/api/tasks")).length, 2, "no sample came along");
  await page.getByRole("link", { name: "Open" }).click();
  await page.getByRole("heading", { level: 1, name: "From the agent" }).waitFor();
});

testInBrowser("the quickstart makes an agent, and its call waits for the answer and prints it", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAgent(service, "my-agent");
  const page = await open({ expected: [/status of 409/] });
  await signIn(page, service, "ada@example.com", "/settings/quickstart");
  const create = page.getByRole("button", { name: "Create agent and token" });
  await create.click();
  await page.getByText(/already/).waitFor();
  await page.getByLabel("Name of your agent").fill("second-agent");
  await create.click();
  await page.getByText("The agent second-agent is ready.").waitFor();
  await axe(page);
  await screenshot(page, "settings-quickstart-agent");
  const call = await page.locator("pre").first().innerText();
  const { stdout } = await new Promise<{ stdout: string }>((resolve, reject) => {
    const shell = execFile("bash", ["-c", call], { timeout: 60_000 }, (error, stdout) =>
      error ? reject(error) : resolve({ stdout }),
    );
    t.after(() => void shell.kill());
    void (async () => {
      await page.getByText("Received: Publish this release note?").waitFor();
      const [task] = await service.call<{ id: string }[]>("GET", "/api/tasks");
      await service.call("POST", `/api/tasks/${task!.id}/complete`, { response: { approved: true } });
    })().catch(reject);
  });
  assert.deepEqual((JSON.parse(stdout) as { response: object }).response, { approved: true });
  await page.getByText("Answered: your agent has it.").waitFor();
});

testInBrowser(
  "the quickstart shows a task from before the page was open, and its call works once in each view",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await createTask(service, "Long before");
    const page = await open();
    await signIn(page, service, "ada@example.com", "/settings/quickstart");
    await page.getByText("Received: Long before").waitFor();
    const run = async (): Promise<string> => {
      const [, body] = /-d '([^']*)'/.exec(await page.locator("pre").first().innerText())!;
      const task = await service.call<{ id: string }>("POST", "/api/tasks", JSON.parse(body!));
      await page.getByText("Received: Publish this release note?").waitFor();
      return task.id;
    };
    const first = await run();
    assert.equal(await run(), first, "the same call again returns the same task");
    await page.reload();
    assert.notEqual(await run(), first, "the call of another view creates another task");
    assert.equal((await service.call<unknown[]>("GET", "/api/tasks")).length, 3);
  },
);

const PARTS = ["", "/status", "/email", "/keys", "/embed", "/connections", "/events", "/quickstart", "/about"];

for (const theme of ["light", "dark"] as const)
  for (const size of ["phone", "wide"] as const)
    testInBrowser(`everybody can use the settings: ${theme}, ${size}`, async (open, t) => {
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      await service.call("POST", "/api/service-keys", { name: "Shop" });
      const page = await open({ theme, size });
      await signIn(page, service, "ada@example.com");
      for (const part of PARTS) {
        await page.goto(`${service.url}/settings${part}`);
        await page.getByRole("navigation", { name: "Settings" }).waitFor();
        await page.waitForFunction(() => !document.body.innerText.includes("Loading"));
        await axe(page);
        assert.ok(await isNotWider(page), part);
        await screenshot(page, `settings${part.replace("/", "-")}-${theme}-${size}`);
      }
    });

testInBrowser("no part of the settings is wider than the narrowest screen", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/service-keys", { name: "A shop with quite a long name, as products have them" });
  const page = await open({ size: "narrow" });
  await signIn(page, service, "ada@example.com");
  for (const part of PARTS) {
    await page.goto(`${service.url}/settings${part}`);
    await page.getByRole("navigation", { name: "Settings" }).waitFor();
    await page.waitForFunction(() => !document.body.innerText.includes("Loading"));
    assert.ok(await isNotWider(page), part);
  }
});
