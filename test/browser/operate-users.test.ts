import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, PASSWORD, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import type { Service } from "../support/dashboard.ts";
import { confirm, visit } from "./operating.ts";

interface User {
  id: string;
  email: string;
  display_name: string | null;
  is_operator: boolean;
  role: string | null;
  pool: string | null;
  access_level: string | null;
  has_password: boolean;
  active: boolean;
}

/** The directory, by name. */
async function usersOf(service: Service): Promise<Map<string | null, User>> {
  const users = await service.call<User[]>("GET", "/api/users");
  return new Map(users.map((user) => [user.display_name, user]));
}

/** Waits until this is said of a field. */
async function saidAt(form: Locator, label: string, said: string): Promise<void> {
  const field = await form.getByLabel(label, { exact: true }).elementHandle();
  await form.page().waitForFunction(
    ([field, said]) => {
      const ids = field.getAttribute("aria-describedby")?.split(" ") ?? [];
      return ids.some((id) => document.getElementById(id)?.textContent.includes(said));
    },
    [field, said] as const,
  );
}

testInBrowser("a person is added, signs in, and is changed; what is wrong is told at its field", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/users", { expected: [/status of (409|422)/] });
  await page.getByRole("button", { name: "Add a person" }).click();
  const form = page.getByRole("dialog", { name: "Add a person" });
  await form.getByLabel("Name").fill("Dana");
  await form.getByRole("button", { name: "Add" }).click();
  await saidAt(form, "Email", "A user needs an email");
  assert.equal(await form.getByLabel("Email").evaluate((input) => input === document.activeElement), true);
  await form.getByLabel("Email").fill("not an address");
  await form.getByRole("button", { name: "Add" }).click();
  await saidAt(form, "Email", "Must be an email address.");
  await form.getByLabel("Email").fill("ADA@example.com");
  await form.getByRole("button", { name: "Add" }).click();
  await saidAt(form, "Email", "A user with this email or Slack id already exists, possibly deactivated.");
  await axe(page);
  await screenshot(page, "operate-user-refused");
  await form.getByLabel("Email").fill("dana@example.com");
  await form.getByText("Set a password", { exact: true }).click();
  const password = form.getByLabel("Password", { exact: true });
  await password.fill("short");
  await form.getByRole("button", { name: "Add" }).click();
  await saidAt(form, "Password", "Must have at least 8 characters.");
  await password.fill(PASSWORD);
  await form.getByRole("button", { name: "Show the password" }).click();
  assert.equal(await password.getAttribute("type"), "text");
  await form.getByLabel("Role").fill("reviewer");
  await form.getByRole("button", { name: "Add" }).click();
  await page.getByText("Dana added").waitFor();
  await form.waitFor({ state: "hidden" });
  const dana = (await usersOf(service)).get("Dana")!;
  assert.deepEqual(
    [dana.email, dana.is_operator, dana.role, dana.has_password],
    ["dana@example.com", false, "reviewer", true],
  );

  await page.getByRole("button", { name: "Edit Dana" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Dana" });
  await edit.getByLabel("Role").fill("");
  await edit.getByLabel("Pool").fill("legal");
  await edit.getByLabel("Operator").check();
  // Somebody else changes what is not changed here.
  await service.call("PATCH", `/api/users/${dana.id}`, { access_level: "high" });
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.waitFor({ state: "hidden" });
  const changed = (await usersOf(service)).get("Dana")!;
  const { is_operator, role, pool, access_level, has_password } = changed;
  assert.deepEqual([is_operator, role, pool, access_level, has_password], [true, null, "legal", "high", true]);
  const hers = await open();
  await signIn(hers, service, "dana@example.com", "/users");
  await hers.getByRole("row", { name: /Dana \(you\)/ }).waitFor();

  await page.getByRole("button", { name: "Edit Dana" }).click();
  await edit.getByRole("button", { name: "Sign out everywhere" }).press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Keep them");
  await axe(page);
  await screenshot(page, "operate-users-sign-out");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Sign out everywhere");
  await page.keyboard.press("Enter");
  await edit.getByRole("button", { name: "End sessions" }).click();
  await page.getByText("All sessions of Dana have ended").waitFor();
  await hers.reload();
  await hers.getByRole("button", { name: "Sign in" }).waitFor();
});

testInBrowser(
  "the open tasks of a person who is deactivated go to others, and the person comes back",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await addOperator(service, "dana@example.com");
    const { id: dana } = (await usersOf(service)).get("dana")!;
    // More than a page of them.
    const tasks: string[] = [];
    for (let i = 0; i < 52; i++)
      tasks.push((await createTask(service, `Task ${i}`, { assign_to: { user_id: dana } })).id);
    await service.call("POST", `/api/tasks/${tasks.pop()}/cancel`);
    const page = await visit(open, service, "/users");
    await page.getByRole("button", { name: "Deactivate dana" }).click();
    const dialog = page.getByRole("dialog", { name: "Deactivate dana?" });
    await dialog.getByText("They have more than 50 open tasks.").waitFor();
    await dialog.getByText("Tasks for this person alone become unassigned.").waitFor();
    await axe(page);
    await screenshot(page, "operate-deactivate");
    await confirm(page, "Deactivate dana?", "Deactivate");
    await page.getByText("dana deactivated").waitFor();
    assert.equal((await usersOf(service)).get("dana")!.active, false);
    const openOf = async (query: string) =>
      (await service.call<unknown[]>("GET", `/api/tasks?${query}&terminal=false&limit=200`)).length;
    // The service goes through them in batches, after the answer.
    while ((await openOf(`assigned_to=${dana}`)) > 0);
    assert.equal(await openOf("unassigned=true"), 51);

    await hasCount(page.getByRole("table", { name: "People" }).getByText("dana@example.com"), 0);
    await page.getByText("Deactivated (1)").click();
    await axe(page);
    await screenshot(page, "operate-users-inactive");
    // The rights of an operator do not come back unseen.
    const former = page.getByRole("table", { name: "Deactivated people" }).getByRole("row", { name: /dana/ });
    await former.getByRole("cell", { name: "Yes", exact: true }).waitFor();
    await page.getByRole("button", { name: "Reactivate dana" }).click();
    const again = page.getByRole("dialog", { name: "Reactivate dana?" });
    await again.getByText("full access to this service again").waitFor();
    await again.getByRole("button", { name: "Reactivate" }).click();
    await page.getByRole("button", { name: "Edit dana" }).waitFor();
    assert.equal((await usersOf(service)).get("dana")!.active, true);
    await hasCount(page.getByText(/^Deactivated/), 0);

    await createTask(service, "One more", { assign_to: { user_id: dana } });
    await page.getByRole("button", { name: "Deactivate dana" }).click();
    await dialog.getByText("They have one open task.").waitFor();
  },
);

