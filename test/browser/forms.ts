import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import type { Entries } from "../../form/plan/entries.ts";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../form/fixtures/forms.ts";
import type { FormFixture } from "../../form/fixtures/forms.ts";
import { entriesOf, planForm, readForm } from "../../form/plan/plan.ts";
import { idOf } from "../../web/form/dom-ids.ts";
import type { Gallery } from "../../gallery/server.ts";
import { openGallery } from "./gallery.ts";
import { axe, hasCount, sharePage, testOnPage } from "./support/browser.ts";
import { fillByKeyboard, put, submitByKeyboard } from "./form-filler.ts";

const options = { timeZone: FIXTURE_ZONE, expected: [/status of 422/] };

function entriesFor(fixture: FormFixture): Entries {
  const form = readForm({ ...fixture, time_zone: FIXTURE_ZONE, now: new Date() });
  return entriesOf(planForm(form, {}, fixture.answer));
}

/** The response that the service took, as it keeps it. */
async function accepted(page: Page): Promise<unknown> {
  const text = await page.locator("#answer").textContent();
  const task = JSON.parse(text ?? "") as { status: string; response: unknown };
  assert.equal(task.status, "completed", text ?? "");
  return task.response;
}

/** Until the form asks nothing more: without scripts, an answer may bring up questions that are shown only then. */
async function answerByKeyboard(page: Page, entries: Entries): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await fillByKeyboard(page, entries);
    await submitByKeyboard(page);
    const said = page.locator("#answer").or(page.locator("#form-trouble"));
    await said.waitFor();
    if ((await page.locator("#answer").count()) > 0) return;
  }
  assert.fail(await page.locator("#form-trouble").innerText());
}

/**
 * What every form promises, drawn in one way: with React, with Preact, or as HTML in a browser that runs no scripts.
 * @param theme - in which forms are answered; wrong answers are given in the other one
 */
export function promiseForms(kind: "react" | "preact" | "html", theme: "light" | "dark"): void {
  let gallery: Gallery;
  before(async () => void (gallery = await openGallery()));
  after(() => gallery.close());
  const scripts = kind !== "html";
  const shared = sharePage({ ...options, scripts });

  for (const fixture of FORM_FIXTURES) {
    testOnPage(`"${fixture.title}" is answered by keyboard alone, and accepted (${kind})`, shared, async (page) => {
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`${gallery.url}/${fixture.name}/${kind}`);
      await page.locator("form.answer").waitFor();
      await axe(page);
      await answerByKeyboard(page, entriesFor(fixture));
      assert.deepEqual(await accepted(page), fixture.answer);
    });

    testOnPage(`"${fixture.title}" refuses wrong answers at their fields (${kind})`, shared, async (page) => {
      await page.emulateMedia({ colorScheme: theme === "light" ? "dark" : "light" });
      const right = entriesFor(fixture);
      let isFilled = false;
      for (const [index, { entries, at, says }] of fixture.wrong.entries()) {
        // What is chosen cannot be taken back everywhere: what was never chosen needs a form that is untouched.
        const isUntouched = Object.values(entries).some((texts) => texts.length === 0);
        const wrong = { ...right, ...entries };
        if (isUntouched || !isFilled) {
          await page.goto(`${gallery.url}/${fixture.name}/${kind}`);
          await page.locator("form.answer").waitFor();
          await fillByKeyboard(page, isUntouched ? wrong : right);
        }
        if (!isUntouched) for (const [name, texts] of Object.entries(entries)) await put(page, name, texts);
        await submitByKeyboard(page);
        const error = page.locator(`[id="${idOf(at, "error")}"]`);
        if (!scripts && (await error.count()) === 0) {
          // The page asks what the answers have brought up, and only then what is wrong with them.
          await page.locator("#form-trouble").waitFor();
          await fillByKeyboard(page, wrong);
          await submitByKeyboard(page);
        }
        assert.equal(await error.innerText(), says);
        // Those who do not see the sentence hear it at the control.
        if (at !== "")
          await page
            .locator(`[aria-describedby~="${idOf(at, "error")}"]`)
            .first()
            .waitFor({ state: "attached" });
        // Without scripts a function is asked once; a locator is asked again.
        await page.locator("#form-trouble:focus").waitFor();
        await hasCount(page.locator("#answer"), 0);
        if (index === 0) await axe(page);
        isFilled = !isUntouched;
        if (isFilled) for (const name of Object.keys(entries)) await put(page, name, right[name] ?? []);
      }
    });
  }
}
