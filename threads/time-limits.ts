import type { Worker } from "node:worker_threads";

/** Starts a limit for one call. Calls `expire` when it is reached. @returns a function that stops the limit */
export type TimeLimit = (worker: Worker, expire: () => void) => () => void;

/** The shortest wait, in milliseconds, between two looks at the CPU time of a thread. */
const LOOK_MS = 25;

/** Returns a limit of elapsed time. */
export function clockLimit(ms: number): TimeLimit {
  return (_worker, expire) => startTimer(ms, expire);
}

/**
 * Returns a limit of the thread's CPU time, so that a busy machine does not shorten it. A thread that is inside one
 * long native step does not report its CPU time, so add a `clockLimit`.
 */
export function cpuLimit(ms: number): TimeLimit {
  return (worker, expire) => {
    const before = cpuOf(worker);
    let isStopped = false;
    const look = async (): Promise<void> => {
      const [first, now] = [await before, await cpuOf(worker)];
      if (isStopped || first === null || now === null) return;
      const left = ms - (now - first);
      if (left <= 0) expire();
      else stopTimer = startTimer(Math.max(left, LOOK_MS), () => void look());
    };
    let stopTimer = startTimer(ms, () => void look());
    return () => {
      isStopped = true;
      stopTimer();
    };
  };
}

/** Waits one more turn of the event loop: when the timer is late, the answer may have arrived and is read first. */
function startTimer(ms: number, expire: () => void): () => void {
  let isStopped = false;
  const expireUnlessStopped = (): void => {
    if (!isStopped) expire();
  };
  const timer = setTimeout(() => setImmediate(expireUnlessStopped), ms);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Returns the CPU time of a thread in milliseconds, or null if the thread has ended. */
async function cpuOf(worker: Worker): Promise<number | null> {
  return worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1_000,
    () => null,
  );
}
