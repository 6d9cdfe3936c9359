import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Secrets } from "./config/keys.ts";

/**
 * The secrets of a service on the embedded database, kept in `<data dir>/secrets.json` (mode 0600) and made at the
 * first start. The file appears whole or not at all, and of two processes that start at once both read the same one.
 *
 * @throws Error when the file is there and cannot be understood: a new secret would silently lock everybody out
 */
export function loadSecrets(dataDir: string): { secrets: Secrets; created: boolean } {
  const path = join(dataDir, "secrets.json");
  let created = false;
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    created = writeNew(path, {
      adminToken: `sat_${randomBytes(24).toString("base64url")}`,
      secretKey: randomBytes(32).toString("base64"),
      payloadKey: randomBytes(32).toString("base64"),
    });
  }
  return { secrets: readSecrets(path), created };
}

/** The service has not been started with this data directory yet. */
export class NoSecretsYet extends Error {}

/** Reads existing secrets. Never creates any: the first start does, because it shows them. @throws NoSecretsYet; Error if they can't be read */
export function findSecrets(dataDir: string): Secrets {
  const path = join(dataDir, "secrets.json");
  if (!existsSync(path)) throw new NoSecretsYet(`${resolve(path)} does not exist yet. The first start creates it.`);
  return readSecrets(path);
}

function readSecrets(path: string): Secrets {
  const found: unknown = parse(path);
  if (!isSecrets(found)) {
    throw new Error(
      `${path} does not hold the three secrets of this service (adminToken, secretKey, payloadKey). Restore it from a backup, or remove it to have new ones made.`,
    );
  }
  chmodSync(path, 0o600);
  return found;
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(
      `${path} cannot be read as JSON. Restore it from a backup, or remove it to have new secrets made.`,
      { cause },
    );
  }
}

function isSecrets(value: unknown): value is Secrets {
  if (typeof value !== "object" || value === null) return false;
  const { adminToken, secretKey, payloadKey } = value as Record<string, unknown>;
  const isKey = (key: unknown) => typeof key === "string" && Buffer.from(key, "base64").length === 32;
  return typeof adminToken === "string" && adminToken.length > 0 && isKey(secretKey) && isKey(payloadKey);
}

/** Writes beside, then links into place: the link fails when another process was first, and then its file counts. */
function writeNew(path: string, secrets: Secrets): boolean {
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}
