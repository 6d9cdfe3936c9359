import type { Config } from "../../config.ts";
import { KEY_VARIABLES } from "../../config/keys.ts";
import type { Reader } from "../../db/database.ts";
import { listSealed, sealedWith } from "../../db/sealed.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { ok, warning, type Finding } from "../../lib/findings.ts";
import type { SecretName } from "../../secrets.ts";
import { KEY_NAMES } from "../rotate-keys.ts";

type Db = { query: Pick<Reader["query"], "getExecutor"> } | null;

interface Rotation {
  /** Whether the previous value of a secret is in `secrets.json`, and not in the environment. */
  isStored: (name: SecretName) => boolean;
  /** Whether the running service has the keys from before the rotation. */
  hasOldKeys: boolean;
}

/**
 * Says which keys are being rotated, and what still depends on the previous ones.
 * @param db - null if its tables cannot be read
 */
export async function checkKeys(config: Config, db: Db, { isStored, hasOldKeys }: Rotation): Promise<Finding[]> {
  const { adminToken, secretKey, payloadKey } = config.previous;
  if (adminToken === null && secretKey === null && payloadKey === null) return [ok("keys", "No key is being rotated.")];
  const wordsOf = (name: SecretName) => wordsFor(name, isStored(name));
  const [ofToken, ofPayload] = [wordsOf("adminToken"), wordsOf("payloadKey")];
  return [
    ...(secretKey === null ? [] : [await checkSecretKey(config, db, wordsOf("secretKey"), hasOldKeys)]),
    ...(payloadKey === null
      ? []
      : [
          warning(
            "keys/payload",
            `${ofPayload.value} signs callbacks too, and alone signs X-Service-Signature. ${ofPayload.remove} when all receivers have the keys that \`${SERVICE_COMMAND} webhook-key\` prints.`,
          ),
        ]),
    ...(adminToken === null
      ? []
      : [
          warning(
            "keys/admin-token",
            `${ofToken.value} is accepted too. The log of each process says once an hour if it is still in use. ${ofToken.remove} when no agent uses it.`,
          ),
        ]),
  ];
}

/** How a previous value is called, how it is removed, and when that is done. */
interface Words {
  value: string;
  remove: string;
  end: string;
}

function wordsFor(name: SecretName, isStored: boolean): Words {
  const variable = KEY_VARIABLES[name];
  if (!isStored) return { value: `${variable}_PREVIOUS`, remove: "Remove it", end: "when you remove it" };
  const command = `\`${SERVICE_COMMAND} rotate-keys ${KEY_NAMES[name]} --finish\``;
  return { value: `The previous ${variable} in secrets.json`, remove: `Run ${command}`, end: `with ${command}` };
}

async function checkSecretKey(config: Config, db: Db, { value, end }: Words, hasOldKeys: boolean): Promise<Finding> {
  if (db === null)
    return warning(
      "keys/secret",
      `${value} is accepted too. Keep it: whether stored settings need it was not checked, because the database could not be read.`,
    );
  const rows = await listSealed(db);
  const old = rows.filter(({ table, id, sealed }) => sealedWith(config, table, id, sealed) === "previous").length;
  if (old > 0) {
    const first = hasOldKeys ? "The running service still has the old keys: restart it first. Then run" : "Run";
    return warning(
      "keys/secret",
      `${value} is needed: ${old} of ${rows.length} stored settings are encrypted with it. ${first} \`${SERVICE_COMMAND} reseal\`.`,
    );
  }
  return warning(
    "keys/secret",
    `${value} is accepted too. No stored setting is encrypted with it. Sessions (up to 7 days) and links in email and Slack (up to 30 days, while their task is open) that were made with it end ${end}.`,
  );
}
