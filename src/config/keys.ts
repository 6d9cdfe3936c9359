import type { DatabaseConfig } from "./database.ts";
import type { Environment } from "./environment.ts";

/** The values that the service makes itself on the embedded database when the environment does not give them. */
export interface Secrets {
  adminToken: string;
  secretKey: string;
  payloadKey: string;
}

/** The secrets as the environment gives them. */
interface GivenKeys {
  adminToken: string | undefined;
  secretKey: Uint8Array | undefined;
  payloadKey: Uint8Array | undefined;
}

export interface Keys {
  adminToken: string;
  /** Root of sessions, links, nonces and sealing: 32 bytes that never leave the service. */
  secretKey: Uint8Array;
  /** Root of callback signatures: 32 raw bytes. null if callbacks are off. (spec: Events) */
  payloadKey: Uint8Array | null;
}

export function readKeys(env: Environment, database: DatabaseConfig | null): GivenKeys {
  const adminToken = env.get("SERVICE_ADMIN_API_TOKEN");
  if (adminToken !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(adminToken))
      env.problems.push(
        "SERVICE_ADMIN_API_TOKEN has characters that are not allowed in a header. Use printable ASCII without spaces.",
      );
    else if (adminToken.length < 16)
      env.warnings.push("SERVICE_ADMIN_API_TOKEN is shorter than 16 characters and can be guessed.");
  }
  const secretKey = readKey(env, "SERVICE_SECRET_KEY");
  const payloadKey = readKey(env, "SERVICE_PAYLOAD_KEY");
  if (database?.kind === "postgres") {
    // Replicas share these, so no process may make up its own.
    if (adminToken === undefined)
      env.problems.push("SERVICE_ADMIN_API_TOKEN is required with PostgreSQL, because all processes share it.");
    if (secretKey === undefined)
      env.problems.push(
        "SERVICE_SECRET_KEY is required with PostgreSQL, because all processes share it. Create one with `openssl rand -base64 32`.",
      );
    if (payloadKey === undefined) env.warnings.push("SERVICE_PAYLOAD_KEY is not set: callbacks are off.");
  }
  return { adminToken, secretKey, payloadKey };
}

/** The secrets of a service; on the embedded database, those that the environment lacks are the stored ones. */
export function completeKeys(
  { adminToken, secretKey, payloadKey }: GivenKeys,
  database: DatabaseConfig,
  stored: () => Secrets,
): Keys {
  const isIncomplete = adminToken === undefined || secretKey === undefined || payloadKey === undefined;
  const own = database.kind === "sqlite" && isIncomplete ? stored() : null;
  return {
    adminToken: adminToken ?? own?.adminToken ?? "",
    secretKey: secretKey ?? Buffer.from(own?.secretKey ?? "", "base64"),
    payloadKey: payloadKey ?? (own ? Buffer.from(own.payloadKey, "base64") : null),
  };
}

function readKey(env: Environment, name: string): Uint8Array | undefined {
  const text = env.get(name);
  if (text === undefined) return undefined;
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length === 32) return bytes;
  env.problems.push(`${name} must be 32 bytes in base64 or base64url. \`openssl rand -base64 32\` makes such a key.`);
  return undefined;
}
