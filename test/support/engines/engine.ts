import type { Reply } from "./stand-in.ts";

/** Something that waits in an engine for the outcome of one task. */
export interface Waiting {
  /** What a task has in its entry of `resume`, besides `connection`. */
  entry: Record<string, unknown>;
  /** What it was resumed with: one value for each time that it went on. */
  received: unknown[];
}

/**
 * What becomes of a request. `lost`: the engine does what it asks, and the connection ends without an answer, as when either
 * side crashes. Otherwise it does nothing, and answers this.
 */
export type Turn = "lost" | Unanswered | Reply;

/** A request that gets no answer while its connection stays open. */
export interface Unanswered {
  /** Whether the engine does what it asks. */
  acts: boolean;
  /** Called when the engine has come that far. */
  reached(): void;
}

/** A server on loopback that keeps to what the makers of an engine document. */
export interface Engine {
  /** For `POST /api/connections`; null: the kind takes none. */
  connection: { address: Record<string, unknown>; secret: string | null } | null;
  /** Begins something that waits. */
  wait(): Promise<Waiting>;
  /** What becomes of the next requests that would resume something, in order. Later ones are answered as documented. */
  script: Turn[];
  close(): Promise<void>;
}
