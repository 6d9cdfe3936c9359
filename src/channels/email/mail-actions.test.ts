import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { actionTask } from "../../../test/support/actions.ts";
import { newAgent } from "../../../test/support/agents.ts";
import { header, mailsTo, send, withSender } from "../../../test/support/mail.ts";
import { addUser } from "../../../test/support/people.ts";
import { pageIn } from "../../../test/support/plain-page.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { createLink } from "./links.ts";

const DANA = "dana@example.com";
const LEE = "lee@example.com";

/** Returns the id of a new task, which tells Dana and Lee. */
async function ask({ call }: TestService, fields: object): Promise<string> {
  const body = { ...actionTask(fields), notify: [`email:${DANA}`, `email:${LEE}`] };
  const { status, body: task, text } = await call<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(status, 201, text);
  return task.id;
}

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

/** Returns the page that Dana's link leads to. */
const openedBy = (service: TestService, id: string) => pageIn(service, createLink(service.ctx, id, DANA));

testOnBoth("an email about an action says who wants to run it with what, and has each decision", async (service, t) => {
  const smtp = await withSender(service, t);
  const agent = await newAgent(service, { name: "refunds-bot" });
  const body = { ...actionTask({ action: { risk: "high" } }), notify: [`email:${DANA}`] };
  await agent.call("POST", "/api/tasks", { body });
  await send(service);
  const { text = "", html = "" } = await PostalMime.parse(mailsTo(smtp, DANA)[0]!.source);
  assert.match(text, /^ {2}refunds-bot wants to run refund \(high risk\)$/m);
  assert.match(text, /^ {2}Amount: 90$/m);
  assert.match(text, /^ {2}To · Name: Mia$/m);
  assert.match(text, /^ {2}Run refund\?\n {2}Pays the customer back\.$/m);
  const links = [...text.matchAll(/^\* (.*)\nhttp\S+\?choice=(\d)$/gm)].map(([, label, choice]) => [label, choice]);
  assert.deepEqual(links, [
    ["Approve…", "0"],
    ["Edit…", "1"],
    ["Reject…", "2"],
    ["Respond…", "3"],
  ]);
  for (const part of [text, html]) assert.doesNotMatch(part, /[{}]"|&quot;amount/);
});

testOnBoth(
  "an argument is shown as its hint says: in the mail, on its page, in its field, and once decided",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const money = { "ui:widget": "currency", "ui:currency": "EUR" };
    const action = {
      args: { amount: 90, script: "a = 1\nb = 2" },
      ui_schema: { amount: money, script: { "ui:widget": "code" } },
    };
    const id = await ask(service, { action });
    await send(service);
    const { text = "" } = await PostalMime.parse(mailsTo(smtp, DANA)[0]!.source);
    assert.match(text, /^ {2}Amount: €90\.00$/m);
    const page = await openedBy(service, id).open("?choice=1");
    assert.match(page.text, /Amount\n+€90\.00/);
    assert.match(page.html, /<pre[^>]*><code[^>]*>a = 1\nb = 2/);
    assert.match(page.text, /In EUR/);
    await page.post({ "/args/amount": "45" });
    assert.match(page.text, /Amount\n+€90\.00 → €45\.00/);
    const several = await ask(service, { actions: [action, {}] });
    await send(service);
    const { text: both = "" } = await PostalMime.parse(mailsTo(smtp, DANA).at(-1)!.source);
    assert.match(both, /refund: Amount: €90\.00/);
    assert.match((await openedBy(service, several).open()).text, /€90\.00/);
  },
);

testOnBoth(
  "a person lowers the amount by mail, without scripts, and what the page does not ask stays",
  async (service, t) => {
    const smtp = await withSender(service, t);
    await addUser(service, { email: DANA, display_name: "Dana" });
    const id = await ask(service, { action: { args: { amount: 90, to: { name: "Mia", id: 7 } } } });
    await send(service);
    const page = await openedBy(service, id).open("?choice=1");
    assert.equal((await read(service, id)).status, "created", "a link changes nothing");
    const { "/decision": decision, "/args/amount": amount, "/args/to/name": name } = page.fields();
    assert.deepEqual([decision, amount, name], ["1", "90", "Mia"]);
    await page.post({ "/args/amount": "101" });
    assert.equal(page.status, 422);
    assert.match(page.text, /Use 100 or less\./);
    await page.post({ "/args/amount": "45" });
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /Decision\n+Approved with changes\n+Amount\n+90 → 45/);
    const { response } = await read(service, id);
    assert.deepEqual(response, {
      decision: "edit",
      args: { amount: 45, to: { name: "Mia", id: 7 } },
      patch: [{ op: "replace", path: "/amount", value: 45 }],
    });
    await send(service);
    const ended = mailsTo(smtp, LEE)[1]!;
    assert.match(header(ended, "subject") ?? "", /^Approved with changes by Dana: /);
    const { text = "" } = await PostalMime.parse(ended.source);
    assert.match(text, /^ {2}Approved with changes by Dana on Sat 31 Jan/m);
    assert.match(text, /^ {2}Amount: 90 → 45$/m);
  },
);

