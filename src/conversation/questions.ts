import type { Reader } from "../db/database.ts";
import { openQuestions } from "./open-questions.ts";
import { listCommentHeads, listComments, type Comment } from "./store.ts";

/** Returns the questions that the asker of a task has not answered, oldest first. */
export async function listOpenQuestions(reader: Reader, task_id: string): Promise<Comment[]> {
  const [first] = openQuestions(await listCommentHeads(reader, task_id));
  if (first === undefined) return [];
  return openQuestions(await listComments(reader, task_id, { after: first.seq - 1 }));
}
