import { Worker, type WorkerOptions } from "node:worker_threads";
import type { TimeLimit } from "./time-limits.ts";

/**
 * Calls to one worker thread, whose module answers them with `answerCalls`.
 *
 *     no thread --- first call ---> starting --- "ready" ---> ready
 *         ^                            |                        |
 *         +---- lost, not started -----+------ lost ------------+
 *
 * A thread is lost when it throws outside of a call, runs out of memory or exits. Only its own pending calls fail then, and
 * the next call starts another thread. A call that runs out of time ends its thread, and the next thread starts at once: a
 * client that sends one slow text often sends more. A thread keeps the process alive only while a call is pending.
 */
export interface WorkerCalls<Question, Answer> {
  /** Never rejects. Sends the question at once: callers that make one call at a time keep their own queue. */
  call(question: Question, options?: CallOptions): Promise<CallOutcome<Answer>>;
  /** Ends the thread. Pending and later calls fail as "closed". */
  close(): Promise<void>;
}

export type CallOutcome<Answer> = { answer: Answer } | { failed: CallFailure; error: Error };

/**
 * "threw": the function that answers threw; the stack of its error is in the message. "late": a time limit ran out.
 * "aborted": by the call's signal. "lost": the thread ended. "not started": the thread was not ready in time.
 */
export type CallFailure = "threw" | "late" | "aborted" | "lost" | "not started" | "closed";

export interface CallOptions {
  /** Ends the call here and aborts the signal of its counterpart in the thread. */
  signal?: AbortSignal;
  /** Memory in the question that is given to the thread, and not copied. */
  transfer?: readonly ArrayBuffer[];
  /** Each starts when the ready thread has the question. One that runs out fails every pending call as "late". */
  limits?: readonly TimeLimit[];
}

export interface WorkerCallsOptions {
  /** The module of the thread. */
  module: URL;
  worker?: WorkerOptions;
  /** Default: no limit. */
  startLimitMs?: number;
  /** Called when a thread is lost, with the number of its pending calls. */
  onLost?: (error: Error, pending: number) => void;
}

/** A message to the thread. */
export type ToThread<Question> = { id: number; question: Question } | { id: number; abort: true };
/** A message from the thread: first that it is ready, then an answer or an error for each question. */
export type FromThread<Answer> = "ready" | { id: number; answer: Answer } | { id: number; error: string };

interface Thread<Answer> {
  worker: Worker;
  isReady: boolean;
  startTimer: NodeJS.Timeout | undefined;
  /** By the id of the question. */
  pending: Map<number, PendingCall<Answer>>;
}

interface PendingCall<Answer> {
  settle: (outcome: CallOutcome<Answer>) => void;
  limits: readonly TimeLimit[];
  stopLimits: (() => void)[];
}

export function createWorkerCalls<Question, Answer>(options: WorkerCallsOptions): WorkerCalls<Question, Answer> {
  const { module, startLimitMs, onLost } = options;
  let current: Thread<Answer> | null = null;
  let lastId = 0;
  let isClosed = false;

  function start(): Thread<Answer> {
    const worker = new Worker(module, options.worker);
    worker.unref();
    const thread: Thread<Answer> = { worker, isReady: false, startTimer: undefined, pending: new Map() };
    worker.on("message", (message: FromThread<Answer>) => {
      if (message === "ready") becomeReady(thread);
      else if ("answer" in message) settle(thread, message.id, { answer: message.answer });
      else settle(thread, message.id, { failed: "threw", error: new Error(message.error) });
    });
    worker.on("error", (error) => lose(thread, error));
    worker.on("exit", () => lose(thread, new Error("it ended")));
    if (startLimitMs !== undefined) {
      const giveUp = (): void => void end(thread, "not started", new Error("it did not start in time"));
      thread.startTimer = setTimeout(giveUp, startLimitMs).unref();
    }
    return thread;
  }

  function becomeReady(thread: Thread<Answer>): void {
    thread.isReady = true;
    clearTimeout(thread.startTimer);
    for (const call of thread.pending.values()) startLimits(thread, call);
  }

  function startLimits(thread: Thread<Answer>, call: PendingCall<Answer>): void {
    call.stopLimits = call.limits.map((limit) => limit(thread.worker, () => replace(thread)));
  }

  function replace(late: Thread<Answer>): void {
    if (current !== late) return;
    current = start();
    void fail(late, "late", new Error("it took too long"));
  }

  function lose(lost: Thread<Answer>, error: Error): void {
    if (current !== lost) return;
    onLost?.(error, lost.pending.size);
    void end(lost, "lost", error);
  }

  async function end(thread: Thread<Answer>, failed: CallFailure, error: Error): Promise<void> {
    if (current !== thread) return;
    current = null;
    await fail(thread, failed, error);
  }

  /** Ends a thread that is no longer the current one. */
  async function fail(thread: Thread<Answer>, failed: CallFailure, error: Error): Promise<void> {
    clearTimeout(thread.startTimer);
    for (const id of thread.pending.keys()) settle(thread, id, { failed, error });
    await thread.worker.terminate();
  }

  return {
    call: async (question, { signal, limits = [], transfer } = {}) => {
      if (signal?.aborted === true) return { failed: "aborted", error: signal.reason as Error };
      if (isClosed) return { failed: "closed", error: new Error("it is closed") };
      const thread = (current ??= start());
      const id = ++lastId;
      const abort = (): void => {
        post(thread, { id, abort: true });
        settle(thread, id, { failed: "aborted", error: signal!.reason as Error });
      };
      signal?.addEventListener("abort", abort, { once: true });
      const outcome = await new Promise<CallOutcome<Answer>>((resolve) => {
        const call: PendingCall<Answer> = { settle: resolve, limits, stopLimits: [] };
        thread.pending.set(id, call);
        thread.worker.ref();
        post(thread, { id, question }, transfer);
        if (thread.isReady) startLimits(thread, call);
      });
      signal?.removeEventListener("abort", abort);
      return outcome;
    },
    close: async () => {
      isClosed = true;
      if (current !== null) await end(current, "closed", new Error("it is closed"));
    },
  };
}

function post<Question, Answer>(
  { worker }: Thread<Answer>,
  message: ToThread<Question>,
  transfer: readonly ArrayBuffer[] = [],
): void {
  worker.postMessage(message, transfer);
}

function settle<Answer>({ worker, pending }: Thread<Answer>, id: number, outcome: CallOutcome<Answer>): void {
  const call = pending.get(id);
  if (call === undefined) return;
  pending.delete(id);
  for (const stop of call.stopLimits) stop();
  call.settle(outcome);
  if (pending.size === 0) worker.unref();
}
