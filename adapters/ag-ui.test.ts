import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventType, type Interrupt, type RunAgentInput } from "@ag-ui/core";
import { fromInterrupts, runWithPeople, type ResumeEntry } from "./ag-ui.ts";
import { testAgent, typesOf } from "./support/agents.ts";

/** An agent behind HTTP, which calls two tools, interrupts, and ends when it is resumed. */
function pausingAgent(threadId: string, interrupts: readonly Interrupt[]) {
  const resumed: RunAgentInput["resume"][] = [];
  const eventsOf = ({ runId, resume }: RunAgentInput): object[] => {
    const begin = { type: EventType.RUN_STARTED, threadId, runId };
    const end = { type: EventType.RUN_FINISHED, threadId, runId };
    if (resume !== undefined) {
      resumed.push(resume);
      return [begin, { ...end, outcome: { type: "success" } }];
    }
    const call = (toolCallId: string, toolCallName: string, args: object) => [
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(args) },
      { type: EventType.TOOL_CALL_END, toolCallId },
    ];
    const calls = [...call("call-1", "refund", { amount: 90 }), ...call("call-2", "mail", { to: "mia" })];
    return [begin, ...calls, { ...end, outcome: { type: "interrupt", interrupts } }];
  };
  const agent = new HttpAgent({
    url: "https://agent.example",
    threadId,
    fetch: async (_, { body }) => {
      const events = eventsOf(JSON.parse(body as string) as RunAgentInput);
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { agent, resumed };
}

const approved = { type: "boolean" };
const INTERRUPTS: Interrupt[] = [
  {
    id: "int-1",
    reason: "tool_call",
    message: "Refund Mia?",
    toolCallId: "call-1",
    responseSchema: {
      type: "object",
      properties: { approved, editedArgs: { type: "object", properties: { amount: { type: "number" } } } },
      required: ["approved"],
    },
  },
  {
    id: "int-2",
    reason: "tool_call",
    toolCallId: "call-2",
    responseSchema: { type: "object", properties: { approved }, required: ["approved"] },
  },
  {
    id: "int-3",
    reason: "input_required",
    message: "Which account?",
    responseSchema: { type: "object", properties: { iban: { type: "string" } }, required: ["iban"] },
    metadata: { customer: "Mia" },
  },
  { id: "int-4", reason: "confirmation", message: "Go on?" },
  { id: "int-5", reason: "acme:hold", message: "What now?", expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
];

testAgent("all interrupts of an AG-UI run are asked, and answered in one resume", async (around) => {
  const { agent, resumed } = pausingAgent("thread-1", INTERRUPTS);
  await agent.runAgent();
  const { threadId, messages, pendingInterrupts } = agent;
  assert.equal(pendingInterrupts.length, 5);
  const options = () => ({ assignTo: { email: "dana@example.com" } });
  const ask = async () => fromInterrupts(pendingInterrupts, { threadId, messages, options, client: around.client });
  const { tasks } = await ask();
  const records = await Promise.all(tasks.map(async ({ taskId }) => around.client.get(taskId)));
  assert.deepEqual(
    records.map(({ task, payload, action }) => [task, payload, action?.name, action?.allowed]),
    [
      ["Refund Mia?", { amount: 90 }, "refund", ["approve", "edit", "reject"]],
      ["Run mail?", { to: "mia" }, "mail", ["approve", "reject"]],
      ["Which account?", { customer: "Mia" }, undefined, undefined],
      ["Go on?", {}, undefined, undefined],
      ["What now?", {}, undefined, undefined],
    ],
  );
  assert.equal(records[0]!.assigned_to_email, "dana@example.com");
  const seconds = records[4]!.timeout_seconds;
  assert.ok(seconds > 3000 && seconds <= 3600, String(seconds));
  const [first, second, third, fourth, fifth] = tasks.map(({ taskId }) => taskId);
  await around.answer(first!, { decision: "edit", args: { amount: 45 } });
  await around.answer(second!, { decision: "reject", message: "Not now." });
  await around.answer(third!, { iban: "DE1" });
  await around.answer(fourth!, { value: true });
  assert.deepEqual(
    (await ask()).tasks.map(({ isOpen }) => isOpen),
    [false, false, false, false, true],
  );
  await around.client.cancel(fifth!, { reason: "Gone." });
  const resume = await (await ask()).answers();
  const expected: ResumeEntry[] = [
    { interruptId: "int-1", status: "resolved", payload: { approved: true, editedArgs: { amount: 45 } } },
    { interruptId: "int-2", status: "resolved", payload: { approved: false }, metadata: { message: "Not now." } },
    { interruptId: "int-3", status: "resolved", payload: { iban: "DE1" } },
    { interruptId: "int-4", status: "resolved", payload: true },
  ];
  assert.deepEqual(resume.slice(0, 4), expected);
  assert.deepEqual([resume[4]?.status, "payload" in resume[4]!], ["cancelled", false]);
  await agent.runAgent({ resume });
  assert.deepEqual([resumed, agent.pendingInterrupts], [[resume], []]);
});

testAgent("an agent runs until it waits for nobody", async (around) => {
  const { agent, resumed } = pausingAgent("thread-2", INTERRUPTS.slice(0, 1));
  const client = {
    ...around.client,
    ask: (async (question) => {
      const asked = await around.client.ask(question);
      await around.answer(asked.id, { decision: "approve" });
      return asked;
    }) as typeof around.client.ask,
  };
  await runWithPeople(agent, {}, { client });
  assert.deepEqual(resumed, [[{ interruptId: "int-1", status: "resolved", payload: { approved: true } }]]);
});

testAgent("an interrupt that has expired is not asked, because no answer would be taken", async (around) => {
  const interrupts = [{ ...INTERRUPTS[3]!, expiresAt: "2020-01-01T00:00:00Z" }];
  const asking = fromInterrupts(interrupts, { threadId: "t", client: around.client });
  await assert.rejects(asking, { code: "INTERRUPT_EXPIRED" });
  assert.equal((await around.questions()).length, 0);
});

void test("the programs of the page compile", async (t) => {
  assert.equal(await typesOf(t, "docs/frameworks/ag-ui.md"), "");
});
