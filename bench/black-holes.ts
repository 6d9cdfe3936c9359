/**
 * What a thousand dead receivers cost a live one: `node bench/black-holes.ts [seconds] [sqlite|postgres]`.
 *
 * First 200 callbacks a second to one receiver, alone. Then 50 a second to it while a thousand other origins, which take
 * connections and never answer, are owed 50 callbacks each. Printed: milliseconds from the end of a task to the arrival
 * of its callback, on both databases. The service is a process of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer as createHttpServer, request } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../src/db/database.ts";
import { openPostgres } from "../src/db/postgres.ts";
import { openSqlite } from "../src/db/sqlite.ts";
import { addOwed, owe } from "../src/deliveries/store.ts";
import { newId } from "../src/lib/ids.ts";
import { postgres } from "../test/support/postgres.ts";
import { startProcess, type ServiceProcess } from "../test/support/processes.ts";
import { ADMIN_TOKEN, newTaskBody } from "../test/support/service.ts";

const SECONDS = Number(process.argv[2] ?? 60);
const DIALECTS = (["sqlite", "postgres"] as const).filter((name) => name === (process.argv[3] ?? name));
const ORIGINS = 1000;
const ROWS_EACH = 50;

const agent = new Agent({ keepAlive: true });

/** When each task's callback arrived for the first time, and how many came again. */
const arrivals = new Map<string, number>();
let repeated = 0;

const live = createHttpServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const { task_id, completed_at } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    if (arrivals.has(task_id!)) repeated++;
    else arrivals.set(task_id!, Date.now() - Date.parse(completed_at!));
    response.end("ok");
  });
});
const blackHole = createTcpServer((socket) => void socket.on("error", () => {}));
const url = `http://127.0.0.1:${await listen(live, "127.0.0.1")}/hook`;
// The whole of 127.0.0.0/8 leads here: one port, many origins.
const holePort = await listen(blackHole, "0.0.0.0");

for (const dialect of DIALECTS) {
  const dataDir = mkdtempSync(join(tmpdir(), "service-bench-"));
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const env: Record<string, string> = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LOG_LEVEL: "info",
    ...(database && { SERVICE_DATABASE_URL: database.url }),
  };
  let service = await startProcess(env);
  await report(`${dialect}, warming up`, service, 100, 5);
  await report(`${dialect}, alone, 200/s`, service, 200, Math.min(SECONDS, 20));
  await service.stop();

  const onError = (error: unknown) => console.error(error);
  const db = database
    ? await openPostgres({ url: database.url, onError, onWarning: console.warn })
    : await openSqlite({ dataDir, onError });
  await oweBlackHoles(db);
  await db.close();
  service = await startProcess(env);
  await report(`${dialect}, beside ${ORIGINS} black holes, 50/s`, service, 50, SECONDS);
  await service.kill();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

/** Ends tasks at a steady rate and prints how long their callbacks took. */
async function report(name: string, service: ServiceProcess, rate: number, seconds: number): Promise<void> {
  const ids: string[] = [];
  const ended: Promise<unknown>[] = [];
  const started = performance.now();
  for (let i = 0; i < rate * seconds; i++) {
    const wait = started + (i * 1000) / rate - performance.now();
    if (wait > 1) await delay(wait);
    ended.push(endOne(service, ids));
  }
  await Promise.all(ended);
  // What this phase leaves behind must not be counted against the next one.
  for (let i = 0; i < 1200 && ids.some((id) => !arrivals.has(id)); i++) await delay(100);

  const took = ids.flatMap((id) => arrivals.get(id) ?? []).toSorted((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
  console.log(
    `${name}: ${took.length} of ${ids.length} arrived, ${repeated} twice; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
  );
}

/** `fetch` would take more of the machine than the service. */
function post<T>(service: ServiceProcess, path: string, body: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    request(service.url + path, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(JSON.parse(text) as T));
    })
      .on("error", reject)
      .end(JSON.stringify(body));
  });
}

async function endOne(service: ServiceProcess, ids: string[]): Promise<void> {
  const body = newTaskBody({ callback_url: url, idempotency_key: `bench-${Math.random()}` });
  const { id } = await post<{ id: string }>(service, "/api/tasks", body);
  ids.push(id);
  await post(service, `/api/tasks/${id}/complete`, { response: { approved: true } });
}

/** Writes what the black holes are owed, all due now. */
async function oweBlackHoles(db: Db): Promise<void> {
  const body = JSON.stringify({ task_id: "tsk_none", status: "completed" });
  const one = async (origin: string) =>
    db.write(async (tx) => {
      for (let row = 0; row < ROWS_EACH; row++) {
        const owed = owe({
          kind: "callback",
          task_id: newId("tsk", tx.now()),
          destination: `${origin}/hook`,
          origin,
          body,
          due_at: tx.now(),
        });
        await addOwed(tx, owed);
      }
    });
  const origins = Array.from({ length: ORIGINS }, (_, i) => `http://127.1.${i >> 8}.${i & 255}:${holePort}`);
  while (origins.length > 0) await Promise.all(origins.splice(0, 10).map(one));
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, 4096, resolve));
  return (server.address() as AddressInfo).port;
}
