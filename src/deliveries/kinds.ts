import type { Tx } from "../db/database.ts";
import { MINUTE } from "../lib/time.ts";

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

/** One sort of thing that is owed; the engine knows nothing else about it. */
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

/** Kinds by the name that stands in a row. */
export type Kinds = Readonly<Record<string, Kind>>;

/** Returns the kind of a row. A row that another release wrote may name an unknown one: its attempts fail, and are repeated. */
export function kindOf(kinds: Kinds, name: string): Kind {
  return Object.hasOwn(kinds, name) ? kinds[name]! : unknownKind;
}

const unknownKind: Kind = {
  send: async ({ kind }) => failure("unknown_kind", `This release knows no deliveries of the kind "${kind}".`),
  nextAttemptAt: (attempts, endedAt) => (attempts < 10 ? new Date(endedAt.getTime() + 10 * MINUTE) : null),
  onAbandoned: async () => {},
};

/** An attempt that failed before any receiver answered. */
export function failure(error: string, message: string): Outcome {
  return { ok: false, error, message, status_code: null, response_excerpt: null };
}
