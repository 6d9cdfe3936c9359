import type { Config } from "../config.ts";
import type { Db, Reader, Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import type { ConnectionRow } from "../db/schema.ts";
import { sealFor, unsealFrom } from "../db/sealed.ts";
import { invalid, ServiceError } from "../errors.ts";
import { withoutOwnFormats } from "../http/openapi.ts";
import { newId } from "../lib/ids.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { checkCallbackUrl } from "../outbound/outbound-url.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectForNew, projectsOf } from "../people/projects.ts";
import { clearRefusal, findConnection, listConnectionsOf, noteRefusal } from "../resume/connection-store.ts";
import { keptFields, requireShape, urlOf } from "../resume/fields.ts";
import { guardedHttp } from "../resume/http.ts";
import { NotAnswered, type ConnectionForm, type Fields, type Http } from "../resume/kind.ts";
import { RESUME_KINDS, resumeKind } from "../resume/registered.ts";
import { recordSecurityEvent } from "../security/record.ts";
import type {
  Asks,
  ConnectionKind,
  ConnectionRecord,
  CreateConnectionBody,
  ListConnectionsQuery,
  ProbeResult,
  UpdateConnectionBody,
} from "./schema.ts";

interface Ctx {
  db: Db;
  config: Config;
}

/** A list of them has no pages. */
const CONNECTIONS_MAX = 200;

/** Lists the kinds that connections can have. @throws ServiceError FORBIDDEN */
export function listConnectionKinds(caller: Caller): ConnectionKind[] {
  requireOperatorOfSome(caller);
  return RESUME_KINDS.flatMap(({ name, title, connection: form }) =>
    form === null
      ? []
      : [
          {
            kind: name,
            title,
            address: withoutOwnFormats(form.address) as JsonObject,
            secret: form.secret,
            secret_required: form.isSecretRequired,
            secret_multiline: form.hasLongSecret ?? false,
            creates_tasks: form.createsTasks !== undefined,
          },
        ],
  );
}

/** Lists the connections of the operator's projects, by name. @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND */
export async function listConnections(
  { db }: Pick<Ctx, "db">,
  caller: Caller,
  { project }: ListConnectionsQuery,
): Promise<ConnectionRecord[]> {
  return (await listConnectionsOf(db, await projectsOf(db, caller, project))).map(toRecord);
}

/** @throws ServiceError FORBIDDEN, CONNECTION_NOT_FOUND */
export async function readConnection({ db }: Pick<Ctx, "db">, caller: Caller, id: string): Promise<ConnectionRecord> {
  return toRecord(await requireConnection(db, caller, id));
}

/** @throws ServiceError FORBIDDEN, MALFORMED_REQUEST, VALIDATION_FAILED, CONNECTION_ALREADY_EXISTS, PROJECT_ARCHIVED */
export async function createConnection(
  { db, config }: Ctx,
  caller: Caller,
  body: CreateConnectionBody,
): Promise<ConnectionRecord> {
  requireOperatorOfSome(caller);
  const { name, kind } = body;
  requireName(name);
  const form = formOf(kind);
  requireShape(form.address, body.address, "/address");
  const secret = checkedSecret(form, body.secret ?? null);
  const address = checkedAddress(config, form, body.address, secret);
  if (body.asks != null) requireVerifiable(form, secret);
  return db.write(async (tx) => {
    const project = await projectForNew(tx, caller, body.project);
    await lockName(tx, "connections");
    await requireNameFree(tx, project, name);
    await requireRoom(tx, project);
    const now = tx.now();
    const id = newId("con", now);
    const row: ConnectionRow = {
      id,
      project,
      name,
      kind,
      address: JSON.stringify(address),
      secret: secret && sealFor(config, "connections", id, secret),
      allowed_agents: await storedAgents(tx, project, body.allowed_agents ?? null),
      asks: await storedAsks(tx, project, form, body.asks ?? null),
      created_at: now,
      updated_at: now,
      refused_at: null,
      refusal: null,
    };
    await tx.query.insertInto("connections").values(row).execute();
    await recordSecurityEvent(tx, { type: "connection_created", target: targetOf(row), details: detailsOf(row) });
    return toRecord(row);
  });
}

/**
 * Changes a connection. Attempts from now on use it as it is then.
 * @throws ServiceError FORBIDDEN, CONNECTION_NOT_FOUND, MALFORMED_REQUEST, VALIDATION_FAILED, CONNECTION_ALREADY_EXISTS
 */
