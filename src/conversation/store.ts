import type { FileReference } from "../../form/payload/reference.ts";
import type { Reader, Tx } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import { insertRow } from "../db/rows.ts";
import type { TaskCommentRow } from "../db/schema.ts";
import { parseJson } from "../lib/json.ts";
import type { AuthorKind, SaidKind } from "./schema.ts";

/** What somebody said about a task. */
export interface Comment {
  id: string;
  task_id: string;
  /** That of its audit entry, which orders the rows of a task. */
  seq: number;
  kind: SaidKind;
  text: string;
  /** Of the asker: questions up to this `seq` are answered by it. null: someone else wrote it. */
  answers_seq: number | null;
  idempotency_key: string | null;
  author: Author;
  /** Epoch milliseconds. */
  created_at: number;
  /** Of a revision: the version that it made. */
  version: number | null;
  /** Files that it names. */
  files: FileReference[];
}

export interface Author {
  kind: AuthorKind;
  user_id: string | null;
  email: string | null;
  /** At the time. */
  name: string | null;
  account: { team_id: string; user_id: string } | null;
  channel: string | null;
}

const insertComment = insertRow("task_comments");

export async function addCommentRow(tx: Tx, { author, files, ...comment }: Comment): Promise<void> {
  await tx.run(insertComment, {
    ...comment,
    files: files.length === 0 ? null : JSON.stringify(files),
    home: homeOf(comment.task_id),
    author_kind: author.kind,
    author_user_id: author.user_id,
    author_email: author.email,
    author_name: author.name,
    author_account: author.account && JSON.stringify(author.account),
    channel: author.channel,
  });
}

/** Returns what was said about a task, oldest first. */
export async function listComments(reader: Reader, task_id: string): Promise<Comment[]> {
  const rows = await reader.query
    .selectFrom("task_comments")
    .selectAll()
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .orderBy("seq")
    .execute();
  return rows.map(toComment);
}

/** Returns how many comments there are about a task. */
export async function countComments(reader: Reader, task_id: string): Promise<number> {
  const { count } = await reader.query
    .selectFrom("task_comments")
    .select((of) => of.fn.countAll<number | string>().as("count"))
    .where("task_id", "=", task_id)
    .where("home", "=", homeOf(task_id))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function toComment({ home: _home, ...row }: TaskCommentRow): Comment {
  const { author_kind, author_user_id, author_email, author_name, author_account, channel, files, ...comment } = row;
  return {
    ...comment,
    kind: comment.kind as SaidKind,
    files: parseJson<FileReference[]>(files) ?? [],
    author: {
      kind: author_kind as AuthorKind,
      user_id: author_user_id,
      email: author_email,
      name: author_name,
      account: parseJson(author_account),
      channel,
    },
  };
}
