import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { addAgent, addOperator, serve, type Service } from "../support/dashboard.ts";
import { decisionIn, PRE_TOOL_USE, type HookOutput } from "../support/hooks.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";

const SETTINGS = "/settings/hooks";
const AT_ONCE = { SERVICE_HOOK_HOLD_SECONDS: "0" };

interface Rules {
  rules: { tool: string; arguments: object; decision: string; simulate: boolean }[];
  version: number;
}

const rulesOf = (service: Service, project = "default"): Promise<Rules> =>
  service.call("GET", `/api/hooks/rules?project=${project}`);

const setRules = (service: Service, rules: readonly object[], project = "default"): Promise<Rules> =>
  service.call("PUT", `/api/hooks/rules?project=${project}`, { rules });

/** Sends calls of an agent. @returns what is decided about each, in a word */
async function sendCalls(agent: Service, calls: readonly (readonly [tool: string, input: object])[]) {
  const decisions: string[] = [];
  for (const [tool_name, tool_input] of calls) {
    const body = { ...PRE_TOOL_USE, tool_name, tool_input };
    decisions.push(decisionIn(await agent.call<HookOutput>("POST", "/api/hooks/claude-code", body)));
  }
  return decisions;
}

/** What is said about one rule, and can be done with it. */
const about = (page: Page, number: number): Locator => page.locator(`#rule-${number}`);

const button = (at: Page | Locator, name: string): Locator => at.getByRole("button", { name, exact: true });

/** The words of each rule. */
const sentences = (page: Page): Promise<string[]> => page.locator("[id^=rule-] dd > p:first-child").allTextContents();

/** Waits until the rules have these words. */
async function hasRules(page: Page, ...wanted: string[]): Promise<void> {
  await page.waitForFunction(
    (all) =>
      Array.from(document.querySelectorAll("[id^=rule-] dd > p:first-child"), (p) => p.textContent).join("|") === all,
    wanted.join("|"),
  );
}

const conditionIn = (form: Locator, number: number): Locator =>
  form.getByRole("group", { name: `Condition ${number}` });

/** The row of a call. */
const callOf = (page: Page, words: string): Locator =>
  page.getByRole("table", { name: "Calls of the last week" }).getByRole("row").filter({ hasText: words });

