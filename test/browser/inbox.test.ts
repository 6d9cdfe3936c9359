import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";

const list = (page: Page, name = "Inbox"): Locator => page.getByRole("region", { name, exact: true });

async function titles(page: Page, name = "Inbox"): Promise<(string | undefined)[]> {
  await list(page, name).getByRole("link").first().waitFor();
  return (await list(page, name).getByRole("link").allInnerTexts()).map((text) => text.split("\n")[0]);
}

/** What the element with the focus says first. */
function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => (document.activeElement as HTMLElement).innerText.split("\n")[0]);
}

testInBrowser("an assignee sees their own tasks, and of the rest that it is not for them", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addAssignee(service, "mia@example.com");
  await createTask(service, "For Mia", { assign_to: { email: "mia@example.com" } });
  const { id } = await createTask(service, "For somebody else");
  const page = await open({ expected: [/status of 403/] });
  await signIn(page, service, "mia@example.com");
  assert.deepEqual(await titles(page), ["For Mia"]);
  const places = await page.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts();
  assert.deepEqual(
    places.map((text) => text.split("\n")[0]).filter((text) => text !== "Human Task Service"),
    ["Inbox", "Closed", "Settings"],
  );
  for (const path of ["/stats", "/deliveries", "/agents", "/users", "/playground"]) {
    await page.goto(service.url + path);
    await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  }
  await axe(page);
  await screenshot(page, "forbidden");
  await page.goto(`${service.url}/tasks/${id}`);
  await page.getByRole("heading", { name: "This task is assigned to someone else" }).waitFor();
  await axe(page);
});

testInBrowser("an address that nothing is at says so, and leads back", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 404/] });
  await signIn(page, service, ADA);
  await page.goto(`${service.url}/tasks/tsk_nothing`);
  await page.getByRole("heading", { name: "This task doesn't exist, or it was deleted" }).waitFor();
  await page.getByRole("link", { name: "Back to the inbox" }).click();
  await page.waitForURL("**/inbox");
});

