import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Gallery } from "../../gallery/server.ts";
import { openGallery } from "./gallery.ts";
import { axe, hasCount, screenshot, testInBrowser } from "./support/browser.ts";

let gallery: Gallery;
before(async () => void (gallery = await openGallery()));
after(() => gallery.close());

for (const kind of ["react", "preact", "html"] as const) {
  testInBrowser(`an option is not chosen for a person when the options become others (${kind})`, async (open) => {
    const page = await open({ scripts: kind !== "html" });
    const update = async () => {
      if (kind === "html") await page.getByRole("button", { name: "Update questions" }).click();
    };
    await page.goto(`${gallery.url}/regions/${kind}`);
    await page.getByLabel("US").check();
    await update();
    await page.getByLabel("Texas").check();
    await page.getByLabel("DE").check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.locator("#form-trouble").waitFor();
    assert.equal(await page.getByLabel("Berlin").isChecked(), false);
    await hasCount(page.locator("#answer"), 0);
    await page.getByLabel("Bavaria").check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    const { response } = JSON.parse((await page.locator("#answer").textContent()) ?? "") as { response: unknown };
    assert.deepEqual(response, { country: "DE", region: "Bavaria" });
  });
}

for (const kind of ["react", "preact", "html"] as const)
  testInBrowser(`a changed text shows its changed words, and no others, as changed (${kind})`, async (open) => {
    const page = await open({ scripts: kind !== "html", expected: [/status of 422/] });
    await page.goto(`${gallery.url}/prefilled/${kind}`);
    const reply = page.getByLabel("Reply");
    await reply.fill((await reply.inputValue()).replace("3 days", "5 days"));
    await page.getByLabel("Subject").fill("Order");
    // Without scripts, the page is drawn again: the decision is missing.
    if (kind === "html") await page.getByRole("button", { name: "Submit answer" }).click();
    const changes = page.getByRole("region", { name: "Your changes" });
    const texts = changes.locator("div", { hasText: "Reply" }).locator("dd");
    await texts.locator("ins").getByText("5", { exact: true }).waitFor();
    assert.deepEqual(await texts.locator("del").allTextContents(), ["3"]);
    assert.equal(
      (await texts.textContent())!.replace(/\s+/g, " ").trim(),
      "Hello, your order is on its way, and arrives within 35 days.",
    );
    assert.deepEqual(await changes.locator("del").allTextContents(), ["Your order", "3"]);
    await axe(page);
    await screenshot(page, `changes-${kind}`);
  });

testInBrowser("on a page that runs from the right, a question has its options and its help that way", async (open) => {
  const page = await open();
  await page.goto(`${gallery.url}/right-to-left/preact`);
  // As the pages of tasks do it.
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  const field = page.locator("fieldset.field", { hasText: "القرار" });
  const places = await field.evaluate((element) => ({
    direction: getComputedStyle(element).direction,
    options: [...element.querySelectorAll("label")].map((label) => {
      const [box, text] = [label.querySelector("input")!, label.querySelector("span")!];
      return box.getBoundingClientRect().left > text.getBoundingClientRect().left;
    }),
    legend: element.querySelector("legend")!.getBoundingClientRect().right,
    help: element.querySelector(".description")!.getBoundingClientRect().right,
  }));
  // The radio button is on the side where the page begins.
  assert.deepEqual([places.direction, places.options], ["rtl", [true, true]]);
  assert.ok(Math.abs(places.legend - places.help) < 2);
  // A title in another script runs as it is written, and is on the same side.
  const title = page.locator("div.field .title > span", { hasText: "Заметка" });
  assert.equal(await title.evaluate((element) => getComputedStyle(element).direction), "ltr");
  assert.ok(Math.abs((await title.evaluate((element) => element.getBoundingClientRect().right)) - places.legend) < 20);
  await screenshot(page, "right-to-left");
});

testInBrowser("on a phone everything is large enough for a finger", async (open) => {
  const page = await open({ size: "phone" });
  for (const name of ["approval", "several", "numbers", "texts", "times", "consent", "lists", "records", "groups"]) {
    await page.goto(`${gallery.url}/${name}/preact`);
    await page.locator("form.answer").waitFor();
    const small = await page
      .locator("form.answer :is(button:not(.unseen), .card, .button, select, textarea, .field > input)")
      .evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 100)),
      );
    assert.deepEqual(
      small.filter((html) => !html.includes('type="hidden"')),
      [],
      name,
    );
  }
});

for (const kind of ["react", "preact"] as const)
  testInBrowser(`half a date is not taken for none (${kind})`, async (open) => {
    const page = await open();
    await page.goto(`${gallery.url}/conditions/${kind}`);
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByLabel("Publish on").focus();
    await page.keyboard.type("0331");
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.locator("#form-trouble").waitFor();
    assert.match(await page.locator(".error").innerText(), /^Enter a valid date/);
    await hasCount(page.locator("#answer"), 0);
    await page.getByLabel("Publish on").fill("2027-03-31");
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.locator("#answer").waitFor();
  });
