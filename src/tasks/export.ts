import { headingOf } from "../../form/plan/heading.ts";
import type { Db } from "../db/database.ts";
import { csvLine } from "../lib/csv.ts";
import { parseJson } from "../lib/json.ts";
import { isoTime } from "../lib/time.ts";
import type { AgentFinder } from "../people/agent-caller.ts";
import type { Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { decidedBy } from "./decided-by.ts";
import { readPage, type ReadTask } from "./list.ts";
import { toListed } from "./record.ts";
import type { ExportFormat, ExportTasksQuery, ListTasksQuery } from "./schema.ts";
import type { Task } from "./store.ts";

/** Tasks that are read at a time: as many as in the longest page of a list. Pages with large documents have fewer. */
const PAGE = 200;

/** The columns of a table, by their names. */
const COLUMNS: Readonly<Record<string, (task: Task) => string | number | null>> = {
  id: ({ id }) => id,
  project: ({ project }) => project,
  title: ({ task }) => headingOf(task)[0],
  status: ({ status }) => status,
  decision: ({ decision }) => decision,
  decided_by: (task) => deciderOf(task),
  channel: ({ completed_via_channel }) => completed_via_channel,
  asked_by: ({ asked_by_name }) => asked_by_name,
  created_at: ({ created_at }) => isoTime(created_at),
  ended_at: ({ ended_at }) => isoTime(ended_at),
  attempts: ({ verification_attempt }) => verification_attempt,
  idempotency_key: ({ idempotency_key }) => idempotency_key,
  // A label has no comma.
  labels: ({ labels }) => (parseJson<string[]>(labels) ?? []).join(", "),
};

/** Spreadsheets take a text for UTF-8 only if it begins with this. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Returns the tasks that a caller may list, as the parts of a text. Each part is read when it is asked for, so memory holds one
 * page whatever the number of tasks. The first part is read before it returns, so that what is wrong with the request is said in
 * the usual way. Later parts throw if the credentials of the caller have ended. The export is a security event.
 *
 * @throws ServiceError as `listTasks` does
 */
export async function exportTasks(
  ctx: { db: Db; agents: AgentFinder },
  caller: Caller,
  { format, ...filters }: ExportTasksQuery,
): Promise<AsyncGenerator<string, void, undefined>> {
  const query: ListTasksQuery = { ...filters, limit: PAGE, view: format === "csv" ? "summary" : "full" };
  const first = await readPage(ctx, caller, query);
  await recordSecurityEvent(ctx.db, { type: "tasks_exported", details: { format } });
  return parts();

  async function* parts(): AsyncGenerator<string, void, undefined> {
    if (format === "csv") yield `${BYTE_ORDER_MARK}${csvLine(Object.keys(COLUMNS))}`;
    let page = first;
    let callerNow = caller;
    for (;;) {
      if (page.tasks.length > 0) yield page.tasks.map((one) => lineOf(one, callerNow, format)).join("");
      if (page.next === null) return;
      callerNow = await requireStillValid(ctx, callerNow);
      page = await readPage(ctx, callerNow, { ...query, cursor: page.next });
    }
  }
}

function lineOf({ task, documents, snoozed_until }: ReadTask, caller: Caller, format: ExportFormat): string {
  if (format === "ndjson") return `${toListed(task, documents, caller, snoozed_until)}\n`;
  return csvLine(Object.values(COLUMNS).map((valueOf) => valueOf(task)));
}

/** Returns who decided a task: their email, or else the name that is known. */
function deciderOf(task: Task): string | null {
  const decided = decidedBy(task);
  return decided === null ? null : (decided.email ?? decided.name ?? decided.slack?.user_id ?? null);
}
