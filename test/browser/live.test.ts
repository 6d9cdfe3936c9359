import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { testInBrowser } from "./support/browser.ts";
import { signIn } from "./support/sign-in.ts";
import { addOperator, createTask, PASSWORD, serve, type Service } from "../support/dashboard.ts";

const ADA = "ada@example.com";
/** The event by which a page hears that its session has ended. */
const SIGNED_OUT = "signed-out";

/** Opens streams with the session of a page, as its other tabs do. They end with the test. */
async function openStreams(service: Service, page: Page, count: number): Promise<void> {
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  for (let i = 0; i < count; i++) await fetch(`${service.url}/api/events`, { headers: { cookie } });
}

function countStreams(page: Page): () => number {
  let opened = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/events")) opened++;
  });
  return () => opened;
}

testInBrowser("a page whose stream was replaced polls quietly, until somebody looks at it", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open();
  await page.clock.install();
  const opened = countStreams(page);
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  assert.equal(opened(), 1);
  const ended = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/api/events"));
  await openStreams(service, page, 20);
  await ended;

  await createTask(service, "While it was away");
  await page.clock.fastForward(16_000);
  await page.getByRole("link", { name: /^While it was away/ }).waitFor();
  assert.equal(await page.getByText("Reconnecting").count(), 0);
  assert.equal(opened(), 1);

  const reopened = page.waitForResponse((response) => response.url().endsWith("/api/events"));
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  assert.equal((await reopened).status(), 200);
  await createTask(service, "While it is here");
  await page.getByRole("link", { name: /^While it is here/ }).waitFor();
});

testInBrowser("somebody who signs in again over the page gets events again", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 401/] });
  await page.clock.install();
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  const refused = page.waitForResponse(
    (response) => response.url().endsWith("/api/events") && response.status() === 401,
  );
  // As another tab does.
  await page.context().request.post(`${service.url}/api/auth/logout`, { headers: { origin: service.url } });
  await refused;
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.getByLabel(/Password/).fill(PASSWORD);
  const reopened = page.waitForResponse((response) => response.url().endsWith("/api/events"));
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  assert.equal((await reopened).status(), 200);
  await dialog.waitFor({ state: "detached" });
  await createTask(service, "After it");
  await page.getByRole("link", { name: /^After it/ }).waitFor();
});

testInBrowser("an answer about the session before does not ask a person who has signed in again", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 401/] });
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  await page.context().request.post(`${service.url}/api/auth/logout`, { headers: { origin: service.url } });
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.getByLabel(/Password/).fill(PASSWORD);
  const [isHeld, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = async (route: Route) => {
    const response = await route.fetch();
    isHeld.resolve();
    await mayGo.promise;
    await route.fulfill({ response });
  };
  await page.route("**/api/auth/me", held, { times: 1 });
  // As any other request does that is refused.
  await page.evaluate((name) => dispatchEvent(new Event(name)), SIGNED_OUT);
  await isHeld.promise;
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const told = page.waitForResponse((response) => response.url().endsWith("/api/auth/me"));
  mayGo.resolve();
  await (await told).finished();
  await createTask(service, "After it");
  await page.getByRole("link", { name: /^After it/ }).click();
  await page.getByRole("heading", { name: "After it" }).waitFor();
  assert.equal(await dialog.count(), 0);
});

testInBrowser("a page connects again after an answer that is no stream", async (open, t) => {
  const service = await serve(t);
  await addOperator(service, ADA);
  const page = await open({ expected: [/status of 502/] });
  await page.clock.install();
  await page.route("**/api/events", (route) => route.fulfill({ status: 502 }), { times: 1 });
  await signIn(page, service, ADA);
  await page.getByRole("heading", { name: "No tasks yet" }).waitFor();
  const reopened = page.waitForResponse((response) => response.url().endsWith("/api/events"));
  await page.clock.fastForward(16_000);
  assert.equal((await reopened).status(), 200);
});
