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
import type { VerifierProvider } from "../lib/model-vendors.ts";
import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import type { VerifierConfig } from "./config.ts";
import { promptFor } from "./prompt.ts";
import { accessTo, notInstalled } from "./providers.ts";
import type { Outcome, VendorThread } from "./thread.ts";

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

/** Of all calls at once: as many as there are where each carries a task and an answer that are as large as a body may be. */
export function questionCharactersMax(bodyBytes: number): number {
  return AT_ONCE * 2 * bodyBytes;
}

/** After so many failures of one vendor in a row, nobody is kept waiting for it for a while; then one call tries. */
const FAILURES = 5;
const OPEN_MS = 15 * SECOND;
/** Vendors of which that is known. */
const CIRCUITS_MAX = 100;

export interface VerifyOptions {
  settings: VerifierSettings;
  vendors: VendorThread;
  log: Logger;
  timeoutMs?: number;
  openMs?: number;
}

/** Calls of all tasks share what is bounded here, so that slow vendors take nothing else along. */
export function createVerify({
  settings,
  vendors,
  log,
  timeoutMs = TIMEOUT_MS,
  openMs = OPEN_MS,
}: VerifyOptions): Verify {
  const turns = bulkhead(AT_ONCE, WAITING_MAX);
  const circuits = new Map<string, CircuitBreakerPolicy>();

  /** One for each vendor, key and model: what fails for one may work for another. */
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
          // What waiting for others took of the time says nothing of this vendor.
          if (performance.now() - arrived > timeoutMs / 2) throw refusedBecause(TOO_MANY);
          return ask(config, submission, signal);
        }),
      );
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const why = reasonOf(error);
      if (error instanceof NoVerdict) {
        const { provider, model } = config;
        log.warn({ provider, model, why, vendor_says: error.vendorSays }, "A verifier gave no verdict");
      }
      throw new ServiceError("VERIFIER_PROVIDER_ERROR", {
        message: `The answer could not be checked: ${why ?? NOT_ASKED}. Nothing was judged; send it again in a moment.`,
        // Of what was expected everything is said.
        ...(why === null && { cause: error }),
      });
    }
  };
}

/** A call that gave no verdict, and why in words for everybody: a vendor's own may hold a part of the key. */
class NoVerdict extends Error {
  /** The next call would most likely fail as well. */
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
      const why = `the verifier's vendor answered HTTP ${status}`;
      return status === 429 || status >= 500 ? outage(why) : refused(why);
    }
    case "not reached":
      return outage("the verifier's vendor could not be reached");
    case "no verdict":
      return refused("the verifier's vendor answered with something that is not a verdict");
    case "given up":
      return outage("the verifier took too long");
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

const TOO_MANY = "too many answers wait to be checked";
const NOT_ASKED = "the verifier could not be asked";

/** null: it is an error that nobody expected. */
function reasonOf(error: unknown): string | null {
  if (error instanceof NoVerdict) return error.message;
  if (error instanceof BrokenCircuitError)
    return "the verifier's vendor has failed several times in a row and is left alone for a moment";
  if (error instanceof BulkheadRejectedError) return TOO_MANY;
  return null;
}
