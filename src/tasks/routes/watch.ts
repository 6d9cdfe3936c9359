import { Type } from "typebox";
import type { Db } from "../../db/database.ts";
import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { callerOf } from "../../people/caller.ts";
import { streamChanges } from "../event-stream.ts";
import type { TaskEvents } from "../events.ts";
import type { Waiters } from "../poll.ts";
import { toPollResult } from "../record.ts";
import { PollQuery, TaskParams, type PollResult } from "../schema.ts";
import { pollTask } from "../tasks.ts";

const tags = ["tasks"];

const DEFAULT_POLL_SECONDS = 25;

export const pollTaskRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/poll",
  operationId: "pollTask",
  summary: "Wait for the end of a task",
  description:
    "Answers at once when the task has ended, else when it does, else after `timeout` seconds with the current state.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  querystring: PollQuery,
  answers: { 200: Type.Unsafe<PollResult>(Type.Ref("PollResult")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "TASK_NOT_FOUND"],
  exposeHeadRoute: false,
  handle: async (ctx: { db: Db; waiters: Waiters }, request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    const seconds = request.query.timeout ?? DEFAULT_POLL_SECONDS;
    const task = await pollTask(ctx, callerOf(request), request.params.id, seconds, gone.signal);
    return sendJson(reply, toPollResult(task));
  },
});

export const streamTaskChangesRoute = defineRoute({
  method: "GET",
  url: "/events",
  operationId: "streamTaskChanges",
  summary: "Hear of changes as they happen",
  description:
    "Server-sent events. `reset`: anything may have changed; always the first one. `task`: `{id, status}` of a task that is new or has changed, within what the caller may see; a deleted one has the status `deleted`. Nothing is sent again: after a break, read what you show anew.",
  tags,
  credentials: SIGNED_IN,
  answers: { 200: Type.Unsafe<string>({ type: "string", description: "Events, until either side ends it." }) },
  errors: [...READ_ERRORS, "OVERLOADED"],
  produces: ["text/event-stream"],
  exposeHeadRoute: false,
  handle: async (ctx: { db: Db; events: TaskEvents }, request, reply) => streamChanges(ctx, callerOf(request), reply),
});
