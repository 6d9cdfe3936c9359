import type * as Ai from "ai";
import type { VerifierProvider, VerifierSettings } from "../config.ts";
import { ServiceError } from "../errors.ts";
import type { VerifierConfig } from "./config.ts";

/** The package of each provider, which the operator installs beside `ai`. */
const PACKAGES: Readonly<Record<VerifierProvider, string>> = {
  anthropic: "@ai-sdk/anthropic",
  openai: "@ai-sdk/openai",
  google: "@ai-sdk/google",
  azure: "@ai-sdk/azure",
};

/**
 * Loads what asks a provider: packages that are not part of the service, and are imported when somebody first needs them.
 *
 * @throws ServiceError VERIFIER_API_KEY_MISSING, VERIFIER_PROVIDER_UNAVAILABLE
 */
export async function loadModel(
  { keys, baseUrls }: VerifierSettings,
  { provider, model, api_key_env }: VerifierConfig,
): Promise<{ ai: typeof Ai; model: Ai.LanguageModel }> {
  const apiKey = keys[api_key_env];
  if (apiKey === undefined)
    throw new ServiceError("VERIFIER_API_KEY_MISSING", {
      message: `The verifier's API key is not set on the server: ${api_key_env} is empty.`,
    });
  const settings = { apiKey, ...(baseUrls[provider] !== undefined && { baseURL: baseUrls[provider] }) };
  if (provider === "azure" && settings.baseURL === undefined)
    throw new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
      message: "The address of the Azure resource is not set on the server: SERVICE_VERIFIER_AZURE_BASE_URL is empty.",
    });
  try {
    return { ai: await import("ai"), model: await modelOf(provider, settings, model) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ServiceError("VERIFIER_PROVIDER_UNAVAILABLE", {
      message: `The packages for the verifier's provider "${provider}" are not installed on the server: \`npm install ai ${PACKAGES[provider]}\`.`,
      cause: error,
    });
  }
}

async function modelOf(
  provider: VerifierProvider,
  settings: { apiKey: string; baseURL?: string },
  model: string,
): Promise<Ai.LanguageModel> {
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(settings)(model);
    // The older of the two formats, which gateways and local models speak as well.
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).chat(model);
    case "azure":
      return (await import("@ai-sdk/azure")).createAzure(settings).chat(model);
  }
}
