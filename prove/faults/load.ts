import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditEntryRecord, TaskRecord } from "../../src/tasks/schema.ts";
import type { ServiceProcess } from "../../test/support/processes.ts";
import type { Receiver } from "../../test/support/receiver.ts";
import { newTaskBody } from "../../test/support/service.ts";
import type { Random } from "../random.ts";
import { findTorn, type Query } from "./whole.ts";

const CLIENTS = 4;
/** The longest timeout, so that no change of the clock by hours ends a task. */
const LIFE_SECONDS = 30 * 24 * 3600;
/** A refused request must succeed within this time: every fault is much shorter. */
const PATIENCE_MS = 60_000;
/** Every answer arrives within this time, even while the database does not respond. */
const ANSWER_MS = 30_000;
/** Long enough for the leases of lost attempts to expire. */
const CALLBACKS_MS = 75_000;

const ENDS = ["completed", "cancelled", "deleted", "open"] as const;

/** A task, and what was acknowledged about it. */
interface Acknowledged {
  record: TaskRecord;
  end: (typeof ENDS)[number];
  note: string;
}

/** Clients that create and end tasks continuously, and retry refused requests as a client should. */
export interface Load {
  /** Resolves once `count` more writes are acknowledged, so the service works. @throws Error when it does not recover */
  progress(count?: number): Promise<void>;
  /** Resolves once another request is refused, so the fault has an effect. @throws Error when none is refused */
  refusal(): Promise<void>;
  /** Stops the clients, and checks every answer, the current state over HTTP, and the stored data. */
  check(query: Query): Promise<string[]>;
  /** Returns how many writes were acknowledged, and how many requests were refused. */
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
    if (!isDeepStrictEqual(read.body, record)) throw new Violation(`${key} differs from what was acknowledged`);
    const end = random.pick(ENDS);
    const path = `/api/tasks/${record.id}`;
    // A retry finds the end that the first request caused.
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

  /** Sends a request until it succeeds. @param again - the status when a retry finds that the first one had succeeded */
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

  /** Checks the current state of a task over HTTP. */
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
      waiting_on: end === "open" ? "people" : null,
      updated_at: body.updated_at,
      completed_at: body.completed_at,
      cancelled_at: end === "cancelled" ? body.updated_at : null,
      cancel_reason: end === "cancelled" ? note : null,
      // The one choice of the form is a yes or no, so its label says what was decided.
      decision: end === "completed" ? { label: "Yes", tone: null } : null,
      decided_by:
        end === "completed" ? { kind: "admin", user_id: null, email: null, name: "admin", channel: null } : null,
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
      violations.add(`${stored} tasks are stored, but ${alive.length} are expected`);
    for (const torn of await findTorn(query)) violations.add(torn);
    const owed = alive.filter(({ end }) => end !== "open").map(({ record }) => record.id);
    const told = () => new Set(receiver.received.map(({ task_id }) => task_id));
    const deadline = performance.now() + CALLBACKS_MS;
    while (!told().isSupersetOf(new Set(owed)) && performance.now() < deadline) await sleep(100);
    const untold = owed.filter((id) => !told().has(id));
    if (untold.length > 0)
      violations.add(`${untold.length} of ${owed.length} callbacks never arrived, such as that of ${untold[0]}`);
    return [...violations].slice(0, 20);
  }

  return {
    progress: async (count = 20) => {
      const target = acknowledged + count;
      await until("The service did not recover by itself", () => acknowledged >= target);
    },
    refusal: async () => {
      const before = refused;
      await until("No request was affected by the fault", () => refused > before);
    },
    check,
    summary: () => `${acknowledged} writes acknowledged, ${refused} requests refused`,
  };
}

async function tooLate(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false });
  throw new Error(`no answer within ${ANSWER_MS / 1000} s`);
}

class Violation extends Error {}
