import { inspect } from "node:util";
import type { Client, TaskRecord } from "../../sdk/index.ts";
import { findSettings } from "../../sdk/settings.ts";
import { readConfig } from "../config.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { callsTo } from "./calls.ts";
import { clientOfCommand, findAdminToken, type Output } from "./clients.ts";
import { addColleagues, removeColleagues } from "./demo/colleagues.ts";
import { askForPayment } from "./demo/payment.ts";
import { askAndWait } from "./demo/silence.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The client, and whether the demo started the service. */
type Found = { client: Client; isOurs: boolean };

/**
 * Runs a sample: an agent asks about a refund, a person answers in the browser, and the typed answer is shown. Then it asks
 * for approvals by several people, and asks what no one has to answer; the demo acts for the other people. Uses the service
 * on this machine, or starts one in this process, which keeps running.
 * @param start - starts the service
 * @throws HumanTaskError
 */
export async function runDemo(start: () => Promise<unknown>, env: Env, output: Output): Promise<void> {
  const { client, isOurs } = await findOrStart(start, env);
  const id = await askForRefund(client, output);
  const admin = findAdminToken(env);
  const service = admin && { base: findSettings(admin).baseUrl, token: admin.token };
  await playWithOthers(client, await client.get(id), service, output);
  if (isOurs) output.note("\nThe service keeps running. Press Ctrl+C to stop it.");
}

/** Asks one person. @returns the id of the task */
async function askForRefund(client: Client, { result, note }: Output): Promise<string> {
  const asked = await client.ask({
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
  });
  note(`1 of 3: an agent asks one person

The agent asks: Refund 42.50 EUR to Mia Keller?

  Answer it here:  ${asked.url}

Waiting for you ...`);
  const answer = await asked.answer();
  // The answer is typed by its schema.
  const next = answer.approved ? "pays the refund" : "tells Mia that there is no refund";
  note("\nThe agent got this answer:");
  result(inspect(answer));
  note(`The agent ${next}${answer.note === undefined ? "." : `, and writes to her: "${answer.note}"`}`);
  return asked.id;
}

/**
 * Plays the parts that need other people.
 *
 * @param refund - the first task, as it was answered
 * @param service - where people are added, and the admin token; null if it is not known here
 */
export async function playWithOthers(
  client: Client,
  { completed_by_user_id, completed_by_email, project }: TaskRecord,
  service: { base: string; token: string } | null,
  output: Output,
): Promise<void> {
  const { note } = output;
  if (completed_by_user_id === null || completed_by_email === null)
    return note(
      "\nThe other parts of the demo are about several people. Run it again, and answer in the browser, signed in.",
    );
  if (service === null)
    return note(
      "\nThe other parts of the demo add two made-up people, which needs the admin token. Run the demo where the service runs, or set SERVICE_ADMIN_API_TOKEN.",
    );
  const call = callsTo(service.base, service.token);
  const colleagues = await addColleagues({ call, base: service.base, project });
  const [ada, ben] = colleagues;
  const cast = { you: completed_by_email, ada, ben };
  try {
    await askForPayment(client, cast, output);
    await askAndWait(client, cast, output);
  } finally {
    await removeColleagues(call, colleagues);
  }
  note(`
Ada and Ben are deactivated again. To see more of other people, add one, and sign in as them in a private window:

  ${SERVICE_COMMAND} users add --email ben@example.com --password

docs/approvals.md and docs/escalation.md say more about the last two parts.`);
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
