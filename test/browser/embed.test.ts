import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import type { AuditEntryRecord, TaskRecord } from "../../src/tasks/schema.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";
import { startReceiver } from "../support/receiver.ts";
import { startVendors } from "../support/vendors.ts";
import { createTask, TOKEN, type Service } from "../support/dashboard.ts";
import { axeInside, heard, hears, openForm, showAt, startHost, withEmbed, type Heard } from "./support/embed-host.ts";

const submit = (frame: Frame) => frame.getByRole("button", { name: "Submit answer" }).click();

/** As somebody who approves, and says why. */
async function fillIn(frame: Frame, note = "The parcel was open."): Promise<void> {
  await frame.getByRole("radio", { name: "Yes" }).check();
  await frame.getByLabel("Note").fill(note);
}

/** What was entered is still there. */
async function assertKept(frame: Frame, note = "The parcel was open."): Promise<void> {
  assert.equal(await frame.getByRole("radio", { name: "Yes" }).isChecked(), true);
  assert.equal(await frame.getByLabel("Note").inputValue(), note);
}

async function remove({ url }: Service, path: string): Promise<void> {
  const response = await fetch(url + path, { method: "DELETE", headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(response.status, 204);
}

/** The frame shows everything: nothing in it scrolls. */
async function fits(page: Page, frame: Frame): Promise<void> {
  await page.waitForFunction(
    (inside) => document.querySelector("iframe")!.clientHeight === inside,
    await frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height)),
  );
  assert.deepEqual(
    await frame.evaluate(() => {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.documentElement;
      return [scrollHeight - clientHeight, scrollWidth - clientWidth];
    }),
    [0, 0],
  );
}

testInBrowser("a product's page hears what happens in its form, from loading to the answer", async (open, t) => {
  const service = await withEmbed(t);
  const page = await open({ origins: [service.url] });
  const { id, frame } = await openForm(service, page);
  assert.equal(await page.evaluate(() => document.activeElement?.localName), "body", "the frame takes no focus");
  assert.equal(await frame.evaluate(() => document.activeElement?.localName), "body");
  assert.deepEqual(await frame.evaluate(() => [location.hash, location.search]), ["", `?id=${id}`]);
  await fits(page, frame);
  await axe(page);
  await axeInside(page, frame);
  await screenshot(page, "embed-open");
  // Narrower, and as high as before.
  await page.setViewportSize({ width: 1400, height: 900 });
  await fillIn(frame);
  await submit(frame);
  await frame.getByRole("heading", { name: "Submitted" }).waitFor();
  const completed = await hears(page, "task.completed");
  await fits(page, frame);
  await screenshot(page, "embed-submitted");

  const task = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  const response = { approved: true, note: "The parcel was open." };
  assert.deepEqual(task.response, response);
  assert.deepEqual([task.completed_via_channel, task.completed_by_email], ["embed", null]);
  assert.deepEqual(completed, { taskId: id, response, completedAt: task.completed_at });
  assert.deepEqual(await heard(page), [
    { origin: service.url, data: { source: "service", type: "loaded", payload: { taskId: id } } },
    { origin: service.url, data: { source: "service", type: "task.completed", payload: completed } },
  ]);
  const all = await page.evaluate(() => (window as unknown as { heard: Heard[] }).heard);
  const sizes = all.filter(({ data }) => data.type === "resize").map(({ data }) => data.payload["height"]);
  assert.ok(sizes.length > 1 && sizes.every(Number.isInteger), String(sizes));
  assert.ok(
    sizes.every((size, i) => size !== sizes[i - 1]),
    "only changes are told",
  );
  const trail = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.equal(trail.at(-1)!.embed_sub, "customer-17");
});

