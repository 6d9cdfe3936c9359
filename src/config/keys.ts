import type { DatabaseConfig } from "./database.ts";
import type { Environment } from "./environment.ts";

/** The values that the service makes itself on the embedded database when the environment does not give them. */
export interface Secrets {
  adminToken: string;
  secretKey: string;
  payloadKey: string;
  /** Those that are accepted beside them during a rotation. */
  previous?: Partial<Omit<Secrets, "previous">> | undefined;
}

/** Some of the secrets, as the environment gives them. */
interface SomeKeys {
  adminToken: string | undefined;
  secretKey: Uint8Array | undefined;
  payloadKey: Uint8Array | undefined;
}

/** The secrets as the environment gives them. */
interface GivenKeys extends SomeKeys {
  previous: SomeKeys;
}

export interface Keys {
  adminToken: string;
  /** Root of sessions, links, nonces and sealing: 32 bytes that never leave the service. */
  secretKey: Uint8Array;
  /** Root of callback signatures: 32 raw bytes. null if callbacks are off. (spec: Events) */
  payloadKey: Uint8Array | null;
  /** Those that are accepted beside them during a rotation; null outside of one. */
  previous: { adminToken: string | null; secretKey: Uint8Array | null; payloadKey: Uint8Array | null };
}

/** The environment variables of the secrets. That of the previous value ends in `_PREVIOUS`. */
export const KEY_VARIABLES = {
  adminToken: "SERVICE_ADMIN_API_TOKEN",
  secretKey: "SERVICE_SECRET_KEY",
  payloadKey: "SERVICE_PAYLOAD_KEY",
} as const satisfies Record<keyof SomeKeys, string>;

export function readKeys(env: Environment, database: DatabaseConfig | null): GivenKeys {
  const adminToken = readToken(env, "SERVICE_ADMIN_API_TOKEN");
  const secretKey = readKey(env, "SERVICE_SECRET_KEY");
  const payloadKey = readKey(env, "SERVICE_PAYLOAD_KEY");
  const previous = {
    adminToken: readToken(env, "SERVICE_ADMIN_API_TOKEN_PREVIOUS"),
    secretKey: readKey(env, "SERVICE_SECRET_KEY_PREVIOUS"),
    payloadKey: readKey(env, "SERVICE_PAYLOAD_KEY_PREVIOUS"),
  };
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
  return { adminToken, secretKey, payloadKey, previous };
}

/**
 * The secrets of a service; on the embedded database, those that the environment lacks are the stored ones. A previous value
 * counts only beside a current one, and adds nothing where both are the same: either is a problem.
 */
export function completeKeys(
  env: Environment,
  given: GivenKeys,
  database: DatabaseConfig,
  stored: () => Secrets,
): Keys {
  const { adminToken, secretKey, payloadKey } = given;
  const isIncomplete = adminToken === undefined || secretKey === undefined || payloadKey === undefined;
  const own = database.kind === "sqlite" && isIncomplete ? stored() : null;
  const before = own?.previous;
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text, "base64"));
  const keys = {
    adminToken: adminToken ?? own?.adminToken ?? "",
    secretKey: secretKey ?? bytes(own?.secretKey) ?? Buffer.alloc(0),
    payloadKey: payloadKey ?? bytes(own?.payloadKey) ?? null,
    // What is stored belongs to the stored current value.
    previous: {
      adminToken: given.previous.adminToken ?? (adminToken === undefined ? before?.adminToken : null) ?? null,
      secretKey: given.previous.secretKey ?? (secretKey === undefined ? bytes(before?.secretKey) : null) ?? null,
      payloadKey: given.previous.payloadKey ?? (payloadKey === undefined ? bytes(before?.payloadKey) : null) ?? null,
    },
  };
  for (const [name, variable] of Object.entries(KEY_VARIABLES) as [keyof SomeKeys, string][])
    checkPrevious(env, variable, keys[name], keys.previous[name]);
  return keys;
}

function checkPrevious(
  env: Environment,
  variable: string,
  current: string | Uint8Array | null,
  previous: string | Uint8Array | null,
): void {
  if (previous === null) return;
  if (current === null)
    env.problems.push(`${variable}_PREVIOUS is set without ${variable}. Set both during a rotation, or neither.`);
  else if (Buffer.from(current).equals(Buffer.from(previous)))
    env.problems.push(
      `${variable}_PREVIOUS is the same as ${variable}. Set it to the other value, or remove it if the rotation has ended.`,
    );
}

function readToken(env: Environment, name: string): string | undefined {
  const token = env.get(name);
  if (token === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/.test(token))
    env.problems.push(`${name} has characters that are not allowed in a header. Use printable ASCII without spaces.`);
  return token;
}

function readKey(env: Environment, name: string): Uint8Array | undefined {
  const text = env.get(name);
  if (text === undefined) return undefined;
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length === 32) return bytes;
  env.problems.push(`${name} must be 32 bytes in base64 or base64url. \`openssl rand -base64 32\` makes such a key.`);
  return undefined;
}
