import type { OthersRow } from "../../../endings/sentences.ts";
import type { Fact } from "../../../form/payload/summary.ts";
import type { Actions } from "../../actions/request.ts";
import type { Purpose } from "../../tasks/notices.ts";
import type { Decided } from "../decided.ts";
import type { DelegatedFrom } from "../delegated.ts";
import type { Said } from "./comment-notice.ts";
import { contentOf } from "./message-content.ts";
import { htmlOf } from "./message-html.ts";
import { textOf } from "./message-text.ts";

/** The fields of a task that an email needs. The deadline is in epoch milliseconds. (spec: Resources) */
export interface MessageTask {
  id: string;
  task: string;
  /** The language that it is written in (BCP 47). */
  locale?: string | null;
  /** Who asks, in one line; null if nothing is said of it. */
  asker: string | null;
  payload: unknown;
  payload_schema: unknown;
  response_schema: unknown;
  form_definition: unknown;
  /** Links that choose an option name the version. */
  version?: number;
  /** The actions that it asks about; null for another task. */
  actions: Actions | null;
  redact_payload: boolean;
  timeout_at: number;
  /** A step has marked it as urgent. */
  urgent: boolean;
  /** The answer that counts if no one gives one; null without any. */
  on_timeout: unknown;
}

/** How a person answers, or who can instead. Links are absolute addresses without a query. */
export type Answering =
  /** The action page. `?choice=<index>` chooses an option there. (choices.ts) */
  | { link: string }
  /** For a person who may not answer: who can, and a link to the task if the person may read it. */
  | { who_can_answer: string; task_link: string | null };

/** How a task was closed. */
export interface Ending {
  /** The row of the sentences about it. */
  row: OthersRow;
  /** The name of the person who answered; null if unknown, or if no one did. */
  who: string | null;
  /** Epoch milliseconds. */
  at: number;
  /** The reason of a cancellation. */
  reason: string | null;
  /** The recipient may see the answer. */
  tells_answer: boolean;
  /** What was decided about the actions of the task; null without any, or if the recipient may not see it. */
  decided: Decided | null;
}

export interface MessageOptions {
  purpose: Purpose;
  task: MessageTask;
  /** The recipient. `time_zone` is an IANA name; null shows times in UTC. */
  to: { address: string; name: string | null; time_zone: string | null };
  answering: Answering;
  /** Link to the person's settings; null without an account. */
  settings_link: string | null;
  /** Why the last answer was rejected, and which attempt the next one is: "2 of 3". null if unknown or not rejected. */
  sent_back: { reason: string; attempt: string } | null;
  /** Only with the purpose `new_round`: who changed the arguments that the person approved, and what; null if unknown. */
  changed: { who: string | null; facts: readonly Fact[]; left_out: string | null } | null;
  /** Only with the purpose `commented`: what was said. */
  said?: Said | null;
  /** Only with the purpose `revised`: who changed the request, what they say of it, and what is different; null if unknown. */
  revised?: { who: string | null; note: string; facts: readonly Fact[]; left_out: string | null } | null;
  /** The absent person that the task is for; null if the assignee stands in for no one. */
  delegated_from?: DelegatedFrom | null;
  /** How many people must approve, in a sentence; "" if one person decides. */
  need: string;
  /** Only with the purpose `ended`. */
  ending: Ending | null;
  now: Date;
}

/**
 * Renders the email that asks for a decision or a correction, informs a person who cannot answer, or says that a task is
 * closed. HTML and text have the
 * same content in the same order. It loads nothing, and has nothing of a redacted payload.
 */
export function renderMessage(options: MessageOptions): { subject: string; html: string; text: string } {
  const content = contentOf(options);
  return { subject: content.subject, html: htmlOf(content), text: textOf(content) };
}