testInBrowser("the last operator stays one, and is told why", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/users", { expected: [/status of 409/] });
  const button = page.getByRole("button", { name: "Deactivate ada" });
  assert.equal(await button.getAttribute("aria-disabled"), "true");
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByText("You can't deactivate yourself. Ask another operator.").waitFor();
  await page.getByRole("button", { name: "Edit ada" }).click();
  const edit = page.getByRole("dialog", { name: "Edit ada" });
  await edit.getByLabel("Operator").uncheck();
  await edit.getByRole("button", { name: "Save" }).click();
  await saidAt(edit, "Operator", "This is the last operator who can sign in. Add another operator first.");
  await axe(page);
  assert.equal((await usersOf(service)).get("ada")!.is_operator, true);
  await addOperator(service, "dana@example.com");
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

testInBrowser("people are found by name and address, and what is looked for stands in the address", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  for (let i = 0; i < 55; i++) await service.call("POST", "/api/users", { email: `person-${i}@example.com` });
  const { id } = await service.call<User>("POST", "/api/users", { email: "was-here@example.com" });
  await service.call("DELETE", `/api/users/${id}`);
  const page = await visit(open, service, "/users");
  const rows = page.getByRole("table", { name: "People" }).locator("tbody tr");
  await rows.nth(49).waitFor();
  await hasCount(rows, 50);
  await page.getByRole("button", { name: "Load more" }).click();
  await rows.nth(55).waitFor();
  await page.getByText("Deactivated (1)").click();
  // The page scrolls within the frame, never with it.
  assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true);
  await page.getByRole("searchbox", { name: "Search" }).fill("PERSON-5");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 6);
  await page.waitForURL("**/users?q=PERSON-5");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 6);
  assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "PERSON-5");
  await page.getByRole("searchbox", { name: "Search" }).fill("nobody");
  await page.getByRole("heading", { name: "No matches" }).waitFor();
});

testInBrowser(
  "the list says when routing by role last chose a person, and does not call it an assignment",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const dana = await service.call<User>("POST", "/api/users", { email: "dana@example.com", role: "reviewer" });
    await createTask(service, "For Dana", { assign_to: { user_id: dana.id } });
    const page = await visit(open, service, "/users");
    const chosen = async (): Promise<string> => {
      const table = page.getByRole("table", { name: "People" });
      await table.waitFor();
      const heads = await table.getByRole("columnheader").allInnerTexts();
      const cells = table.getByRole("row").filter({ hasText: "dana@example.com" }).locator("th, td");
      return cells.nth(heads.indexOf("Last chosen by role")).innerText();
    };
    assert.equal(await chosen(), "Never");
    await createTask(service, "For a reviewer", { assign_to: { role: "reviewer" } });
    await page.reload();
    assert.notEqual(await chosen(), "Never");
  },
);

testInBrowser("behind the question for the password, a list says that one is signed out", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/users", { expected: [/status of 401/] });
  await page.getByRole("button", { name: "Edit ada" }).waitFor();
  await page.context().clearCookies();
  await page.getByRole("searchbox", { name: "Search" }).fill("ada");
  await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
  await page.getByText("You are signed out.", { exact: true }).waitFor();
  await hasCount(page.getByText("Bearer"), 0);
});
