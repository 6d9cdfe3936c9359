import type { IncomingHttpHeaders } from "node:http";
import type { TObject } from "typebox";
import type { SendRequest } from "../outbound/http-sender.ts";

/** What an engine answered. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The beginning of the body, as text. */
  body: string;
}

/** Sends a request through the guard of `outbound/`. @throws NotAnswered */
export type Http = (request: SendRequest) => Promise<Answer>;

/** An engine did not answer. The attempt is repeated. */
export class NotAnswered extends Error {
  /** A stable word for programs. */
  readonly error: string;

  constructor(error: string, message: string) {
    super(message);
    this.name = "NotAnswered";
    this.error = error;
  }
}

/** Fields by their names, as they passed the schema of their kind. */
export type Fields = Readonly<Record<string, unknown>>;

/** How an engine is reached. Operators store it, and agents only name it. */
export interface Connection {
  address: Fields;
  /** Opened for this attempt only. null: there is none. */
  secret: string | null;
}

/** One attempt to resume what waits for a task. */
export interface Attempt {
  /** Of the delivery, the same for all its attempts. Engines that know repetitions by a key get it. */
  id: string;
  task_id: string;
  /** Where the task says that something waits. */
  address: Fields;
  /** null: the kind takes none. */
  connection: Connection | null;
  /** JSON of what the task asked for: the outcome, or the response only. */
  value: string;
  /** The status that the task ended with. */
  outcome: Outcome;
  /** Epoch milliseconds. */
  now: number;
  /** Whether an earlier attempt ended without an answer, and may have reached the engine all the same. */
  wasCutOff(): Promise<boolean>;
  /** The other tasks of its group, which have all ended. None unless the kind has `groupOf`. */
  others?: readonly Other[];
}

/** Another task that the same thing waits for. */
export interface Other {
  address: Fields;
  outcome: Outcome;
}

/** What kinds read of an outcome: the body of a callback. */
export interface Outcome {
  task_id: string;
  status: "completed" | "timed_out" | "cancelled" | "verification_exhausted";
  /** null unless it is completed. */
  response: Fields | null;
  completed_by_email: string | null;
}

/**
 * What an attempt means.
 *
 * - `done`: it was resumed now.
 * - `done_already`: an earlier attempt, or someone else, has resumed it.
 * - `gone`: nothing waits there, and nothing ever will. No other attempt is made.
 * - `later`: another attempt may succeed.
 * - `refused`: later as well, because of the connection: the engine does not accept its secret.
 */
export const MEANINGS = ["done", "done_already", "gone", "later", "refused"] as const;
export type Meaning = (typeof MEANINGS)[number];

/** Whether nothing is left to do. */
export function isLast(meaning: string | null): meaning is "done" | "done_already" | "gone" {
  return meaning === "done" || meaning === "done_already" || meaning === "gone";
}

export interface Resumed {
  meaning: Meaning;
  /** A sentence for operators; it says what is wrong, if something is. */
  message: string;
  /** The answer that showed it; null: nothing was sent. */
  answer: Answer | null;
  /** The shortest wait that the engine asks for, in milliseconds. */
  wait_ms?: number | undefined;
}

/** What a probe found. */
export interface Probed {
  ok: boolean;
  /** A sentence for operators. */
  detail: string;
}

/** What is wrong with a field. */
export interface Problem {
  /** JSON Pointer into the address. */
  path: string;
  /** A sentence. */
  message: string;
}

/** What a connection of a kind holds. */
export interface ConnectionForm {
  /** The fields of its `address`. */
  address: TObject;
  /** Returns what is wrong with fields that match the schema, as a pointer and a sentence; null if nothing is. */
  checkAddress?(address: Fields, secret: string | null): Problem | null;
  /** What `secret` is, as a sentence; null: it has none. Whether it must be given says `isSecretRequired`. */
  secret: string | null;
  isSecretRequired: boolean;
  /** The secret has several lines, so a form needs room for them. */
  hasLongSecret?: boolean;
  /** Returns what is wrong with a secret, as a sentence; null if nothing is. */
  checkSecret?(secret: string): string | null;
  /** Calls of the engine can create tasks. Returns why a secret cannot verify such calls, as a sentence; null if it can. */
  createsTasks?(secret: string): string | null;
  /** Returns where requests go if the address has no `url`. Kinds without it require one. */
  defaultUrl?(address: Fields): string;
  /**
   * Asks the engine whether it is there and accepts the secret. Changes nothing there.
   * @param now - epoch milliseconds
   * @throws NotAnswered
   */
  probe(connection: Connection, http: Http, now: number): Promise<Probed>;
}

/** An engine that can wait for a person, and how it is resumed. A kind is one file in `kinds/`. (beyond the spec: Resuming) */
export interface ResumeKind {
  name: string;
  /** Its name for people, as its makers spell it. */
  title: string;
  /** null: a task gives the whole address. */
  connection: ConnectionForm | null;
  /** What an entry of `resume` has, besides `connection` and `select`. */
  address: TObject;
  /** The fields of it that are permissions by themselves. They are stored encrypted and never shown. */
  secretFields?: readonly string[];
  /**
   * Returns what is wrong with an address that matches the schema, as a pointer and a sentence; null if nothing is.
   * @param select - what the entry says of the value; undefined: nothing
   */
  checkAddress?(address: Fields, select?: string): Problem | null;
  /**
   * Returns the group of an address: tasks of one connection with the same `id` are resumed once, when `size` of them have ended. null: it
   * is in none.
   */
  groupOf?(address: Fields): { id: string; size: number } | null;
  /**
   * Makes one attempt. Attempts are repeated after crashes, so two of them must do what one does, as far as the engine allows.
   * @throws NotAnswered
   */
  resume(attempt: Attempt, http: Http): Promise<Resumed>;
}
