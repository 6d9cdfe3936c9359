import type { Db } from "../../db/database.ts";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import type { Subscriptions } from "../../subscriptions/known.ts";
import { assignTask, claimTask, releaseTask } from "../claims.ts";
import type { Notifier } from "../notices.ts";
import { recordAfter } from "../record-for.ts";
import {
  TaskParams,
  type AssignTaskBody,
  type ClaimTaskBody,
  type SnoozeTaskBody,
  type TaskRecord,
} from "../schema.ts";
import { snoozeTask, wakeTask } from "../snoozes.ts";

const tags = ["Tasks"];

const Task = Type.Unsafe<TaskRecord>(Type.Ref("Task"));

export const claimTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/claim",
  operationId: "claimTask",
  summary: "Claim a task",
  description:
    "Shows for ten minutes that the signed-in person is working on the task. Call again to renew the claim. If the task was offered to several people, it is assigned to the person who claims it. Others can still answer.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<ClaimTaskBody>(Type.Ref("ClaimTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "CLAIM_NEEDS_A_PERSON", "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "TASK_ALREADY_CLAIMED"],
  handle: async (ctx: { db: Db; subscriptions: Subscriptions }, request, reply) => {
    const caller = callerOf(request);
    const task = await claimTask(ctx, caller, request.params.id, request.body.force ?? false);
    return sendJson(reply, await recordAfter(ctx.db, task, caller));
  },
});

export const releaseTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/release",
  operationId: "releaseTask",
  summary: "Release a claim",
  description:
    "For the holder of the claim and for operators. A task that was offered to several people is offered again.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(reply, await recordAfter(ctx.db, await releaseTask(ctx, caller, request.params.id), caller));
  },
});

export const assignTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/assign",
  operationId: "assignTask",
  summary: "Assign a task",
  description:
    "Assigns the task to a user or an email, or unassigns it with null. Ends offers to other people. The new assignee gets an email or a Slack message, unless they assigned it to themselves.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<AssignTaskBody>(Type.Ref("AssignTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "VALIDATION_FAILED"],
  handle: async (ctx: { db: Db; notifier: Notifier }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(
      reply,
      await recordAfter(ctx.db, await assignTask(ctx, caller, request.params.id, request.body), caller),
    );
  },
});

export const snoozeTaskRoute = defineRoute({
  method: "PUT",
  url: "/tasks/:id/snooze",
  operationId: "snoozeTask",
  summary: "Snooze a task",
  description:
    "Hides an open task from the lists and counts of the signed-in person until a time. It comes back sooner when it is revised, assigned to them, or when a comment names them or answers their question. `is:snoozed` finds it. For everyone else, nothing changes.",
  tags,
  credentials: ["session"],
  params: TaskParams,
  body: Type.Unsafe<SnoozeTaskBody>(Type.Ref("SnoozeTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "VALIDATION_FAILED"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(
      reply,
      await recordAfter(ctx.db, await snoozeTask(ctx, caller, request.params.id, request.body), caller),
    );
  },
});

export const wakeTaskRoute = defineRoute({
  method: "DELETE",
  url: "/tasks/:id/snooze",
  operationId: "wakeTask",
  summary: "Wake up a task",
  description: "Brings a task back into the lists of the signed-in person. Succeeds also if it is not snoozed.",
  tags,
  credentials: ["session"],
  params: TaskParams,
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(reply, await recordAfter(ctx.db, await wakeTask(ctx, caller, request.params.id), caller));
  },
});
