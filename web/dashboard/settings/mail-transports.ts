import type { Sender } from "./queries.ts";

export type Transport = Sender["transport"];

interface Way {
  label: string;
  about: string;
  /** Returns the success message of a test. */
  took: (to: string) => string;
}

const sent = (to: string) => `Sent to ${to}. It should arrive soon.`;

/** The available transports of email. */
export const TRANSPORTS: Readonly<Record<Transport, Way>> = {
  smtp: { label: "SMTP server", about: "The server of your company or email provider.", took: sent },
  resend: { label: "Resend", about: "Verify your From domain at Resend first.", took: sent },
  file: {
    label: "Folder, for tests",
    about: "Sends nothing. Writes each email to a file in the data directory.",
    took: (to) => `The email to ${to} is in a file. This sender sends nothing.`,
  },
  log: {
    label: "Log, for tests",
    about: "Sends nothing. Logs the recipient of each email, without its text.",
    took: (to) => `The email to ${to} is in the log. This sender sends nothing.`,
  },
};

/** Returns whether environment variables define the sender. Then it cannot be changed here. */
export function isOfEnvironment({ created_at }: Sender): boolean {
  return created_at === null;
}

/** Returns the display name of a sender. */
export function nameOf(sender: Sender): string {
  return isOfEnvironment(sender) ? "Default" : sender.display_name;
}
