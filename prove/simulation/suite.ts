import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pino } from "pino";
import { createPatternHost } from "../../json-schema/pattern-worker-host.ts";
import { readConfig } from "../../src/config.ts";
import { openSqlite } from "../../src/db/sqlite.ts";
import { ServiceError } from "../../src/errors.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY } from "../../test/support/service.ts";
import { createRandom } from "../random.ts";
import type { Run, Suite } from "../suite.ts";
import { checkStory } from "./judge.ts";
import { live, type Ground, type Story } from "./world.ts";

/** How many failing runs are reported; the first ones usually explain the rest. */
const FAILURES_MAX = 3;
const TABLES = [
  "delivery_attempts",
  "delivery_bodies",
  "delivery_origins",
  "deliveries",
  "audit_entries",
  "verification_attempts",
];
const TASK_TABLES = ["task_responses", "task_documents", "task_totals", "tasks"];

export const simulation: Suite = {
  name: "simulation",
  promise:
    "through crashes, stalls and failures in days of virtual time, ended tasks stay ended and callbacks are sent on schedule",
  counts: { short: 1_000, long: 20_000, unit: "runs" },
  run: async (run) => {
    const { ground, close } = await prepare();
    try {
      await simulate(ground, run);
    } finally {
      await close();
    }
  },
};

async function simulate(ground: Ground, { seed, count, say }: Run): Promise<void> {
  const failures: string[] = [];
  const all = createHash("sha256");
  const total = { attempts: 0, crashes: 0, lost: 0, abandoned: 0, redelivered: 0, days: 0 };
  for (let i = 0; i < count && failures.length < FAILURES_MAX; i++) {
    const own = (seed + i) % 2 ** 31;
    const story = await once(ground, own);
    const digest = digestOf(story);
    all.update(digest);
    if (i === 0) {
      const again = digestOf(await once(ground, own));
      if (again !== digest) failures.push(`Seed ${own} gave ${digest}, and a second time ${again}.`);
      else say(`seed ${own} twice: ${digest}`);
    }
    add(total, story);
    const wrong = checkStory(story);
    if (wrong.length > 0) failures.push(report(own, story, wrong));
    if (count >= 5_000 && (i + 1) % 5_000 === 0) say(`${i + 1} runs`);
  }
  say(
    `${total.days.toFixed(0)} days, ${total.attempts} attempts, ${total.crashes} crashes, ${total.lost} attempts counted as lost, ${total.abandoned} callbacks abandoned, ${total.redelivered} redelivered`,
  );
  say(`all: ${all.digest("hex").slice(0, 16)}`);
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

async function once(ground: Ground, seed: number): Promise<Story> {
  await ground.db.write(async ({ query }) => {
    for (const table of [...TABLES, ...TASK_TABLES] as "tasks"[]) await query.deleteFrom(table).execute();
  });
  return live(ground, createRandom(seed));
}

function digestOf({ log }: Story): string {
  return createHash("sha256").update(log.join("\n")).digest("hex").slice(0, 16);
}

function report(seed: number, { log }: Story, wrong: string[]): string {
  return [
    ...log.map((line) => `    ${line}`),
    `Seed ${seed}, after the events above (npm run prove -- simulation --count 1 --seed ${seed}):`,
    ...wrong.map((line) => `  - ${line}`),
  ].join("\n");
}

function add(total: Record<string, number>, { log, flights, stands }: Story): void {
  const count = (part: string) => log.filter((line) => line.includes(part)).length;
  const rows = [...stands.values()].flat();
  total["attempts"]! += flights.length;
  total["crashes"]! += count("crashes");
  total["lost"]! += new Set(
    rows.filter(({ last_error }) => last_error?.startsWith("worker_lost")).map((row) => row.last_attempt_at),
  ).size;
  total["abandoned"]! += rows.filter(({ status }) => status === "ABANDONED").length;
  total["redelivered"]! += count("redeliver: done");
  total["days"]! += Number(log.at(-1)?.split(" ")[0]) / 86_400;
}

/** Creates one database for all runs, in memory where the system supports it. */
async function prepare(): Promise<{ ground: Ground; close: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "service-simulation-"));
  const key = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";
  const { config } = readConfig(
    {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      SERVICE_SECRET_KEY: key,
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
    },
    () => {
      throw new Error("all secrets are given");
    },
  );
  const errors: unknown[] = [];
  const db = await openSqlite({ dataDir, onError: (error) => void errors.push(error) });
  const observer = new DatabaseSync(join(dataDir, "service.db"), { readOnly: true });
  const schemas = createPatternHost();
  const metrics = createMetrics({
    waiting: () => 0,
    deliveriesInFlight: () => ({}),
    overdueSeconds: async () => 0,
  });
  const shared = {
    config,
    log: pino({ level: "silent" }),
    metrics,
    schemas,
    // The simulation has no verifier.
    verify: () => Promise.reject(new ServiceError("VERIFIER_PROVIDER_ERROR")),
  };
  return {
    ground: { db, observer, shared },
    close: async () => {
      observer.close();
      await schemas.close();
      await db.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (errors.length > 0) throw new AggregateError(errors, "Effects threw after a commit.");
    },
  };
}
