import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { addOperator, serve, type Service } from "../support/dashboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";

const SETTINGS = "/settings/escalation";
const OFFICE = { time_zone: "UTC", hours: { mon: [["09:00", "17:00"]] } };

interface Template {
  name: string;
  project: string;
  is_built_in: boolean;
  steps: { do: string; after: unknown; calendar: string | null; to: unknown }[];
}

const templatesOf = (service: Service, project = "default"): Promise<Template[]> =>
  service.call("GET", `/api/escalations?project=${project}`);

/** What is said about one template, and can be done with it. */
const about = (page: Page, name: string): Locator =>
  page.locator("dl > div").filter({ has: page.getByRole("button", { name: `Edit ${name}`, exact: true }) });

const stepIn = (form: Locator, number: number): Locator => form.getByRole("group", { name: `Step ${number}` });

for (const [theme, size] of [
  ["light", "phone"],
  ["dark", "wide"],
] as const)
  testInBrowser(`an operator adds, changes and deletes a template: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await service.call("PUT", "/api/calendars/office", OFFICE);
    const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of 422/] });
    await about(page, "standard").getByText("Built in").waitFor();
    assert.deepEqual(await about(page, "standard").getByRole("listitem").allTextContents(), [
      "After half of the time: remind everyone who was told and has not answered",
      "After three quarters of the time: mark it as urgent",
      "After three quarters of the time: remind everyone who was told and has not answered",
    ]);
    assert.equal(await page.getByRole("button", { name: "Delete standard" }).count(), 0);

    await page.getByRole("button", { name: "Add a template" }).click();
    const form = page.getByRole("dialog", { name: "Add a template" });
    await form.getByLabel("Name").fill("Payments");
    const first = stepIn(form, 1);
    await first.getByLabel("After").fill("100");
    await form.getByRole("button", { name: "Add a step" }).click();
    const second = stepIn(form, 2);
    assert.equal(await second.getByLabel("After").evaluate((one) => one === document.activeElement), true);
    await second.getByLabel("After").fill("two");
    await second.getByLabel("Unit").selectOption("hours");
    await second.getByLabel("Counted in").selectOption("office");
    await second.getByLabel("What happens").selectOption("Tell more people");
    await form.getByRole("button", { name: "Add a step" }).click();
    const third = stepIn(form, 3);
    await third.getByLabel("What happens").selectOption("Assign it to one person");
    await form.getByRole("button", { name: "Add a step" }).click();
    const fourth = stepIn(form, 4);
    await fourth.getByLabel("What happens").selectOption("Offer it to more people");
    await fourth.getByLabel("To").selectOption("People by their email");
    await fourth.getByLabel("Emails").fill("dana@example.com\nben");
    // Each mistake is shown at its field: first those that the page finds, then those that the service finds.
    const add = form.getByRole("button", { name: "Add", exact: true });
    for (const [said, field, entry] of [
      ["Enter 1 to 64 of a to z, 0 to 9, hyphens and underscores.", form.getByLabel("Name"), "payments"],
      ["Enter more than 0 and less than 100.", first.getByLabel("After"), "25"],
      ["Enter a number. The time is 1 second to 30 days.", second.getByLabel("After"), "1.5"],
      ["Enter at least one, such as email:dana@example.com.", second.getByLabel("Who is told"), "dana@example.com"],
      ["Enter a pool, a role or an access level.", third.getByLabel("Pool"), "finance"],
      ['"dana@example.com" names no channel.', second.getByLabel("Who is told"), "email:dana@example.com"],
      ["Must be an email address.", fourth.getByLabel("Emails"), "dana@example.com\nben@example.com"],
    ] as const) {
      await add.click();
      await form.getByText(said).waitFor();
      assert.equal(await field.evaluate((one) => one === document.activeElement), true, said);
      if (said.startsWith("Enter a pool")) await assertUsable(page, `escalation-error-${theme}-${size}`);
      await field.fill(entry);
      // The field may be right now.
      await form.getByText(said).waitFor({ state: "detached" });
    }
    await assertUsable(page, `escalation-form-${theme}-${size}`);
    await add.click();
    await page.getByText("Template payments added").waitFor();
    await about(page, "payments").waitFor();
    const words = [
      "After a quarter of the time: remind everyone who was told and has not answered",
      "After 90 minutes, counted in the calendar office: tell email:dana@example.com as well",
      "After half of the time: assign it to someone of the pool finance",
      "After half of the time: offer it to dana@example.com and ben@example.com as well",
    ];
    assert.deepEqual(await about(page, "payments").getByRole("listitem").allTextContents(), words);
    const [payments] = await templatesOf(service);
    assert.deepEqual(payments!.steps, [
      { do: "remind", after: { fraction: 0.25 }, calendar: null, to: null },
      { do: "notify", after: 5400, calendar: "office", to: ["email:dana@example.com"] },
      { do: "assign", after: { fraction: 0.5 }, calendar: null, to: { pool: "finance" } },
      {
        do: "offer",
        after: { fraction: 0.5 },
        calendar: null,
        to: { emails: ["dana@example.com", "ben@example.com"] },
      },
    ]);
    await assertUsable(page, `escalation-${theme}-${size}`);

    // A second template with this name would replace the first.
    await page.getByRole("button", { name: "Add a template" }).click();
    await form.getByLabel("Name").fill("payments");
    await add.click();
    await form.getByText("A template with this name exists. Edit that template.").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Delete payments" }).click();
    await confirm(page, "Delete the template payments?", "Delete template");
    await about(page, "payments").waitFor({ state: "detached" });
    assert.deepEqual(
      (await templatesOf(service)).map(({ name }) => name),
      ["standard"],
    );
  });

testInBrowser(
  "steps are moved and removed with the keyboard, and saved as they were if nothing changes",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const [ada] = await service.call<{ id: string }[]>("GET", "/api/users");
    const steps = [
      { do: "remind", after: { fraction: 0.333 }, calendar: null, to: null },
      { do: "offer", after: 172_800, calendar: null, to: { pool: "finance", role: "lead", access_level: "3" } },
      { do: "assign", after: 90, calendar: null, to: { user_id: ada!.id } },
      { do: "assign", after: 3600, calendar: null, to: { email: "dana@example.com" } },
    ];
    await service.call("PUT", "/api/escalations/usual", { steps });
    const page = await visit(open, service, SETTINGS);
    const edit = page.getByRole("dialog", { name: "Edit usual" });
    const save = async () => {
      await edit.getByRole("button", { name: "Save" }).click();
      await edit.waitFor({ state: "hidden" });
      return (await templatesOf(service)).find(({ name }) => name === "usual")!.steps;
    };
    await page.getByRole("button", { name: "Edit usual" }).click();
    assert.deepEqual(await save(), steps);

    await page.getByRole("button", { name: "Edit usual" }).click();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    const press = async (name: string, then: string) => {
      await edit.getByRole("button", { name }).focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction((wanted) => document.activeElement?.getAttribute("aria-label") === wanted, then);
    };
    await press("Move down: step 1", "Move down: step 2");
    await page.keyboard.press("Enter");
    await edit.getByText("Step 2 is now step 3.").waitFor();
    assert.equal(await focused(), "Move down: step 3");
    await page.keyboard.press("Enter");
    await edit.getByText("Step 3 is now step 4.").waitFor();
    assert.equal(await focused(), "Move up: step 4");
    await press("Move up: step 2", "Move down: step 1");
    await press("Remove: step 4", "Remove: step 3");
    await edit.getByText("Step 4 is removed.").waitFor();
    assert.deepEqual(await save(), [steps[2], steps[1], steps[3]]);

    await page.getByRole("button", { name: "Edit usual" }).click();
    // An error is not shown at a step that has taken the place of another.
    await stepIn(edit, 1).getByLabel("After").fill("");
    await edit.getByRole("button", { name: "Save" }).click();
    const problem = edit.getByText("Enter a number. The time is 1 second to 30 days.");
    await problem.waitFor();
    await press("Remove: step 1", "Remove: step 1");
    await hasCount(problem, 0);
    await edit.getByRole("button", { name: "Remove: step 1" }).click();
    assert.equal(await edit.getByRole("button", { name: /^(?:Move|Remove)/ }).count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Add a step");
    for (let more = 0; more < 9; more += 1) await edit.getByRole("button", { name: "Add a step" }).click();
    await edit.getByText("A template has up to ten steps.").waitFor();
    assert.equal((await save()).length, 10);
  },
);

testInBrowser("what a project stores replaces what is built in, until it is deleted", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/projects", { slug: "refunds", name: "Refunds" });
  await service.call("PUT", "/api/calendars/office", OFFICE);
  const page = await visit(open, service, SETTINGS);
  await page.getByRole("button", { name: "Edit standard" }).click();
  await page.getByRole("dialog").getByLabel("Counted in").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByLabel("Project").selectOption("Refunds");
  await page.getByRole("button", { name: "Edit standard" }).click();
  const edit = page.getByRole("dialog", { name: "Edit standard" });
  await edit.getByText("This template is built in.").waitFor();
  // The calendar is one of another project.
  assert.equal(await edit.getByLabel("Counted in").count(), 0);
  await stepIn(edit, 1).getByLabel("After").fill("10");
  await edit.getByRole("button", { name: "Save" }).click();
  await about(page, "standard").getByText("After 10% of the time: remind").waitFor();
  await hasCount(page.getByText("Built in"), 0);
  const builtIn = async () =>
    Promise.all(["default", "refunds"].map(async (slug) => (await templatesOf(service, slug))[0]!.is_built_in));
  assert.deepEqual(await builtIn(), [true, false]);
  await page.getByRole("button", { name: "Delete standard" }).click();
  await confirm(page, "Delete the template standard?", "Delete template");
  await page.getByText("Built in").waitFor();
  assert.deepEqual(await builtIn(), [true, true]);

  // An operator of one project sees that project, and others see nothing.
  const { id: user_id } = await service.call<{ id: string }>("POST", "/api/users", {
    email: "kim@example.com",
    password: "correct horse battery staple",
    projects: ["refunds"],
  });
  const member = await open({});
  await signIn(member, service, "kim@example.com", "/settings");
  const parts = member.getByRole("navigation", { name: "Settings" });
  await parts.getByRole("link", { name: "Sessions" }).waitFor();
  assert.equal(await parts.getByRole("link", { name: "Escalation" }).count(), 0);
  await service.call("POST", "/api/projects/refunds/members", { user_id, role: "operator" });
  await member.goto(`${service.url}${SETTINGS}`);
  await about(member, "standard").getByText("Built in").waitFor();
  assert.equal(await member.getByLabel("Project").count(), 0);
});

testInBrowser("everybody can use the page and its form in every window", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("PUT", "/api/calendars/office", OFFICE);
  await service.call("PUT", "/api/escalations/payments", {
    steps: [
      { after: 3600, calendar: "office", do: "notify", to: ["email:dana@example.com", "slack:#finance"] },
      { after: { fraction: 0.5 }, do: "offer", to: { pool: "finance", role: "lead" } },
      { after: { fraction: 0.9 }, do: "raise" },
    ],
  });
  const page = await visit(open, service, SETTINGS);
  await about(page, "payments").waitFor();
  const look = async (name: string) =>
    inEachView(t, page, name, ["narrow", "phone", "tablet", "wide"], async ({ theme, size, rules }) =>
      assertUsable(page, `escalation-${name}-${theme}-${size}`, rules),
    );
  await look("list");
  await page.getByRole("button", { name: "Edit payments" }).click();
  await page.getByRole("dialog", { name: "Edit payments" }).waitFor();
  await look("edit");
});
