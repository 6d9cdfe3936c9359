import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { addOperator, serve } from "../support/dashboard.ts";
import type { Service } from "../support/dashboard.ts";
import { assertUsable, confirm, visit } from "./operating.ts";
import { hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";

interface Calendar {
  name: string;
  project: string;
  time_zone: string;
  hours: Record<string, string[][]>;
  closed: string[];
}

const SETTINGS = "/settings/calendars";
const OFFICE = { time_zone: "America/New_York", hours: { mon: [["09:00", "17:00"]] }, closed: [] };

const calendarsOf = (service: Service): Promise<Calendar[]> => service.call("GET", "/api/calendars");

/** What is said about one calendar, and can be done with it. */
const about = (page: Page, name: string): Locator =>
  page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });

for (const [theme, size] of [
  ["light", "phone"],
  ["dark", "wide"],
] as const)
  testInBrowser(`an operator adds, changes and deletes a calendar: ${theme}, ${size}`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const page = await visit(open, service, SETTINGS, { theme, size, expected: [/status of 422/] });
    await page.getByText("No calendars yet.").waitFor();
    await page.getByRole("button", { name: "Add a calendar" }).click();
    const form = page.getByRole("dialog", { name: "Add a calendar" });
    await form.getByLabel("Name").fill("Support team");
    await form.getByRole("combobox", { name: "Time zone" }).fill("berl");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await form.getByLabel("Thursday").fill("9-12, 13:30 to");
    await form.getByLabel("Saturday").fill("10-9");
    await form.getByLabel("Closed dates").fill("2026-12-25\n2026-12-26\n2026-02-29");
    // Each mistake is shown at its field: first those that the page finds, then those that the service finds.
    const add = form.getByRole("button", { name: "Add", exact: true });
    for (const [said, label, entry] of [
      ["Enter 1 to 64 of a to z, 0 to 9, hyphens and underscores.", "Name", "support"],
      ["Write times as in 9:00-17:00.", "Thursday", "9-12, 13:30 to 17"],
      ["Must end after it begins.", "Saturday", "10-14:30"],
      ["Must be a date, as in 2026-12-25.", "Closed dates", "2026-12-25\n2026-12-26"],
    ] as const) {
      await add.click();
      await form.getByText(said).waitFor();
      const field = form.getByLabel(label);
      assert.equal(await field.evaluate((one) => one === document.activeElement), true, label);
      if (label === "Saturday") await assertUsable(page, `calendars-error-${theme}-${size}`);
      await field.fill(entry);
    }
    const words =
      "Mon to Wed 9:00 to 17:00; Thu 9:00 to 12:00 and 13:30 to 17:00; Fri 9:00 to 17:00; Sat 10:00 to 14:30, Europe/Berlin, 2 closed days";
    await form.getByText(words, { exact: true }).waitFor();
    await assertUsable(page, `calendars-form-${theme}-${size}`);
    await add.click();
    await page.getByText("Calendar support added").waitFor();
    await about(page, "support").getByText(words, { exact: true }).waitFor();
    const day = [["09:00", "17:00"]];
    const hours = {
      mon: day,
      tue: day,
      wed: day,
      thu: [
        ["09:00", "12:00"],
        ["13:30", "17:00"],
      ],
      fri: day,
      sat: [["10:00", "14:30"]],
    };
    const { name, project, time_zone, hours: stored, closed } = (await calendarsOf(service))[0]!;
    assert.deepEqual(
      { name, project, time_zone, stored, closed },
      {
        name: "support",
        project: "default",
        time_zone: "Europe/Berlin",
        stored: hours,
        closed: ["2026-12-25", "2026-12-26"],
      },
    );
    await assertUsable(page, `calendars-${theme}-${size}`);

    // A second calendar with this name would replace the first.
    await page.getByRole("button", { name: "Add a calendar" }).click();
    await form.getByLabel("Name").fill("support");
    await add.click();
    await form.getByText("A calendar with this name exists. Edit that calendar.").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Edit support" }).click();
    const edit = page.getByRole("dialog", { name: "Edit support" });
    assert.equal(await edit.getByLabel("Thursday").inputValue(), "9:00-12:00, 13:30-17:00");
    for (const label of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
      await edit.getByLabel(label).fill("");
    await edit.getByText("Never open, Europe/Berlin, 2 closed days").waitFor();
    await edit.getByRole("button", { name: "Save" }).click();
    await edit.getByText("Enter the hours of at least one day.").waitFor();
    await edit.getByLabel("Sunday").fill("0-24");
    await edit.getByLabel("Closed dates").fill("");
    await edit.getByRole("button", { name: "Save" }).click();
    await about(page, "support").getByText("Sun all day, Europe/Berlin", { exact: true }).waitFor();
    assert.deepEqual((await calendarsOf(service))[0]!.hours, { sun: [["00:00", "24:00"]] });

    await page.getByRole("button", { name: "Delete support" }).click();
    await screenshot(page, `operate-calendars-delete-${theme}-${size}`);
    await confirm(page, "Delete the calendar support?", "Delete calendar");
    await page.getByText("No calendars yet.").waitFor();
    assert.deepEqual(await calendarsOf(service), []);
  });

testInBrowser(
  "an operator of projects sees their calendars, and calendars with the same name stay apart",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await service.call("POST", "/api/projects", { slug: "refunds", name: "Refunds" });
    for (const project of ["default", "refunds"])
      await service.call("PUT", `/api/calendars/support?project=${project}`, OFFICE);
    const { id: user_id } = await service.call<{ id: string }>("POST", "/api/users", {
      email: "kim@example.com",
      display_name: "Kim Ode",
      password: "correct horse battery staple",
      projects: ["refunds"],
    });
    const page = await visit(open, service, SETTINGS);
    await page.getByText("Project: Refunds").waitFor();
    await hasCount(page.locator("dl > div"), 2);
    await page.getByRole("button", { name: "Delete support of Refunds" }).waitFor();
    await page.getByRole("button", { name: "Edit support of Refunds" }).click();
    const edit = page.getByRole("dialog", { name: "Edit support" });
    await edit.getByLabel("Tuesday").fill("8-9");
    await edit.getByRole("button", { name: "Save" }).click();
    await page.getByText("Mon 9:00 to 17:00; Tue 8:00 to 9:00, America/New York").waitFor();
    const found = (await calendarsOf(service)).map(({ project, hours }) => `${project} ${Object.keys(hours).join()}`);
    assert.deepEqual(found, ["default mon", "refunds mon,tue"]);
    // The same name is free in a project that does not have it.
    await service.call("DELETE", "/api/calendars/support?project=refunds");
    await page.getByRole("button", { name: "Add a calendar" }).click();
    const form = page.getByRole("dialog", { name: "Add a calendar" });
    await form.getByLabel("Name").fill("support");
    await form.getByLabel("Project").selectOption("refunds");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Calendar support added").waitFor();

    const member = await open({});
    await signIn(member, service, "kim@example.com", "/settings");
    const parts = member.getByRole("navigation", { name: "Settings" });
    await parts.getByRole("link", { name: "Sessions" }).waitFor();
    assert.equal(await parts.getByRole("link", { name: "Calendars" }).count(), 0);
    await service.call("POST", "/api/projects/refunds/members", { user_id, role: "operator" });
    await member.goto(`${service.url}${SETTINGS}`);
    await member.getByText("Mon to Fri 9:00 to 17:00").waitFor();
    await hasCount(member.locator("dl > div"), 1);
  },
);
