import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { recordNotification } from "../../src/tasks/audit.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";
import type { Service } from "../support/dashboard.ts";
import { startSmtp } from "../support/smtp.ts";
import { visit } from "./operating.ts";

/** What became of a mail to somebody, where it would take hours to come about. @param error - null: it was sent */
async function record(service: Service, id: string, to: string, error: string | null): Promise<void> {
  const notification = { channel: "email", to, purpose: "decision", ...(error === null ? {} : { error }) } as const;
  await service.ctx.db.write((tx) => recordNotification(tx, id, notification));
}

const DANA = ["email:dana@example.com"];

const untold = (page: Page): Locator => page.getByRole("region", { name: "Failed notifications" });
const needsAttention = (page: Page): Locator => page.getByRole("region", { name: "Needs attention" });
const happened = (page: Page): Locator => page.getByRole("region", { name: "What happened" });

/** Of the list and of the task, what would have to be scrolled to the side. */
function widerThanTheirPlace(page: Page): Promise<string[]> {
  return page
    .locator(".pane, .list")
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className));
}

testInBrowser("without a sender, a task says who was not told, and the way to the senders", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Publish the notes", { notify: DANA });
  const page = await visit(open, service, `/tasks/${id}`);
  await untold(page).getByText("Couldn't notify dana@example.com: There is no email sender yet.").waitFor();
  await axe(page);
  await untold(page).getByRole("link", { name: "Email settings" }).click();
  await page.getByRole("heading", { name: "Email is off" }).waitFor();
});

testInBrowser("a task says whom its mail did not reach, and why; others were told", async (open, t) => {
  const smtp = await startSmtp({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith("nobody") ? done(Object.assign(new Error("Who is that?"), { responseCode: 550 })) : done(),
  });
  t.after(() => smtp.close());
  const service = await serve(t, {
    SERVICE_EMAIL_FROM: "tasks@example.com",
    SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
  });
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Publish the notes", { notify: [...DANA, "email:nobody@example.com"] });
  const page = await visit(open, service, `/tasks/${id}`);
  await untold(page)
    .getByText(/^Couldn't notify nobody@example\.com: .*Who is that\?/)
    .waitFor();
  // The settings would not help.
  await hasCount(untold(page).getByRole("link"), 0);
  await screenshot(page, "task-untold");
  await untold(page).getByRole("button", { name: "Show the activity" }).click();
  await happened(page).getByText("The service sent an email to dana@example.com").waitFor();
  const failure = needsAttention(page).getByRole("listitem");
  await failure
    .getByText(/^The service couldn't send an email to nobody@example\.com \(the question\): .*Who is that\?/)
    .waitFor();
  await hasCount(failure, 1);
  await axe(page);
  await screenshot(page, "task-untold-activity");
  // The question and the notice of the end are told apart.
  await service.call("POST", `/api/tasks/${id}/cancel`);
  await happened(page).getByText("The service sent an email to dana@example.com (how the task ended)").waitFor();
  await hasCount(happened(page).getByText("sent an email to dana@example.com (the question)"), 1);
});

testInBrowser(
  "whoever is told in the end is no trouble any more, and the page learns it by itself",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const { id } = await createTask(service, "Publish the notes", { notify: DANA });
    const page = await visit(open, service, `/tasks/${id}`);
    await untold(page).getByText("There is no email sender").waitFor();
    await record(service, id, "dana@example.com", "connect: The mail server does not answer.");
    await untold(page).getByText("Couldn't notify dana@example.com: The mail server does not answer.").waitFor();
    // The latest tells.
    await hasCount(untold(page).getByText("dana@example.com"), 1);
    await record(service, id, "DANA@example.com", null);
    await untold(page).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Activity" }).click();
    await happened(page).getByText("The service sent an email to DANA@example.com").waitFor();
    await hasCount(happened(page).getByText("couldn't send an email to dana@example.com"), 2);
    await hasCount(needsAttention(page), 0);
    await record(service, id, "mia@example.com", "sealed: The settings were sealed with another key.");
    await needsAttention(page).getByText("couldn't send an email to mia@example.com").waitFor();
    await page.getByRole("tab", { name: "Review" }).click();
    await untold(page).getByRole("link", { name: "Email settings" }).waitFor();
  },
);

testInBrowser("what a channel says is shown as it is, whatever it is", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { id } = await createTask(service, "Publish the notes", { notify: ["slack:#approvals"] });
  const page = await visit(open, service, `/tasks/${id}`);
  await untold(page).getByText("Couldn't notify #approvals: This server has no Slack connection.").waitFor();
  await record(service, id, "dana@example.com", "<img src=x onerror=alert(1)> without a word");
  await untold(page)
    .getByText("Couldn't notify dana@example.com: <img src=x onerror=alert(1)> without a word")
    .waitFor();
  await record(service, id, "", "connect: Nobody knows whom.");
  await page.getByRole("tab", { name: "Activity" }).click();
  await needsAttention(page)
    .getByText("The service couldn't send a message to #approvals (the question): This server")
    .waitFor();
  await needsAttention(page).getByText("The service couldn't send a message", { exact: true }).waitFor();
});

