import { t } from "../../../languages/text.ts";
import type { AuditEntry } from "../api.ts";

/** The result of one notification. */
export interface Notification {
  /** The destination, in the format of its channel. */
  to: string;
  isMail: boolean;
  /** What it was about, such as "the question"; null if unknown. */
  about: string | null;
  /** null if it was sent. */
  failure: Failure | null;
}

interface Failure {
  /** A stable code, or "". */
  word: string;
  sentence: string;
}

const ABOUT: Readonly<Record<string, string>> = {
  decision: t("the question"),
  assigned: t("the question, as the new assignee"),
  sent_back: t("the answer was sent back"),
  ended: t("how the task ended"),
};

/** Reads an error of a channel: "word: sentence". */
export function readFailure(error: string): Failure {
  const [, word = "", sentence = error] = /^(\w+): (.+)$/s.exec(error) ?? [];
  return { word, sentence };
}

/** Returns the notification that an entry is about; null for other entries and for those without a destination. */
export function notificationOf({ action, extra }: AuditEntry): Notification | null {
  const hasFailed = action === "notification_failed";
  if (!hasFailed && action !== "notification_sent") return null;
  const { to, channel, error, purpose } = extra ?? {};
  if (typeof to !== "string" || to === "") return null;
  const failure = readFailure(typeof error === "string" ? error : t("No reason was given."));
  const about = typeof purpose === "string" ? (ABOUT[purpose] ?? null) : null;
  return { to, isMail: channel === "email", about, failure: hasFailed ? failure : null };
}

/** Returns the people whose latest notification failed, with the reason. @param trail - oldest first */
export function undelivered(trail: readonly AuditEntry[]): Notification[] {
  const latest = new Map<string, Notification>();
  for (const entry of trail) {
    const notification = notificationOf(entry);
    if (notification !== null) latest.set(notification.to.toLowerCase(), notification);
  }
  return [...latest.values()].filter(({ failure }) => failure !== null);
}
