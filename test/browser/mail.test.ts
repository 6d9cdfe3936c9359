import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { MAILS } from "../../src/channels/email/fixtures/messages.ts";
import { renderMessage } from "../../src/channels/email/message.ts";
import { axe, screenshot, testInBrowser } from "./support/browser.ts";

/** As a mail program shows it: without scripts, and with nothing to load from. Navigating to each would take most of the time. */
async function show(page: Page, name: string): Promise<string> {
  const { html, text } = renderMessage(MAILS[name]!);
  await page.setContent(html);
  return text;
}

/** What the mail says and where it leads, in the order of reading; links as `label` and `address`. */
async function partsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts: string[] = [];
    const read = (node: Node): void => {
      if (node.nodeType === Node.TEXT_NODE) parts.push(node.nodeValue ?? "");
      const isHidden = node instanceof HTMLElement && getComputedStyle(node).display === "none";
      if (!isHidden) node.childNodes.forEach(read);
      if (node instanceof HTMLAnchorElement) parts.push(node.getAttribute("href") ?? "");
    };
    read(document.body);
    return parts;
  });
}

const NAMES = Object.keys(MAILS);

testInBrowser("the HTML and the text of a mail say the same in the same order, with the same links", async (open) => {
  const page = await open({ scripts: false });
  for (const name of NAMES) {
    const text = await show(page, name);
    const shown = (await partsOf(page)).map((part) => part.replaceAll(/\s/g, "")).filter((part) => part !== "");
    let written = text.replaceAll(/\s/g, "");
    for (const part of shown) {
      const at = written.indexOf(part);
      const between = written.slice(0, Math.max(at, 0));
      assert.match(between, /^[*:]?$/, `${name}: before ${part.slice(0, 80)}`);
      assert.notEqual(at, -1, `${name}: the text lacks ${part.slice(0, 80)}`);
      written = written.slice(at + part.length);
    }
    assert.equal(written, "", `${name}: only the text says this`);
  }
});

testInBrowser("a mail loads nothing, runs nothing and sends nothing, whatever is written in it", async (open) => {
  const page = await open();
  page.on("dialog", (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  for (const name of NAMES) {
    await show(page, name);
    const elements = await page
      .locator("*")
      .evaluateAll((all) => [...new Set(all.map((element) => element.localName))]);
    const known = "html head meta title style body div table tbody tr td h1 br a".split(" ");
    assert.deepEqual(
      elements.filter((element) => !known.includes(element)),
      [],
      name,
    );
    const attributes = await page
      .locator("body, body *")
      .evaluateAll((all) => [...new Set(all.flatMap((element) => element.getAttributeNames()))]);
    const harmless =
      "class style role cellpadding cellspacing border width align valign bgcolor colspan dir lang href".split(" ");
    assert.deepEqual(
      attributes.filter((attribute) => !harmless.includes(attribute)),
      [],
      name,
    );
    const addresses = await page.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
    for (const address of addresses) assert.match(address, /^https:\/\/tasks\.example\.com\//, name);
  }
  assert.deepEqual(asked, []);
});

for (const size of ["wide", "phone"] as const)
  testInBrowser(`no option of a decision looks like more than another: ${size}`, async (open) => {
    const page = await open({ size, scripts: false });
    let seen = 0;
    for (const name of NAMES) {
      await show(page, name);
      const options = await page.locator(".option").evaluateAll((all) =>
        all.map((option) => {
          const link = option.querySelector("a")!;
          const looks = [option, link].map((element) => {
            const style = getComputedStyle(element);
            return Array.from(style, (property) => `${property}: ${style.getPropertyValue(property)}`);
          });
          const { width, height } = option.getBoundingClientRect();
          const inner = link.getBoundingClientRect();
          return { looks, size: [width, height].map(Math.round), target: [inner.width, inner.height].map(Math.round) };
        }),
      );
      for (const option of options) {
        assert.deepEqual(option, options[0], name);
        assert.ok(option.target[1]! >= 44, `${name}: ${option.target[1]} high`);
        if (size === "phone") assert.ok(option.size[0]! >= 340, `${name}: ${option.size[0]} wide`);
        seen++;
      }
    }
    assert.ok(seen > 20, `only ${seen} options`);
  });

testInBrowser("no mail scrolls sideways, on a phone and with the styles a mail program leaves in", async (open) => {
  for (const hasSheet of [true, false]) {
    const page = await open({ size: "phone", scripts: false });
    for (const name of NAMES) {
      await show(page, name);
      if (!hasSheet) await page.locator("style").evaluateAll((all) => all.forEach((sheet) => sheet.remove()));
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${name} is ${width} wide`);
    }
  }
});

const HALF = Math.ceil(NAMES.length / 2);
/** One of each kind. */
const KINDS = [
  "refund",
  "refund-soon",
  "three-options",
  "five-options",
  "sent-back",
  "payload-redacted",
  "long",
  "rtl",
];

for (const [theme, size, names] of [
  ["light", "wide", NAMES.slice(0, HALF)],
  ["light", "wide", NAMES.slice(HALF)],
  ["dark", "phone", NAMES.slice(0, HALF)],
  ["dark", "phone", NAMES.slice(HALF)],
  ["dark", "wide", KINDS],
  ["light", "phone", KINDS],
] as const)
  testInBrowser(`everybody can read ${names[0]} to ${names.at(-1)}: ${theme}, ${size}`, async (open) => {
    const page = await open({ theme, size, scripts: false });
    for (const name of names) {
      await show(page, name);
      await axe(page);
      await screenshot(page, `mail-${name}-${theme}-${size}`);
    }
  });
