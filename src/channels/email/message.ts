import { escapeHtml } from "../../http/page.ts";
import { isoTime } from "../../lib/time.ts";

/** What of a task a mail tells. */
export interface MessageTask {
  id: string;
  task: string;
  payload: unknown;
  payload_schema: unknown;
  response_schema: unknown;
  form_definition: unknown;
  redact_payload: boolean;
  /** Epoch milliseconds. */
  timeout_at: number;
}

export interface MessageOptions {
  purpose: "decision" | "sent_back";
  task: MessageTask;
  to: { address: string; name: string | null; time_zone: string | null };
  /** The action page. */
  link: string;
  settings_link: string | null;
  sent_back: { reason: string; attempt: number } | null;
  now: Date;
}

/** The mail that asks for a decision. */
export function renderMessage({ task, link, sent_back }: MessageOptions): {
  subject: string;
  html: string;
  text: string;
} {
  const lines = [
    ...(sent_back === null ? [] : [sent_back.reason]),
    task.task,
    `Answer by ${isoTime(task.timeout_at)}:`,
  ];
  return {
    subject: `${sent_back === null ? "Decision needed" : "Sent back"}: ${task.task}`
      .replaceAll(/\s+/g, " ")
      .slice(0, 78),
    text: [...lines, link, ""].join("\n"),
    html: `${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("")}<p><a href="${link}">${link}</a></p>`,
  };
}
