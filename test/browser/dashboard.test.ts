import assert from "node:assert/strict";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, PASSWORD, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";

testInBrowser(
  "who starts the service answers a first task in eight steps, and sees their agent's arrive",
  async (open, t) => {
    const service = await serve(t);
    const page = await open();
    await page.goto(service.url);
    await page.waitForURL("**/setup");
    await axe(page);
    await screenshot(page, "dashboard-setup");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Answer a sample task" }).click();
    await page.getByRole("heading", { level: 1, name: /Approve a €1,240.00 refund/ }).waitFor();
    await axe(page);
    await screenshot(page, "dashboard-task");
    await page.getByRole("radio", { name: "Approve" }).check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.getByRole("heading", { name: "This is what your agent receives" }).waitFor();
    const tasks = await service.call<
      { id: string; status: string; response: unknown; completed_via_channel: string }[]
    >("GET", "/api/tasks");
    assert.deepEqual(
      tasks.map(({ status, response, completed_via_channel }) => ({ status, response, completed_via_channel })),
      [{ status: "completed", response: { approved: true }, completed_via_channel: "dashboard" }],
    );
    const received = page.getByRole("region", { name: "What your agent receives" });
    const given = await service.call("GET", `/api/tasks/${tasks[0]!.id}/poll`);
    await received.getByText('"completed_via_channel": "dashboard"').waitFor();
    assert.deepEqual(JSON.parse(await received.locator("pre").innerText()), given);
    await page
      .getByRole("region", { name: "How your agent waits" })
      .getByText(`curl -s ${service.url}/api/tasks/${tasks[0]!.id}/poll`)
      .waitFor();
    await axe(page);
    await screenshot(page, "dashboard-setup-received");
    await page.reload();
    await page.getByRole("button", { name: "Connect your agent" }).click();
    await page.getByText("Waiting for your first task").waitFor();
    await axe(page);
    await screenshot(page, "dashboard-setup-connect");
    await createTask(service, "From the agent");
    await page.getByText("Received: From the agent").waitFor();
    assert.equal((await service.call<unknown[]>("GET", "/api/tasks")).length, 2);
    await page.getByRole("link", { name: "Open" }).click();
    await page.getByRole("heading", { level: 1, name: "From the agent" }).waitFor();
    await page.goto(`${service.url}/setup`);
    await page.waitForURL("**/inbox");
  },
);

testInBrowser("the first operator is told at the field what is wrong with their password", async (open, t) => {
  const service = await serve(t);
  const page = await open({ expected: [/status of 422/] });
  await page.goto(service.url);
  await page.getByLabel("Email").fill("ada@example.com");
  const password = page.getByRole("textbox", { name: "Password" });
  await password.fill("password1");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Is one of the passwords that are guessed first. Take a longer one").waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "password");
  assert.equal(await page.getByText("The request has an invalid value").count(), 0);
  await page.getByRole("button", { name: "Show the password" }).waitFor();
  await axe(page);
  await screenshot(page, "setup-weak-password");
  await password.fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Try it" }).waitFor();
});

testInBrowser("set-up keeps its place over a reload, and belongs to operators", async (open, t) => {
  const service = await serve(t);
  const page = await open();
  await page.goto(`${service.url}/setup?step=3`);
  await page.getByLabel("Email").fill("ada@example.com");
  const entries = await page.evaluate(() => history.length);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Try it" }).waitFor();
  assert.equal(await page.evaluate(() => history.length), entries, "the address with a token is not kept");
  await page.reload();
  await page.getByRole("button", { name: "Skip" }).click();
  await page.getByRole("heading", { name: "Connect your agent" }).waitFor();
  await addAssignee(service, "dana@example.com");
  const dana = await open();
  await dana.goto(`${service.url}/setup?step=3`);
  await dana.waitForURL("**/login?**");
  await signIn(dana, service, "dana@example.com");
  await dana.goto(`${service.url}/setup?step=2`);
  await dana.waitForURL("**/inbox");
});

