/** Matches patterns that backtrack with the platform's engine. It runs in a worker that may be killed at any moment. */
import { answerCalls } from "../threads/answer-calls.ts";
import type { PatternQuestion } from "./validate-with.ts";

/** Returns null if the engine failed on this pattern (too large, or out of stack). */
function answer(question: PatternQuestion): boolean | null {
  try {
    return new RegExp(question.pattern, "u").test(question.text);
  } catch {
    return null;
  }
}

answerCalls((questions: readonly PatternQuestion[]) => questions.map(answer));
