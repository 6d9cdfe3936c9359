/** Asks the nodes of Citus, for an operator. The service itself asks the coordinator only, which asks the nodes. */
import { sql } from "kysely";
import type { Reader } from "./database.ts";
import { TASK_BOUND } from "./home.ts";

export const AT_WORKER =
  "SERVICE_DATABASE_URL is the address of a worker of Citus. Set it to the address of the coordinator.";

/** The time to connect to a node. The default of Citus is longer than the time limit of a statement. */
const CONNECT_TIMEOUT = "2s";

export interface NodeAnswer {
  /** Host and port. */
  node: string;
  /** null if the node did not answer. */
  answer: string | null;
}

/** Runs a query on every node. @param command - a query that returns one text */
export async function askNodes(query: Reader["query"], command: string): Promise<NodeAnswer[]> {
  // The command depends on the setting, so that the setting comes first. It ends with the statement.
  const { rows } = await sql<NodeAnswer>`
    select coalesce(nodename || ':' || nodeport, 'the coordinator') as node,
      case when success then result end as answer
    from set_config('citus.node_connection_timeout', ${CONNECT_TIMEOUT}, true) as setting
    cross join lateral run_command_on_all_nodes(${command}::text || left(setting, 0))
    left join pg_dist_node using (nodeid)
    order by groupid`.execute(query);
  return rows;
}

export interface CitusTables {
  /** Whether this connection leads to a worker. */
  isWorker: boolean;
  shards: number;
  /** How many nodes have a shard. */
  nodes: number;
  /** Tables of tasks that are spread by home. */
  spread: string[];
  /** Tables of tasks that are not. */
  missing: string[];
  /** Tables of tasks that are spread, but whose rows are not on the node of their task. */
  elsewhere: string[];
}

/** Returns null if the database does not have the extension. */
export async function readCitusTables(query: Reader["query"]): Promise<CitusTables | null> {
  const { rows: extensions } = await sql`select from pg_extension where extname = 'citus'`.execute(query);
  if (extensions.length === 0) return null;
  const { rows: found } = await sql<{ is_worker: boolean; shards: number; nodes: number }>`
    select (select groupid <> 0 from pg_dist_local_group) as is_worker,
      count(distinct shardid) as shards, count(distinct groupid) as nodes
    from pg_dist_shard join pg_dist_placement using (shardid) where logicalrelid = to_regclass('tasks')`.execute(query);
  const { rows: tables } = await sql<{ name: string; group: number | null }>`
    select name, colocationid as group
    from unnest(${Object.keys(TASK_BOUND)}::text[]) with ordinality as tables (name, position)
    left join pg_dist_partition on logicalrelid = to_regclass(name) and partmethod = 'h'
      and column_to_column_name(logicalrelid, partkey) = 'home'
    order by position`.execute(query);
  const { is_worker: isWorker, shards, nodes } = found[0]!;
  const spread = tables.filter(({ group }) => group !== null);
  return {
    isWorker,
    shards,
    nodes,
    spread: spread.map(({ name }) => name),
    missing: tables.filter(({ group }) => group === null).map(({ name }) => name),
    elsewhere: spread.filter(({ group }) => group !== spread[0]!.group).map(({ name }) => name),
  };
}