testInBrowser("a choice changes the address, and the address gives everybody the same list", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTask(service, "Oldest", { timeout_seconds: 7200 });
  await createTask(service, "For Ada", { assign_to: { email: ADA } });
  await createTask(service, "Newest", { timeout_seconds: 90_000 });
  const page = await open();
  await signIn(page, service, ADA);
  assert.deepEqual(await titles(page), ["For Ada", "Oldest", "Newest"]);
  await page.getByRole("button", { name: "Sort: Soonest first" }).click();
  await page.getByRole("menuitemradio", { name: "Newest" }).click();
  await page.waitForURL("**/inbox?sort=created");
  await page.waitForFunction(() => document.querySelector("[data-task]")?.textContent?.startsWith("Newest"));
  // A menu that stays open covers the rows.
  await page.getByRole("menu").waitFor({ state: "detached" });
  await list(page).getByText("3 waiting").waitFor();
  await page.getByRole("button", { name: "Assignee" }).click();
  await axe(page);
  await page.getByRole("menuitemradio", { name: "Unassigned" }).click();
  await page.waitForURL("**/inbox?sort=created&assignee=none");
  await page.getByRole("link", { name: /^For Ada/ }).waitFor({ state: "detached" });
  await list(page).getByText("2 of 3").waitFor();
  assert.deepEqual(await titles(page), ["Newest", "Oldest"]);
  let askedWho = 0;
  page.on("request", (request) => (askedWho += request.url().endsWith("/api/auth/me") ? 1 : 0));
  await page.reload();
  assert.deepEqual(await titles(page), ["Newest", "Oldest"]);
  assert.equal(askedWho, 1, "the script takes over what the page has asked for");
  const other = await open();
  await signIn(other, service, ADA);
  await other.goto(page.url());
  assert.deepEqual(await titles(other), ["Newest", "Oldest"]);
  await page.getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitemradio", { name: "Sent back" }).click();
  await page.getByRole("heading", { name: "No tasks match" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  assert.deepEqual(await titles(page), ["Newest", "For Ada", "Oldest"]);
});

testInBrowser("a row says what its task is about, how soon it matters, and who it is for", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addAssignee(service, "mia@example.com", { display_name: "Mia Ek", pool: "refunds" });
  await createTask(service, "Damaged goods", {
    payload: { customer: "Lucía Fernández", amount: 2637, currency: "EUR" },
    payload_schema: {},
    labels: ["VIP", "fraud check", "EU", "manual"],
    priority: "urgent",
    assign_to: { pool: "refunds" },
  });
  await createTask(service, "Later", { priority: "low", assign_to: { email: "mia@example.com" } });
  const page = await open();
  await signIn(page, service, ADA);
  const row = (title: string) => list(page).getByRole("link").filter({ hasText: title });
  await row("Damaged goods").getByText("€2,637.00 · Lucía Fernández").waitFor();
  for (const text of ["VIP", "fraud check", "EU", "+1", "Urgent", "refunds"])
    await row("Damaged goods").getByText(text, { exact: true }).first().waitFor();
  await row("Later").getByText("Low priority").waitFor();
  await row("Later").getByText("Mia Ek").waitFor();
  await hasCount(list(page).getByText("Waiting", { exact: true }), 0);
  await axe(page);
  await screenshot(page, "inbox-labels");

  await page.getByRole("button", { name: "Label" }).click();
  await page.getByRole("menuitemradio", { name: "fraud check" }).click();
  await page.waitForURL((url) => url.searchParams.get("label") === "fraud check");
  await hasCount(list(page).getByRole("link"), 1);
  await row("Damaged goods").click();
  for (const text of ["VIP", "manual", "Urgent"])
    await page.getByRole("main").getByText(text, { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Label: fraud check" }).click();
  await page.getByRole("menuitemradio", { name: "Any label" }).click();
  await page.getByRole("button", { name: "Priority" }).click();
  await page.getByRole("menuitemradio", { name: "Low priority" }).click();
  await page.waitForURL((url) => url.searchParams.get("priority") === "low");
  await hasCount(list(page).getByRole("link"), 1);
});

testInBrowser("a search finds ids, keys and people, and leads on to closed tasks", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await addAssignee(service, "mia@example.com");
  const one = await createTask(service, "One", { assign_to: { email: "mia@example.com" } });
  await createTask(service, "Two", { idempotency_key: "order-48219:refund" });
  const closed = await createTask(service, "Three");
  await service.call("POST", `/api/tasks/${closed.id}/complete`, { response: { approved: true } });
  const page = await open();
  await signIn(page, service, ADA);
  const finds = async (q: string, title: string, region = "Inbox"): Promise<void> => {
    await page.getByRole("searchbox", { name: "Search" }).fill(q);
    await page.waitForURL((url) => url.searchParams.get("q") === q);
    // The list before may have had one row as well.
    const found = list(page, region).getByRole("link");
    await found.filter({ hasText: new RegExp(`^${title}`) }).waitFor();
    await hasCount(found, 1);
  };
  await finds(one.id, "One");
  await finds("order-48219:refund", "Two");
  await finds("mia", "One");
  await finds("by:mia is:open", "One");
  await page.getByRole("searchbox", { name: "Search" }).fill(closed.id);
  await page.getByRole("heading", { name: "No tasks match" }).waitFor();
  await page.getByText("Search looks in titles, facts, labels, ids, idempotency keys, agents and people.").waitFor();
  await axe(page);
  await page.getByRole("link", { name: "Search closed tasks" }).click();
  await finds(closed.id, "Three", "Closed");
});

testInBrowser("a change of a task does not fetch what the list does not show", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTask(service, "Large", { payload: { text: "x".repeat(400_000) } });
  const page = await open();
  await signIn(page, service, ADA);
  await titles(page);
  const refreshed = page.waitForResponse((response) => new URL(response.url()).searchParams.has("sort"));
  await createTask(service, "Small");
  const body = await (await refreshed).text();
  assert.ok(body.length < 5_000, `${body.length} characters`);
  await page.getByRole("link", { name: /^Small/ }).waitFor();
});

