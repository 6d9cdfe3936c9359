import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { BOT_SCOPES } from "../../src/channels/slack/workspaces/manifest.ts";
import { recordNotification } from "../../src/tasks/audit.ts";
import { hasCount, hasFocus, screenshot, testInBrowser } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import type { Service } from "../support/dashboard.ts";
import { said } from "../support/slack-service.ts";
import { startSlack } from "../support/slack.ts";
import type { Slack } from "../support/slack.ts";
import { assertUsable, confirm, visit } from "./operating.ts";

const AT = "/api/channels/slack";
const SETTINGS = "/settings/slack";
const SCOPES: readonly string[] = BOT_SCOPES;

interface Stage {
  service: Service;
  slack: Slack;
}

interface StageOptions {
  /** What is set besides Slack's address; by default only what Slack's requests are signed with. */
  env?: (slack: Slack) => Record<string, string>;
  scopes?: readonly string[];
}

/** A Slack of this test's own, the app in it, and Ada, who is an operator. */
async function stage(t: TestContext, { env = signed, scopes = SCOPES }: StageOptions = {}): Promise<Stage> {
  const slack = await startSlack({ scopes });
  t.after(() => slack.close());
  // Another site than the service's, as it is in earnest: that decides which cookies come along.
  const apiUrl = slack.apiUrl.replace("127.0.0.1", "localhost");
  const service = await serve(t, { SERVICE_SLACK_API_URL: apiUrl, ...env(slack) });
  await addOperator(service, "ada@example.com");
  return { service, slack };
}

const signed = ({ signingSecret }: Slack) => ({ SERVICE_SLACK_SIGNING_SECRET: signingSecret });
const withToken = (slack: Slack) => ({ ...signed(slack), SERVICE_SLACK_BOT_TOKEN: slack.token });
const installable = (slack: Slack) => ({
  ...signed(slack),
  SERVICE_SLACK_CLIENT_ID: slack.clientId,
  SERVICE_SLACK_CLIENT_SECRET: slack.clientSecret,
});

/** Makes the address that the service listens at its public one; it is known only now. */
function publish({ service, slack }: Stage): void {
  service.ctx.config.publicUrl = service.url;
  slack.redirectTo(`${service.url}${AT}/oauth/callback`);
}

const connect = ({ service }: Stage, { token: bot_token }: { token: string }) =>
  service.call("POST", `${AT}/installations`, { bot_token });

const teamsOf = async ({ service }: Stage): Promise<(string | null)[]> =>
  (await service.call<{ team_name: string | null }[]>("GET", `${AT}/installations`)).map(({ team_name }) => team_name);

/** What is said about one workspace, and can be done with it. */
const about = (page: Page, name: string): Locator =>
  page.locator("dl.facts > div").filter({ has: page.getByText(name, { exact: true }) });

const step = (page: Page, title: string): Locator =>
  page.locator(".steps > li").filter({ has: page.getByRole("heading", { name: new RegExp(`^(Done: )?${title}$`) }) });

/** Waits until only the heading of a step is shown. */
const isFolded = (step: Locator): Promise<void> => step.locator("details:not([open])").waitFor({ state: "attached" });

const isFocused = (one: Locator): Promise<boolean> => one.evaluate((one) => one === document.activeElement);

/** What stands at a field as its error. */
async function saidAt(form: Locator, label: string, said: RegExp): Promise<void> {
  const field = form.getByLabel(label, { exact: true });
  await form.getByText(said).waitFor();
  const ids = (await field.getAttribute("aria-describedby"))?.match(/\S+/g) ?? [];
  const texts = await Promise.all(ids.map((id) => form.page().locator(`[id="${id}"]`).innerText()));
  assert.match(texts.join("\n"), said);
}

