import { isoTime } from "../lib/time.ts";
import type { CommentRecord } from "./schema.ts";
import type { Comment } from "./store.ts";

/** Returns a comment as records and events show it. */
export function toCommentRecord({
  id,
  task_id,
  kind,
  text,
  version,
  author,
  answers_seq,
  created_at,
}: Comment): CommentRecord {
  const { account, ...by } = author;
  return {
    id,
    task_id,
    kind,
    text,
    version,
    by: { ...by, ...(account !== null && { slack: account }) },
    is_asker: answers_seq !== null,
    created_at: isoTime(created_at),
  };
}
