import { sql } from "kysely";
import { reasonOf } from "../lib/reason.ts";
import { askNodes } from "./citus-nodes.ts";
import type { Reader } from "./database.ts";
import { causeOf } from "./postgres-errors.ts";

/** Settings that are off, as one text with spaces. */
const OFF = `select coalesce(string_agg(name, ' ' order by name), '')
  from (values ('fsync'), ('synchronous_commit')) as wanted (name) where current_setting(name) = 'off'`;

/**
 * Returns warnings for an operator if PostgreSQL acknowledges commits before they are on disk. On Citus, every node is
 * asked. Nodes that do not answer are left out, because a process must start without them.
 */
export async function durabilityWarnings({ query, dialect }: Pick<Reader, "query" | "dialect">): Promise<string[]> {
  if (dialect === "citus") return warningsOfNodes(query);
  const { rows } = await sql<{ off: string }>`select (${sql.raw(OFF)}) as off`.execute(query);
  return warningsFor("PostgreSQL", rows[0]!.off);
}

async function warningsOfNodes(query: Reader["query"]): Promise<string[]> {
  try {
    const answers = await askNodes(query, OFF);
    return answers.flatMap(({ node, answer }) => warningsFor(`PostgreSQL at ${node}`, answer ?? ""));
  } catch (error) {
    return [
      `It is not known whether all nodes of Citus have commits on disk before they acknowledge them: ${reasonOf(causeOf(error))}`,
    ];
  }
}

function warningsFor(server: string, off: string): string[] {
  const names = off.split(" ").filter((name) => name !== "");
  return names.map(
    (name) =>
      `${server} acknowledges commits before they are on disk (${name} is off): a crash of its machine can lose what this service has acknowledged.`,
  );
}
