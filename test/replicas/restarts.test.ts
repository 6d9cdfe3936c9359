import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { z } from "zod";
import { pause } from "../support/pause.ts";
import { startProcess } from "../support/processes.ts";
import { postgres } from "../support/postgres.ts";
import { ADMIN_TOKEN } from "../support/service.ts";
import { createClient } from "../../sdk/client.ts";

const WAITS = 200;
const RESTARTS = 20;

void test(
  `${WAITS} agents that wait get their answers through ${RESTARTS} crashes and restarts, and hear of no error`,
  { timeout: 900_000, concurrency: 2 },
  async (t) => {
    // Most of the time is spent waiting for a process to start.
    await Promise.all([
      t.test("SQLite", (t) => survive(t, "sqlite")),
      t.test("PostgreSQL", (t) => survive(t, "postgres")),
    ]);
  },
);

async function survive(t: TestContext, dialect: "sqlite" | "postgres"): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "restarts-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const env = { SERVICE_DATA_DIR: folder, ...(database && { SERVICE_DATABASE_URL: database.url }) };
  let service = await startProcess(env);
  const over = new AbortController();
  t.after(async () => {
    over.abort();
    await service.kill();
    await database?.drop();
    rmSync(folder, { recursive: true });
  });
  const { port } = new URL(service.url);
  const client = createClient({ baseUrl: service.url, token: ADMIN_TOKEN });

  const created: string[] = [];
  const waits = Array.from({ length: WAITS }, async (_, number) => {
    const { number: answered } = await client.awaitHuman({
      task: `Question ${number}`,
      responseSchema: z.object({ number: z.number() }),
      timeoutSeconds: 3600,
      signal: over.signal,
      onCreated: ({ id }) => void (created[number] = id),
    });
    return answered;
  });
  const ended = Promise.all(waits);
  const people = createClient({ baseUrl: service.url, token: ADMIN_TOKEN });

  /** Stops the service 20 times. Some questions are answered in between. */
  const disturb = async (): Promise<void> => {
    let answered = 0;
    for (let restart = 0; restart < RESTARTS; restart++) {
      for (; answered < (WAITS * restart) / RESTARTS; answered++) {
        while (created[answered] === undefined) {
          over.signal.throwIfAborted();
          await pause();
        }
        await people.complete(created[answered]!, { number: answered });
      }
      // Until an agent has reached the service once, it assumes that the service was not started.
      while (!created.some(Boolean)) await people.list({ limit: 1 }).next();
      if (restart % 2 === 0) await service.kill();
      else assert.equal(await service.stop(), 0);
      service = await startProcess({ ...env, SERVICE_PORT: port });
    }
    for (; answered < WAITS; answered++) await people.complete(created[answered]!, { number: answered });
  };
  await Promise.all([ended, disturb()]);
  assert.deepEqual(await ended, [...Array(WAITS).keys()]);
}
