/** Runs in a worker that may be killed at any moment: patterns that backtrack, matched by the engine of the platform. */
import { parentPort } from "node:worker_threads";
import type { PatternQuestion } from "./validate-with.ts";

/** null: the engine gave up on this one (too large, or out of stack). */
function answer(question: PatternQuestion): boolean | null {
  try {
    return new RegExp(question.pattern, "u").test(question.text);
  } catch {
    return null;
  }
}

parentPort?.on("message", (questions: readonly PatternQuestion[]) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
  parentPort?.postMessage(questions.map(answer));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
parentPort?.postMessage("ready");