testInBrowser(
  "the page of another origin, which may embed as well, sees no form and hears nothing",
  async (open, t) => {
    const other = await startHost(t, "127.0.0.1");
    const service = await withEmbed(t, { others: [other] });
    const { id } = await createTask(service, "Approve?");
    const page = await open({ origins: [service.url] });
    const frame = await showAt(page, other, await service.mint({ task_id: id }));
    await frame.getByText("EMBED_ORIGIN_NOT_ALLOWED").waitFor();
    await hasCount(frame.locator("form"), 0);
    assert.deepEqual(await page.evaluate(() => (window as unknown as { heard: Heard[] }).heard), []);
    await screenshot(page, "embed-elsewhere");
  },
);

testInBrowser("where a browser does not say whose page it is, still nobody else hears anything", async (open, t) => {
  const other = await startHost(t, "127.0.0.1");
  const service = await withEmbed(t, { others: [other] });
  const { id } = await createTask(service, "Approve?");
  const page = await open({ origins: [service.url], expected: [/'postMessage'/] });
  await page.route("**/embed/main-*.js", async (route) => {
    const response = await route.fetch();
    const script = (await response.text()).replace("ancestorOrigins", "nothing").replace("document.referrer", '""');
    await route.fulfill({ response, body: script });
  });
  const refused = page.waitForEvent("console", (message) => message.text().includes("'postMessage'"));
  const frame = await showAt(page, other, await service.mint({ task_id: id }));
  await frame.locator("#open").waitFor();
  await refused;
  assert.deepEqual(await page.evaluate(() => (window as unknown as { heard: Heard[] }).heard), []);
});

testInBrowser("a page that is not on the list cannot hold the form in a frame", async (open, t) => {
  const service = await withEmbed(t);
  const stranger = await startHost(t);
  const { id } = await createTask(service, "Approve?");
  const page = await open({ origins: [service.url], expected: [/frame-ancestors/, /chrome-error|Failed to load/] });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  const frame = await showAt(page, stranger, await service.mint({ task_id: id }));
  await refused;
  await frame.waitForLoadState();
  assert.doesNotMatch(frame.url(), /\/embed/);
  assert.deepEqual(asked, ["/", "/embed"]);
  assert.deepEqual(await page.evaluate(() => (window as unknown as { heard: Heard[] }).heard), []);
});

testInBrowser("whatever keeps a form from being opened has a panel, and the page hears its code", async (open, t) => {
  const service = await withEmbed(t);
  const { id } = await createTask(service, "Approve?");
  const url = await service.mint({ task_id: id });
  const cancelled = await createTask(service, "Approve?");
  const cancelledUrl = await service.mint({ task_id: cancelled.id });
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  const gone = await createTask(service, "Approve?");
  const goneUrl = await service.mint({ task_id: gone.id });
  await remove(service, `/api/tasks/${gone.id}`);
  const closed = await createTask(service, "Approve?");
  const closedUrl = await service.mint({ task_id: closed.id });
  await service.call("POST", `/api/tasks/${closed.id}/complete`, { response: { approved: true } });
  const page = await open({ origins: [service.url], expected: [/status of 4\d\d/] });
  for (const [address, code, says] of [
    [`${url.slice(0, -3)}AAA`, "INVALID_EMBED_TOKEN", "Reload the page to continue"],
    [url.replace(id, closed.id), "INVALID_EMBED_TOKEN", "Reload the page to continue"],
    [goneUrl, "TASK_NOT_FOUND", "The task was deleted."],
    [cancelledUrl, "TASK_ALREADY_TERMINAL", "This task was cancelled."],
    [closedUrl, "TASK_ALREADY_TERMINAL", "already answered"],
  ] as const) {
    const frame = await service.show(page, address);
    const payload = await hears(page, "task.error");
    assert.equal(payload["code"], code);
    assert.equal(payload["taskId"], new URL(address).searchParams.get("id"));
    assert.ok(payload["message"]);
    await frame.getByText(code).waitFor();
    await frame.getByText(says).waitFor();
    assert.equal((await heard(page)).length, 1);
    await fits(page, frame);
    await axeInside(page, frame);
    await screenshot(page, `embed-${code}`);
  }
  // Nothing says whom to tell.
  for (const address of [url.split("#")[0]!, `${url.split("#")[0]}#token=nonsense`]) {
    const frame = await service.show(page, address);
    await frame.getByText("INVALID_EMBED_TOKEN").waitFor();
    assert.deepEqual(await page.evaluate(() => (window as unknown as { heard: Heard[] }).heard), []);
  }
});

