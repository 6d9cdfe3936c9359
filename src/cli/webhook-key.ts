import { deriveCallbackKey } from "../callbacks/signature.ts";
import { readConfig } from "../config.ts";
import { findSecrets } from "../secrets.ts";

/**
 * The key of callbacks in base64. It is derived from the payload key, so that a receiver need not hold that one.
 * @throws Error in a sentence for the operator
 */
export async function findWebhookKey(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { config } = readConfig(env, findSecrets);
  if (config.payloadKey === null) throw new Error("SERVICE_PAYLOAD_KEY is not set: callbacks are off.");
  return deriveCallbackKey(config.payloadKey).toString("base64");
}
