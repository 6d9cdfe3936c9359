import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import type { Waiters } from "./poll.ts";
import type { TaskEvents } from "./events.ts";
import type { Metrics } from "../http/metrics.ts";
import { LINK_HEADERS, linkToNext } from "../http/paging.ts";
import { errors } from "../http/schema.ts";
import { sendJson } from "../http/serialization.ts";
import { callerOf } from "../people/caller.ts";
import { assignTask, claimTask, releaseTask } from "./claims.ts";
import { createTask, type CreationContext } from "./create.ts";
import { streamChanges } from "./event-stream.ts";
import { countTasks, listTasks } from "./list.ts";
import { toAuditRecord, toPollResult, toRecord } from "./record.ts";
import {
  AssignTaskBody,
  AuditEntryRecord,
  CancelTaskBody,
  ClaimTaskBody,
  CompleteTaskBody,
  CreateTaskBody,
  ListedTask,
  ListTasksQuery,
  PollQuery,
  PollResult,
  Stats,
  StatsQuery,
  TaskCounts,
  TaskParams,
  TaskRecord,
} from "./schema.ts";
import { readStats } from "./stats.ts";
import {
  cancelTask,
  completeTask,
  pollTask,
  readAuditTrail,
  readTask,
  removeTask,
  type CompletionContext,
} from "./tasks.ts";

const DEFAULT_POLL_SECONDS = 25;
const tags = ["tasks"];
const security = [{ bearer: [] }, { session: [] }];

interface TaskContext extends CompletionContext, CreationContext {
  waiters: Waiters;
  events: TaskEvents;
  metrics: Metrics;
}

