import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createLink } from "../../src/channels/email/links.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";

const ADA = "ada@example.com";
const DANA = "dana@example.com";

const REFUND = {
  response_schema: {
    type: "object",
    required: ["approved"],
    properties: {
      approved: { type: "boolean", title: "Approve the refund?" },
      amount: { type: "number", title: "Amount" },
    },
  },
  form_definition: { ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } },
};

testInBrowser("a closed task shows the answer with the labels that were pressed", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  await service.call("POST", "/api/users", { email: DANA });
  const { id } = await createTask(service, "Refund €49?", { ...REFUND, notify: [`email:${DANA}`] });
  await service.call("POST", `/api/tasks/${id}/complete`, {
    response: { approved: false },
    completed_by_email: DANA,
    completed_via_channel: "email",
  });
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  const answer = page.getByRole("region", { name: "The answer" });
  await answer.getByText("Reject", { exact: true }).waitFor();
  await hasCount(answer.getByText("No", { exact: true }), 0);
  await screenshot(page, "closed-answer");

  const mail = await open({ scripts: false, expected: [/status of 410/] });
  await mail.goto(service.url + new URL(createLink(service.ctx, id, DANA)).pathname);
  await mail.getByText("Reject", { exact: true }).waitFor();
  await hasCount(mail.getByText("No", { exact: true }), 0);
});

testInBrowser("an answer that was not sent is given back as it was entered", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const { id } = await createTask(service, "Refund €49?", REFUND);
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByRole("radio", { name: "Reject" }).check();
  await page.getByRole("textbox", { name: /Amount/ }).fill("12,5 EUR");
  // The claim of the first change has arrived: it would be refused afterwards, which a browser reports.
  await page.getByText("You're working on this").waitFor();
  await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: true } });
  const unsent = page.getByRole("region", { name: "Your unsent answer" });
  await unsent.waitFor();
  assert.deepEqual(await unsent.locator("dt").allTextContents(), ["Approve the refund?", "Amount"]);
  // What was not valid yet is there as well.
  assert.deepEqual(await unsent.locator("dd").allTextContents(), ["Reject", "12,5 EUR"]);
  await axe(page);
  await screenshot(page, "closed-unsent");
});

testInBrowser("all of a payload of a megabyte can be reviewed before it is answered", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const orders = Array.from({ length: 8_000 }, (_, i) => ({ name: `Order ${i}`, note: "x".repeat(60) }));
  const { id } = await createTask(service, "Export all orders?", { payload: { subject: "All orders", orders } });
  const page = await open();
  await signIn(page, service, ADA, `/tasks/${id}`);
  await page.getByText("Large payload: expand a section to see it.").waitFor();
  await page.getByText("Show 8000 entries").click();
  // The button for more is in a row of its own, behind them.
  const rows = page.locator(".payload tbody").first().locator("> tr");
  await hasCount(rows, 50);
  for (const count of [150, 250]) {
    await page.getByRole("button", { name: "Show 100 more" }).click();
    await hasCount(rows, count);
  }
  assert.match(await rows.last().innerText(), /^250\s+Order 249\b/);
  await screenshot(page, "large-dashboard");
  await page.getByRole("radio", { name: "Yes" }).check();
  await page.getByRole("button", { name: "Submit answer" }).click();
  await page.getByText("Answer sent").waitFor();
});

testInBrowser(
  "the hint at the form says which keys choose, and a deadline is written as people write it",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, ADA);
    // In two days at 09:46 UTC.
    const end = new Date(Date.now() + 2 * 86_400_000).setUTCHours(9, 46, 30, 0);
    const five = await createTask(service, "Which one?", {
      response_schema: {
        type: "object",
        required: ["route"],
        properties: { route: { enum: ["road", "rail", "sea", "air", "none"] } },
      },
      timeout_seconds: Math.round((end - Date.now()) / 1000),
    });
    const page = await open({ timeZone: "UTC" });
    await signIn(page, service, ADA, `/tasks/${five.id}`);
    await page.getByRole("heading", { level: 1, name: "Which one?" }).waitFor();
    assert.match(await page.locator(".keys").innerText(), /^1\s*-\s*5 choose/);
    assert.match(await page.locator(".task-state .deadline").innerText(), /[A-Z][a-z]{2} 9:46 AM/);
    await page.keyboard.press("5");
    assert.equal(await page.getByRole("radio", { name: "None" }).isChecked(), true);
  },
);

