import { callbackKeysOf } from "../callbacks/signature.ts";
import { readConfig } from "../config.ts";
import { standardSecret } from "../lib/standard-webhooks.ts";
import { findSecrets } from "../secrets.ts";

export interface WebhookKeyOptions {
  standard?: boolean;
}

/**
 * The keys of callbacks, one a line: the current one, and the previous one during a rotation. They are derived from the
 * payload keys, so that a receiver need not hold those.
 *
 * @returns `note`: what to know of the lines, or null if there is one
 * @throws Error in a sentence for the operator
 */
export async function findWebhookKeys(
  { standard = false }: WebhookKeyOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ lines: string; note: string | null }> {
  const { payloadKey, previous } = readConfig(env, findSecrets).config;
  if (payloadKey === null) throw new Error("SERVICE_PAYLOAD_KEY is not set: callbacks are off.");
  const keys = callbackKeysOf({ payloadKey, previous });
  const note =
    "The key is being rotated. The first line is the current key, the second one the previous key. webhook-signature is made with both, X-Service-Signature with the previous key.";
  return {
    lines: keys.map((key) => (standard ? standardSecret(key) : key.toString("base64"))).join("\n"),
    note: keys.length > 1 ? note : null,
  };
}
