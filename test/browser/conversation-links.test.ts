import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addAgent, createTask, serve, type Service } from "../support/dashboard.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";
import { axeInside, openForm, withEmbed } from "./support/embed-host.ts";

const DANA = "dana@example.com";
const QUESTION = "Which card\nwas charged?";

/** A service that sends mail through a real mail server. */
async function withMail(t: TestContext): Promise<Service & { smtp: TestSmtp }> {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const service = await serve(t, {
    SERVICE_EMAIL_FROM: "Desk <desk@example.com>",
    SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
  });
  return { ...service, smtp };
}

/** The address of the page behind the link in the mail to Dana. */
async function linkIn(service: Service & { smtp: TestSmtp }): Promise<string> {
  const { text = "" } = await service.smtp.to(DANA);
  const link = /https?:\S+\/api\/channels\/email\/action\/[\w.-]+/.exec(text)?.[0];
  assert.ok(link, text);
  return service.url + new URL(link).pathname;
}

for (const [name, options] of [
  ["light, wide", {}],
  ["dark, phone", { theme: "dark", size: "phone" }],
  ["without scripts", { scripts: false }],
] as const)
  testInBrowser(
    `a person asks on the page behind a mail, and what was typed into the form stays: ${name}`,
    async (open, t) => {
      const service = await withMail(t);
      const { asAgent } = await addAgent(service, "refund-bot");
      const { id } = await createTask(asAgent, "Refund 42.50 EUR to Mia?", { notify: [`email:${DANA}`] });
      const page = await open(options);
      const hasScripts = !("scripts" in options);
      const shot = name.replaceAll(/\W+/g, "-");
      await page.goto(await linkIn(service));
      if (hasScripts) await page.locator("[data-live]").waitFor();
      await page.getByRole("radio", { name: "Yes" }).check();
      await page.getByLabel("Note").fill("Half of it only");
      await page.getByText("Ask or comment").click();
      const field = page.getByLabel("Comment, or question to refund-bot");
      await field.fill(QUESTION);
      await axe(page);
      await screenshot(page, `mail-conversation-writing-${shot}`);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByText("Waits for the reply of refund-bot.").waitFor();
      await hasCount(page.getByRole("article").filter({ hasText: "You asked" }), 1);
      const { questions } = await asAgent.call<{ questions: { text: string }[] }>(
        "GET",
        `/api/tasks/${id}/poll?until=attention`,
      );
      assert.deepEqual(
        questions.map(({ text }) => text),
        [QUESTION],
      );
      await asAgent.call("POST", `/api/tasks/${id}/comments`, { text: "The one that ends with <b>4242</b>." });
      if (hasScripts) await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      else {
        await page.getByText("Ask or comment").click();
        await field.fill("Thank you.");
        await page.getByRole("button", { name: "Comment", exact: true }).click();
      }
      await page.getByText("The one that ends with <b>4242</b>.").waitFor();
      await hasCount(page.getByText("Waits for the reply of"), 0);
      assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
      assert.equal(await page.getByLabel("Note").inputValue(), "Half of it only");
      await axe(page);
      await screenshot(page, `mail-conversation-${shot}`);
      await page.getByRole("button", { name: "Submit answer" }).click();
      await page.getByRole("heading", { level: 1, name: "Answer sent" }).waitFor();
      await page.getByText("Comment", { exact: true }).first().click();
      await page.getByLabel("Comment").fill("I looked twice.");
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.getByText("Your comment was added").waitFor();
      await hasCount(page.getByRole("article").filter({ hasText: "I looked twice." }), 1);
      await axe(page);
      await screenshot(page, `mail-conversation-closed-${shot}`);
    },
  );

