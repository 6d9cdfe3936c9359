import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { InputBlock } from "@slack/types";
import { addUser } from "../../../test/support/people.ts";
import type { ServiceOptions, TestService } from "../../../test/support/service.ts";
import { liveButtons, said, testWithSlack, type Stage } from "../../../test/support/slack-service.ts";
import type { Json } from "../../../test/support/slack/check.ts";
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
    const { failure, payload } = await slack.submit({ user: dana, view, values: valuesOf(view) });
    assert.equal(failure, null);
    await isAsked;
    return payload!;
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
    assert.match(reply?.text ?? "", /Sent back\. Please answer again \(attempt 2 of 3\): Say why\./);
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
    assert.equal(told.text, "Your answer was sent back. The next one is attempt 2 of 3. Say why.");
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

/** What Slack gets when it sends a form again. */
const repeat = async ({ slack }: Stage, payload: Json) => {
  const { status, body } = await slack.send(payload);
  assert.equal(status, 200);
  return JSON.parse(body) as { response_action: string; errors?: object; view?: View };
};

testWithSlack(
  "a form that Slack sends again costs one attempt, and the reply says what became of the answer",
  async (stage) => {
    const { service, send } = stage;
    verdicts.push("never", "refuse", "never", "pass");
    const { view, submit, read } = await opened(stage);
    const payload = await submit();
    for (let again = 0; again < 2; again++) {
      const { response_action, view: next } = await repeat(stage, payload);
      assert.deepEqual([response_action, next && titleOf(next)], ["update", titleOf(view)]);
    }
    assert.equal(titleOf(view), "Checking your answer");
    assert.equal((await owed(service)).length, 1);
    service.clock.advance(MINUTE);
    await send();
    assert.match(said(view), /Say why\./);
    // It would close the form, or hide the reason, if it were answered as before.
    const late = await repeat(stage, payload);
    assert.equal(late.response_action, "update");
    assert.match(said(late.view!), /Say why\./);
    assert.match(JSON.stringify(late.view!.blocks), /"initial_value":"First try"/);
    assert.equal((await read()).verification_attempt, 1);

    // The form that was sent back is another one, even if nothing is changed in it.
    const better = await submit();
    service.clock.advance(MINUTE);
    await send();
    assert.equal(titleOf(view), "Answer sent");
    assert.deepEqual(await repeat(stage, better), { response_action: "clear" });
    assert.equal((await read()).status, "completed");
    assert.deepEqual(verdicts, []);
  },
  VERIFIED,
);

testWithSlack(
  "a form that arrives several times at once is one answer",
  async (stage) => {
    const { service } = stage;
    verdicts.push("never", "never", "never");
    const { submit } = await opened(stage);
    const sent = await submit();
    const shown = sent["view"] as { hash: string; state: { values: Json } };
    const sendAgain = async (view: object, times: number) => {
      const isAsked = once(asked, "asked");
      const payload = { ...sent, view: { ...shown, ...view } };
      const replies = await Promise.all(Array.from({ length: times }, async () => repeat(stage, payload)));
      for (const reply of replies) assert.deepEqual(reply, replies[0]);
      assert.equal(titleOf(replies[0]!.view!), "Checking your answer");
      await isAsked;
    };
    await sendAgain({ hash: "1769860800.other" }, 5);
    assert.equal((await owed(service)).length, 2);
    // Other entries are another answer, also in the same version of the form.
    await sendAgain({ state: { values: { ...shown.state.values, "/note": {} } } }, 5);
    assert.equal((await owed(service)).length, 3);
    assert.deepEqual(verdicts, []);
  },
  VERIFIED,
);

testWithSlack(
  "a form with errors, or whose check failed, can be sent again",
  async (stage) => {
    const { service, slack } = stage;
    verdicts.push("fail", "pass");
    const { dana, view, read } = await opened(stage);
    const submit = async () => slack.submit({ user: dana, view, values: valuesOf(view) });
    const settled = async () => {
      while ((await owed(service)).length > 0) await setImmediate();
    };
    const { payload } = await submit();
    await slack.until(() => titleOf(view) !== "Checking your answer");
    await settled();
    // The same version of the form, without a choice: nothing is counted.
    const shown = payload!["view"] as Json & { state: Json & { values: Json } };
    const values = { ...shown.state.values, "/approved": {} };
    const wrong = { ...payload!, view: { ...shown, state: { values } } };
    for (let again = 0; again < 2; again++)
      assert.deepEqual(Object.keys((await repeat(stage, wrong)).errors ?? {}), ["/approved"]);
    const { view: again } = await repeat(stage, payload!);
    assert.match(said(again!), /Nothing was sent\n?.*Submit your answer again\./s);
    assert.match(JSON.stringify(again!.blocks), /"initial_value":"First try"/);
    assert.equal((await read()).verification_attempt, 0);
    await submit();
    await slack.until(() => titleOf(view) === "Answer sent");
    await settled();
    assert.equal((await read()).status, "completed");
    assert.deepEqual(verdicts, []);
  },
  VERIFIED,
);
