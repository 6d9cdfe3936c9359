import type { Db } from "../../db/database.ts";
import { linkToNext } from "../../http/paging.ts";
import { InProjectQuery, pageOf } from "../../http/schema.ts";
import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import { readRefusedAnswers, toRefusedAnswer } from "../attempts.ts";
import { countTasks } from "../counts.ts";
import { listTasks } from "../list.ts";
import { readUserActivity } from "../people-activity.ts";
import { readUserGroups } from "../people-groups.ts";
import { recordFor } from "../record-for.ts";
import { toAuditRecord } from "../record.ts";
import {
  ListTasksQuery,
  StatsQuery,
  UserActivityQuery,
  TaskParams,
  type AuditEntryRecord,
  type ListedTask,
  type RefusedAnswerRecord,
  type Stats,
  type StatsGroups,
  type TaskCounts,
  type TaskRecord,
  type UserActivity,
  type UserGroups,
} from "../schema.ts";
import { readStats } from "../stats.ts";
import { readStatsGroups } from "../stats-groups.ts";
import { readAuditTrail, readTask } from "../tasks.ts";

const tags = ["Tasks"];

const Task = Type.Unsafe<TaskRecord>(Type.Ref("Task"));

export const listTasksRoute = defineRoute({
  method: "GET",
  url: "/tasks",
  operationId: "listTasks",
  summary: "List tasks",
  description: 'Newest first. The `Link` header with `rel="next"` is the address of the next page.',
  tags,
  credentials: SIGNED_IN,
  querystring: ListTasksQuery,
  answers: {
    200: pageOf<ListedTask>("ListedTask", "One page of tasks."),
  },
  errors: [...QUERY_ERRORS, "UNAUTHENTICATED", "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { rows, next } = await listTasks(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/tasks", request.url, next));
    return sendJson(reply, `[${rows.join(",")}]`);
  },
});

export const countTasksRoute = defineRoute({
  method: "GET",
  url: "/tasks/counts",
  operationId: "countTasks",
  summary: "Count tasks",
  description:
    "Counts of open and closed tasks for the caller. If more than 5000 tasks are open, or more than 500 closed today, numbers may be up to 10 seconds old. `mine` is always as of now.",
  tags,
  credentials: SIGNED_IN,
  querystring: InProjectQuery,
  answers: { 200: Type.Unsafe<TaskCounts>(Type.Ref("TaskCounts")) },
  errors: [...QUERY_ERRORS, "UNAUTHENTICATED", "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => countTasks(ctx, callerOf(request), request.query.project),
});

export const getTaskRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id",
  operationId: "getTask",
  summary: "Read a task",
  description: "The whole record, with payload and response. People get only the tasks that they may see.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Task },
  errors: [...READ_ERRORS, "TASK_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(reply, await recordFor(ctx.db, await readTask(ctx, caller, request.params.id), caller));
  },
});

export const listRefusedAnswersRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/attempts",
  operationId: "listRefusedAnswers",
  summary: "List a task's rejected answers",
  description:
    "Every answer that the verifier rejected, with its reason, oldest first. The accepted answer is in the task.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Type.Unsafe<RefusedAnswerRecord[]>({ type: "array", items: Type.Ref("RefusedAnswer") }) },
  errors: [...READ_ERRORS, "TASK_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const answers = await readRefusedAnswers(ctx, callerOf(request), request.params.id);
    return sendJson(reply, `[${answers.map(toRefusedAnswer).join(",")}]`);
  },
});

export const getAuditTrailRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/audit",
  operationId: "getAuditTrail",
  summary: "Read a task's audit trail",
  description: "Every transition, oldest first.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Type.Unsafe<AuditEntryRecord[]>({ type: "array", items: Type.Ref("AuditEntry") }) },
  errors: [...READ_ERRORS, "TASK_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => {
    const { entries, task } = await readAuditTrail(ctx, callerOf(request), request.params.id);
    return entries.map((entry) => toAuditRecord(entry, task));
  },
});

export const getStatsRoute = defineRoute({
  method: "GET",
  url: "/stats",
  operationId: "getStats",
  summary: "Statistics",
  description:
    "Counts and times to answer of the tasks of a window, for operators and the admin token. If more than 5000 tasks are open, or more than 500 fell into the last hour, numbers may be up to 10 seconds old.",
  tags: ["Operations"],
  credentials: SIGNED_IN,
  querystring: StatsQuery,
  answers: { 200: Type.Unsafe<Stats>(Type.Ref("Stats")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readStats(ctx, callerOf(request), request.query),
});

export const getUserActivityRoute = defineRoute({
  method: "GET",
  url: "/users/activity",
  operationId: "getUserActivity",
  summary: "What people have to do and have done",
  description: "Open tasks, answers and the last use of a session by people, for operators.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  querystring: UserActivityQuery,
  answers: { 200: Type.Unsafe<UserActivity[]>({ type: "array", items: Type.Ref("UserActivity") }) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS],
  handle: async (ctx: { db: Db }, request) => readUserActivity(ctx, callerOf(request), request.query.user_id),
});

export const listUserGroupsRoute = defineRoute({
  method: "GET",
  url: "/users/groups",
  operationId: "listUserGroups",
  summary: "List pools, roles and access levels",
  description: "With how many people each has, and what waits for it. For operators and the admin token.",
  tags: ["Users"],
  credentials: SIGNED_IN,
  answers: { 200: Type.Unsafe<UserGroups>(Type.Ref("UserGroups")) },
  errors: READ_ERRORS,
  handle: async (ctx: { db: Db }, request) => readUserGroups(ctx, callerOf(request)),
});

export const getStatsGroupsRoute = defineRoute({
  method: "GET",
  url: "/stats/groups",
  operationId: "getStatsGroups",
  summary: "Statistics by group",
  description:
    "How the tasks of a window closed, by agent, question, person and label, and how long open tasks have waited; for operators and the admin token. The groups are counted on request, among the 50000 tasks of the window that closed last. If that reads more than 5000 tasks, the result may be up to 10 seconds old.",
  tags: ["Operations"],
  credentials: SIGNED_IN,
  querystring: StatsQuery,
  answers: { 200: Type.Unsafe<StatsGroups>(Type.Ref("StatsGroups")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readStatsGroups(ctx, callerOf(request), request.query),
});