testInBrowser("where many were not told, the first few stand for them", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const notify = Array.from({ length: 8 }, (_, i) => `email:person-${i}@example.com`);
  const { id } = await createTask(service, "Publish the notes", { notify });
  const page = await visit(open, service, `/tasks/${id}`);
  await untold(page).getByText("and 5 more").waitFor();
  await hasCount(untold(page).getByText("Couldn't notify"), 3);
  await untold(page).getByRole("button", { name: "Show the activity" }).click();
  await needsAttention(page).waitFor();
  await hasCount(needsAttention(page).getByRole("listitem"), 8);
});

testInBrowser("the trail is asked for by operators alone, and where somebody was to be told", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const assign_to = { email: "dana@example.com" };
  const told = await createTask(service, "Somebody is told", { notify: DANA, assign_to });
  const untoldOf = await createTask(service, "Nobody is told");
  const asked: string[] = [];
  const watch = (page: Page) => page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const trails = () => asked.splice(0).filter((path) => path.endsWith("/audit"));

  const hers = await open();
  watch(hers);
  await signIn(hers, service, "dana@example.com", `/tasks/${told.id}`);
  await hers.getByRole("button", { name: "Submit answer" }).waitFor();
  await record(service, told.id, "dana@example.com", "connect: It does not answer.");
  await hers.reload();
  await hers.getByRole("button", { name: "Submit answer" }).waitFor();
  assert.deepEqual(trails(), []);
  await hasCount(untold(hers), 0);

  const page = await open();
  watch(page);
  await signIn(page, service, "ada@example.com", `/tasks/${untoldOf.id}`);
  await page.getByRole("button", { name: "Submit answer" }).waitFor();
  assert.deepEqual(trails(), []);
  await page.goto(`${service.url}/tasks/${told.id}`);
  await untold(page).waitFor();
  assert.deepEqual([...new Set(trails())], [`/api/tasks/${told.id}/audit`]);
});

testInBrowser("everybody can read who was not told", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const long = `${"long".repeat(14)}@${"sub.".repeat(20)}example.com`;
  const { id } = await createTask(service, "Publish the notes", { notify: [`email:${long}`] });
  await record(service, id, "nobody@example.com", "refused_address: The server does not know <nobody@example.com>.");
  const page = await visit(open, service, `/tasks/${id}`, { size: "narrow" });
  await untold(page).waitFor();
  const sizes = ["narrow", "phone", "desk", "wide"] as const;
  await inEachView(t, page, "who was not told", sizes, async ({ theme, size, rules }) => {
    await untold(page).waitFor();
    await axe(page, rules);
    await screenshot(page, `task-untold-${theme}-${size}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    assert.deepEqual(await widerThanTheirPlace(page), []);
  });
  await untold(page).getByRole("button", { name: "Show the activity" }).click();
  await inEachView(t, page, "the activity", sizes, async ({ theme, size, rules }) => {
    await page.getByRole("region", { name: "Needs attention" }).waitFor();
    await axe(page, rules);
    await screenshot(page, `task-untold-activity-${theme}-${size}`);
    assert.deepEqual(await widerThanTheirPlace(page), []);
  });
});
