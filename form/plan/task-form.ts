import type { FieldError } from "./check.ts";
import type { Entries } from "./entries.ts";
import type { Channel } from "./hints.ts";
import type { Notice } from "./post.ts";

/** A task as its form sees it, in the words of the API. */
export interface FormTask {
  readonly task_id: string;
  readonly response_schema: unknown;
  readonly form_definition: unknown;
  readonly payload: unknown;
  readonly redact_payload: boolean;
  /** Something else than a person judges the answer after it was sent. */
  readonly is_verified: boolean;
}

/** What the form of a task is drawn from. All of it can be written as JSON, so that a page can hand it to its script. */
export interface TaskFormProps {
  readonly task: FormTask;
  readonly channel: Channel;
  /** IANA name of the zone in which times are entered. */
  readonly time_zone: string;
  /** When the page was made; ISO text. */
  readonly now: string;
  /** Where the page posts to while no script is at work. */
  readonly action: string;
  /** Sent along with a post: what proves that it comes from this page. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** What was posted, on a page that is shown again. */
  readonly posted?: {
    readonly entries: Entries;
    readonly errors: readonly FieldError[];
    readonly notice: Notice | null;
  };
  readonly sent_back?: { readonly reason: string; readonly attempt: number };
  /** Whether a field may take the focus when the page opens: one that a hint names, or the one that is named here. */
  readonly focuses?: boolean | string;
}
