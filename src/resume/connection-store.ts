import { readStatement, writeStatement, type Db, type Reader } from "../db/database.ts";
import type { ConnectionRow } from "../db/schema.ts";
import { isId } from "../lib/ids.ts";

const selectConnection = readStatement<{ id: string }, ConnectionRow>((query, param) =>
  query.selectFrom("connections").selectAll().where("id", "=", param("id")),
);

/** Rejects malformed ids before any query. */
export async function findConnection(reader: Reader, id: string): Promise<ConnectionRow | null> {
  if (!isId("con", id)) return null;
  const [row] = await reader.run(selectConnection, { id });
  return row ?? null;
}

/** Finds a connection of a project by its name or its id. */
export async function findConnectionOf(reader: Reader, project: string, named: string): Promise<ConnectionRow | null> {
  const byId = await findConnection(reader, named);
  if (byId !== null) return byId.project === project ? byId : null;
  const row = await reader.query
    .selectFrom("connections")
    .selectAll()
    .where("project", "=", project)
    .where("name", "=", named)
    .executeTakeFirst();
  return row ?? null;
}

export async function listConnectionsOf(reader: Reader, projects: readonly string[] | null): Promise<ConnectionRow[]> {
  return reader.query
    .selectFrom("connections")
    .selectAll()
    .$if(projects !== null, (query) => query.where("project", "in", projects!))
    .orderBy("project")
    .orderBy("name")
    .execute();
}

/** Returns whether an agent may name a connection. */
export function mayAgentUse({ allowed_agents }: Pick<ConnectionRow, "allowed_agents">, agentId: string): boolean {
  return allowed_agents === null || (JSON.parse(allowed_agents) as string[]).includes(agentId);
}

const setRefused = writeStatement<{ id: string; now: number; refusal: string }>((query, param) =>
  query
    .updateTable("connections")
    .set({ refused_at: param("now"), refusal: param("refusal") })
    .where("id", "=", param("id"))
    .where("refused_at", "is", null),
);

/** Notes since when an engine refuses the secret of a connection: the first refusal counts. */
export async function noteRefusal(db: Db, id: string, refusal: string): Promise<void> {
  await db.writeOne(setRefused, { id, now: db.now(), refusal });
}

const clearRefused = writeStatement<{ id: string }>((query, param) =>
  query.updateTable("connections").set({ refused_at: null, refusal: null }).where("id", "=", param("id")),
);

/** Notes that an engine accepts the secret of a connection again. */
export async function clearRefusal(db: Db, id: string): Promise<void> {
  await db.writeOne(clearRefused, { id });
}
