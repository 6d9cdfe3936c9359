import { ConfigError, readConfig, type Config } from "../../config.ts";
import type { Secrets } from "../../config/keys.ts";
import { findSecrets, NoSecretsYet } from "../../secrets.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** In place of what the first start makes. */
const NOT_MADE: Secrets = { adminToken: "", secretKey: "", payloadKey: "" };

/**
 * Reads the settings as a start would, and makes no secret: one that is still to be made is empty.
 * @returns `config` null: a start would end here
 */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): {
  findings: Finding[];
  config: Config | null;
  /** From the data directory; null: none are read there. */
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
    if (findings.length === 0) findings.push(ok("settings", "All of them can be read."));
    return { findings, config, stored };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((sentence) => problem("settings", sentence));
    const rest = off("everything-else", "Looked at once the settings can be read.");
    return { findings: [...problems, rest], config: null, stored };
  }
}