/** Every task route of the spec. (spec: Endpoints, Tasks; Other, stats) */
export const taskRoutes: FastifyPluginAsyncTypebox<{ ctx: TaskContext }> = async (app, { ctx }) => {
  app.post(
    "/tasks",
    {
      schema: {
        operationId: "createTask",
        summary: "Create a task",
        description:
          "Idempotent on `idempotency_key`: a key that is bound to a task, whatever its status, gives that task, with `Idempotent-Replayed: true`.",
        tags,
        security,
        body: Type.Ref("CreateTask"),
        response: {
          201: Type.Unsafe<TaskRecord>({
            ...Type.Ref("Task"),
            description: "The task, new or found by its key.",
            headers: {
              "Idempotent-Replayed": {
                description: "`true` when the key was bound to this task before.",
                schema: { type: "string", enum: ["true", "false"] },
              },
              "Idempotent-Mismatch": {
                description: "`true` on a replay that asks for something else than the task was created with.",
                schema: { type: "string", enum: ["true"] },
              },
            },
          }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "RESPONSE_SCHEMA_NOT_OBJECT",
            "VERIFIER_CONFIG_INVALID",
            "VERIFIER_PROVIDER_UNKNOWN",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
      attachValidation: true,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { task, isReplay, isMismatch } = await createTask(
        ctx,
        caller,
        request.body,
        request.validationError ?? null,
      );
      (isReplay ? ctx.metrics.tasksReplayed : ctx.metrics.tasksCreated).inc();
      void reply.code(201).header("idempotent-replayed", String(isReplay));
      if (isMismatch) void reply.header("idempotent-mismatch", "true");
      return sendJson(reply, toRecord(task, caller));
    },
  );

  app.get(
    "/tasks",
    {
      schema: {
        operationId: "listTasks",
        summary: "List tasks",
        description: 'Newest first. The header `Link` with `rel="next"` leads to the next page.',
        tags,
        security,
        querystring: ListTasksQuery,
        response: {
          200: Type.Unsafe<ListedTask[]>({
            type: "array",
            items: Type.Ref("ListedTask"),
            description: "One page of tasks.",
            headers: LINK_HEADERS,
          }),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "VALIDATION_FAILED"),
        },
      },
    },
    async (request, reply) => {
      const { rows, next } = await listTasks(ctx, callerOf(request), request.query);
      if (next !== null) void reply.header("link", linkToNext("/api/tasks", request.url, next));
      return sendJson(reply, `[${rows.join(",")}]`);
    },
  );

  app.get(
    "/tasks/counts",
    {
      schema: {
        operationId: "countTasks",
        summary: "Count tasks",
        description: "How much there is to do.",
        tags,
        security,
        response: { 200: Type.Unsafe<TaskCounts>(Type.Ref("TaskCounts")), ...errors("UNAUTHENTICATED") },
      },
    },
    async (request) => countTasks(ctx, callerOf(request)),
  );

  app.get(
    "/tasks/:id",
    {
      schema: {
        operationId: "getTask",
        summary: "Read a task",
        tags,
        security,
        params: TaskParams,
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "TASK_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      return sendJson(reply, toRecord(await readTask(ctx, caller, request.params.id), caller));
    },
  );

  app.get(
    "/tasks/:id/poll",
    {
      exposeHeadRoute: false,
      schema: {
        operationId: "pollTask",
        summary: "Wait for the end of a task",
        description:
          "Answers at once when the task has ended, else when it does, else after `timeout` seconds with the current state.",
        tags,
        security,
        params: TaskParams,
        querystring: PollQuery,
        response: {
          200: Type.Unsafe<PollResult>(Type.Ref("PollResult")),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "TASK_NOT_FOUND", "VALIDATION_FAILED"),
        },
      },
    },
    async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once("close", () => {
        if (!reply.raw.writableFinished) gone.abort();
      });
      const seconds = request.query.timeout ?? DEFAULT_POLL_SECONDS;
      const task = await pollTask(ctx, callerOf(request), request.params.id, seconds, gone.signal);
      return sendJson(reply, toPollResult(task));
    },
  );

  app.post(
    "/tasks/:id/complete",
    {
      schema: {
        operationId: "completeTask",
        summary: "Complete a task",
        description:
          "Answers a task. With a verifier the answer may come back as `rejected` (answer again) or end the task as `verification_exhausted`.",
        tags,
        security,
        params: TaskParams,
        body: Type.Unsafe<CompleteTaskBody>(Type.Ref("CompleteTask")),
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "TASK_ALREADY_TERMINAL",
            "TASK_CHANGED",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "VERIFIER_CONFIG_INVALID",
            "VERIFIER_PROVIDER_UNKNOWN",
            "VERIFIER_API_KEY_MISSING",
            "VERIFIER_PROVIDER_UNAVAILABLE",
            "VERIFIER_PROVIDER_ERROR",
            "COMMIT_UNKNOWN",
            "OVERLOADED",
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      return sendJson(reply, toRecord(await completeTask(ctx, caller, request.params.id, request.body), caller));
    },
  );

  app.post(
    "/tasks/:id/cancel",
    {
      schema: {
        operationId: "cancelTask",
        summary: "Cancel a task",
        tags,
        security,
        params: TaskParams,
        body: Type.Unsafe<CancelTaskBody>(Type.Ref("CancelTask")),
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "TASK_ALREADY_TERMINAL",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const task = await cancelTask(ctx, caller, request.params.id, request.body.reason ?? null);
      return sendJson(reply, toRecord(task, caller));
    },
  );

  app.post(
    "/tasks/:id/claim",
    {
      schema: {
        operationId: "claimTask",
        summary: "Claim a task",
        description:
          "Says for ten minutes that the signed-in person is working on it; again renews it. A candidate is assigned by it. It keeps others from starting, never from answering.",
        tags,
        security,
        params: TaskParams,
        body: Type.Unsafe<ClaimTaskBody>(Type.Ref("ClaimTask")),
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors(
            "MALFORMED_REQUEST",
            "CLAIM_NEEDS_A_PERSON",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "TASK_ALREADY_TERMINAL",
            "TASK_ALREADY_CLAIMED",
            "PAYLOAD_TOO_LARGE",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const task = await claimTask(ctx, caller, request.params.id, request.body.force ?? false);
      return sendJson(reply, toRecord(task, caller));
    },
  );

  app.post(
    "/tasks/:id/release",
    {
      schema: {
        operationId: "releaseTask",
        summary: "Release a claim",
        description: "By whoever holds it, or an operator. What a candidate had taken is on offer again.",
        tags,
        security,
        params: TaskParams,
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "TASK_ALREADY_TERMINAL",
            "PAYLOAD_TOO_LARGE",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      return sendJson(reply, toRecord(await releaseTask(ctx, caller, request.params.id), caller));
    },
  );

  app.post(
    "/tasks/:id/assign",
    {
      schema: {
        operationId: "assignTask",
        summary: "Assign a task",
        description: "To one user, to one address, or with null to nobody. Offers to others end.",
        tags,
        security,
        params: TaskParams,
        body: Type.Unsafe<AssignTaskBody>(Type.Ref("AssignTask")),
        response: {
          200: Type.Unsafe<TaskRecord>(Type.Ref("Task")),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "TASK_ALREADY_TERMINAL",
            "PAYLOAD_TOO_LARGE",
            "VALIDATION_FAILED",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      return sendJson(reply, toRecord(await assignTask(ctx, caller, request.params.id, request.body), caller));
    },
  );

  app.get(
    "/tasks/:id/audit",
    {
      schema: {
        operationId: "getAuditTrail",
        summary: "Read a task's audit trail",
        description: "Every transition, oldest first.",
        tags,
        security,
        params: TaskParams,
        response: {
          200: Type.Unsafe<AuditEntryRecord[]>({ type: "array", items: Type.Ref("AuditEntry") }),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "TASK_NOT_FOUND"),
        },
      },
    },
    async (request) => (await readAuditTrail(ctx, callerOf(request), request.params.id)).map(toAuditRecord),
  );

  app.delete(
    "/tasks/:id",
    {
      schema: {
        operationId: "deleteTask",
        summary: "Delete a task",
        description:
          "Removes the task, its documents and what is owed for it. One audit entry stays: which task, who deleted it, when.",
        tags,
        security,
        params: TaskParams,
        response: {
          204: Type.Null({ description: "Deleted." }),
          ...errors(
            "MALFORMED_REQUEST",
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "TASK_NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "COMMIT_UNKNOWN",
          ),
        },
      },
    },
    async (request, reply) => {
      await removeTask(ctx, callerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/events",
    {
      exposeHeadRoute: false,
      schema: {
        operationId: "streamTaskChanges",
        summary: "Hear of changes as they happen",
        description:
          "Server-sent events. `reset`: anything may have changed; always the first one. `task`: `{id, status}` of a task that is new or has changed, within what the caller may see; a deleted one has the status `deleted`. Nothing is sent again: after a break, read what you show anew.",
        tags,
        security,
        response: {
          200: Type.Unsafe<string>({ type: "string", description: "Events, until either side ends it." }),
          ...errors("UNAUTHENTICATED", "FORBIDDEN", "OVERLOADED"),
        },
        produces: ["text/event-stream"],
      },
    },
    async (request, reply) => streamChanges(ctx, callerOf(request), reply),
  );

  app.get(
    "/stats",
    {
      schema: {
        operationId: "getStats",
        summary: "Numbers of the last days",
        tags: ["operations"],
        security,
        querystring: StatsQuery,
        response: {
          200: Type.Unsafe<Stats>(Type.Ref("Stats")),
          ...errors("MALFORMED_REQUEST", "UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_FAILED"),
        },
      },
    },
    async (request) => readStats(ctx, callerOf(request), request.query.window_days ?? 30),
  );
};

/** Shapes that other shapes refer to by name. */
export const taskShapes = [
  CreateTaskBody,
  CompleteTaskBody,
  CancelTaskBody,
  ClaimTaskBody,
  AssignTaskBody,
  TaskRecord,
  ListedTask,
  TaskCounts,
  PollResult,
  AuditEntryRecord,
  Stats,
];
