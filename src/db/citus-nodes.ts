/** Asks the nodes of Citus, for an operator. The service itself asks the coordinator only, which asks the nodes. */
import { sql } from "kysely";
import type { Reader } from "./database.ts";

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