testInBrowser("a task that comes in is there by itself, is said, and moves nothing one points at", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (let i = 1; i <= 20; i++) await createTask(service, `Task ${i}`, { timeout_seconds: 3600 + i });
  const page = await open();
  // Agents come last, so that the filter by agent, which needs a line of its own, moves the rows once they are there.
  const isListed = Promise.withResolvers<void>();
  await page.route(/\/api\/agents/, async (route) => isListed.promise.then(() => route.continue()));
  await signIn(page, service, ADA);
  const chosen = page.getByRole("link", { name: /^Task 3 / });
  await chosen.click();
  await page.getByRole("heading", { level: 1, name: "Task 3" }).waitFor();
  isListed.resolve();
  // The filters above the list have their last height once agents and fonts are there.
  await page.getByRole("button", { name: "Agent", exact: true }).waitFor();
  await page.evaluate(async () => void (await document.fonts.ready));
  await chosen.hover();
  const before = await chosen.boundingBox();
  await createTask(service, "Urgent", { timeout_seconds: 60 });
  await page.getByRole("link", { name: /^Urgent/ }).waitFor({ state: "attached" });
  await page.getByRole("status").filter({ hasText: "New: Urgent" }).waitFor({ state: "attached" });
  assert.deepEqual(await chosen.boundingBox(), before);
  assert.equal(await chosen.getAttribute("aria-current"), "true");
});

testInBrowser("the list is gone through, opened and left by keyboard", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (const [i, name] of ["One", "Two", "Three"].entries())
    await createTask(service, name, { timeout_seconds: 3600 + i * 60 });
  const page = await open();
  await signIn(page, service, ADA);
  await titles(page);
  const shows = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const isOn = (name: string) =>
    page.waitForFunction((text) => (document.activeElement as HTMLElement).innerText.startsWith(text), name);
  await shows("One");
  await page.getByText("1 of 3").waitFor();
  await page.keyboard.press("j");
  await shows("Two");
  await isOn("Two");
  await page.waitForURL("**/tasks/*");
  await page.keyboard.press("j");
  await shows("Three");
  await page.getByText("3 of 3").waitFor();
  await hasFocus(page.getByRole("link", { name: /^Three/ }));
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("heading", { level: 1, name: "Three" }));
  await page.keyboard.press("Escape");
  await page.waitForURL("**/inbox");
  await hasFocus(page.getByRole("link", { name: /^Three/ }));
  await shows("Three");
  await page.keyboard.press("k");
  await shows("Two");
  await isOn("Two");
  await page.keyboard.press("o");
  await hasFocus(page.getByRole("heading", { level: 1, name: "Two" }));
  // From within a task, it goes on to the next.
  await page.keyboard.press("k");
  await shows("One");
  await page.keyboard.press("j");
  await shows("Two");
  await page.keyboard.press("s");
  await page.getByRole("heading", { level: 1, name: "Three" }).waitFor();
  await page.keyboard.press("z");
  await page.getByRole("heading", { level: 1, name: "Two" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("j1s");
  assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "j1s");
  await page.keyboard.press("Escape");
  // Together, because the first key does not wait long for the second.
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("d")]);
  await page.getByRole("heading", { name: "No closed tasks yet" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
  await axe(page);
  await screenshot(page, "shortcuts");
  // Keys are for the dialog, not for what lies under it.
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).search, "?scope=done");
});

