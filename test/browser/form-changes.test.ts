import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Gallery } from "../../gallery/server.ts";
import { openGallery } from "./gallery.ts";
import { hasCount, testInBrowser } from "./support/browser.ts";

let gallery: Gallery;
before(async () => void (gallery = await openGallery()));
after(() => gallery.close());

for (const kind of ["react", "preact", "html"] as const) {
  testInBrowser(`an option is not chosen for a person when the options become others (${kind})`, async (open) => {
    const page = await open({ scripts: kind !== "html" });
    const update = async () => {
      if (kind === "html") await page.getByRole("button", { name: "Show the questions" }).click();
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
    assert.match(await page.locator(".error").innerText(), /^Choose a date that exists/);
    await hasCount(page.locator("#answer"), 0);
    await page.getByLabel("Publish on").fill("2027-03-31");
    await page.getByRole("button", { name: "Submit answer" }).click();
    await page.locator("#answer").waitFor();
  });
