import assert from "node:assert/strict";
import { FIXTURE_ZONE, FORM_FIXTURES } from "../../form/fixtures/forms.ts";
import { entriesOf, planForm, readForm } from "../../form/plan/plan.ts";
import { testInBrowser } from "./support/browser.ts";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { fillByKeyboard, submitByKeyboard } from "./form-filler.ts";

/** Of the forms that forms-react.test.ts answers, those that the page around them could get in the way of. */
const PARTS = [
  ["consent", "lists", "conditions", "prefilled"],
  ["anything", "times", "zod", "pydantic"],
];

for (const names of PARTS)
  testInBrowser(`on the task's page, a form is answered as everywhere: ${names.join(", ")}`, async (open, t) => {
    const service = await serve(t);
    await addOperator(service, "ada@example.com");
    const page = await open({ timeZone: FIXTURE_ZONE, expected: [/status of 422/] });
    await signIn(page, service, "ada@example.com");
    const fixtures = FORM_FIXTURES.filter(({ name }) => names.some((part) => name.startsWith(part)));
    assert.ok(fixtures.length >= names.length);
    for (const { name, title, response_schema, form_definition, payload, answer } of fixtures) {
      const documents = { response_schema, form_definition: form_definition ?? null, payload: payload ?? {} };
      const { id } = await createTask(service, title, documents);
      await page.goto(`${service.url}/tasks/${id}`);
      const form = page.locator("form.answer");
      await form.waitFor();
      assert.doesNotMatch(await form.innerText(), /Option \d/, name);
      const plan = planForm(readForm({ ...documents, time_zone: FIXTURE_ZONE, now: new Date() }), {}, answer);
      await fillByKeyboard(page, entriesOf(plan));
      await submitByKeyboard(page);
      await page.getByText("Answer sent").waitFor();
      const { response } = await service.call<{ response: unknown }>("GET", `/api/tasks/${id}`);
      assert.deepEqual(response, answer, name);
    }
  });
