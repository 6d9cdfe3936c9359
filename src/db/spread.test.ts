import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { startTestService } from "../../test/support/service.ts";
import { HOMES, homeOfKey } from "./home.ts";
import { spreadStatements } from "./spread.ts";

void test("the keys of tasks whose home does not follow from their key are kept, and no others (PostgreSQL)", async (t) => {
  const { service, stop } = await startTestService("postgres");
  t.after(stop);
  const { id } = await service.create();
  // Bytes that are not UTF-8 become replacement characters.
  const keys = Array.from({ length: 500 }, (_, i) =>
    i % 2 === 0
      ? randomBytes(i + 1)
          .toString("utf8")
          .replaceAll("\0", "0")
      : `Grüße ${i} 漢字 🦉 ' \\ ${"x".repeat(i)}`,
  );
  await service.ctx.db
    .write(async ({ query }) => {
      for (const [i, key] of keys.entries()) {
        const asker = i % 3 === 0 ? "admin" : `agt_${i}`;
        const home = (homeOfKey(asker, key) + (i < 100 ? 1 + (i % 1000) : 0)) % HOMES;
        const changed = JSON.stringify({ id: `tsk_${i}`, idempotency_key: key, asked_by_id: asker, home });
        await sql`insert into tasks select (jsonb_populate_record(one, ${changed}::jsonb)).* from tasks as one where id = ${id}`.execute(
          query,
        );
      }
      for (const statement of spreadStatements(8).slice(0, 3)) await statement.execute(query);
      const { rows } = await sql<{ task_id: string; idempotency_key: string }>`
        select task_id, idempotency_key from older_keys order by substr(task_id, 5)::int`.execute(query);
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        keys.slice(0, 100).map((key, i) => ({ task_id: `tsk_${i}`, idempotency_key: key })),
      );
      throw new Error("taken back");
    })
    .catch((error: Error) => {
      if (error.message !== "taken back") throw error;
    });
});
