import type { CommentHead } from "./store.ts";

/** Returns the questions that the asker has not answered, oldest first. @param comments - of one task, oldest first */
export function openQuestions<C extends Pick<CommentHead, "kind" | "seq" | "answers_seq">>(
  comments: readonly C[],
): C[] {
  const answered = comments.reduce((seq, { answers_seq }) => Math.max(seq, answers_seq ?? -1), -1);
  return comments.filter(({ kind, seq }) => kind === "question" && seq > answered);
}