testInBrowser("with single keys off they do nothing, and arrows still do", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTask(service, "One", { timeout_seconds: 3600 });
  await createTask(service, "Two", { timeout_seconds: 7200 });
  const page = await open();
  await signIn(page, service, ADA);
  await page.evaluate(() => localStorage.setItem("preferences", JSON.stringify({ singleKeys: false })));
  await page.reload();
  await titles(page);
  await page.keyboard.press("j");
  await page.keyboard.press("?");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await hasCount(page.getByRole("dialog"), 0);
  await page.getByRole("heading", { level: 1, name: "One" }).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(page), "Two");
  await page.getByRole("heading", { level: 1, name: "Two" }).waitFor();
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(page), "One");
  // In the task, arrows scroll.
  await page.keyboard.press("Enter");
  await hasFocus(page.getByRole("heading", { level: 1, name: "One" }));
  await page.keyboard.press("ArrowDown");
  await page.getByRole("heading", { level: 1, name: "One" }).waitFor();
});

testInBrowser("the first task is open on arrival, and nothing begins before one goes into it", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const one = await createTask(service, "One", { timeout_seconds: 3600 });
  await createTask(service, "Two", { timeout_seconds: 7200 });
  const page = await open();
  await page.goto(`${service.url}/api/redoc`);
  await signIn(page, service, ADA);
  const first = page.getByRole("heading", { level: 1, name: "One" });
  await first.waitFor();
  await page.getByRole("radio", { name: "Yes" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/inbox");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await axe(page);
  // It takes more than a key to send something.
  await page.keyboard.press("Control+Enter");
  await hasCount(page.getByRole("alert"), 0);
  const read = () => service.call<{ claimed_by_email: string | null }>("GET", `/api/tasks/${one.id}`);
  assert.equal((await read()).claimed_by_email, null);
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("draft")), false);
  await page.getByRole("textbox", { name: /Note/ }).fill("I am at it");
  await page.waitForURL(`**/tasks/${one.id}`);
  await page.getByText("You're working on this").waitFor();
  assert.equal((await read()).claimed_by_email, ADA);
  // The way back leads out.
  await page.goBack();
  await page.waitForURL("**/inbox");
  await first.waitFor();
  assert.equal(await page.getByRole("textbox", { name: /Note/ }).inputValue(), "I am at it");
  await page.getByRole("link", { name: /^One/ }).click();
  await hasFocus(first);
  await page.waitForURL(`**/tasks/${one.id}`);
  await page.goBack();
  await page.waitForURL("**/inbox");
  await page.goBack();
  await page.waitForURL("**/api/redoc");
});

testInBrowser(
  "a task that was fetched ahead is there at once, and those passed quickly are not asked for",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    const names = Array.from({ length: 8 }, (_, i) => `Task ${i}`);
    const ids: string[] = [];
    for (const [i, name] of names.entries())
      ids.push((await createTask(service, name, { timeout_seconds: 3600 + i * 60 })).id);
    const page = await open({ expected: [/ERR_FAILED/] });
    const asked: number[] = [];
    page.on("request", (request) => {
      const at = ids.findIndex((id) => new URL(request.url()).pathname === `/api/tasks/${id}`);
      if (at !== -1) asked.push(at);
    });
    await signIn(page, service, ADA);
    await page.getByRole("heading", { level: 1, name: "Task 0" }).waitFor();
    const isCached = page.waitForResponse((response) => response.url().endsWith(ids[2]!));
    await page.keyboard.press("j");
    await page.getByRole("heading", { level: 1, name: "Task 1" }).waitFor();
    await isCached;
    // It needs no connection.
    await page.route("**/api/tasks/tsk_*", (route) => route.abort());
    await page.keyboard.press("j");
    await page.getByRole("heading", { level: 1, name: "Task 2" }).waitFor();
    await page.unroute("**/api/tasks/tsk_*");
    asked.length = 0;
    // As a key that is held down does it, however busy the machine is.
    await page.evaluate(() => {
      for (let presses = 0; presses < 8; presses++)
        document.activeElement!.dispatchEvent(
          new KeyboardEvent("keydown", { key: "j", repeat: true, bubbles: true, cancelable: true }),
        );
    });
    await page.getByRole("textbox", { name: /Note/ }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Task 7" }).waitFor();
    await page.getByText("8 of 8").waitFor();
    assert.ok(!asked.includes(4) && !asked.includes(5), String(asked));
  },
);

