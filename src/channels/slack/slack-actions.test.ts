import assert from "node:assert/strict";
import { actionTask } from "../../../test/support/actions.ts";
import { newAgent } from "../../../test/support/agents.ts";
import { addUser } from "../../../test/support/people.ts";
import type { TestService } from "../../../test/support/service.ts";
import { heldBy, inputOf, personIn } from "../../../test/support/slack-person.ts";
import {
  buttonsIn,
  liveButtons,
  said,
  testWithSlack,
  whispers,
  type Stage,
} from "../../../test/support/slack-service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

/** Adds Dana, who has an account, and returns what she does in Slack. */
async function asDana({ service, slack, send }: Stage) {
  await addUser(service, { email: "dana@example.com", display_name: "Dana" });
  const user = slack.addUser({ name: "dana", email: "dana@example.com" });

  /** Returns the message about a new task. */
  const ask = async (fields: object, { call } = service as Pick<TestService, "call">) => {
    const body = { ...actionTask(fields), notify: ["slack:#approvals"] };
    const { status, body: task, text } = await call<TaskRecord>("POST", "/api/tasks", { body });
    assert.equal(status, 201, text);
    await send();
    return { id: task.id, post: slack.posts.at(-1)! };
  };
  return { ask, ...personIn(slack, user) };
}

testWithSlack("an argument is shown in Slack as its hint says, alone and among several", async (stage) => {
  const dana = await asDana(stage);
  const ui_schema = { amount: { "ui:title": "Sum", "ui:widget": "currency", "ui:currency": "EUR" } };
  const { post } = await dana.ask({ action: { ui_schema } });
  assert.match(said(post), /^\*Sum\*\n€90\.00$/m);
  const { post: several } = await dana.ask({ actions: [{ ui_schema }, {}] });
  assert.match(said(several), /Sum: €90\.00/);
  assert.match(said(several), /Amount: 90/);
});

testWithSlack("a message about an action says who wants to run it with what, and has each decision", async (stage) => {
  const dana = await asDana(stage);
  const agent = await newAgent(stage.service, { name: "refunds-bot" });
  const { post } = await dana.ask({}, agent);
  assert.match(said(post), /^refunds-bot wants to run refund$/m);
  assert.match(said(post), /^\*Amount\*\n90$/m);
  assert.match(said(post), /^\*To · Name\*\nMia$/m);
  assert.doesNotMatch(said(post), /"amount"/);
  assert.deepEqual(liveButtons(post).slice(0, 4), [
    "answer:choose:0",
    "answer:open:1",
    "answer:choose:2",
    "answer:open:3",
  ]);
});

testWithSlack("approving and rejecting is one press, and responding asks for a message", async (stage) => {
  const { service, send } = stage;
  const dana = await asDana(stage);
  const endings: [button: string, says: RegExp, response: object][] = [
    ["answer:choose:0", /^Approved by Dana$/m, { decision: "approve", args: { amount: 90, to: { name: "Mia" } } }],
    ["answer:choose:2", /^Rejected by Dana$/m, { decision: "reject" }],
  ];
  for (const [button, says, response] of endings) {
    const { id, post } = await dana.ask({});
    await dana.press(post, button);
    assert.deepEqual((await read(service, id)).response, response);
    await send();
    assert.match(said(post), says);
    assert.deepEqual(liveButtons(post), []);
  }
  const { id, post } = await dana.ask({});
  const view = await dana.open(post, "answer:open:3");
  await dana.submit(view, { "/message": " " });
  assert.equal((await read(service, id)).status, "created");
  await dana.submit(view, { "/message": "Ask Finance first." });
  assert.deepEqual((await read(service, id)).response, { decision: "respond", message: "Ask Finance first." });
  await send();
  assert.match(said(post), /^Answered with a message by Dana$/m);
});

testWithSlack("a person lowers the amount in Slack, and what the form does not show stays", async (stage) => {
  const { service, slack, send } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ action: { args: { amount: 90, to: { name: "Mia", id: 7 } } } });
  const view = await dana.open(post, "answer:open:1");
  assert.equal(heldBy(inputOf(view, "/decision").element), "1");
  assert.equal(heldBy(inputOf(view, "/args/amount").element), "90");
  const { payload } = await dana.submit(view, { "/args/amount": "45" });
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { amount: 45, to: { name: "Mia", id: 7 } },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
  // Slack sends it again if the reply was slow: it was this very answer.
  const repeated = await slack.send(payload!);
  assert.deepEqual(JSON.parse(repeated.body), { response_action: "clear" });
  await send();
  assert.match(said(post), /^Approved with changes by Dana$/m);
  assert.match(said(post), /^\*Amount\*\n90 → 45$/m);
  assert.deepEqual(slack.failures, []);
});

testWithSlack("after a revision, only what the person changed in the form is an edit", async (stage) => {
  const { service, slack } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ action: { args: { amount: 90, to: { name: "Mia", id: 7 } } } });
  const view = await dana.open(post, "answer:open:1");
  const before = inputOf(view, "/args/amount").element.action_id;
  const { action } = actionTask() as unknown as { action: object };
  const args = { amount: 80, to: { name: "Ada", id: 8 } };
  const body = { action: { ...action, args } };
  assert.equal((await service.call("POST", `/api/tasks/${id}/revise`, { body })).status, 200);
  await dana.submit(view, { "/args/to/name": "Ana" });
  assert.equal((await read(service, id)).status, "created");
  const [shown] = slack.views;
  assert.deepEqual(
    ["/args/amount", "/args/to/name"].map((block) => heldBy(inputOf(shown!, block).element)),
    ["80", "Ana"],
  );
  // Slack keeps what an input holds as long as it is the same input.
  assert.notEqual(inputOf(shown!, "/args/amount").element.action_id, before);
  await dana.submit(shown!, {});
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { ...args, to: { name: "Ana", id: 8 } },
    patch: [{ op: "replace", path: "/to/name", value: "Ana" }],
  });
  assert.deepEqual(slack.failures, []);
});

