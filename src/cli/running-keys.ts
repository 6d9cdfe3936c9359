import { readConfig } from "../config.ts";
import { secretKeyFingerprints } from "../lib/keys.ts";
import { findSecrets } from "../secrets.ts";
import type { Calls } from "./calls.ts";

/**
 * Checks that a running service does not have the secret key from before the rotation, as between `rotate-keys` and the restart:
 * it would encrypt with that.
 * @throws Error in a sentence for the operator
 */
export async function requireRestarted(
  calls: Pick<Calls, "call">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { previous } = secretKeyFingerprints(readConfig(env, findSecrets).config);
  if (previous === null) return;
  // An older release has no such field.
  const { keys } = await calls.call<{ keys?: { secret_key: string } }>("GET", "/api/settings");
  if (keys?.secret_key === previous)
    throw new Error(
      "Nothing was encrypted again: the running service still has the previous SERVICE_SECRET_KEY. Restart it first, then run this again.",
    );
}
