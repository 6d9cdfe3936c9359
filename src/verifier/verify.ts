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
import type { VerifierProvider, VerifierSettings } from "../config/verifier.ts";
import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import type { VerifierConfig } from "./config.ts";
import { promptFor } from "./prompt.ts";
import { accessTo, detailsOf, notInstalled } from "./providers.ts";
import type { Outcome, VendorThread } from "./thread.ts";
import { AT_ONCE } from "./verifier.ts";

/** The verdict on an answer. */
export interface Verdict {
  passed: boolean;
  /** Shown to the person who gave the answer. */
  reason: string;
}

/** The input of a verifier. All of it is untrusted. */
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

/** Time limit of a call, including its wait for a turn. */
const TIMEOUT_MS = 30 * SECOND;
/** Length of the queue of calls. */
const WAITING_MAX = 256;

/** Circuit breaker: after this many failures of one vendor in a row, calls fail at once for `OPEN_MS`. Then one call tries. */
const FAILURES = 5;
const OPEN_MS = 15 * SECOND;
/** Largest number of vendors with a circuit breaker. */
const CIRCUITS_MAX = 100;

export interface VerifyOptions {
  settings: VerifierSettings;
  vendors: VendorThread;
  log: Logger;
  timeoutMs?: number;
  openMs?: number;
}

/** Creates the verifier. All tasks share its limits, so that a slow vendor does not slow down the service. */
export function createVerify({
  settings,
  vendors,
  log,
  timeoutMs = TIMEOUT_MS,
  openMs = OPEN_MS,
}: VerifyOptions): Verify {
  const turns = bulkhead(AT_ONCE, WAITING_MAX);
  const circuits = new Map<string, CircuitBreakerPolicy>();

  /** Each vendor, key and model has its own circuit: one may work while another fails. */
  const circuitOf = ({ provider, model, api_key_env }: VerifierConfig): CircuitBreakerPolicy => {
    const name = `${provider} ${api_key_env} ${model}`;
    const circuit =
      circuits.get(name) ??
      circuitBreaker(
        handleWhen((error) => error instanceof NoVerdict && error.isOutage),
        { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(FAILURES) },
      );
    circuits.delete(name);
    circuits.set(name, circuit);
    if (circuits.size > CIRCUITS_MAX) circuits.delete(circuits.keys().next().value!);
    return circuit;
  };

  const ask = async (config: VerifierConfig, submission: Submission, signal: AbortSignal): Promise<Verdict> => {
    const { provider, model } = config;
    const question = { provider, model, access: accessTo(settings, config), ...promptFor(config, submission) };
    const outcome = await vendors.ask(question, signal);
    if ("verdict" in outcome) return outcome.verdict;
    throw errorOf(outcome, provider);
  };

  return async (config, submission) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const arrived = performance.now();
    try {
      return await turns.execute(async () =>
        circuitOf(config).execute(async () => {
          // Time spent in the queue says nothing about this vendor.
          if (performance.now() - arrived > timeoutMs / 2) throw refusedBecause(TOO_MANY);
          return ask(config, submission, signal);
        }),
      );
    } catch (error) {
      const why = reasonOf(error);
      const { provider, model } = config;
      const vendor_says = error instanceof NoVerdict ? error.vendorSays : null;
      log.warn({ provider, model, why: why ?? NOT_ASKED, vendor_says }, "A verifier gave no verdict");
      if (error instanceof ServiceError) throw error;
      throw new ServiceError("VERIFIER_PROVIDER_ERROR", {
        details: detailsOf(why ?? NOT_ASKED),
        // For expected failures, the details say everything.
        ...(why === null && { cause: error }),
      });
    }
  };
}

/** A call without a verdict. The message is safe to show: it repeats nothing of the vendor's text, which may hold a part of the key. */
class NoVerdict extends Error {
  /** The next call would probably fail too. */
  readonly isOutage: boolean;
  readonly vendorSays: string | null;

  constructor(why: string, { isOutage, vendorSays }: { isOutage: boolean; vendorSays: string | null }) {
    super(why);
    this.isOutage = isOutage;
    this.vendorSays = vendorSays;
  }
}

function refusedBecause(why: string): NoVerdict {
  return new NoVerdict(why, { isOutage: false, vendorSays: null });
}

function errorOf(outcome: Exclude<Outcome, { verdict: Verdict }>, provider: VerifierProvider): Error {
  const vendorSays = "says" in outcome ? outcome.says : null;
  const outage = (why: string) => new NoVerdict(why, { isOutage: true, vendorSays });
  const refused = (why: string) => new NoVerdict(why, { isOutage: false, vendorSays });
  switch (outcome.failed) {
    case "status": {
      const { status } = outcome;
      const why = `The provider answered HTTP ${status}.`;
      return status === 429 || status >= 500 ? outage(why) : refused(why);
    }
    case "not reached":
      return outage("The provider could not be reached.");
    case "no verdict":
      return refused("The provider did not return a verdict.");
    case "given up":
      return outage("The provider took too long.");
    case "no room":
      return refused(TOO_MANY);
    case "lost":
      return outage(NOT_ASKED);
    case "not asked":
      return refused(NOT_ASKED);
    case "not installed":
      return notInstalled(provider);
  }
}

const TOO_MANY = "Too many answers are waiting to be checked.";
const NOT_ASKED = "The provider could not be asked.";

/** Returns null for an unexpected error. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ServiceError) return error.details?.[0]?.message ?? error.code;
  if (error instanceof NoVerdict) return error.message;
  if (error instanceof BrokenCircuitError)
    return "The provider failed several times in a row. The service waits before it asks again.";
  if (error instanceof BulkheadRejectedError) return TOO_MANY;
  return null;
}
