import type { FormTask, TaskFormProps } from "../../form/plan/task-form.ts";
import { clockLimit, cpuLimit } from "../../threads/time-limits.ts";
import { createWorkerCalls } from "../../threads/worker-calls.ts";
import { createTurns } from "./turns.ts";

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
      /** Address of the page that shows what is too much to draw. */
      wholeAt: string | undefined;
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
/** Starting the thread takes 100 to 300 ms. */
const START_LIMIT_MS = 20_000;
const WAITING_MAX = 64;
const WAITING_OF_ONE_TASK_MAX = 8;
/** A drawing that has waited longer for its turn is "busy". */
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
  const calls = createWorkerCalls<Question, Drawn>({
    module: new URL("./worker.ts", import.meta.url),
    worker: { resourceLimits: { maxOldGenerationSizeMb: heapMb } },
    startLimitMs: START_LIMIT_MS,
  });
  const turns = createTurns<Job>(WAITING_MAX, WAITING_OF_ONE_TASK_MAX);
  let isDrawing = false;

  async function drawAll(): Promise<void> {
    if (isDrawing) return;
    isDrawing = true;
    for (let job = turns.take(); job !== undefined; job = turns.take()) job.settle(await drawOne(job));
    isDrawing = false;
  }

  async function drawOne({ question, since }: Job): Promise<Outcome> {
    if (performance.now() - since > WAIT_MAX_MS) return { failed: "busy" };
    const limits = [cpuLimit(limitsMs[question.draws]), clockLimit(CLOCK_LIMIT_MS)];
    const outcome = await calls.call(question, { limits });
    if ("answer" in outcome) return { drawn: outcome.answer };
    if (outcome.failed === "late") return { failed: "late" };
    if (outcome.failed === "closed") return { failed: "busy" };
    return { failed: outcome.failed === "threw" ? "wrong" : "lost", says: outcome.error.message };
  }

  return {
    draw: async (task_id, question) =>
      new Promise((settle) => {
        const isTaken = turns.add(task_id, { question, since: performance.now(), settle });
        if (isTaken) void drawAll();
        else settle({ failed: "busy" });
      }),
    close: calls.close,
  };
}
