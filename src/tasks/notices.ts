import type { Reader, Tx } from "../db/database.ts";
import type { User } from "../people/store.ts";
import type { Destination, NotifiableChannel } from "./notify.ts";

/** Why people are told of a task. `sent_back`: the verifier refused an answer, and another one is needed. */
export type Purpose = "decision" | "sent_back";

/** Something that the people whom `notify` names are to be told. */
export interface Notice {
  task_id: string;
  purpose: Purpose;
  /** Epoch milliseconds. */
  at: number;
}

/** A person that a destination names. */
export interface Recipient {
  /** In the directory, active or not; null: unknown to it. */
  user: User | null;
  email: string | null;
  /** Tells people apart whom the directory does not know. */
  name: string;
}

/** What tasks need of the channels, which know how people are reached. `channels/` provides it. */
export interface Notifier {
  readonly channels: readonly NotifiableChannel[];
  /** The person that a destination names; null: it is a room of several people. */
  recipientOf(reader: Reader, destination: Destination): Promise<Recipient | null>;
  /**
   * Enqueues a notice for each destination, in the transaction of what it tells of. What cannot be sent at all is noted in
   * the audit trail as `notification_failed`.
   */
  enqueue(tx: Tx, notice: Notice, to: readonly Destination[]): Promise<void>;
}
