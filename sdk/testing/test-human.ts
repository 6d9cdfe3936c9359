import type { Client } from "../client.ts";
import type { TaskRecord } from "../shapes.ts";
import type { Duration } from "./duration.ts";
import type { TestMistake } from "./mistake.ts";
import type { TestClock } from "./timeline.ts";

// The types of the published entry. They name nothing of the service, whose code the entry has inside.

/** Receives a callback as the program under test does. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** What became of a callback, attempt by attempt. */
export interface SentCallback {
  taskId: string;
  url: string;
  /** `abandoned`: every attempt failed, as after three days. */
  status: "pending" | "delivered" | "abandoned";
  /** Of each attempt, the status that it was answered with, or what the handler threw. */
  attempts: readonly (number | { thrown: unknown })[];
}

export interface TestHumanOptions {
  /**
   * `automatic`: whenever everybody waits, time moves to what is due next. `manual`: it moves by `clock.advance` only; for
   * programs that do real work beside the waiting, which time must not overtake.
   */
  time?: "automatic" | "manual";
  /** When the test begins; at noon of 2026-01-31 UTC when it is left out. */
  startAt?: Date | string;
  /**
   * Receives the signed callbacks of tasks with a `callbackUrl`, such as what `callbackHandler(human.payloadKey, ...)`
   * makes; again, later, while it does not answer 2xx.
   */
  deliver?: Deliver;
}

/** A person in memory, and the service around them. */
export interface TestHuman {
  /** For the program under test: the real client, whose service is in memory. */
  readonly client: Client;
  /** For a program that makes its client itself: `createClient({ ...human.clientOptions, headers })`. */
  readonly clientOptions: Readonly<{ baseUrl: string; token: string; fetch: typeof fetch; clock: TestClock }>;
  readonly clock: TestClock;
  /** Every question, in order, as it is by now. */
  readonly asked: readonly TaskRecord[];
  /** @throws TestMistake when nothing was asked */
  readonly lastAsked: TaskRecord;
  /** Resolves with the latest question once so many were asked. */
  untilAsked(count?: number): Promise<TaskRecord>;
  /** From now on, and for so long, the service does not answer. People go on answering. */
  unreachableFor(duration: Duration): void;
  /** What callbacks are signed with. */
  readonly payloadKey: string;
  /** Every callback, with what became of it. */
  readonly callbacks: readonly SentCallback[];
  /** What is wrong with the test; each call of the client rejects with the first of them. */
  readonly mistakes: readonly TestMistake[];
}
