import assert from "node:assert/strict";
import type { Page, Worker } from "playwright-core";
import { axe, screenshot, testInBrowser, type Open } from "./support/browser.ts";
import { addAssignee, addOperator, createTask, serve, type Service } from "../support/dashboard.ts";
import { startPushService, type PushService } from "../support/push-service.ts";
import { signIn } from "./support/sign-in.ts";

const PART = "/settings/notifications";
const DANA = "dana@example.com";

/**
 * Lets a page subscribe at a push service of the test: that of the browser's vendor cannot be reached from here. Everything else is
 * the browser's own.
 */
async function withPushService(page: Page, pushes: PushService): Promise<void> {
  await page.exposeFunction("subscribeThere", (key: string) => pushes.subscribe(key));
  await page.addInitScript(() => {
    const { subscribeThere } = globalThis as unknown as {
      subscribeThere: (key: string) => Promise<{ endpoint: string }>;
    };
    let known: object | null = JSON.parse(localStorage.getItem("its subscription") ?? "null") as object | null;
    const withMethods = (one: object | null) =>
      one && {
        ...one,
        unsubscribe: async () => {
          known = null;
          localStorage.removeItem("its subscription");
          return true;
        },
      };
    // Chromium without a window refuses notifications, whatever it is granted.
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
    Object.assign(PushManager.prototype, {
      getSubscription: async () => withMethods(known),
      subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
        known = await subscribeThere(applicationServerKey);
        localStorage.setItem("its subscription", JSON.stringify(known));
        return withMethods(known);
      },
    });
  });
}

/** The browser calls its worker, as it does when its push service has something for it. */
async function deliver(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registrationId = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId: await registrationId, data: "" });
  await session.detach();
}

interface Shown {
  title: string;
  body: string;
  data: { path: string };
}

/** In place of the system that shows notifications, and of the vendor's push service. */
interface Watched {
  registration: {
    pushManager: { getSubscription: () => Promise<object> };
    showNotification: (title: string, options: Omit<Shown, "title">) => Promise<void>;
  };
  shown: Shown[];
  isShown?: () => void;
}

async function watch(worker: Worker, subscription: object): Promise<void> {
  await worker.evaluate((known) => {
    const self = globalThis as unknown as Watched;
    self.shown = [];
    self.registration.pushManager.getSubscription = async () => known;
    self.registration.showNotification = async (title, { body, data }) => {
      self.shown.push({ title, body, data });
      self.isShown?.();
    };
  }, subscription);
}

/** Waits for the next notification that the worker shows. */
async function shown(worker: Worker): Promise<Shown> {
  return worker.evaluate(async () => {
    const self = globalThis as unknown as Watched;
    if (self.shown.length === 0) await new Promise<void>((resolve) => (self.isShown = resolve));
    return self.shown.shift()!;
  });
}

async function start(open: Open, service: Service, pushes: PushService): Promise<Page> {
  // What the page still asks while it signs out is refused.
  const page = await open({ expected: [/status of 401/] });
  await withPushService(page, pushes);
  await page.context().grantPermissions(["notifications"], { origin: service.url });
  await signIn(page, service, DANA, PART);
  return page;
}

testInBrowser(
  "a person turns notifications on, and their browser says what waits until they sign out",
  async (open, t) => {
    const pushes = await startPushService(t);
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    await addAssignee(service, DANA);
    const page = await start(open, service, pushes);
    const workerStarted = page.context().waitForEvent("serviceworker");
    await page.getByRole("switch", { name: "Notify me in this browser" }).click();
    const test = page.getByRole("button", { name: "Send a test" });
    await test.click();
    const worker = await workerStarted;
    await page.waitForFunction(() => document.querySelector("button[data-loading]") === null);
    assert.deepEqual([pushes.pushed.length, pushes.refused], [1, []]);
    await watch(worker, pushes.known()!);
    await deliver(page, service.url);
    assert.deepEqual(await shown(worker), {
      title: "Notifications work in this browser",
      body: "You are all caught up.",
      data: { path: "/inbox" },
    });
    await axe(page);
    await screenshot(page, "settings-notifications-on");

    pushes.fail(503);
    await test.click();
    await page.getByText("The last notification could not be sent. The receiver answered 503.").waitFor();
    pushes.fail(null);

    const task = await createTask(service, "Approve the refund of Dana?", { assign_to: { email: DANA } });
    while (pushes.pushed.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    await deliver(page, service.url);
    const notice = await shown(worker);
    assert.deepEqual(notice, {
      title: "Approve the refund of Dana?",
      body: "1 task waits for you.",
      data: { path: `/tasks/${task.id}` },
    });
    // A click on it, with a page that is open.
    await page.goto(`${service.url}/inbox`);
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await worker.evaluate(async (path) => {
      const { clients } = globalThis as unknown as {
        clients: { matchAll: () => Promise<{ postMessage(to: object): void }[]> };
      };
      for (const client of await clients.matchAll()) client.postMessage({ open: path });
    }, notice.data.path);
    await page.waitForURL(`**/tasks/${task.id}`);

    await page.getByRole("button", { name: "dana", exact: true }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/login");
    const { endpoint } = pushes.known()!;
    const left = await service.ctx.db.query.selectFrom("push_subscriptions").select("endpoint").execute();
    assert.deepEqual([left, typeof endpoint], [[], "string"]);
  },
);

testInBrowser("quiet hours, projects and a digest are chosen, and a browser that refuses says so", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, "ada@example.com");
  await service.call("POST", "/api/projects", { name: "Finance", slug: "finance" });
  const page = await open({ timeZone: "Europe/Berlin" });
  await signIn(page, service, "ada@example.com", PART);
  await page.getByText("This browser blocks notifications of this page.").waitFor();
  await page.getByText("This service cannot send email yet.").waitFor();
  const quiet = page.getByRole("form", { name: "Quiet hours" });
  await quiet.getByRole("switch").click();
  await quiet.getByLabel("From").fill("22:00");
  await quiet.getByLabel("Until").fill("07:30");
  await quiet.getByRole("button", { name: "Save quiet hours" }).click();
  await page.getByText("Quiet hours saved").waitFor();
  await page.getByRole("checkbox", { name: "Finance" }).click();
  await page.getByText("Projects saved").waitFor();
  const digest = page.getByRole("form", { name: "Email digest" });
  await digest.getByText("Every day").click();
  await digest.getByLabel("At").fill("09:15");
  await digest.getByRole("button", { name: "Save digest" }).click();
  await page.getByText("Digest saved").waitFor();
  await axe(page);
  await screenshot(page, "settings-notifications");
  await page.reload();
  await quiet.waitFor();
  assert.equal(await quiet.getByLabel("Until").inputValue(), "07:30");
  assert.equal(await page.getByRole("checkbox", { name: "Finance" }).isChecked(), false);
  assert.equal(await digest.getByLabel("At").inputValue(), "09:15");
  const [ada] = await service.ctx.db.query.selectFrom("users").select("time_zone").execute();
  assert.equal(ada?.time_zone, "Europe/Berlin");
});
