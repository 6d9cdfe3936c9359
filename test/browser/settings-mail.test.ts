import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { axe, hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import type { Service } from "../support/dashboard.ts";
import { startSmtp } from "../support/smtp.ts";
import type { TestSmtp } from "../support/smtp.ts";
import { assertUsable, confirm, visit } from "./operating.ts";

const PATH = "/api/channels/email/identities";
const SETTINGS = "/settings/email";

interface Sender {
  id: string;
  display_name: string;
  from_email: string;
  from_name: string | null;
  reply_to: string | null;
  transport: string;
}

/** A mail server that takes mail of those alone who know its password. */
async function strictSmtp(t: TestContext): Promise<TestSmtp> {
  const smtp = await startSmtp({ authOptional: false });
  t.after(() => smtp.close());
  return smtp;
}

function addSender(service: Service, id: string, more: Record<string, unknown> = {}): Promise<Sender> {
  return service.call("POST", PATH, {
    id,
    display_name: `Sender ${id}`,
    from_email: `${id}@example.com`,
    transport: "log",
    ...more,
  });
}

const sendersOf = (service: Service): Promise<Sender[]> => service.call("GET", PATH);

/** What is said about one sender, and can be done with it. */
const about = (page: Page, name: string): Locator =>
  page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });

/** Whether the middle of it can be seen and pressed. */
function isUncovered(field: Locator): Promise<boolean> {
  return field.evaluate((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === one;
  });
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

testInBrowser("a sender is added and tried out by keyboard, and the mail arrives", async (open, t) => {
  const smtp = await strictSmtp(t);
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, SETTINGS);
  await page.getByRole("heading", { name: "Email is off" }).waitFor();
  await page.getByText("SERVICE_SMTP_URL").waitFor();
  await assertUsable(page, "mail-empty");
  await page.getByRole("button", { name: "Add a sender" }).focus();
  const { keyboard } = page;
  await keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Add a sender" });
  await hasFocus(form.getByLabel("Name", { exact: true }));
  const type = async (...texts: (string | null)[]): Promise<void> => {
    for (const text of texts) {
      if (text !== null) await keyboard.type(text);
      await keyboard.press("Tab");
    }
  };
  // Name, id, address, name beside it, where answers go, way, server, port, encryption, user.
  await type("Task desk", null, "desk@example.com", "The desk", "help@example.com", null, smtp.host);
  await type(String(smtp.port), null, "ada");
  await screenshot(page, "mail-form");
  await axe(page);
  await keyboard.type("right");
  await keyboard.press("Enter");
  await form.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.id === "main");
  const sender = about(page, "Task desk");
  await sender.getByText("The desk <desk@example.com>").waitFor();
  await sender.getByText("email+main:<address>").waitFor();
  await sender.getByText("email:<address>").waitFor();
  await sender.getByText("Reply to help@example.com").waitFor();

  await page.getByRole("button", { name: "Send a test email from Task desk" }).focus();
  await keyboard.press("Enter");
  const test = page.getByRole("form", { name: "Test email from Task desk" });
  assert.equal(await test.getByLabel("To").inputValue(), "ada@example.com", "unless another is typed");
  await keyboard.press("Enter");
  await page.getByRole("status").getByText("Sent to ada@example.com.").waitFor();
  await assertUsable(page, "mail-sent");
  await test.getByLabel("To").fill("dana@example.com");
  await keyboard.press("Enter");
  await page.getByRole("status").getByText("Sent to dana@example.com.").waitFor();
  assert.deepEqual(
    smtp.received.map(({ from, to, user }) => [from, ...to, user]),
    [
      ["desk@example.com", "ada@example.com", "ada"],
      ["desk@example.com", "dana@example.com", "ada"],
    ],
  );
  assert.match(smtp.received[0]!.source, /^From: The desk <desk@example\.com>\r\n/m);
  assert.match(smtp.received[0]!.source, /^Reply-To: help@example\.com\r\n/m);
});

