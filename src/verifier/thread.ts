import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { VerifierProvider } from "../lib/model-vendors.ts";
import type { Prompt } from "./prompt.ts";
import type { Access } from "./providers.ts";
import type { Verdict } from "./verify.ts";

/**
 * Asks vendors in a thread of its own, which starts when it is first needed. Loading their packages holds a thread up for a
 * fifth of a second, and with them in its heap the service's own would wait longer for the garbage collector ever after.
 */
export interface VendorThread {
  /**
   * Never rejects. A call that is given up is broken off in the thread as well.
   * @param signal - gives the call up
   */
  ask(question: Question, signal: AbortSignal): Promise<Outcome>;
  /**
   * Ends the thread. What is under way stays without an outcome, as where the process ends: what is to be tried again then
   * must not be told that it failed.
   */
  close(): Promise<void>;
}

export interface Question extends Prompt {
  provider: VerifierProvider;
  model: string;
  access: Access;
}

/** What came of a call. `says` is for the log alone: what the vendor, or the platform, said of it. */
export type Outcome =
  | { verdict: Verdict }
  | { failed: "status"; status: number; says: string }
  | { failed: "not reached" | "no verdict" | "not installed" | "not asked"; says: string }
  | { failed: "given up" | "lost" | "no room" };

/** What crosses to the thread, and back. */
export type Request = { id: number; question: Question } | { id: number; giveUp: true };
export interface Answer {
  id: number;
  outcome: Outcome;
}

interface Running {
  worker: Worker;
  /** Who waits for what was asked of it: its end is not the end of what its successor is asked. */
  pending: Map<number, (outcome: Outcome) => void>;
}

export interface VendorThreadOptions {
  log: Logger;
  /** Of all questions that are under way, at most; what would be more is not asked. */
  charactersMax: number;
}

/** What the thread needs for itself, and twice what it was measured to need for a character that takes two bytes. */
const HEAP_MB = 256;
const HEAP_BYTES_PER_CHARACTER = 8;

export function createVendorThread({ log, charactersMax }: VendorThreadOptions): VendorThread {
  // For what nobody thought of: a thread whose heap is used up by something large takes the process along.
  const heapMb = HEAP_MB + Math.ceil((charactersMax * HEAP_BYTES_PER_CHARACTER) / (1024 * 1024));
  let running: Running | null = null;
  let characters = 0;
  let lastId = 0;
  let isClosed = false;

  function start(): Running {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const started: Running = { worker, pending: new Map() };
    worker.on("message", ({ id, outcome }: Answer) => settle(started, id, outcome));
    worker.on("error", (error) => lose(started, error.message));
    worker.on("exit", () => lose(started, "it ended"));
    return started;
  }

  function settle({ worker, pending }: Running, id: number, outcome: Outcome): void {
    pending.get(id)?.(outcome);
    pending.delete(id);
    // A thread that nobody waits for keeps no process alive.
    if (pending.size === 0) worker.unref();
  }

  function lose(lost: Running, why: string): void {
    if (running !== lost) return;
    running = null;
    if (isClosed) return;
    log.error(
      { why, calls: lost.pending.size },
      "The thread that asks verifiers' vendors is gone; the next call starts another",
    );
    for (const id of lost.pending.keys()) settle(lost, id, { failed: "lost" });
  }

  return {
    ask: async (question, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve({ failed: "given up" });
        if (isClosed) return;
        const own = question.instructions.length + question.prompt.length;
        if (characters + own > charactersMax) return resolve({ failed: "no room" });
        const asked = (running ??= start());
        characters += own;
        const { worker, pending } = asked;
        const id = ++lastId;
        const giveUp = () => {
          worker.postMessage({ id, giveUp: true } satisfies Request);
          settle(asked, id, { failed: "given up" });
        };
        signal.addEventListener("abort", giveUp, { once: true });
        pending.set(id, (outcome) => {
          characters -= own;
          signal.removeEventListener("abort", giveUp);
          resolve(outcome);
        });
        worker.ref();
        worker.postMessage({ id, question } satisfies Request);
      }),
    close: async () => {
      isClosed = true;
      await running?.worker.terminate();
    },
  };
}
