import type { Db } from "../../db/database.ts";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import type { MoveContext } from "../move.ts";
import { recordAfter } from "../record-for.ts";
import {
  ANSWER_ERRORS,
  TaskParams,
  type CancelTaskBody,
  type CompleteTaskBody,
  type ExtendTaskBody,
  type TaskRecord,
} from "../schema.ts";
import { withdrawDecision } from "../withdraw.ts";
import { cancelTask, completeTask, extendTask, removeTask, type CompletionContext } from "../tasks.ts";

const tags = ["Tasks"];

const Task = Type.Unsafe<TaskRecord>(Type.Ref("Task"));

export const completeTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/complete",
  operationId: "completeTask",
  summary: "Complete a task",
  description:
    "Answers a task. With a verifier the status may become `rejected` (answer again) or `verification_exhausted` (closed).",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<CompleteTaskBody>(Type.Ref("CompleteTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, ...ANSWER_ERRORS],
  handle: async (ctx: CompletionContext, request, reply) => {
    const caller = callerOf(request);
    return sendJson(
      reply,
      await recordAfter(ctx.db, await completeTask(ctx, caller, request.params.id, request.body), caller),
    );
  },
});

export const withdrawDecisionRoute = defineRoute({
  method: "DELETE",
  url: "/tasks/:id/approvals/me",
  operationId: "withdrawDecision",
  summary: "Take back one's decision",
  description:
    "Where several people must approve: takes back what the caller decided about an open task. The task stays open.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "APPROVAL_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const caller = callerOf(request);
    return sendJson(reply, await recordAfter(ctx.db, await withdrawDecision(ctx, caller, request.params.id), caller));
  },
});

export const cancelTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/cancel",
  operationId: "cancelTask",
  summary: "Cancel a task",
  description: "Withdraws an open task. It closes as `cancelled`, with the reason in `cancel_reason`.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<CancelTaskBody>(Type.Ref("CancelTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "VALIDATION_FAILED"],
  handle: async (ctx: MoveContext, request, reply) => {
    const caller = callerOf(request);
    const task = await cancelTask(ctx, caller, request.params.id, request.body.reason ?? null);
    return sendJson(reply, await recordAfter(ctx.db, task, caller));
  },
});

export const extendTaskRoute = defineRoute({
  method: "PATCH",
  url: "/tasks/:id",
  operationId: "extendTask",
  summary: "Change a task's deadline",
  description: "Extends an open task, or shortens it. The new deadline counts from the creation of the task.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<ExtendTaskBody>(Type.Ref("ExtendTask")),
  answers: { 200: Task },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TASK_ALREADY_TERMINAL", "VALIDATION_FAILED"],
  handle: async (ctx: MoveContext, request, reply) => {
    const caller = callerOf(request);
    const task = await extendTask(ctx, caller, request.params.id, request.body.timeout_seconds);
    return sendJson(reply, await recordAfter(ctx.db, task, caller));
  },
});

export const deleteTaskRoute = defineRoute({
  method: "DELETE",
  url: "/tasks/:id",
  operationId: "deleteTask",
  summary: "Delete a task",
  description:
    "Deletes the task, its documents and its pending deliveries. One audit entry remains: the id, who deleted the task, and when.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  params: TaskParams,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND"],
  config: () => ({ securityEvent: "task_deleted" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await removeTask(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});
