import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { axe, testInBrowser } from "./support/browser.ts";
import { withEmbed, type Embedding } from "./support/embed-host.ts";
import { focused, tabTo, walk, walkDialog, walkMenus } from "./support/keyboard.ts";
import { signIn } from "./support/sign-in.ts";
import { inEachView } from "./support/views.ts";
import { addAgent, addOperator, createTask, serve } from "../support/dashboard.ts";
import { startReceiver } from "../support/receiver.ts";
import { startSmtp } from "../support/smtp.ts";

/** Every page is walked with the keyboard alone, and checked with axe. */

const ADA = "ada@example.com";
/** The stops of a page that are looked at: the frame around the pages, and what is new on each. */
const STOPS_LIGHT = 45;
const STOPS_MAX = {
  light: STOPS_LIGHT,
  // The order is the same: enough stops to see the ring.
  dark: 12,
} as const;

interface Stage {
  service: Embedding;
  /** The path of each page of the dashboard, with the heading or the text that says that it is there. */
  dashboard: readonly (readonly [path: string, text: string])[];
  mailPage: string;
  embedded: string;
}

/** A service in which every page has something to show. */
async function stage(t: TestContext): Promise<Stage> {
  const smtp = await startSmtp();
  t.after(() => smtp.close());
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const service = await withEmbed(t, {
    env: { SERVICE_EMAIL_FROM: "Desk <desk@example.com>", SERVICE_SMTP_URL: `smtp://${smtp.host}:${smtp.port}` },
  });
  await addOperator(service, ADA);
  const { asAgent } = await addAgent(service, "refunds-bot");
  await createTask(asAgent, "Publish the notes?");
  const { id: asked } = await createTask(service, "Approve the refund?", { notify: ["email:dana@example.com"] });
  await service.call("POST", "/api/connections", {
    name: "production",
    kind: "temporal",
    address: { url: "https://temporal.example.com", namespace: "default" },
  });
  await service.call("POST", "/api/event-subscriptions", {
    url: "https://events.example.com/hook",
    events: ["task.timed_out"],
  });
  const { id: closed } = await createTask(service, "Cancelled one", { callback_url: receiver.url });
  await service.call("POST", `/api/tasks/${closed}/cancel`);
  await receiver.until(1);
  await service.ctx.deliveries.settle();
  const [callback] = await service.call<{ id: string }[]>("GET", "/api/admin/webhook-deliveries");
  const { text = "" } = await smtp.to("dana@example.com");
  const link = /https?:\S+\/api\/channels\/email\/action\/[\w.-]+/.exec(text)?.[0];
  assert.ok(link, text);
  return {
    service,
    mailPage: service.url + new URL(link).pathname,
    embedded: await service.mint({ task_id: asked }),
    dashboard: [
      ["/inbox", "Publish the notes?"],
      [`/tasks/${asked}`, "Submit answer"],
      [`/tasks/${closed}`, "Cancelled one"],
      ["/batch", "No tasks are selected"],
      ["/stats", "Waiting now"],
      ["/deliveries", "Delivered"],
      ["/audit", "Export CSV"],
      [`/deliveries?id=${callback!.id}`, "Attempts"],
      ["/agents", "refunds-bot"],
      ["/users", "Add a person"],
      ["/groups", "All people"],
      ["/playground", "Send as test task"],
      ["/settings", "This browser"],
      ["/settings/sessions", "Where you are signed in"],
      ["/settings/notifications", "In your browser"],
      ["/settings/tokens", "Create a token"],
      ["/settings/status", "Public URL"],
      ["/settings/email", "Add a sender"],
      ["/settings/slack", "Create the app in Slack"],
      ["/settings/keys", "Create key"],
      ["/settings/embed", "Allowed origins"],
      ["/settings/escalation", "Built in"],
      ["/settings/hooks", "Connect Claude Code"],
      ["/settings/connections", "No secret is stored."],
      ["/settings/events", "Replace secret"],
      ["/settings/projects", "Create project"],
      ["/settings/security", "Network address"],
      ["/settings/quickstart", "Received"],
      ["/settings/about", "Licence"],
      ["/setup?step=2", "Try it"],
      ["/setup?step=3", "Connect your agent"],
      ["/no-such-page", "Page not found"],
      ["/settings/no-such-part", "Page not found"],
    ],
  };
}

const isThere = (page: Page, text: string): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

