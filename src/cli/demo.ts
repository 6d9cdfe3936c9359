import { inspect } from "node:util";
import type { Client } from "../../sdk/index.ts";
import { findSettings } from "../../sdk/settings.ts";
import { readConfig } from "../config.ts";
import { clientOfCommand, type Output } from "./tasks.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Whether the service was there, or was started for this. */
type Found = { client: Client; isOurs: boolean };

/**
 * An agent of a shop asks whether a refund may be paid, a person answers in the browser, and the typed answer is shown. Uses
 * the service that runs on this machine, or starts one in this process, which then goes on.
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
        note: { type: "string", title: "A word to Mia", maxLength: 500 },
      },
      required: ["approved"],
    },
    timeoutSeconds: 3600,
    // A demonstration asks anew each time; an agent that starts again would want its first question.
    occasion: new Date().toISOString(),
    onCreated: ({ url }) =>
      note(`An agent asks: Refund 42.50 EUR to Mia Keller?\n\n  Answer it here:  ${url}\n\nWaiting for you ...`),
  });
  // What the compiler knows of the answer is used here: it is no text to be read again.
  const next = answer.approved ? "pays the refund" : "writes to Mia that there is none";
  note("\nawaitHuman() gave the agent this, and it goes on:");
  result(inspect(answer));
  note(`The agent ${next}${answer.note === undefined ? "." : `, and adds: "${answer.note}"`}`);
  if (isOurs) note("\nThe service that was started for this goes on; Ctrl+C stops it.");
}

/** @throws Error where the service that would be started could not be found, or another one was meant */
async function findOrStart(start: () => Promise<unknown>, env: Env): Promise<Found> {
  if (env["SERVICE_URL"] || isServiceThere()) return { client: clientOfCommand(), isOurs: false };
  const { config } = readConfig(env, () => ({ adminToken: "", secretKey: "", payloadKey: "" }));
  if (config.discoveryFile === null)
    throw new Error(
      "The demo starts a service that only this machine reaches, and finds it by its file, which these settings do not have. Start the service, and set SERVICE_URL and SERVICE_ADMIN_API_TOKEN for the demo.",
    );
  await start();
  return { client: clientOfCommand(), isOurs: true };
}

/** Whether one is named or found, be there a token for it or not. */
function isServiceThere(): boolean {
  try {
    findSettings({ token: "any" });
    return true;
  } catch {
    return false;
  }
}
