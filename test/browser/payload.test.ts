import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { PAYLOAD_FIXTURES } from "../../form/fixtures/payloads.ts";
import { openGallery } from "./gallery.ts";
import type { Gallery } from "../../gallery/server.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";

let gallery: Gallery;
before(async () => void (gallery = await openGallery()));
after(() => gallery.close());

async function visit(page: Page, name: string, kind: "react" | "preact" | "html" = "preact"): Promise<void> {
  await page.goto(`${gallery.url}/payload/${name}/${kind}`);
  await page.locator(".payload").waitFor();
}

/** Nothing of this machine is reached; that a page asks for it is the point of some fixtures. */
const ASKED_FOR = [/images\.example\.net\/photo\.jpg/];

const NAMES = Object.keys(PAYLOAD_FIXTURES);
const HALF = Math.ceil(NAMES.length / 2);

for (const { theme, size, kind, names } of [
  { theme: "light", size: "wide", kind: "react", names: NAMES.slice(0, HALF) },
  { theme: "light", size: "wide", kind: "react", names: NAMES.slice(HALF) },
  { theme: "dark", size: "phone", kind: "preact", names: NAMES.slice(0, HALF) },
  { theme: "dark", size: "phone", kind: "preact", names: NAMES.slice(HALF) },
] as const)
  testInBrowser(`everybody can read ${names[0]} to ${names.at(-1)}: ${theme}, ${size}, ${kind}`, async (open) => {
    const page = await open({ theme, size, expected: ASKED_FOR });
    for (const name of names) {
      await visit(page, name, kind);
      await axe(page);
      await screenshot(page, `payload-${name}-${theme}-${size}`);
    }
  });

testInBrowser("no payload makes a page of 320 pixels scroll sideways", async (open) => {
  const page = await open({ size: "narrow", expected: ASKED_FOR });
  for (const name of NAMES) {
    await visit(page, name);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 320, `${name} is ${width} wide`);
  }
});

testInBrowser("no script, handler or address of a payload runs", async (open) => {
  const page = await open();
  page.on("dialog", (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
  for (const name of ["hostile", "markdown", "links", "unicode"]) {
    await visit(page, name);
    assert.equal(await page.title(), PAYLOAD_FIXTURES[name]?.title);
    const names = new Set(
      await page.locator(".payload *").evaluateAll((all) => all.map((element) => element.localName)),
    );
    for (const active of ["script", "iframe", "object", "embed", "form", "style", "link"])
      assert.ok(!names.has(active), `${active} in ${name}`);
    const handlers = await page
      .locator(".payload *")
      .evaluateAll((all) =>
        all.flatMap((element) => element.getAttributeNames()).filter((key) => key.startsWith("on")),
      );
    assert.deepEqual(handlers, []);
  }
});

testInBrowser("a picture of Markdown is asked for when its button is pressed, and not before", async (open) => {
  const page = await open({ expected: ASKED_FOR });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await visit(page, "markdown");
  await page.getByText("Show all").first().click();
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(gallery.url) && !url.startsWith("data:")),
    [],
  );
  const request = page.waitForRequest("https://images.example.net/photo.jpg");
  await page.getByRole("button", { name: "Load image from images.example.net" }).click();
  assert.equal((await request).headers()["referer"] ?? "", "");
});

testInBrowser("without scripts everything can still be reached", async (open) => {
  const page = await open({ scripts: false });
  await visit(page, "many-rows", "html");
  const rows = page.locator("tbody:not(.payload-turn) > tr");
  await hasCount(rows.filter({ visible: true }), 50);
  for (const count of [100, 150, 200]) {
    await page.getByText("Show 50 more").filter({ visible: true }).click();
    await hasCount(rows.filter({ visible: true }), count);
  }
  await hasCount(page.getByText("Show 50 more").filter({ visible: true }), 0);

  await visit(page, "long-text", "html");
  const lines = page.locator(".payload-clipped").nth(1);
  const height = async () => (await lines.boundingBox())!.height;
  const folded = await height();
  await page.getByText("Show all").nth(1).click();
  assert.ok((await height()) > 2 * folded);

  await visit(page, "masked", "html");
  const secret = page.getByText("correct horse battery staple");
  assert.equal(await secret.isVisible(), false);
  await page.getByText("Reveal").first().click();
  assert.equal(await secret.isVisible(), true);

  await visit(page, "refund", "html");
  await page.getByText("Raw").click();
  assert.equal(await page.getByText("**two of the three items were missing**").isVisible(), true);
  assert.equal(await page.locator("strong").isVisible(), false);

  await visit(page, "markdown", "html");
  const link = page.getByRole("link", { name: "Load image from images.example.net" });
  assert.equal(await link.getAttribute("href"), "https://images.example.net/photo.jpg");
});

