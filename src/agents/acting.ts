import { readStatement, type Reader } from "../db/database.ts";
import type { AgentRow } from "../db/schema.ts";
import { isId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import type { RecipientPolicy } from "../people/recipient-policy.ts";

const selectAgent = readStatement<
  { id: string },
  AgentRow & { archived_at: number | null; project_recipients: string | null }
>((query, param) =>
  query
    .selectFrom("agents as a")
    .leftJoin("projects as p", "p.slug", "a.project")
    .selectAll("a")
    .select(["p.archived_at", "p.recipients as project_recipients"])
    .where("a.id", "=", param("id")),
);

/**
 * Returns an agent in whose name the service itself asks, because an operator has said so. It may do nothing but ask.
 * @returns null: it was deleted, or is stopped
 */
export async function findActingAgent(reader: Reader, id: string): Promise<AgentCaller | null> {
  if (!isId("agt", id)) return null;
  const [row] = await reader.run(selectAgent, { id });
  if (row === undefined || row.disabled_at !== null) return null;
  return {
    kind: "agent",
    id,
    name: row.name,
    project: row.project,
    is_archived: row.archived_at !== null,
    token_id: "",
    token_hash: "",
    scopes: ["ask"],
    host_answers: false,
    recipients: [row.recipients, row.project_recipients].flatMap((text) => parseJson<RecipientPolicy>(text) ?? []),
    max_open_tasks: row.max_open_tasks,
    max_tasks_per_minute: row.max_tasks_per_minute,
  };
}
