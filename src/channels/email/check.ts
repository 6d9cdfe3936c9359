import { SAMPLE_TASK } from "../../lib/sample-task.ts";
import type { CheckOptions } from "../channel.ts";
import { findIdentity, listIdentities, SEALED, sendTestMail, type Identity } from "./identities.ts";
import { createLink } from "./links.ts";
import { renderMessage } from "./message.ts";
import { tryServer } from "./transport.ts";
import type { Config } from "../../config.ts";
import { isLoopback } from "../../config/hosts.ts";
import { newId } from "../../lib/ids.ts";
import { HOUR } from "../../lib/time.ts";
import { check, checkEach, known, off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

type Ctx = Parameters<typeof findIdentity>[0];

/** Operators see every sender. */
const ADMIN = { kind: "admin" } as const;

/** Checks each sender and shows a sample email. Sends a test email if there is an address for it. */
export function checkMail(ctx: Ctx, { testAddress: mailTo, limitMs }: CheckOptions): Promise<Finding[]> {
  return checkEach("mail", limitMs, async () => {
    const senders = await listIdentities(ctx, ADMIN);
    if (senders.length === 0) return [known(withoutSender(mailTo))];
    const checks = senders.flatMap(({ id, created_at }) => {
      const where = created_at === null ? "SERVICE_SMTP_URL" : "the sender under Settings, Email";
      return [
        check(`mail/${id}`, limitMs, (signal) => checkSender(ctx, id, where, signal)),
        ...(mailTo === null ? [] : [check(`mail-test/${id}`, limitMs, () => sendTest(ctx, id, mailTo))]),
      ];
    });
    return [known(checkContent(ctx.config)), ...checks];
  });
}

function withoutSender(mailTo: string | null): Finding {
  const says =
    "Email is off. Set SERVICE_EMAIL_FROM and SERVICE_SMTP_URL, or add a sender in the dashboard under Settings, Email.";
  return mailTo === null ? off("mail", says) : problem("mail-test", says);
}

/** @param where - it is set */
async function checkSender(ctx: Ctx, id: string, where: string, signal: AbortSignal): Promise<Finding> {
  const name = `mail/${id}`;
  const identity = await findIdentity(ctx, id);
  if (identity === null) return warning(name, "The sender was deleted during the check.");
  const { transport } = identity;
  const from = `Email from ${fromText(identity)}`;
  switch (transport?.kind) {
    case undefined:
      return problem(name, SEALED);
    case "file":
      return warning(name, `${from} is not delivered: this sender writes to the folder ${transport.dir}.`);
    case "log":
      return warning(name, `${from} is not delivered: this sender only logs.`);
    case "resend":
      return warning(name, `${from} goes through Resend. Send a test email with --mail-to to check its key.`);
    case "smtp": {
      const result = await tryServer(transport, signal);
      const server = `${transport.host}:${transport.port}`;
      if (result.ok) return ok(name, `${from} is accepted by ${server}.`);
      return problem(name, `${server} rejected our login (${result.error}): ${result.message} Check ${where}.`);
    }
  }
}

async function sendTest(ctx: Ctx, id: string, mailTo: string): Promise<Finding> {
  const name = `mail-test/${id}`;
  const { sent, to, error } = await sendTestMail(ctx, ADMIN, id, { to: mailTo });
  const kind = (await findIdentity(ctx, id))?.transport?.kind;
  if (sent && (kind === "file" || kind === "log"))
    return ok(
      name,
      `The test email to ${to} was written to the ${kind === "file" ? "folder" : "log"}. It is not delivered.`,
    );
  if (sent)
    return ok(
      name,
      `The server accepted a test email to ${to}. If it does not arrive, check SPF, DKIM and DMARC of the domain.`,
    );
  return problem(name, `The test email to ${to} was not accepted (${error}).`);
}

/** Shows the subject and the links of a sample email. */
function checkContent(config: Config): Finding {
  const address = "dana@example.com";
  const id = newId("tsk", Date.now(), 0);
  const link = createLink({ config }, id, address);
  const { subject } = renderMessage({
    purpose: "decision",
    task: {
      ...SAMPLE_TASK,
      id,
      asker: null,
      actions: null,
      form_definition: null,
      redact_payload: false,
      timeout_at: Date.now() + HOUR,
      urgent: false,
      on_timeout: null,
    },
    to: { address, name: null, time_zone: null },
    answering: { link },
    settings_link: null,
    sent_back: null,
    changed: null,
    need: "",
    ending: null,
    now: new Date(),
  });
  const links = `links that start with ${link.slice(0, link.indexOf(id))}`;
  if (isLoopback(new URL(config.publicUrl).hostname))
    return warning("mail", `People get ${links}, which open only on this machine. Set SERVICE_PUBLIC_URL.`);
  return ok("mail", `People get email such as "${subject}", with ${links}.`);
}

function fromText({ from: { name, address } }: Identity): string {
  return name === null ? address : `"${name}" <${address}>`;
}