export async function updateConnection(
  { db, config }: Ctx,
  caller: Caller,
  id: string,
  { name, address, secret, allowed_agents, asks }: UpdateConnectionBody,
): Promise<ConnectionRecord> {
  requireOperatorOfSome(caller);
  if (name != null) requireName(name);
  return db.write(async (tx) => {
    await lockName(tx, "connections");
    const before = await requireConnection(tx, caller, id);
    const form = formOf(before.kind);
    const set: Partial<ConnectionRow> = {};
    if (name != null && name !== before.name) {
      await requireNameFree(tx, before.project, name);
      set.name = name;
    }
    if (secret !== undefined) {
      const checked = checkedSecret(form, secret);
      set.secret = checked && sealFor(config, "connections", id, checked);
    }
    const kept = set.secret === undefined ? before.secret : set.secret;
    const opened = kept && unsealFrom(config, "connections", id, kept);
    if (address != null || secret !== undefined) {
      const fields = address ?? (JSON.parse(before.address) as JsonObject);
      set.address = JSON.stringify(checkedAddress(config, form, fields, opened));
    }
    if (allowed_agents !== undefined) set.allowed_agents = await storedAgents(tx, before.project, allowed_agents);
    if (asks !== undefined) set.asks = await storedAsks(tx, before.project, form, asks);
    const stillAsks = set.asks === undefined ? before.asks : set.asks;
    if (stillAsks !== null && (asks !== undefined || secret !== undefined)) requireVerifiable(form, opened);
    // An operator who may change the address must not be able to have the stored secret sent to a server of their own.
    if (before.secret !== null && secret === undefined && set.address !== undefined && isElsewhere(before, set.address))
      throw invalid("/secret", "Send the secret as well: the new address is another server.", "required");
    const fields = Object.keys(set).filter(
      (field) => set[field as keyof ConnectionRow] !== before[field as keyof ConnectionRow],
    );
    if (fields.length === 0) return toRecord(before);
    const isReachedOtherwise = fields.includes("address") || fields.includes("secret");
    const after: ConnectionRow = {
      ...before,
      ...set,
      updated_at: tx.now(),
      ...(isReachedOtherwise && { refused_at: null, refusal: null }),
    };
    await tx.query.updateTable("connections").set(after).where("id", "=", id).execute();
    const details = { ...detailsOf(after), fields };
    await recordSecurityEvent(tx, { type: "connection_changed", target: targetOf(after), details });
    return toRecord(after);
  });
}

/** Deletes a connection. Tasks that name it can no longer be resumed. @throws ServiceError FORBIDDEN, CONNECTION_NOT_FOUND */
export async function deleteConnection({ db }: Pick<Ctx, "db">, caller: Caller, id: string): Promise<void> {
  requireOperatorOfSome(caller);
  await db.write(async (tx) => {
    await lockName(tx, "connections");
    const row = await requireConnection(tx, caller, id);
    await tx.query.deleteFrom("connections").where("id", "=", id).execute();
    await recordSecurityEvent(tx, { type: "connection_deleted", target: targetOf(row), details: detailsOf(row) });
  });
}

/** Asks the engine whether it is there and accepts the secret. @throws ServiceError FORBIDDEN, CONNECTION_NOT_FOUND */
export async function probeConnection(
  { db, config, sender }: Ctx & { sender: Sender },
  caller: Caller,
  id: string,
): Promise<ProbeResult> {
  const row = await requireConnection(db, caller, id);
  const secret = row.secret === null ? null : unsealFrom(config, "connections", id, row.secret);
  if (row.secret !== null && secret === null)
    return { ok: false, detail: "The secret cannot be opened with SERVICE_SECRET_KEY. Enter it again." };
  const connection = { address: JSON.parse(row.address) as Fields, secret };
  const send = guardedHttp(sender);
  let isRefused = false;
  const http: Http = async (request) => {
    const answer = await send(request);
    isRefused ||= answer.status === 401 || answer.status === 403;
    return answer;
  };
  try {
    const { ok, detail } = await formOf(row.kind).probe(connection, http, Date.now());
    if (ok && row.refused_at !== null) await clearRefusal(db, id);
    if (!ok && isRefused && row.refused_at === null) await noteRefusal(db, id, detail);
    return { ok, detail };
  } catch (error) {
    if (error instanceof NotAnswered) return { ok: false, detail: error.message };
    throw error;
  }
}

/** @throws ServiceError FORBIDDEN, CONNECTION_NOT_FOUND, also for one of a project of others */
async function requireConnection(reader: Reader, caller: Caller, id: string): Promise<ConnectionRow> {
  const projects = requireOperatorOfSome(caller);
  const row = await findConnection(reader, id);
  if (row === null || projects?.includes(row.project) === false) throw new ServiceError("CONNECTION_NOT_FOUND");
  return row;
}

function formOf(kind: string): ConnectionForm {
  const form = resumeKind(kind)?.connection;
  if (form == null) throw invalid("/kind", "Is not a kind of engine that this release knows.");
  return form;
}

/** Ends of names would be lost in sentences and commands. */
function requireName(name: string): void {
  if (name !== name.trim()) throw invalid("/name", "Must not begin or end with a space.");
}

