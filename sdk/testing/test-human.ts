import type { Client } from "../client.ts";
import type { TaskRecord } from "../shapes.ts";
import type { Duration } from "./duration.ts";
import type { TestMistake } from "./mistake.ts";
import type { TestClock } from "./timeline.ts";

// The types of the published entry. They use no types of the service, whose code is bundled into the entry.

/** Receives a callback as the program under test does. */
export type Deliver = (request: Request) => Response | Promise<Response>;

/** The history of a callback. */
export interface SentCallback {
  taskId: string;
  url: string;
  /** `abandoned`: every attempt failed, which takes three days. */
  status: "pending" | "delivered" | "abandoned";
  /** For each attempt, the status of its answer, or the error of the handler. */
  attempts: readonly (number | { thrown: unknown })[];
}

export interface TestHumanOptions {
  /**
   * `automatic`: whenever everything waits, time moves to the next event. `manual`: only `clock.advance` moves it. Use
   * that for programs with real work besides waiting, which time must not overtake.
   */
  time?: "automatic" | "manual";
  /** When the test begins. Default: noon of 2026-01-31 UTC. */
  startAt?: Date | string;
  /**
   * Receives the signed callbacks of tasks with a `callbackUrl`, for example the result of
   * `callbackHandler(human.payloadKey, ...)`. A callback is repeated later until it is answered with 2xx.
   */
  deliver?: Deliver;
}

/** A person in memory, and the service around them. */
export interface TestHuman {
  /** For the program under test: the real client, with the service in memory. */
  readonly client: Client;
  /** For a program that creates its own client: `createClient({ ...human.clientOptions, headers })`. */
  readonly clientOptions: Readonly<{ baseUrl: string; token: string; fetch: typeof fetch; clock: TestClock }>;
  readonly clock: TestClock;
  /** Every question in order, in its current state. */
  readonly asked: readonly TaskRecord[];
  /** @throws TestMistake when nothing was asked */
  readonly lastAsked: TaskRecord;
  /** Resolves with the latest question once `count` questions were asked. */
  untilAsked(count?: number): Promise<TaskRecord>;
  /** Makes the service unreachable from now on for this long. People still answer. */
  unreachableFor(duration: Duration): void;
  /** The key that signs callbacks. */
  readonly payloadKey: string;
  /** Every callback with its history. */
  readonly callbacks: readonly SentCallback[];
  /** The mistakes in the test. Each call of the client rejects with the first one. */
  readonly mistakes: readonly TestMistake[];
}
