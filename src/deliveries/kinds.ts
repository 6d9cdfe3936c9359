import type { Tx } from "../db/database.ts";

/** A delivery whose next attempt is about to be made. */
export interface DueDelivery {
  id: string;
  kind: string;
  task_id: string;
  destination: string;
  origin: string;
  cycle: number;
  /** The number of this attempt in its cycle, from 1. */
  attempt: number;
  /** As it was stored; null when it is gone. */
  body: string | null;
}

/** What came of one attempt. */
export type Outcome =
  | {
      ok: true;
      status_code: number | null;
      response_excerpt: string | null;
      /** There was no more need to send anything: nothing was, and that is well. */
      is_needless?: boolean;
    }
  | {
      ok: false;
      /** Another try would end the same. */
      is_final?: boolean;
      /** For how long the receiver wants to be left alone, in milliseconds. */
      wait_ms?: number | undefined;
      /** A stable word. */
      error: string;
      /** A sentence for operators. */
      message: string;
      /** Both only when the receiver answered. */
      status_code: number | null;
      response_excerpt: string | null;
    };

/** A delivery that has come to its end. */
export interface EndedDelivery {
  id: string;
  task_id: string;
  destination: string;
  attempts: number;
}

/** One whose last attempt failed. */
export interface AbandonedDelivery extends EndedDelivery {
  last_error: string;
}

/**
 * One kind of delivery; the engine knows nothing else about it. Most are outbound: they bring something to a receiver. A kind
 * may be inbound as well: work on something that came in, such as an answer whose check takes longer than its channel waits.
 * It is stored and tried again like everything else, so that a crash loses nothing.
 */
export interface Kind {
  /** Makes one attempt. What it throws is a failed attempt; so is taking longer than the engine allows. */
  send(delivery: DueDelivery, signal: AbortSignal): Promise<Outcome>;
  /** When to try again after `attempts` failures, or null when the delivery is to be abandoned. */
  nextAttemptAt(attempts: number, endedAt: Date, random: number): Date | null;
  /** Commits together with the end of the delivery; its locks are taken before the delivery's. */
  onAbandoned(tx: Tx, delivery: AbandonedDelivery): Promise<void>;
  /** The same where something was sent. */
  onSucceeded?(tx: Tx, delivery: EndedDelivery): Promise<void>;
}

/** The kind that takes back what a live delivery of `kind` shows, after its task was deleted. A live kind brings one. */
export function removalOf(kind: string): string {
  return `${kind}_removal`;
}

/** Kinds by the name that stands in a row. */
export type Kinds = Readonly<Record<string, Kind>>;