/** @throws ServiceError MALFORMED_REQUEST, VALIDATION_FAILED */
function checkedAddress({ callbacks }: Config, form: ConnectionForm, given: JsonObject, secret: string | null): Fields {
  requireShape(form.address, given, "/address");
  const address = keptFields(form.address, given);
  const problem = form.checkAddress?.(address, secret) ?? null;
  if (problem !== null) throw invalid(`/address${problem.path}`, problem.message);
  const refusal = checkCallbackUrl(urlOf(form, address), { allowPrivate: callbacks.allowPrivate });
  if (refusal !== null) throw invalid("/address/url", refusal);
  return address;
}

/** @throws ServiceError VALIDATION_FAILED */
function checkedSecret(form: ConnectionForm, secret: string | null): string | null {
  if (secret === null) {
    if (form.isSecretRequired) throw invalid("/secret", `Is missing: ${form.secret}`, "required");
    return null;
  }
  const problem = form.secret === null ? "The engine takes none." : (form.checkSecret?.(secret) ?? null);
  if (problem !== null) throw invalid("/secret", problem);
  return secret;
}

/**
 * Calls that the engine has not signed create no tasks, and an operator would learn that only from the first call.
 * @param secret - null: it cannot be opened, and has to be entered again
 * @throws ServiceError VALIDATION_FAILED
 */
function requireVerifiable(form: ConnectionForm, secret: string | null): void {
  const problem = secret === null ? null : (form.createsTasks?.(secret) ?? null);
  if (problem !== null) throw invalid("/secret", problem);
}

function isElsewhere({ kind, address }: ConnectionRow, after: string): boolean {
  const form = formOf(kind);
  const originOf = (text: string) => new URL(urlOf(form, JSON.parse(text) as Fields)).origin;
  return originOf(address) !== originOf(after);
}

/** Each once. @throws ServiceError VALIDATION_FAILED */
async function storedAgents(tx: Tx, project: string, ids: readonly string[] | null): Promise<string | null> {
  if (ids === null) return null;
  await requireAgents(tx, project, ids, (i) => `/allowed_agents/${i}`);
  return JSON.stringify([...new Set(ids)].toSorted());
}

/** @throws ServiceError VALIDATION_FAILED */
async function requireAgents(
  tx: Tx,
  project: string,
  ids: readonly string[],
  pathOf: (i: number) => string,
): Promise<void> {
  if (ids.length === 0) return;
  const known = await tx.query
    .selectFrom("agents")
    .select("id")
    .where("project", "=", project)
    .where("id", "in", ids)
    .execute();
  const isKnown = new Set(known.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !isKnown.has(id));
  if (unknown !== -1) throw invalid(pathOf(unknown), "Is not an agent of the project.");
}

/** What a task needs besides is checked when one is created. @throws ServiceError VALIDATION_FAILED */
async function storedAsks(tx: Tx, project: string, form: ConnectionForm, asks: Asks | null): Promise<string | null> {
  if (asks === null) return null;
  if (form.createsTasks === undefined) throw invalid("/asks", "Calls of this kind of engine create no tasks.");
  const { agent_id, assign_to, notify, approvals, escalation } = asks;
  await requireAgents(tx, project, [agent_id], () => "/asks/agent_id");
  return JSON.stringify({ agent_id, assign_to, notify, approvals, escalation });
}

async function requireRoom(tx: Tx, project: string): Promise<void> {
  const { count } = await tx.query
    .selectFrom("connections")
    .select((select) => select.fn.countAll().as("count"))
    .where("project", "=", project)
    .executeTakeFirstOrThrow();
  if (Number(count) >= CONNECTIONS_MAX)
    throw invalid("/project", `The project has ${CONNECTIONS_MAX} connections, which is the maximum.`);
}

/** The lock of the names is held. @throws ServiceError CONNECTION_ALREADY_EXISTS */
async function requireNameFree(tx: Tx, project: string, name: string): Promise<void> {
  const other = await tx.query
    .selectFrom("connections")
    .select("id")
    .where("project", "=", project)
    .where("name", "=", name)
    .executeTakeFirst();
  if (other !== undefined) throw new ServiceError("CONNECTION_ALREADY_EXISTS");
}

function targetOf({ id }: ConnectionRow) {
  return { kind: "connection", id } as const;
}

/** What the security log says; never the secret. */
function detailsOf({ project, name, kind }: ConnectionRow) {
  return { project, name, kind };
}

function toRecord({ address, secret, allowed_agents, asks, ...row }: ConnectionRow): ConnectionRecord {
  return {
    ...row,
    address: JSON.parse(address) as JsonObject,
    has_secret: secret !== null,
    allowed_agents: parseJson<string[]>(allowed_agents),
    asks: parseJson<Asks>(asks),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    refused_at: isoTime(row.refused_at),
  };
}