testInBrowser("how long is left is told by words and by looks, down to the end", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await createTask(service, "In three hours", { timeout_seconds: 3 * 3600 + 300 });
  await createTask(service, "In half an hour", { timeout_seconds: 1800 });
  await createTask(service, "In twelve minutes", { timeout_seconds: 720 });
  const page = await open();
  await page.clock.install();
  await signIn(page, service, ADA);
  const row = (name: string) => page.getByRole("link", { name: new RegExp(`^${name}`) });
  const left = async (name: string) => {
    const deadline = row(name).locator(".deadline");
    return {
      words: await deadline.innerText(),
      icon: await deadline.locator("svg").innerHTML(),
      looks: (await deadline.getAttribute("class"))?.trim(),
    };
  };
  const [hours, half, minutes] = [
    await left("In three hours"),
    await left("In half an hour"),
    await left("In twelve minutes"),
  ];
  assert.deepEqual([hours.words, half.words, minutes.words], ["3 h left", "30 min left", "12 min left"]);
  for (const fresh of [hours, half, minutes])
    assert.equal(fresh.looks, "deadline", "a new task has all of its time, however short it is");
  await row("In twelve minutes").click();
  // Any loading time up to a minute gives the same words.
  await page.clock.fastForward("09:00");
  await row("In twelve minutes").getByText("3 min left").waitFor();
  const soon = await left("In twelve minutes");
  assert.equal(soon.looks, "deadline soon");
  assert.notEqual(soon.icon, minutes.icon);
  assert.equal((await left("In half an hour")).looks, "deadline");
  await page.clock.fastForward("01:50");
  await page.getByRole("status").filter({ hasText: "Less than two minutes left" }).waitFor({ state: "attached" });
  await row("In twelve minutes").locator(".deadline.urgent").waitFor();
  await page.clock.fastForward("01:15");
  await row("In twelve minutes").getByText("Timed out").waitFor();
  await page.getByText("No one answered in time.").waitFor();
});

testInBrowser("each kind of nothing says what it is and what to do", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 500/] });
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  await axe(page);
  await screenshot(page, "inbox-never-used");
  await page.getByRole("button", { name: "Create a sample task" }).click();
  await page.getByRole("heading", { level: 1, name: /refund/ }).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("nothing like it");
  await page.getByRole("heading", { name: "No tasks match" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.keyboard.press("1");
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("heading", { name: "All done" }).waitFor();
  await page.getByText("1 task closed today").waitFor();
  await axe(page);
  await page.route("**/api/tasks?*", (route) =>
    route.fulfill({ status: 500, json: { error_code: "INTERNAL_ERROR", message: "It broke." } }),
  );
  await page.goto(`${service.url}/inbox?scope=mine`);
  await page.getByRole("heading", { name: "Could not load the list" }).waitFor();
  await page.getByText("It broke. (INTERNAL_ERROR)").waitFor();
  await page.unroute("**/api/tasks?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "All done" }).waitFor();
});

testInBrowser("a long list goes on as it is scrolled", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (let i = 1; i <= 70; i++) await createTask(service, `Task ${i}`, { timeout_seconds: 3600 + i * 60 });
  const page = await open();
  await signIn(page, service, ADA);
  assert.equal((await titles(page)).length, 50);
  await list(page).getByRole("button", { name: "Load more" }).scrollIntoViewIfNeeded();
  await page.getByRole("link", { name: /^Task 70 / }).waitFor({ state: "attached" });
  assert.equal((await titles(page)).length, 70);
});