testOnBoth("after a revision, only what the person changed on the page is an edit", async (service) => {
  const args = { amount: 90, to: { name: "Mia", id: 7 }, lines: [{ text: "Shoes" }] };
  const id = await ask(service, { action: { args } });
  const page = await openedBy(service, id).open("?choice=1");
  const { action } = actionTask() as unknown as { action: { args_schema: { properties: object } } };
  const args_schema = {
    ...action.args_schema,
    properties: { ...action.args_schema.properties, reason: { type: "string" } },
    required: ["amount", "reason"],
  };
  const now = { amount: 80, to: { name: "Ada", id: 8 }, lines: [{ text: "Boots" }], reason: "Broken" };
  const body = { action: { ...action, args: now, args_schema } };
  assert.equal((await service.call("POST", `/api/tasks/${id}/revise`, { body })).status, 200);
  // A later one, which changed no argument, does not hide what is new for this person.
  const described = { action: { ...body.action, description: "Pays back." } };
  assert.equal((await service.call("POST", `/api/tasks/${id}/revise`, { body: described })).status, 200);
  await page.post({ "/args/to/name": "Ana" });
  assert.equal(page.status, 409);
  assert.match(page.text, /This is version 3\. Compared with version 1, which you have seen:/);
  assert.match(page.text, /Mia → Ada/);
  const { "/args/amount": amount, "/args/to/name": name, "/args/lines/0/text": line } = page.fields();
  assert.deepEqual([amount, name, line, page.fields()["/args/reason"]], ["80", "Ana", "Boots", "Broken"]);
  await page.post();
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { ...now, to: { name: "Ana", id: 8 } },
    patch: [{ op: "replace", path: "/to/name", value: "Ana" }],
  });
});

testOnBoth("without scripts, the arguments appear when Edit is chosen on the page", async (service) => {
  const id = await ask(service, {});
  const page = await openedBy(service, id).open();
  assert.equal(page.fields()["/args/amount"], undefined);
  await page.post({ "/decision": "1" });
  assert.match(page.text, /Your answers changed which questions apply/);
  assert.equal(page.fields()["/args/amount"], "90");
  await page.post({ "/args/amount": "45", "/message": "Half of it." });
  assert.match(page.text, /Message\n+Half of it\./);
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { amount: 45, to: { name: "Mia" } },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
    message: "Half of it.",
  });
});

testOnBoth("approving is one press on the page; with high risk its name is typed first", async (service) => {
  const normal = await ask(service, {});
  const page = await openedBy(service, normal).open("?choice=0");
  await page.post();
  assert.match(page.text, /Answer sent/);
  assert.equal((await read(service, normal)).response?.["decision"], "approve");

  const risky = await ask(service, { action: { risk: "high" } });
  for (const choice of ["0", "1"]) {
    const asks = await openedBy(service, risky).open(`?choice=${choice}`);
    assert.match(asks.text, /Type "refund" to approve/);
    for (const typed of ["", "refun"]) {
      await asks.post({ "/confirm": typed, ...(choice === "1" && { "/args/amount": "45" }) });
      assert.equal(asks.status, 422);
      assert.match(asks.text, /Type this text exactly\./);
    }
    assert.equal((await read(service, risky)).status, "created");
    if (choice === "0") continue;
    await asks.post({ "/confirm": "refund" });
    assert.match(asks.text, /Answer sent/);
  }
  assert.equal((await read(service, risky)).response?.["decision"], "edit");
});

testOnBoth("with high risk its name is typed even beside an answer that is written as JSON", async (service) => {
  const risky = await ask(service, { action: { risk: "high" } });
  const page = await openedBy(service, risky).open();
  await page.post({ "~press": "json:" });
  const answers = { approve: { decision: "approve" }, edit: { decision: "edit", args: { amount: 45 } } };
  for (const [decision, answer] of Object.entries(answers)) {
    await page.post({ "~json": JSON.stringify(answer), "/confirm": "" });
    assert.match(page.text, /Type "refund" to approve/, decision);
    for (const typed of ["", "refun"]) {
      await page.post({ "/confirm": typed });
      assert.equal(page.status, 422);
      assert.match(page.text, /Type this text exactly\./);
    }
  }
  assert.equal((await read(service, risky)).status, "created");
  await page.post({ "/confirm": "refund" });
  assert.match(page.text, /Answer sent/);
  const { response } = await read(service, risky);
  assert.equal(response?.["decision"], "edit");

  const other = await ask(service, { action: { risk: "high" } });
  const rejecting = await openedBy(service, other).open();
  await rejecting.post({ "~press": "json:" });
  await rejecting.post({ "~json": '{ "decision": "reject" }' });
  assert.match(rejecting.text, /Answer sent/, "only an approval needs it");
});

