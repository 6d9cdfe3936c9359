import type { InvitationKind } from "./schema.ts";

/** What an email with a link says. */
export interface InvitationMessage {
  kind: InvitationKind;
  to: string;
  /** The link, with its token. */
  url: string;
  /** Epoch milliseconds. */
  expires_at: number;
  /** IANA name. */
  time_zone: string | null;
  /** Tag of the language that they have chosen. */
  language: string | null;
}

/** Sends one email. Never rejects. @returns why it was not sent, in a sentence for operators; null: it was */
export type SendInvitation = (message: InvitationMessage) => Promise<string | null>;

/** Sends links by email. The email channel makes one of these, because this room does not know channels. */
export interface InvitationMail {
  /** Returns how to send from a sender of one of these projects; null if none has a sender that reaches people. */
  senderFor(projects: readonly string[]): Promise<SendInvitation | null>;
}
