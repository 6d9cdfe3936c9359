import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventType, type BaseEvent, type Interrupt, type RunAgentInput } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";
import { agUi } from "../src/resume/kinds/ag-ui.ts";
import { attemptOnce, OUTCOME } from "../test/support/engines/attempt.ts";
import { listen } from "../test/support/listen.ts";

/*
 * The kind resumes an agent that reads and writes with the official packages: `RunAgentInputSchema` reads its runs, `EventEncoder` writes
 * the events, and the official client makes the first run, whose interrupts are then answered.
 */

const INTERRUPTS: Interrupt[] = [
  { id: "int-1", reason: "confirmation", message: "Refund Mia?" },
  { id: "int-2", reason: "confirmation", message: "Write to her?" },
];

/** Serves an agent that interrupts its first run, and works for a while after it is resumed. */
async function startAgent(t: TestContext) {
  const resumes: RunAgentInput["resume"][] = [];
  const working = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<"at its end" | "too early">();
  const url = await listen(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { threadId, runId, resume } = RunAgentInputSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const encoder = new EventEncoder({ accept: request.headers.accept! });
    response.writeHead(200, { "Content-Type": encoder.getContentType() });
    const write = (event: BaseEvent & Record<string, unknown>) => response.write(encoder.encodeSSE(event));
    write({ type: EventType.RUN_STARTED, threadId, runId });
    if (resume === undefined) {
      const outcome = { type: "interrupt", interrupts: INTERRUPTS };
      write({ type: EventType.RUN_FINISHED, threadId, runId, outcome });
      return response.end();
    }
    resumes.push(resume as RunAgentInput["resume"]);
    response.once("close", () => ended.resolve(response.writableFinished ? "at its end" : "too early"));
    await working.promise;
    write({ type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: "success" } });
    return response.end();
  });
  return { url, resumes, finish: () => working.resolve(), ended: ended.promise };
}

void test("a run that the official client made is resumed, with the answers to all of its interrupts", async (t) => {
  const { url, resumes, finish, ended } = await startAgent(t);
  const client = new HttpAgent({ url, threadId: "thread-1" });
  await client.runAgent();
  const entries = client.pendingInterrupts.map(({ id }) => ({
    thread_id: client.threadId,
    interrupt_id: id,
    group: "run-1",
    group_size: 2,
    payload: "value",
  }));
  const outcome = { ...OUTCOME, response: { value: true } };
  const others = [{ address: entries[1]!, outcome: { ...OUTCOME, status: "cancelled" as const, response: null } }];
  const connection = { address: { url }, secret: null };
  finish();
  const resumed = await attemptOnce(t, agUi, { connection }, { entry: entries[0]! }, { outcome, others });
  assert.deepEqual([resumed.meaning, await ended], ["done", "at its end"]);
  assert.deepEqual(resumes, [
    [
      { interruptId: "int-1", status: "resolved", payload: true },
      { interruptId: "int-2", status: "cancelled", metadata: { reason: "cancelled" } },
    ],
  ]);
});
