import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { defaultLocale } from "../../../form/payload/format.ts";
import { languageOfReader } from "../../../languages/languages.ts";
import { inLanguage } from "../../../languages/server.ts";
import { currentLanguage, t } from "../../../languages/text.ts";
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
    // A person who has chosen no language gets it in that of the operator who invites them.
    const language = languageOfReader({ chosen: message.language, locale: currentLanguage() });
    const rendered = inLanguage(language, () => {
      const content = contentOf(message, config.publicUrl);
      return { subject: content.subject, html: htmlOf(content), text: textOf(content) };
    });
    const mail = {
      from,
      reply_to,
      to: message.to,
      ...rendered,
      message_id: `<${randomUUID()}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
      headers: AUTOMATIC,
    };
    const result = await sendMail(transport, mail, { dataDir: config.dataDir, log }, new AbortController().signal);
    return result.ok ? null : `${result.error}: ${result.message}`;
  };
}

/** The texts of an invitation, or of a new password. */
function wordsOf(kind: InvitationMessage["kind"]) {
  return kind === "invitation"
    ? {
        subject: t("You are invited to the Human Task Service"),
        lead: `Human Task Service · ${t("invitation")}`,
        heading: t("Choose your password"),
        about: t("An operator has added you. People and programs here ask you for decisions."),
        footer: t("If you did not expect this email, you can ignore it."),
      }
    : {
        subject: t("Set a new password for the Human Task Service"),
        lead: `Human Task Service · ${t("new password")}`,
        heading: t("Choose a new password"),
        about: t("An operator has made this link for you. Your password stays as it is until you use the link."),
        footer: t("If you did not ask for this, tell an operator."),
      };
}

function contentOf({ kind, to, url, expires_at, time_zone }: InvitationMessage, publicUrl: string): Content {
  const { subject, lead, heading, about, footer } = wordsOf(kind);
  const zone = time_zone ?? "UTC";
  const until = new Intl.DateTimeFormat(defaultLocale(), {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: zone,
  }).format(expires_at);
  const deadline = t("The link works once, until {time} ({zone})", { time: until, zone });
  return {
    direction: "ltr",
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
    facts: [{ title: t("You sign in as"), text: to }],
    more: null,
    statement: null,
    decision: null,
    promise: t("The link is for you alone. Do not forward this email."),
    review: { label: heading, address: url },
    footer: [t("For {person}, from {url}", { person: to, url: publicUrl }), footer],
    settings: null,
  };
}
