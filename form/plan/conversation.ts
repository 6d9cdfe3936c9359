import type { FileReference } from "../payload/reference.ts";

/** What somebody said about a task, with the names of the API. */
export interface SaidComment {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** Files that it names. */
  readonly files: readonly FileReference[];
  readonly by: {
    readonly user_id: string | null;
    readonly email: string | null;
    readonly name: string | null;
    readonly slack?: unknown;
  };
  readonly is_asker: boolean;
  /** Of a revision: the version that it made. */
  readonly version: number | null;
  readonly created_at: string;
}

/** The conversation of a task, as a page that works without scripts shows it. All of it can be written as JSON. */
export interface ConversationProps {
  /** Oldest first. */
  readonly comments: readonly SaidComment[];
  /** Ids of the comments that the viewer wrote. */
  readonly own: readonly string[];
  /** The name of the asker. */
  readonly asker: string;
  /** A question has no reply. */
  readonly is_waiting: boolean;
  readonly writing: WritingProps;
  /** IANA name of the zone in which times are shown. */
  readonly time_zone: string | undefined;
  readonly locale?: string | undefined;
  /** When the page was made, as ISO text. */
  readonly now: string;
}

/** What the viewer can write. */
export interface WritingProps {
  /** The viewer is the asker, who answers questions. */
  readonly is_asker: boolean;
  /** The task is open, so that its asker waits for questions. */
  readonly is_open: boolean;
  /** Id of the form that the texts are posted with, so that its entries stay; null if a script sends them. */
  readonly form: string | null;
  /** A text that was not sent, and why. */
  readonly text: string;
  readonly problem: string | null;
  /** The same for each attempt to send this text, so that a lost answer adds nothing twice. */
  readonly idempotency_key: string;
}

/** The names under which a page posts what somebody says. */
export const SAID = { text: "~text", kind: "~say", key: "~say-key" } as const;
