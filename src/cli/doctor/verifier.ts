import type { Config } from "../../config.ts";
import { PROVIDERS, VENDOR_KEY_ENVS, type VerifierProvider } from "../../lib/model-vendors.ts";
import { ServiceError } from "../../errors.ts";
import { accessTo, findPackages } from "../../verifier/providers.ts";
import { off, ok, problem, warning, type Finding } from "./check.ts";

/** Which vendors could be asked: their keys and packages are there. No vendor is called. */
export function checkVerifier({ verifier }: Config): Finding[] {
  const { keys, keyEnvs } = verifier;
  const set = PROVIDERS.filter((provider) => keys[VENDOR_KEY_ENVS[provider]] !== undefined);
  const named = keyEnvs.map((name) =>
    keys[name] === undefined
      ? warning("verifier", `SERVICE_VERIFIER_KEY_ENVS allows ${name}, which is not set.`)
      : ok("verifier", `Tasks may name the key in ${name}.`),
  );
  const providers = set.map((provider) => checkProvider(verifier, provider));
  const findings = [...providers, ...named];
  return findings.length > 0 ? findings : [off("verifier", `No key is set, such as ${VENDOR_KEY_ENVS.openai}.`)];
}

function checkProvider(settings: Config["verifier"], provider: VerifierProvider): Finding {
  const name = `verifier/${provider}`;
  const api_key_env = VENDOR_KEY_ENVS[provider];
  try {
    const { baseURL } = accessTo(settings, { provider, api_key_env });
    findPackages(provider);
    const where = baseURL === undefined ? "" : ` at ${baseURL}`;
    return ok(name, `Can be asked${where}; whether ${api_key_env} is good shows with the first answer.`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return problem(name, error.message);
  }
}
