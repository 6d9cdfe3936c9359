import type { Sender } from "./queries.ts";

export type Transport = Sender["transport"];

interface Way {
  label: string;
  about: string;
  /** What it means that it took a mail. */
  took: (to: string) => string;
}

const sent = (to: string) => `Sent to ${to}. It should arrive in a moment.`;

/** The ways that mail takes. */
export const TRANSPORTS: Readonly<Record<Transport, Way>> = {
  smtp: { label: "Mail server (SMTP)", about: "The one of your company, or of your mail provider.", took: sent },
  resend: { label: "Resend", about: "The provider. It has to know the domain that mail is from.", took: sent },
  file: {
    label: "Folder, for tests",
    about: "Nothing is sent: each mail becomes a file in the data directory.",
    took: (to) => `The mail to ${to} is a file now. This sender sends nothing.`,
  },
  log: {
    label: "Log, for tests",
    about: "Nothing is sent: the log says whom a mail would have gone to, without its text.",
    took: (to) => `The mail to ${to} is a line in the log now. This sender sends nothing.`,
  },
};

/** It cannot be changed here. */
export function isOfEnvironment({ created_at }: Sender): boolean {
  return created_at === null;
}

/** What operators call a sender. */
export function nameOf(sender: Sender): string {
  return isOfEnvironment(sender) ? "Default" : sender.display_name;
}
