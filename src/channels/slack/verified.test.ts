import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { InputBlock } from "@slack/types";
import { addUser } from "../../../test/support/people.ts";
import type { ServiceOptions, TestService } from "../../../test/support/service.ts";
import { liveButtons, said, testWithSlack, type Stage } from "../../../test/support/slack-service.ts";
import type { View } from "../../../test/support/slack/workspace.ts";
import { ServiceError } from "../../errors.ts";
import { MINUTE } from "../../lib/time.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

/** What the verifier says of the answers, one after the other. */
const verdicts: ("refuse" | "fail" | "pass" | "never")[] = [];

/** Tells when the verifier is asked. */
const asked = new EventEmitter();

const titleOf = ({ title }: View) => (title as { text: string }).text;
const inputsOf = ({ blocks }: View) => (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");

const valuesOf = (view: View) =>
  Object.fromEntries(
    inputsOf(view).map(({ block_id = "", element }) => [
      block_id,
      { [element.action_id ?? ""]: block_id === "/approved" ? "0" : "First try" },
    ]),
  );

/** A task whose answers are checked, and its form as Dana has opened it. */
async function opened({ service, slack, send }: Stage) {
  await addUser(service, { email: "dana@example.com", display_name: "Dana" });
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
  await slack.click({ user: dana, post, action_id: "answer:open" });
  const read = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
  const view = slack.views[0]!;
  /** Until the verifier has the answer. */
  const submit = async () => {
    const isAsked = once(asked, "asked");
    assert.equal((await slack.submit({ user: dana, view, values: valuesOf(view) })).failure, null);
    await isAsked;
  };
  return { id, dana, post, view, submit, read };
}

const VERIFIED: ServiceOptions = {
  env: { OPENAI_API_KEY: "k" },
  verify: async () => {
    const verdict = verdicts.shift();
    asked.emit("asked");
    if (verdict === "never") return new Promise(() => {});
    if (verdict === "fail")
      throw new ServiceError("VERIFIER_PROVIDER_ERROR", {
        details: [{ path: "/verifier_config", message: "The provider answered HTTP 500." }],
      });
    return verdict === "pass" ? { passed: true, reason: "Good." } : { passed: false, reason: "Say why." };
  },
};

testWithSlack(
  "while an answer is checked the modal says so, then what came of it, with what was entered",
  async (stage) => {
    const { slack, send } = stage;
    verdicts.push("refuse", "fail", "pass");
    const { dana, post, view, read } = await opened(stage);
    assert.ok(liveButtons(post).includes("answer:open"));
    assert.ok(!liveButtons(post).some((action) => action.startsWith("answer:choose")));
    const submit = async () => {
      assert.equal((await slack.submit({ user: dana, view, values: valuesOf(view) })).failure, null);
      // It may be over before anybody can look.
      await slack.until(() => titleOf(view) !== "Checking your answer");
    };
    await submit();
    assert.match(said(view), /Say why\./);
    assert.match(JSON.stringify(view.blocks), /"initial_value":"First try"/);
    await send();
    const reply = slack.posts.find(({ thread_ts }) => thread_ts === post.ts);
    assert.match(reply?.text ?? "", /Sent back\. Please answer again: Say why\./);
    await submit();
    assert.match(said(view), /Nothing was sent/);
    assert.match(said(view), /^Automatic check is unavailable\. Your answer is saved here; try again in a minute\.$/m);
    assert.doesNotMatch(said(view), /HTTP 500|provider/);
    assert.match(JSON.stringify(view.blocks), /"initial_value":"First try"/);
    await submit();
    assert.equal(titleOf(view), "Answer sent");
    assert.equal((await read()).status, "completed");
    await send();
    assert.deepEqual(liveButtons(post), []);
    assert.equal(slack.posts.filter(({ thread_ts }) => thread_ts !== null).length, 1);
    assert.deepEqual(slack.failures, []);
  },
  VERIFIED,
);

const owed = async ({ ctx }: TestService) =>
  ctx.db.query.selectFrom("deliveries").select(["id", "status"]).where("kind", "=", "slack_answer").execute();

testWithSlack(
  "an answer whose check was cut off is checked after all, and whoever gave it is told",
  async (stage) => {
    const { service, send } = stage;
    verdicts.push("never", "pass");
    const { view, submit, read } = await opened(stage);
    await submit();
    assert.equal(titleOf(view), "Checking your answer");
    await send();
    assert.equal((await read()).status, "created");
    service.clock.advance(MINUTE);
    await send();
    const { response, completed_by_email } = await read();
    assert.deepEqual(response, { approved: true, note: "First try" });
    assert.equal(completed_by_email, "dana@example.com");
    assert.equal(titleOf(view), "Answer sent");
    assert.deepEqual(
      (await owed(service)).map(({ status }) => status),
      ["SUCCEEDED"],
    );
  },
  VERIFIED,
);

testWithSlack(
  "an answer that was judged just before the process ended is not judged again",
  async (stage) => {
    const { service, send } = stage;
    verdicts.push("never", "refuse", "never", "pass");
    const { id, view, submit, read } = await opened(stage);
    await submit();
    // As if this had been its verdict: the process ended between that and telling.
    const answer = { response: { approved: true, note: "First try" } };
    await service.call("POST", `/api/tasks/${id}/complete`, { body: answer });
    service.clock.advance(MINUTE);
    await send();
    assert.equal((await read()).verification_attempt, 1);
    assert.match(said(view), /Say why\./);
    await submit();
    await service.call("POST", `/api/tasks/${id}/complete`, {
      body: { ...answer, completed_via_channel: "slack", completed_by_email: "dana@example.com" },
    });
    service.clock.advance(MINUTE);
    await send();
    assert.equal(titleOf(view), "Answer sent");
    assert.deepEqual(verdicts, []);
  },
  VERIFIED,
);

testWithSlack(
  "whoever has closed the window is told alone what became of their answer, and can try again",
  async (stage) => {
    const { service, slack, send } = stage;
    verdicts.push("never", "refuse", "pass");
    const { dana, view, submit } = await opened(stage);
    await submit();
    await slack.dismiss({ user: dana, view });
    service.clock.advance(MINUTE);
    await send();
    const told = slack.posts.find(({ ephemeral_to }) => ephemeral_to === dana.id)!;
    assert.equal(told.text, "Your answer was sent back. Say why.");
    await slack.click({ user: dana, post: told, action_id: "answer:open" });
    assert.match(said(slack.views[0]!), /Say why\./);
    // For an answer that was checked at once nothing is owed when it was told; what is left is of the first.
    await slack.submit({ user: dana, view: slack.views[0]!, values: valuesOf(slack.views[0]!) });
    const again = slack.views[0]!;
    await slack.until(() => titleOf(again) === "Answer sent");
    while ((await owed(service)).length > 1) await setImmediate();
  },
  VERIFIED,
);
