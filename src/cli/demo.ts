import { inspect } from "node:util";
import type { Client } from "../../sdk/index.ts";
import { findSettings } from "../../sdk/settings.ts";
import { readConfig } from "../config.ts";
import { clientOfCommand, type Output } from "./clients.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The client, and whether the demo started the service. */
type Found = { client: Client; isOurs: boolean };

/**
 * Runs a sample: an agent asks about a refund, a person answers in the browser, and the typed answer is shown. Uses the
 * service on this machine, or starts one in this process, which keeps running.
 * @param start - starts the service
 * @throws HumanTaskError
 */
export async function runDemo(start: () => Promise<unknown>, env: Env, { result, note }: Output): Promise<void> {
  const { client, isOurs } = await findOrStart(start, env);
  const answer = await client.awaitHuman({
    task: "Refund 42.50 EUR to Mia Keller?",
    payload: {
      customer: "Mia Keller",
      order: "LN-204",
      amount: 42.5,
      reason: "The lamp arrived broken.",
      orders_before: 11,
    },
    payloadSchema: {
      type: "object",
      properties: {
        customer: { type: "string", title: "Customer" },
        order: { type: "string", title: "Order" },
        amount: { type: "number", title: "Amount in EUR" },
        reason: { type: "string", title: "Reason" },
        orders_before: { type: "integer", title: "Orders before" },
      },
    },
    responseSchema: {
      type: "object",
      properties: {
        approved: { type: "boolean", title: "Pay the refund?" },
        note: { type: "string", title: "Message to Mia", maxLength: 500 },
      },
      required: ["approved"],
    },
    timeoutSeconds: 3600,
    // Each run is a new question. A real agent that restarts gets its first question back.
    occasion: new Date().toISOString(),
    onCreated: ({ url }) =>
      note(`An agent asks: Refund 42.50 EUR to Mia Keller?\n\n  Answer it here:  ${url}\n\nWaiting for you ...`),
  });
  // The answer is typed by its schema.
  const next = answer.approved ? "pays the refund" : "tells Mia that there is no refund";
  note("\nawaitHuman() returned this answer to the agent:");
  result(inspect(answer));
  note(`The agent ${next}${answer.note === undefined ? "." : `, and writes to her: "${answer.note}"`}`);
  if (isOurs) note("\nThe service keeps running. Press Ctrl+C to stop it.");
}

/** @throws Error if no service runs and the demo cannot start one */
async function findOrStart(start: () => Promise<unknown>, env: Env): Promise<Found> {
  if (env["SERVICE_URL"] || isServiceThere()) return { client: clientOfCommand(), isOurs: false };
  const { config } = readConfig(env, () => ({ adminToken: "", secretKey: "", payloadKey: "" }));
  if (config.discoveryFile === null)
    throw new Error(
      "The demo finds its service through the discovery file, which is off in these settings. Start the service, and set SERVICE_URL and SERVICE_TOKEN for the demo.",
    );
  await start();
  return { client: clientOfCommand(), isOurs: true };
}

/** Returns whether a service is configured or found, with or without a token. */
function isServiceThere(): boolean {
  try {
    findSettings({ token: "any" });
    return true;
  } catch {
    return false;
  }
}
