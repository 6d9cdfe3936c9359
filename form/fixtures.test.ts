import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TEXT_RULES } from "./text-rules.ts";
import { checkPlan } from "./check.ts";
import { entriesOfPost } from "./entries.ts";
import type { Entries } from "./entries.ts";
import { FIXTURE_ZONE, FORM_FIXTURES } from "./fixtures.ts";
import type { FormFixture } from "./fixtures.ts";
import { nodesOf } from "./nodes.ts";
import { entriesOf, planForm, readForm } from "./plan.ts";
import type { Form } from "./plan.ts";

function formOf(fixture: FormFixture): Form {
  const now = new Date("2026-11-22T12:00:00Z");
  return readForm({ ...fixture, time_zone: FIXTURE_ZONE, now, texts: TEXT_RULES });
}

/** As a browser would post it and a server would read it. */
function posted(entries: Entries): Entries {
  const body = new URLSearchParams();
  for (const [name, texts] of Object.entries(entries)) for (const text of texts) body.append(name, text);
  return entriesOfPost(body.toString());
}

for (const fixture of FORM_FIXTURES)
  void describe(`the form "${fixture.title}"`, () => {
    const form = formOf(fixture);

    void test("lets its answer be entered, and gives exactly that answer back", () => {
      const entries = entriesOf(planForm(form, {}, fixture.answer));
      const plan = planForm(form, posted(entries));
      assert.deepEqual(checkPlan(form, plan), []);
      assert.deepEqual(plan.value, fixture.answer);
    });

    void test("decides nothing by itself", () => {
      for (const node of nodesOf(planForm(form, {}).root)) {
        if (node.hidden) continue;
        const isDecided =
          node.kind === "bool" || node.kind === "confirm" || node.kind === "choice" || node.kind === "variant";
        if (isDecided) assert.deepEqual(node.entry, [], `${node.name} is chosen from the start`);
      }
    });

    void test("calls every field by a name", () => {
      for (const node of nodesOf(planForm(form, {}, fixture.answer).root)) {
        assert.match(node.title, /\S/);
        const labels =
          node.kind === "variant" || node.kind === "choice" ? node.options.map((option) => option.label) : [];
        assert.equal(
          labels.some((label) => /^option \d/i.test(label)),
          false,
          labels.join(),
        );
      }
    });

    for (const { entries, at, says } of fixture.wrong)
      void test(`refuses ${JSON.stringify(entries)} with "${says}"`, () => {
        const right = entriesOf(planForm(form, {}, fixture.answer));
        const plan = planForm(form, posted({ ...right, ...entries }));
        const errors = checkPlan(form, plan);
        assert.equal(errors.find((error) => error.name === at)?.message, says, JSON.stringify(errors));
      });
  });
