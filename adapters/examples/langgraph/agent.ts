import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeCallbackHandler } from "@human-task-service/client";
import { interruptForHuman, resumeOnCallback, type WaitingForHuman } from "@human-task-service/adapters/langgraph";
import { Annotation, INTERRUPT, isInterrupted, MemorySaver, StateGraph } from "@langchain/langgraph";
import { z } from "zod";

/*
 * A graph that drafts a refund, is interrupted until a person has decided, and continues after the service's callback.
 * A real graph would call a model for the draft; the rest is the same.
 */

const Refund = Annotation.Root({
  order: Annotation<string>,
  customer: Annotation<string>,
  amount: Annotation<number>,
  mail: Annotation<string>,
  approved: Annotation<boolean>,
  outcome: Annotation<string>,
});

const Decision = z.object({
  approved: z.boolean().meta({ title: "Refund the customer?" }),
  mail: z.string().max(2000).optional().meta({ title: "Another mail", description: "Left empty, the draft is sent." }),
});

/** @param callbackUrl - the URL where the service reaches this program */
function refundGraph(callbackUrl: string) {
  return (
    new StateGraph(Refund)
      .addNode("draft", ({ customer, amount }) => ({
        mail: `Dear ${customer}, we are sorry. Your ${amount.toFixed(2)} EUR are on their way.`,
      }))
      .addNode("review", async ({ order, customer, amount, mail }) => {
        const outcome = await interruptForHuman({
          task: `Refund order ${order}?`,
          payload: { order, customer, amount, mail },
          responseSchema: Decision,
          timeoutSeconds: 3600,
          callbackUrl,
        });
        if (outcome.status !== "completed") return { approved: false, outcome: outcome.reason };
        return { approved: outcome.answer.approved, mail: outcome.answer.mail ?? mail };
      })
      .addNode("pay", ({ amount, customer, mail }) => ({
        outcome: `${amount.toFixed(2)} EUR were refunded to ${customer}, who was told: ${mail}`,
      }))
      .addNode("decline", ({ outcome }) => ({ outcome: `Nothing was refunded. ${outcome ?? ""}`.trim() }))
      .addEdge("__start__", "draft")
      .addEdge("draft", "review")
      .addConditionalEdges("review", ({ approved }) => (approved ? "pay" : "decline"))
      // This checkpointer keeps its data in memory, until the program ends. With one that uses a database, the program
      // may end and start again in between.
      .compile({ checkpointer: new MemorySaver() })
  );
}

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const graph = refundGraph(`http://127.0.0.1:${(server.address() as AddressInfo).port}/human`);

const resume = resumeOnCallback(graph);
const handle = nodeCallbackHandler({ webhookKey: process.env["WEBHOOK_KEY"] }, async (callback) => {
  const state = await resume(callback);
  if (state === null) return;
  console.log(`Resumed. ${state.outcome}`);
  server.close();
});
server.on("request", (request, response) => void handle(request, response));

const order = String(10_000 + Math.floor(Math.random() * 90_000));
const thread = { configurable: { thread_id: `refund-${order}-${Date.now()}` } };
const paused = await graph.invoke({ order, customer: "Mia", amount: 42.5 }, thread);
if (isInterrupted<WaitingForHuman>(paused)) {
  const { task, url } = paused[INTERRUPT][0]!.value!.humanTask;
  console.log(`Interrupted: ${task}`);
  console.log(`Answer at ${url}`);
}
