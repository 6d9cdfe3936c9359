import { randomUUID } from "node:crypto";
import { SECOND } from "../lib/time.ts";
import { isConnectionLoss } from "./postgres-errors.ts";
import type { HintHealth } from "./postgres-hint-health.ts";
import { createHintLine, type HintLine } from "./postgres-hint-line.ts";

const SELF_TEST_MS = 2 * SECOND;
/** The longest wait before a new line. */
export const HEARTBEAT_MS = 15 * SECOND;
/** The wait after a lost connection. */
const RECONNECT_MS = 1 * SECOND;
/** The wait after a failed test. It doubles after each further failure, up to a heartbeat. */
const RETEST_MS = 1 * SECOND;

const POOLED =
  "LISTEN does not work through a pooler in transaction mode; use session mode or a direct connection to avoid this.";
const SILENT = "LISTEN does not work on this database connection: its test message did not arrive.";

/**
 * Keeps a line to the database.
 *
 *     no line --- connect ---> untested --- test succeeds ---> healthy --- heartbeat: test succeeds ---> healthy
 *        ^                        |                               |
 *        | connection lost        | test fails                    | test fails
 *        | (from each state)      v                               v
 *        |                     failing: may still notify; a new line replaces it after a wait
 */
export interface LineKeeper {
  /** Returns the connection in use or being opened, or null. */
  line(): HintLine | null;
  /** Opens a line and tests it. Never rejects: it retries later. */
  connect(): Promise<void>;
  /** Drops a line that failed. */
  lose(line: HintLine): void;
  /** Takes the token of a received test message. */
  receiveTest(token: string): void;
  /** Tests a healthy line again. */
  testAgain(): void;
  /** Opens no more lines. The current one stays until `close`. */
  stop(): void;
  close(): Promise<void>;
}

export interface LineKeeperOptions {
  url: string;
  /** Identifies this process to the others. */
  self: string;
  health: HintHealth;
  onMessage: (payload: string) => void;
  onTested: () => void;
  onLost: () => void;
}

export function createLineKeeper({ url, self, health, ...on }: LineKeeperOptions): LineKeeper {
  let line: HintLine | null = null;
  let isStopped = false;
  let isTesting = false;
  let retry: NodeJS.Timeout | undefined;
  let receiveTest: (token: string) => void = () => {};

  async function connect(): Promise<void> {
    const last = line;
    const fresh = createHintLine(url, { onMessage: on.onMessage, onEnd: () => lose(fresh) });
    line = fresh;
    void last?.hangUp();
    try {
      if (await fresh.open()) await test(fresh);
      else fail(fresh, POOLED);
    } catch (error) {
      if (isConnectionLoss(error)) return lose(fresh);
      const message = error instanceof Error ? error.message : String(error);
      void fresh.hangUp();
      if (line === fresh) line = null;
      fail(fresh, `LISTEN does not work on this database connection: ${message}.`);
    }
  }

  /** Sends a message to itself and waits for it. @throws when it cannot be sent */
  async function test(tested: HintLine): Promise<void> {
    isTesting = true;
    const token = randomUUID();
    const arrived = Promise.withResolvers<boolean>();
    const timer = setTimeout(arrived.resolve, SELF_TEST_MS, false);
    receiveTest = (text) => {
      if (text === token) arrived.resolve(true);
    };
    try {
      const isFair = await tested.test(`test:${self}|${token}`, SELF_TEST_MS);
      const works = isFair && (await arrived.promise);
      if (line !== tested || isStopped) return;
      if (!works) return fail(tested, isFair ? SILENT : POOLED);
      health.succeed();
      on.onTested();
    } finally {
      clearTimeout(timer);
      isTesting = false;
    }
  }

  /** Continues without hints, and retries later on new connections. Until then, the current ones may still notify. */
  function fail(failed: HintLine, reason: string): void {
    if (line !== null && line !== failed) return;
    connectLater(Math.min(RETEST_MS * 2 ** health.failedTests(), HEARTBEAT_MS));
    health.failTest(reason);
  }

  function lose(lost: HintLine): void {
    void lost.hangUp();
    if (line !== lost) return;
    line = null;
    on.onLost();
    connectLater(RECONNECT_MS);
    health.fail("The database connection for hints was lost.");
  }

  function connectLater(afterMs: number): void {
    if (isStopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connect(), afterMs);
    retry.unref();
  }

  return {
    line: () => line,
    connect,
    lose,
    receiveTest: (token) => receiveTest(token),
    testAgain: () => {
      const tested = line;
      if (tested === null || isTesting || !health.isHealthy()) return;
      test(tested).catch(() => lose(tested));
    },
    stop: () => {
      isStopped = true;
      clearTimeout(retry);
    },
    close: async () => {
      const last = line;
      line = null;
      await last?.hangUp();
    },
  };
}
