import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import type { InvitationMail, InvitationMessage, SendInvitation } from "../../people/invitations/mail.ts";
import { AUTOMATIC, defaultIdentity, findIdentity, type Identity } from "./identities.ts";
import type { Content } from "./message-content.ts";
import { htmlOf } from "./message-html.ts";
import { textOf } from "./message-text.ts";
import { sendMail, type Transport } from "./transport.ts";

interface Ctx {
  db: Db;
  config: Config;
  log: Logger;
}

/** Returns what mails the links by which people set their own password. */
export function createInvitationMail(ctx: Ctx): InvitationMail {
  return {
    senderFor: async (projects) => {
      for (const project of projects) {
        const id = await defaultIdentity(ctx, ctx.db, project);
        const identity = id === null ? null : await findIdentity(ctx, id);
        // A log reaches no one.
        if (identity?.transport && identity.transport.kind !== "log")
          return sendFrom(ctx, identity, identity.transport);
      }
      return null;
    },
  };
}

function sendFrom({ config, log }: Ctx, { from, reply_to }: Identity, transport: Transport): SendInvitation {
  return async (message) => {
    const content = contentOf(message, config.publicUrl);
    const mail = {
      from,
      reply_to,
      to: message.to,
      subject: content.subject,
      html: htmlOf(content),
      text: textOf(content),
      message_id: `<${randomUUID()}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
      headers: AUTOMATIC,
    };
    const result = await sendMail(transport, mail, { dataDir: config.dataDir, log }, new AbortController().signal);
    return result.ok ? null : `${result.error}: ${result.message}`;
  };
}

const WORDS = {
  invitation: {
    subject: "You are invited to the Human Task Service",
    lead: "Human Task Service · invitation",
    heading: "Choose your password",
    about: "An operator has added you. People and programs here ask you for decisions.",
    footer: "If you did not expect this email, you can ignore it.",
  },
  password_reset: {
    subject: "Set a new password for the Human Task Service",
    lead: "Human Task Service · new password",
    heading: "Choose a new password",
    about: "An operator has made this link for you. Your password stays as it is until you use the link.",
    footer: "If you did not ask for this, tell an operator.",
  },
} as const;

function contentOf({ kind, to, url, expires_at, time_zone }: InvitationMessage, publicUrl: string): Content {
  const { subject, lead, heading, about, footer } = WORDS[kind];
  const until = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: time_zone ?? "UTC",
  }).format(expires_at);
  const deadline = `The link works once, until ${until} (${time_zone ?? "UTC"})`;
  return {
    subject,
    preheader: `${about} ${deadline}.`,
    lead,
    sentBack: null,
    deadline,
    isSoon: false,
    heading,
    asker: about,
    delegated: null,
    details: null,
    facts: [{ title: "You sign in as", text: to }],
    more: null,
    statement: null,
    decision: null,
    promise: "The link is for you alone. Do not forward this email.",
    review: { label: heading, address: url },
    footer: [`For ${to}, from ${publicUrl}`, footer],
    settings: null,
  };
}
