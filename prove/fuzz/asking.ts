import { Worker } from "node:worker_threads";

/** A thread that answers one question after another, and is stopped when an answer takes too long. */
export interface Asked<Question, Answer> {
  /** Returns null if no answer arrived in time. */
  ask(question: Question): Promise<Answer | null>;
  close(): Promise<void>;
}

/** @param limitMs - the time for one answer, without the start of the thread */
export function askedIn<Question, Answer>(file: URL, limitMs: number): Asked<Question, Answer> {
  let worker: Worker | null = null;
  const start = async (): Promise<Worker> => {
    const started = new Worker(file);
    await new Promise<void>((resolve, reject) => {
      started.once("message", () => resolve());
      started.once("error", reject);
    });
    worker = started;
    return started;
  };
  return {
    ask: async (question) => {
      const asked = worker ?? (await start());
      const answer = await new Promise<Answer | null>((resolve, reject) => {
        const timer = setTimeout(() => resolve(null), limitMs);
        asked.removeAllListeners("error");
        asked.once("error", reject);
        asked.removeAllListeners("message");
        asked.once("message", (message: Answer) => {
          clearTimeout(timer);
          resolve(message);
        });
        asked.postMessage(question);
      });
      if (answer === null) {
        worker = null;
        asked.removeAllListeners();
        await asked.terminate();
      }
      return answer;
    },
    close: async () => void (await worker?.terminate()),
  };
}
