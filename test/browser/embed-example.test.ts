import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createShop } from "../../examples/embed-host/server.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { serve, TOKEN, type Service } from "../support/dashboard.ts";
import { EMBED_SECRET } from "../support/embed.ts";
import { freePort } from "../support/free-port.ts";
import { PAYLOAD_KEY, WEBHOOK_KEY } from "../support/service.ts";

async function listening(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** The shop of the example and a service, on two origins. */
async function withShop(t: TestContext): Promise<Service & { shop: string }> {
  const port = await freePort();
  const settings = {
    serviceUrl: `http://127.0.0.1:${port}`,
    agentToken: TOKEN,
    serviceKey: "",
    webhookKey: WEBHOOK_KEY,
    origin: "",
  };
  const server = await listening(createShop(settings));
  t.after(() => server.close().closeAllConnections());
  settings.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const service = await serve(t, {
    SERVICE_PORT: String(port),
    SERVICE_PUBLIC_URL: settings.serviceUrl,
    SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    SERVICE_EMBED_SIGNING_SECRET: EMBED_SECRET,
    SERVICE_EMBED_PARENT_ORIGINS: settings.origin,
    SERVICE_CALLBACK_ALLOW_PRIVATE: "1",
  });
  settings.serviceKey = (await service.call<{ key: string }>("POST", "/api/service-keys", { name: "Shop" })).key;
  return { ...service, shop: settings.origin };
}

const formIn = (page: Page) => page.frameLocator("iframe");

testInBrowser(
  "the example: a shop shows a form, hears of the answer, and receives the signed callback",
  async (open, t) => {
    const service = await withShop(t);
    const page = await open({ origins: [service.url] });
    await page.goto(service.shop);
    await page.getByText(/The form of tsk_\w+ is loaded/).waitFor();
    const form = formIn(page);
    await form.getByRole("radio", { name: "Yes" }).check();
    await form.getByLabel("Note").fill("Sorry about that.");
    await axe(page);
    await screenshot(page, "embed-example");
    await form.getByRole("button", { name: "Submit answer" }).click();
    const response = JSON.stringify({ approved: true, note: "Sorry about that." });
    await page.getByText(`The page received: ${response}`).waitFor();
    await page.getByText(`Our server received: ${response}`).waitFor();
    await screenshot(page, "embed-example-done");
    await hasCount(page.locator("iframe"), 0);
    const [task] = await service.call<TaskRecord[]>("GET", "/api/tasks");
    assert.deepEqual([task!.status, task!.completed_via_channel], ["completed", "embed"]);
  },
);

testInBrowser("the example: a token that ends is renewed while somebody writes, without a reload", async (open, t) => {
  const service = await withShop(t);
  const page = await open({ origins: [service.url] });
  await page.clock.install();
  await page.goto(service.shop);
  const form = formIn(page);
  await form.getByRole("radio", { name: "No" }).check();
  await form.getByLabel("Note").fill("It was worn.");
  const renewed = page.waitForResponse("**/embed-url");
  await page.clock.fastForward("05:10");
  await renewed;
  await form.locator("#expired").waitFor({ state: "hidden" });
  assert.equal(await form.getByLabel("Note").inputValue(), "It was worn.");
  await hasCount(page.getByText("INVALID_EMBED_TOKEN"), 0);
  await form.getByRole("button", { name: "Submit answer" }).click();
  await page.getByText(/Our server received: .*"It was worn\."/).waitFor();
});

testInBrowser("the example: what does not come from the form of this page is not heard", async (open, t) => {
  const service = await withShop(t);
  const page = await open({ origins: [service.url] });
  await page.goto(service.shop);
  await page.getByText(/The form of tsk_\w+ is loaded/).waitFor();
  const size = () => page.locator("iframe[title]").evaluate((frame) => frame.style.height);
  const before = await size();
  const forged = {
    source: "service",
    type: "task.completed",
    payload: { taskId: "x", response: { approved: "forged" } },
  };
  await page.evaluate(async (message) => {
    const bigger = { source: "service", type: "resize", payload: { height: 9999 } };
    // From the page itself.
    for (const one of [message, bigger]) postMessage(one, "*");
    // From another frame, and from another page in the form's own.
    for (const frame of [document.createElement("iframe"), document.querySelector("iframe")!]) {
      const heard = new Promise<void>((resolve) => {
        addEventListener("message", ({ source, data }) => {
          if (source === frame.contentWindow && (data as { type: string }).type === "resize") resolve();
        });
      });
      frame.srcdoc = `<script>for (const one of ${JSON.stringify([message, bigger])}) parent.postMessage(one, "*")</script>`;
      if (!frame.isConnected) document.body.append(frame);
      await heard;
    }
  }, forged);
  // From the form of another task, which is the service's as well.
  await page.evaluate(async () => {
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()) as { task_id: string; embed_url: string };
    };
    const { task_id } = await post("/tasks", {});
    const frame = document.createElement("iframe");
    frame.src = (await post("/embed-url", { task_id })).embed_url;
    const heard = new Promise<void>((resolve) => {
      addEventListener("message", ({ source, data }) => {
        if (source === frame.contentWindow && (data as { type: string }).type === "loaded") resolve();
      });
    });
    document.body.append(frame);
    await heard;
  });
  await hasCount(page.getByText(/is loaded\.$/), 1);
  await hasCount(page.getByText("forged"), 0);
  assert.equal(await size(), before);
});

testInBrowser("the example: a callback that the service has not signed is not believed", async (_open, t) => {
  const { shop } = await withShop(t);
  const body = JSON.stringify({ task_id: "tsk_1", status: "completed", response: { approved: true } });
  for (const signature of ["", "sha256=", `sha256=${"0".repeat(64)}`]) {
    const headers = { "content-type": "application/json", "x-service-signature": signature };
    const answer = await fetch(`${shop.replace("localhost", "127.0.0.1")}/callback`, { method: "POST", headers, body });
    assert.equal(answer.status, 401, signature);
  }
});

testInBrowser("the example: why no token was made is told where the form would be", async (open, t) => {
  const service = await withShop(t);
  const keys = await service.call<{ id: string }[]>("GET", "/api/service-keys");
  await fetch(`${service.url}/api/service-keys/${keys[0]!.id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const page = await open({ origins: [service.url], expected: [/status of 401/] });
  await page.goto(service.shop);
  await page.getByText("SERVICE_KEY_NOT_FOUND: The embed key is unknown or was revoked.").waitFor();
});
