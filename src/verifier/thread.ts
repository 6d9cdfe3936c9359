import type { Logger } from "pino";
import { createWorkerCalls } from "../../threads/worker-calls.ts";
import type { VerifierProvider } from "../config/verifier.ts";
import type { Prompt } from "./prompt.ts";
import type { Access } from "./providers.ts";
import type { Verdict } from "./verify.ts";

/**
 * Asks vendors in a thread of its own, which starts when it is first needed. Loading their packages holds a thread up for a
 * fifth of a second, and with them in its heap the service's own would wait longer for the garbage collector ever after.
 */
export interface VendorThread {
  /**
   * Never rejects. An aborted call is aborted in the thread too.
   * @param signal - aborts the call
   */
  ask(question: Question, signal: AbortSignal): Promise<Outcome>;
  /**
   * Ends the thread. Calls in progress get no outcome, as if the process ended: they are retried later and must not be
   * recorded as failed.
   */
  close(): Promise<void>;
}

export interface Question extends Prompt {
  provider: VerifierProvider;
  model: string;
  access: Access;
}

/** The outcome of a call. `says` is the vendor's or platform's message, for the log only. */
export type Outcome =
  | { verdict: Verdict }
  | { failed: "status"; status: number; says: string }
  | { failed: "not reached" | "no verdict" | "not installed" | "not asked"; says: string }
  | { failed: "given up" | "lost" | "no room" };

export interface VendorThreadOptions {
  log: Logger;
  /** Maximum total length of all questions in progress. Further questions are rejected. */
  charactersMax: number;
}

/** Heap of the thread itself, and twice the measured need for a two-byte character. */
const HEAP_MB = 256;
const HEAP_BYTES_PER_CHARACTER = 8;

export function createVendorThread({ log, charactersMax }: VendorThreadOptions): VendorThread {
  // A thread that exhausts its heap ends the whole process, so it gets room for unexpected sizes.
  const heapMb = HEAP_MB + Math.ceil((charactersMax * HEAP_BYTES_PER_CHARACTER) / (1024 * 1024));
  const calls = createWorkerCalls<Question, Outcome>({
    module: new URL("./worker.ts", import.meta.url),
    worker: { resourceLimits: { maxOldGenerationSizeMb: heapMb } },
    onLost: ({ message }, pending) =>
      log.error(
        { why: message, calls: pending },
        "The thread that asks verifiers' vendors is gone; the next call starts another",
      ),
  });
  let characters = 0;

  return {
    ask: async (question, signal) => {
      if (signal.aborted) return { failed: "given up" };
      const own = question.instructions.length + question.prompt.length;
      if (characters + own > charactersMax) return { failed: "no room" };
      characters += own;
      const outcome = await calls.call(question, { signal });
      characters -= own;
      if ("answer" in outcome) return outcome.answer;
      // Without an outcome, as `close` promises.
      if (outcome.failed === "closed") return new Promise(() => {});
      return { failed: outcome.failed === "aborted" ? "given up" : "lost" };
    },
    close: calls.close,
  };
}