testInBrowser(
  "where nothing is set up, the page leads there: the manifest, the variables, the way on",
  async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const page = await visit(open, service, "/settings/status");
    await page
      .locator("dl > div")
      .filter({ hasText: "SERVICE_SLACK_BOT_TOKEN" })
      .getByRole("link", { name: "Slack" })
      .click();
    await page.getByRole("heading", { name: "Slack is not set up yet" }).waitFor();
    assert.deepEqual(await page.locator(".steps h3").allInnerTexts(), [
      "Create the app in Slack",
      "Set environment variables",
      "Connect a workspace",
    ]);
    // Nobody outside reaches a service without https.
    const [socket, http] = [/^Socket Mode/, /^HTTP requests from Slack/].map((name) =>
      page.getByRole("radio", { name }),
    );
    await page.getByText('"socket_mode_enabled": true').waitFor();
    assert.equal(await socket!.isChecked(), true);
    await step(page, "Set environment variables").getByText("SERVICE_SLACK_APP_TOKEN").waitFor();
    await hasCount(page.getByText("SERVICE_SLACK_SIGNING_SECRET"), 0);
    await hasCount(page.getByText("Slack needs an https address"), 0);
    await assertUsable(page, "slack-none");

    await http!.click();
    await page.getByText("Slack needs an https address").waitFor();
    await page.getByText("SERVICE_SLACK_SIGNING_SECRET").waitFor();
    await hasCount(page.getByText("SERVICE_SLACK_APP_TOKEN"), 0);
    for (const name of ["SERVICE_SLACK_BOT_TOKEN", "SERVICE_SLACK_CLIENT_ID", "SERVICE_SLACK_CLIENT_SECRET"])
      await step(page, "Set environment variables").getByText(name).waitFor();
    await page.getByText("restart the service").waitFor();
    await page.getByText('"socket_mode_enabled": false').waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the manifest" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.deepEqual(
      JSON.parse(await page.evaluate(() => navigator.clipboard.readText())),
      await service.call("GET", `${AT}/manifest?socket_mode=0`),
    );
    const link = page.getByRole("link", { name: "api.slack.com/apps" });
    assert.equal(await link.getAttribute("href"), "https://api.slack.com/apps");
  },
);

testInBrowser("an operator adds the app at Slack and comes back connected; or says no there", async (open, t) => {
  const set = await stage(t, { env: installable });
  publish(set);
  const { service, slack } = set;
  slack.addTeam("Globex");
  const page = await visit(open, service, SETTINGS, {
    origins: [slack.url, slack.url.replace("127.0.0.1", "localhost")],
  });
  await page.getByRole("heading", { name: "The app is not installed in a workspace yet" }).waitFor();
  for (const done of ["Create the app in Slack", "Set environment variables"]) await isFolded(step(page, done));
  await hasCount(step(page, "Connect a workspace").locator("details:not([open])"), 0);
  await page.getByText("Buttons and “Add to Slack” won't work").waitFor();
  await assertUsable(page, "slack-no-workspace");

  const ask = async (): Promise<void> => {
    await page.getByRole("link", { name: "Add to Slack" }).click();
    await page.getByRole("heading", { name: /requesting permission/ }).waitFor();
  };
  await ask();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alert").getByText("The installation was cancelled in Slack.").waitFor();
  await page.waitForURL(service.url + SETTINGS);
  assert.deepEqual(await teamsOf(set), []);
  await page.getByRole("button", { name: "Add a bot token" }).click();
  await page.getByRole("dialog").getByLabel("Bot token", { exact: true }).fill(slack.token);
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await about(page, "Acme").waitFor();
  // It is so no more.
  await hasCount(page.getByText("No workspace was connected."), 0);

  await ask();
  await page.getByLabel("Workspace").selectOption("Globex");
  await page.getByRole("button", { name: "Allow" }).click();
  const status = page.getByRole("status");
  await status.getByText("Globex is connected.").waitFor();
  await page.waitForURL(service.url + SETTINGS);
  await about(page, "Globex")
    .getByText(/^Installed /)
    .waitFor();
  assert.deepEqual(await teamsOf(set), ["Acme", "Globex"]);
  await assertUsable(page, "slack-installed");
  // The setup steps are folded.
  await hasCount(page.locator("details.fold[open]"), 0);
  await page.reload();
  await about(page, "Globex").waitFor();
  // A reload says nothing anew.
  await hasCount(page.getByText("Globex is connected."), 0);

  // Signed out meanwhile: after signing in again, the page says so.
  await ask();
  const request = await page.context().newPage();
  await request.request.post(`${service.url}/api/auth/logout`, { headers: { origin: service.url } });
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").getByText("no longer signed in as an operator").waitFor();
  assert.deepEqual(slack.failures, []);
});