for (const [theme, size] of [
  ["light", "narrow"],
  ["dark", "phone"],
  ["dark", "wide"],
] as const)
  testInBrowser(`everybody can set up: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    const page = await open({ theme, size });
    const look = async (step: string): Promise<void> => {
      await axe(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), step);
      await screenshot(page, `setup-${step}-${theme}-${size}`);
    };
    await page.goto(service.url);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await look("you");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Answer a sample task" }).waitFor();
    await look("try");
    await page.getByRole("button", { name: "Answer a sample task" }).click();
    await page.getByRole("radio", { name: "Reject" }).check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.getByText('"approved": false').waitFor();
    await look("received");
    await page.getByRole("button", { name: "Connect your agent" }).click();
    await page.getByText("Waiting for your first task").waitFor();
    await look("connect");
    await page.getByRole("link", { name: "Go to the inbox" }).click();
    await page.getByRole("heading", { name: "All done" }).waitFor();
  });

testInBrowser(
  "a link to a task leads there by way of signing in, and a wrong password is told in one sentence",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const { id } = await createTask(service, "Publish this release note?");
    const page = await open({ expected: [/status of 401/] });
    await page.goto(`${service.url}/tasks/${id}`);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Wrong email or password.").waitFor();
    await axe(page);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Publish this release note?" }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/tasks/${id}`);
    await page.getByRole("button", { name: "ada" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

testInBrowser("after too many wrong passwords it is told how long to wait", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ expected: [/status of 401/, /status of 429/] });
  await page.goto(`${service.url}/login`);
  await page.getByLabel("Email").fill("ada@example.com");
  const says = page.getByRole("alert");
  for (let tries = 1; tries <= 11; tries++) {
    await page.getByLabel("Password", { exact: true }).fill(`wrong ${tries}`);
    const answered = page.waitForResponse("**/api/auth/login");
    await page.getByRole("button", { name: "Sign in" }).click();
    await answered;
  }
  await says.getByText(/^Too many attempts. Wait (a minute|\d+ minutes), then try again.$/).waitFor();
});

testInBrowser(
  "the inbox has what is due first on top, keeps its view in the address, and finds a text",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await createTask(service, "Later", { timeout_seconds: 90_000 });
    await createTask(service, "Soon", { timeout_seconds: 600 });
    await createTask(service, "For Ada", { assign_to: { email: "ada@example.com" }, timeout_seconds: 3_600 });
    const page = await open();
    await signIn(page, service, "ada@example.com");
    const rows = page.getByRole("region", { name: "Inbox" }).getByRole("link");
    await rows.first().waitFor();
    assert.deepEqual(
      (await rows.allInnerTexts()).map((text) => text.split("\n")[0]),
      ["Soon", "For Ada", "Later"],
    );
    await axe(page);
    await screenshot(page, "dashboard-inbox");
    await page.getByRole("link", { name: /^Mine/ }).click();
    await page
      .getByRole("region", { name: "Mine" })
      .getByRole("link", { name: /For Ada/ })
      .waitFor();
    assert.equal(new URL(page.url()).search, "?scope=mine");
    await page.reload();
    await page
      .getByRole("region", { name: "Mine" })
      .getByRole("link", { name: /For Ada/ })
      .waitFor();
    await page.getByRole("link", { name: /^Inbox/ }).click();
    await page.getByRole("searchbox", { name: "Search" }).fill("nothing like it");
    await page.getByRole("heading", { name: "No tasks match" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: /Soon/ }).waitFor();
  },
);

testInBrowser(
  "nothing is sent while the decision is open, and the next task opens after an answer",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const { id } = await createTask(service, "First", { timeout_seconds: 600 });
    await createTask(service, "Second");
    const page = await open();
    await signIn(page, service, "ada@example.com", `/tasks/${id}`);
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.getByRole("alert").getByText("Not sent. Fix 1 answer below.").waitFor();
    assert.equal((await service.call<{ status: string }>("GET", `/api/tasks/${id}`)).status, "created");
    await page.getByRole("radio", { name: "No" }).check();
    await page.keyboard.press("Control+Enter");
    const next = page.getByRole("heading", { level: 1, name: "Second" });
    await next.waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    const first = await service.call<{ response: unknown }>("GET", `/api/tasks/${id}`);
    assert.deepEqual(first.response, { approved: false });
  },
);

testInBrowser("two people see who is on a task, and the answer of whoever was first", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addOperator(service, "bob@example.com");
  const { id } = await createTask(service, "Who is first?");
  const ada = await open();
  const bob = await open();
  await signIn(ada, service, "ada@example.com", `/tasks/${id}`);
  await signIn(bob, service, "bob@example.com", `/tasks/${id}`);
  await bob.getByRole("radio", { name: "Yes" }).waitFor();
  await ada.getByRole("textbox", { name: /Note/ }).fill("I am at it");
  await bob.getByText("ada@example.com is working on this").waitFor();
  await bob.getByRole("button", { name: "Take over" }).click();
  await bob.getByRole("radio", { name: "Yes" }).check();
  await bob.getByRole("button", { name: "Submit answer" }).click();
  await ada.getByText(/^bob answered this/).waitFor();
  const task = await service.call<{ response: unknown; completed_by_email: string }>("GET", `/api/tasks/${id}`);
  assert.deepEqual([task.response, task.completed_by_email], [{ approved: true }, "bob@example.com"]);
});