testInBrowser("what is changed of a sender keeps its password, until the way it goes is set anew", async (open, t) => {
  const smtp = await strictSmtp(t);
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { host, port } = smtp;
  await addSender(service, "main", {
    transport: "smtp",
    transport_config: { host, port, user: "ada", password: "right" },
    from_name: "Tasks",
    reply_to: "help@example.com",
  });
  const page = await visit(open, service, SETTINGS);
  const edit = async (): Promise<Locator> => {
    await page.getByRole("button", { name: "Edit Sender main" }).click();
    return page.getByRole("dialog", { name: "Edit Sender main" });
  };
  const save = async (form: Locator): Promise<void> => {
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
  };
  const sendTest = async (): Promise<void> => {
    const toggle = page.getByRole("button", { name: "Send a test email from Sender main" });
    if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
  };
  let form = await edit();
  await form.getByText("They are never shown.").waitFor();
  await hasCount(form.getByLabel("Password", { exact: true }), 0);
  await screenshot(page, "mail-edit");
  await form.getByLabel("From name").fill("");
  await save(form);
  await page.getByText("Tasks <main@example.com>").waitFor({ state: "hidden" });

  // Nothing of it is entered: it is kept all the same.
  form = await edit();
  await form.getByRole("button", { name: "Change transport" }).click();
  assert.equal(await form.getByLabel("Sent through").evaluate((one) => one === document.activeElement), true);
  await form.getByText("Leave all fields empty to keep the settings.").waitFor();
  await axe(page);
  await screenshot(page, "mail-edit-transport");
  assert.equal(await form.getByLabel("Password", { exact: true }).inputValue(), "");
  await form.getByLabel("From address").fill("desk@example.com");
  await save(form);
  await sendTest();
  await page.getByText("Sent to ada@example.com.").waitFor();
  const [mail] = smtp.received;
  assert.deepEqual([mail?.from, mail?.user], ["desk@example.com", "ada"]);
  assert.match(mail!.source, /^Reply-To: help@example\.com\r\n/m, "what was not touched stays");

  // Whatever is entered replaces all: there is no password any more.
  form = await edit();
  await form.getByRole("button", { name: "Change transport" }).click();
  await form.getByLabel("Server").fill(host);
  await form.getByLabel("Port").fill(String(port));
  await save(form);
  await page.getByText("Sent to ada@example.com.").waitFor({ state: "hidden" });
  await sendTest();
  await page.getByRole("alert").getByText("Not sent to ada@example.com:").waitFor();

  form = await edit();
  await form.getByRole("button", { name: "Change transport" }).click();
  await form.getByLabel("Sent through").selectOption("Log, for tests");
  await save(form);
  await sendTest();
  await page.getByText("is in the log.").waitFor();
  assert.equal((await sendersOf(service))[0]?.transport, "log");
  assert.equal(smtp.received.length, 1);
});

