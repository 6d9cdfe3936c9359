import type { VerifierProvider, VerifierSettings } from "../config/verifier.ts";
import { ServiceError, type ErrorDetail } from "../errors.ts";
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
      details: detailsOf(`The API key is not set: ${api_key_env} is empty.`),
    });
  const baseURL = baseUrls[provider];
  if (provider === "azure" && baseURL === undefined)
    throw new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
      details: detailsOf("The address of the Azure resource is not set: SERVICE_VERIFIER_AZURE_BASE_URL is empty."),
    });
  return { apiKey, ...(baseURL !== undefined && { baseURL }) };
}

/** The cause of a failed check, for operators. */
export function detailsOf(message: string): ErrorDetail[] {
  return [{ path: "/verifier_config", message }];
}

/** Finds the packages of a provider without loading them. @throws ServiceError VERIFIER_PROVIDER_UNAVAILABLE */
export function findPackages(provider: VerifierProvider): void {
  try {
    for (const name of ["ai", PACKAGES[provider]]) import.meta.resolve(name);
  } catch {
    throw notInstalled(provider);
  }
}

/** The error for optional packages that are not installed. They are loaded on first use. */
export function notInstalled(provider: VerifierProvider): ServiceError {
  return new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
    details: detailsOf(`The packages for "${provider}" are not installed: \`npm install ai ${PACKAGES[provider]}\`.`),
  });
}
