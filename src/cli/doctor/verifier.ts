import { PROVIDERS, VENDOR_KEY_ENVS, type VerifierProvider } from "../../config/verifier.ts";
import type { Config } from "../../config.ts";
import { ServiceError } from "../../errors.ts";
import { accessTo, findPackages } from "../../verifier/providers.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** Checks the keys and packages of each provider. Calls none of them. */
export function checkVerifier({ verifier }: Config): Finding[] {
  const { keys, keyEnvs } = verifier;
  const set = PROVIDERS.filter((provider) => keys[VENDOR_KEY_ENVS[provider]] !== undefined);
  const named = keyEnvs.map((name) =>
    keys[name] === undefined
      ? warning("verifier", `SERVICE_VERIFIER_KEY_ENVS allows ${name}, which is not set.`)
      : ok("verifier", `Tasks may use the key in ${name}.`),
  );
  const providers = set.map((provider) => checkProvider(verifier, provider));
  const findings = [...providers, ...named];
  return findings.length > 0 ? findings : [off("verifier", `No API key is set, such as ${VENDOR_KEY_ENVS.openai}.`)];
}

function checkProvider(settings: Config["verifier"], provider: VerifierProvider): Finding {
  const name = `verifier/${provider}`;
  const api_key_env = VENDOR_KEY_ENVS[provider];
  try {
    const { baseURL } = accessTo(settings, { provider, api_key_env });
    findPackages(provider);
    const where = baseURL === undefined ? "" : ` at ${baseURL}`;
    return ok(name, `Configured${where}. The first answer shows whether ${api_key_env} is valid.`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return problem(name, error.details?.[0]?.message ?? error.message);
  }
}
