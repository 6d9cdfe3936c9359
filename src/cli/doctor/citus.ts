import type { FoundDatabase } from "../../db/find.ts";
import { askNodes, AT_WORKER, readCitusTables, type CitusTables } from "../../db/citus-nodes.ts";
import { ok, problem, type Finding } from "../../lib/findings.ts";

/** Checks where Citus keeps the tables of tasks, and whether all nodes answer. Without Citus, nothing is found. */
export async function checkCitus({
  dialect,
  query,
}: FoundDatabase): Promise<{ findings: Finding[]; isWorker: boolean }> {
  const tables = dialect === "sqlite" ? null : await readCitusTables(query);
  if (tables?.isWorker === true) return { findings: [problem("citus", AT_WORKER)], isWorker: true };
  if (tables === null || tables.spread.length === 0) return { findings: [], isWorker: false };
  const answers = await askNodes(query, "select 1");
  const silent = answers.filter(({ answer }) => answer === null);
  return { findings: [...checkTables(tables), ...silent.map(({ node }) => notAnswering(node))], isWorker: false };
}

function checkTables({ shards, nodes, spread, missing, elsewhere }: CitusTables): Finding[] {
  const found: Finding[] = [];
  if (missing.length > 0)
    found.push(
      problem(
        "citus",
        `The other tables of tasks are spread, and these are not: ${missing.join(", ")}. Stop all processes. Run for each of them: select create_distributed_table('<table>', 'home', colocate_with => '${spread[0]}').`,
      ),
    );
  if (elsewhere.length > 0)
    found.push(
      problem(
        "citus",
        `The rows of these tables are not on the node of their task: ${elsewhere.join(", ")}. Stop all processes. Run for each of them: select update_distributed_table_colocation('<table>', colocate_with => '${spread[0]}').`,
      ),
    );
  if (found.length > 0) return found;
  const parts = shards === 1 ? "1 shard" : `${shards} shards`;
  return [ok("citus", `The tables of tasks are in ${parts} on ${nodes === 1 ? "1 node" : `${nodes} nodes`} of Citus.`)];
}

function notAnswering(node: string): Finding {
  return problem(
    "citus",
    `The node ${node} of Citus does not answer, so the tasks on it and all lists fail. Check that it is running, and that the coordinator can connect to this address.`,
  );
}
