import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import {
  axe,
  axeViolations,
  openPage,
  screenshot,
  testInBrowser,
  withPages,
  type PageOptions,
} from "./support/browser.ts";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";

/** Serves each path of `files`; a page has the strict policy unless it is given another. */
async function serve(t: TestContext, files: Record<string, string>, policy = POLICY): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const body = files[request.url ?? "/"];
    const type = request.url?.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(body === undefined ? 404 : 200, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
    });
    response.end(body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const page = (body: string, head = "") =>
  `<!doctype html><html lang="en"><title>A page</title>${head}<main>${body}</main>`;

/** What is found wrong with a page, once that is there; browsers report some of it a little later. */
async function problemsOf(address: string, pattern: RegExp, options: PageOptions = {}): Promise<string[]> {
  const watched = await openPage(options);
  try {
    await watched.page.goto(address);
    for (let attempt = 0; attempt < 6_000; attempt++) {
      const problems = await watched.problems();
      if (problems.some((problem) => pattern.test(problem))) return problems;
      await sleep(10);
    }
    return assert.fail(`${pattern} is not among: ${(await watched.problems()).join("\n")}`);
  } finally {
    await watched.close();
  }
}

testInBrowser("a page without fault passes", async (open, t) => {
  const origin = await serve(t, {
    "/": page("<h1>Hello</h1><p id=said></p>", "<script src=/a.js defer></script>"),
    "/a.js": "document.querySelector('#said').textContent = 'ready'; fetch('/').then((answer) => answer.text());",
  });
  const shown = await open();
  await shown.goto(origin);
  await shown.getByText("ready").waitFor();
  await axe(shown);
});

void test("a page with a problem fails a test that asserts nothing", async (t) => {
  const origin = await serve(t, { "/": page("", "<script src=/a.js></script>"), "/a.js": "console.error('keys')" });
  const run = withPages(async (open) => {
    const shown = await open();
    await Promise.all([shown.waitForEvent("console"), shown.goto(origin)]);
  });
  await assert.rejects(run, /The console: keys/);
});

void test("an error that nobody catches fails a test", async (t) => {
  const origin = await serve(t, { "/": page("", "<script src=/a.js></script>"), "/a.js": "nowhere.to.be.found" });
  await problemsOf(origin, /^An error nobody caught: nowhere is not defined$/);
});

void test("a promise that nobody awaits and that fails, fails a test", async (t) => {
  const origin = await serve(t, {
    "/": page("", "<script src=/a.js></script>"),
    "/a.js": "Promise.reject(new Error('too late'))",
  });
  await problemsOf(origin, /^An error nobody caught: too late$/);
});

void test("an error on the console fails a test", async (t) => {
  const origin = await serve(t, { "/": page("", "<script src=/a.js></script>"), "/a.js": "console.error('keys')" });
  await problemsOf(origin, /^The console: keys /);
});

void test("a file that is not there fails a test", async (t) => {
  const origin = await serve(t, { "/": page("", "<script src=/gone.js></script>") });
  await problemsOf(origin, /^The console: .*404.*gone\.js\)$/);
});

void test("a problem that the test brings about itself does not fail it, and any other does", async (t) => {
  const origin = await serve(t, {
    "/": page("", "<script src=/a.js></script>"),
    "/a.js": "console.error('known'); console.error('unknown')",
  });
  const problems = await problemsOf(origin, /unknown/, { expected: [/: known/] });
  assert.equal(problems.length, 1);
});

for (const scripts of [true, false]) {
  const when = scripts ? "" : ", with scripts off too";
  void test(`a broken policy fails a test${when}`, async (t) => {
    const origin = await serve(t, { "/": page(`<p style="color: red">inline</p>`) });
    await problemsOf(origin, /^The policy: style-src-attr forbids what is inline$/, { scripts });
  });

  void test(`a request to another origin fails a test${when}`, async (t) => {
    const other = await serve(t, { "/pixel.png": "GIF" });
    const origin = await serve(t, { "/": page(`<img src="${other}/pixel.png" alt="">`) }, "default-src * data:");
    await problemsOf(origin, /^A request to another origin: .*\/pixel\.png$/, { scripts });
    const watched = await openPage({ scripts, origins: [other] });
    t.after(() => watched.close());
    await watched.page.goto(origin);
    assert.deepEqual(await watched.problems(), []);
  });

  void test(`what WCAG forbids is found under the strict policy${when}`, async (t) => {
    const origin = await serve(t, {
      "/": page(
        `<input type="text"><button type="button"></button><button type="button">Send</button>`,
        "<script src=/a.js defer></script>",
      ),
      "/a.js": "document.title = 'scripts run'",
    });
    const watched = await openPage({ scripts });
    t.after(() => watched.close());
    await watched.page.goto(origin);
    const violations = await axeViolations(watched.page);
    for (const rule of ["button-name", "label", "target-size"])
      assert.ok(
        violations.some((violation) => violation.startsWith(`${rule}: `)),
        rule,
      );
    await assert.rejects(axe(watched.page), /button-name: Buttons must have discernible text/);
    assert.equal(await watched.page.title(), scripts ? "scripts run" : "A page");
    assert.equal(await watched.page.evaluate(() => matchMedia("(scripting: enabled)").matches), scripts);
    assert.deepEqual(await watched.problems(), []);
  });
}

