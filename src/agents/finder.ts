import { sql } from "kysely";
import { readStatement, type Db } from "../db/database.ts";
import type { AgentRow, AgentTokenRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { createBatcher } from "../lib/batch.ts";
import { parseJson } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import { hashOfToken } from "../lib/tokens.ts";
import { REMEMBERED_MS } from "../people/agent-memory.ts";
import { AGENT_HINT, type AgentCaller, type AgentFinder, type AgentScope } from "../people/agent-caller.ts";
import { PROJECT_HINT } from "../people/projects.ts";
import type { RecipientPolicy } from "../people/recipient-policy.ts";
import { AGENT_TOKEN } from "./token.ts";
import { createUseRecorder } from "./used.ts";

/** A token with its agent and its project, as the tables have it. Their fields are null if the agent was deleted. */
type FoundToken = Pick<AgentTokenRow, "id" | "hash" | "agent_id" | "expires_at" | "last_used_at" | "revoked_at"> & {
  [
    Column in
      | "name"
      | "project"
      | "scopes"
      | "host_answers"
      | "recipients"
      | "max_open_tasks"
      | "max_tasks_per_minute"
      | "disabled_at"
  ]: AgentRow[Column] | null;
} & { archived_at: number | null; project_recipients: string | null };

const COLUMNS = [
  "t.id",
  "t.hash",
  "t.agent_id",
  "t.expires_at",
  "t.last_used_at",
  "t.revoked_at",
  "a.name",
  "a.project",
  "a.scopes",
  "a.host_answers",
  "a.recipients",
  "a.max_open_tasks",
  "a.max_tasks_per_minute",
  "a.disabled_at",
  "p.archived_at",
  "p.recipients as project_recipients",
] as const;

const selectToken = readStatement<{ hash: string }, FoundToken>((query, param) =>
  query
    .selectFrom("agent_tokens as t")
    .leftJoin("agents as a", "a.id", "t.agent_id")
    .leftJoin("projects as p", "p.slug", "a.project")
    .select(COLUMNS)
    .where("t.hash", "=", param("hash")),
);

/** PostgreSQL only. The list is one text parameter, because a statement with a varying number of parameters is parsed each time. */
const selectTokens = readStatement<{ hashes: string }, FoundToken>((query, param) =>
  query
    .selectFrom("agent_tokens as t")
    .leftJoin("agents as a", "a.id", "t.agent_id")
    .leftJoin("projects as p", "p.slug", "a.project")
    .select(COLUMNS)
    .where("t.hash", "=", sql<string>`any(string_to_array(${param("hashes")}, ','))`),
);

const selectTokenById = readStatement<{ id: string }, FoundToken>((query, param) =>
  query
    .selectFrom("agent_tokens as t")
    .leftJoin("agents as a", "a.id", "t.agent_id")
    .leftJoin("projects as p", "p.slug", "a.project")
    .select(COLUMNS)
    .where("t.id", "=", param("id")),
);

interface Remembered {
  row: FoundToken;
  /** null if its agent was deleted. */
  caller: AgentCaller | null;
  /** When its read began, in the time of `performance.now()`. */
  read_at: number;
}

/** Requests of one turn of the event loop share a query. */
const GROUPS = { items: 500, under_way: 1 };
/** Tokens that are remembered at once. */
const REMEMBERED_MAX = 1000;
/** Interval of the look at tokens of agents that wait, in case a hint of another process was lost. */
const LOOK_EVERY_MS = 2 * SECOND;

/**
 * Finds agents by their tokens. What was read is remembered until an agent or a project changes; on PostgreSQL, where a process
 * learns that later, for `REMEMBERED_MS` at most. Each request sees what was answered before it came, because changes are
 * answered after that time.
 */
export function createAgentFinder(db: Db, onError: (error: unknown) => void): AgentFinder & { stop(): void } {
  const remembered = new Map<string, Remembered>();
  /** Counts changes, so that a read that began before one is not remembered after it. */
  let changes = 0;
  const uses = createUseRecorder(db);
  const watched = new Map<() => void, AgentCaller>();
  const batcher = createBatcher<string, FoundToken | null>(
    GROUPS,
    async (hashes) => {
      const distinct = [...new Set(hashes)];
      const rows =
        distinct.length === 1
          ? await db.run(selectToken, { hash: distinct[0]! })
          : await db.run(selectTokens, { hashes: distinct.join() });
      const byHash = new Map(rows.map((row) => [row.hash, row]));
      return hashes.map((hash) => byHash.get(hash) ?? null);
    },
    () => false,
  );

  function recall(hash: string): Remembered | undefined {
    const known = remembered.get(hash);
    const isUsable = known !== undefined && (!db.hints.isShared || performance.now() - known.read_at < REMEMBERED_MS);
    return isUsable ? known : undefined;
  }

  async function readOne(hash: string): Promise<FoundToken | null> {
    const [row] = await db.run(selectToken, { hash });
    return row ?? null;
  }

  async function read(hash: string): Promise<FoundToken | null> {
    const known = recall(hash);
    if (known !== undefined) return known.row;
    const [before, read_at] = [changes, performance.now()];
    const row = db.hints.isShared ? await batcher.add(hash) : await readOne(hash);
    if (row === null || before !== changes) return row;
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(hash, { row, caller: row.name === null ? null : callerOf(row), read_at });
    return row;
  }

  /** A token that is remembered costs no promise. */
  function find(token: string): AgentCaller | null | Promise<AgentCaller | null> {
    if (!AGENT_TOKEN.isOne(token)) return null;
    const hash = hashOfToken(token);
    const known = recall(hash);
    if (known?.caller && problemOf(known.row, db.now()) === null && !uses.isDue(known.row)) return known.caller;
    return readCaller(hash);
  }

  async function readCaller(hash: string): Promise<AgentCaller | null> {
    const row = await read(hash);
    if (row === null) return null;
    const caller = toCaller(row, db.now());
    await uses.record(row);
    return caller;
  }

  async function refresh({ token_hash }: AgentCaller): Promise<AgentCaller> {
    const row = await read(token_hash);
    if (row === null) throw new ServiceError("AGENT_TOKEN_REVOKED");
    return toCaller(row, db.now());
  }

  /** One look for each token, however many wait with it. */
  async function lookAtAll(): Promise<void> {
    const ended = new Map<string, boolean>();
    await Promise.all(
      [...new Set(Array.from(watched.values(), ({ token_hash }) => token_hash))].map(async (hash) => {
        const row = await read(hash);
        ended.set(hash, row === null || problemOf(row, db.now()) !== null);
      }),
    );
    for (const [onEnd, { token_hash }] of watched) if (ended.get(token_hash)) onEnd();
  }

  let isLooking = false;
  let mustLookAgain = false;
  const lookSoon = () => {
    if (watched.size === 0) return;
    if (isLooking) {
      mustLookAgain = true;
      return;
    }
    isLooking = true;
    void lookAtAll()
      .catch(onError)
      .finally(() => {
        isLooking = false;
        if (mustLookAgain) {
          mustLookAgain = false;
          lookSoon();
        }
      });
  };

  const unlisten = db.hints.listen((hint) => {
    if (!hint.startsWith(AGENT_HINT) && !hint.startsWith(PROJECT_HINT)) return;
    changes++;
    remembered.clear();
    lookSoon();
  });
  const stopReset = db.hints.onReset(lookSoon);
  const timer = setInterval(lookSoon, LOOK_EVERY_MS);
  timer.unref();

  return {
    find,
    refresh,
    mayEmbed: async (token_id) => {
      const [row] = await db.run(selectTokenById, { id: token_id });
      if (row === undefined || problemOf(row, db.now()) !== null) return false;
      return (JSON.parse(row.scopes!) as AgentScope[]).includes("embed");
    },
    watch: (caller, onEnd) => {
      watched.set(onEnd, caller);
      return () => void watched.delete(onEnd);
    },
    stop: () => {
      unlisten();
      stopReset();
      clearInterval(timer);
    },
  };
}

function problemOf(row: FoundToken, now: number): ServiceError | null {
  const isExpired = row.expires_at !== null && row.expires_at <= now;
  // The security log says whose token it was.
  const security = { agent_id: row.agent_id };
  if (row.name === null || row.revoked_at !== null || isExpired)
    return new ServiceError("AGENT_TOKEN_REVOKED", { security });
  return row.disabled_at === null ? null : new ServiceError("AGENT_DISABLED", { security });
}

/** @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED */
function toCaller(row: FoundToken, now: number): AgentCaller {
  const problem = problemOf(row, now);
  if (problem !== null) throw problem;
  return callerOf(row);
}

/** @param row - its agent exists */
function callerOf(row: FoundToken): AgentCaller {
  return {
    kind: "agent",
    id: row.agent_id,
    name: row.name!,
    project: row.project!,
    is_archived: row.archived_at !== null,
    token_id: row.id,
    token_hash: row.hash,
    scopes: JSON.parse(row.scopes!) as AgentScope[],
    host_answers: row.host_answers === 1,
    recipients: [row.recipients, row.project_recipients].flatMap((text) => parseJson<RecipientPolicy>(text) ?? []),
    max_open_tasks: row.max_open_tasks!,
    max_tasks_per_minute: row.max_tasks_per_minute!,
  };
}
