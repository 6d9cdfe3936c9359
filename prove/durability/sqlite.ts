import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { startProcess, type ServiceProcess } from "../../test/support/processes.ts";
import { newTaskBody } from "../../test/support/service.ts";
import { createRandom, type Random } from "../random.ts";
import type { Run } from "../suite.ts";
import { createLedger, markOfDeletion, type Ledger } from "./ledger.ts";
import { createTraceReader } from "./trace.ts";

const CLIENTS = 12;
const CALLS = "fsync,fdatasync,pwrite64,pwritev,write,writev";
/** How much strace prints of a string: more than a page of the database, and more than the headers of an answer. */
const PRINTED_CHARACTERS = 8_192;
/** How many single writes to send at most until SQLite restarts the log. */
const CHECKPOINT_TRIES = 60;

/** Runs a service under strace with clients that write, and checks the order of its system calls. */
export async function traceSqlite({ seed, count, say }: Run): Promise<string[]> {
  if (spawnSync("strace", ["-D", "-o", "/dev/null", "true"]).status !== 0) {
    say(
      "not shown here: the order of writes, syncs and answers on SQLite. It needs strace, which is missing or not permitted.",
    );
    return [];
  }
  const home = realpathSync(mkdtempSync(join(tmpdir(), "prove-durability-")));
  const dataDir = join(home, "data");
  const pipe = join(home, "trace");
  execFileSync("mkfifo", [pipe]);
  const ledger = createLedger(dataDir);
  const read = createTraceReader(ledger);
  const lines = createInterface({ input: createReadStream(pipe, "latin1"), crlfDelay: Number.POSITIVE_INFINITY });
  const readAll = (async () => {
    for await (const line of lines) read(line);
  })();

  const tracer = ["strace", "-D", "-f", "--seccomp-bpf", "-yy", "-q", "-s", String(PRINTED_CHARACTERS)];
  const service = await startProcess(
    { SERVICE_DATA_DIR: dataDir },
    { under: [...tracer, "-e", `trace=${CALLS}`, "-o", pipe, "--"] },
  );
  const random = createRandom(seed);
  const writer = createWriter(service, ledger, seed);
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (writer.acknowledged() < count) await liveATask(writer, random);
    }),
  );
  // SQLite restarts the log at the first commit after a complete checkpoint.
  for (let i = 0; i < CHECKPOINT_TRIES && ledger.figures().resets === 0; i++) {
    await writer.create();
    await sleep(100);
  }
  await service.stop();
  await readAll;
  rmSync(home, { recursive: true });

  const { commits, syncs, acknowledged, resets } = ledger.figures();
  say(
    `SQLite: ${acknowledged} acknowledgements, ${commits} commits, ${syncs} syncs of the log, which was restarted ${resets} times`,
  );
  const violations = ledger.violations.slice(0, 20);
  if (ledger.violations.length > 20) violations.push(`... ${ledger.violations.length} in all.`);
  if (acknowledged !== writer.acknowledged())
    violations.push(`The trace shows only ${acknowledged} of ${writer.acknowledged()} acknowledgements.`);
  if (resets === 0) violations.push("The log was never restarted, so nothing is shown about checkpoints.");
  return violations;
}

interface Writer {
  create(): Promise<string>;
  complete(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  acknowledged(): number;
}

/** Creates a client that writes; each request has its own mark in the stored data and in the answer. */
function createWriter(service: ServiceProcess, ledger: Ledger, seed: number): Writer {
  let last = 0;
  let acknowledged = 0;
  async function write(method: string, path: string, body: (mark: string) => unknown, ownMark?: string) {
    const number = ++last;
    const request = `ask-${seed}-${number}`;
    const mark = ownMark ?? `mark-${seed}-${number}-end`;
    ledger.expect(request, mark);
    const answer = await service.call<TaskRecord>(method, path, body(mark), { "x-request-id": request });
    if (answer.status < 300) acknowledged++;
    else ledger.violations.push(`${method} ${path} gave ${answer.status}.`);
    return answer.body;
  }
  return {
    create: async () => (await write("POST", "/api/tasks", (idempotency_key) => newTaskBody({ idempotency_key }))).id,
    complete: async (id) =>
      void (await write("POST", `/api/tasks/${id}/complete`, (note) => ({ response: { approved: true, note } }))),
    cancel: async (id) => void (await write("POST", `/api/tasks/${id}/cancel`, (reason) => ({ reason }))),
    delete: async (id) => void (await write("DELETE", `/api/tasks/${id}`, () => undefined, markOfDeletion(id))),
    acknowledged: () => acknowledged,
  };
}

async function liveATask(writer: Writer, random: Random): Promise<void> {
  const id = await writer.create();
  const end = random.pick(["complete", "cancel", "delete", null] as const);
  if (end !== null) await writer[end](id);
}