for (const [name, options] of [
  ["light, wide", {}],
  ["dark, phone", { theme: "dark", size: "phone" }],
] as const)
  testInBrowser(`a person asks in an embedded form, and what was typed stays: ${name}`, async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ ...options, origins: [service.url] });
    const { id, frame } = await openForm(service, page);
    const shot = name.replace(", ", "-");
    await frame.getByRole("radio", { name: "Yes" }).check();
    await frame.getByLabel("Note").fill("Half of it only");
    await screenshot(page, `embed-conversation-closed-${shot}`);
    await frame.getByRole("button", { name: "Ask or comment" }).click();
    const field = frame.getByLabel("Comment, or question to");
    await field.fill(QUESTION);
    await axeInside(page, frame);
    await screenshot(page, `embed-conversation-writing-${shot}`);
    await frame.getByRole("button", { name: "Ask", exact: true }).click();
    await frame.getByText("Waits for the reply of").waitFor();
    await hasCount(frame.getByRole("article").filter({ hasText: "You asked" }), 1);
    await service.call("POST", `/api/tasks/${id}/comments`, { text: "The one that ends with 4242." });
    await frame.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await frame.getByText("The one that ends with 4242.").waitFor();
    assert.equal(await frame.getByLabel("Note").inputValue(), "Half of it only");
    await screenshot(page, `embed-conversation-${shot}`);
  });

const REVISED = { payload: { text: "Faster search, and a new logo." }, note: "The logo is new." };

for (const [name, options] of [
  ["light, wide", {}],
  ["dark, phone", { theme: "dark", size: "phone" }],
] as const)
  testInBrowser(
    `an answer to a request that was revised is not sent, and the new version and the entries are there: ${name}`,
    async (open, t) => {
      const shot = name.replace(", ", "-");
      const service = await withMail(t);
      const { id } = await createTask(service, "Publish it?", { notify: [`email:${DANA}`] });
      const link = await linkIn(service);
      const page = await open({ ...options, expected: [/status of 409/] });
      await page.goto(link);
      await page.locator("[data-live]").waitFor();
      await page.getByRole("radio", { name: "Yes" }).check();
      await page.getByLabel("Note").fill("Half of it only");
      await service.call("POST", `/api/tasks/${id}/revise`, REVISED);
      await page.getByRole("button", { name: "Submit answer" }).click();
      await page.getByText("Not sent: the request was changed in the meantime.").waitFor();
      await page.getByText("This is version 2.").waitFor();
      await hasCount(page.getByText("Faster search, and a new logo.", { exact: true }), 1);
      assert.equal(await page.getByRole("radio", { name: "Yes" }).isChecked(), true);
      assert.equal(await page.getByLabel("Note").inputValue(), "Half of it only");
      await axe(page);
      await screenshot(page, `mail-revised-${shot}`);
      // The button of the first mail was about the first version.
      await page.goto(`${link}?choice=0`);
      await page.getByText("The request was changed after this link was sent.").waitFor();
      await hasCount(page.getByRole("radio", { checked: true }), 0);
      await page.locator("[data-live]").waitFor();
      await page.getByRole("radio", { name: "Yes" }).check();
      await page.getByRole("button", { name: "Submit answer" }).click();
      await page.getByRole("heading", { level: 1, name: "Answer sent" }).waitFor();
    },
  );

testInBrowser(
  "an embedded form whose request was revised shows the new version and keeps its entries",
  async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url], expected: [/status of 409/] });
    const { id, frame } = await openForm(service, page);
    await frame.getByRole("radio", { name: "Yes" }).check();
    await frame.getByLabel("Note").fill("Half of it only");
    await service.call("POST", `/api/tasks/${id}/revise`, REVISED);
    await frame.getByRole("button", { name: "Submit answer" }).click();
    await frame.getByText("Not sent. The request was revised in the meantime").waitFor();
    await frame.getByText("This is version 2.").waitFor();
    await hasCount(frame.getByText("Faster search, and a new logo.", { exact: true }), 1);
    await frame.getByRole("article").filter({ hasText: "changed the request (version 2)" }).waitFor();
    assert.equal(await frame.getByRole("radio", { name: "Yes" }).isChecked(), true);
    assert.equal(await frame.getByLabel("Note").inputValue(), "Half of it only");
    await axeInside(page, frame);
    await screenshot(page, "embed-revised");
    await frame.getByRole("button", { name: "Submit answer" }).click();
    await frame.getByRole("heading", { name: "Submitted" }).waitFor();
  },
);