testInBrowser("a long list goes on when a task comes while its next part is loading", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (let i = 1; i <= 70; i++) await createTask(service, `Task ${i}`, { timeout_seconds: 3600 + i * 60 });
  const page = await open();
  await signIn(page, service, ADA);
  assert.equal((await titles(page)).length, 50);
  const held = Promise.withResolvers<void>();
  await page.route(
    (url) => url.searchParams.has("cursor"),
    async (route) => {
      await held.promise;
      await route.continue();
    },
    { times: 1 },
  );
  const asked = page.waitForRequest((request) => request.url().includes("cursor="));
  await list(page).getByRole("button", { name: "Load more" }).scrollIntoViewIfNeeded();
  await asked;
  await createTask(service, "Task that came", { timeout_seconds: 1800 });
  await page.getByRole("link", { name: /^Task that came / }).waitFor({ state: "attached" });
  held.resolve();
  await page.getByRole("link", { name: /^Task 70 / }).waitFor({ state: "attached" });
  assert.equal((await titles(page)).length, 71);
});

testInBrowser("a part of a long list that could not be loaded is asked for again by its button", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  for (let i = 1; i <= 70; i++) await createTask(service, `Task ${i}`, { timeout_seconds: 3600 + i * 60 });
  const page = await open({ expected: [/status of 400/] });
  const asked = { lists: 0, parts: 0 };
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname !== "/api/tasks" || !searchParams.has("sort")) return;
    asked[searchParams.has("cursor") ? "parts" : "lists"]++;
  });
  // Whatever is asked for before the click breaks, however late the page does so.
  const isClicked = () => page.evaluate(() => "isClicked" in document.body.dataset);
  await page.route(
    (url) => url.searchParams.has("cursor"),
    async (route) =>
      (await isClicked())
        ? route.continue()
        : route.fulfill({ status: 400, json: { error_code: "INVALID_REQUEST", message: "It broke." } }),
  );
  await signIn(page, service, ADA);
  assert.equal((await titles(page)).length, 50);
  const more = list(page).getByRole("button", { name: "Load more" });
  await more.scrollIntoViewIfNeeded();
  await list(page).getByText("It broke. (INVALID_REQUEST)").waitFor();
  await createTask(service, "Task that came", { timeout_seconds: 1800 });
  await page.getByRole("link", { name: /^Task that came / }).waitFor({ state: "attached" });
  // Once each time the list is refreshed: asking again and again would help nobody.
  assert.ok(asked.parts <= asked.lists, JSON.stringify(asked));
  await page.evaluate(() =>
    document.addEventListener("click", () => (document.body.dataset["isClicked"] = ""), { capture: true }),
  );
  await more.click();
  await page.getByRole("link", { name: /^Task 70 / }).waitFor({ state: "attached" });
  assert.equal((await titles(page)).length, 71);
});

for (const size of ["narrow", "phone", "desk", "wide"] as const)
  testInBrowser(
    `however long an address is, the list and the head of a task keep to their place: ${size}`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, ADA);
      const email = `${"long".repeat(14)}@${"sub.".repeat(20)}example.com`;
      const { id } = await createTask(service, "Publish the notes", { assign_to: { email } });
      const page = await open({ size });
      const isWithin = (place: string): Promise<boolean> =>
        page.locator(place).evaluate((one) => one.scrollWidth <= one.clientWidth);
      await signIn(page, service, ADA);
      await titles(page);
      assert.ok(await isWithin(".list"));
      await page.goto(`${service.url}/tasks/${id}`);
      await page.getByRole("heading", { level: 1, name: "Publish the notes" }).waitFor();
      assert.ok(await isWithin(".pane"));
      if (size === "narrow" || size === "phone") return;
      const [previous, next] = await Promise.all(
        ["Previous task", "Next task"].map((name) => page.getByRole("button", { name }).boundingBox()),
      );
      assert.equal(previous?.y, next?.y, "the ways to other tasks stay in a row");
    },
  );
