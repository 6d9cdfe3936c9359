/** Vendors that a verifier can ask, and the variable of each one's key. */
export const VENDOR_KEY_ENVS = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  azure: "AZURE_OPENAI_API_KEY",
} as const;
export type VerifierProvider = keyof typeof VENDOR_KEY_ENVS;
export const PROVIDERS = Object.keys(VENDOR_KEY_ENVS) as VerifierProvider[];