testInBrowser("a service that cannot be reached is told, and tried again", async (open, t) => {
  const service = await withEmbed(t);
  const { id } = await createTask(service, "Approve?");
  const page = await open({ origins: [service.url], expected: [/net::ERR_FAILED/] });
  let isDown = true;
  await page.route("**/api/embed/task**", (route) => (isDown ? route.abort() : route.continue()));
  const frame = await service.show(page, await service.mint({ task_id: id }));
  assert.equal((await hears(page, "task.error"))["code"], "internal");
  await axeInside(page, frame);
  await screenshot(page, "embed-internal");
  isDown = false;
  await frame.getByRole("button", { name: "Try again" }).click();
  await frame.locator("#open").waitFor();
  await fillIn(frame);
  isDown = true;
  await submit(frame);
  await frame.getByText("Not sent: no connection. Your answers are still here.").waitFor();
  assert.equal((await hears(page, "task.error", 2))["code"], "internal");
  await assertKept(frame);
  isDown = false;
  await submit(frame);
  await hears(page, "task.completed");
});

testInBrowser(
  "a token that ends while somebody writes costs nothing: a fresh one goes on in the same form",
  async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url], expected: [/status of 401/] });
    const { id, frame } = await openForm(service, page, {}, { ttl_seconds: 1 });
    await fillIn(frame);
    await frame.getByText("This form has expired. Your answers are kept").waitFor();
    assert.deepEqual((await hears(page, "task.error"))["code"], "INVALID_EMBED_TOKEN");
    await assertKept(frame);
    await axeInside(page, frame);
    await screenshot(page, "embed-expired");
    // The clocks may differ by seconds; with the key, the token ends for certain.
    await remove(service, `/api/service-keys/${service.key.id}`);
    await submit(frame);
    await frame.getByText("Not sent. This form has expired. Your answers are kept").waitFor();
    await hears(page, "task.error", 2);
    await assertKept(frame);

    const { key } = await service.call<{ key: string }>("POST", "/api/service-keys", { name: "Next" });
    Object.assign(service.key, { key });
    const next = await service.mint({ task_id: id });
    await page.evaluate((url) => (document.querySelector("iframe")!.src = url), next);
    await frame.waitForFunction(() => location.hash === "" && document.getElementById("expired")!.hidden);
    await assertKept(frame);
    await submit(frame);
    await hears(page, "task.completed");
    const task = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(task.response?.["note"], "The parcel was open.");
  },
);

testInBrowser(
  "what was entered survives a reload of the page; of a confidential task nothing is kept",
  async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url] });
    for (const redact_payload of [false, true]) {
      const { id, frame } = await openForm(service, page, { redact_payload });
      await fillIn(frame);
      const again = await service.show(page, await service.mint({ task_id: id }));
      await again.locator("#open").waitFor();
      if (redact_payload) assert.equal(await again.getByLabel("Note").inputValue(), "");
      else {
        await assertKept(again);
        // Another person at the same screen starts anew.
        const other = await service.show(page, await service.mint({ task_id: id, sub: "customer-18" }));
        await other.locator("#open").waitFor();
        assert.equal(await other.getByLabel("Note").inputValue(), "");
        const back = await service.show(page, await service.mint({ task_id: id }));
        await submit(back);
        await hears(page, "task.completed");
      }
      assert.equal(
        await page.frames()[1]!.evaluate((id) => sessionStorage.getItem(`embed:${id}:customer-17`), id),
        null,
      );
    }
  },
);