testInBrowser("what came of an installation is said in a sentence, whatever stands in the address", async (open, t) => {
  const set = await stage(t, { env: installable });
  publish(set);
  const { service } = set;
  const page = await visit(open, service, "/settings");
  for (const [word, says] of [
    ["access_denied", "was cancelled in Slack"],
    ["state", "more than ten minutes ago"],
    ["signed_out", "no longer signed in as an operator"],
    ["refused", "rejected the installation"],
    ["org_install", "Install it in one workspace"],
    ["token_rotation", "Create the app again from the manifest"],
    ["environment", "SERVICE_SLACK_BOT_TOKEN already connects this workspace"],
    ["invalid_code", "already used or has expired"],
    ["code_already_used", "already used or has expired"],
    ["bad_redirect_uri", `Add ${service.url}${AT}/oauth/callback in Slack`],
    ["bad_client_secret", "SERVICE_SLACK_CLIENT_SECRET does not belong to this app"],
    ["invalid_client_id", "SERVICE_SLACK_CLIENT_ID does not belong to this app"],
    ["invalid_team_for_non_distributed_app", "Activate public distribution"],
    ["connect", "could not reach Slack"],
    ["ratelimited", "Try again in a minute"],
    ["too_many", "Remove one"],
    ["team_added_to_org", "Slack answered team_added_to_org"],
    ["constructor", "Slack answered constructor"],
    ["<b>Pay here</b>", "See the log."],
  ] as const) {
    await page.goto(`${service.url}${SETTINGS}?${new URLSearchParams({ problem: word }).toString()}`);
    const alert = page.getByRole("alert");
    await alert.getByText("No workspace was connected.").waitFor();
    await alert.getByText(says).waitFor();
    assert.doesNotMatch(await alert.innerText(), /Pay here/);
  }
  await page.waitForURL(service.url + SETTINGS);
  await page.goto(`${service.url}${SETTINGS}?installed=T0MADEUP`);
  await page.waitForURL(service.url + SETTINGS);
  await page.getByRole("heading", { name: "The app is not installed in a workspace yet" }).waitFor();
  // Only what is so is said.
  await hasCount(page.getByText("is connected."), 0);
});

testInBrowser("a workspace is added by its token, and what is wrong with one is told at the field", async (open, t) => {
  const set = await stage(t);
  const { service, slack } = set;
  const page = await visit(open, service, SETTINGS, { expected: [/status of (422|502)/] });
  await hasCount(page.getByRole("link", { name: "Add to Slack" }), 0);
  const adds = page.getByRole("button", { name: "Add a bot token" });
  await adds.click();
  const form = page.getByRole("dialog", { name: "Add a bot token" });
  const field = form.getByLabel("Bot token", { exact: true });
  assert.deepEqual(
    [await field.getAttribute("type"), await field.getAttribute("autocomplete")],
    ["password", "new-password"],
  );
  const add = async (token: string): Promise<void> => {
    await field.fill(token);
    await form.getByRole("button", { name: "Add", exact: true }).click();
  };
  await add("hunter2");
  await saidAt(form, "Bot token", /This is not a bot token/);
  await hasFocus(field);
  await assertUsable(page, "slack-token-refused");
  await add("xoxb-unknown");
  await saidAt(form, "Bot token", /bot token is not valid/);
  slack.limit("auth.test", 1, 30);
  await add(slack.token);
  await form.getByRole("alert").getByText("Slack is rate limiting").waitFor();
  await add(` ${slack.token} `);
  await form.waitFor({ state: "hidden" });
  await about(page, "Acme")
    .getByText(/^Added with a bot token/)
    .waitFor();
  assert.deepEqual(await teamsOf(set), ["Acme"]);
  assert.equal((await page.content()).includes(slack.token), false);
  await page.getByText("With one workspace").waitFor();
  await about(page, "Acme").getByText("slack:#approvals", { exact: true }).waitFor();

  // One that was there before is told apart, nothing is there twice, and what was tried out before counts no more.
  await page.getByRole("button", { name: "Send a test message in Acme" }).click();
  await page.getByRole("form").getByRole("button", { name: "Send" }).click();
  await page.getByText("Not sent to ada@example.com").waitFor();
  await adds.click();
  await add(slack.token);
  await form.waitFor({ state: "hidden" });
  await about(page, "Acme")
    .getByText(/, and again /)
    .waitFor();
  await hasCount(page.getByText("Not sent to ada@example.com"), 0);
  assert.deepEqual(await teamsOf(set), ["Acme"]);
});

