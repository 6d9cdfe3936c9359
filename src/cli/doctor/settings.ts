import { ConfigError, readConfig, type Config } from "../../config.ts";
import type { Secrets } from "../../config/keys.ts";
import { findSecrets, NoSecretsYet } from "../../secrets.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** Placeholder for the secrets that the first start creates. */
const NOT_MADE: Secrets = { adminToken: "", secretKey: "", payloadKey: "" };

/**
 * Reads the settings as a start would. Creates no secrets; missing ones are empty.
 * @returns `config` is null if a start would fail
 */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): {
  findings: Finding[];
  config: Config | null;
  /** Secrets from the data directory, or null. */
  stored: Secrets | null;
} {
  const findings: Finding[] = [];
  let stored: Secrets | null = null;
  const find = (dataDir: string): Secrets => {
    try {
      return (stored = findSecrets(dataDir));
    } catch (error) {
      const tell = error instanceof NoSecretsYet ? warning : problem;
      findings.push(tell("settings", (error as Error).message));
      return NOT_MADE;
    }
  };
  try {
    const { config, warnings } = readConfig(env, find);
    findings.push(...warnings.map((sentence) => warning("settings", sentence)));
    if (findings.length === 0) findings.push(ok("settings", "All settings are valid."));
    return { findings, config, stored };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((sentence) => problem("settings", sentence));
    const rest = off("everything-else", "Not checked, because the settings are invalid.");
    return { findings: [...problems, rest], config: null, stored };
  }
}
