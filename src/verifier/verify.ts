import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { VerifierConfig } from "./config.ts";

/** What a verifier says of an answer. */
export interface Verdict {
  passed: boolean;
  reason: string;
}

/** What a verifier is shown. All of it was written by strangers. */
export interface Submission {
  task: string;
  payload: JsonObject;
  response: JsonObject;
}

/**
 * Asks the vendor whether an answer is acceptable.
 *
 * @throws ServiceError VERIFIER_API_KEY_MISSING, VERIFIER_PROVIDER_UNAVAILABLE, VERIFIER_PROVIDER_ERROR; no attempt is
 *   consumed then
 */
export type Verify = (config: VerifierConfig, submission: Submission) => Promise<Verdict>;

/** This release ships without the vendors' packages: an answer that needs one is not judged, and nothing is consumed. */
export const verifyWithoutProviders: Verify = async ({ provider }) => {
  throw new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
    message: `The package for the verifier's provider "${provider}" is not installed on the server.`,
  });
};
