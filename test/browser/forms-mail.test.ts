import assert from "node:assert/strict";
import { after, before } from "node:test";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../form/fixtures/forms.ts";
import { entriesOf, planForm, readForm } from "../../form/plan/plan.ts";
import { createLink } from "../../src/channels/email/links.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { axe, sharePage, testOnPage } from "./support/browser.ts";
import { createTask, serve, type Service } from "../support/dashboard.ts";
import { fillByKeyboard, submitByKeyboard } from "./form-filler.ts";

const DANA = "dana@example.com";

let service: Service;
let stop: () => Promise<void>;
before(async () => {
  service = await serve({ after: (end) => (stop = end) });
  await service.call("POST", "/api/users", { email: DANA });
  await service.ctx.db.write((tx) => tx.query.updateTable("users").set({ time_zone: FIXTURE_ZONE }).execute());
});
after(() => stop());

for (const scripts of [true, false]) {
  const shared = sharePage({ scripts, theme: scripts ? "light" : "dark", expected: [/status of 422/] });
  for (const fixture of FORM_FIXTURES)
    testOnPage(
      `"${fixture.title}" is answered through a link, ${scripts ? "with" : "without"} scripts`,
      shared,
      async (page) => {
        const { response_schema, form_definition, payload = {} } = fixture;
        const { id } = await createTask(service, fixture.title, {
          response_schema,
          form_definition,
          payload,
          notify: [`email:${DANA}`],
        });
        const path = new URL(createLink(service.ctx, id, DANA)).pathname;
        await page.goto(service.url + path);
        if (scripts) await page.locator("[data-live]").waitFor();
        await axe(page);
        const form = readForm({ ...fixture, channel: "email", time_zone: FIXTURE_ZONE, now: new Date() });
        const entries = entriesOf(planForm(form, {}, fixture.answer));
        const sent = page.getByRole("heading", { name: "Answer sent" });
        // Without scripts, an answer may bring up questions that are shown only then.
        for (let round = 0; round < 3 && (await sent.count()) === 0; round++) {
          await fillByKeyboard(page, entries);
          await submitByKeyboard(page);
          await sent.or(page.locator("#form-trouble, #form-confirm")).first().waitFor();
        }
        await sent.waitFor();
        const task = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
        assert.equal(task.completed_via_channel, "email");
        assert.deepEqual(task.response, fixture.answer);
      },
    );
}
