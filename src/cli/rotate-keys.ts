import { readConfig, type Config } from "../config.ts";
import { KEY_VARIABLES } from "../config/keys.ts";
import { findDatabase } from "../db/find.ts";
import { listSealed, sealedWith } from "../db/sealed.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { findSecrets, forgetPreviousSecrets, rotateSecrets, type SecretName } from "../secrets.ts";
import { UsageError } from "./options.ts";

export interface RotateKeysOptions {
  finish?: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const NAMES: Record<string, SecretName> = {
  "admin-token": "adminToken",
  "secret-key": "secretKey",
  "payload-key": "payloadKey",
};

/**
 * Begins or finishes a rotation of the secrets that the first start has made. Those of the environment are rotated there.
 * @param given - names of secrets; without one, all of them
 * @returns what to print
 * @throws UsageError, Error in a sentence for the operator
 */
export async function rotateKeys(given: readonly string[], { finish }: RotateKeysOptions, env: Env): Promise<string> {
  const wanted = (given.length === 0 ? Object.keys(NAMES) : given).map((name) => {
    const secret = NAMES[name];
    if (secret === undefined) throw new UsageError(`"${name}" is not one of ${Object.keys(NAMES).join(", ")}.`);
    return secret;
  });
  const { config } = readConfig(env, findSecrets);
  if (config.database.kind === "postgres")
    throw new Error(
      "With PostgreSQL, all keys are in the environment. docs/operating.md#rotate-a-key says how to rotate them.",
    );
  if (finish === true) return finishRotation(config, wanted);
  const isGiven = (name: SecretName) => (env[KEY_VARIABLES[name]] ?? "").trim() !== "";
  const rotated = wanted.filter((name) => !isGiven(name));
  // It would be accepted in place of the value that is current now.
  const left = rotated
    .map((name) => `${KEY_VARIABLES[name]}_PREVIOUS`)
    .filter((name) => (env[name] ?? "").trim() !== "");
  if (left.length > 0) throw new Error(`${left.join(" and ")} is set in the environment. Finish that rotation first.`);
  if (rotated.length > 0) rotateSecrets(config.dataDir, rotated);
  return [
    ...wanted.filter(isGiven).map((name) => `${KEY_VARIABLES[name]} is set in the environment: rotate it there.`),
    ...rotated.map((name) => `${KEY_VARIABLES[name]} has a new value. The previous one is still accepted.`),
    ...(rotated.length > 0 ? [`Restart the service now. Then run \`${SERVICE_COMMAND} reseal\`.`] : []),
  ].join("\n");
}

async function finishRotation(config: Config, names: readonly SecretName[]): Promise<string> {
  const count = names.includes("secretKey") ? await countSealedWithPrevious(config) : 0;
  if (count > 0)
    throw new Error(
      `${count} settings are still encrypted with the previous SERVICE_SECRET_KEY. Run \`${SERVICE_COMMAND} reseal\` first.`,
    );
  if (!forgetPreviousSecrets(config.dataDir, names)) return "No key of the data directory is being rotated.";
  return "The previous values are removed. Restart the service now, so that it does not accept them any more.";
}

async function countSealedWithPrevious(config: Config): Promise<number> {
  const found = await findDatabase(config);
  if (found === null) return 0;
  try {
    const rows = await listSealed(found);
    return rows.filter(({ table, id, sealed }) => sealedWith(config, table, id, sealed) === "previous").length;
  } finally {
    await found.close();
  }
}
