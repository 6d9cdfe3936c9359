import { randomBytes } from "node:crypto";
import type { Config } from "../config.ts";
import { newId } from "../lib/ids.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { Db } from "./database.ts";
import { sealFor, unsealFrom } from "./sealed.ts";

/**
 * Encrypts what is secret in the rows of tasks, of which there are many. The key is stored, encrypted with the secret key: a
 * new secret key has to encrypt only it again (sealed.ts). If it can be read no longer, the next text gets a new one.
 */
export interface DataKey {
  /** @param place - text that is sealed for one place cannot be used at another */
  seal(place: string, text: string): Promise<string>;
  /** @returns null: its key cannot be opened with the secret key of this service, or the text is damaged */
  unseal(place: string, sealed: string): Promise<string | null>;
}

const KEY_BYTES = 32;

export function createDataKey(db: Db, keys: Pick<Config, "secretKey" | "previous">): DataKey {
  const opened = new Map<string, Buffer | null>();

  function open({ id, sealed }: { id: string; sealed: string }): Buffer | null {
    const text = unsealFrom(keys, "data_keys", id, sealed);
    const key = text === null ? null : Buffer.from(text, "base64url");
    opened.set(id, key);
    return key;
  }

  async function read(id: string): Promise<Buffer | null> {
    const known = opened.get(id);
    if (known !== undefined) return known;
    const row = await db.query.selectFrom("data_keys").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : open(row);
  }

  /** Returns a key that can be opened. Two processes may each add one: both are good. */
  async function current(): Promise<{ id: string; key: Buffer }> {
    for (const [id, key] of opened) if (key !== null) return { id, key };
    for (const row of await db.query.selectFrom("data_keys").selectAll().orderBy("id", "desc").execute()) {
      const key = open(row);
      if (key !== null) return { id: row.id, key };
    }
    const key = randomBytes(KEY_BYTES);
    const id = await db.write(async (tx) => {
      const created_at = tx.now();
      const row = { id: newId("dky", created_at), created_at };
      const sealed = sealFor(keys, "data_keys", row.id, key.toString("base64url"));
      await tx.query
        .insertInto("data_keys")
        .values({ ...row, sealed })
        .execute();
      return row.id;
    });
    opened.set(id, key);
    return { id, key };
  }

  return {
    seal: async (place, text) => {
      const { id, key } = await current();
      return `${id}.${seal({ current: key }, place, text)}`;
    },
    unseal: async (place, sealed) => {
      const [id = "", text = ""] = sealed.split(".");
      const key = await read(id);
      return key === null ? null : unseal({ accepted: [key] }, place, text);
    },
  };
}