testWithSlack("nothing approves an action of high risk in one press: its name is typed", async (stage) => {
  const { service } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ action: { risk: "high" } });
  assert.match(said(post), /^Action: refund \(high risk\)$/m);
  assert.deepEqual(liveButtons(post).slice(0, 4), [
    "answer:open:0",
    "answer:open:1",
    "answer:choose:2",
    "answer:open:3",
  ]);
  for (const button of ["answer:open:0", "answer:open:1"]) {
    const view = await dana.open(post, button);
    assert.match(said(view), /Type "refund" to approve/);
    await dana.submit(view, { "/confirm": "refunds" });
    assert.equal((await read(service, id)).status, "created");
    if (button === "answer:open:1") await dana.submit(view, { "/confirm": "Refund", "/args/amount": "45" });
  }
  assert.equal((await read(service, id)).response?.["decision"], "edit");
});

testWithSlack("an edit in the modal outside of what may be edited is refused at its field", async (stage) => {
  const { service } = stage;
  const dana = await asDana(stage);
  const tags = { type: "array", items: { enum: ["a", "b", "c"] } };
  const args_schema = { type: "object", properties: { amount: { type: "number" }, tags } };
  const fields = { args: { amount: 90, tags: ["a"] }, args_schema, editable: ["/amount", "/tags/0"] };
  const { id, post } = await dana.ask({ action: fields });
  const view = await dana.open(post, "answer:open:1");
  await dana.submit(view, { "/args/tags": ["0", "2"] });
  assert.deepEqual(view.errors, { "/args/tags": "This argument cannot be changed." });
  assert.equal((await read(service, id)).status, "created");
  await dana.submit(view, { "/args/tags": ["2"], "/args/amount": "45" });
  assert.deepEqual((await read(service, id)).response?.["args"], { amount: 45, tags: ["c"] });
});

testWithSlack("arguments that Slack cannot ask for are edited on the page that Edit leads to", async (stage) => {
  const { service, slack } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ action: { args: { amount: 90, lines: [{ text: "Jacket" }] } } });
  // The rows are not in the message, so that no press is enough.
  assert.deepEqual(liveButtons(post).slice(0, 2), ["answer:open:0", "answer:open:1"]);
  await dana.press(post, "answer:open:1");
  assert.match(whispers(slack).at(-1) ?? "", /This link is personal/);
  const link = /"url":"([^"]*)"/.exec(JSON.stringify(slack.posts.at(-1)!.blocks))?.[1] ?? "";
  const { pathname, search } = new URL(link);
  const { text } = await service.call("GET", pathname + search, { token: null });
  assert.match(text, /name="\/args\/amount"[^>]*value="90"|value="90"[^>]*name="\/args\/amount"/);
  const view = await dana.open(post, "answer:open:0");
  await dana.submit(view, {});
  assert.equal((await read(service, id)).response?.["decision"], "approve");
});

testWithSlack("several actions are decided in one modal, each under its name and arguments", async (stage) => {
  const { service, send } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ actions: [{}, { name: "send_mail", risk: "high" }, { name: "close" }] });
  assert.match(said(post), /^Actions: refund, send_mail \(high risk\), close$/m);
  assert.match(said(post), /^\*send_mail\*\nAmount: 90 · To · Name: Mia$/m);
  assert.deepEqual(buttonsIn(post).slice(0, 2), ["answer:open", "open"]);
  const view = await dana.open(post, "answer:open");
  assert.match(said(view), /^refund\n\*Amount\*\n90\n/m);
  for (const [i, option] of ["1", "0", "2"].entries()) await dana.choose(view, `/decisions/${i}/decision`, option);
  assert.match(said(view), /Type "send_mail" to approve/);
  await dana.submit(view, { "/decisions/0/args/amount": "45", "/decisions/1/confirm": "send" });
  assert.equal((await read(service, id)).status, "created");
  await dana.submit(view, { "/decisions/0/args/amount": "45", "/decisions/1/confirm": "send_mail" });
  // An answer whose check takes longer than Slack waits is accepted in the background.
  await send();
  const { decisions } = (await read(service, id)).response as { decisions: { decision: string }[] };
  assert.deepEqual(
    decisions.map(({ decision }) => decision),
    ["edit", "approve", "reject"],
  );
  await send();
  assert.match(said(post), /^1 approved, 1 approved with changes, 1 rejected by Dana$/m);
  assert.match(said(post), /^\*refund\*\nApproved with changes · Amount: 90 → 45$/m);
});

testWithSlack("a redacted action tells Slack neither its arguments nor what was decided", async (stage) => {
  const { service, send } = stage;
  const dana = await asDana(stage);
  const { id, post } = await dana.ask({ redact_payload: true });
  assert.deepEqual(liveButtons(post)[0], "answer:browser");
  const body = { response: { decision: "edit", args: { amount: 45 } } };
  assert.equal((await service.call("POST", `/api/tasks/${id}/complete`, { body })).status, 200);
  await send();
  // Ids and times are drawn by lot, and may have the same digits.
  const telling = said(post)
    .replaceAll(id, "")
    .replaceAll(/<!date[^>]*>/g, "");
  assert.doesNotMatch(telling, /90|45|Mia|Approved/);
});
