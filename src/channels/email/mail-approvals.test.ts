import assert from "node:assert/strict";
import PostalMime from "postal-mime";
import { pageIn, type PlainPage } from "../../../test/support/plain-page.ts";
import { actionTask } from "../../../test/support/actions.ts";
import { newAgent } from "../../../test/support/agents.ts";
import { header, mailsTo, send, withSender } from "../../../test/support/mail.ts";
import { addUser, person } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { ServiceError } from "../../errors.ts";
import type { TaskRecord } from "../../tasks/schema.ts";
import { createLink } from "./links.ts";

const ADA = "ada@example.com";
const BEN = "ben@example.com";
const CY = "cy@example.com";
const PEOPLE = [ADA, BEN, CY];

type Call = TestService["call"];

/** Returns the id of a new task that two of Ada, Ben and Cy must approve. */
async function ask(call: Call, approvals: object = {}, fields: object = {}): Promise<string> {
  const body = {
    ...actionTask(),
    approvals: { need: 2, from: { emails: PEOPLE }, ...approvals },
    notify: PEOPLE.map((email) => `email:${email}`),
    ...fields,
  };
  const { status, body: task, text } = await call<TaskRecord>("POST", "/api/tasks", { body });
  assert.equal(status, 201, text);
  return task.id;
}

async function addPeople(service: TestService): Promise<void> {
  for (const email of PEOPLE) await addUser(service, { email, display_name: email.slice(0, 3) });
}

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

const pageOf = (service: TestService, id: string, address: string) =>
  pageIn(service, createLink(service.ctx, id, address));

async function decideAs(
  service: TestService,
  id: string,
  address: string,
  entered: Record<string, string> = {},
  choice = 0,
): Promise<PlainPage> {
  const page = await pageOf(service, id, address).open(`?choice=${choice}`);
  return page.post(entered);
}

testOnBoth("each person has a link that works until enough of them have approved", async (service) => {
  await addPeople(service);
  const id = await ask(service.call);
  const ada = await decideAs(service, id, ADA);
  for (const page of [ada, await pageOf(service, id, ADA).open(), await pageOf(service, id, ADA).open("?choice=2")]) {
    assert.equal(page.status, 200);
    assert.match(page.text, /^You approved$/m);
    assert.match(page.text, /^1 of 2 have approved\.$/m);
    assert.match(page.text, /^Take it back$/m);
    assert.equal(page.fields()["/decision"], undefined);
  }
  assert.equal((await read(service, id)).status, "created");

  await ada.post();
  assert.match(ada.text, /You took it back\. Nothing of yours counts until you decide again\./);
  assert.equal((await read(service, id)).approvals!.have, 0);
  const stale = await pageOf(service, id, ADA).open("?choice=0");
  await stale.post();
  assert.match(stale.text, /^You approved$/m);

  const ben = await pageOf(service, id, BEN).open("?choice=0");
  assert.match(ben.text, /2 people must approve\. Nothing is sent/);
  await ben.post();
  assert.match(ben.text, /Answer sent/);
  assert.equal((await read(service, id)).status, "completed");
  await ada.open();
  assert.match(ada.text, /Answered by ben/);
  assert.match(ada.text, /You approved, and it counted\. ben answered this task/);
});

testOnBoth("a person who approves by their link and signed in counts once", async (service) => {
  const ada = await person(service, { email: ADA });
  await addUser(service, { email: BEN });
  await addUser(service, { email: CY });
  const id = await ask(service.call);
  await decideAs(service, id, ADA);
  const again = await ada.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, {
    body: { response: { decision: "approve" } },
  });
  assert.deepEqual([again.status, again.body.status, again.body.approvals!.have], [200, "created", 1]);
});

testOnBoth("what was taken back in the meantime, or counts twice, changes nothing", async (service) => {
  await addPeople(service);
  const id = await ask(service.call);
  const form = await pageOf(service, id, ADA).open("?choice=0");
  await decideAs(service, id, ADA);
  await form.post();
  assert.match(form.text, /^1 of 2 have approved\.$/m);
  const other = await pageOf(service, id, ADA).open();
  await form.post();
  await other.post();
  assert.equal(other.status, 404);
  assert.match(other.text, /You have no decision to take back here/);
  assert.notEqual(other.fields()["~nonce"], undefined);

  await decideAs(service, id, ADA);
  const forged = await pageOf(service, id, ADA).open();
  await forged.post({ "~nonce": "" });
  assert.equal(forged.status, 403);
  assert.match(forged.text, /^You approved$/m);
  assert.equal((await read(service, id)).approvals!.have, 1);
});