testOnBoth("an edit outside of what may be edited is refused at its field", async (service) => {
  const lines = [{ text: "Jacket" }, { text: "Shoes" }];
  const id = await ask(service, { action: { args: { amount: 90, lines }, editable: ["/lines/0/text"] } });
  const page = await openedBy(service, id).open("?choice=1");
  await page.post({ "/args/lines/1/text": "Boots" });
  assert.equal(page.status, 422, page.text);
  assert.match(page.text, /Not sent\. Fix 1 answer below\./);
  assert.match(page.text, /This argument cannot be changed\./);
  await page.post({ "/args/lines/1/text": "Shoes", "/args/lines/0/text": "Coat" });
  assert.match(page.text, /Lines · 1 · Text\n+Jacket → Coat/);
});

testOnBoth("the page says why an edit without a change is not enough", async (service) => {
  const id = await ask(service, { action: { allowed: ["edit", "reject"] } });
  const page = await openedBy(service, id).open("?choice=0");
  await page.post();
  assert.equal(page.status, 422);
  assert.match(page.text, /Nothing was changed, and this action cannot be approved as it is\./);
});

testOnBoth("several actions are decided on one page, each with its name", async (service, t) => {
  const smtp = await withSender(service, t);
  await addUser(service, { email: DANA, display_name: "Dana" });
  const id = await ask(service, { actions: [{}, { name: "send_mail", risk: "high" }, { name: "close" }] });
  await send(service);
  const { text = "" } = await PostalMime.parse(mailsTo(smtp, LEE)[0]!.source);
  assert.match(text, /^ {2}Actions: refund, send_mail \(high risk\), close$/m);
  assert.match(text, /^ {2}refund: Amount: 90 · To · Name: Mia$/m);
  const page = await openedBy(service, id).open();
  for (const title of ["Run refund?", "Run send_mail?", "Run close?"]) assert.ok(page.text.includes(title), title);
  await page.post({ "/decisions/0/decision": "1", "/decisions/1/decision": "0", "/decisions/2/decision": "2" });
  assert.match(page.text, /Type "send_mail" to approve/);
  await page.post({ "/decisions/0/args/amount": "45" });
  assert.equal(page.status, 422);
  assert.match(page.text, /Type this text exactly\./);
  await page.post({ "/decisions/1/confirm": "send_mail", "/decisions/2/message": "Keep it open." });
  assert.match(page.text, /1 approved, 1 approved with changes, 1 rejected/);
  assert.match(page.text, /close · Message\n+Keep it open\./);
  const { decisions } = (await read(service, id)).response as { decisions: { decision: string }[] };
  assert.deepEqual(
    decisions.map(({ decision }) => decision),
    ["edit", "approve", "reject"],
  );
  await send(service);
  const ended = mailsTo(smtp, LEE)[1]!;
  assert.match(header(ended, "subject") ?? "", /^1 approved, 1 approved with changes, 1 rejected by Dana: /);
  const { text: end = "" } = await PostalMime.parse(ended.source);
  assert.match(end, /^ {2}refund: Approved with changes · Amount: 90 → 45$/m);
  assert.match(end, /^ {2}close: Rejected$/m);
});

testOnBoth("an email about the end tells nothing of a decision to people who may not know it", async (service, t) => {
  const smtp = await withSender(service, t);
  const answer = { response: { decision: "edit", args: { amount: 45 } }, completed_by_email: "kim@example.com" };
  const redacted = await ask(service, { redact_payload: true });
  await send(service);
  await service.call("POST", `/api/tasks/${redacted}/complete`, { body: answer });
  const { body: former } = await service.call<TaskRecord>("POST", "/api/tasks", { body: actionTask() });
  for (const email of [DANA, LEE]) {
    await service.call("POST", `/api/tasks/${former.id}/assign`, { body: { email } });
    await send(service);
  }
  await service.call("POST", `/api/tasks/${former.id}/complete`, { body: answer });
  await send(service);
  const ended = mailsTo(smtp, DANA).filter((mail) => header(mail, "subject")?.startsWith("Answered by"));
  assert.equal(ended.length, 2);
  for (const mail of ended) {
    const { text = "", html = "" } = await PostalMime.parse(mail.source);
    for (const part of [text, html]) assert.doesNotMatch(part, /Approved|→|Amount/);
  }
  assert.match(header(mailsTo(smtp, LEE).at(-1)!, "subject") ?? "", /^Approved with changes by kim@example\.com/);
});
