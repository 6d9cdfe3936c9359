import { as, t } from "../../../languages/text.ts";
import type { Sender } from "./queries.ts";

export type Transport = Sender["transport"];

interface Way {
  label: string;
  about: string;
  /** Returns the success message of a test. */
  took: (to: string) => string;
}

const sent = (to: string) => t("Sent to {recipient}. It should arrive soon.", { recipient: to });

/** The available transports of email. */
export const TRANSPORTS: Readonly<Record<Transport, Way>> = {
  smtp: { label: t("SMTP server"), about: t("The server of your company or email provider."), took: sent },
  resend: { label: "Resend", about: t("Verify your From domain at Resend first."), took: sent },
  file: {
    label: t("Folder, for tests"),
    about: t("Sends nothing. Writes each email to a file in the data directory."),
    took: (to) => t("The email to {recipient} is in a file. This sender sends nothing.", { recipient: to }),
  },
  log: {
    label: t("Log, for tests"),
    about: t("Sends nothing. Logs the recipient of each email, without its text."),
    took: (to) => t("The email to {recipient} is in the log. This sender sends nothing.", { recipient: to }),
  },
};

/** Returns whether environment variables define the sender. Then it cannot be changed here. */
export function isOfEnvironment({ created_at }: Sender): boolean {
  return created_at === null;
}

/** Returns the display name of a sender. */
export function nameOf(sender: Sender): string {
  return isOfEnvironment(sender) ? as("name of a sender", "Default") : sender.display_name;
}
