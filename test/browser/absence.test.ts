import assert from "node:assert/strict";
import { hasCount, testInBrowser, type Open, type PageOptions } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve, type Service } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { assertUsable, visit } from "./operating.ts";

const ADA = "ada@example.com";
const BEN = "ben@example.com";

interface User {
  id: string;
  email: string;
  absence: { from: string; until: string; delegate_user_id: string | null } | null;
}

/** Ada, an operator, with Ben and Cy, who see only their own tasks. */
async function stage(service: Service): Promise<void> {
  await addOperator(service, ADA);
  for (const name of ["ben", "cy"]) await addAssignee(service, `${name}@example.com`);
}

async function userOf(service: Service, email: string): Promise<User> {
  const users = await service.call<User[]>("GET", "/api/users");
  return users.find((user) => user.email === email)!;
}

async function openAs(open: Open, service: Service, email: string, path: string, options: PageOptions = {}) {
  const page = await open(options);
  await signIn(page, service, email, path);
  return page;
}

testInBrowser("a person says that they are away, names a delegate, and is back", async (open, t) => {
  const service = await serve(t);
  await stage(service);
  const page = await openAs(open, service, BEN, "/settings", { timeZone: "Europe/Berlin" });
  const form = page.getByRole("form", { name: "Absence" });
  await form.getByRole("button", { name: "Save absence" }).click();
  const missing = form.getByText("Enter a date and a time.");
  await hasCount(missing, 1);
  await form.getByLabel("Away from").fill("");
  await form.getByRole("button", { name: "Save absence" }).click();
  await hasCount(missing, 2);
  // What is said of a field is gone when the field is filled in.
  await form.getByLabel("Away from").fill("2026-01-05T09:00");
  await hasCount(missing, 1);
  await form.getByLabel("Back at").fill("2999-01-07T09:00");
  await hasCount(missing, 0);
  await form.getByRole("combobox", { name: "Delegate" }).fill("c");
  await page.getByRole("option", { name: "cy" }).click();
  await assertUsable(page, "absence-settings");
  await form.getByRole("button", { name: "Save absence" }).click();
  await page.getByText("Away until Mon, Jan 7, 2999").waitFor();
  const cy = await userOf(service, "cy@example.com");
  const stored = { from: "2026-01-05T08:00:00.000Z", until: "2999-01-07T08:00:00.000Z", delegate_user_id: cy.id };
  assert.deepEqual((await userOf(service, BEN)).absence, stored);
  await page.reload();
  await page.getByText("Away until Mon, Jan 7, 2999").waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>("form[aria-label=Absence] input[role=combobox]")?.value === "cy",
  );
  assert.equal(await form.getByLabel("Back at").inputValue(), "2999-01-07T09:00");
  await form.getByRole("button", { name: "I am back" }).click();
  await page.getByText("Absence ended").waitFor();
  await hasCount(page.getByText("Away until"), 0);
  assert.equal((await userOf(service, BEN)).absence, null);
});

testInBrowser("an operator says who is away, and a task names the person that it is for", async (open, t) => {
  const service = await serve(t);
  await stage(service);
  const page = await visit(open, service, "/users", { expected: [/status of 422/] });
  await page.getByRole("button", { name: "Absence of ben" }).click();
  const dialog = page.getByRole("dialog", { name: "Absence of ben" });
  await dialog.getByLabel("Away from").fill("2026-01-05T09:00");
  await dialog.getByLabel("Back at").fill("2026-01-04T09:00");
  await dialog.getByRole("combobox", { name: "Delegate" }).click();
  await page.getByRole("option", { name: "cy" }).click();
  await dialog.getByRole("button", { name: "Save absence" }).click();
  await dialog.getByText("Choose a later time than the first one.").waitFor();
  await assertUsable(page, "absence-dialog");
  await dialog.getByLabel("Away from").fill("2026-01-03T09:00");
  await hasCount(dialog.getByText("Choose a later time"), 0);
  await dialog.getByRole("button", { name: "Save absence" }).click();
  await dialog.getByText("Must be in the future.").waitFor();
  await dialog.getByLabel("Back at").fill("2999-01-07T09:00");
  await hasCount(dialog.getByText("Must be in the future."), 0);
  await dialog.getByRole("button", { name: "Save absence" }).click();
  await dialog.waitFor({ state: "hidden" });
  const row = page.getByRole("row", { name: /^ben/ });
  await row.getByText("Away until Mon, Jan 7, 2999").waitFor();
  await row.getByText("Delegate: cy").waitFor();
  await assertUsable(page, "absence-people");

  const small = await visit(open, service, "/users", { size: "phone", theme: "dark" });
  await small.getByText("Delegate: cy").waitFor();
  await assertUsable(small, "absence-people-phone");
  await small.goto(`${service.url}/settings`);
  await small.getByRole("form", { name: "Absence" }).waitFor();
  await assertUsable(small, "absence-settings-phone");

  const { id } = await createTask(service, "Publish the release notes?", { assign_to: { email: BEN } });
  await page.goto(`${service.url}/tasks/${id}`);
  await page.getByText("For ben, away until Mon, Jan 7, 2999").waitFor();
  for (const options of [{ size: "phone" }, { theme: "dark" }] as const) {
    const theirs = await openAs(open, service, "cy@example.com", `/tasks/${id}`, options);
    await theirs.getByText("For ben@example.com, away until Mon, Jan 7, 2999").waitFor();
    await assertUsable(theirs, `absence-task-${Object.values(options)[0]}`);
  }
});
