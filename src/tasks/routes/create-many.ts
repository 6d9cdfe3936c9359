import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { errorBodyOf, logFailure } from "../../http/error-response.ts";
import type { Metrics } from "../../http/metrics.ts";
import { defineRoute, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { ServiceError } from "../../errors.ts";
import { joinJson, type JsonText } from "../../lib/json.ts";
import { callerOf, type Caller } from "../../people/caller.ts";
import type { Created, CreationContext } from "../create.ts";
import { createTasks } from "../create-many.ts";
import { recordAfter } from "../record-for.ts";
import { BATCH_TASKS_MAX, CreateTasksBody, UncheckedTasksBody, type CreationResult } from "../schema.ts";
import { Type } from "../../lib/type.ts";

/** Maximum length of the existing tasks in one answer. New tasks are as long as the request. */
const REPLAYED_CHARACTERS_MAX = 4_000_000;

const CREATE_TASK = Type.Ref("CreateTask");

interface BatchContext extends CreationContext {
  metrics: Metrics;
  log: Logger;
}

export const createTasksRoute = defineRoute({
  method: "POST",
  url: "/tasks/batch",
  operationId: "createTasks",
  summary: "Create many tasks",
  description: `Creates 1 to ${BATCH_TASKS_MAX} tasks. Each is checked, limited and stored as by \`POST /api/tasks\`, and has its own result in the same place. One that is refused does not hinder the others. Of two with the same key, the second returns the task of the first. The whole body may be as large as that of one task. After a 503, some of the tasks may exist: send the same request again, and each key returns its task.`,
  tags: ["Tasks"],
  credentials: SIGNED_IN,
  body: CreateTasksBody,
  checkedBody: UncheckedTasksBody,
  answers: {
    200: Type.Unsafe<{ results: CreationResult[] }>({
      type: "object",
      properties: { results: { type: "array", items: Type.Ref("CreationResult") } },
      required: ["results"],
      description: "What became of each task, in the order of the request.",
    }),
  },
  errors: [...WRITE_ERRORS, "OVERLOADED"],
  attachValidation: true,
  handle: async (ctx: BatchContext, request, reply) => {
    if (request.validationError) throw asMalformed(request.validationError);
    const caller = callerOf(request);
    const { tasks } = request.body;
    const { server, method, url } = request;
    const validate = server.validatorCompiler!({ schema: CREATE_TASK, method, url, httpPart: "body" });
    const errors: ServiceError[] = [];
    let characters = 0;
    const results = await createTasks(ctx, caller, tasks, {
      check: (body) => (validate(body) as { error?: Error }).error ?? null,
      answer: async (outcome) => {
        if (outcome instanceof ServiceError) {
          errors.push(outcome);
          return refusal(ctx, request, outcome);
        }
        (outcome.isReplay ? ctx.metrics.tasksReplayed : ctx.metrics.tasksCreated).inc();
        if (outcome.isReplay) characters += lengthOf(outcome);
        return resultOf(ctx, caller, outcome, !outcome.isReplay || characters <= REPLAYED_CHARACTERS_MAX);
      },
    });
    request.partErrors = errors;
    return sendJson(reply, `{"results":[${results.join(",")}]}`);
  },
});

/** The status of the whole only says whether there are tasks: each has its own. */
function asMalformed(problem: Error): ServiceError {
  const { details } = problem as ServiceError;
  return new ServiceError("MALFORMED_REQUEST", details && { details });
}

async function resultOf(
  { db }: BatchContext,
  caller: Caller,
  { task, isReplay, isMismatch }: Created,
  hasRecord: boolean,
): Promise<JsonText> {
  return joinJson({ status: isReplay ? 200 : 201 }, hasRecord ? { task: await recordAfter(db, task, caller) } : {}, {
    id: task.id,
    ...(isReplay && { mismatch: isMismatch }),
  });
}

function refusal(ctx: BatchContext, request: FastifyRequest, error: ServiceError): JsonText {
  logFailure(ctx, request, error);
  const result: CreationResult = { status: error.status, error: errorBodyOf(ctx, request, error) };
  if (error.retryAfter !== undefined) result.retry_after = error.retryAfter;
  return JSON.stringify(result);
}

/** Returns about how long the record of a task is. */
function lengthOf({ task }: Created): number {
  return (
    task.listed_length + task.schemas_length + (task.response?.length ?? 0) + (task.rejected_response?.length ?? 0)
  );
}
