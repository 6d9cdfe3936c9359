import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { newAgent } from "../../../test/support/agents.ts";
import { addUser, callAs, person, signedIn } from "../../../test/support/people.ts";
import { personIn, heldBy, inputOf } from "../../../test/support/slack-person.ts";
import type { TestService } from "../../../test/support/service.ts";
import { liveButtons, said, testWithSlack, whispers, type Stage } from "../../../test/support/slack-service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

type Call = TestService["call"];

const NAMES = ["ada", "ben", "cy"] as const;
const emailOf = (name: string) => `${name}@example.com`;

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

const memberOf = (slack: Stage["slack"], name: string) =>
  personIn(slack, slack.addUser({ name, email: emailOf(name) }));

/** Adds Ada, Ben and Cy, and returns what they do in Slack. Ada has linked her account. */
async function people({ service, slack }: Stage) {
  const [ada, ben, cy] = NAMES.map((name) => slack.addUser({ name, email: emailOf(name) }));
  const linked = { slack_team_id: slack.team.id, slack_user_id: ada!.id };
  const users = new Map<string, string>();
  for (const name of NAMES) {
    const account = name === "ada" ? linked : {};
    const user = await addUser(service, { email: emailOf(name), display_name: name, ...account });
    users.set(name, user.id);
  }
  return { users, ada: personIn(slack, ada!), ben: personIn(slack, ben!), cy: personIn(slack, cy!) };
}

/** Returns the message about a new task that two of Ada, Ben and Cy must approve. */
async function ask(
  { service, slack, send }: Stage,
  approvals: object = {},
  fields: object = {},
  call: Call = service.call,
) {
  const body = {
    ...actionTask(),
    approvals: { need: 2, from: { emails: NAMES.map(emailOf) }, ...approvals },
    notify: ["slack:#approvals"],
    ...fields,
  };
  const { status, body: task, text } = await call<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(status, 201, text);
  await send();
  return { id: task.id, post: slack.posts.at(-1)! };
}

testWithSlack("the buttons stay for the others, and the message says who has approved", async (stage) => {
  const { service, slack, send } = stage;
  const { ada, ben } = await people(stage);
  const { id, post } = await ask(stage);
  assert.match(said(post), /^0 of 2 have approved\.$/m);
  for (let presses = 0; presses < 2; presses++) {
    await ada.press(post, "answer:choose:0");
    assert.match(whispers(slack).at(-1) ?? "", /^You approved\. 1 of 2 have approved\.$/);
    await send();
    assert.match(said(post), /^1 of 2: ada approved$/m);
    assert.equal(liveButtons(post)[0], "answer:choose:0");
    assert.equal((await read(service, id)).approvals!.have, 1);
  }
  const whisper = slack.posts.at(-1)!;
  await ada.press(whisper, "take-back");
  assert.match(whispers(slack).at(-1) ?? "", /^You took it back/);
  await ada.press(whisper, "take-back");
  assert.match(whispers(slack).at(-1) ?? "", /^You have no decision to take back here\. Nothing was sent\.$/);
  await send();
  assert.match(said(post), /^0 of 2 have approved\.$/m);

  await ada.press(post, "answer:choose:0");
  await ben.press(post, "answer:choose:0");
  assert.equal((await read(service, id)).status, "completed");
  await send();
  assert.match(said(post), /^2 of 2: ada approved, ben approved$/m);
  assert.deepEqual(liveButtons(post), []);
});

testWithSlack("a person who approves in Slack and signed in counts once", async (stage) => {
  const { service } = stage;
  const { users, ada } = await people(stage);
  const { id, post } = await ask(stage);
  await ada.press(post, "answer:choose:0");
  const call = callAs(service, await signedIn(service, users.get("ada")!));
  const again = await call<TaskRecord>("POST", `/api/tasks/${id}/complete`, {
    body: { response: { decision: "approve" } },
  });
  assert.deepEqual([again.status, again.body.status, again.body.approvals!.have], [200, "created", 1]);
});

testWithSlack("a press on what was changed since approves nothing", async (stage) => {
  const { service, slack, send } = stage;
  const { ada, ben, cy } = await people(stage);
  const { id, post } = await ask(stage);
  await ada.press(post, "answer:choose:0");
  const stale = await cy.open(post, "answer:open:3");
  const editing = await ben.open(post, "answer:open:1");
  const { payload } = await ben.submit(editing, { "/args/amount": "45" });
  assert.match(said(editing), /You approved with changes/);
  const again = await slack.send(payload!);
  assert.match(again.body, /You approved with changes/);
  assert.equal((await read(service, id)).approvals!.round, 2);

  // The message that they see is still the old one.
  await cy.press(post, "answer:choose:0");
  assert.match(whispers(slack).at(-1) ?? "", /Someone changed the arguments.*Nothing was sent\.$/);
  await cy.submit(stale, { "/message": "Why?" });
  assert.match(said(stale), /Someone changed the arguments/);
  assert.match(said(stale), /^\*Amount\*\n45$/m);
  assert.equal(heldBy(inputOf(stale, "/message").element), "Why?");
  assert.equal((await read(service, id)).approvals!.have, 1);

  await send();
  assert.match(said(post), /^\*Amount\*\n45$/m);
  assert.match(said(post), /^1 of 2: ben approved$/m);
  const replies = slack.posts.filter(({ thread_ts }) => thread_ts === post.ts);
  assert.deepEqual(
    replies.map((reply) => said(reply)),
    ["ben changed the arguments: Amount: 90 → 45. Earlier approvals do not count any more."],
  );
  const direct = slack.posts.find((one) => /Decide again/.test(said(one)))!;
  assert.match(said(direct), /Amount: 90 → 45/);
  await ada.press(direct, "answer:choose:0");
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { amount: 45, to: { name: "Mia" } },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
});