testInBrowser("from the first step to a message that arrives, by keyboard alone", async (open, t) => {
  const set = await stage(t);
  const { service, slack } = set;
  const dana = slack.addUser({ name: "Dana Field", email: "dana@example.com" });
  const page = await visit(open, service, SETTINGS);
  const { keyboard } = page;
  await page.getByRole("heading", { name: "The app is not installed in a workspace yet" }).waitFor();
  const tabTo = async (target: Locator): Promise<void> => {
    for (let turn = 0; turn < 40 && !(await isFocused(target)); turn++) await keyboard.press("Tab");
    assert.equal(await isFocused(target), true);
  };
  await page.locator("main").focus();
  const summary = step(page, "Create the app in Slack").locator("summary");
  await tabTo(summary);
  await keyboard.press("Enter");
  const http = page.getByRole("radio", { name: /^HTTP requests from Slack/ });
  await tabTo(http);
  assert.equal(await http.isChecked(), true, "as the service is set");
  await keyboard.press("ArrowDown");
  await page.getByText('"socket_mode_enabled": true').waitFor();
  await page.getByRole("heading", { name: "Set environment variables" }).waitFor();
  await step(page, "Set environment variables").getByText("SERVICE_SLACK_APP_TOKEN").waitFor();
  const adds = page.getByRole("button", { name: "Add a bot token" });
  await tabTo(adds);
  await keyboard.press("Enter");
  await page.locator("[role='dialog']:focus-within").waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  // Where the dialog was opened.
  await hasFocus(adds);
  await keyboard.press("Enter");
  const field = page.getByRole("dialog").getByLabel("Bot token", { exact: true });
  await field.waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "bot_token");
  await keyboard.type(slack.token);
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  const test = page.getByRole("button", { name: "Send a test message in Acme" });
  await test.waitFor();
  // What opened the dialog is gone, so the page has the focus.
  await hasFocus(page.locator("main"));
  await tabTo(test);
  await keyboard.press("Enter");
  const form = page.getByRole("form", { name: "Test message in Acme" });
  const to = form.getByLabel("To", { exact: true });
  await hasFocus(to);
  assert.equal(await to.inputValue(), "ada@example.com", "unless another is typed");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("dana@example.com");
  await keyboard.press("Enter");
  await page.getByRole("status").getByText("Sent to dana@example.com.").waitFor();
  assert.equal(slack.posts.length, 1);
  assert.equal(slack.posts[0]!.channel, `D${dana.id.slice(1)}`);
  assert.match(said(slack.posts[0]!), /This is a test/);
  await assertUsable(page, "slack-sent");
});

