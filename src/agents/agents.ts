import type { Db, Reader, Tx } from "../db/database.ts";
import { isAlreadyThere } from "../db/postgres-errors.ts";
import type { AgentRow, AgentTokenRow } from "../db/schema.ts";
import { invalid, ServiceError } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { isId, newId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { DAY, isoTime, MINUTE } from "../lib/time.ts";
import { hashOfToken } from "../lib/tokens.ts";
import { untilSeen } from "../people/agent-memory.ts";
import { agentHint, type AgentScope } from "../people/agent-caller.ts";
import { personOf, requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { DEFAULT_PROJECT } from "../people/memberships.ts";
import { projectForNew, projectsOf } from "../people/projects.ts";
import { storedPolicy, type RecipientPolicy } from "../people/recipient-policy.ts";
import { findUser } from "../people/store.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { ADMIN } from "../tasks/asker.ts";
import { cancelOpenTasksOf, type CancelContext } from "./cancel-tasks.ts";
import {
  MAX_OPEN_TASKS,
  MAX_TASKS_PER_MINUTE,
  type AgentRecord,
  type CreateAgentBody,
  type CreateAgentTokenBody,
  type ListAgentsQuery,
  type NewAgentTokenRecord,
  type UpdateAgentBody,
} from "./schema.ts";
import { countOpenTasks, getAgentRow, listAgentRows, listLiveTokens, lockAgent } from "./store.ts";
import { AGENT_TOKEN } from "./token.ts";

interface Ctx {
  db: Db;
}

const DEFAULT_LIMIT = 50;
/** So that a token can be replaced without a gap. */
export const LIVE_TOKENS_MAX = 2;
/** Columns that a stop sets. They are no change of their own. */
const STOPPING: ReadonlySet<string> = new Set(["disabled_at", "cancels_until", "stopped_by"]);
/** A request that was identified before its agent was stopped has created its task by then. */
const CREATING_MS = 1 * MINUTE;

/** Creates an agent without a token. (beyond: Agents) @throws ServiceError AGENT_ALREADY_EXISTS, VALIDATION_FAILED */
export async function createAgent({ db }: Ctx, caller: Caller, body: CreateAgentBody): Promise<AgentRecord> {
  requireOperatorOfSome(caller);
  requireName(body.name);
  return db.write(async (tx) => {
    const created_at = tx.now();
    const project = await projectForNew(tx, caller, body.project);
    await requireOwner(tx, body.owner_user_id ?? null);
    const row = await addAgent(tx, { ...body, project }, created_at);
    if (row === null) throw new ServiceError("AGENT_ALREADY_EXISTS");
    return toRecord(row, [], 0);
  });
}

/** Inserts an agent. @returns null if its name is taken */
export async function addAgent(tx: Tx, body: CreateAgentBody, created_at: number): Promise<AgentRow | null> {
  const row: AgentRow = {
    id: newId("agt", created_at),
    project: body.project ?? DEFAULT_PROJECT,
    name: body.name,
    description: body.description ?? null,
    owner_user_id: body.owner_user_id ?? null,
    scopes: JSON.stringify(scopesOf(body.scopes ?? ["ask"])),
    host_answers: body.host_answers === true ? 1 : 0,
    recipients: storedPolicy(body.recipients),
    max_open_tasks: body.max_open_tasks ?? MAX_OPEN_TASKS,
    max_tasks_per_minute: body.max_tasks_per_minute ?? MAX_TASKS_PER_MINUTE,
    created_at,
    last_used_at: null,
    limited_at: null,
    disabled_at: null,
    cancels_until: null,
    stopped_by: null,
  };
  const added = await tx.query
    .insertInto("agents")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (added === undefined) return null;
  await recordSecurityEvent(tx, { type: "agent_created", target: targetOf(row), details: { name: row.name } });
  return row;
}

/** One page of agents, newest first. */
export async function listAgents(
  { db }: Ctx,
  caller: Caller,
  { limit = DEFAULT_LIMIT, cursor, project }: ListAgentsQuery,
): Promise<{ rows: AgentRecord[]; next: string | null }> {
  const projects = await projectsOf(db, caller, project);
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const found = await listAgentRows(db, projects, before, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: await toRecords(db.heavy, page, db.now()),
    next: found.length > limit && last ? encodeCursor([last.created_at, last.id]) : null,
  };
}

/** @throws ServiceError AGENT_NOT_FOUND */
export async function readAgent({ db }: Ctx, caller: Caller, id: string): Promise<AgentRecord> {
  const projects = requireOperatorOfSome(caller);
  requireIn(projects, await getAgentRow(db, id));
  return readRecord(db, id, db.now());
}

/**
 * Changes an agent, stops it, or lets it go on. The next request in every process sees the change, and polls of a stopped
 * agent end. (beyond: Agents)
 *
 * @throws ServiceError AGENT_NOT_FOUND, AGENT_ALREADY_EXISTS, VALIDATION_FAILED
 */
export async function updateAgent(
  ctx: CancelContext,
  caller: Caller,
  id: string,
  body: UpdateAgentBody,
): Promise<AgentRecord> {
  const projects = requireOperatorOfSome(caller);
  if (body.cancel_open_tasks === true && body.disabled !== true)
    throw invalid("/cancel_open_tasks", "Can only be set together with `disabled: true`.");
  if (body.name != null) requireName(body.name);
  const mustCancel = body.cancel_open_tasks === true;
  const change = async (tx: Tx): Promise<AgentRecord> => {
    const before = requireIn(projects, await lockAgent(tx, id));
    const set = changesOf(before, body, personOf(caller)?.email ?? null, tx.now());
    const fields = Object.keys(set).filter((name) => set[name as keyof AgentRow] !== before[name as keyof AgentRow]);
    if (fields.length > 0) {
      if (set.owner_user_id !== undefined) await requireOwner(tx, set.owner_user_id);
      if (set.name !== undefined && set.name !== before.name) await requireNameFree(tx, before.project, set.name);
      await setAgent(tx, id, set);
      await recordChange(tx, before, set, fields, mustCancel);
      tx.hint(agentHint(id));
    }
    // Read before the commit: a failure after it would say that nothing was stored.
    return readRecord(tx, id, tx.now());
  };
  return untilSeen(ctx.db, async () => {
    const record = await ctx.db.write(change);
    return mustCancel ? withoutOpenTasks(ctx, record) : record;
  });
}

/** The agent is stopped. The sweep cancels the tasks that are left here if the database fails. */
async function withoutOpenTasks(ctx: CancelContext, record: AgentRecord): Promise<AgentRecord> {
  try {
    await cancelOpenTasksOf(ctx, record.id);
    return { ...record, open_tasks: (await countOpenTasks(ctx.db, [record.id])).get(record.id) ?? 0 };
  } catch {
    return record;
  }
}

/** @throws ServiceError AGENT_ALREADY_EXISTS if another request has just taken the name */
async function setAgent(tx: Tx, id: string, set: Partial<AgentRow>): Promise<void> {
  try {
    await tx.query.updateTable("agents").set(set).where("id", "=", id).execute();
  } catch (error) {
    throw isAlreadyThere(error) ? new ServiceError("AGENT_ALREADY_EXISTS") : error;
  }
}

/** @param by - email of the operator, or null */
function changesOf(before: AgentRow, body: UpdateAgentBody, by: string | null, now: number): Partial<AgentRow> {
  const set: Partial<AgentRow> = {};
  if (body.name != null) set.name = body.name;
  if (body.description !== undefined) set.description = body.description;
  if (body.owner_user_id !== undefined) set.owner_user_id = body.owner_user_id;
  if (body.scopes != null) set.scopes = JSON.stringify(scopesOf(body.scopes));
  if (body.host_answers != null) set.host_answers = body.host_answers ? 1 : 0;
  if (body.recipients !== undefined) set.recipients = storedPolicy(body.recipients);
  if (body.max_open_tasks != null) set.max_open_tasks = body.max_open_tasks;
  if (body.max_tasks_per_minute != null) set.max_tasks_per_minute = body.max_tasks_per_minute;
  if (body.disabled === true) set.disabled_at = before.disabled_at ?? now;
  if (body.disabled === false) Object.assign(set, { disabled_at: null, cancels_until: null, stopped_by: null });
  if (body.cancel_open_tasks === true) Object.assign(set, { cancels_until: now + CREATING_MS, stopped_by: by });
  return set;
}

async function recordChange(
  tx: Tx,
  before: AgentRow,
  set: Partial<AgentRow>,
  fields: readonly string[],
  cancels: boolean,
): Promise<void> {
  const target = targetOf(before);
  const { name } = before;
  if (set.disabled_at != null && (before.disabled_at === null || cancels))
    await recordSecurityEvent(tx, { type: "agent_stopped", target, details: { name, cancel_open_tasks: cancels } });
  else if (set.disabled_at === null && before.disabled_at !== null)
    await recordSecurityEvent(tx, { type: "agent_resumed", target, details: { name } });
  const others = fields.filter((field) => !STOPPING.has(field));
  if (others.length > 0)
    await recordSecurityEvent(tx, { type: "agent_changed", target, details: { name, fields: others } });
}

/** Deletes an agent. Its tasks stay, with its name; its tokens are refused. @throws ServiceError AGENT_NOT_FOUND */
export async function deleteAgent({ db }: Ctx, caller: Caller, id: string): Promise<void> {
  const projects = requireOperatorOfSome(caller);
  const change = async (tx: Tx): Promise<void> => {
    const row = requireIn(projects, await lockAgent(tx, id));
    await tx.query
      .updateTable("agent_tokens")
      .set({ revoked_at: tx.now() })
      .where("agent_id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
    await tx.query.deleteFrom("agents").where("id", "=", id).execute();
    await recordSecurityEvent(tx, { type: "agent_deleted", target: targetOf(row), details: { name: row.name } });
    tx.hint(agentHint(id));
  };
  await untilSeen(db, async () => db.write(change));
}

/**
 * Creates a token. It is in this answer and nowhere else: what is kept is its hash.
 * @throws ServiceError AGENT_NOT_FOUND, AGENT_TOKEN_LIMIT
 */
export async function createAgentToken(
  { db }: Ctx,
  caller: Caller,
  id: string,
  { expires_in_days }: CreateAgentTokenBody,
): Promise<NewAgentTokenRecord> {
  const projects = requireOperatorOfSome(caller);
  const token = AGENT_TOKEN.create();
  return db.write(async (tx) => {
    const agent = requireIn(projects, await lockAgent(tx, id));
    const now = tx.now();
    if ((await listLiveTokens(tx, [id], now)).length >= LIVE_TOKENS_MAX) throw new ServiceError("AGENT_TOKEN_LIMIT");
    const expires_at = expires_in_days == null ? null : now + expires_in_days * DAY;
    const row = await addToken(tx, agent, { token, expires_at, derived: null });
    return { ...toTokenRecord(row), token };
  });
}

/** Inserts a token of an agent that `tx` holds. */
export async function addToken(
  tx: Tx,
  agent: AgentRow,
  { token, expires_at, derived }: { token: string } & Pick<AgentTokenRow, "expires_at" | "derived">,
): Promise<AgentTokenRow> {
  const now = tx.now();
  const row: AgentTokenRow = {
    id: newId("atk", now),
    agent_id: agent.id,
    prefix: AGENT_TOKEN.prefixOf(token),
    hash: hashOfToken(token),
    created_at: now,
    expires_at,
    last_used_at: null,
    revoked_at: null,
    derived,
  };
  await tx.query.insertInto("agent_tokens").values(row).execute();
  await recordSecurityEvent(tx, {
    type: "agent_token_created",
    target: targetOf(agent),
    details: { name: agent.name, token_id: row.id, prefix: row.prefix, expires_at: isoTime(expires_at) },
  });
  return row;
}

/** Revokes a token. Idempotent. @throws ServiceError AGENT_NOT_FOUND, NOT_FOUND */
export async function revokeAgentToken({ db }: Ctx, caller: Caller, id: string, token_id: string): Promise<void> {
  const projects = requireOperatorOfSome(caller);
  const change = async (tx: Tx): Promise<void> => {
    const agent = requireIn(projects, await lockAgent(tx, id));
    const row = !isId("atk", token_id)
      ? undefined
      : await tx.query
          .selectFrom("agent_tokens")
          .selectAll()
          .where("id", "=", token_id)
          .where("agent_id", "=", id)
          .executeTakeFirst();
    if (row === undefined) throw new ServiceError("NOT_FOUND", { message: "The agent has no token with this id." });
    if (row.revoked_at !== null) return;
    await revokeToken(tx, agent, row);
  };
  await untilSeen(db, async () => db.write(change));
}

/** Revokes a token of an agent that `tx` holds. */
export async function revokeToken(
  tx: Tx,
  agent: AgentRow,
  { id: token_id, prefix, derived }: Pick<AgentTokenRow, "id" | "prefix" | "derived">,
): Promise<void> {
  await tx.query
    .updateTable("agent_tokens")
    .set({ revoked_at: tx.now(), derived })
    .where("id", "=", token_id)
    .execute();
  await recordSecurityEvent(tx, {
    type: "agent_token_revoked",
    target: targetOf(agent),
    details: { name: agent.name, token_id, prefix },
  });
  tx.hint(agentHint(agent.id));
}

/** @param projects - those of an operator; null: all @throws ServiceError AGENT_NOT_FOUND */
function requireIn(projects: readonly string[] | null, agent: AgentRow): AgentRow {
  if (projects?.includes(agent.project) === false) throw new ServiceError("AGENT_NOT_FOUND");
  return agent;
}

function targetOf({ id }: AgentRow) {
  return { kind: "agent", id } as const;
}

/** Each once. */
function scopesOf(scopes: readonly AgentScope[]): AgentScope[] {
  return [...new Set(scopes)];
}

async function requireOwner(tx: Tx, id: string | null): Promise<void> {
  if (id !== null && (await findUser(tx, id)) === null) throw invalid("/owner_user_id", "Is not a user.");
}

function requireName(name: string): void {
  // It is how the admin token is called where it asks.
  if (name === ADMIN) throw invalid("/name", "Is the name of the admin token.");
  if (!/^[a-z0-9._-]+$/.test(name)) throw invalid("/name", "May have a to z, 0 to 9, hyphens, underscores and dots.");
}

async function requireNameFree(tx: Tx, project: string, name: string): Promise<void> {
  const row = await tx.query
    .selectFrom("agents")
    .select("id")
    .where("project", "=", project)
    .where("name", "=", name)
    .executeTakeFirst();
  if (row !== undefined) throw new ServiceError("AGENT_ALREADY_EXISTS");
}

async function readRecord(reader: Reader, id: string, now: number): Promise<AgentRecord> {
  const [record] = await toRecords(reader, [await getAgentRow(reader, id)], now);
  return record!;
}

async function toRecords(reader: Reader, rows: readonly AgentRow[], now: number): Promise<AgentRecord[]> {
  const ids = rows.map(({ id }) => id);
  const tokens = await listLiveTokens(reader, ids, now);
  const open = await countOpenTasks(reader, ids);
  return rows.map((row) =>
    toRecord(
      row,
      tokens.filter(({ agent_id }) => agent_id === row.id),
      open.get(row.id) ?? 0,
    ),
  );
}

function toRecord(row: AgentRow, tokens: readonly AgentTokenRow[], open_tasks: number): AgentRecord {
  return {
    id: row.id,
    project: row.project,
    name: row.name,
    description: row.description,
    owner_user_id: row.owner_user_id,
    scopes: JSON.parse(row.scopes) as AgentScope[],
    host_answers: row.host_answers === 1,
    recipients: parseJson<RecipientPolicy>(row.recipients),
    max_open_tasks: row.max_open_tasks,
    max_tasks_per_minute: row.max_tasks_per_minute,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    limited_at: isoTime(row.limited_at),
    disabled_at: isoTime(row.disabled_at),
    open_tasks,
    tokens: tokens.map(toTokenRecord),
  };
}

function toTokenRecord({ id, prefix, created_at, expires_at, last_used_at }: AgentTokenRow) {
  return {
    id,
    prefix,
    created_at: isoTime(created_at),
    expires_at: isoTime(expires_at),
    last_used_at: isoTime(last_used_at),
  };
}
