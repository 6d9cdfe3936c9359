import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { axe, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";

const editor = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });

async function loadExample(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("menuitem", { name: title }).click();
}

testInBrowser("an example becomes a form, an answer, and a test task that is answered", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/playground");
  await loadExample(page, "A question that depends on another");
  await preview(page).getByRole("radio", { name: "No" }).check();
  await preview(page).getByRole("tab", { name: "Response JSON" }).click();
  await preview(page).getByRole("listitem").filter({ hasText: "What must change? Required" }).waitFor();
  await preview(page).getByRole("tab", { name: "Form" }).click();
  await preview(page).getByRole("textbox", { name: "What must change?" }).fill("The second source");
  await preview(page).getByRole("tab", { name: "Response JSON" }).click();
  await preview(page).getByText("Matches the schema").waitFor();
  const shown = await preview(page).locator("pre").innerText();
  assert.deepEqual(JSON.parse(shown), { approved: false, reason: "The second source" });
  await preview(page).getByRole("tab", { name: "Payload" }).click();
  await preview(page).getByText("Night trains are back").waitFor();
  assert.deepEqual(await service.call("GET", "/api/tasks"), [], "nothing was sent so far");

  await page.getByRole("button", { name: "Send as test task" }).click();
  await page.getByRole("link", { name: "Open the task" }).waitFor();
  await page.getByRole("button", { name: "Send as test task" }).click();
  await page.getByText("Sent. The task stays open for an hour.").waitFor();
  await page.getByRole("link", { name: "Mine 2" }).waitFor();
  await page.getByRole("link", { name: "Open the task" }).click();
  await page.getByRole("heading", { level: 1, name: "Publish this article?" }).waitFor();
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByRole("link", { name: "Mine 1" }).waitFor();
  const [task] = await service.call<{ response: unknown; assigned_to_email: string; timeout_at: string }[]>(
    "GET",
    "/api/tasks",
  );
  assert.deepEqual([task?.response, task?.assigned_to_email], [{ approved: true }, "ada@example.com"]);
});

testInBrowser("submitting the form of the preview shows the answer, and sends nothing", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/playground");
  await preview(page).getByRole("radio", { name: "Approve" }).check();
  await preview(page).getByRole("button", { name: "Submit answer" }).click();
  await preview(page).getByText('"approved": true').waitFor();
  assert.deepEqual(await service.call("GET", "/api/tasks"), []);
  await preview(page).getByRole("tab", { name: "Form" }).click();
  await preview(page)
    .getByRole("alert")
    .getByText(/Nothing was sent/)
    .waitFor();
  await loadExample(page, "A list to fill in");
  await preview(page).getByRole("alert").waitFor({ state: "detached" });
});

testInBrowser("broken JSON and a broken schema are told in words, and what is drawn stays", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/playground");
  await preview(page).getByRole("radio", { name: "Approve" }).check();

  await editor(page, "Payload").fill('{\n  "amount": 12,\n}');
  await page.getByText("Line 3, column 1: Remove the comma before this }.").waitFor();
  await editor(page, "Payload").fill("[1]");
  await page.getByText("Must be an object in { }.").waitFor();
  await editor(page, "Response schema").fill('{ "type": "objekt", "required": "all" }');
  await page.getByText(/^\/type: /).waitFor();
  await page.getByText(/^\/required: /).waitFor();
  await preview(page)
    .getByText(/^Showing the last valid version/)
    .waitFor();
  assert.equal(await preview(page).getByRole("radio", { name: "Approve" }).isChecked(), true);
  assert.equal(await page.getByRole("button", { name: "Copy curl" }).isDisabled(), true);
  await axe(page);
  await screenshot(page, "playground-broken");
  await page.getByRole("button", { name: "Send as test task" }).click();
  await page.getByText("Fix the errors first.").waitFor();
  await hasFocus(editor(page, "Payload"));
  assert.deepEqual(await service.call("GET", "/api/tasks"), []);

  await page.reload();
  await page.getByText("Must be an object in { }.").waitFor();
  await page.getByText("The form appears here when the response schema is valid.").waitFor();
  await editor(page, "Response schema").fill('{ "properties": { "colour": { "enum": ["red", "blue"] } } }');
  await preview(page).getByRole("radio", { name: "Blue" }).waitFor();
});

