import { sql, type SelectQueryBuilder } from "kysely";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import type { Schema, TaskRow } from "../db/schema.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import type { JsonText } from "../lib/json.ts";
import { DAY, HOUR } from "../lib/time.ts";
import type { Caller } from "../people/caller.ts";
import { requireMay } from "./access.ts";
import { toListed } from "./record.ts";
import type { ListTasksQuery, TaskCounts } from "./schema.ts";
import { toTask } from "./store.ts";

const DEFAULT_LIMIT = 50;
/** Characters of JSON in one page, beyond its first row: a page of large documents is cut short instead of held in memory. */
const PAGE_CHARACTERS_MAX = 1_000_000;

type TaskQuery = SelectQueryBuilder<Schema, "tasks", TaskRow>;

/**
 * One page of tasks. (spec: Tasks, list)
 * @returns `rows`: each as JSON; `next`: the cursor of the next page, null on the last one
 * @throws ServiceError VALIDATION_FAILED for a cursor that is not ours
 */
export async function listTasks(
  ctx: Context,
  caller: Caller,
  query: ListTasksQuery,
): Promise<{ rows: JsonText[]; next: string | null }> {
  requireMay(caller, "list");
  const reader = isIndexed(query) ? ctx.db : ctx.db.heavy;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const found = await selectPage(reader, query, limit + 1);
  const page = cutPage(found.slice(0, limit), query.include === "schemas");
  const last = page.at(-1);
  const hasNext = page.length < found.length && last !== undefined;
  const documents = await selectDocuments(ctx.db, page, query.include === "schemas");

  const rows = page.flatMap((row): JsonText[] => {
    const document = documents.get(row.id);
    // It may have been deleted between the two reads.
    return document ? [toListed(toTask(row), document, caller)] : [];
  });
  return {
    rows,
    next: hasNext
      ? encodeCursor(query.sort === "deadline" ? [last.timeout_at, last.id] : [last.created_at, last.id])
      : null,
  };
}

/** Whether an index leads to the page; whatever else is asked for may look at every task, and has a worker of its own. */
function isIndexed({ q, assigned_to, unassigned, status = [], terminal, sort, offset = 0 }: ListTasksQuery): boolean {
  if (q !== undefined || assigned_to !== undefined || unassigned !== undefined || offset > 1000) return false;
  return sort === "deadline" ? terminal === false && status.length === 0 : terminal === undefined && status.length <= 1;
}

async function selectPage(reader: Reader, query: ListTasksQuery, limit: number): Promise<TaskRow[]> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  let select: TaskQuery = reader.query.selectFrom("tasks").selectAll();
  if (query.status && query.status.length > 0) select = select.where("status", "in", query.status);
  if (query.terminal !== undefined) select = select.where("ended_at", query.terminal ? "is not" : "is", null);
  if (query.unassigned === true)
    select = select.where("assigned_to_email", "is", null).where("assigned_to_user_id", "is", null);
  if (query.unassigned === false)
    select = select.where((where) =>
      where.or([where("assigned_to_email", "is not", null), where("assigned_to_user_id", "is not", null)]),
    );
  const person = query.assigned_to;
  if (person !== undefined) {
    select = person.includes("@")
      ? select
          .where("assigned_to_email", "is not", null)
          .where(sql<boolean>`lower(assigned_to_email) = lower(${person})`)
      : select.where("assigned_to_user_id", "=", person);
  }
  if (query.q) {
    const like = `%${query.q.replaceAll(/[\\%_]/g, "\\$&")}%`;
    select = select.where(
      reader.dialect === "postgres" ? sql<boolean>`task ilike ${like}` : sql<boolean>`task like ${like} escape '\\'`,
    );
  }
  if (query.sort === "deadline") {
    if (after) select = select.where(sql<boolean>`(timeout_at, id) > (${after[0]}, ${after[1]})`);
    select = select.orderBy("timeout_at").orderBy("id");
  } else {
    // Ids begin with the time.
    if (after) select = select.where("id", "<", after[1]);
    select = select.orderBy("id", "desc");
  }
  return select
    .limit(limit)
    .offset(query.offset ?? 0)
    .execute();
}

function cutPage(rows: TaskRow[], withSchemas: boolean): TaskRow[] {
  let characters = 0;
  const end = rows.findIndex((row, i) => {
    characters += row.listed_length + (withSchemas ? row.schemas_length : 0);
    return characters > PAGE_CHARACTERS_MAX && i > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

interface ListedDocuments {
  task_id: string;
  payload: string;
  assign_to: string | null;
  notify: string | null;
  verifier_config: string | null;
  response: string | null;
  payload_schema: string;
  response_schema: string;
  form_definition: string | null;
}

async function selectDocuments(reader: Reader, rows: TaskRow[], withSchemas: boolean) {
  const found = new Map<
    string,
    Omit<ListedDocuments, "payload_schema" | "response_schema" | "form_definition"> | ListedDocuments
  >();
  if (rows.length === 0) return found;
  const select = reader.query
    .selectFrom("task_documents as d")
    .leftJoin("task_responses as r", "r.task_id", "d.task_id")
    .select(["d.task_id", "d.payload", "d.assign_to", "d.notify", "d.verifier_config", "r.response"])
    .$if(withSchemas, (query) => query.select(["d.payload_schema", "d.response_schema", "d.form_definition"]))
    .where(
      "d.task_id",
      "in",
      rows.map((row) => row.id),
    );
  for (const document of await select.execute()) found.set(document.task_id, document);
  return found;
}

/** How much there is to do, in the caller's scope. */
export async function countTasks({ db }: Context, caller: Caller): Promise<TaskCounts> {
  requireMay(caller, "list");
  const now = db.now();
  const count = sql<number>`count(*)`;
  // A sum comes back as text from PostgreSQL.
  const open = await db.heavy.query
    .selectFrom("tasks")
    .select([
      count.as("open"),
      sql<
        number | string
      >`coalesce(sum(case when assigned_to_email is null and assigned_to_user_id is null then 1 else 0 end), 0)`.as(
        "unclaimed",
      ),
      sql<number | string>`coalesce(sum(case when timeout_at <= ${now + HOUR} then 1 else 0 end), 0)`.as(
        "due_within_hour",
      ),
    ])
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  const closed = await db.heavy.query
    .selectFrom("tasks")
    .select(count.as("count"))
    .where("ended_at", ">=", now - (now % DAY))
    .executeTakeFirstOrThrow();
  return {
    open: open.open,
    // The admin token is nobody in particular.
    mine: 0,
    unclaimed: Number(open.unclaimed),
    due_within_hour: Number(open.due_within_hour),
    closed_today: closed.count,
  };
}
