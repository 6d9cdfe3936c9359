import { contentOf } from "./message-content.ts";
import { htmlOf } from "./message-html.ts";
import { textOf } from "./message-text.ts";

/** What a mail needs to know of a task: fields of its record, and the deadline in epoch milliseconds. (spec: Resources) */
export interface MessageTask {
  id: string;
  task: string;
  payload: unknown;
  payload_schema: unknown;
  response_schema: unknown;
  form_definition: unknown;
  redact_payload: boolean;
  timeout_at: number;
}

/** How a person answers, or who can instead. Links are absolute addresses without a query. */
export type Answering =
  /** The action page. `?choice=<index>` chooses an option there. (choices.ts) */
  | { link: string }
  /** For somebody who may not answer: one sentence, and the task on the dashboard; null: they may not read it there. */
  | { who_can_answer: string; task_link: string | null };

export interface MessageOptions {
  purpose: "decision" | "sent_back";
  task: MessageTask;
  /** Whom it is for. `time_zone`: IANA name; null: not known, and times are in UTC. */
  to: { address: string; name: string | null; time_zone: string | null };
  answering: Answering;
  /** Of the person's own settings; null: they have no account. */
  settings_link: string | null;
  /** Why the last answer was sent back, and which attempt that was, counted from 1. null: nobody knows any more, or nothing was. */
  sent_back: { reason: string; attempt: number } | null;
  now: Date;
}

/**
 * The mail that asks a person for a decision, or to correct one, or tells them that somebody else decides. HTML and text say the same in the same order. Nothing in it
 * is loaded from anywhere, and nothing of the payload of a task with `redact_payload` is in it.
 */
export function renderMessage(options: MessageOptions): { subject: string; html: string; text: string } {
  const content = contentOf(options);
  return { subject: content.subject, html: htmlOf(content), text: textOf(content) };
}