/** Waits until a figure has a value. */
async function hasFigure(page: Page, label: string, value: string): Promise<void> {
  await page.locator("dl.figures > div").filter({ hasText: label }).getByText(value, { exact: true }).waitFor();
}

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `an operator writes rules, and sees what they would have asked before they are stored: ${theme}, ${size}`,
    async (open, t) => {
      const service = await serve(t, AT_ONCE);
      await addOperator(service, "ada@example.com");
      const { asAgent } = await addAgent(service, "coder");
      const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of 422/] });
      // Before the first call, the page says how to connect.
      await page.getByText("No rules are stored yet, so every call asks a person.").waitFor();
      await page.getByRole("heading", { name: "No calls yet" }).waitFor();
      const settings = await page.locator("pre.snippet").innerText();
      const guide = await readFile(new URL("../../docs/hooks.md", import.meta.url), "utf8");
      const documented = /```json\n(\{\n {2}"hooks"[^`]+)```/.exec(guide)![1]!;
      assert.deepEqual(JSON.parse(settings), JSON.parse(documented.replace("http://localhost:3000", service.url)));
      await assertUsable(page, `hooks-empty-${theme}-${size}`);

      // The first call appears by itself.
      const test = ["Bash", { command: "npm test", description: "Run the tests" }] as const;
      await sendCalls(asAgent, [test]);
      await callOf(page, "npm test").waitFor();
      await sendCalls(asAgent, [
        test,
        ["Bash", { command: "git push --force", timeout: 600_000 }],
        ["Write", { file_path: "/home/user/my-project/.env", content: "x".repeat(400) }],
        ["mcp__crm__delete_user", { user: { id: 7, "na\u{202e}me": "Kim" } }],
      ]);
      await page.reload();
      await hasFigure(page, "Ask a person", "5");
      await about(page, 1).getByText("5 calls in the last week").waitFor();
      await callOf(page, "na\\u{202e}me").waitFor();
      await callOf(page, ".env").getByText("A part of the arguments was not kept").waitFor();

      await button(page, "Add a rule").click();
      const form = page.getByRole("dialog", { name: "Add a rule" });
      const submit = button(form, "Add");
      await button(form, "Add a condition").click();
      const first = conditionIn(form, 1);
      assert.equal(await first.getByLabel("Argument").evaluate((one) => one === document.activeElement), true);
      await button(form, "Add a condition").click();
      const second = conditionIn(form, 2);
      await second.getByRole("combobox", { name: "Condition" }).selectOption("matches the regular expression");
      await second.getByLabel("Argument").fill("/command");
      await second.getByLabel("Value").fill("(a)\\1");
      await form.getByLabel("What happens").selectOption("Allow the call");
      // Each mistake is shown at its field: first those that the page finds, then those that the service finds.
      for (const [said, field, entry] of [
        ["Enter the name of a tool, or * for any tool.", form.getByLabel("Tool"), "Bash"],
        ['Enter a value. Enter "" for an empty text.', first.getByLabel("Value"), "npm test"],
        ["Enter the name of an argument, such as command.", first.getByLabel("Argument"), "command"],
        ["Must be a regular expression that RE2 can match", second.getByLabel("Value"), "^npm"],
      ] as const) {
        await submit.click();
        await form.getByText(said).waitFor();
        assert.equal(await field.evaluate((one) => one === document.activeElement), true, said);
        if (said.startsWith("Must be")) await assertUsable(page, `hooks-error-${theme}-${size}`);
        await field.fill(entry);
        // The field may be right now.
        await form.getByText(said).waitFor({ state: "detached" });
      }
      const allows = "Allow Bash if command is “npm test” and matches the regular expression “^npm”";
      await form.getByText(allows).waitFor();
      await assertUsable(page, `hooks-form-${theme}-${size}`);
      await submit.click();
      await form.waitFor({ state: "detached" });
      await about(page, 2).getByText(allows).waitFor();
      // The first rule fits every call.
      await about(page, 2).getByText("No calls in the last week").waitFor();
      await button(page, "Move up: rule 2").click();
      await about(page, 1).getByText("2 calls in the last week").waitFor();
      await about(page, 2).getByText("3 calls in the last week").waitFor();
      await hasFigure(page, "Allow", "2");
      await hasFigure(page, "Ask a person", "3");
      const row = callOf(page, "npm test");
      await row.getByText("Asked").waitFor();
      await row.getByText("Rule 1").waitFor();

      // A simulated rule says what it would do, and decides nothing.
      await button(page, "Edit: rule 2").click();
      const edit = page.getByRole("dialog", { name: "Edit rule 2" });
      await edit.getByLabel("Tool").fill("Bash");
      await edit.getByLabel("What happens").selectOption("Deny the call");
      await edit.getByLabel("Simulate this rule").check();
      await button(edit, "Apply").click();
      await about(page, 2).getByText("Simulated", { exact: true }).waitFor();
      await about(page, 2).getByText("1 call in the last week, if it were not simulated").waitFor();
      await hasFigure(page, "Not decided", "3");
      await callOf(page, "git push").getByText("Simulated: Deny, rule 2").waitFor();
      await page.getByLabel("Show").selectOption("Calls that would be allowed");
      await hasCount(page.getByRole("table").getByRole("row"), 2);
      await page.getByLabel("Show").selectOption("Calls that would ask a person");
      await page.getByText("No such calls.").waitFor();
      await page.getByLabel("Show").selectOption("Calls that were decided differently");
      await hasCount(page.getByRole("table").getByRole("row"), 5);
      await assertUsable(page, `hooks-unsaved-${theme}-${size}`);

      // Nothing is stored so far.
      assert.equal((await rulesOf(service)).version, 0);
      await button(page, "Save rules").click();
      await page.getByText("Rules saved").waitFor();
      await hasCount(page.getByText("You have unsaved changes."), 0);
      assert.deepEqual(await rulesOf(service).then(({ rules, version }) => ({ rules, version })), {
        rules: [
          {
            tool: "Bash",
            arguments: { "/command": { equals: "npm test", matches: "^npm" } },
            decision: "allow",
            simulate: false,
          },
          { tool: "Bash", arguments: {}, decision: "deny", simulate: true },
        ],
        version: 1,
      });
      assert.deepEqual(
        await sendCalls(asAgent, [
          ["Bash", { command: "npm test" }],
          ["Bash", { command: "ls" }],
        ]),
        ["allow", "nothing"],
      );
      await assertUsable(page, `hooks-${theme}-${size}`);
    },
  );

testInBrowser(
  "rules are changed, moved and removed with the keyboard, and changes are kept until they are saved",
  async (open, t) => {
    const service = await serve(t, AT_ONCE);
    await addOperator(service, "ada@example.com");
    const stored = [
      { tool: "A", arguments: { "/n": { over: 1, under: 5 } }, decision: "ask", simulate: false },
      { tool: "B", arguments: { "/t": { one_of: ["5", 5, "a\nb"] } }, decision: "allow", simulate: true },
      { tool: "C", arguments: {}, decision: "deny", simulate: false },
    ];
    await setRules(service, stored);
    const page = await visit(open, service, SETTINGS);
    const focusIs = (name: string) =>
      page.waitForFunction((wanted) => {
        const one = document.activeElement;
        return (one?.getAttribute("aria-label") ?? one?.textContent) === wanted;
      }, name);
    const press = async (name: string, then: string) => {
      await button(page, name).focus();
      await page.keyboard.press("Enter");
      await focusIs(then);
    };
    // A dialog that changes nothing leaves nothing to save.
    for (const number of [1, 2]) {
      await button(page, `Edit: rule ${number}`).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: `Edit rule ${number}` });
      await dialog.getByLabel("Tool").press("Enter");
      await dialog.waitFor({ state: "detached" });
      await focusIs(`Edit: rule ${number}`);
    }
    assert.equal(await page.getByText("You have unsaved changes.").count(), 0);

    const [a, b, c] = (await sentences(page)) as [string, string, string];
    await press("Move down: rule 1", "Move down: rule 2");
    await page.getByText("Rule 1 is now rule 2.").waitFor();
    await hasRules(page, b, a, c);
    await page.keyboard.press("Enter");
    await focusIs("Move up: rule 3");
    await hasRules(page, b, c, a);
    await press("Remove: rule 3", "Remove: rule 2");
    await hasRules(page, b, c);
    await press("Remove: rule 1", "Remove: rule 1");
    await press("Remove: rule 1", "Add a rule");
    await hasCount(page.locator("[id^=rule-]"), 0);

    // The changes stay while the person looks at another page, and are not stored.
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Calendars" }).click();
    await page.getByText("No calendars yet.").waitFor();
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Hooks" }).click();
    await page.getByText("You have unsaved changes.").waitFor();
    await hasCount(page.locator("[id^=rule-]"), 0);
    assert.deepEqual((await rulesOf(service)).rules, stored);
    // The browser asks before it closes the page.
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), "beforeunload");
    await dialog.dismiss();
    await button(page, "Discard changes").click();
    await confirm(page, "Discard your changes?", "Discard changes");
    await hasRules(page, a, b, c);
    await hasCount(page.getByText("You have unsaved changes."), 0);

    // Saved from the keyboard, and what is taken back needs no saving.
    await press("Move down: rule 1", "Move down: rule 2");
    await press("Move up: rule 2", "Move down: rule 1");
    await hasCount(page.getByText("You have unsaved changes."), 0);
    await press("Remove: rule 1", "Remove: rule 1");
    await press("Save rules", "Add a rule");
    await hasCount(page.getByText("You have unsaved changes."), 0);
    assert.deepEqual((await rulesOf(service)).rules, stored.slice(1));
  },
);

testInBrowser("a change by another person is shown, and neither change is lost", async (open, t) => {
  const service = await serve(t, AT_ONCE);
  await addOperator(service, "ada@example.com");
  await setRules(service, [{ tool: "A", decision: "ask" }]);
  const page = await visit(open, service, SETTINGS, { expected: [/status of 409/] });
  await hasRules(page, "Ask a person about A");
  await button(page, "Edit: rule 1").click();
  // They store other rules while the dialog is open.
  await setRules(service, [
    { tool: "B", decision: "deny" },
    { tool: "C", decision: "allow", simulate: true },
  ]);
  const edit = page.getByRole("dialog", { name: "Edit rule 1" });
  await edit.getByLabel("Tool").fill("Mine");
  await button(edit, "Apply").click();
  await hasRules(page, "Ask a person about Mine");
  await button(page, "Save rules").click();
  const notice = page.getByRole("alert").filter({ hasText: "Another person has stored other rules since you began." });
  await notice.waitFor();
  await notice.getByText("Stored rules", { exact: true }).click();
  await notice.getByText("Deny B").waitFor();
  await notice.getByText("Allow C (simulated)").waitFor();
  await assertUsable(page, "hooks-changed");
  assert.deepEqual(
    (await rulesOf(service)).rules.map(({ tool }) => tool),
    ["B", "C"],
  );
  // Until the person has decided, their rules cannot be stored.
  await hasCount(button(page, "Save rules"), 0);

  await button(page, "Keep my changes").click();
  await notice.waitFor({ state: "detached" });
  await button(page, "Save rules").click();
  await page.getByText("Rules saved").waitFor();
  const { rules, version } = await rulesOf(service);
  assert.deepEqual([rules.map(({ tool }) => tool), version], [["Mine"], 3]);

  // The other way: their rules are taken.
  await button(page, "Remove: rule 1").click();
  await setRules(service, [{ tool: "Theirs", decision: "ask" }]);
  await button(page, "Save rules").click();
  await notice.waitFor();
  await button(page, "Discard changes").click();
  await confirm(page, "Discard your changes?", "Discard changes");
  await hasRules(page, "Ask a person about Theirs");
  assert.equal((await rulesOf(service)).version, 4);
});

testInBrowser("each project has its own rules and calls, for its operators alone", async (open, t) => {
  const service = await serve(t, AT_ONCE);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/projects", { slug: "web", name: "Web" });
  await setRules(service, [{ tool: "OfDefault", decision: "ask" }]);
  await setRules(service, [{ tool: "OfWeb", decision: "deny" }], "web");
  const { asAgent } = await addAgent(service, "web-coder", { project: "web" });
  await sendCalls(asAgent, [["OfWeb", { x: 1 }]]);
  const page = await visit(open, service, SETTINGS);
  await hasRules(page, "Ask a person about OfDefault");
  await page.getByRole("heading", { name: "No calls yet" }).waitFor();
  await page.getByLabel("Project").selectOption("Web");
  await hasRules(page, "Deny OfWeb");
  await callOf(page, "OfWeb").getByText("web-coder").waitFor();
  await button(page, "Remove: rule 1").click();
  await button(page, "Save rules").click();
  await page.getByText("Rules saved").waitFor();
  assert.deepEqual(
    await Promise.all(["default", "web"].map(async (slug) => (await rulesOf(service, slug)).rules.length)),
    [1, 0],
  );

  // An operator of one project sees that project, and others see nothing.
  const { id: user_id } = await service.call<{ id: string }>("POST", "/api/users", {
    email: "kim@example.com",
    password: "correct horse battery staple",
    projects: ["web"],
  });
  const member = await open({});
  await signIn(member, service, "kim@example.com", "/settings");
  const parts = member.getByRole("navigation", { name: "Settings" });
  await parts.getByRole("link", { name: "Sessions" }).waitFor();
  assert.equal(await parts.getByRole("link", { name: "Hooks" }).count(), 0);
  await member.goto(`${service.url}${SETTINGS}`);
  await member.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  await service.call("POST", "/api/projects/web/members", { user_id, role: "operator" });
  await member.reload();
  await callOf(member, "OfWeb").waitFor();
  assert.equal(await member.getByLabel("Project").count(), 0);
});

testInBrowser("everybody can use the page and its form in every window", async (open, t) => {
  const service = await serve(t, AT_ONCE);
  await addOperator(service, "ada@example.com");
  const { asAgent } = await addAgent(service, "coder");
  await setRules(service, [
    { tool: "Bash", arguments: { "/command": { one_of: ["npm test", "npm run lint"] } }, decision: "allow" },
    { tool: "Bash", arguments: { "/command": { glob: "git push*" } }, decision: "deny", simulate: true },
    { tool: "mcp__*__delete_*", decision: "ask" },
  ]);
  await sendCalls(asAgent, [
    ["Bash", { command: "npm test", description: "Run the tests" }],
    ["Bash", { command: `git push --force origin ${"very-long-branch-name-".repeat(8)}` }],
    ["mcp__a_server_with_a_very_long_name_for_a_tool__delete_everything_at_once", { id: 7, sure: true }],
    ["Write", Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`argument_${i}`, i]))],
    ...Array.from({ length: 60 }, (_, i) => ["Read", { file_path: `/src/${i}.ts` }] as const),
  ]);
  const page = await visit(open, service, SETTINGS);
  await page.getByText("/src/59.ts").waitFor();
  // More calls are shown when they are asked for.
  await hasCount(page.getByRole("table").getByRole("row"), 51);
  await button(page, "Show more").click();
  await callOf(page, "argument_5").getByText("3 more arguments.").waitFor();
  await hasCount(button(page, "Show more"), 0);
  await page.getByLabel("Show").selectOption("Calls that were decided differently");
  await page.getByLabel("Show").selectOption("All calls");
  await button(page, "Move down: rule 2").click();
  await page.getByText("You have unsaved changes.").waitFor();
  const look = async (name: string) =>
    inEachView(t, page, name, ["narrow", "phone", "tablet", "wide"], async ({ theme, size, rules }) =>
      assertUsable(page, `hooks-${name}-${theme}-${size}`, rules),
    );
  await look("list");
  await page.getByRole("heading", { name: "The last week" }).evaluate((one) => one.scrollIntoView());
  await look("calls");
  await button(page, "Edit: rule 1").click();
  await page.getByRole("dialog", { name: "Edit rule 1" }).waitFor();
  await look("edit");
});
