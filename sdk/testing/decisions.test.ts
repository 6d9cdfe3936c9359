import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, createTestHuman, edits, rejects, responds, TestMistake, together } from "./index.ts";

type Who = { by: string; after: "1 hour" };

const allowed = ["approve", "edit", "reject", "respond"] as const;
const refund = { name: "refund", args: { amount: 90, to: "mia" }, allowed };
const mail = { name: "mail", args: { to: "mia" }, allowed };
const RULES = [approve(), edits({ amount: 45 }), rejects("Too much."), rejects(), responds("Ask Lee.")];

void test("a person decides about an action as the rule says", async () => {
  const decided = RULES.map(async (rule) => createTestHuman(rule).client.approve(refund));
  const patch = [{ op: "replace", path: "/amount", value: 45 }];
  assert.deepEqual(await Promise.all(decided), [
    { decision: "approve", args: refund.args },
    { decision: "edit", args: { amount: 45, to: "mia" }, patch },
    { decision: "reject", message: "Too much." },
    { decision: "reject" },
    { decision: "respond", message: "Ask Lee." },
  ]);
});

void test("a person decides about several actions, and edits those that have the arguments", async () => {
  const decided = RULES.map(async (rule) => {
    const { decisions } = await createTestHuman(rule).client.approve({ actions: [refund, mail] });
    return decisions.map(({ decision, args }) => [decision, args?.to]);
  });
  assert.deepEqual(await Promise.all(decided), [
    [
      ["approve", "mia"],
      ["approve", "mia"],
    ],
    [
      ["edit", "mia"],
      ["approve", "mia"],
    ],
    [
      ["reject", undefined],
      ["reject", undefined],
    ],
    [
      ["reject", undefined],
      ["reject", undefined],
    ],
    [
      ["respond", undefined],
      ["respond", undefined],
    ],
  ]);
});

void test("several people decide about one question, each once", async () => {
  const [ada, ben, cy] = ["ada", "ben", "cy"].map((name) => ({ by: `${name}@example.com`, after: "1 hour" })) as [
    Who,
    Who,
    Who,
  ];
  const approvals = { need: 2, veto: "none" as const, from: { emails: [ada.by, ben.by, cy.by] } };
  const human = createTestHuman(together(approve(ada), rejects("No.", ben), approve(ada), approve(cy)));
  assert.deepEqual(await human.client.approve({ ...refund, approvals }), { decision: "approve", args: refund.args });
  const { have, decisions } = human.lastAsked.approvals!;
  assert.deepEqual(
    [have, decisions.map(({ by, decision }) => `${by.email} ${decision}`)],
    [2, ["ada@example.com approve", "ben@example.com reject", "cy@example.com approve"]],
  );
  assert.equal(human.lastAsked.completed_at, "2026-01-31T16:00:00.000Z");

  const changed = createTestHuman(
    together(approve(ada), edits({ amount: 45 }, ben), approve(cy), rejects("Late.", ada)),
  );
  const { decision, args } = await changed.client.approve({ ...refund, approvals });
  assert.deepEqual([decision, args], ["edit", { amount: 45, to: "mia" }]);
  assert.equal(changed.lastAsked.approvals!.changed_by!.email, ben.by);
});

void test("an approval says something where the action needs a message", async () => {
  const { client } = createTestHuman(approve());
  const { message } = await client.approve({ ...refund, messageRequired: ["approve"] });
  assert.equal(message, "ok");
});

void test("a decision that cannot be is a mistake of the test", async () => {
  const isMistake = (pattern: RegExp) => (error: unknown) =>
    error instanceof TestMistake && pattern.test(error.message);
  const ask = async (rule: ReturnType<typeof approve>) => createTestHuman(rule).client.awaitHuman({ task: "Refund?" });
  await assert.rejects(ask(edits({})), isMistake(/asks about none/));
  await assert.rejects(ask(rejects()), isMistake(/asks about none/));
  await assert.rejects(ask(responds("x")), isMistake(/asks about none/));
  const none = createTestHuman(edits({ iban: "x" })).client.approve({ actions: [refund, mail] });
  await assert.rejects(none, isMistake(/has the arguments iban/));
  const notAllowed = createTestHuman(edits({ amount: 1 })).client.approve({ name: "refund", args: { amount: 2 } });
  await assert.rejects(notAllowed, isMistake(/which the service would reject/));
});
