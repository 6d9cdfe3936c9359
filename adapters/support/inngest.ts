import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { TestContext } from "node:test";
import type { Turn } from "../../test/support/engines/engine.ts";
import { answerApi, SIGNING_KEY } from "../../test/support/engines/inngest.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "../../test/support/engines/stand-in.ts";

/**
 * A stand-in for Inngest. It accepts events from the real SDK (`/e/...`) and signals (`/v1/signals`), calls the real
 * `serve` handler over HTTP, keeps the result of each step, and registers waits. It has these rules of Inngest's own
 * server (`pkg/execution/executor/executor.go`, `pkg/enums/opcode.go`): among operations that come together, waits for
 * events are registered first. The function is called again once all of them have ended. An event resumes only a
 * registered wait. Of two events with one id, the second is dropped.
 *
 * A signal belongs to the wait that was registered for it, of any run, also after that wait has timed out: it then
 * resumes nothing. Another wait for the same signal replaces it, or fails its run (`conflict`; `savePause.lua`).
 */
export interface InngestStandIn {
  url: string;
  /** For a connection of the service. */
  connection: { address: { url: string }; secret: string };
  /** What becomes of the next signals, in order. */
  script: Turn[];
  /** All events except dropped ones. */
  events: Event[];
  /** Accepts no events and signals, as if it were down. */
  isAway: boolean;
  /** Starts a run of a function, as its trigger would. */
  start(options: Start): Run;
}

interface Start {
  /** Returns the URL that serves the functions. */
  app: () => string;
  /** `<app>-<function>`. */
  fnId: string;
  /** The name of its trigger event. */
  event: string;
  data: object;
  /** As Inngest may do: the steps of one request are stored as they finish. */
  checkpointing?: boolean;
}

export interface Run {
  id: string;
  /** Ids of executed steps, as the program names them. */
  ran: string[];
  /** Registered waits. */
  waits: Wait[];
  /** Called before the function's next operations are handled. */
  before: ((operations: Operation[]) => Promise<void>) | undefined;
  /** Resolves once it only waits. */
  paused(): Promise<void>;
  /** Resolves once it has reached a state of only waiting `times` times. */
  asked(times: number): Promise<void>;
  /** Resolves with the result of the function; rejects once it has finally failed. */
  ended(): Promise<unknown>;
  /** Lets its waits time out. */
  expire(): void;
}

interface Event {
  id: string;
  name: string;
  data: Record<string, unknown>;
}

/** A wait for the event of a task, or for a signal. */
export interface Wait {
  id: string;
  event?: string;
  taskId?: string;
  signal?: string;
  /** ISO 8601. */
  timeout: string;
}

interface Operation {
  id: string;
  op: string;
  name: string;
  displayName: string;
  data?: unknown;
  error?: unknown;
  opts?: { if?: string; timeout?: string; signal?: string; conflict?: "replace" | "fail" };
}

const MAX_ATTEMPTS = 4;

export async function startInngest(t: TestContext): Promise<InngestStandIn> {
  const runs: RunOfStandIn[] = [];
  const events: Event[] = [];
  const ids = new Set<string>();
  const signals: Signals = new Map();

  const { url, script } = await startStandIn(t, (call) => {
    if (standIn.isAway) return { status: 503, body: { error: "away", status: 503 } };
    if (call.path === "/v1/signals") return { act: () => answerApi(call, { resume }) };
    return call.parts[0] === "e" ? hear(call) : keep(call);
  });

  const resume = (signal: string, data: unknown): string | null => {
    const waiting = signals.get(signal);
    return waiting?.run.resume(waiting.wait, { signal, data }) === true ? waiting.run.id : null;
  };

  const hear = (call: Call): Reply => {
    const came = [jsonOf(call)].flat() as Event[];
    for (const event of came) {
      event.id ??= randomUUID();
      if (ids.has(event.id)) continue;
      ids.add(event.id);
      events.push(event);
      for (const run of runs) run.hear(event);
    }
    return { status: 200, body: { ids: came.map(({ id }) => id), status: 200 } };
  };

  const keep = (call: Call): Reply => {
    const [, runId] = /^\/v1\/checkpoint\/([^/]+)\/async$/.exec(call.path) ?? [];
    if (runId === undefined) return { status: 404, body: "404 page not found\n" };
    for (const step of (jsonOf(call) as { steps: Operation[] }).steps) runs.find(({ id }) => id === runId)!.keep(step);
    return { status: 200, body: {} };
  };

  const standIn: InngestStandIn = {
    url,
    connection: { address: { url }, secret: SIGNING_KEY },
    script,
    events,
    isAway: false,
    start: (options) => {
      const run = createRun(options, signals);
      runs.push(run);
      return run;
    },
  };
  return standIn;
}

