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

/** Some comments of a task: those with a greater `seq`, and at most so many. */
interface Range {
  after?: number;
  limit?: number;
}

/** Returns what was said about a task, oldest first. */
export async function listComments(reader: Reader, task_id: string, { after, limit }: Range = {}): Promise<Comment[]> {
  let select = commentsOf(reader, task_id).selectAll().orderBy("seq");
  if (after !== undefined) select = select.where("seq", ">", after);
  if (limit !== undefined) select = select.limit(limit);
  return (await select.execute()).map(toComment);
}

/** A comment without its text, which may be long. */
export interface CommentHead extends Pick<Comment, "id" | "seq" | "kind" | "answers_seq"> {
  author_user_id: string | null;
}

/** Returns the heads of what was said about a task, oldest first. */
export async function listCommentHeads(reader: Reader, task_id: string): Promise<CommentHead[]> {
  const rows = await commentsOf(reader, task_id)
    .select(["id", "seq", "kind", "answers_seq", "author_user_id"])
    .orderBy("seq")
    .execute();
  return rows.map((row) => ({ ...row, kind: row.kind as SaidKind }));
}

/** Returns the people whose questions a reply answers. @param answers_seq - of the reply */
export async function findQuestioners(reader: Reader, task_id: string, answers_seq: number): Promise<string[]> {
  const rows = await commentsOf(reader, task_id)
    .select("author_user_id")
    .where("kind", "=", "question")
    .where("seq", "<=", answers_seq)
    .execute();
  return rows.flatMap(({ author_user_id }) => author_user_id ?? []);
}

/** Returns the comments with a key. Each client chooses its own keys. */
export async function findCommentsByKey(reader: Reader, task_id: string, key: string): Promise<Comment[]> {
  const rows = await commentsOf(reader, task_id).selectAll().where("idempotency_key", "=", key).execute();
  return rows.map(toComment);
}

/** Returns what its asker says of a version of a task; null for the first. */
export async function findRevision(reader: Reader, task_id: string, version: number): Promise<Comment | null> {
  const row = await commentsOf(reader, task_id).selectAll().where("version", "=", version).executeTakeFirst();
  return row === undefined ? null : toComment(row);
}

/** Returns how many comments there are about a task. */
export async function countComments(reader: Reader, task_id: string): Promise<number> {
  const { count } = await commentsOf(reader, task_id)
    .select((of) => of.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function commentsOf(reader: Reader, task_id: string) {
  return reader.query.selectFrom("task_comments").where("task_id", "=", task_id).where("home", "=", homeOf(task_id));
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
