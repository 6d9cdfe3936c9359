import { hash, randomBytes } from "node:crypto";
import { readStatement, writeStatement, type Db, type Tx } from "../db/database.ts";
import type { ServiceKeyRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { isId, newId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { isoTime, MINUTE } from "../lib/time.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { requireOperatorOfSome, type Caller, type ServiceKeyCaller } from "./caller.ts";
import { projectForNew, projectsOf } from "./projects.ts";
import type { CreateServiceKeyBody, ListServiceKeysQuery, NewServiceKeyRecord, ServiceKeyRecord } from "./schema.ts";

interface Ctx {
  db: Db;
}

/** How every key begins, so that one that leaked is recognised for what it is. */
export const SERVICE_KEY_START = "hsk_";
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = 10;
const DEFAULT_LIMIT = 50;
/** Using a key is written down this often at most. */
const USED_EVERY_MS = 1 * MINUTE;

/** Makes a key. It is in this answer and nowhere else: what is kept is its hash. (spec: Authentication, service key) */
export async function createServiceKey(
  { db }: Ctx,
  caller: Caller,
  { name, project: asked, agents = null }: CreateServiceKeyBody,
): Promise<NewServiceKeyRecord> {
  requireOperatorOfSome(caller);
  const key = SERVICE_KEY_START + randomBytes(SECRET_BYTES).toString("base64url");
  const row = await db.write(async (tx) => {
    const created_at = tx.now();
    const project = await projectForNew(tx, caller, asked);
    await requireAgentsOf(tx, project, agents);
    const fresh: ServiceKeyRow = {
      id: newId("key", created_at),
      project,
      agents: agents === null ? null : JSON.stringify(agents),
      name,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      hash: hashOf(key),
      created_at,
      last_used_at: null,
      revoked_at: null,
    };
    await tx.query.insertInto("service_keys").values(fresh).execute();
    const target = { kind: "embed_key", id: fresh.id } as const;
    await recordSecurityEvent(tx, { type: "embed_key_created", target, details: { name } });
    return fresh;
  });
  return { ...toRecord(row), key };
}

/** @throws ServiceError VALIDATION_FAILED unless all are agents of the project */
async function requireAgentsOf(tx: Tx, project: string, agents: readonly string[] | null): Promise<void> {
  if (agents === null) return;
  const rows = await tx.query
    .selectFrom("agents")
    .select("id")
    .where("project", "=", project)
    .where("id", "in", agents)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknownAt = agents.findIndex((id) => !known.has(id));
  if (unknownAt !== -1) throw invalid(`/agents/${unknownAt}`, "Is not an agent of the project.");
}

/** One page of keys, newest first, revoked ones included. */
export async function listServiceKeys(
  { db }: Ctx,
  caller: Caller,
  { limit = DEFAULT_LIMIT, cursor, project }: ListServiceKeysQuery,
): Promise<{ rows: ServiceKeyRecord[]; next: string | null }> {
  const projects = await projectsOf(db, caller, project);
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const found = await db.query
    .selectFrom("service_keys")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .$if(before !== null, (query) => query.where("id", "<", before!))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(toRecord),
    next: found.length > limit && last ? encodeCursor([last.created_at, last.id]) : null,
  };
}

/** Revokes a key, and with it every token that it created. Idempotent. @throws ServiceError NOT_FOUND */
export async function revokeServiceKey({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  const projects = requireOperatorOfSome(caller);
  const unknown = new ServiceError("NOT_FOUND", { message: "No embed key has this id." });
  if (!isId("key", id)) throw unknown;
  await db.write(async (tx) => {
    const row = await tx.query.selectFrom("service_keys").select("project").where("id", "=", id).executeTakeFirst();
    if (!row || projects?.includes(row.project) === false) throw unknown;
    const revoked = await tx.query
      .updateTable("service_keys")
      .set({ revoked_at: tx.now() })
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .returning("name")
      .executeTakeFirst();
    if (revoked === undefined) return;
    const target = { kind: "embed_key", id } as const;
    await recordSecurityEvent(tx, { type: "embed_key_revoked", target, details: { name: revoked.name } });
  });
}

const selectKey = readStatement<{ hash: string }, ServiceKeyRow>((query, param) =>
  query.selectFrom("service_keys").selectAll().where("hash", "=", param("hash")).where("revoked_at", "is", null),
);

const selectKeyById = readStatement<{ id: string }, { id: string }>((query, param) =>
  query.selectFrom("service_keys").select("id").where("id", "=", param("id")).where("revoked_at", "is", null),
);

const updateUsed = writeStatement<{ id: string; last_used_at: number }>((query, param) =>
  query
    .updateTable("service_keys")
    .set({ last_used_at: param("last_used_at") })
    .where("id", "=", param("id")),
);

/** Returns the product that a key belongs to; null if the key is not one, or was revoked. */
export async function callerWithKey(db: Db, token: string): Promise<ServiceKeyCaller | null> {
  const key = await findServiceKey(db, token);
  if (key === null) return null;
  const { id, name, project, agents } = key;
  return { kind: "service_key", id, name, project, agents: parseJson<string[]>(agents) };
}

/** The key that this is, if it is one and was not revoked; asked of the database each time. */
async function findServiceKey(db: Db, key: string): Promise<ServiceKeyRow | null> {
  const [row] = await db.run(selectKey, { hash: hashOf(key) });
  if (!row) return null;
  const now = db.now();
  // Where this cannot be written, the key is good all the same.
  if (now - (row.last_used_at ?? 0) >= USED_EVERY_MS)
    await db.writeOne(updateUsed, { id: row.id, last_used_at: now }).catch(() => {});
  return row;
}

/** Whether this is the id of a key that was not revoked. */
export async function isServiceKey(db: Db, id: string): Promise<boolean> {
  return (await db.run(selectKeyById, { id })).length > 0;
}

function hashOf(key: string): string {
  return hash("sha256", key, "hex");
}

function toRecord(row: ServiceKeyRow): ServiceKeyRecord {
  const { id, project, agents, name, prefix, created_at, last_used_at, revoked_at } = row;
  return {
    id,
    project,
    agents: parseJson<string[]>(agents),
    name,
    prefix,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
    revoked_at: isoTime(revoked_at),
  };
}