testWithSlack(
  "a click after the end says that an earlier decision counted, and drops no other without a word",
  async (stage) => {
    const { service, slack, send } = stage;
    const { ada, ben, cy } = await people(stage);
    const { id, post } = await ask(stage);
    const [late, other] = [await ada.open(post, "answer:open:3"), await ada.open(post, "answer:open:1")];
    const { payload } = await ada.submit(other, { "/args/amount": "45" });
    await ada.submit(late, { "/message": "Why?" });
    assert.match(said(late), /Someone changed the arguments/);
    assert.equal(heldBy(inputOf(late, "/message").element), "Why?");
    await send();
    await ben.press(
      slack.posts.find((one) => one.ts === post.ts)!,
      "answer:choose:0",
    );
    assert.equal((await read(service, id)).status, "completed");

    await ada.press(post, "answer:choose:2");
    assert.equal(
      whispers(slack).at(-1),
      "Already answered by ben. You approved with changes, and it counted. Nothing else was sent.",
    );
    await ada.submit(late, { "/message": "Why?" });
    assert.match(said(late), /You approved with changes, and it counted\. Nothing else was sent\./);
    assert.match((await slack.send(payload!)).body, /Your decision counted/);
    await cy.press(post, "answer:choose:0");
    assert.equal(whispers(slack).at(-1), "Already answered by ben. Nothing was sent.");
  },
);

testWithSlack("who answers with a message is not said to have rejected", async (stage) => {
  const { service, send } = stage;
  const { users } = await people(stage);
  const { id, post } = await ask(stage, { veto: "none" });
  for (const [name, response] of [
    ["ada", { decision: "respond", message: "Why?" }],
    ["ben", { decision: "reject", message: "No." }],
  ] as const) {
    const call = callAs(service, await signedIn(service, users.get(name)!));
    assert.equal((await call("POST", `/api/tasks/${id}/complete`, { body: { response } })).status, 200);
  }
  await send();
  assert.match(said(post), /^0 of 2: ada answered with a message, ben rejected$/m);
});

testWithSlack("a blind task tells Slack nothing of what people decided, a redacted one numbers only", async (stage) => {
  const { service, slack, send } = stage;
  const { ada, users } = await people(stage);
  const blind = await ask(stage, { blind: true });
  await ada.press(blind.post, "answer:choose:0");
  assert.equal(whispers(slack).at(-1), "You approved. 2 people must approve.");
  await send();
  assert.doesNotMatch(said(blind.post), /ada approved|1 of 2/);

  const redacted = await ask(stage, {}, { redact_payload: true });
  const call = callAs(service, await signedIn(service, users.get("ada")!));
  assert.equal(
    (await call("POST", `/api/tasks/${redacted.id}/complete`, { body: { response: { decision: "approve" } } })).status,
    200,
  );
  await send();
  assert.match(said(redacted.post), /^1 of 2 have approved\.$/m);
  assert.doesNotMatch(said(redacted.post), /ada approved/);
});

testWithSlack("nobody approves in Slack what they asked for, or what is asked on their behalf", async (stage) => {
  const { service, slack } = stage;
  const op = await person(service, { email: "ada@example.com", is_operator: true, display_name: "ada" });
  await addUser(service, { email: "ben@example.com", display_name: "ben" });
  const [ada, ben, stranger] = [memberOf(slack, "ada"), memberOf(slack, "ben"), memberOf(slack, "nobody")];
  const agent = await newAgent(service, { owner_user_id: op.user.id });
  const approvals = { need: 1, from: undefined, exclude: ["asker", "on_behalf_of"] };
  const asked: [call: Call, fields: object, why: RegExp][] = [
    [op.call, {}, /You asked for this, so someone else has to decide\./],
    [agent.call, {}, /The agent that asks for this is yours/],
    [service.call, { on_behalf_of: { email: "ADA@example.com" } }, /This is asked on your behalf/],
    [service.call, { on_behalf_of: { id: op.user.id } }, /This is asked on your behalf/],
  ];
  for (const [call, fields, why] of asked) {
    const { id, post } = await ask(stage, approvals, fields, call);
    for (const button of ["answer:choose:0", "answer:open:1", "answer:choose:2"]) {
      const before = slack.views.length;
      await ada.press(post, button);
      assert.match(whispers(slack).at(-1) ?? "", why);
      assert.equal(slack.views.length, before);
    }
    await stranger.press(post, "answer:choose:0");
    assert.match(whispers(slack).at(-1) ?? "", /Only people of the directory can decide|have an account/);
    assert.equal((await read(service, id)).approvals!.have, 0);
    await ben.press(post, "answer:choose:0");
    assert.equal((await read(service, id)).status, "completed");
  }
});
