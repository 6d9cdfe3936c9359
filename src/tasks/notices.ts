import type { Comment } from "../conversation/store.ts";
import type { Reader, Tx } from "../db/database.ts";
import type { User } from "../people/store.ts";
import type { Destination, NotifiableChannel } from "./notify.ts";

/**
 * Why people are notified.
 *
 * - decision: a task was created, and its `notify` names them.
 * - assigned: the task was assigned to them later.
 * - sent_back: the verifier rejected their answer, and a new one is needed.
 * - new_round: the arguments that they approved were changed, so that they have to decide again.
 * - revised: they were told before, and the asker has changed what the task asks.
 * - reminder: they were told before, and no one has answered.
 * - ended: the task that they were asked about is closed.
 * - commented: somebody else said something about the task that they were asked about.
 */
export type Purpose =
  | "decision"
  | "assigned"
  | "sent_back"
  | "new_round"
  | "revised"
  | "reminder"
  | "ended"
  | "commented";

/** A notification about a task. */
export interface Notice {
  task_id: string;
  /** The slug of its project. */
  project: string;
  purpose: Purpose;
  /** Epoch milliseconds. */
  at: number;
}

/** A comment about an open task, for those who were told of the task. */
export interface CommentNotice extends Notice {
  comment: Comment;
}

/** The person behind a destination. */
export interface Recipient {
  /** The user, active or not; null if the person is not in the directory. */
  user: User | null;
  email: string | null;
  /** Identifies people who are not in the directory. */
  name: string;
}

/** Tells people in the browsers that they chose for it. `notifications/` implements it. */
export interface InBrowsers {
  /**
   * Enqueues a notice for the browsers of people, in the transaction of the event that it reports.
   * @param people - ids of users; other names, and null, are passed over
   */
  enqueue(tx: Tx, notice: Notice, people: Iterable<string | null>): Promise<void>;
}

/** The part of the channels that tasks use. `channels/` implements it. */
export interface Notifier {
  readonly channels: readonly NotifiableChannel[];
  /** Returns the person behind a destination; null for a room of several people. */
  recipientOf(reader: Reader, destination: Destination): Promise<Recipient | null>;
  /**
   * Enqueues a notice for each destination, in the transaction of the event that it reports. A destination that cannot
   * be used is recorded in the audit trail as `notification_failed`.
   */
  enqueue(tx: Tx, notice: Notice, to: readonly Destination[]): Promise<void>;
  /** Tells those who were told of a task what somebody else says about it, in the transaction that stores it. */
  enqueueComment(tx: Tx, notice: CommentNotice): Promise<void>;
  /**
   * Enqueues a notice for a person, through the first channel that can reach them. Does nothing if there is none.
   * @param notify - `notify` of the task, which may say how to reach them
   */
  enqueueFor(tx: Tx, notice: Notice, person: Recipient, notify: readonly Destination[]): Promise<void>;
  inBrowsers: InBrowsers;
}
