import type { Config } from "../../config.ts";
import type { Reader } from "../../db/database.ts";
import { listSealed, sealedWith } from "../../db/sealed.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { ok, warning, type Finding } from "../../lib/findings.ts";

/**
 * Says which keys are being rotated, and what still depends on the previous ones.
 * @param db - null if its tables cannot be read
 */
export async function checkKeys(
  config: Config,
  db: { query: Pick<Reader["query"], "getExecutor"> } | null,
): Promise<Finding[]> {
  const { adminToken, secretKey, payloadKey } = config.previous;
  if (adminToken === null && secretKey === null && payloadKey === null) return [ok("keys", "No key is being rotated.")];
  return [
    ...(secretKey === null ? [] : [await checkSecretKey(config, db)]),
    ...(payloadKey === null
      ? []
      : [
          warning(
            "keys/payload",
            `SERVICE_PAYLOAD_KEY_PREVIOUS signs callbacks too, and alone signs X-Service-Signature. Remove it when all receivers have the keys that \`${SERVICE_COMMAND} webhook-key\` prints.`,
          ),
        ]),
    ...(adminToken === null
      ? []
      : [
          warning(
            "keys/admin-token",
            "SERVICE_ADMIN_API_TOKEN_PREVIOUS is accepted too. The log of each process says once an hour if it is still in use. Remove it when no agent uses it.",
          ),
        ]),
  ];
}

async function checkSecretKey(config: Config, db: Parameters<typeof checkKeys>[1]): Promise<Finding> {
  if (db === null)
    return warning(
      "keys/secret",
      "SERVICE_SECRET_KEY_PREVIOUS is accepted too. Keep it: whether stored settings need it was not checked, because the database could not be read.",
    );
  const rows = await listSealed(db);
  const old = rows.filter(({ table, id, sealed }) => sealedWith(config, table, id, sealed) === "previous").length;
  if (old > 0)
    return warning(
      "keys/secret",
      `SERVICE_SECRET_KEY_PREVIOUS is needed: ${old} of ${rows.length} stored settings are encrypted with it. Run \`${SERVICE_COMMAND} reseal\`.`,
    );
  return warning(
    "keys/secret",
    "SERVICE_SECRET_KEY_PREVIOUS is accepted too. No stored setting is encrypted with it. Sessions (up to 7 days) and links in email and Slack (up to 30 days, while their task is open) that were made with it end when you remove it.",
  );
}
