/** Runs in a worker that may be killed at any moment: patterns that backtrack, matched by the engine of the platform. */
import { answerCalls } from "../threads/answer-calls.ts";
import type { PatternQuestion } from "./validate-with.ts";

/** null: the engine gave up on this one (too large, or out of stack). */
function answer(question: PatternQuestion): boolean | null {
  try {
    return new RegExp(question.pattern, "u").test(question.text);
  } catch {
    return null;
  }
}

answerCalls((questions: readonly PatternQuestion[]) => questions.map(answer));