for (const kind of ["react", "preact"] as const)
  testInBrowser(`a large payload is opened section by section, and page by page (${kind})`, async (open) => {
    const page = await open();
    await visit(page, "large", kind);
    await page.getByText("Large payload: expand a section to see it.").waitFor();
    const rows = page.locator("tbody > tr");
    await hasCount(rows, 0);
    await page.locator("summary", { hasText: "Show 3000 entries" }).focus();
    await page.keyboard.press("Enter");
    await hasCount(rows, 50);
    const more = page.getByRole("button", { name: "Show 100 more" });
    await more.click();
    await hasCount(rows, 150);
    await page.getByText("2,850 more rows").waitFor();
    await more.focus();
    await page.keyboard.press("Enter");
    await hasCount(rows, 250);
    assert.equal(await rows.last().locator("td").first().innerText(), "249");
    await axe(page);
    await screenshot(page, `payload-large-opened-${kind}`);
    await page.getByText("Hide 3000 entries").click();
    assert.equal(await rows.first().isVisible(), false);
    // A text that is cut off goes on.
    const text = page.locator(".payload-row", { hasText: "Body" }).locator("p.payload-text");
    const before = (await text.textContent())!.length;
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    assert.ok((await text.textContent())!.length > before);
  });

testInBrowser("a table that is cut off shows it at the edge, and is scrolled by keys", async (open) => {
  const page = await open({ size: "phone" });
  await visit(page, "wide-table");
  const table = page.getByRole("region", { name: "Asked" }).first();
  await table.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await table.boundingBox())!;
  /** A piece of the right edge, in the empty space above the last line. */
  const edge = () =>
    page.screenshot({ clip: { x: x + width - 8, y: y + height - 30, width: 6, height: 2 }, animations: "disabled" });
  const isShaded = async (picture: Buffer) =>
    page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, 1);
      // It grows darker towards the edge.
      return data[0]! > data[4 * (image.width - 1)]!;
    }, picture.toString("base64"));
  assert.equal(await isShaded(await edge()), true);
  await table.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => (document.activeElement?.scrollLeft ?? 0) > 0);
  await visit(page, "wide-table");
  await table.evaluate((element) => (element.scrollLeft = element.scrollWidth));
  await table.scrollIntoViewIfNeeded();
  assert.equal(await isShaded(await edge()), false);
});

testInBrowser("all rows are laid out as their page runs, in whatever script their titles are", async (open) => {
  const page = await open();
  await visit(page, "unicode");
  const rows = [
    page.locator(".payload-row", { has: page.getByText("العميل", { exact: true }) }),
    page.locator(".payload-row", { hasText: "Emoji" }),
  ];
  for (const direction of ["ltr", "rtl"]) {
    await page.evaluate((to) => (document.documentElement.dir = to), direction);
    for (const row of rows) {
      const [title, value] = [await row.locator("dt").boundingBox(), await row.locator("dd").boundingBox()];
      assert.equal(title!.x > value!.x, direction === "rtl", direction);
    }
  }
});

testInBrowser("code can be copied where scripts run", async (open) => {
  const page = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit(page, "code");
  await page.getByRole("button", { name: "Copy" }).nth(3).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^select id, total\nfrom orders/);
});

testInBrowser("a title stands beside its value where there is room, and above it where there is not", async (open) => {
  for (const [size, isBeside] of [
    ["wide", true],
    ["phone", false],
  ] as const) {
    const page = await open({ size });
    await visit(page, "refund");
    const title = (await page.getByText("Delivered").boundingBox())!;
    const value = (await page.locator("time").boundingBox())!;
    assert.equal(Math.abs(title.y - value.y) < 12, isBeside, size);
  }
});