testInBrowser("what is wrong with a sender is told at its field", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addSender(service, "main");
  const page = await visit(open, service, SETTINGS, { expected: [/status of 422/] });
  await page.getByRole("button", { name: "Add a sender" }).click();
  const form = page.getByRole("dialog", { name: "Add a sender" });
  const add = () => form.getByRole("button", { name: "Add" }).click();
  const enter = (label: string, text: string) => form.getByLabel(label, { exact: true }).fill(text);
  const isFocused = (label: string): Promise<void> => hasFocus(form.getByLabel(label, { exact: true }));
  await add();
  await saidAt(form, "Name", "Must not be empty.");
  await saidAt(form, "Id", "Must not be empty.");
  await isFocused("Name");
  assert.equal(await isUncovered(form.getByLabel("Name", { exact: true })), true);
  await screenshot(page, "mail-refused");
  await axe(page);
  await enter("Name", "Second");
  await enter("From address", "second@example.com");
  await enter("Id", "main");
  await add();
  await saidAt(form, "Id", "A sender with this id exists.");
  assert.equal((await sendersOf(service))[0]?.display_name, "Sender main", "the other one is as it was");
  await enter("Id", "with space");
  await add();
  await saidAt(form, "Id", "letters, digits");
  await isFocused("Id");
  await enter("Id", "second");
  await enter("From address", "nobody");
  await add();
  await saidAt(form, "From address", "Must be an email address.");
  await enter("From address", "second@example.com");
  await enter("Reply to", "nobody");
  await add();
  await saidAt(form, "Reply to", "Must be an email address.");
  await enter("Reply to", "");
  await add();
  await saidAt(form, "Server", "Required.");
  await enter("Server", "mail.example.com");
  await enter("Port", "many");
  await add();
  await saidAt(form, "Port", "Must be a whole number from 1 to 65535.");
  await enter("Port", "");
  await enter("User", "ada");
  await add();
  await saidAt(form, "Password", "Set both user and password, or neither.");
  for (const secret of ["Password", "User", "Server"])
    assert.match(
      (await form.getByLabel(secret, { exact: true }).getAttribute("autocomplete"))!,
      /^(off|new-password)$/,
    );
  const way = form.getByLabel("Sent through");
  await way.selectOption("Resend");
  await add();
  await saidAt(form, "API key", "Required.");
  await way.selectOption("Folder, for tests");
  await enter("Folder", "../elsewhere");
  await add();
  await saidAt(form, "Folder", "Must be relative to the data directory");
  await enter("Folder", "outbox");
  await add();
  await form.waitFor({ state: "hidden" });
  await page.getByText("With several senders").waitFor();
  assert.deepEqual(
    (await sendersOf(service)).map(({ id, transport }) => [id, transport]),
    [
      ["main", "log"],
      ["second", "file"],
    ],
  );
});

testInBrowser("a test mail that is refused says why, and it stays in sight", async (open, t) => {
  const smtp = await strictSmtp(t);
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  const { host, port } = smtp;
  await addSender(service, "main", {
    transport: "smtp",
    transport_config: { host, port, user: "ada", password: "wrong" },
  });
  const page = await visit(open, service, SETTINGS, { expected: [/status of 422/] });
  await page.getByRole("button", { name: "Send a test email from Sender main" }).click();
  const test = page.getByRole("form", { name: "Test email from Sender main" });
  const send = () => test.getByRole("button", { name: "Send" }).click();
  await send();
  const alert = page.getByRole("alert");
  await alert.getByText("Not sent to ada@example.com: Invalid login").waitFor();
  await alert.getByText("Check user and password.").waitFor();
  assert.doesNotMatch(await alert.innerText(), /refused_login/);
  await assertUsable(page, "mail-test-refused");
  await test.getByLabel("To").fill("nobody");
  await send();
  await saidAt(test, "To", "Must be an email address.");
  await hasCount(alert, 0);
  // What was sealed with another key cannot be opened.
  await service.ctx.db.write((tx) => tx.query.updateTable("email_identities").set({ transport_config: "" }).execute());
  await test.getByLabel("To").fill("");
  await send();
  await alert.getByText("Enter them again.").waitFor();
});

