import { Readable } from "node:stream";
import type { Db } from "../../db/database.ts";
import { defineRoute, QUERY_ERRORS, SIGNED_IN } from "../../http/route.ts";
import { isoTime } from "../../lib/time.ts";
import { Type } from "../../lib/type.ts";
import type { AgentFinder } from "../../people/agent-caller.ts";
import { callerOf } from "../../people/caller.ts";
import { exportTasks } from "../export.ts";
import { ExportTasksQuery, type ExportFormat } from "../schema.ts";

const TYPES: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson; charset=utf-8",
};

export const exportTasksRoute = defineRoute({
  method: "GET",
  url: "/tasks/export",
  operationId: "exportTasks",
  summary: "Export tasks",
  description:
    "All tasks that `GET /api/tasks` lists with the same filters, as a file. It is sent while it is read. If something fails in between, the connection is closed before the end of the response, so a complete response has every task.",
  tags: ["Tasks"],
  credentials: SIGNED_IN,
  querystring: ExportTasksQuery,
  answers: { 200: Type.Unsafe<Readable>({ type: "string", description: "The file." }) },
  errors: [...QUERY_ERRORS, "UNAUTHENTICATED", "FORBIDDEN", "PROJECT_NOT_FOUND"],
  produces: ["text/csv", "application/x-ndjson"],
  exposeHeadRoute: false,
  handle: async (ctx: { db: Db; agents: AgentFinder }, request, reply) => {
    const { format } = request.query;
    const parts = await exportTasks(ctx, callerOf(request), request.query);
    const day = isoTime(ctx.db.now()).slice(0, "2026-01-31".length);
    return (
      reply
        .headers({
          "content-type": TYPES[format],
          "content-disposition": `attachment; filename="tasks-${day}.${format}"`,
          "cache-control": "no-store",
        })
        // One part at a time: the next is read when this one is on its way.
        .send(Readable.from(parts, { objectMode: false, highWaterMark: 1 }))
    );
  },
});
