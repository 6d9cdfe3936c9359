import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

interface Tables {
  task_documents: { task_id: string; home: number; action: string | null; listed_action: string | null };
}

/** Adds what a row of a list tells of a task's actions: their names and risks. */
export const listedActions: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable("task_documents").addColumn("listed_action", "text").execute();
    const tables = db as Kysely<Tables>;
    const ofActions = tables.selectFrom("task_documents").select(["task_id", "home"]).where("action", "is not", null);
    // One at a time: the actions of one task may have a megabyte of schemas.
    for (const { task_id, home } of await ofActions.execute()) {
      const { action } = await tables
        .selectFrom("task_documents")
        .select("action")
        .where("task_id", "=", task_id)
        .where("home", "=", home)
        .executeTakeFirstOrThrow();
      await tables
        .updateTable("task_documents")
        .set({ listed_action: toListed(action!) })
        .where("task_id", "=", task_id)
        .where("home", "=", home)
        .execute();
    }
  },
};

interface Named {
  name: string;
  risk: string;
}

/** @param action - JSON of one stored action, or of a list of them */
function toListed(action: string): string {
  const stored = JSON.parse(action) as Named | Named[];
  const listed = ({ name, risk }: Named): Named => ({ name, risk });
  return JSON.stringify(Array.isArray(stored) ? stored.map(listed) : listed(stored));
}
