import { awaitHuman } from "@human-task-service/client";
import { z } from "zod";

/* The whole of an agent that asks a person. The service on this machine is found without any setting. */

const { approved, note } = await awaitHuman({
  task: "Refund 42.50 EUR to Mia?",
  payload: { customer: "Mia", amount: 42.5, reason: "Arrived broken" },
  responseSchema: z.object({
    approved: z.boolean().describe("Refund the customer?"),
    note: z.string().max(500).optional().describe("Goes into the reply"),
  }),
  onCreated: ({ url }) => console.log(`Answer it here: ${url}`),
});

console.log(approved ? "Paid." : "Not paid.", note ?? "");
