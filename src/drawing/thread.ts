import type { ConversationProps } from "../../form/plan/conversation.ts";
import type { FormTask, TaskFormProps } from "../../form/plan/task-form.ts";
import type { Language } from "../../languages/languages.ts";
import { currentLanguage, locale } from "../../languages/text.ts";
import { clockLimit, cpuLimit } from "../../threads/time-limits.ts";
import { createWorkerCalls } from "../../threads/worker-calls.ts";
import { createTurns } from "./turns.ts";

/**
 * Draws untrusted content in a separate thread. Some texts take minutes to draw, and only ending the thread can
 * interrupt that. A drawing that takes too long ends the thread, and the next drawing starts another. The event loop
 * never waits.
 */
export interface DrawingThread {
  /** Never rejects. Tasks take turns; the drawings of one task are made in the order of their requests. */
  draw(task_id: string, question: Question): Promise<Outcome>;
  /** Ends the thread. Waiting drawings fail as "busy". */
  close(): Promise<void>;
}

/** JSON stays text until the thread has it, so that the event loop parses nothing. */
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
      /** Whether Markdown and text changes are shown unformatted. */
      isPlain: boolean;
      /** Address of the page that shows the parts that are too large to draw. */
      wholeAt: string | undefined;
    }
  | { draws: "form"; props: FormToDraw }
  | { draws: "conversation"; props: ConversationProps };

/** A question with the language of its reader, which the thread does not know by itself. */
export interface SpokenQuestion {
  question: Question;
  language: Language;
  /** For numbers and times. */
  locale: string;
}

export type FormToDraw = Omit<TaskFormProps, "task"> & {
  task: Omit<FormTask, "payload" | "response_schema" | "form_definition"> & {
    payload: string;
    response_schema: string;
    form_definition: string | null;
  };
};

export interface Drawn {
  html: string;
  /** For a form: the data of its script, as JSON that can be put into a script element. For a payload: "". */
  data: string;
  /** Whether it contains a relative time, which soon becomes wrong. */
  tells_time: boolean;
}

/**
 * "late": it took too long. "lost": the thread ended by itself, for example out of memory. "busy": too many drawings wait.
 * `says` is for the log.
 */
export type Outcome = { drawn: Drawn } | { failed: "late" | "busy" } | { failed: "lost" | "wrong"; says: string };

export interface DrawingThreadOptions {
  /** Limits of the thread's CPU time for one drawing, so that a busy machine does not shorten them. */
  limitsMs?: { payload: number; form: number; conversation?: number };
  /** A drawing that needs more memory ends the thread. */
  heapMb?: number;
}

/**
 * An ordinary payload takes 1 to 10 ms, and the largest test payloads take 100. A form of the largest schema takes 200
 * ms.
 */
const LIMITS_MS = { payload: 300, form: 1_000, conversation: 1_000 };
/** Limit of elapsed time for one drawing: a thread inside one long native step does not report its CPU time. */
const CLOCK_LIMIT_MS = 5_000;
/** Starting the thread takes 100 to 300 ms. */
const START_LIMIT_MS = 20_000;
const WAITING_MAX = 64;
const WAITING_OF_ONE_TASK_MAX = 8;
/** A drawing that has waited longer is "busy". */
const WAIT_MAX_MS = 10_000;
/** The largest test payloads need a tenth of it. */
const HEAP_MB = 256;

interface Job {
  readonly spoken: SpokenQuestion;
  /** By `performance.now()`. */
  readonly since: number;
  readonly settle: (outcome: Outcome) => void;
}

export function createDrawingThread({ limitsMs, heapMb = HEAP_MB }: DrawingThreadOptions = {}): DrawingThread {
  const calls = createWorkerCalls<SpokenQuestion, Drawn>({
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

  async function drawOne({ spoken, since }: Job): Promise<Outcome> {
    if (performance.now() - since > WAIT_MAX_MS) return { failed: "busy" };
    const limits = [cpuLimit({ ...LIMITS_MS, ...limitsMs }[spoken.question.draws]), clockLimit(CLOCK_LIMIT_MS)];
    const outcome = await calls.call(spoken, { limits });
    if ("answer" in outcome) return { drawn: outcome.answer };
    if (outcome.failed === "late") return { failed: "late" };
    if (outcome.failed === "closed") return { failed: "busy" };
    return { failed: outcome.failed === "threw" ? "wrong" : "lost", says: outcome.error.message };
  }

  return {
    draw: async (task_id, question) =>
      new Promise((settle) => {
        const spoken = { question, language: currentLanguage(), locale: locale() };
        const isTaken = turns.add(task_id, { spoken, since: performance.now(), settle });
        if (isTaken) void drawAll();
        else settle({ failed: "busy" });
      }),
    close: calls.close,
  };
}
