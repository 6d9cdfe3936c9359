import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Secrets } from "./config/keys.ts";
import { reasonOf } from "./lib/reason.ts";

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
    created = writeNew(path, newSecrets());
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
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${reasonOf(cause)}. Let the user of the service read it.`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(
      `${path} cannot be read as JSON. Restore it from a backup, or remove it to have new secrets made.`,
      { cause },
    );
  }
}

function isSecrets(value: unknown): value is Secrets {
  if (typeof value !== "object" || value === null) return false;
  const { previous = {}, ...current } = value as Record<string, unknown>;
  const isKey = (key: unknown) => typeof key === "string" && Buffer.from(key, "base64").length === 32;
  const isValid: Record<SecretName, (found: unknown) => boolean> = {
    adminToken: (token) => typeof token === "string" && token.length > 0,
    secretKey: isKey,
    payloadKey: isKey,
  };
  if (typeof previous !== "object" || previous === null) return false;
  return (Object.keys(isValid) as SecretName[]).every((name) => {
    const before = (previous as Record<string, unknown>)[name];
    return isValid[name](current[name]) && (before === undefined || isValid[name](before));
  });
}

export type SecretName = Exclude<keyof Secrets, "previous">;

/**
 * Makes new values of these secrets, and keeps those of now as previous ones. Takes effect with the next start.
 * @throws Error in a sentence for the operator if one of them is being rotated
 */
export function rotateSecrets(dataDir: string, names: readonly SecretName[]): void {
  const { previous = {}, ...current } = findSecrets(dataDir);
  const rotating = names.filter((name) => previous[name] !== undefined);
  if (rotating.length > 0)
    throw new Error(
      rotating.length === 1
        ? `${rotating[0]} in secrets.json has a previous value already. Finish that rotation with --finish, then begin another one.`
        : `${rotating.join(" and ")} in secrets.json have previous values already. Finish that rotation with --finish, then begin another one.`,
    );
  const pick = (from: Secrets) => Object.fromEntries(names.map((name) => [name, from[name]]));
  replace(dataDir, { ...current, ...pick(newSecrets()), previous: { ...previous, ...pick(current) } });
}

/** Removes the previous values of these secrets. @returns whether there were any */
export function forgetPreviousSecrets(dataDir: string, names: readonly SecretName[]): boolean {
  const { previous = {}, ...current } = findSecrets(dataDir);
  const left = Object.entries(previous).filter(([name]) => !names.includes(name as SecretName));
  if (left.length === Object.keys(previous).length) return false;
  replace(dataDir, left.length === 0 ? current : { ...current, previous: Object.fromEntries(left) });
  return true;
}

function newSecrets(): Secrets {
  return {
    adminToken: `sat_${randomBytes(24).toString("base64url")}`,
    secretKey: randomBytes(32).toString("base64"),
    payloadKey: randomBytes(32).toString("base64"),
  };
}

/** Readers find the file as it was or as it is now, and never a part of it. */
function replace(dataDir: string, secrets: Secrets): void {
  const path = join(dataDir, "secrets.json");
  renameSync(writeDraft(path, secrets, statSync(path)), path);
  // Without this, a power failure could bring back the file as it was, after settings were sealed with the new key. Windows
  // opens no folders.
  if (process.platform === "win32") return;
  const folder = openSync(dataDir, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** @param owner - of the new file. The service must be able to read it, also after a command that another user runs */
function writeDraft(path: string, secrets: Secrets, owner?: { uid: number; gid: number }): string {
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    if (owner !== undefined && process.platform !== "win32") fchownSync(file, owner.uid, owner.gid);
    writeSync(file, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** Writes beside, then links into place: the link fails when another process was first, and then its file counts. */
function writeNew(path: string, secrets: Secrets): boolean {
  const draft = writeDraft(path, secrets);
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
