import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader, Tx } from "../db/database.ts";
import { forUpdate } from "../db/locks.ts";
import type { AgentRow, AgentTokenRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { isId } from "../lib/ids.ts";

/** Reads an agent and holds its row until `tx` ends. @throws ServiceError AGENT_NOT_FOUND */
export async function lockAgent(tx: Tx, id: string): Promise<AgentRow> {
  if (!isId("agt", id)) throw new ServiceError("AGENT_NOT_FOUND");
  const select = tx.query.selectFrom("agents").selectAll().where("id", "=", id);
  const row = await forUpdate(tx.dialect, select).executeTakeFirst();
  if (row === undefined) throw new ServiceError("AGENT_NOT_FOUND");
  return row;
}

/** @throws ServiceError AGENT_NOT_FOUND */
export async function getAgentRow(reader: Reader, id: string): Promise<AgentRow> {
  if (!isId("agt", id)) throw new ServiceError("AGENT_NOT_FOUND");
  const row = await reader.query.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new ServiceError("AGENT_NOT_FOUND");
  return row;
}

/** Newest first, those below the id `before`. @param projects - in which they are; null: in all */
export async function listAgentRows(
  reader: Reader,
  projects: readonly string[] | null,
  before: string | null,
  limit: number,
): Promise<AgentRow[]> {
  return reader.query
    .selectFrom("agents")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .$if(before !== null, (query) => query.where("id", "<", before!))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Returns the tokens of agents that are neither revoked nor expired, oldest first. @param now - epoch milliseconds */
export async function listLiveTokens(reader: Reader, agents: readonly string[], now: number): Promise<AgentTokenRow[]> {
  if (agents.length === 0) return [];
  return reader.query
    .selectFrom("agent_tokens")
    .selectAll()
    .where("agent_id", "in", agents)
    .where("revoked_at", "is", null)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
    .orderBy("id")
    .execute();
}

/** Returns how many open tasks each agent has. */
export async function countOpenTasks(reader: Reader, agents: readonly string[]): Promise<Map<string, number>> {
  if (agents.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom("tasks")
    .select(["asked_by_id", sql<number>`count(*)`.as("count")])
    .where("asked_by_id", "in", agents)
    // The index has the tasks of agents alone.
    .where(sql<boolean>`asked_by_kind = 'agent'`)
    .where("ended_at", "is", null)
    .groupBy("asked_by_id")
    .modifyEnd(beyondHome("open tasks of an agent"))
    .execute();
  return new Map(rows.map(({ asked_by_id, count }) => [asked_by_id, count]));
}
