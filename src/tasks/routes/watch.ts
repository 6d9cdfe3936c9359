import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../../http/route.ts";
import { InProjectQuery } from "../../http/schema.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import { streamChanges, type StreamContext } from "../event-stream.ts";
import { toPollResult } from "../record.ts";
import { PollQuery, TaskParams, type PollResult } from "../schema.ts";
import { pollTask, type PollContext } from "../tasks.ts";

const tags = ["Tasks"];

const DEFAULT_POLL_SECONDS = 25;

export const pollTaskRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/poll",
  operationId: "pollTask",
  summary: "Poll a task",
  description:
    "Returns when the task closes, with `until=attention` also when a question to the asker waits for its reply, immediately if it is so already, or after `timeout` seconds with the current state.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  querystring: PollQuery,
  answers: { 200: Type.Unsafe<PollResult>(Type.Ref("PollResult")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "TASK_NOT_FOUND"],
  exposeHeadRoute: false,
  handle: async (ctx: PollContext, request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const { timeout: timeoutSeconds = DEFAULT_POLL_SECONDS, until } = request.query;
    const task = await pollTask(ctx, callerOf(request), request.params.id, timeoutSeconds, gone.signal, until);
    return sendJson(reply, toPollResult(task));
  },
});

export const streamTaskChangesRoute = defineRoute({
  method: "GET",
  url: "/events",
  operationId: "streamTaskChanges",
  summary: "Stream task changes",
  description:
    "Server-sent events. `reset` is always the first event; it means that anything may have changed. `task` has the `{id, status}` of a task that was created or changed and that the caller may see. A deleted task has the status `deleted`. `replaced` is the last event of the oldest stream when its person opens more than 20; clients that follow `retry` connect again after ten minutes. Events are not repeated: after a lost connection, reload the tasks that you show.",
  tags,
  credentials: SIGNED_IN,
  querystring: InProjectQuery,
  answers: {
    200: Type.Unsafe<string>({ type: "string", description: "Events, until either side closes the connection." }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "OVERLOADED", "PROJECT_NOT_FOUND"],
  produces: ["text/event-stream"],
  exposeHeadRoute: false,
  handle: async (ctx: StreamContext, request, reply) =>
    streamChanges(ctx, callerOf(request), request.query.project ?? null, reply),
});
