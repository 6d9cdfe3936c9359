import { SAMPLE_TASK } from "../../lib/sample-task.ts";
import type { CheckOptions } from "../channel.ts";
import { findIdentity, listIdentities, SEALED, testIdentity, type Identity } from "./identities.ts";
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

/** Whether mail goes out, from whom, and what people get. Each sender sends a test mail where there is an address for it. */
export function checkMail(ctx: Ctx, { testAddress: mailTo, limitMs }: CheckOptions): Promise<Finding[]> {
  return checkEach("mail", limitMs, async () => {
    const senders = await listIdentities(ctx, ADMIN);
    if (senders.length === 0) return [known(withoutSender(mailTo))];
    const checks = senders.flatMap(({ id, created_at }) => {
      const where = created_at === null ? "SERVICE_SMTP_URL" : "the sender under Settings, Mail";
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
    "There is no sender: set SERVICE_EMAIL_FROM and SERVICE_SMTP_URL, or add one in the dashboard under Settings, Mail.";
  return mailTo === null ? off("mail", says) : problem("mail-test", says);
}

/** @param where - it is set */
async function checkSender(ctx: Ctx, id: string, where: string, signal: AbortSignal): Promise<Finding> {
  const name = `mail/${id}`;
  const identity = await findIdentity(ctx, id);
  if (identity === null) return warning(name, "It was deleted meanwhile.");
  const { transport } = identity;
  const from = `Mail from ${fromText(identity)}`;
  switch (transport?.kind) {
    case undefined:
      return problem(name, SEALED);
    case "file":
      return warning(name, `${from} goes to nobody: this sender writes it into the folder ${transport.dir}.`);
    case "log":
      return warning(name, `${from} goes to nobody: this sender only writes to the log.`);
    case "resend":
      return warning(name, `${from} goes through Resend, whose key only a mail can prove: send one with --mail-to.`);
    case "smtp": {
      const result = await tryServer(transport, signal);
      const server = `${transport.host}:${transport.port}`;
      if (result.ok) return ok(name, `${from} is taken by ${server}.`);
      return problem(name, `${server} does not let us in (${result.error}): ${result.message} Check ${where}.`);
    }
  }
}

async function sendTest(ctx: Ctx, id: string, mailTo: string): Promise<Finding> {
  const name = `mail-test/${id}`;
  const { sent, to, error } = await testIdentity(ctx, ADMIN, id, { to: mailTo });
  const kind = (await findIdentity(ctx, id))?.transport?.kind;
  if (sent && (kind === "file" || kind === "log"))
    return ok(
      name,
      `A test mail to ${to} was written into the ${kind === "file" ? "folder" : "log"}, and goes nowhere.`,
    );
  if (sent)
    return ok(name, `A test mail to ${to} was taken; if it does not come, look at SPF, DKIM and DMARC of the domain.`);
  return problem(name, `The test mail to ${to} was not taken (${error}).`);
}

/** What a person gets: the subject, and where links lead. */
function checkContent(config: Config): Finding {
  const address = "dana@example.com";
  const id = newId("tsk", Date.now());
  const link = createLink({ config }, id, address);
  const { subject } = renderMessage({
    purpose: "decision",
    task: { ...SAMPLE_TASK, id, form_definition: null, redact_payload: false, timeout_at: Date.now() + HOUR },
    to: { address, name: null, time_zone: null },
    answering: { link },
    settings_link: null,
    sent_back: null,
    now: new Date(),
  });
  const links = `links that begin with ${link.slice(0, link.indexOf(id))}`;
  if (isLoopback(new URL(config.publicUrl).hostname))
    return warning("mail", `People get ${links}, which open on this machine alone: set SERVICE_PUBLIC_URL.`);
  return ok("mail", `People get mail such as "${subject}", with ${links}.`);
}

function fromText({ from: { name, address } }: Identity): string {
  return name === null ? address : `"${name}" <${address}>`;
}
