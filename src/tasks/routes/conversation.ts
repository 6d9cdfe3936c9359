import { toCommentRecord } from "../../conversation/record.ts";
import { ListCommentsQuery, type AddCommentBody, type CommentRecord } from "../../conversation/schema.ts";
import type { Db } from "../../db/database.ts";
import { linkToNext } from "../../http/paging.ts";
import { pageOf } from "../../http/schema.ts";
import { defineRoute, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../../http/route.ts";
import { sendJson } from "../../http/serialization.ts";
import { Type } from "../../lib/type.ts";
import { callerOf } from "../../people/caller.ts";
import { addComment, readCommentsPage } from "../commenting.ts";
import { recordAfter } from "../record-for.ts";
import { reviseTask, type RevisionContext } from "../revising.ts";
import { TaskParams, type ReviseTaskBody, type TaskRecord, type VersionRecord } from "../schema.ts";
import { readVersions } from "../versions.ts";

const tags = ["Tasks"];

export const listCommentsRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/comments",
  operationId: "listComments",
  summary: "List a task's comments",
  description:
    'What people and the asker said about the task, oldest first. The `Link` header with `rel="next"` is the address of the next page. For those who may read the task.',
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  querystring: ListCommentsQuery,
  answers: { 200: pageOf<CommentRecord>("Comment", "One page of comments.") },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "TASK_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { id } = request.params;
    const { rows, next } = await readCommentsPage(ctx, callerOf(request), id, request.query);
    if (next !== null) void reply.header("link", linkToNext(`/api/tasks/${id}/comments`, request.url, next));
    return rows.map(toCommentRecord);
  },
});

export const addCommentRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/comments",
  operationId: "addComment",
  summary: "Comment on a task, or ask a question",
  description:
    "A question makes the open task wait for its asker (`waiting_on`), who learns of it by polls, callbacks and events. What the asker says answers the questions before it. The deadline stays, and people can still answer the task. A closed task takes comments too, and waits for no one.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<AddCommentBody>(Type.Ref("AddComment")),
  answers: {
    201: Type.Unsafe<CommentRecord>({
      ...Type.Ref("Comment"),
      description: "The new comment, or the existing one with this key.",
      headers: {
        "Idempotent-Replayed": {
          description: "`true` if the comment existed before.",
          schema: { type: "string", enum: ["true", "false"] },
        },
      },
    }),
  },
  errors: [...WRITE_ERRORS, "TASK_NOT_FOUND", "TOO_MANY_COMMENTS", "VALIDATION_FAILED"],
  handle: async (ctx: Parameters<typeof addComment>[0], request, reply) => {
    const { comment, isReplay } = await addComment(ctx, callerOf(request), request.params.id, request.body);
    void reply.code(201).header("idempotent-replayed", String(isReplay));
    return toCommentRecord(comment);
  },
});

export const reviseTaskRoute = defineRoute({
  method: "POST",
  url: "/tasks/:id/revise",
  operationId: "reviseTask",
  summary: "Revise a task",
  description:
    "Changes what an open task asks. `version` becomes one more, approvals begin again, people who were notified of the task are notified of the change, and answers to an earlier version are refused with 409 `TASK_REVISED`. For the asker and operators.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  body: Type.Unsafe<ReviseTaskBody>(Type.Ref("ReviseTask")),
  answers: {
    200: Type.Unsafe<TaskRecord>({
      ...Type.Ref("Task"),
      headers: {
        "Idempotent-Replayed": {
          description: "`true` if this was asked before, and nothing was changed.",
          schema: { type: "string", enum: ["true", "false"] },
        },
      },
    }),
  },
  errors: [
    ...WRITE_ERRORS,
    "TASK_NOT_FOUND",
    "TASK_ALREADY_TERMINAL",
    "TASK_REVISED",
    "TOO_MANY_REVISIONS",
    "VALIDATION_FAILED",
    "NOT_EDITABLE",
  ],
  handle: async (ctx: RevisionContext, request, reply) => {
    const caller = callerOf(request);
    const { task, isReplay } = await reviseTask(ctx, caller, request.params.id, request.body);
    void reply.header("idempotent-replayed", String(isReplay));
    return sendJson(reply, await recordAfter(ctx.db, task, caller));
  },
});

export const listVersionsRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/versions",
  operationId: "listVersions",
  summary: "List a task's versions",
  description:
    "What the task asks and asked before, oldest first; the last is the current one. For those who may read it.",
  tags,
  credentials: SIGNED_IN,
  params: TaskParams,
  answers: { 200: Type.Unsafe<VersionRecord[]>({ type: "array", items: Type.Ref("Version") }) },
  errors: [...READ_ERRORS, "TASK_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readVersions(ctx, callerOf(request), request.params.id),
});
