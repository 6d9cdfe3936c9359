import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AuditEntryRecord } from "../../src/tasks/schema.ts";
import { SECOND } from "../../src/lib/time.ts";
import type { TestService } from "./service.ts";
import { startSmtp, type ReceivedMail, type TestSmtp } from "./smtp.ts";

/** How long what a request caused waits for its answer, at the most. */
const HELD = 5 * SECOND;
export const SENDER = { display_name: "Desk", from_email: "desk@example.com", from_name: "Desk", transport: "smtp" };

/** A mail server, and a sender that uses it. */
export async function withSender(
  { call }: TestService,
  t: TestContext,
  options: Parameters<typeof startSmtp>[0] = {},
): Promise<TestSmtp> {
  const smtp = await startSmtp(options);
  t.after(() => smtp.close());
  await addSender({ call }, smtp, "desk");
  return smtp;
}

/** Adds another sender to a mail server. */
export async function addSender({ call }: Pick<TestService, "call">, smtp: TestSmtp, id: string): Promise<void> {
  const { host, port } = smtp;
  const body = { ...SENDER, id, from_email: `${id}@example.com`, transport_config: { host, port } };
  assert.ok((await call("POST", "/api/channels/email/identities", { body })).status < 300);
}

/** Lets everything be sent that is due by now, whether or not the answer it waited for is out. */
export async function send({ ctx, clock }: TestService): Promise<void> {
  clock.advance(HELD);
  // A way that is not known yet to be a good one takes one at a time.
  for (let turn = 0; turn < 2; turn++) {
    await ctx.deliveries.turn();
    await ctx.deliveries.settle();
  }
}

/** What the trail says of messages. */
export async function told({ call }: TestService, id: string) {
  const { body } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  return body
    .filter(({ action }) => action.startsWith("notification"))
    .map(({ action, channel, extra }) => ({
      action,
      channel,
      ...(extra as { to: string; purpose?: string; error?: string }),
    }));
}

/** A header of a mail, unfolded. */
export const header = ({ source }: ReceivedMail, name: string) =>
  new RegExp(String.raw`^${name}: (.*(?:\r\n[ \t].*)*)`, "im").exec(source)?.[1]?.replaceAll(/\r\n\s+/g, " ");

/** The mails to an address, in the order in which they came. */
export function mailsTo({ received }: TestSmtp, address: string): ReceivedMail[] {
  return received.filter(({ to }) => to.includes(address));
}
