import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Db, Reader } from "../db/database.ts";
import { fingerprint, keyringOf } from "../lib/keys.ts";
import { recordOfService } from "./record.ts";

interface Ctx {
  config: Pick<Config, "adminToken" | "secretKey" | "payloadKey" | "previous">;
  db: Db;
  log: Logger;
}

/** Fingerprints of the current values. `payload_key` is null if callbacks are off. */
type Fingerprints = { secret_key: string; admin_token: string; payload_key: string | null };
type KeyName = keyof Fingerprints;

/** The details of an event `keys_changed`. */
type KeysChanged = {
  /** null: the log knew no keys. */
  changed: KeyName[] | null;
  previous: KeyName[];
  fingerprints: Fingerprints;
};

/**
 * Records that the keys are not those of the last start: some have a new value, or the rotation of some has begun or ended.
 * Commands and deployments change keys without a request, so the next start is when the service can see it.
 */
export async function recordKeysInUse({ config, db, log }: Ctx): Promise<void> {
  const last = await lastKeys(db);
  const keyring = keyringOf(config, "fingerprint");
  const fingerprints = fingerprintsWith(keyring.current, config);
  const previous = previousOf(config);
  const changed = last === null ? null : changedSince(last.fingerprints, keyring.accepted, config);
  if (changed?.length === 0 && isDeepStrictEqual(last?.previous, previous)) return;
  const details = { changed, previous, ...fingerprints } satisfies Omit<KeysChanged, "fingerprints"> & Fingerprints;
  await recordOfService(db, log, { type: "keys_changed", details });
}

async function lastKeys({ query }: Reader): Promise<KeysChanged | null> {
  const row = await query
    .selectFrom("security_events")
    .select("details")
    .where("type", "=", "keys_changed")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row?.details == null) return null;
  const { changed, previous, ...fingerprints } = JSON.parse(row.details) as Omit<KeysChanged, "fingerprints"> &
    Fingerprints;
  return { changed, previous, fingerprints };
}

/** @param accepted - the keys of fingerprints; the first one is the current key */
function changedSince(last: Fingerprints, accepted: readonly Buffer[], config: Ctx["config"]): KeyName[] {
  const key = accepted.find((one) => fingerprintsWith(one, config).secret_key === last.secret_key);
  // Without the key that made them, the other fingerprints say nothing.
  if (key === undefined) return ["secret_key"];
  const now = fingerprintsWith(key, config);
  return [
    ...(key === accepted[0] ? [] : (["secret_key"] as const)),
    ...(["admin_token", "payload_key"] as const).filter((name) => now[name] !== last[name]),
  ];
}

function fingerprintsWith(key: Buffer, { adminToken, payloadKey }: Ctx["config"]): Fingerprints {
  return {
    secret_key: fingerprint(key, "secret_key"),
    admin_token: fingerprint(key, `admin_token ${adminToken}`),
    payload_key:
      payloadKey === null ? null : fingerprint(key, `payload_key ${Buffer.from(payloadKey).toString("base64")}`),
  };
}

function previousOf({ previous }: Ctx["config"]): KeyName[] {
  const names = { secret_key: previous.secretKey, admin_token: previous.adminToken, payload_key: previous.payloadKey };
  return (Object.keys(names) as KeyName[]).filter((name) => names[name] !== null);
}
