import assert from "node:assert/strict";
import type { InputBlock } from "@slack/types";
import { addUser } from "../../../test/support/people.ts";
import { liveButtons, said, testWithSlack } from "../../../test/support/slack-service.ts";
import type { View } from "../../../test/support/slack/workspace.ts";
import { ServiceError } from "../../errors.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

/** What the verifier says of the answers, one after the other. */
const verdicts: ("refuse" | "fail" | "pass")[] = [];

const titleOf = ({ title }: View) => (title as { text: string }).text;
const inputsOf = ({ blocks }: View) => (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");

testWithSlack(
  "while an answer is checked the modal says so, then what came of it, with what was entered",
  async ({ service, slack, send }) => {
    verdicts.push("refuse", "fail", "pass");
    await addUser(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({
      response_schema: {
        type: "object",
        properties: { approved: { type: "boolean" }, note: { type: "string" } },
        required: ["approved"],
      },
      notify: ["slack:#approvals"],
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 3 },
    });
    await send();
    const post = slack.posts[0]!;
    assert.ok(liveButtons(post).includes("answer:open"));
    assert.ok(!liveButtons(post).some((action) => action.startsWith("answer:choose")));
    await slack.click({ user: dana, post, action_id: "answer:open" });
    const view = slack.views[0]!;
    const submit = async () => {
      const values = Object.fromEntries(
        inputsOf(view).map(({ block_id = "", element }) => [
          block_id,
          { [element.action_id ?? ""]: block_id === "/approved" ? "0" : "First try" },
        ]),
      );
      const { failure } = await slack.submit({ user: dana, view, values });
      assert.equal(failure, null);
      // It may be over before anybody can look.
      await slack.until(() => titleOf(view) !== "Checking your answer");
    };
    await submit();
    assert.match(said(view), /Say why\./);
    assert.match(JSON.stringify(view.blocks), /"initial_value":"First try"/);
    await send();
    const reply = slack.posts.find(({ thread_ts }) => thread_ts === post.ts);
    assert.match(reply?.text ?? "", /Sent back, another answer is needed: Say why\./);
    await submit();
    assert.match(said(view), /Nothing was sent/);
    assert.match(JSON.stringify(view.blocks), /"initial_value":"First try"/);
    await submit();
    assert.equal(titleOf(view), "Answer sent");
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.status, "completed");
    await send();
    assert.deepEqual(liveButtons(post), []);
    assert.equal(slack.posts.filter(({ thread_ts }) => thread_ts !== null).length, 1);
    assert.deepEqual(slack.failures, []);
  },
  {
    env: { OPENAI_API_KEY: "k" },
    verify: async () => {
      const verdict = verdicts.shift();
      if (verdict === "fail") throw new ServiceError("VERIFIER_PROVIDER_ERROR");
      return verdict === "pass" ? { passed: true, reason: "Good." } : { passed: false, reason: "Say why." };
    },
  },
);
