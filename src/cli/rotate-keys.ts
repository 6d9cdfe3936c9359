import { readConfig, type Config } from "../config.ts";
import { KEY_VARIABLES } from "../config/keys.ts";
import { findDatabase } from "../db/find.ts";
import { listSealed, sealedWith } from "../db/sealed.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { findSecrets, forgetPreviousSecrets, NoSecretsYet, rotateSecrets, type SecretName } from "../secrets.ts";
import { UsageError } from "./options.ts";

export interface RotateKeysOptions {
  finish?: boolean;
  yes?: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The names of the keys on the command line. */
export const KEY_NAMES = {
  adminToken: "admin-token",
  secretKey: "secret-key",
  payloadKey: "payload-key",
} as const satisfies Record<SecretName, string>;
const SECRETS = Object.keys(KEY_NAMES) as SecretName[];

/** What is to be done when the service has restarted with a new value. */
const NEXT_STEPS: Record<SecretName, string> = {
  adminToken: "Then give agents the new token, which is adminToken in secrets.json.",
  secretKey: `Then run \`${SERVICE_COMMAND} reseal\`.`,
  payloadKey: `Then give receivers of callbacks the two keys that \`${SERVICE_COMMAND} webhook-key\` prints.`,
};

/** What stops working when a previous value is removed. docs/operating.md has the same in a table. */
const ENDINGS: Record<SecretName, string> = {
  adminToken: "Agents that have the old token get 401.",
  secretKey:
    "Sessions and links in email and Slack from before the rotation end. Browsers that were not used since then count as unknown at the next sign-in.",
  payloadKey:
    "Receivers that check callbacks with the old key reject them. X-Service-Signature is made with the new key.",
};

/**
 * Begins or finishes a rotation of the secrets that the first start has made. Those of the environment are rotated there.
 * @param given - names of secrets; without one, all of them
 * @returns what to print
 * @throws UsageError, Error in a sentence for the operator
 */
export async function rotateKeys(given: readonly string[], options: RotateKeysOptions, env: Env): Promise<string> {
  const wanted = given.length === 0 ? SECRETS : given.map(secretNamed);
  const { config } = readConfig(env, findSecrets);
  if (config.database.kind === "postgres")
    throw new Error(
      "With PostgreSQL, all keys are in the environment. docs/operating.md#rotate-a-key says how to rotate them.",
    );
  if (options.finish === true) return finishRotation(config, wanted, options.yes === true);
  if (options.yes === true) throw new UsageError("--yes belongs to --finish.");
  return beginRotation(config, wanted, env);
}

function secretNamed(name: string): SecretName {
  const secret = SECRETS.find((one) => KEY_NAMES[one] === name);
  if (secret === undefined) throw new UsageError(`"${name}" is not one of ${Object.values(KEY_NAMES).join(", ")}.`);
  return secret;
}

function beginRotation({ dataDir }: Config, wanted: readonly SecretName[], env: Env): string {
  const valueOf = (variable: string) => (env[variable] ?? "").trim();
  const isGiven = (name: SecretName) => valueOf(KEY_VARIABLES[name]) !== "";
  requireNoCopies(
    dataDir,
    wanted.filter(isGiven).map((name) => [name, valueOf(KEY_VARIABLES[name])]),
  );
  const rotated = wanted.filter((name) => !isGiven(name));
  // It would be accepted in place of the value that is current now.
  const left = rotated.map((name) => `${KEY_VARIABLES[name]}_PREVIOUS`).filter((name) => valueOf(name) !== "");
  if (left.length > 0)
    throw new Error(`${listed(left)} ${areOrIs(left)} set in the environment. Finish that rotation first.`);
  if (rotated.length > 0) rotateSecrets(dataDir, rotated);
  return [
    ...wanted.filter(isGiven).map((name) => `${KEY_VARIABLES[name]} is set in the environment: rotate it there.`),
    ...rotated.map((name) => `${KEY_VARIABLES[name]} has a new value. The previous one is still accepted.`),
    ...(rotated.length > 0 ? ["Restart the service now.", ...rotated.map((name) => NEXT_STEPS[name])] : []),
  ].join("\n");
}

/**
 * A value of `secrets.json` may be in the environment of this shell for a client. Then it would be left out, as if the service
 * got it from there.
 */
function requireNoCopies(dataDir: string, given: readonly (readonly [SecretName, string])[]): void {
  if (given.length === 0) return;
  const stored = storedIn(dataDir);
  const copies = given.flatMap(([name, value]) => (value === stored?.[name] ? KEY_VARIABLES[name] : []));
  if (copies.length === 0) return;
  throw new Error(
    `${listed(copies)} ${areOrIs(copies)} set in this environment, to what secrets.json has. Nothing was rotated. If the service reads secrets.json, run \`unset ${copies.join(" ")}\` and repeat the command. If the service gets this from its environment, rotate it there, and name the other keys here.`,
  );
}

function storedIn(dataDir: string): ReturnType<typeof findSecrets> | null {
  try {
    return findSecrets(dataDir);
  } catch (error) {
    if (error instanceof NoSecretsYet) return null;
    throw error;
  }
}

async function finishRotation(config: Config, names: readonly SecretName[], isAgreed: boolean): Promise<string> {
  const count = names.includes("secretKey") ? await countSealedWithPrevious(config) : 0;
  if (count > 0)
    throw new Error(
      `${count} ${count === 1 ? "setting is" : "settings are"} still encrypted with the previous SERVICE_SECRET_KEY. Run \`${SERVICE_COMMAND} reseal\` first.`,
    );
  const previous = storedIn(config.dataDir)?.previous;
  const ending = names.filter((name) => previous?.[name] !== undefined);
  if (ending.length === 0) return "No key of the data directory is being rotated.";
  const effects = ending.map((name) => `${KEY_VARIABLES[name]}: ${ENDINGS[name]}`);
  if (!isAgreed)
    throw new Error(
      [
        "Nothing is removed yet. This ends with the previous values:",
        ...effects.map((effect) => `  ${effect}`),
        "Add --yes to remove them.",
      ].join("\n"),
    );
  forgetPreviousSecrets(config.dataDir, ending);
  return [
    ...effects,
    "The previous values are removed. Restart the service now, so that it does not accept them any more.",
  ].join("\n");
}

function listed(names: readonly string[]): string {
  return names.join(" and ");
}

function areOrIs(names: readonly string[]): string {
  return names.length === 1 ? "is" : "are";
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