testOnBoth("a form that was opened before an edit approves nothing, and keeps what was typed", async (service, t) => {
  const smtp = await withSender(service, t);
  await addPeople(service);
  const id = await ask(service.call);
  await send(service);
  await decideAs(service, id, ADA);
  const [approving, rejecting] = [
    await pageOf(service, id, CY).open("?choice=0"),
    await pageOf(service, id, CY).open("?choice=2"),
  ];
  const double = await pageOf(service, id, BEN).open("?choice=1");
  const ben = await decideAs(service, id, BEN, { "/args/amount": "45" }, 1);
  assert.match(ben.text, /^You approved with changes$/m);
  assert.match(ben.text, /^1 of 2 have approved\.$/m);
  await double.post({ "/args/amount": "45" });
  assert.match(double.text, /^You approved with changes$/m);

  await approving.post();
  await rejecting.post({ "/message": "Too much." });
  for (const page of [approving, rejecting]) {
    assert.equal(page.status, 409);
    assert.match(page.text, /Not sent: someone changed the arguments in the meantime/);
    assert.match(page.text, /Amount\n+45/);
    assert.equal(page.fields()["~round"], "2");
  }
  assert.equal(approving.fields()["/decision"], "0");
  assert.equal(rejecting.fields()["/message"], "Too much.");
  assert.deepEqual((await read(service, id)).approvals!.have, 1);

  await send(service);
  const [first, again] = mailsTo(smtp, ADA);
  assert.equal(mailsTo(smtp, BEN).length + mailsTo(smtp, CY).length, 2);
  assert.equal(header(again!, "in-reply-to"), header(first!, "message-id"));
  assert.match(header(again!, "subject") ?? "", /^Changed: /);
  const { text = "", html = "" } = await PostalMime.parse(again!.source);
  assert.match(text, /^ben changed what you approved$/m);
  assert.match(text, /^ {2}Amount: 90 → 45$/m);
  assert.match(text, /^ {2}Amount: 45$/m);
  assert.match(html, /Amount: 90 → 45/);
  const { text: asked = "" } = await PostalMime.parse(first!.source);
  assert.match(asked, /2 people must approve\. You confirm on the next page/);

  const ada = await pageOf(service, id, ADA).open("?choice=1");
  assert.equal(ada.fields()["/args/amount"], "45");
  await approving.post();
  assert.match(approving.text, /Answer sent/);
  assert.deepEqual((await read(service, id)).response, {
    decision: "edit",
    args: { amount: 45, to: { name: "Mia" } },
    patch: [{ op: "replace", path: "/amount", value: 45 }],
  });
});

testOnBoth(
  "a page says so when it drops another decision of a person, and when an earlier one counted",
  async (service) => {
    await addPeople(service);
    const id = await ask(service.call);
    const stale = await pageOf(service, id, BEN).open("?choice=2");
    const second = await pageOf(service, id, BEN).open("?choice=2");
    const late = await pageOf(service, id, ADA).open("?choice=0");
    await decideAs(service, id, BEN, { "/args/amount": "45" }, 1);
    await stale.post({ "/message": "Too much." });
    assert.equal(stale.status, 409);
    assert.match(stale.text, /^You approved with changes$/m);
    assert.match(stale.text, /What you just sent does not count: it was about arguments that were changed since\./);

    const again = await pageOf(service, id, BEN).open();
    assert.doesNotMatch(again.text, /does not count/);
    await late.open("?choice=0");
    await late.post();
    assert.match(late.text, /Answer sent/);
    await second.post({ "/message": "Too much." });
    assert.match(second.text, /You approved with changes, and it counted\. ada answered this task/);
    assert.match(second.text, /^Nothing else was sent\.$/m);
    assert.match(second.text, /Your unsent answer[^]*Too much\./);
    await again.open();
    assert.match(again.text, /You approved with changes, and it counted\./);
    assert.doesNotMatch(again.text, /othing (else )?was sent/);
  },
);

/** When the connection to the database is lost. */
let lost: "before the commit" | "after the commit" | null = null;

testOnBoth(
  "after a commit that was not confirmed, a page says that it does not know, or what is stored",
  async (service) => {
    await addPeople(service);
    const id = await ask(service.call);
    const page = await pageOf(service, id, ADA).open("?choice=0");
    lost = "before the commit";
    await page.post();
    assert.equal(page.status, 503);
    assert.match(page.text, /We do not know yet whether your answer was stored/);
    assert.doesNotMatch(page.text, /Not sent|Nothing was sent\b/);
    lost = "after the commit";
    await page.post();
    lost = null;
    assert.match(page.text, /^You approved$/m);
    assert.equal((await read(service, id)).approvals!.have, 1);
  },
  {
    db: (opened) => {
      const write: typeof opened.write = async (work) => {
        if (lost === "before the commit") throw new ServiceError("COMMIT_UNKNOWN");
        const done = await opened.write(work);
        if (lost !== null) throw new ServiceError("COMMIT_UNKNOWN");
        return done;
      };
      return Object.assign(Object.create(opened) as typeof opened, { write });
    },
  },
);

testOnBoth("a page without the round that it shows approves nothing", async (service) => {
  await addPeople(service);
  const id = await ask(service.call);
  for (const round of ["", "2", "one"]) {
    const page = await decideAs(service, id, ADA, { "~round": round });
    assert.equal(page.status, 409);
  }
  assert.equal((await read(service, id)).approvals!.have, 0);
});

