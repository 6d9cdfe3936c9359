import assert from "node:assert/strict";
import { after, before } from "node:test";
import { testInBrowser } from "./support/browser.ts";
import type { Gallery } from "../../gallery/server.ts";
import { openGallery } from "./gallery.ts";

let gallery: Gallery;
before(async () => void (gallery = await openGallery()));
after(() => gallery.close());

testInBrowser("the theme is the system's until a page says another", async (open) => {
  const background = async (theme: "light" | "dark", query: string) => {
    const page = await open({ theme });
    await page.goto(`${gallery.url}/${query}`);
    return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  };
  const light = await background("light", "");
  const dark = await background("dark", "");
  assert.notEqual(light, dark);
  assert.equal(await background("dark", "?theme=light"), light);
  assert.equal(await background("light", "?theme=dark"), dark);
});

testInBrowser("every form is listed in each of its kinds", async (open) => {
  const page = await open();
  await page.goto(gallery.url);
  await page.getByRole("listitem").filter({ hasText: "A yes or no" }).getByRole("link", { name: "html" }).click();
  await page.getByRole("heading", { name: "A yes or no with a note" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/approval/html");
});
