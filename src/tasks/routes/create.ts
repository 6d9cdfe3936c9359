import type { Metrics } from "../../http/metrics.ts";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import { createTask, type CreationContext } from "../create.ts";
import { recordAfter } from "../record-for.ts";
import type { TaskRecord } from "../schema.ts";

const tags = ["Tasks"];

export const createTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks",
  operationId: "createTask",
  summary: "Create a task",
  description:
    "Idempotent by `idempotency_key`. If a task with this key exists, whatever its status, the response is that task, with `Idempotent-Replayed: true`.",
  tags,
  credentials: SIGNED_IN,
  body: Type.Ref("CreateTask"),
  answers: {
    201: Type.Unsafe<TaskRecord>({
      ...Type.Ref("Task"),
      description: "The new task, or the existing task with this key.",
      headers: {
        "Idempotent-Replayed": {
          description: "`true` if the task existed before.",
          schema: { type: "string", enum: ["true", "false"] },
        },
        "Idempotent-Mismatch": {
          description: "`true` if the request differs from the request that created the task.",
          schema: { type: "string", enum: ["true"] },
        },
      },
    }),
  },
  errors: [
    ...WRITE_ERRORS,
    "VALIDATION_FAILED",
    "ACTION_AND_SCHEMAS",
    "APPROVALS_NEED_ACTION",
    "RESPONSE_SCHEMA_NOT_OBJECT",
    "VERIFIER_CONFIG_INVALID",
    "VERIFIER_PROVIDER_UNKNOWN",
    "OVERLOADED",
    "AGENT_LIMIT",
    "RECIPIENT_NOT_ALLOWED",
    "PROJECT_ARCHIVED",
  ],
  attachValidation: true,
  handle: async (ctx: CreationContext & { metrics: Metrics }, request, reply) => {
    const caller = callerOf(request);
    const { task, isReplay, isMismatch } = await createTask(ctx, caller, request.body, request.validationError ?? null);
    (isReplay ? ctx.metrics.tasksReplayed : ctx.metrics.tasksCreated).inc();
    void reply.code(201).header("idempotent-replayed", String(isReplay));
    if (isMismatch) void reply.header("idempotent-mismatch", "true");
    return sendJson(reply, await recordAfter(ctx.db, task, caller));
  },
});