testOnBoth("an edit of several actions is told action by action, a confidential one not at all", async (service, t) => {
  const smtp = await withSender(service, t);
  await addPeople(service);
  for (const redact_payload of [false, true]) {
    const fields = { ...actionTask({ actions: [{}, { name: "close" }] }), action: undefined, redact_payload };
    const id = await ask(service.call, {}, fields);
    await send(service);
    const [approved, edited] = [
      { "/decisions/0/decision": "0", "/decisions/1/decision": "0" },
      { "/decisions/0/decision": "0", "/decisions/1/decision": "1" },
    ];
    await (await pageOf(service, id, ADA).open()).post(approved);
    const page = await (await pageOf(service, id, BEN).open()).post(edited);
    await page.post({ "/decisions/1/args/amount": "45" });
    assert.match(page.text, /^You approved with changes$/m);
    await send(service);
    const { text = "" } = await PostalMime.parse(mailsTo(smtp, ADA).at(-1)!.source);
    assert.match(text, /^ben changed what you approved$/m);
    if (redact_payload) assert.doesNotMatch(text, /Amount|→/);
    else {
      assert.match(text, /^ {2}close: Amount: 90 → 45$/m);
      assert.match(text, /^ {2}close: Amount: 45 · To · Name: Mia$/m);
      assert.doesNotMatch(text, /refund: Amount: 90 →/);
    }
  }
});

testOnBoth("while it is blind, a page says no number, and a mail not who changed it", async (service, t) => {
  const smtp = await withSender(service, t);
  await addPeople(service);
  const id = await ask(service.call, { blind: true });
  await send(service);
  const ada = await decideAs(service, id, ADA);
  assert.match(ada.text, /^You approved$/m);
  assert.match(ada.text, /^2 people must approve\.$/m);
  assert.doesNotMatch(ada.text, /1 of 2/);
  await decideAs(service, id, BEN, { "/args/amount": "45" }, 1);
  await send(service);
  const { text = "" } = await PostalMime.parse(mailsTo(smtp, ADA).at(-1)!.source);
  assert.match(text, /^What you approved was changed$/m);
  assert.doesNotMatch(text, /ben changed/);
});

testOnBoth("without a veto, a rejection leaves the link to its person too", async (service) => {
  await addPeople(service);
  const id = await ask(service.call, { veto: "none" });
  const ada = await decideAs(service, id, ADA, {}, 2);
  assert.match(ada.text, /^You rejected$/m);
  assert.match(ada.text, /^0 of 2 have approved\.$/m);
  await decideAs(service, id, BEN);
  const cy = await decideAs(service, id, CY);
  assert.match(cy.text, /Answer sent/);
  assert.equal((await read(service, id)).response?.["decision"], "approve");
});

testOnBoth(
  "a link approves nothing that its person asked for, or that is asked on their behalf",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const op = await person(service, { email: ADA, is_operator: true });
    const agent = await newAgent(service, { owner_user_id: op.user.id });
    await addUser(service, { email: BEN });
    const exclude = ["asker", "on_behalf_of"];
    const notify = [`email:${ADA}`, `email:${BEN}`, "email:nobody@example.com"];
    const approvals = { need: 1, from: undefined, exclude };
    const asked: [call: Call, fields: object, why: RegExp][] = [
      [op.call, {}, /You asked for this, so someone else has to decide\./],
      [agent.call, {}, /The agent that asks for this is yours/],
      [service.call, { on_behalf_of: { email: ADA.toUpperCase() } }, /This is asked on your behalf/],
      [service.call, { on_behalf_of: { id: op.user.id } }, /This is asked on your behalf/],
    ];
    for (const [call, fields, why] of asked) {
      const id = await ask(call, approvals, { notify, ...fields });
      await send(service);
      await send(service);
      const told = mailsTo(smtp, ADA).filter((mail) => header(mail, "subject")?.startsWith("For your information"));
      const { text = "" } = await PostalMime.parse(told.at(-1)!.source);
      assert.match(text.replaceAll(/\n +/g, " "), why);
      assert.match(text, /You cannot answer it/);
      const other = await pageOf(service, id, BEN).open("?choice=0");
      const form = other.fields();
      for (const method of ["open", "post"] as const) {
        const page = pageOf(service, id, ADA);
        await (method === "open" ? page.open("?choice=0") : page.post(form));
        assert.equal(page.status, 403);
        assert.match(page.text, why);
        assert.equal(page.fields()["~nonce"], undefined);
      }
      const stranger = await pageOf(service, id, "nobody@example.com").open();
      assert.equal(stranger.status, 403);
      assert.match(stranger.text, /Only people of the directory can decide/);
      assert.equal((await read(service, id)).approvals!.have, 0);
      await other.post();
      assert.equal((await read(service, id)).status, "completed");
    }
  },
);
