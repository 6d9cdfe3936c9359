import assert from "node:assert/strict";
import type { InputBlock, ModalView } from "@slack/types";
import { FORM_FIXTURES, type FormFixture } from "../../../form/fixtures/forms.ts";
import { entriesOf, planForm } from "../../../form/plan/plan.ts";
import { addUser } from "../../../test/support/people.ts";
import { liveButtons, said, testWithSlack } from "../../../test/support/slack-service.ts";
import type { View } from "../../../test/support/slack/workspace.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { slackForm } from "./modal/form.ts";
import { modalOf } from "./modal/modal.ts";

type Entry = string | string[] | number;

/** What a person enters into each field to give the answer, by block. */
function entriesIn(view: ModalView): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const block of view.blocks as InputBlock[]) {
    if (block.type !== "input") continue;
    const element = block.element as unknown as Record<string, unknown>;
    const option = element["initial_option"] as { value: string } | undefined;
    const options = element["initial_options"] as { value: string }[] | undefined;
    const entry =
      option?.value ??
      options?.map(({ value }) => value) ??
      element["initial_value"] ??
      element["initial_date"] ??
      element["initial_time"] ??
      element["initial_date_time"];
    if (entry !== undefined) entries.set(block.block_id ?? "", entry as Entry);
  }
  return entries;
}

const inputsOf = ({ blocks }: View) => (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");

/** What is entered must lead to this answer, as far as Slack can ask it. */
function wantedOf(fixture: FormFixture, answer: unknown) {
  const { response_schema, form_definition, payload = {} } = fixture;
  const form = slackForm({ response_schema, form_definition, payload }, "UTC", new Date());
  const task = {
    id: "tsk_a",
    task: fixture.title,
    asker: null,
    payload,
    payload_schema: {},
    response_schema,
    form_definition,
    actions: null,
  };
  const entries = entriesOf(planForm(form, {}, answer));
  const view = modalOf(
    { ...task, redact_payload: false, timeout_at: 0, urgent: false, on_timeout: null },
    form,
    entries,
    { channel: "C1", ts: "1.1" },
  );
  return view && entriesIn(view);
}

testWithSlack("each form is answered in Slack, or says that it needs the browser", async ({ service, slack, send }) => {
  await addUser(service, { email: "dana@example.com" });
  const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
  const answered: string[] = [];
  for (const fixture of FORM_FIXTURES) {
    const { title, response_schema, form_definition = null, payload = {}, answer } = fixture;
    const { id } = await service.create({
      task: title,
      payload,
      payload_schema: {},
      response_schema,
      form_definition,
      notify: ["slack:#approvals"],
    });
    await send();
    const post = slack.posts.at(-1)!;
    if (!liveButtons(post).includes("answer:open")) {
      assert.match(said(post), /Open in browser to answer\./, fixture.name);
      continue;
    }
    await slack.click({ user: dana, post, action_id: "answer:open" });
    const view = slack.views.at(-1)!;
    // A code would be shown while it is written: it is left to the browser.
    const { pin: _pin, ...expected } = answer;
    const wanted = wantedOf(fixture, expected)!;
    // What decides brings the rest up.
    for (const { block_id = "", element, dispatch_action } of inputsOf(view)) {
      const entry = wanted.get(block_id);
      if (dispatch_action !== true || entry === undefined) continue;
      await slack.clickInView({ user: dana, view, block_id, action_id: element.action_id ?? "", entry });
    }
    const values = Object.fromEntries(
      inputsOf(view).map(({ block_id = "", element }) => [
        block_id,
        { [element.action_id ?? ""]: wanted.get(block_id) ?? (/checkboxes|multi/.test(element.type) ? [] : null) },
      ]),
    );
    const outcome = await slack.submit({ user: dana, view, values });
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.status, "completed", `${fixture.name}: ${JSON.stringify(outcome)}`);
    assert.deepEqual(body.response, expected, fixture.name);
    answered.push(fixture.name);
  }
  assert.ok(answered.length >= 12, answered.join());
  assert.deepEqual(slack.failures, []);
});

testWithSlack(
  "a form that Slack sends again gets the same reply; another person is told who was first",
  async ({ service, slack, send }) => {
    for (const name of ["dana", "lee"]) await addUser(service, { email: `${name}@example.com`, display_name: name });
    const [dana, lee] = ["dana", "lee"].map((name) => slack.addUser({ name, email: `${name}@example.com` }));
    const { id } = await service.create({
      response_schema: { type: "object", properties: { why: { type: "string" } }, required: ["why"] },
      notify: ["slack:#approvals"],
    });
    await send();
    const open = async (user: typeof dana) => {
      await slack.click({ user: user!, post: slack.posts[0]!, action_id: "answer:open" });
      const view = slack.views.at(-1)!;
      const [{ block_id = "", element }] = inputsOf(view) as [InputBlock];
      const values = { [block_id]: { [element.action_id ?? ""]: "It was broken." } };
      return { view, submit: async () => slack.submit({ user: user!, view, values }) };
    };
    const [first, second] = [await open(dana), await open(lee)];
    const { payload } = await first.submit();
    const repeated = await slack.send(payload!);
    assert.deepEqual([repeated.status, JSON.parse(repeated.body)], [200, { response_action: "clear" }]);
    await second.submit();
    assert.match(said(second.view), /Already answered by dana\./);
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.completed_by_email, "dana@example.com");
    assert.deepEqual(slack.failures, []);
  },
);