testInBrowser("in a frame an answer is sent back by a vendor's verdict, corrected, and heard of", async (open, t) => {
  const vendors = await startVendors();
  t.after(() => vendors.close());
  const hook = await startReceiver();
  t.after(() => hook.close());
  const service = await withEmbed(t, { env: vendors.env });
  const page = await open({ origins: [service.url] });
  const verdict = Promise.withResolvers<void>();
  vendors.script.push(
    { after: verdict.promise, turn: { passed: false, reason: "Say what was broken." } },
    { passed: true, reason: "It says what." },
  );
  const { frame } = await openForm(service, page, {
    verifier_config: { provider: "anthropic", instructions: "The note must say what was broken.", max_attempts: 2 },
    callback_url: hook.url,
  });
  await fillIn(frame);
  await submit(frame);
  await frame.getByText("Checking your answer").waitFor();
  verdict.resolve();
  await frame.getByText("Say what was broken.").waitFor();
  await frame.getByLabel("Note").fill("The lamp was broken.");
  await submit(frame);
  await frame.getByRole("heading", { name: "Submitted" }).waitFor();
  await hook.until(1);
  const told = JSON.parse(hook.received[0]!.body) as TaskRecord;
  assert.deepEqual(
    [told.status, told.response, told.verification_attempt, told.completed_via_channel],
    ["completed", { approved: true, note: "The lamp was broken." }, 1, "embed"],
  );
});

testInBrowser("an answer that the checks send back is shown as sent back; the last one as over", async (open, t) => {
  const service = await withEmbed(t);
  service.ctx.verify = async (_config, { response }) =>
    response["note"] === "Good."
      ? { passed: true, reason: "Fine." }
      : { passed: false, reason: "Say what was broken." };
  const page = await open({ origins: [service.url], theme: "dark" });
  const verifier_config = { provider: "openai", instructions: "Check it.", max_attempts: 2 };
  const { id, frame } = await openForm(service, page, { verifier_config });
  await fillIn(frame);
  await submit(frame);
  await frame.getByText("attempt 2 of 2, the last one").waitFor();
  await frame.getByText("Say what was broken.").waitFor();
  await assertKept(frame);
  await hasCount(frame.getByRole("heading", { name: "Submitted" }), 0);
  assert.deepEqual(
    (await heard(page)).map(({ data }) => data.type),
    ["loaded"],
  );
  await axeInside(page, frame);
  await screenshot(page, "embed-sent-back-dark");
  // Whoever opens it anew is told as well.
  const again = await service.show(page, await service.mint({ task_id: id }));
  await again.getByText("attempt 2 of 2, the last one").waitFor();
  await again.getByLabel("Note").fill("Good.");
  await submit(again);
  await hears(page, "task.completed");

  const last = await openForm(service, page, { verifier_config: { ...verifier_config, max_attempts: 1 } });
  await fillIn(last.frame);
  await submit(last.frame);
  await last.frame.getByRole("heading", { name: "The answer didn't pass the check" }).waitFor();
  await last.frame.getByText("Say what was broken.").waitFor();
  const payload = await hears(page, "task.error");
  assert.equal(payload["code"], "TASK_ALREADY_TERMINAL");
  assert.match(String(payload["message"]), /didn't pass the check/);
  await axeInside(page, last.frame);
  await screenshot(page, "embed-exhausted-dark");
});

testInBrowser("who was second is told so, and keeps what they entered", async (open, t) => {
  const service = await withEmbed(t);
  const page = await open({ origins: [service.url], size: "phone", expected: [/status of 409/] });
  const { id, frame } = await openForm(service, page);
  await fillIn(frame);
  await service.call("POST", `/api/tasks/${id}/complete`, { response: { approved: false } });
  await submit(frame);
  await frame.getByText("Not sent. This task is already answered.").waitFor();
  await assertKept(frame);
  assert.equal((await hears(page, "task.error"))["code"], "TASK_ALREADY_TERMINAL");
  await fits(page, frame);
  await axeInside(page, frame);
  await screenshot(page, "embed-second-phone");
});

testInBrowser(
  "an answer that the service refuses is marked at its field, and the page hears of it",
  async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url], expected: [/status of 422/] });
    const { id, frame } = await openForm(service, page);
    await fillIn(frame);
    // The form checks an answer itself. This one is changed on its way, so that the service has something to refuse.
    const path = "**/api/embed/task/complete";
    await page.route(path, (route) =>
      route.continue({ postData: JSON.stringify({ response: { approved: true, note: 7 } }) }),
    );
    await submit(frame);
    await frame.getByText("Not sent. Fix 1 answer below.").waitFor();
    assert.equal(await frame.getByLabel("Note").getAttribute("aria-invalid"), "true");
    await assertKept(frame);
    const { code, message, taskId } = await hears(page, "task.error");
    assert.deepEqual([taskId, code], [id, "internal"]);
    assert.match(String(message), /^VALIDATION_FAILED: [A-Z].*\.$/);
    assert.deepEqual(
      (await heard(page)).map(({ data }) => data.type),
      ["loaded", "task.error"],
    );
    await page.unroute(path);
    await submit(frame);
    await hears(page, "task.completed");
  },
);