const NOW = "2026-02-10T12:00:00.000Z";

testInBrowser("closed tasks say what was decided, by day, are filtered by it, and go into a file", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const dana = await service.call<{ id: string }>("POST", "/api/users", { email: DANA, display_name: "Dana Ek" });
  const end = async (task: string, at: string, response: object | null, channel = "slack") => {
    const { id } = await createTask(service, task, REFUND);
    if (response === null) await service.call("POST", `/api/tasks/${id}/cancel`, { reason: "Duplicate of 48219" });
    else
      await service.call("POST", `/api/tasks/${id}/complete`, {
        response,
        completed_by_email: DANA,
        completed_via_channel: channel,
      });
    const ended = Date.parse(at);
    const by = { completed_at: ended, completed_by_user_id: dana.id, decided_by_kind: "person" };
    const set = { ended_at: ended, updated_at: ended, ...(response !== null && by) };
    await service.ctx.db.write((tx) => tx.query.updateTable("tasks").set(set).where("id", "=", id).execute());
  };
  await end("Long ago", "2025-11-24T09:00:00Z", { approved: true }, "email");
  await end("Refund 1", "2026-02-10T09:32:00Z", { approved: true });
  await end("Refund 2", "2026-02-10T08:05:00Z", { approved: false }, "dashboard");
  await end("Refund 3", "2026-02-09T10:00:00Z", { approved: true }, "email");
  await end("Not needed", "2026-02-09T09:00:00Z", null);
  for (const [size, theme] of [
    ["desk", "light"],
    ["phone", "dark"],
  ] as const) {
    const page = await open({ size, theme });
    await page.clock.setFixedTime(NOW);
    await signIn(page, service, ADA, "/inbox?scope=done");
    const list = page.getByRole("region", { name: "Closed" });
    await list.getByRole("list", { name: "Today" }).waitFor();
    assert.deepEqual(await list.getByRole("heading", { level: size === "phone" ? 2 : 3 }).allInnerTexts(), [
      "Today",
      "Yesterday",
      "Mon, Nov 24, 2025",
    ]);
    const row = list.getByRole("list", { name: "Today" }).getByRole("link").first();
    assert.match(
      (await row.innerText()).replaceAll(/\s+/g, " "),
      /^Refund 1 Faster search. Approve Dana Ek 9:32.AM · Slack$/,
    );
    assert.equal(await row.locator(".chip").getAttribute("class"), "chip ok");
    await list.getByRole("button", { name: "Export" }).waitFor();
    await axe(page);
    await screenshot(page, `closed-list-${size}`);

    if (size === "desk") {
      const titles = () => list.locator(".task-text").allInnerTexts();
      const choose = async (chip: string, option: string, found: string[]) => {
        await list.getByRole("button", { name: chip }).click();
        await page.getByRole("menuitemradio", { name: option, exact: true }).click();
        await hasCount(list.locator(".task-text"), found.length);
        assert.deepEqual(await titles(), found);
      };
      // The first is open. J and K pass over the headings.
      for (const task of ["Refund 2", "Refund 3"]) {
        await page.keyboard.press("j");
        await page.waitForFunction((wanted) => document.activeElement?.textContent?.startsWith(wanted) === true, task);
      }
      await choose("Decision", "Approve", ["Refund 1", "Refund 3", "Long ago"]);
      await choose("Closed", "Last 7 days", ["Refund 1", "Refund 3"]);
      await choose("Channel", "Email", ["Refund 3"]);
      await choose("Answered by", "Dana Ek", ["Refund 3"]);
      assert.equal(new URL(page.url()).searchParams.get("decision"), "Approve");
      await page.reload();
      await hasCount(list.locator(".task-text"), 1);
      await list.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: /^CSV/ }).click();
      const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\r\n");
      assert.equal(lines.length, 2);
      assert.match(lines[1]!, /,Refund 3,completed,Approve,dana@example.com,email,/);
    }
    await list.getByRole("link", { name: /^Refund 3/ }).click();
    await page.getByRole("heading", { level: 1, name: "Refund 3" }).waitFor();
    assert.match((await page.locator(".task-state").innerText()).replaceAll(/\s+/g, " "), /^Approve Dana Ek/);
    await screenshot(page, `closed-head-${size}`);
    await page.goto(`${service.url}/inbox?scope=done`);
    await list.getByRole("link", { name: /^Not needed/ }).click();
    await page.getByText("Reason: Duplicate of 48219").waitFor();
  }
});