testInBrowser("a payload that does not fit and hints that change nothing are told where they are", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/playground");
  await editor(page, "Payload").fill('{ "amount": "a lot" }');
  await page.getByText(/^\/amount: Must be a number/).waitFor();
  await editor(page, "Form definition").fill(
    '{ "ui": { "aproved": { "ui:title": "Yes?" } }, "payload": { "amount": { "ui:widget": "rainbow" } } }',
  );
  await screenshot(page, "playground-warned");
  await page.getByText("/ui/aproved: The answer has no field with this name.").waitFor();
  await page.getByText(/^\/payload\/amount\/ui:widget: /).waitFor();
});

testInBrowser("what the service finds stands at the part it is about", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ expected: [/status of 422/] });
  await signIn(page, service, "ada@example.com", "/playground");
  await page.getByRole("textbox", { name: "Task", exact: true }).fill("");
  await page.getByRole("button", { name: "Send as test task" }).click();
  await page.getByText("Not sent. The errors are marked below.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Task", exact: true }).getAttribute("aria-invalid"), "true");
  await page.route("**/api/tasks", (route) =>
    route.fulfill({
      status: 422,
      contentType: "application/json",
      body: JSON.stringify({
        error_code: "VALIDATION_FAILED",
        message: "Refused.",
        details: [{ path: "/response_schema/properties/a", message: "Is not liked.", keyword: "x" }],
      }),
    }),
  );
  await page.getByRole("textbox", { name: "Task", exact: true }).fill("Again");
  await page.getByRole("button", { name: "Send as test task" }).click();
  await page.getByText("/properties/a: Is not liked.").waitFor();
  const schema = editor(page, "Response schema");
  assert.equal(await schema.getAttribute("aria-invalid"), "true");
  await schema.press("End");
  await schema.press("Space");
  await page.getByText("/properties/a: Is not liked.").waitFor({ state: "detached" });
});

testInBrowser("what is typed survives a reload, and an example can be undone", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open();
  await signIn(page, service, "ada@example.com", "/playground");
  await page.getByRole("textbox", { name: "Task", exact: true }).fill("It's mine");
  await editor(page, "Payload").fill('{ "note": "it\'s" }');
  await page.reload();
  assert.equal(await page.getByRole("textbox", { name: "Task", exact: true }).inputValue(), "It's mine");
  await loadExample(page, "A draft to correct");
  assert.match(await editor(page, "Payload").inputValue(), /Mia/);
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await editor(page, "Payload").inputValue(), '{ "note": "it\'s" }');

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(curl, new RegExp(`^curl -s ${service.url}/api/tasks \\\\\n`));
  assert.ok(curl.includes(String.raw`"task": "It'\''s mine"`));

  for (const damaged of ['{"task": "Half', '{"task": "No texts", "texts": { "payload": "{}" }}', "[]"]) {
    await page.evaluate((kept) => {
      const key = Object.keys(localStorage).find((one) => one.endsWith(":playground"))!;
      localStorage.setItem(key, kept);
    }, damaged);
    await page.reload();
    assert.match(await page.getByRole("textbox", { name: "Task", exact: true }).inputValue(), /refund/);
  }
});

testInBrowser("the playground is for operators", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open();
  await signIn(page, service, "dana@example.com", "/playground");
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
});

testInBrowser("everybody can use the playground", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ size: "phone" });
  await signIn(page, service, "ada@example.com", "/playground");
  await inEachView(t, page, "the playground", ["phone", "wide"], async ({ theme, size, rules }) => {
    for (const tab of ["Payload", "Response JSON", "Form"]) {
      await preview(page).getByRole("tab", { name: tab }).click();
      await axe(page, rules);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab);
      assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), "one scroll bar");
      await screenshot(page, `playground-${tab.slice(0, 4).toLowerCase()}-${theme}-${size}`);
    }
  });
});

testInBrowser("the playground is not wider than the narrowest screen", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await open({ size: "narrow" });
  await signIn(page, service, "ada@example.com", "/playground");
  for (const tab of ["Payload", "Response JSON", "Form"]) {
    await preview(page).getByRole("tab", { name: tab }).click();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab);
  }
});
