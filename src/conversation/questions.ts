import type { Reader } from "../db/database.ts";
import { listCommentHeads, listComments, type Comment, type CommentHead } from "./store.ts";

/** Returns the questions that the asker has not answered, oldest first. @param comments - of one task, oldest first */
export function openQuestions<C extends Pick<CommentHead, "kind" | "seq" | "answers_seq">>(
  comments: readonly C[],
): C[] {
  const answered = comments.reduce((seq, { answers_seq }) => Math.max(seq, answers_seq ?? -1), -1);
  return comments.filter(({ kind, seq }) => kind === "question" && seq > answered);
}

/** Returns the same of a task. */
export async function listOpenQuestions(reader: Reader, task_id: string): Promise<Comment[]> {
  const [first] = openQuestions(await listCommentHeads(reader, task_id));
  if (first === undefined) return [];
  return openQuestions(await listComments(reader, task_id, { after: first.seq - 1 }));
}
