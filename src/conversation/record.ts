import { showReference } from "../../form/payload/reference.ts";
import { isoTime } from "../lib/time.ts";
import type { CommentRecord } from "./schema.ts";
import type { Comment } from "./store.ts";

/** Returns what a comment says and the files that it names, for a message. Nothing of it is safe to show. */
export function textOf({ text, files }: Pick<Comment, "text" | "files">): string {
  return [text, ...files.map((file) => showReference(file, String).text)].join("\n");
}

/** Returns a comment as records and events show it. */
export function toCommentRecord({
  id,
  task_id,
  kind,
  text,
  files,
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
    files,
    version,
    by: { ...by, ...(account !== null && { slack: account }) },
    is_asker: answers_seq !== null,
    created_at: isoTime(created_at),
  };
}
