import {
  bulkhead,
  circuitBreaker,
  ConsecutiveBreaker,
  BrokenCircuitError,
  BulkheadRejectedError,
  handleWhen,
  type CircuitBreakerPolicy,
} from "cockatiel";
import type { Logger } from "pino";
import type { VerifierSettings } from "../config.ts";
import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import type { VerifierConfig } from "./config.ts";
import { promptFor } from "./prompt.ts";
import { loadModel } from "./providers.ts";

/** What a verifier says of an answer. */
export interface Verdict {
  passed: boolean;
  /** For the person who gave the answer. */
  reason: string;
}

/** What a verifier is shown. All of it was written by strangers. */
export interface Submission {
  task: string;
  payload: JsonObject;
  response: JsonObject;
}

/**
 * Asks the vendor whether an answer is acceptable. (spec: Complete a task, errors; wire: Verifier)
 *
 * @throws ServiceError VERIFIER_API_KEY_MISSING, VERIFIER_PROVIDER_UNAVAILABLE, VERIFIER_PROVIDER_ERROR; no attempt is
 *   consumed then
 */
export type Verify = (config: VerifierConfig, submission: Submission) => Promise<Verdict>;

/** A call takes no longer, its wait for a turn included. */
const TIMEOUT_MS = 30 * SECOND;
/** Calls of this process at once, and how many more wait for their turn. */
const AT_ONCE = 64;
const WAITING_MAX = 256;
/** After so many failures of one vendor in a row, nobody is kept waiting for it for a while; then one call tries. */
const FAILURES = 5;
const OPEN_MS = 15 * SECOND;
/** Vendors of which that is known. */
const CIRCUITS_MAX = 100;

export interface VerifyOptions {
  settings: VerifierSettings;
  log: Logger;
  timeoutMs?: number;
  openMs?: number;
}

/** Calls of all tasks share what is bounded here, so that slow vendors take nothing else along. */
export function createVerify({ settings, log, timeoutMs = TIMEOUT_MS, openMs = OPEN_MS }: VerifyOptions): Verify {
  const turns = bulkhead(AT_ONCE, WAITING_MAX);
  const circuits = new Map<string, CircuitBreakerPolicy>();

  /** One for each vendor, key and model: what fails for one may work for another. */
  const circuitOf = ({ provider, model, api_key_env }: VerifierConfig): CircuitBreakerPolicy => {
    const name = `${provider} ${api_key_env} ${model}`;
    const circuit =
      circuits.get(name) ??
      circuitBreaker(
        handleWhen((error) => error instanceof Outage),
        { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(FAILURES) },
      );
    circuits.delete(name);
    circuits.set(name, circuit);
    if (circuits.size > CIRCUITS_MAX) circuits.delete(circuits.keys().next().value!);
    return circuit;
  };

  return async (config, submission) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await turns.execute(async () =>
        circuitOf(config).execute(async () => inTime(signal, ask(settings, config, submission, signal))),
      );
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const why = reasonOf(error);
      const vendor_says = messageOf((error as Error).cause);
      log.warn({ provider: config.provider, model: config.model, why, vendor_says }, "A verifier gave no verdict");
      throw new ServiceError("VERIFIER_PROVIDER_ERROR", {
        message: `The answer could not be checked: ${why}. Nothing was judged; send it again in a moment.`,
        cause: error,
      });
    }
  };
}

/** The vendor is down or overloaded: the next call would most likely fail as well. */
class Outage extends Error {}

async function ask(
  settings: VerifierSettings,
  config: VerifierConfig,
  submission: Submission,
  signal: AbortSignal,
): Promise<Verdict> {
  const { ai, model } = await loadModel(settings, config);
  const call = ai.generateText({
    model,
    ...promptFor(config, submission),
    output: ai.Output.object({ schema: ai.jsonSchema<Verdict>(VERDICT, { validate }) }),
    // The person waits, and can send it again.
    maxRetries: 0,
    abortSignal: signal,
  });
  try {
    return (await call).output;
  } catch (error) {
    if (ai.APICallError.isInstance(error)) {
      const { statusCode } = error;
      const isDown = statusCode === undefined || statusCode === 429 || statusCode >= 500;
      const why =
        statusCode === undefined
          ? "the verifier's vendor could not be reached"
          : `the verifier's vendor answered HTTP ${statusCode}`;
      throw isDown ? new Outage(why, { cause: error }) : new Refused(why, { cause: error });
    }
    throw new Refused("the verifier's vendor answered with something that is not a verdict", { cause: error });
  }
}

/** What does not heed the signal is left to itself. @throws Outage */
async function inTime<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Outage("the verifier took too long"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
  return Promise.race([late, work]);
}

/** The vendor is there, and did not do it. */
class Refused extends Error {}

/** Nothing of what a vendor says is passed on: it may hold a part of the key. */
function reasonOf(error: unknown): string {
  if (error instanceof Outage || error instanceof Refused) return error.message;
  if (error instanceof BrokenCircuitError)
    return "the verifier's vendor has failed several times in a row and is left alone for a moment";
  if (error instanceof BulkheadRejectedError) return "too many answers wait to be checked";
  return "the verifier could not be asked";
}

/** A stack says nothing about a vendor, and when many calls fail at once they are many. */
function messageOf(cause: unknown): string | null {
  return cause instanceof Error ? cause.message.slice(0, 500) : null;
}

const VERDICT = {
  type: "object",
  properties: {
    passed: { type: "boolean", description: "Whether the answer meets the criteria." },
    reason: { type: "string", description: "One to three sentences for the person who gave the answer." },
  },
  required: ["passed", "reason"],
  additionalProperties: false,
} as const;

/** A verdict to the letter, or none: what only looks like one is not guessed at. */
function validate(value: unknown): { success: true; value: Verdict } | { success: false; error: Error } {
  const { passed, reason, ...more } = (typeof value === "object" && value !== null ? value : {}) as Partial<Verdict>;
  if (
    typeof passed === "boolean" &&
    typeof reason === "string" &&
    reason.trim() !== "" &&
    Object.keys(more).length === 0
  )
    return { success: true, value: { passed, reason } };
  return { success: false, error: new Error("Not a verdict.") };
}
