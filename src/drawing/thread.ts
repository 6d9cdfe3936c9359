import { Worker } from "node:worker_threads";
import type { FormTask, TaskFormProps } from "../../form/plan/task-form.ts";

/**
 * Draws what clients wrote in a thread of its own. Some texts take minutes to draw, and nothing can interrupt that but the
 * end of the thread: a drawing that takes too long ends it, and the next drawing starts another. The event loop never waits.
 */
export interface DrawingThread {
  /** Never rejects. Tasks take turns; the drawings of one task come in the order in which they were asked for. */
  draw(task_id: string, question: Question): Promise<Outcome>;
  /** Ends the thread. Drawings that wait for it are "busy". */
  close(): Promise<void>;
}

/** JSON stays text until the thread has it: the event loop parses nothing. */
export type Question =
  | {
      draws: "payload";
      payload: string;
      payload_schema: string | null;
      form_definition: string | null;
      redact: boolean;
      locale: string | undefined;
      time_zone: string | undefined;
      /** Epoch milliseconds. */
      now: number;
      /** Markdown and changes of texts are shown as they were written. */
      isPlain: boolean;
    }
  | { draws: "form"; props: FormToDraw };

export type FormToDraw = Omit<TaskFormProps, "task"> & {
  task: Omit<FormTask, "payload" | "response_schema" | "form_definition"> & {
    payload: string;
    response_schema: string;
    form_definition: string | null;
  };
};

export interface Drawn {
  html: string;
  /** Of a form: what its script takes over with, as JSON that may stand in a script element. Of a payload: "". */
  data: string;
  /** It says how long ago something was, which is not true for long. */
  tells_time: boolean;
}

/**
 * "late": it took too long. "lost": the thread ended by itself, for example out of memory. "busy": too many drawings wait.
 * `says` is for the log.
 */
export type Outcome = { drawn: Drawn } | { failed: "late" | "busy" } | { failed: "lost" | "wrong"; says: string };

/** What the thread sends: once that it is there, then an answer for each question. */
export type Answer = "ready" | { drawn: Drawn } | { failed: string };

export interface DrawingThreadOptions {
  /** Of the thread's own CPU time, for one drawing: a busy machine is not the fault of a text. */
  limitsMs?: { payload: number; form: number };
  /** A drawing that needs more ends the thread. */
  heapMb?: number;
}

/** An ordinary payload takes 1 to 10 ms, the largest that were made for it 100. A form of the largest schema takes 200 ms. */
const LIMITS_MS = { payload: 300, form: 1_000 };
/** On the clock, for one drawing: a thread that does nothing but one long step of the platform tells no CPU time. */
const CLOCK_LIMIT_MS = 5_000;
/** Starting the thread takes 100 to 300 ms. If it has not come up after this, it will not. */
const START_LIMIT_MS = 20_000;
/** CPU time is looked at again after this, at the earliest. */
const LOOK_MS = 25;
const WAITING_MAX = 64;
const WAITING_OF_ONE_TASK_MAX = 8;
/** Whoever has waited longer for their turn is told that the service is busy. */
const WAIT_MAX_MS = 10_000;
/** The largest payloads that were made for it take a tenth of it. */
const HEAP_MB = 256;

interface Job {
  readonly question: Question;
  /** By `performance.now()`. */
  readonly since: number;
  readonly settle: (outcome: Outcome) => void;
}

