import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";

/**
 * Saves each table as one file with a row of JSON per line, because the PostgreSQL server ends with this process. Returns
 * their folder.
 */
export async function saveTables(url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "service-crash-"));
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows) {
    const table = await client.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`);
    writeFileSync(join(folder, `${name}.jsonl`), table.rows.map(({ row }) => `${row}\n`).join(""));
  }
  await client.end();
  return folder;
}
