import type { Environment } from "./environment.ts";

/** Vendors that a verifier can ask, and the variable of each one's key. */
export const VENDOR_KEY_ENVS = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  azure: "AZURE_OPENAI_API_KEY",
} as const;
export type VerifierProvider = keyof typeof VENDOR_KEY_ENVS;
export const PROVIDERS = Object.keys(VENDOR_KEY_ENVS) as VerifierProvider[];

export interface VerifierSettings {
  /** Names of variables that a task may name for a vendor's key, beside the vendors' own. */
  keyEnvs: readonly string[];
  /** The keys by the names of their variables; what is not set is not there. */
  keys: Readonly<Record<string, string>>;
  /** Base URLs that replace the vendors' own, for gateways and local models. */
  baseUrls: Readonly<Partial<Record<VerifierProvider, string>>>;
}

export function readVerifier(env: Environment): VerifierSettings {
  const keyEnvs = env.list("SERVICE_VERIFIER_KEY_ENVS");
  for (const name of keyEnvs) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      env.problems.push(`SERVICE_VERIFIER_KEY_ENVS has "${name}", which is not a valid variable name.`);
  }
  const keyNames = [...keyEnvs, ...Object.values(VENDOR_KEY_ENVS)];
  const keys = Object.fromEntries(
    keyNames.flatMap((name) => {
      const key = env.get(name);
      return key === undefined ? [] : [[name, key]];
    }),
  );
  const baseUrls: Partial<Record<VerifierProvider, string>> = {};
  for (const name of PROVIDERS) {
    const url = env.get(baseUrlEnv(name));
    if (url === undefined) continue;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      env.problems.push(`${baseUrlEnv(name)} is "${url}"; it takes an address, as in https://gateway.example.com/v1.`);
    baseUrls[name] = url.replace(/\/+$/, "");
  }
  return { keyEnvs, keys, baseUrls };
}

/** The variable that says where a provider is asked. */
export function baseUrlEnv(name: VerifierProvider): string {
  return `SERVICE_VERIFIER_${name.toUpperCase()}_BASE_URL`;
}
