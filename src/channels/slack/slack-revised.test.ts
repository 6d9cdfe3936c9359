import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { addUser } from "../../../test/support/people.ts";
import { heldBy, inputOf, personIn } from "../../../test/support/slack-person.ts";
import type { ServiceOptions, TestService } from "../../../test/support/service.ts";
import { said, testWithSlack, whispers, type Stage } from "../../../test/support/slack-service.ts";
import type { Post } from "../../../test/support/slack/workspace.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const revise = async ({ call }: TestService, id: string, body: object) => {
  const { status, text } = await call("POST", `/api/tasks/${id}/revise`, { body });
  assert.equal(status, 200, text);
};
const repliesIn = ({ slack }: Stage, { ts }: Post) =>
  slack.posts.filter(({ thread_ts, ephemeral_to }) => thread_ts === ts && ephemeral_to === null).map(said);

/** Adds Dana, and returns what she does in Slack and the message about a new task. */
async function asked({ service, slack, send }: Stage, fields: object) {
  await addUser(service, { email: "dana@example.com", display_name: "Dana" });
  const dana = personIn(slack, slack.addUser({ name: "dana", email: "dana@example.com" }));
  const { id } = await service.create({ notify: ["slack:#approvals"], ...fields });
  await send();
  return { id, dana, post: slack.posts[0]! };
}

const FORM = {
  response_schema: {
    type: "object",
    properties: { approved: { type: "boolean" }, note: { type: "string" } },
    required: ["approved", "note"],
  },
};

testWithSlack(
  "the message of a revised task shows its version and what was said of it, and its thread what was changed",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, post } = await asked(stage, {});
    assert.doesNotMatch(said(post), /Version/);
    await revise(service, id, { payload: { amount: 10, customer: "Dana" }, note: "Without <!here> shipping." });
    await send();
    assert.match(said(post), /^Version 2: Without &lt;!here&gt; shipping\.$/m);
    assert.match(said(post), /^\*Amount\*\n10$/m);
    assert.deepEqual(repliesIn(stage, post), [
      "admin changed the request. This is version 2.\nWithout &lt;!here&gt; shipping.\n*Amount*\n12.5 → 10",
    ]);
    // It has no other message.
    assert.equal(slack.posts.filter(({ thread_ts }) => thread_ts === null).length, 1);
    await service.call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    await send();
    assert.match(said(post), /^Version 2$/m);
    assert.deepEqual(slack.failures, []);
  },
);

testWithSlack("Slack gets nothing of what a revision of a redacted task says and changes", async (stage) => {
  const { service, slack, send } = stage;
  const { id, post } = await asked(stage, { redact_payload: true });
  await revise(service, id, { payload: { amount: 77, customer: "Dana" }, note: "The secret word" });
  await send();
  assert.match(said(post), /^Version 2$/m);
  assert.match(
    repliesIn(stage, post)[0]!,
    /^admin changed the request\. This is version 2\.\n<.*\|Read it in the browser>$/,
  );
  assert.doesNotMatch(JSON.stringify(slack.calls), /secret word|77/);
});

testWithSlack(
  "a button of the version before sends nothing and says so, and that of the new one counts",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage, {});
    await revise(service, id, { payload: { amount: 10, customer: "Dana" } });
    // The message still shows version 1: it is updated a moment later.
    await dana.press(post, "answer:choose:0");
    assert.deepEqual(whispers(slack), [
      "The request has changed since. Nothing was sent. See version 2 in the message.",
    ]);
    assert.equal((await read(service, id)).status, "created");
    await send();
    await dana.press(post, "answer:choose:0");
    assert.equal((await read(service, id)).status, "completed");
  },
);

testWithSlack(
  "a form that shows an earlier version is shown again with the new one and what was entered, and counts then",
  async (stage) => {
    const { service, slack, send } = stage;
    const { id, dana, post } = await asked(stage, FORM);
    const view = await dana.open(post, "answer:open");
    await revise(service, id, { payload: { amount: 10, customer: "Dana" }, note: "Without shipping." });
    const entries = { "/approved": "0", "/note": "Mine" };
    assert.equal((await dana.submit(view, entries)).failure, null);
    assert.equal((await read(service, id)).status, "created");
    const shown = said(slack.views[0]!);
    assert.match(
      shown,
      /^\*Nothing was sent\*\nThe request has changed since\. Check the new version, and send your answer/m,
    );
    assert.match(shown, /^Version 2: Without shipping\.$/m);
    assert.match(shown, /^\*Amount\*\n10$/m);
    assert.equal(heldBy(inputOf(slack.views[0]!, "/note").element), "Mine");
    await send();
    await dana.submit(slack.views[0]!, {});
    const { status, response } = await read(service, id);
    assert.deepEqual([status, response], ["completed", { approved: true, note: "Mine" }]);
    assert.deepEqual(slack.failures, []);
  },
);

/** Called while the verifier is asked. */
let whileAsked: () => Promise<void> = async () => {};
const VERIFIED: ServiceOptions = {
  env: { OPENAI_API_KEY: "k" },
  verify: async () => {
    const work = whileAsked;
    whileAsked = async () => {};
    await work();
    return { passed: true, reason: "Good." };
  },
};

testWithSlack(
  "an answer that was checked while the task was revised does not count, and its form shows the new version",
  async (stage) => {
    const { service, slack } = stage;
    const { id, dana, post } = await asked(stage, {
      ...FORM,
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 3 },
    });
    const view = await dana.open(post, "answer:open");
    whileAsked = async () => revise(service, id, { payload: { amount: 10, customer: "Dana" } });
    await dana.submit(view, { "/approved": "0", "/note": "Mine" });
    await slack.until(() => said(slack.views[0]!).includes("The request has changed since."));
    assert.match(said(slack.views[0]!), /^Version 2$/m);
    assert.equal((await read(service, id)).status, "created");
    await dana.submit(slack.views[0]!, {});
    await slack.until(() => said(slack.views[0]!).includes("Your answer was sent to the agent."));
    assert.equal((await read(service, id)).status, "completed");
  },
  VERIFIED,
);

testWithSlack("where several people approve, a revision is told once, and they approve it again", async (stage) => {
  const { service, slack, send } = stage;
  await addUser(service, { email: "dana@example.com", display_name: "Dana" });
  await addUser(service, { email: "lee@example.com", display_name: "Lee" });
  const [dana, lee] = ["dana", "lee"].map((name) =>
    personIn(slack, slack.addUser({ name, email: `${name}@example.com` })),
  );
  const body = {
    ...actionTask(),
    approvals: { need: 2, from: { emails: ["dana@example.com", "lee@example.com"] } },
    notify: ["slack:#approvals"],
  };
  const { id } = (await service.call<TaskRecord>("POST", "/api/tasks", { body })).body;
  await send();
  const post = slack.posts[0]!;
  await dana!.press(post, "answer:choose:0");
  const { action } = actionTask() as unknown as { action: { args: object } };
  await revise(service, id, { action: { ...action, args: { ...action.args, amount: 80 } }, note: "Less." });
  await send();
  assert.match(said(post), /^0 of 2 have approved\.$/m);
  assert.deepEqual(repliesIn(stage, post), ["admin changed the request. This is version 2.\nLess.\n*Amount*\n90 → 80"]);
  for (const one of [dana, lee]) await one!.press(post, "answer:choose:0");
  assert.equal((await read(service, id)).status, "completed");
  assert.deepEqual(slack.failures, []);
});
