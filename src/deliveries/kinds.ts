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
  /** How often the process that made this very attempt was lost. */
  losses: number;
  /** The stored body; null when it was deleted. */
  body: string | null;
}

/** The result of one attempt. */
export type Outcome =
  | {
      ok: true;
      status_code: number | null;
      response_excerpt: string | null;
      /** A stable word for what it meant, if the kind tells several apart. */
      meaning?: string;
      /** Nothing was sent, because it is no longer needed. Counts as success. */
      is_needless?: boolean;
    }
  | {
      ok: false;
      /** Another attempt would fail in the same way, so none is made. */
      is_final?: boolean;
      /** The shortest wait that the receiver asks for, in milliseconds. */
      wait_ms?: number | undefined;
      /** A stable code for programs. */
      error: string;
      /** A sentence for operators. */
      message: string;
      /** This and `response_excerpt` are null when the receiver did not answer. */
      status_code: number | null;
      response_excerpt: string | null;
      meaning?: string;
    };

/** It is not the turn of this delivery. No attempt is counted, and the next one is due after this time. */
export interface Postponed {
  postponed_ms: number;
}

/** A delivery that succeeded or was abandoned. */
export interface EndedDelivery {
  id: string;
  task_id: string;
  destination: string;
  attempts: number;
}

/** A delivery whose last attempt failed. */
export interface AbandonedDelivery extends EndedDelivery {
  last_error: string;
}

/**
 * One kind of delivery; the engine knows nothing else about it. Most are outbound: they bring something to a receiver. A kind
 * may be inbound as well: work on something that came in, such as an answer whose check takes longer than its channel waits.
 * It is stored and tried again like everything else, so that a crash loses nothing.
 */
export interface Kind {
  /** Its origins are few or are used again, so it is worth storing which of them answer. */
  hasLastingOrigins?: boolean;
  /** Makes one attempt. The attempt fails when this throws, and when it takes longer than the engine allows. */
  send(delivery: DueDelivery, signal: AbortSignal): Promise<Outcome | Postponed>;
  /** Returns when to try again after `attempts` failures, or null to abandon the delivery. */
  nextAttemptAt(attempts: number, endedAt: Date, random: number): Date | null;
  /** Writes in the transaction that abandons the delivery, before the delivery itself is locked. */
  onAbandoned(tx: Tx, delivery: AbandonedDelivery): Promise<void>;
  /** Writes in the transaction of a success, unless nothing was sent. */
  onSucceeded?(tx: Tx, delivery: EndedDelivery): Promise<void>;
}

/** What operators see, and can send again. Messages to people are shown with their task. */
export const SHOWN_KINDS = ["callback", "resume", "event"] as const;
export type ShownKind = (typeof SHOWN_KINDS)[number];

/** Returns what operators see a row as, and the engine that is resumed, if one is: `resume.temporal` resumes `temporal`. */
export function shownAs(kind: string): { kind: ShownKind; engine: string | null } {
  const [name, engine = null] = kind.split(".", 2);
  return { kind: name as ShownKind, engine };
}

/** The kind that takes back what a live delivery of `kind` shows, after its task was deleted. A live kind brings one. */
export function removalOf(kind: string): string {
  return `${kind}_removal`;
}

/** Kinds by the name that rows have in `kind`. */
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
export function failure(error: string, message: string): Outcome & { ok: false } {
  return { ok: false, error, message, status_code: null, response_excerpt: null };
}
