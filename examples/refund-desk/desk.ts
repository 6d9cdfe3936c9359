import { createClient, NoAnswerError, type Client } from "@human-task-service/client";
import { z } from "zod";

/*
 * A desk that pays small refunds by itself and asks a person about the rest, all of them at once. It may be stopped and
 * started again at any time: each refund has its own key, so that nobody is asked twice and no answer is lost.
 */

interface Refund {
  order: string;
  customer: string;
  amount: number;
  reason: string;
}

const REFUNDS: readonly Refund[] = [
  { order: "48217", customer: "Jon", amount: 9.9, reason: "Wrong colour" },
  { order: "48218", customer: "Mia", amount: 120, reason: "Arrived broken" },
  { order: "48219", customer: "Ada", amount: 1240, reason: "Never arrived" },
];

/** Paid without asking, in EUR. */
const SMALL = 25;

/** What a person says. The form is made of it: a choice, an amount within bounds, and a note. */
const Decision = z
  .object({
    decision: z.enum(["pay", "pay a part", "refuse"]).describe("What happens with this refund?"),
    amount: z.number().positive().optional().describe("EUR, when only a part is paid"),
    note: z.string().max(500).optional().describe("For the customer"),
  })
  .refine(({ decision, amount }) => decision !== "pay a part" || amount !== undefined, {
    message: "How much is paid?",
    path: ["amount"],
  });

async function decide(client: Client, refund: Refund): Promise<string> {
  if (refund.amount <= SMALL) return `paid ${refund.amount}, too little to ask`;
  try {
    const { decision, amount, note } = await client.awaitHuman({
      task: `Refund ${refund.amount.toFixed(2)} EUR to ${refund.customer} for order ${refund.order}?`,
      payload: { ...refund },
      responseSchema: Decision,
      timeoutSeconds: 8 * 3600,
      idempotencyKey: `refund-desk-${refund.order}`,
      onCreated: ({ url, isReplay }) => console.log(`${isReplay ? "Still asking" : "Asking"}: ${url}`),
    });
    const said = note === undefined ? "" : ` (${note})`;
    if (decision === "refuse") return `refused${said}`;
    return `paid ${decision === "pay" ? refund.amount : amount}${said}`;
  } catch (error) {
    // Nobody said yes, so nothing is paid.
    if (error instanceof NoAnswerError) return `not paid: ${error.status}`;
    throw error;
  }
}

const client = createClient();
await Promise.all(
  REFUNDS.map(async (refund) => {
    console.log(`Order ${refund.order}: ${await decide(client, refund)}`);
  }),
);