testInBrowser("what was entered is there again after a reload, but not where a task is redacted", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Kept");
  const redacted = await createTask(service, "Not kept", { redact_payload: true });
  const page = await open();
  await signIn(page, service, "ada@example.com", `/tasks/${id}`);
  await page.getByRole("textbox", { name: /Note/ }).fill("Half a sentence");
  await page.reload();
  await page.getByRole("heading", { name: "Kept" }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: /Note/ }).inputValue(), "Half a sentence");
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${service.url}/tasks/${redacted.id}`);
  await page.getByRole("textbox", { name: /Note/ }).fill("A secret");
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("secret")), false);
});

for (const theme of ["light", "dark"] as const)
  for (const size of ["phone", "wide"] as const)
    testInBrowser(`everybody can set up, sign in, and use a task and the list: ${theme}, ${size}`, async (open, t) => {
      const service = await serve(t);
      const page = await open({ theme, size });
      await page.goto(service.url);
      await page.getByRole("heading", { name: "Welcome. Who are you?" }).waitFor();
      await axe(page);
      await addOperator(service, "ada@example.com");
      const { id } = await createTask(service, "Publish this release note?");
      await page.goto(`${service.url}/login`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await axe(page);
      await screenshot(page, `dashboard-login-${theme}-${size}`);
      await signIn(page, service, "ada@example.com");
      await page.getByRole("link", { name: /Publish this/ }).waitFor();
      await axe(page);
      await screenshot(page, `dashboard-inbox-${theme}-${size}`);
      await page.goto(`${service.url}/tasks/${id}`);
      await page.getByRole("radio", { name: "Yes" }).waitFor();
      await axe(page);
      await screenshot(page, `dashboard-task-${theme}-${size}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });

testInBrowser("at 320 pixels nothing scrolls sideways, and what has the focus can be seen", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(
    service,
    "Publish this release note, with a-very-long-word-that-has-nowhere-to-go-in-it?",
    {
      payload: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`fact_${i}`, `Value ${i}`])),
    },
  );
  const page = await open({ size: "narrow" });
  await signIn(page, service, "ada@example.com");
  await page.getByRole("link", { name: /Publish this/ }).waitFor();
  for (const path of ["/inbox", `/tasks/${id}`]) {
    await page.goto(service.url + path);
    await page
      .getByText(/Publish this release note/)
      .filter({ visible: true })
      .first()
      .waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, path);
    for (let presses = 0; presses < 25; presses++) {
      await page.keyboard.press("Tab");
      const covered = await page.evaluate(() => {
        const at = document.activeElement;
        if (at === null || at === document.body || at.matches(".unseen, .skip")) return null;
        // A choice is seen by its label.
        const shown = at.closest("label") ?? (at as HTMLInputElement).labels?.[0] ?? at;
        const { left, right, top, bottom } = shown.getBoundingClientRect();
        const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x, y] as const));
        const seen = points.some(([x, y]) => {
          const found = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
          return found !== null && (shown.contains(found) || found.contains(shown));
        });
        return seen ? null : at.outerHTML.slice(0, 200);
      });
      assert.equal(covered, null, path);
    }
  }
});

testInBrowser("a page whose code can't be fetched says so in its place, and comes once it can", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ expected: [/Failed to load resource/, /ERR_/] });
  await signIn(page, service, "ada@example.com");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await page.route("**/*.js", (route) => route.abort());
  for (const name of ["Stats", "Deliveries", "People", "Playground", "Settings"]) {
    const link = navigation.getByRole("link", { name });
    await link.click();
    // The page before has the same alert.
    await link.and(page.locator("[aria-current=page]")).waitFor();
    await page.getByRole("alert").filter({ hasText: "Could not load this page" }).waitFor();
    await navigation.getByRole("link", { name: "Inbox" }).waitFor();
    await axe(page);
  }
  await screenshot(page, "page-not-loaded");
  await page.unroute("**/*.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Profile" }).waitFor();
});

testInBrowser("everybody can use every page beside a rail of icons", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Publish this release note?");
  const page = await open({ size: "desk" });
  await signIn(page, service, "ada@example.com");
  const settings = ["", "/status", "/keys", "/embed", "/quickstart", "/about"].map((part) => `/settings${part}`);
  for (const path of [
    "/inbox",
    `/tasks/${id}`,
    "/stats",
    "/deliveries",
    "/agents",
    "/users",
    "/playground",
    ...settings,
  ]) {
    await page.goto(service.url + path);
    await page.getByRole("heading", { level: 1 }).filter({ visible: true }).first().waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Stats" }).waitFor();
    const name = path.replace(id, "one");
    await inEachView(t, page, name, ["desk"], async ({ theme, rules }) => {
      await axe(page, rules);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await screenshot(page, `desk-${name.split("/").slice(1, 3).join("-")}-${theme}`);
    });
  }
});