testInBrowser("a sender is deleted after a question that says what it means", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addSender(service, "main");
  await addSender(service, "second");
  const page = await visit(open, service, SETTINGS);
  await page.getByText("With several senders").waitFor();
  await page.getByRole("button", { name: "Delete Sender second" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Sender second?" });
  await dialog.getByText("Unsent email from this sender fails").waitFor();
  await hasFocus(dialog.getByRole("button", { name: "Cancel" }));
  await screenshot(page, "mail-delete");
  await page.keyboard.press("Escape");
  const asks = page.getByRole("button", { name: "Delete Sender second" });
  await dialog.waitFor({ state: "hidden" });
  await page.waitForFunction((one) => one === document.activeElement, await asks.elementHandle());
  await page.keyboard.press("Enter");
  await confirm(page, "Delete Sender second?", "Delete sender");
  await about(page, "Sender second").waitFor({ state: "detached" });
  await page.getByText("With one sender").waitFor();
  assert.deepEqual(
    (await sendersOf(service)).map(({ id }) => id),
    ["main"],
  );
});

testInBrowser("the sender of the environment says so, and can only be tried out", async (open, t) => {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const service = await serve(t, {
    SERVICE_EMAIL_FROM: "Task Desk <tasks@example.com>",
    SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}`,
  });
  await addOperator(service, "ada@example.com");
  const page = await visit(open, service, "/settings/status");
  await page.locator("dl > div").filter({ hasText: "On, one sender" }).getByRole("link", { name: "Email" }).click();
  await page.getByRole("heading", { level: 1, name: "Email" }).waitFor();
  await page.getByText("Task Desk <tasks@example.com>").waitFor();
  await about(page, "Default").getByText("Change it there.").waitFor();
  assert.deepEqual(await about(page, "Default").getByRole("button").allInnerTexts(), ["Send a test email"]);
  await page.getByRole("button", { name: "Send a test email from Default" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Sent to ada@example.com.").waitFor();
  assert.deepEqual(smtp.received[0]?.to, ["ada@example.com"]);
  await assertUsable(page, "mail-default");
});

testInBrowser("senders are for operators, and what cannot be loaded says why", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await addAssignee(service, "dana@example.com");
  const page = await open({ expected: [/status of 429/] });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await signIn(page, service, "dana@example.com", SETTINGS);
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  assert.deepEqual(
    asked.filter((path) => path === PATH),
    [],
  );

  const hers = await open({ expected: [/status of 429/] });
  let isDown = true;
  const body = JSON.stringify({ error_code: "RATE_LIMITED", message: "Too many." });
  await hers.route(`**${PATH}`, (route) =>
    isDown ? route.fulfill({ status: 429, contentType: "application/json", body }) : route.continue(),
  );
  await signIn(hers, service, "ada@example.com", "/settings/status");
  await hers.getByText("Unavailable").waitFor();
  await hers.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Email" }).click();
  await hers.getByRole("heading", { name: "Could not load the senders" }).waitFor();
  isDown = false;
  await hers.getByRole("button", { name: "Try again" }).click();
  await hers.getByRole("heading", { name: "Email is off" }).waitFor();
  await hers.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Status" }).click();
  await hers.locator("dl > div").filter({ hasText: "SERVICE_EMAIL_FROM" }).getByText("Off").waitFor();
});

for (const theme of ["light", "dark"] as const)
  for (const size of ["narrow", "phone", "wide"] as const)
    testInBrowser(`everybody can use the senders: ${theme}, ${size}`, async (open, t) => {
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      await addSender(service, "main", { from_name: "Tasks", reply_to: "help@example.com" });
      await addSender(service, "an.id-that-is-as-long-as-they-come_".repeat(2), {
        display_name: "Somebody-with-quite-a-long-name-in-one-word-as-products-have-them",
        from_email: `${"long".repeat(14)}@${"sub.".repeat(20)}example.com`,
        transport: "file",
        transport_config: { dir: "outbox" },
      });
      const page = await visit(open, service, SETTINGS, { theme, size });
      await page.getByRole("button", { name: "Send a test email from Sender main" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("The email to ada@example.com is in the log.").waitFor();
      await assertUsable(page, `mail-${theme}-${size}`);
      await page.getByRole("button", { name: "Edit Sender main" }).click();
      const form = page.getByRole("dialog", { name: "Edit Sender main" });
      await form.getByRole("button", { name: "Change transport" }).click();
      await form.getByLabel("Sent through").selectOption("SMTP server");
      await assertUsable(page, `mail-form-${theme}-${size}`);
      assert.equal(await form.evaluate((one) => one.scrollWidth <= one.clientWidth), true);
    });