interface RunOfStandIn extends Run {
  keep(operation: Operation): void;
  hear(event: Event): void;
  /** Ends a wait with the data of its signal. @returns false if it has ended already */
  resume(wait: string, data: object): boolean;
}

/** The wait that was registered last for each signal. */
type Signals = Map<string, { run: RunOfStandIn; wait: string }>;

function createRun({ app, fnId, event: name, data, checkpointing = false }: Start, signals: Signals): RunOfStandIn {
  const event = { id: randomUUID(), name, data };
  const id = randomUUID();
  const steps: Record<string, unknown> = {};
  const stack: string[] = [];
  const end = Promise.withResolvers<unknown>();
  end.promise.catch(() => {});
  let pauses = 0;
  const changed = new EventEmitter();

  const call = async (stepId: string): Promise<Operation[]> => {
    for (let attempt = 0; ; attempt++) {
      const ctx = {
        run_id: id,
        attempt,
        max_attempts: MAX_ATTEMPTS,
        disable_immediate_execution: false,
        use_api: false,
        stack: { stack, current: stack.length },
        ...(checkpointing && { fn_id: "0195d1c0-0000-7000-8000-000000000001", qi_id: randomUUID() }),
      };
      const response = await fetch(`${app()}?fnId=${encodeURIComponent(fnId)}&stepId=${stepId}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ version: 2, event, events: [event], steps, ctx }),
      });
      const body = await response.json();
      if (response.status === 200) return [{ id: "end", op: "RunComplete", name: "", displayName: "", data: body }];
      const operations = response.status === 206 ? (body as Operation[]) : [];
      const failed = response.status === 206 ? operations.find(({ op }) => op === "StepError") : body;
      if (failed === undefined) return operations;
      if (response.headers.get("x-inngest-no-retry") === "true" || attempt + 1 === MAX_ATTEMPTS)
        throw Object.assign(new Error((failed as { message?: string }).message), { failed, attempts: attempt + 1 });
    }
  };

  const run: RunOfStandIn = {
    id,
    ran: [],
    waits: [],
    before: undefined,
    paused: async () => run.asked(1),
    asked: async (times) => {
      while (pauses < times || run.waits.length === 0) {
        const [error] = (await once(changed, "pause")) as [unknown];
        if (error !== undefined) throw error;
      }
    },
    ended: async () => end.promise,
    keep: ({ id: step, displayName, data, op, error }) => {
      steps[step] = op === "StepFailed" ? { type: "error", error } : { type: "data", data: data ?? null };
      stack.push(step);
      run.ran.push(displayName);
    },
    hear: ({ name, data, id: eventId }) => {
      const matching = run.waits.filter(({ event, taskId }) => event === name && taskId === data["task_id"]);
      for (const wait of matching) wake(wait, { name, data, id: eventId });
    },
    resume: (id, data) => {
      const wait = run.waits.find((one) => one.id === id);
      if (wait === undefined) return false;
      signals.delete(wait.signal!);
      wake(wait, data);
      return true;
    },
    expire: () => {
      while (run.waits.length > 0) wake(run.waits[0]!, null);
    },
  };

  const wake = (wait: Wait, data: unknown): void => {
    run.waits.splice(run.waits.indexOf(wait), 1);
    steps[wait.id] = { type: "data", data };
    stack.push(wait.id);
    if (run.waits.length > 0) return;
    awake.resolve();
  };
  let awake = Promise.withResolvers<void>();

  const drive = async (): Promise<void> => {
    for (;;) {
      const operations = await call("step");
      await run.before?.(operations);
      awake = Promise.withResolvers<void>();
      for (const { id: wait, op, name, opts } of operations) {
        if (op !== "WaitForEvent") continue;
        const taskId = /^async\.data\.task_id == "([^"\\]+)"$/.exec(opts!.if!)![1]!;
        run.waits.push({ id: wait, event: name, taskId, timeout: opts!.timeout! });
      }
      for (const { id: wait, op, opts } of operations) {
        if (op !== "WaitForSignal") continue;
        const { signal, timeout, conflict } = opts as { signal: string; timeout: string; conflict?: string };
        if (signals.has(signal) && conflict !== "replace")
          throw new Error("Signal conflict; signal wait already exists for another run");
        signals.set(signal, { run, wait });
        run.waits.push({ id: wait, signal, timeout });
      }
      const hadWaits = run.waits.length > 0;
      for (const operation of operations) {
        if (operation.op === "RunComplete") {
          end.resolve(operation.data);
          return;
        }
        if (operation.op === "StepPlanned") {
          for (const result of await call(operation.id)) run.keep(result);
        } else if (!operation.op.startsWith("WaitFor")) run.keep(operation);
      }
      if (!hadWaits) continue;
      pauses++;
      changed.emit("pause");
      await awake.promise;
    }
  };
  drive().catch((error: unknown) => {
    end.reject(error);
    changed.emit("pause", error);
  });
  return run;
}
