import { sql } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import { readStatement, type Db, type Reader, type Tx } from "../db/database.ts";
import { lockName } from "../db/locks.ts";
import { ServiceError } from "../errors.ts";
import { SECOND } from "../lib/time.ts";
import type { AgentCaller } from "../people/agent-caller.ts";

/*
 * Far from the limit, a process counts the open tasks of an agent once a second at most, and creates a part of those that are left.
 * Near it, each task is counted for in its own transaction, one task of an agent after another over all processes.
 */

/** Fewer places than this, or than this part of the limit, are near it. */
const NEAR = { places: 64, part: 1 / 20 };
/** Far from the limit, each process takes this part of the places at once, so that sixteen processes stay below it. */
const PORTION = 1 / 16;
const COUNT_EVERY_MS = 1 * SECOND;
/** An agent with very many open tasks is counted less often, so that counting takes at most this part of the time. */
const COUNTING_PART = 1 / 200;
/** No one knows when people answer. */
const RETRY_SECONDS = 10;

const countOpen = readStatement<{ agent: string; limit: number }, { count: number }>((query, param) =>
  query
    .selectFrom(
      query
        .selectFrom("tasks")
        .select(sql<number>`1`.as("one"))
        .where("asked_by_id", "=", param("agent"))
        // The index has the tasks of agents alone.
        .where(sql<boolean>`asked_by_kind = 'agent'`)
        .where("ended_at", "is", null)
        .limit(param("limit"))
        .as("open"),
    )
    .select(sql<number>`count(*)`.as("count"))
    .modifyEnd(beyondHome("open tasks of an agent")),
);

/** What this process knows of the open tasks of an agent. */
export interface OpenTasks {
  max: number;
  /** Tasks that this process may still create without counting. */
  left: number;
  /** Each task is counted for in its transaction. */
  isNear: boolean;
  /** When `left` was found out, in the time of `performance.now()`. */
  counted_at: number;
  /** How long the count is used, in milliseconds. */
  usable_ms: number;
  counting: Promise<void> | null;
  /** All places were taken when this process last looked, and no task has changed since. */
  isFull: boolean;
  /** New tasks that are being stored. */
  underWay: number;
  /** Tasks that were begun since the count under way began. */
  begun: number;
}

export function unknownOpenTasks(): OpenTasks {
  return {
    max: 0,
    left: 0,
    isNear: false,
    counted_at: Number.NEGATIVE_INFINITY,
    usable_ms: COUNT_EVERY_MS,
    counting: null,
    isFull: false,
    underWay: 0,
    begun: 0,
  };
}

/**
 * Takes a place among the open tasks of an agent.
 * @returns what the transaction of the task has to check; null if there is room
 * @throws ServiceError AGENT_LIMIT
 */
export async function takeOfOpen(
  db: Db,
  agent: AgentCaller,
  open: OpenTasks,
): Promise<((tx: Tx) => Promise<void>) | null> {
  const { max_open_tasks: max } = agent;
  // What was found out with another limit does not count.
  if (open.max !== max) Object.assign(open, { max, left: 0, counted_at: Number.NEGATIVE_INFINITY, isFull: false });
  const isRecent = () => performance.now() - open.counted_at < open.usable_ms;
  if (open.isFull && isRecent()) throw full(max);
  if (!isRecent() || (open.left === 0 && !open.isNear)) {
    open.counting ??= count(db, agent, open).finally(() => (open.counting = null));
    await open.counting;
  }
  open.begun++;
  if (open.left > 0) {
    open.left--;
    return null;
  }
  return async (tx) => {
    await lockName(tx, `agent:${agent.id}`);
    if ((await openTasksOf(tx, agent)) < max) return;
    Object.assign(open, { isFull: true, counted_at: performance.now(), usable_ms: COUNT_EVERY_MS });
    throw full(max);
  };
}

async function count(db: Db, agent: AgentCaller, open: OpenTasks): Promise<void> {
  const { max_open_tasks: max } = agent;
  // Those that are being stored may be in the count or not.
  const { underWay } = open;
  open.begun = 0;
  const began = performance.now();
  const found = await openTasksOf(db.heavy, agent);
  const counted_at = performance.now();
  if (open.max !== max) return;
  const left = max - found - underWay - open.begun;
  const isNear = left < Math.max(NEAR.places, max * NEAR.part);
  const usable_ms = Math.max((counted_at - began) / COUNTING_PART, COUNT_EVERY_MS);
  Object.assign(open, { isNear, left: isNear ? 0 : Math.floor(left * PORTION), counted_at, usable_ms });
}

async function openTasksOf(reader: Reader, { id, max_open_tasks }: AgentCaller): Promise<number> {
  const [row] = await reader.run(countOpen, { agent: id, limit: max_open_tasks });
  return row!.count;
}

function full(max: number): ServiceError {
  const message = `The agent may have ${max} open tasks, and has them.`;
  return new ServiceError("AGENT_LIMIT", { message, retryAfter: RETRY_SECONDS });
}
