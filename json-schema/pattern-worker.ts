/** Runs in a worker that may be killed at any moment: patterns that backtrack, matched by the engine of the platform. */
import { parentPort } from "node:worker_threads";
import type { PatternQuestion } from "./validate.ts";

/** null: the engine gave up on this one (too large, or out of stack). */
function answer(question: PatternQuestion): boolean | null {
  try {
    return new RegExp(question.pattern, "u").test(question.text);
  } catch {
    return null;
  }
}

parentPort?.on("message", (questions: readonly PatternQuestion[]) => {
  parentPort?.postMessage(questions.map(answer));
});
parentPort?.postMessage("ready");
