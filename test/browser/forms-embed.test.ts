import assert from "node:assert/strict";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../form/fixtures/forms.ts";
import { entriesOf, planForm, readForm } from "../../form/plan/plan.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { axeInFrame, testInBrowser } from "./support/browser.ts";
import { hears, openForm, withEmbed } from "./support/embed-host.ts";
import { fillByKeyboard, submitByKeyboard, type Typed } from "./form-filler.ts";

for (const fixture of FORM_FIXTURES)
  testInBrowser(`"${fixture.title}" is answered in the page of another product`, async (open, t) => {
    const service = await withEmbed(t);
    const page = await open({ origins: [service.url], timeZone: FIXTURE_ZONE });
    const { response_schema, form_definition, payload = {} } = fixture;
    const { id, frame } = await openForm(service, page, { response_schema, form_definition, payload });
    await axeInFrame(page);
    const form = readForm({ ...fixture, channel: "embed", time_zone: FIXTURE_ZONE, now: new Date() });
    const entries = entriesOf(planForm(form, {}, fixture.answer));
    // The keys are the page's, and what they change is the frame's.
    const inside: Typed = Object.create(frame, { keyboard: { value: page.keyboard } }) as Typed;
    const sent = frame.getByRole("heading", { name: "Submitted" });
    for (let round = 0; round < 3 && !(await sent.isVisible()); round++) {
      await fillByKeyboard(inside, entries);
      await submitByKeyboard(inside);
      await sent.or(frame.locator("#form-trouble, #form-confirm")).filter({ visible: true }).first().waitFor();
    }
    await sent.waitFor();
    assert.deepEqual((await hears(page, "task.completed"))["response"], fixture.answer);
    const task = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(task.completed_via_channel, "embed");
    assert.deepEqual(task.response, fixture.answer);
  });