const SCHEMAS = {
  payload: { order: "48219", amount: 42.5, customer: { name: "Mia", since: "2021-04-01" }, items: ["Lamp", "Shade"] },
  response_schema: {
    type: "object",
    properties: {
      approved: { type: "boolean", title: "Refund the customer?" },
      amount: { type: "number", title: "Another amount, in EUR", minimum: 0, maximum: 500 },
      note: { type: "string", maxLength: 500 },
    },
    required: ["approved"],
  },
};

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "wide"],
  ["light", "phone"],
  ["dark", "phone"],
  ["light", "narrow"],
] as const)
  testInBrowser(`everybody can use an embedded form: ${theme}, ${size}`, async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url], theme, size });
    const { frame } = await openForm(service, page, SCHEMAS);
    await fits(page, frame);
    await axeInside(page, frame);
    await submit(frame);
    await frame.locator("#form-trouble").waitFor();
    await fits(page, frame);
    await axeInside(page, frame);
    await screenshot(page, `embed-form-${theme}-${size}`);
    await frame.getByRole("radio", { name: "Yes" }).check();
    await submit(frame);
    await frame.getByRole("heading", { name: "Submitted" }).waitFor();
    await fits(page, frame);
    await axeInside(page, frame);
    await screenshot(page, `embed-sent-${theme}-${size}`);
  });

testInBrowser("a product says how the form looks", async (open, t) => {
  const service = await withEmbed(t);
  const page = await open({ origins: [service.url], theme: "light", timeZone: "Europe/Berlin" });
  const { frame } = await openForm(service, page, SCHEMAS, {}, "&theme=dark&accent=ffcc66&locale=de");
  const looks = await frame.evaluate(() => {
    const { colorScheme } = getComputedStyle(document.documentElement);
    return [colorScheme, getComputedStyle(document.querySelector("button.primary")!).backgroundColor];
  });
  assert.deepEqual(looks, ["dark", "rgb(255, 204, 102)"]);
  await frame
    .getByText(/MEZ|MESZ/)
    .first()
    .waitFor();
  await axeInside(page, frame);
  await screenshot(page, "embed-asked-dark");
  // An accent that could not be read is passed over.
  const light = await openForm(service, page, SCHEMAS, {}, "&theme=light&accent=ffcc66");
  assert.equal(
    await light.frame.locator("button.primary").evaluate((button) => getComputedStyle(button).backgroundColor),
    "rgb(76, 69, 214)",
  );
});