void test("a socket to another origin fails a test", async (t) => {
  const origin = await serve(
    t,
    { "/": page("", "<script src=/a.js></script>"), "/a.js": "new WebSocket('ws://127.0.0.1:9/live')" },
    "default-src * data:",
  );
  await problemsOf(origin, /^A request to another origin: ws:\/\/127\.0\.0\.1:9\/live$/);
});

void test("no address leads out of the machine", async (t) => {
  const origin = await serve(t, { "/": page(`<img src="http://127.0.0.2:8009/a.png" alt="">`) }, "default-src * data:");
  await problemsOf(origin, /net::ERR_NAME_NOT_RESOLVED/);
});

testInBrowser("a page is shown as the test asks for", async (open, t) => {
  const origin = await serve(t, { "/": page("<noscript><p>no scripts</p></noscript>") });
  const shown = await open({ theme: "dark", size: "phone", locale: "de-DE", timeZone: "Asia/Tokyo" });
  await shown.goto(origin);
  assert.deepEqual(
    await shown.evaluate(() => [
      matchMedia("(prefers-color-scheme: dark)").matches,
      innerWidth,
      navigator.language,
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    ]),
    [true, 390, "de-DE", "Asia/Tokyo"],
  );
  const without = await open({ scripts: false, size: "narrow" });
  await without.goto(origin);
  await without.locator("noscript p").waitFor();
});

testInBrowser("a picture of the whole page is kept for people who ask for it", async (open, t) => {
  const origin = await serve(t, { "/": page("<h1>Hello</h1>") });
  const shown = await open();
  await shown.goto(origin);
  const file = new URL("../../web/screenshots/harness.png", import.meta.url);
  const asked = process.env["SCREENSHOTS"];
  t.after(() => (asked === undefined ? delete process.env["SCREENSHOTS"] : (process.env["SCREENSHOTS"] = asked)));
  delete process.env["SCREENSHOTS"];
  await screenshot(shown, "harness");
  assert.ok(!existsSync(file), "nobody asked for pictures");
  process.env["SCREENSHOTS"] = "1";
  await screenshot(shown, "harness");
  assert.ok(existsSync(file));
  rmSync(file);
});

testInBrowser("the rules about colours and the others can be checked apart", async (open, t) => {
  const pale = `<p style="color: #ccc; background: #fff">Pale</p>`;
  const origin = await serve(t, { "/": page(`<h1>Hello</h1>${pale}<img src="data:,">`) }, "img-src data:");
  const shown = await open();
  await shown.goto(origin);
  const rulesOf = (violations: string[]) => new Set(violations.map((violation) => violation.split(":")[0]));
  assert.deepEqual(rulesOf(await axeViolations(shown)), new Set(["color-contrast", "image-alt"]));
  assert.deepEqual(rulesOf(await axeViolations(shown, "colours")), new Set(["color-contrast"]));
  assert.deepEqual(rulesOf(await axeViolations(shown, "structure")), new Set(["image-alt"]));
});

void test("a page that is used again has nothing of the test before", async (t) => {
  const origin = await serve(t, { "/": page("<p>first</p>"), "/next": page("<p>next</p>") });
  const pages: Page[] = [];
  const look = (change: (page: Page) => Promise<unknown>, options?: PageOptions) =>
    withPages(async (open) => {
      const shown = await open(options);
      pages.push(shown);
      await shown.goto(origin);
      const left = await shown.evaluate(async () => [
        document.cookie,
        window.name,
        localStorage.length + sessionStorage.length + (await indexedDB.databases()).length,
        matchMedia("(prefers-color-scheme: dark)").matches,
        innerWidth,
      ]);
      assert.deepEqual(left, ["", "", 0, false, 1440]);
      assert.deepEqual((await shown.context().cookies()).length, 0);
      assert.equal((await shown.goBack())?.url() ?? shown.url(), "about:blank");
      await shown.goto(`${origin}/next`);
      await change(shown);
    });
  await look(async (shown) => {
    await shown.evaluate(() => {
      document.cookie = "a=b";
      window.name = "first";
      localStorage.setItem("a", "b");
      sessionStorage.setItem("a", "b");
      indexedDB.open("a");
    });
    await shown.setViewportSize({ width: 500, height: 500 });
    await shown.emulateMedia({ colorScheme: "dark" });
  });
  await look((shown) => shown.route("**/*", (route) => route.abort()));
  await look(() => Promise.resolve());
  // What a test has changed for good is not used again.
  assert.equal(pages[1], pages[0]);
  assert.notEqual(pages[2], pages[0]);

  const failing = withPages(async (open) => {
    pages.push(await open());
    throw new Error("it fails");
  });
  await assert.rejects(failing, /it fails/);
  assert.ok(pages[3]!.isClosed());
});