testInBrowser("a test message that is refused says why and what helps, and it stays in sight", async (open, t) => {
  const set = await stage(t, { env: withToken });
  const { service, slack } = set;
  slack.addChannel({ name: "approvals" });
  slack.addChannel({ name: "attic", archived: true });
  const page = await visit(open, service, SETTINGS, { expected: [/status of (404|422)/] });
  await page.getByRole("button", { name: "Send a test message in Acme" }).click();
  const form = page.getByRole("form", { name: "Test message in Acme" });
  const send = async (to: string): Promise<void> => {
    await form.getByLabel("To", { exact: true }).fill(to);
    await form.getByRole("button", { name: "Send" }).click();
  };
  const alert = form.getByRole("alert");
  await send("#nowhere");
  await alert.getByText("Not sent to #nowhere: Channel not found").waitFor();
  await alert.getByText("In a private channel, type /invite").waitFor();
  assert.doesNotMatch(await alert.innerText(), /channel_not_found/);
  await assertUsable(page, "slack-test-refused");
  await send("#approvals");
  await page.getByRole("status").getByText("Sent to #approvals.").waitFor();
  await hasCount(alert, 0);
  await send("nobody in particular");
  await saidAt(form, "To", /Must be #name/);
  for (const [to, error, says] of [
    ["#attic", null, "The channel is archived."],
    ["nobody@example.com", null, "Check the email in their Slack profile"],
    ["@nobody", null, "“Copy member ID”"],
    ["#approvals", "not_in_channel", "chat:write.public, for all public channels"],
    ["#approvals", "missing_scope", "Reinstall the app in Slack, set SERVICE_SLACK_BOT_TOKEN"],
    ["#approvals", "invalid_auth", "Reinstall the app in Slack, set SERVICE_SLACK_BOT_TOKEN"],
    ["#approvals", "something_new", 'Slack returned "something_new".'],
  ] as const) {
    if (error !== null) slack.refuse("chat.postMessage", 1, error);
    await send(to);
    await alert.getByText(says).waitFor();
  }
  slack.limit("chat.postMessage", 1, 30);
  await send("#approvals");
  await alert.getByText("Try again in a minute.").waitFor();
  assert.equal(slack.posts.length, 1);
});

testInBrowser("a workspace is removed after a question that says what it means", async (open, t) => {
  const set = await stage(t);
  const { service, slack } = set;
  const globex = slack.addTeam("Globex");
  await connect(set, slack);
  await connect(set, globex);
  const page = await visit(open, service, SETTINGS);
  await page.getByText("With several workspaces").waitFor();
  await page.getByRole("button", { name: "Remove Globex" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Globex?" });
  await dialog.getByText(`slack+${globex.team.id}:`).waitFor();
  await dialog.getByText("Tasks are no longer posted there").waitFor();
  await dialog.getByText("until someone removes it in Slack").waitFor();
  await hasFocus(dialog.getByRole("button", { name: "Cancel" }));
  await screenshot(page, "operate-slack-remove");
  await confirm(page, "Remove Globex?", "Remove workspace");
  await about(page, "Globex").waitFor({ state: "detached" });
  await page.getByText("With one workspace").waitFor();
  assert.deepEqual(await teamsOf(set), ["Acme"]);
  await page.getByRole("button", { name: "Remove Acme" }).click();
  await confirm(page, "Remove Acme?", "Remove workspace");
  await page.getByRole("heading", { name: "The app is not installed in a workspace yet" }).waitFor();
});

testInBrowser(
  "with several workspaces, the page says how each is named, and each is tried out by itself",
  async (open, t) => {
    const set = await stage(t, { env: withToken });
    const { service, slack } = set;
    const globex = slack.addTeam("Globex");
    for (const team of [slack, globex]) team.addChannel({ name: "approvals" });
    await connect(set, globex);
    const page = await visit(open, service, SETTINGS);
    await page.getByText("Without an id, as in slack:#approvals, nothing is posted.").waitFor();
    for (const [name, { team }] of [
      ["Acme", slack],
      ["Globex", globex],
    ] as const)
      await about(page, name).getByText(`slack+${team.id}:#approvals`, { exact: true }).waitFor();
    await about(page, "Acme").getByText("SERVICE_SLACK_BOT_TOKEN").waitFor();
    assert.deepEqual(await about(page, "Acme").getByRole("button").allInnerTexts(), ["Send a test message"]);
    assert.deepEqual(await about(page, "Globex").getByRole("button").allInnerTexts(), [
      "Send a test message",
      "Remove",
    ]);
    await page.getByRole("button", { name: "Send a test message in Globex" }).click();
    const form = page.getByRole("form", { name: "Test message in Globex" });
    await form.getByLabel("To", { exact: true }).fill("#approvals");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByRole("status").getByText("Sent to #approvals.").waitFor();
    assert.deepEqual([slack.posts.length, globex.posts.length], [0, 1]);
    await page.getByText("Setup", { exact: true }).click();
    for (const done of ["Create the app in Slack", "Set environment variables", "Connect a workspace"])
      await isFolded(step(page, done));
    await assertUsable(page, "slack-several");
  },
);

testInBrowser("what a workspace does not let the app do is said, with what helps", async (open, t) => {
  const set = await stage(t, {
    env: (slack) => ({ ...installable(slack), ...withToken(slack) }),
    scopes: SCOPES.slice(0, 4),
  });
  publish(set);
  const { service, slack } = set;
  await connect(set, slack.addTeam("Globex"));
  const page = await visit(open, service, SETTINGS, {
    origins: [slack.url, slack.url.replace("127.0.0.1", "localhost")],
  });
  await about(page, "Acme").getByText("set SERVICE_SLACK_BOT_TOKEN to the new token").waitFor();
  const globex = about(page, "Globex");
  await globex.getByText(/^users:read\.email: without it, people can't be found by email/).waitFor();
  await globex.getByText("“Bot Token Scopes”").waitFor();
  await assertUsable(page, "slack-missing-scopes");
  // Allowed at Slack, it has all of them.
  await page.getByRole("link", { name: "Add to Slack" }).click();
  await page.getByLabel("Workspace").selectOption("Globex");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("status").getByText("Globex is connected.").waitFor();
  await hasCount(globex.getByText("users:read.email"), 0);
  await about(page, "Acme").getByText("users:read.email").waitFor();

  slack.uninstall();
  await page.reload();
  const gone = about(page, "Workspace of SERVICE_SLACK_BOT_TOKEN");
  await gone.getByText("Can't post there: The bot token was revoked.").waitFor();
  await gone.getByText("restart the service").waitFor();
  assert.doesNotMatch(await gone.innerText(), /token_revoked/);
  await assertUsable(page, "slack-revoked");
  slack.refuse("auth.test", 1, "internal_error");
  await gone.getByRole("button", { name: "Check again" }).click();
  await gone.getByText('Slack returned "internal_error".').waitFor();
});

testInBrowser(
  "opened elsewhere than at the public address, the page says where the app can be added",
  async (open, t) => {
    const { service } = await stage(t, {
      env: (slack) => ({ ...installable(slack), SERVICE_PUBLIC_URL: "https://tasks.example.com" }),
    });
    const page = await visit(open, service, SETTINGS);
    const link = page.getByRole("link", { name: "https://tasks.example.com/settings/slack" });
    assert.equal(await link.getAttribute("href"), "https://tasks.example.com/settings/slack");
    await hasCount(page.getByRole("link", { name: "Add to Slack" }), 0);
    await hasCount(page.getByText("Slack needs an https address"), 0);
    await page.getByRole("button", { name: "Add a bot token" }).waitFor();
    await step(page, "Create the app in Slack").locator("summary").click();
    await page.getByText("https://tasks.example.com/api/channels/slack/interactions").waitFor();
    await assertUsable(page, "slack-elsewhere");
  },
);

testInBrowser(
  "over Socket Mode no public address is missed, and the setup steps are those of Socket Mode",
  async (open, t) => {
    const { service, slack } = await stage(t, {
      env: ({ appToken, token }) => ({ SERVICE_SLACK_APP_TOKEN: appToken, SERVICE_SLACK_BOT_TOKEN: token }),
    });
    const page = await visit(open, service, SETTINGS);
    await about(page, "Acme").waitFor();
    await hasCount(page.getByText("Slack needs an https address"), 0);
    await page.getByText("Setup", { exact: true }).click();
    await step(page, "Create the app in Slack").locator("summary").click();
    assert.equal(await page.getByRole("radio", { name: /^Socket Mode/ }).isChecked(), true);
    await step(page, "Set environment variables").locator("summary").click();
    await page.getByText("Set: SERVICE_SLACK_APP_TOKEN").waitFor();
    await page.getByText("SERVICE_SLACK_CLIENT_SECRET").waitFor();
    await hasCount(page.getByText("SERVICE_SLACK_SIGNING_SECRET"), 0);
    await screenshot(page, "operate-slack-socket");
    assert.deepEqual(slack.failures, []);
  },
);

testInBrowser("a task that Slack was not told of leads to the settings, where they would help", async (open, t) => {
  const { service, slack } = await stage(t, { env: withToken });
  const page = await visit(open, service, "/inbox");
  const failed = async (notify: string): Promise<Locator> => {
    const { id } = await createTask(service, "Publish the notes", { notify: [notify] });
    await page.goto(`${service.url}/tasks/${id}`);
    const untold = page.getByRole("region", { name: "Failed notifications" });
    await untold.getByText("Couldn't notify").waitFor();
    return untold;
  };
  // They would not help.
  await hasCount((await failed("slack:#nowhere")).getByRole("link"), 0);
  await (await failed("slack+T0OTHER:#approvals")).getByRole("link", { name: "Slack settings" }).waitFor();
  slack.uninstall();
  const untold = await failed("slack:#approvals");
  await hasCount(untold.getByRole("link", { name: "Email settings" }), 0);
  await untold.getByRole("link", { name: "Slack settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Slack" }).waitFor();
  await page.getByText("The bot token was revoked.").waitFor();

  // The same word means other settings, by the way that somebody was to be told.
  for (const [channel, to, leads] of [
    ["slack", "#approvals", "Slack settings"],
    ["email", "dana@example.com", "Email settings"],
  ] as const) {
    const { id } = await createTask(service, "Publish the notes", { notify: [`${channel}:${to}`] });
    await page.goto(`${service.url}/tasks/${id}`);
    const untold = page.getByRole("region", { name: "Failed notifications" });
    await untold.waitFor();
    const error = "sealed: It was sealed with another key.";
    await service.ctx.db.write((tx) => recordNotification(tx, id, { channel, to, purpose: "decision", error }));
    await untold.getByText("It was sealed with another key.").waitFor();
    assert.deepEqual(await untold.getByRole("link").allInnerTexts(), [leads]);
  }
});

testInBrowser("workspaces are for operators, and what cannot be loaded says why", async (open, t) => {
  const set = await stage(t);
  const { service } = set;
  await addAssignee(service, "dana@example.com");
  const page = await open();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await signIn(page, service, "dana@example.com", SETTINGS);
  await page.getByRole("heading", { name: "Only operators can see this page" }).waitFor();
  assert.deepEqual(
    asked.filter((path) => path.startsWith(AT)),
    [],
  );

  const hers = await open({ expected: [/status of 429/] });
  let down = /channels\/slack\/installations$/;
  const body = JSON.stringify({ error_code: "RATE_LIMITED", message: "Too many." });
  await hers.route(/\/api\/(settings|channels\/slack\/)/, (route) =>
    down.test(new URL(route.request().url()).pathname)
      ? route.fulfill({ status: 429, contentType: "application/json", body })
      : route.continue(),
  );
  await signIn(hers, service, "ada@example.com", SETTINGS);
  await hers.getByRole("heading", { name: "Could not load the workspaces" }).waitFor();
  await hers.getByText("Too many. (RATE_LIMITED)").waitFor();
  down = /manifest$/;
  await hers.getByRole("button", { name: "Try again" }).click();
  await step(hers, "Create the app in Slack").locator("summary").click();
  await hers.getByRole("heading", { name: "Could not load the manifest" }).waitFor();
  down = /nothing/;
  await hers.getByRole("button", { name: "Try again" }).click();
  await hers.getByText('"display_information"').waitFor();
  down = /settings$/;
  await hers.reload();
  await hers.getByRole("heading", { name: "Could not load the settings" }).waitFor();
  down = /nothing/;
  await hers.getByRole("button", { name: "Try again" }).click();
  await hers.getByRole("heading", { name: "The app is not installed in a workspace yet" }).waitFor();
});

for (const theme of ["light", "dark"] as const)
  for (const size of ["narrow", "phone", "wide"] as const)
    testInBrowser(`everybody can use the workspaces and their setup: ${theme}, ${size}`, async (open, t) => {
      const nothing = await serve(t);
      await addOperator(nothing, "ada@example.com");
      const before = await visit(open, nothing, SETTINGS, { theme, size });
      await before.getByRole("radio", { name: /^HTTP requests from Slack/ }).click();
      await before.getByText("Slack needs an https address").waitFor();
      await before.getByText('"socket_mode_enabled": false').waitFor();
      await assertUsable(before, `slack-none-${theme}-${size}`);

      const set = await stage(t, {
        env: (slack) => ({ ...installable(slack), ...withToken(slack) }),
        scopes: SCOPES.slice(1),
      });
      publish(set);
      const { service, slack } = set;
      await connect(set, slack.addTeam("A-workspace-with-quite-a-long-name-in-one-word-as-companies-have-them"));
      const page = await visit(open, service, SETTINGS, { theme, size });
      await page.getByRole("button", { name: "Send a test message in Acme" }).click();
      await page.getByRole("form").getByLabel("To", { exact: true }).fill("#nowhere");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("Not sent to #nowhere").waitFor();
      await page.getByText("Setup", { exact: true }).click();
      await step(page, "Create the app in Slack").locator("summary").click();
      await page.getByText('"display_information"').waitFor();
      await step(page, "Set environment variables").locator("summary").click();
      await assertUsable(page, `slack-${theme}-${size}`);
      await page.getByRole("button", { name: "Add a bot token" }).click();
      const form = page.getByRole("dialog", { name: "Add a bot token" });
      await form.getByLabel("Bot token", { exact: true }).waitFor();
      await assertUsable(page, `slack-token-${theme}-${size}`);
      assert.equal(await form.evaluate((one) => one.scrollWidth <= one.clientWidth), true);
    });
