import type { VerifierSettings } from "../config.ts";
import type { VerifierProvider } from "../lib/model-vendors.ts";
import { ServiceError } from "../errors.ts";
import type { VerifierConfig } from "./config.ts";

/** The package of each provider, which the operator installs beside `ai`. */
const PACKAGES: Readonly<Record<VerifierProvider, string>> = {
  anthropic: "@ai-sdk/anthropic",
  openai: "@ai-sdk/openai",
  google: "@ai-sdk/google",
  azure: "@ai-sdk/azure",
};

/** With what a provider's package reaches it. */
export interface Access {
  apiKey: string;
  baseURL?: string;
}

/** @throws ServiceError VERIFIER_API_KEY_MISSING, VERIFIER_PROVIDER_UNAVAILABLE */
export function accessTo(
  { keys, baseUrls }: VerifierSettings,
  { provider, api_key_env }: Pick<VerifierConfig, "provider" | "api_key_env">,
): Access {
  const apiKey = keys[api_key_env];
  if (apiKey === undefined)
    throw new ServiceError("VERIFIER_API_KEY_MISSING", {
      message: `The verifier's API key is not set on the server: ${api_key_env} is empty.`,
    });
  const baseURL = baseUrls[provider];
  if (provider === "azure" && baseURL === undefined)
    throw new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
      message: "The address of the Azure resource is not set on the server: SERVICE_VERIFIER_AZURE_BASE_URL is empty.",
    });
  return { apiKey, ...(baseURL !== undefined && { baseURL }) };
}

/** Looks for what a provider is asked with, and loads none of it. @throws ServiceError VERIFIER_PROVIDER_UNAVAILABLE */
export function findPackages(provider: VerifierProvider): void {
  try {
    for (const name of ["ai", PACKAGES[provider]]) import.meta.resolve(name);
  } catch {
    throw notInstalled(provider);
  }
}

/** Packages that are not part of the service, and are loaded when somebody first needs them, were not there. */
export function notInstalled(provider: VerifierProvider): ServiceError {
  return new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
    message: `The packages for the verifier's provider "${provider}" are not installed on the server: \`npm install ai ${PACKAGES[provider]}\`.`,
  });
}
