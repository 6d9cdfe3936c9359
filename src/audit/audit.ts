import { headingOf } from "../../form/plan/heading.ts";
import type { Db } from "../db/database.ts";
import { homeOf } from "../db/home.ts";
import type { SecurityEventRow } from "../db/schema.ts";
import { invalid } from "../errors.ts";
import { decodeCursor, encodeCursor } from "../http/paging.ts";
import { csvLine } from "../lib/csv.ts";
import { isId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { DAY, isoTime, parseTime } from "../lib/time.ts";
import type { AgentFinder } from "../people/agent-caller.ts";
import { isOperator, type Caller } from "../people/caller.ts";
import { requireStillValid } from "../people/identify.ts";
import { projectsOf } from "../people/projects.ts";
import { findUser } from "../people/store.ts";
import { SECURITY_EVENT_TYPES, type SecurityEventType } from "../security/catalogue.ts";
import { listSecurityEvents } from "../security/list.ts";
import { recordSecurityEvent, describeEvent } from "../security/record.ts";
import { requireMay } from "../tasks/access.ts";
import { isEntryHidden } from "../tasks/tasks.ts";
import type { AuditRecord, ExportAuditQuery, ListAuditQuery } from "./schema.ts";
import { listEntries, type EntryFilter, type EntryOfTask } from "./store.ts";

const DEFAULT_LIMIT = 50;
const EXPORT_PAGE = 200;
/** Without a first day, entries are looked for this far back. */
const DEFAULT_SPAN_MS = 90 * DAY;
/** Longer than any clock shows: until now, and what other processes have written a moment ahead. */
const AHEAD_MS = DAY;

const PREFIX_LENGTH = "aud_".length;

/**
 * Returns one page of what happened to tasks, people, keys and settings, newest first. Operators of projects see the entries of
 * the tasks of their projects; security events are for operators of all.
 * @returns `next`: the cursor of the next page; null on the last one
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function listAudit(
  { db }: { db: Db },
  caller: Caller,
  query: ListAuditQuery,
): Promise<{ rows: AuditRecord[]; next: string | null }> {
  requireMay(caller, "stats");
  const projects = await projectsOf(db, caller, query.project);
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const before = cursor === undefined ? null : decodeCursor(cursor)[1];
  const span = spanOf(query, db.now());
  const reader = db.heavy;
  const user = query.actor !== undefined && isId("usr", query.actor) ? await findUser(reader, query.actor) : null;
  const asked = { ...query, ...span };

  const filter = entryFilterOf(asked, projects, user?.email ?? null);
  const entries = filter === null ? [] : await listEntries(reader, filter, before && `aud_${before}`, limit + 1);
  // An operator of a project does not learn what happens outside of it.
  const seesEvents = isOperator(caller) && projects === null;
  const types = eventTypesOf(asked);
  const events =
    seesEvents && types !== null
      ? await listSecurityEvents(
          reader,
          { type: types, actor: query.actor, ...span },
          before && `sec_${before}`,
          limit + 1,
        )
      : [];

  const rows = [
    ...entries.map((row) => ({ order: row.id.slice(PREFIX_LENGTH), entry: row })),
    ...events.map((row) => ({ order: row.id.slice(PREFIX_LENGTH), event: row })),
  ].toSorted((a, b) => (a.order < b.order ? 1 : -1));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.flatMap((row) => {
      if ("event" in row) return [ofEvent(row.event)];
      return isVisible(row.entry) ? [ofEntry(row.entry)] : [];
    }),
    next: rows.length > limit && last !== undefined ? encodeCursor([0, last.order]) : null,
  };
}

/** While a task is blind and open, its trail tells of no decision. */
function isVisible(entry: EntryOfTask): boolean {
  const { approvals, ended_at } = entry;
  return !isEntryHidden({ approvals, ended_at }, entry);
}

function spanOf({ from, until }: Pick<ListAuditQuery, "from" | "until">, now: number): { from: number; until: number } {
  const end = timeIn("until", until) ?? now + AHEAD_MS;
  return { from: timeIn("from", from) ?? end - DEFAULT_SPAN_MS, until: end };
}

function timeIn(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  // A date alone is its beginning in UTC.
  const time = parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
  if (time === null) throw invalid(`/query/${name}`, "Must be a time such as 2026-01-31T12:00:00Z.");
  return time;
}

type Asked = Omit<ListAuditQuery, "from" | "until"> & { from: number; until: number };

/** Returns what entries of tasks are asked for; null: none can match. @param email - of the user that `actor` names */
function entryFilterOf(
  { kind, what, actor, task_id, from, until }: Asked,
  projects: readonly string[] | null,
  email: string | null,
): EntryFilter | null {
  if (kind === "security") return null;
  const actions = what?.filter((one) => !isEventType(one)) ?? null;
  if (actions?.length === 0 && what!.length > 0) return null;
  const who = actorOf(actor, email);
  if (who === "unknown") return null;
  if (task_id !== undefined && !isId("tsk", task_id)) return null;
  return {
    what: actions === null || actions.length === 0 ? null : actions,
    actor: who,
    task: task_id === undefined ? null : { id: task_id, home: homeOf(task_id) },
    projects,
    from,
    until,
  };
}

function actorOf(actor: string | undefined, email: string | null): EntryFilter["actor"] | "unknown" {
  if (actor === undefined) return null;
  if (actor.includes("@")) return { email: actor };
  if (isId("agt", actor)) return { agent: actor };
  return email === null ? "unknown" : { email };
}

/** Returns the types of security events that are asked for; empty: all; null: none can match. */
function eventTypesOf({ kind, what, task_id, project }: Asked): SecurityEventType[] | null {
  if (kind === "task" || task_id !== undefined || project !== undefined) return null;
  const types = what?.filter(isEventType) ?? [];
  return what !== undefined && what.length > 0 && types.length === 0 ? null : types;
}

function isEventType(text: string): text is SecurityEventType {
  return (SECURITY_EVENT_TYPES as readonly string[]).includes(text);
}

function ofEntry(row: EntryOfTask): AuditRecord {
  return {
    id: row.id,
    at: isoTime(row.created_at),
    kind: "task",
    what: row.action,
    outcome: null,
    actor: { kind: row.actor_type, id: row.agent_id, email: row.actor_email, name: row.agent_name },
    task_id: row.task_id,
    task: row.task === null ? null : headingOf(row.task)[0],
    project: row.project,
    from_status: row.from_status,
    to_status: row.to_status,
    channel: row.channel,
    reason: row.action === "cancelled" ? row.cancel_reason : row.verifier_reason,
    target: null,
    address: null,
    details: parseJson<Record<string, unknown>>(row.extra),
  };
}

function ofEvent(row: SecurityEventRow): AuditRecord {
  const { outcome, reason, count, actor, source, target, details } = describeEvent(row);
  return {
    id: row.id,
    at: isoTime(row.at),
    kind: "security",
    what: row.type,
    outcome,
    actor: { ...actor, name: null },
    task_id: target?.kind === "task" ? target.id : null,
    task: null,
    project: null,
    from_status: null,
    to_status: null,
    channel: null,
    reason,
    target: target?.id ?? null,
    address: source.address,
    details: count === 1 ? details : { ...details, count },
  };
}

/** The columns of a table, by their names. */
const COLUMNS: Readonly<Record<string, (record: AuditRecord) => string | null>> = {
  at: ({ at }) => at,
  kind: ({ kind }) => kind,
  what: ({ what }) => what,
  outcome: ({ outcome }) => outcome,
  actor_kind: ({ actor }) => actor.kind,
  actor: ({ actor }) => actor.email ?? actor.name ?? actor.id,
  task_id: ({ task_id }) => task_id,
  task: ({ task }) => task,
  project: ({ project }) => project,
  from_status: ({ from_status }) => from_status,
  to_status: ({ to_status }) => to_status,
  channel: ({ channel }) => channel,
  reason: ({ reason }) => reason,
  target: ({ target }) => target,
  address: ({ address }) => address,
  details: ({ details }) => details && JSON.stringify(details),
  id: ({ id }) => id,
};

/** Spreadsheets take a text for UTF-8 only if it begins with this. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Returns everything that matches, as the parts of a text. Each part is read when it is asked for, and only while the credentials
 * of the caller are valid. The export is itself a security event.
 * @throws ServiceError as `listAudit` does
 */
export async function exportAudit(
  ctx: { db: Db; agents: AgentFinder },
  caller: Caller,
  { format, ...filters }: ExportAuditQuery,
): Promise<AsyncGenerator<string, void, undefined>> {
  // What happens while it is sent is not in it, this export included.
  const until = filters.until ?? isoTime(ctx.db.now() + AHEAD_MS);
  const query: ListAuditQuery = { ...filters, until, limit: EXPORT_PAGE };
  const first = await listAudit(ctx, caller, query);
  await recordSecurityEvent(ctx.db, { type: "audit_exported", details: { format } });
  return parts();

  async function* parts(): AsyncGenerator<string, void, undefined> {
    if (format === "csv") yield `${BYTE_ORDER_MARK}${csvLine(Object.keys(COLUMNS))}`;
    let page = first;
    let callerNow = caller;
    for (;;) {
      if (page.rows.length > 0) yield page.rows.map((row) => lineOf(row, format)).join("");
      if (page.next === null) return;
      callerNow = await requireStillValid(ctx, callerNow);
      page = await listAudit(ctx, callerNow, { ...query, cursor: page.next });
    }
  }
}

function lineOf(record: AuditRecord, format: ExportAuditQuery["format"]): string {
  if (format === "ndjson") return `${JSON.stringify(record)}\n`;
  return csvLine(Object.values(COLUMNS).map((valueOf) => valueOf(record)));
}
