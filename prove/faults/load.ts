import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditEntryRecord, TaskRecord } from "../../src/tasks/schema.ts";
import type { ServiceProcess } from "../../test/support/processes.ts";
import type { Receiver } from "../../test/support/receiver.ts";
import { newTaskBody } from "../../test/support/service.ts";
import type { Random } from "../random.ts";
import { findTorn, type Query } from "./whole.ts";

const CLIENTS = 4;
/** As long as a task may live: no clock that is set by hours ends one. */
const LIFE_SECONDS = 30 * 24 * 3600;
/** Within this, whatever was refused must have been taken: no fault lasts nearly as long. */
const PATIENCE_MS = 60_000;
/** Every answer comes by then, also that of a service whose database is silent. */
const ANSWER_MS = 30_000;
/** Leases of attempts whose outcome was lost must lapse first. */
const CALLBACKS_MS = 75_000;

const ENDS = ["completed", "cancelled", "deleted", "open"] as const;

/** A task and what was acknowledged of it. */
interface Acknowledged {
  record: TaskRecord;
  end: (typeof ENDS)[number];
  note: string;
}

/** Clients that create and end tasks all the time, and send again what was refused, as a client is told to. */
export interface Load {
  /** Resolves once so many more writes have been acknowledged: the service works. @throws Error when it does not again */
  progress(count?: number): Promise<void>;
  /** Resolves once somebody more was refused: the fault is felt. @throws Error when nobody is */
  refusal(): Promise<void>;
  /** Ends the clients, and looks at every answer they got, at what the service says now, and at what is stored. */
  check(query: Query): Promise<string[]>;
  /** How many writes were acknowledged, how many requests refused. */
  summary(): string;
}

