import { inspect } from "node:util";
import type { Client, TaskRecord } from "../../../sdk/index.ts";
import type { Output } from "../clients.ts";
import type { Cast } from "./payment.ts";

/** Seconds from the creation. The deadline is the earliest that a request may have. */
const RAISE = 15;
const OFFER = 30;
const DEADLINE = 60;

/** Asks a question that no one has to answer, and tells what happens in the meantime. */
export async function askAndWait(client: Client, { you, ben }: Cast, { result, note }: Output): Promise<void> {
  const asked = await client.ask({
    task: "Send Mia Keller a new lamp today?",
    payload: { customer: "Mia Keller", order: "LN-204", in_stock: 3 },
    payloadSchema: {
      type: "object",
      properties: {
        customer: { type: "string", title: "Customer" },
        order: { type: "string", title: "Order" },
        in_stock: { type: "integer", title: "Lamps in stock" },
      },
    },
    responseSchema: {
      type: "object",
      properties: { send: { type: "boolean", title: "Send it today?" } },
      required: ["send"],
    },
    timeoutSeconds: DEADLINE,
    assignTo: { email: you },
    escalation: [
      { after: RAISE, do: "raise" },
      { after: OFFER, do: "offer", to: { emails: [ben.email] } },
    ],
    onTimeout: { response: { send: false } },
    occasion: new Date().toISOString(),
  });
  note(`
3 of 3: what happens when no one answers

The agent asks whether to send Mia a new lamp today. It waits for one minute, and has said what happens until then:
after ${RAISE} seconds the question becomes urgent, after ${OFFER} seconds Ben is asked too, and after ${DEADLINE} seconds the answer is no.
Do not answer. Open it, and watch:

  Watch it here:  ${asked.url}

Waiting for a minute, or for you ...
`);
  const told = new Set<number>();
  for (;;) {
    await client.poll(asked.id, { timeoutSeconds: 1 });
    const task = await client.get(asked.id);
    for (const { step, done_at } of task.escalation)
      if (done_at !== null && !told.has(step)) {
        told.add(step);
        note(HAPPENED[step]!);
      }
    if (task.status !== "created") return end(await asked.answer(), task, { result, note });
  }
}

/** What to say of each step, by its number. */
const HAPPENED: Readonly<Record<number, string>> = {
  1: `  ${RAISE} seconds: it is urgent`,
  2: `  ${OFFER} seconds: Ben is asked too`,
};

function end(answer: { send: boolean }, task: TaskRecord, { result, note }: Output): void {
  const isSilent = task.completed_via_channel === "fallback";
  note(
    isSilent
      ? `  ${DEADLINE} seconds: no one has answered, so the agent got the answer that it had declared:`
      : "\nSomeone answered in time, so nothing else happens. The agent got this answer:",
  );
  result(inspect(answer));
  note(answer.send ? "The agent sends the lamp." : "The agent does not send the lamp today.");
}