/** Walks through the page that is open in every view, and so loads it once. */
async function check(t: TestContext, page: Page, name: string, isWithAxe = true): Promise<void> {
  await inEachView(t, page, name, ["phone", "tablet", "wide"], async ({ theme, rules }) => {
    const { stops, problems } = await walk(page, STOPS_MAX[theme]);
    assert.deepEqual(problems, []);
    assert.ok(stops > 0, "it has no stops");
    if (isWithAxe) await axe(page, rules);
  });
}

testInBrowser("every page before somebody has signed in can be walked with the keyboard", async (open, t) => {
  const fresh = await serve(t);
  const page = await open({ size: "phone", expected: [/status of 404/] });
  await page.goto(`${fresh.url}/setup`);
  await isThere(page, "Welcome. Who are you?");
  await check(t, page, "/setup");
  await addOperator(fresh, ADA);
  await page.goto(`${fresh.url}/login`);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await check(t, page, "/login");
  for (const [path, text] of [
    ["/docs/troubleshooting", "Troubleshooting"],
    ["/api/redoc", "API reference"],
    ["/foo/bar", "Page not found"],
    ["/api/docs", "Create a task"],
  ] as const) {
    await page.goto(fresh.url + path);
    await isThere(page, text);
    // The pages of the API are long, and their own test checks them with axe (api-docs.test.ts).
    await check(t, page, path, !path.startsWith("/api/"));
  }
});

testInBrowser("every page with a form can be walked with the keyboard", async (open, t) => {
  const { service, mailPage, embedded } = await stage(t);
  const mail = await open({ size: "phone" });
  await mail.goto(mailPage);
  await mail.getByRole("heading", { level: 1, name: "Approve the refund?" }).waitFor();
  await check(t, mail, "the mail page");
  const host = await open({ size: "phone", origins: [service.url] });
  const frame = await service.show(host, embedded);
  await frame.getByRole("button", { name: "Submit answer" }).waitFor();
  await check(t, host, "the page with the embedded form");
});

/** Several tests, because one that walks through all pages would take longer than a test may. */
const PARTS = 3;
for (let part = 0; part < PARTS; part++)
  testInBrowser(
    `every page of the dashboard can be walked with the keyboard: part ${part + 1} of ${PARTS}`,
    async (open, t) => {
      const { service, dashboard } = await stage(t);
      const page = await open({ size: "phone", expected: [/status of 404/] });
      await signIn(page, service, ADA);
      for (const [path, text] of dashboard.filter((_, i) => i % PARTS === part)) {
        await page.goto(service.url + path);
        await isThere(page, text);
        await check(t, page, text);
        if (path !== dashboard[1]![0]) continue;
        // The other views of a task have no address.
        for (const view of ["Activity", "Raw"]) {
          await page.getByRole("tab", { name: view }).focus();
          await page.keyboard.press("Enter");
          await page.getByRole("tabpanel", { name: view }).waitFor();
          await check(t, page, view);
        }
      }
    },
  );

for (const size of ["phone", "tablet", "wide"] as const)
  testInBrowser(`menus and dialogs open, close and give the focus back: ${size}`, async (open, t) => {
    const { service, dashboard } = await stage(t);
    const page = await open({ size });
    await signIn(page, service, ADA);
    for (const path of ["/inbox", dashboard[1]![0], dashboard[2]![0], "/playground"]) {
      await page.goto(service.url + path);
      await isThere(page, dashboard.find(([known]) => known === path)![1]);
      assert.ok((await walkMenus(page)) > 0, path);
    }
    for (const [path, ...openers] of [
      [
        "/agents",
        "Add an agent",
        "Edit refunds-bot",
        "Stop refunds-bot",
        "New token for refunds-bot",
        "Revoke hts_agent_",
      ],
      ["/users", "Add a person", "Edit ada"],
      ["/settings/email", "Add a sender"],
      ["/settings/escalation", "Add a template", "Edit standard"],
      ["/settings/hooks", "Add a rule", "Edit: rule 1"],
      ["/settings/keys", "Revoke Shop"],
      ["/settings/connections", "Add a connection", "Edit production", "Delete production"],
      ["/settings/events", "Add a subscription", "Replace secret https", "Turn off https"],
      ["/deliveries", "127.0.0.1"],
    ] as const) {
      await page.goto(service.url + path);
      await isThere(page, dashboard.find(([known]) => known === path)![1]);
      for (const opener of openers)
        assert.deepEqual(await walkDialog(page, opener, STOPS_LIGHT), [], `${path} ${opener}`);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await tabTo(page, "All kinds");
    assert.equal(await focused(page), "All kinds");
  });