export function startLoad(service: ServiceProcess, random: Random, receiver: Receiver): Load {
  const tasks: Acknowledged[] = [];
  const violations = new Set<string>();
  let acknowledged = 0;
  let refused = 0;
  let isRunning = true;
  const clients = Array.from({ length: CLIENTS }, (_, client) => run(client));

  async function run(client: number): Promise<void> {
    for (let i = 0; isRunning; i++) {
      try {
        await liveATask(`load-${client}-${i}`);
      } catch (error) {
        violations.add(error instanceof Violation ? error.message : String(error));
      }
      await sleep(random.between(20, 120));
    }
  }

  async function liveATask(key: string): Promise<void> {
    const note = `${key} ${random.next()}`;
    const body = newTaskBody({
      idempotency_key: key,
      task: note,
      timeout_seconds: LIFE_SECONDS,
      callback_url: receiver.url,
    });
    const { body: record } = await insist("POST", "/api/tasks", body, 201);
    const task: Acknowledged = { record, end: "open", note };
    tasks.push(task);
    const read = await insist("GET", `/api/tasks/${record.id}`, undefined, 200);
    if (!isDeepStrictEqual(read.body, record)) throw new Violation(`${key} reads otherwise than it was acknowledged`);
    const end = random.pick(ENDS);
    const path = `/api/tasks/${record.id}`;
    // Sent again, it meets the end that the first one brought about.
    if (end === "completed") {
      const { again } = await insist("POST", `${path}/complete`, { response: { approved: true, note } }, 200, 409);
      if (again) await requireEnd(task, end);
    } else if (end === "cancelled") {
      const { again } = await insist("POST", `${path}/cancel`, { reason: note }, 200, 409);
      if (again) await requireEnd(task, end);
    } else if (end === "deleted") await insist("DELETE", path, undefined, 204, 404);
    task.end = end;
  }

  async function requireEnd({ record, note }: Acknowledged, end: string): Promise<void> {
    const { body } = await insist("GET", `/api/tasks/${record.id}`, undefined, 200);
    if (body.status !== end || (end === "completed" && body.response?.["note"] !== note))
      throw new Violation(`${record.id} is ${body.status} after its only end was sent twice: ${end}`);
  }

  /** Sends a request until it is taken. @param again - the status of a repetition of what was done the first time */
  async function insist(method: string, path: string, body: unknown, status: number, again?: number) {
    const name = `${method} ${path}`;
    const until = performance.now() + PATIENCE_MS;
    for (let tries = 1; performance.now() < until; tries++) {
      const answer = await Promise.race([service.call<TaskRecord>(method, path, body), tooLate()]).catch(
        (error: unknown) => {
          throw new Violation(`${name} was not answered: ${String((error as Error).cause ?? error)}`);
        },
      );
      const isAgain = answer.status === again && tries > 1;
      if (answer.status === status || isAgain) {
        if (method !== "GET") acknowledged++;
        return { body: answer.body, again: isAgain };
      }
      if (answer.status !== 503)
        throw new Violation(`${name} gave ${answer.status} at try ${tries}: ${JSON.stringify(answer.body)}`);
      if (!/^[1-9]\d*$/.test(answer.headers.get("retry-after") ?? ""))
        throw new Violation(`${name} gave 503 without Retry-After`);
      refused++;
      await sleep(50);
    }
    throw new Violation(`${name} was refused for ${PATIENCE_MS / 1000} s`);
  }

  async function until(what: string, isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Violation(what);
      await sleep(10);
    }
  }

  /** What the service says of a task now. */
  async function checkTask({ record, end, note }: Acknowledged): Promise<void> {
    const path = `/api/tasks/${record.id}`;
    if (end === "deleted") {
      await requireGone(path);
      return;
    }
    const { body } = await insist("GET", path, undefined, 200);
    const expected = {
      ...record,
      status: end === "open" ? "created" : end,
      response: end === "completed" ? { approved: true, note } : null,
      updated_at: body.updated_at,
      completed_at: body.completed_at,
      cancelled_at: end === "cancelled" ? body.updated_at : null,
      cancel_reason: end === "cancelled" ? note : null,
    };
    if (!isDeepStrictEqual(body, expected))
      violations.add(`${path} is ${JSON.stringify(body)}, acknowledged as ${end}`);
    const replay = await insist(
      "POST",
      "/api/tasks",
      { ...newTaskBody(), idempotency_key: record.idempotency_key },
      201,
    );
    if (replay.body.id !== record.id) violations.add(`The key of ${record.id} now gives ${replay.body.id}`);
    const trail = (await insist("GET", `${path}/audit`, undefined, 200)).body as unknown as AuditEntryRecord[];
    const actions = trail.map(({ action }) => action).join(", ");
    if (actions !== (end === "open" ? "created" : `created, ${end}`))
      violations.add(`The trail of ${path}: ${actions}`);
  }

  async function requireGone(path: string): Promise<void> {
    const { status } = await service.call("GET", path);
    if (status !== 404) violations.add(`${path} gives ${status} after its deletion was acknowledged`);
  }

  async function check(query: Query): Promise<string[]> {
    isRunning = false;
    await Promise.all(clients);
    for (let i = 0; i < tasks.length; i += CLIENTS) await Promise.all(tasks.slice(i, i + CLIENTS).map(checkTask));
    const alive = tasks.filter(({ end }) => end !== "deleted");
    const stored = Number((await query("select count(*) as n from tasks"))[0]!["n"]);
    if (violations.size === 0 && stored !== alive.length)
      violations.add(`${stored} tasks are stored, ${alive.length} are known`);
    for (const torn of await findTorn(query)) violations.add(torn);
    const owed = alive.filter(({ end }) => end !== "open").map(({ record }) => record.id);
    const told = () => new Set(receiver.received.map(({ task_id }) => task_id));
    const deadline = performance.now() + CALLBACKS_MS;
    while (!told().isSupersetOf(new Set(owed)) && performance.now() < deadline) await sleep(100);
    const untold = owed.filter((id) => !told().has(id));
    if (untold.length > 0)
      violations.add(`${untold.length} of ${owed.length} callbacks never came, such as that of ${untold[0]}`);
    return [...violations].slice(0, 20);
  }

  return {
    progress: async (count = 20) => {
      const target = acknowledged + count;
      await until("The service did not recover by itself", () => acknowledged >= target);
    },
    refusal: async () => {
      const before = refused;
      await until("Nobody noticed the fault", () => refused > before);
    },
    check,
    summary: () => `${acknowledged} writes acknowledged, ${refused} requests refused`,
  };
}

async function tooLate(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false });
  throw new Error(`nothing came within ${ANSWER_MS / 1000} s`);
}

class Violation extends Error {}
