import type { FieldError } from "./check.ts";
import type { Entries } from "./entries.ts";
import type { Channel } from "./hints.ts";
import type { Notice } from "./post.ts";

/** A task as its form sees it, with the names of the API. */
export interface FormTask {
  readonly task_id: string;
  readonly response_schema: unknown;
  readonly form_definition: unknown;
  readonly payload: unknown;
  readonly redact_payload: boolean;
  /** Whether a verifier judges the answer after it was sent. */
  readonly is_verified: boolean;
}

/** The input of a task's form. All of it can be written as JSON, so that a page can hand it to its script. */
export interface TaskFormProps {
  readonly task: FormTask;
  readonly channel: Channel;
  /** IANA name of the zone in which times are entered. */
  readonly time_zone: string;
  /** When the page was made, as ISO text. */
  readonly now: string;
  /** The address that the page posts to without a script. */
  readonly action: string;
  /** Fields that are posted along, to prove that the request is from this page. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** The posted entries, on a page that is shown again. */
  readonly posted?: {
    readonly entries: Entries;
    readonly errors: readonly FieldError[];
    readonly notice: Notice | null;
  };
  /** Why the last answer was rejected, and which attempt the next one is: "2 of 3". */
  readonly sent_back?: { readonly reason: string; readonly attempt: string };
  /** Whether a field may take the focus when the page opens: the field of a hint, or the field that is named here. */
  readonly focuses?: boolean | string;
}