export function createDrawingThread({
  limitsMs = LIMITS_MS,
  heapMb = HEAP_MB,
}: DrawingThreadOptions = {}): DrawingThread {
  // By task, in the order of their turns.
  const waiting = new Map<string, Job[]>();
  let waitingCount = 0;
  let worker: Worker | null = null;
  let isReady = false;
  let current: Job | null = null;
  let startTimer: NodeJS.Timeout | undefined;
  let cpuTimer: NodeJS.Timeout | undefined;
  let clockTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): void {
    const started = new Worker(new URL("./worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    worker = started;
    started.on("message", (answer: Answer) => {
      if (answer === "ready") becomeReady(started);
      else finish("drawn" in answer ? answer : { failed: "wrong", says: answer.failed });
    });
    started.on("error", (error) => lose(error.message));
    started.on("exit", () => lose("it ended"));
    startTimer = setTimeout(() => lose("it did not start in time"), START_LIMIT_MS).unref();
  }

  function becomeReady(started: Worker): void {
    isReady = true;
    clearTimeout(startTimer);
    if (current === null) started.unref();
    else post(started, current);
  }

  function post(to: Worker, job: Job): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
    to.postMessage(job.question);
    const before = cpuOf(to);
    const limit = limitsMs[job.question.draws];
    const giveUp = (): void => {
      replace();
      finish({ failed: "late" });
    };
    // A timer may be due late, while the answer is already there: it is read before `then` runs.
    const after = (ms: number, then: () => void): NodeJS.Timeout =>
      setTimeout(() => void setImmediate(() => current === job && then()), ms);
    const look = async (): Promise<void> => {
      const [first, now] = [await before, await cpuOf(to)];
      if (current !== job || first === null || now === null) return;
      const left = limit - (now - first);
      if (left <= 0) giveUp();
      else cpuTimer = after(Math.max(left, LOOK_MS), () => void look());
    };
    cpuTimer = after(limit, () => void look());
    clockTimer = after(CLOCK_LIMIT_MS, giveUp);
  }

  /** The drawing at hand has an outcome; the next one has its turn. */
  function finish(outcome: Outcome): void {
    clearTimeout(cpuTimer);
    clearTimeout(clockTimer);
    const job = current;
    current = null;
    job?.settle(outcome);
    next();
    if (current === null) worker?.unref();
  }

  /** The next thread comes up at once: whoever sent one slow text often sends more. */
  function replace(): void {
    void stop();
    start();
  }

  function lose(says: string): void {
    void stop();
    finish({ failed: "lost", says });
  }

  async function stop(): Promise<void> {
    for (const timer of [startTimer, cpuTimer, clockTimer]) clearTimeout(timer);
    const stopped = worker;
    worker = null;
    isReady = false;
    stopped?.removeAllListeners();
    await stopped?.terminate();
  }

  function next(): void {
    if (current !== null || isClosed) return;
    const job = takeNext();
    if (job === undefined) return;
    if (performance.now() - job.since > WAIT_MAX_MS) {
      job.settle({ failed: "busy" });
      next();
      return;
    }
    current = job;
    if (worker === null) start();
    else worker.ref();
    if (isReady) post(worker!, job);
  }

  /** The tasks take turns: whoever has many drawings waits behind everybody who has one. */
  function takeNext(): Job | undefined {
    for (const [task_id, jobs] of waiting) {
      waiting.delete(task_id);
      const job = jobs.shift();
      if (jobs.length > 0) waiting.set(task_id, jobs);
      waitingCount--;
      return job;
    }
    return undefined;
  }

  return {
    draw: async (task_id, question) =>
      new Promise((settle) => {
        const own = waiting.get(task_id) ?? [];
        if (isClosed || waitingCount >= WAITING_MAX || own.length >= WAITING_OF_ONE_TASK_MAX) {
          settle({ failed: "busy" });
          return;
        }
        own.push({ question, since: performance.now(), settle });
        waiting.set(task_id, own);
        waitingCount++;
        next();
      }),
    close: async () => {
      isClosed = true;
      for (const job of [...waiting.values()].flat()) job.settle({ failed: "busy" });
      waiting.clear();
      current?.settle({ failed: "busy" });
      current = null;
      await stop();
    },
  };
}

/** Milliseconds of CPU time that a thread has used; null: it cannot be asked, since it is gone. */
async function cpuOf(worker: Worker): Promise<number | null> {
  return worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => null,
  );
}
