import { PROVIDERS, VENDOR_KEY_ENVS, type VerifierProvider } from "../config/verifier.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { isStorableText } from "../lib/text.ts";

/** The default model of each provider. */
export const DEFAULT_MODELS: Readonly<Record<VerifierProvider, string>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-5.4-mini",
  google: "gemini-3.8-flash",
  // The name of a deployment; most are called as their model.
  azure: "gpt-5.4-mini",
};

const ALIASES: Readonly<Record<string, VerifierProvider>> = {
  claude: "anthropic",
  gemini: "google",
  azure_openai: "azure",
};

/** How the answers to a task are to be judged. */
export interface VerifierConfig {
  provider: VerifierProvider;
  instructions: string;
  model: string;
  /** Rejections after which the task is `verification_exhausted`, 1 to 10. */
  max_attempts: number;
  /** Name of the environment variable that holds the vendor's key. */
  api_key_env: string;
}

const DEFAULT_MAX_ATTEMPTS = 3;

/**
 * Reads `verifier_config`, at creation and again when a stored one is used. (spec: Complete a task, errors)
 *
 * @param keyEnvs - variables that the operator allows beside each provider's own
 * @throws ServiceError VERIFIER_PROVIDER_UNKNOWN, VERIFIER_CONFIG_INVALID
 */
export function readVerifierConfig(value: JsonObject, keyEnvs: readonly string[]): VerifierConfig {
  const details: ErrorDetail[] = [];
  const text = (name: string, max: number): string | null => {
    const found = value[name] ?? null;
    if (found === null) return null;
    if (typeof found === "string" && found.length > 0 && found.length <= max && isStorableText(found)) return found;
    details.push({ path: `/verifier_config/${name}`, message: `Must be text of 1 to ${max} characters.` });
    return null;
  };

  const name = text("provider", 100);
  const instructions = text("instructions", 20_000);
  if (name === null && details.length === 0)
    details.push({ path: "/verifier_config/provider", message: "Is missing." });
  if (instructions === null && value["instructions"] == null)
    details.push({ path: "/verifier_config/instructions", message: "Is missing." });
  const provider = name === null ? null : findProvider(name);
  if (name !== null && provider === null) {
    throw new ServiceError("VERIFIER_PROVIDER_UNKNOWN", {
      details: [
        {
          path: "/verifier_config/provider",
          message: `Unknown provider "${name.slice(0, 60)}". Use one of ${[...PROVIDERS, ...Object.keys(ALIASES)].join(", ")}.`,
        },
      ],
    });
  }

  const model = text("model", 200);
  const attempts: unknown = maxAttemptsOf(value);
  if (typeof attempts !== "number" || !Number.isInteger(attempts) || attempts < 1 || attempts > 10) {
    details.push({ path: "/verifier_config/max_attempts", message: "Must be a whole number from 1 to 10." });
  }
  const keyEnv = text("api_key_env", 200);
  const standard = Object.values<string>(VENDOR_KEY_ENVS);
  if (keyEnv !== null && !standard.includes(keyEnv) && !keyEnvs.includes(keyEnv)) {
    details.push({
      path: "/verifier_config/api_key_env",
      message: "Names a variable that the operator has not allowed (SERVICE_VERIFIER_KEY_ENVS).",
    });
  }
  const metadata = value["metadata"] ?? null;
  if (metadata !== null && (typeof metadata !== "object" || Array.isArray(metadata))) {
    details.push({ path: "/verifier_config/metadata", message: "Must be an object." });
  }

  if (details.length > 0 || provider === null || instructions === null)
    throw new ServiceError("VERIFIER_CONFIG_INVALID", { details });
  return {
    provider,
    instructions,
    model: model ?? DEFAULT_MODELS[provider],
    max_attempts: attempts as number,
    api_key_env: keyEnv ?? VENDOR_KEY_ENVS[provider],
  };
}

/** Returns how many rejections end a task with this `verifier_config`, which is known to be valid. */
export function maxAttemptsOf(value: JsonObject): number {
  return (value["max_attempts"] ?? DEFAULT_MAX_ATTEMPTS) as number;
}

function findProvider(name: string): VerifierProvider | null {
  const own = PROVIDERS.find((known) => known === name);
  if (own !== undefined) return own;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name]! : null;
}
