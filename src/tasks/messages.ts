import type { Tx } from "../db/database.ts";
import type { Destination } from "./notify.ts";

/** Why people are told of a task. `sent_back`: an answer was refused by the verifier, and another one is needed. */
export type Purpose = "decision" | "sent_back";

/** Something that those whom `notify` names are to be told. */
export interface Message {
  task_id: string;
  purpose: Purpose;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * Owes a message to each destination, in the transaction of what it tells of; what cannot be sent at all stands in the
 * audit trail as `notification_failed`. Provided by the channels, which know how people are reached.
 */
export type Announce = (tx: Tx, message: Message, to: readonly Destination[]) => Promise<void>;
