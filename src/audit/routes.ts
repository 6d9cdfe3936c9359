import { Readable } from "node:stream";
import type { Db } from "../db/database.ts";
import { linkToNext } from "../http/paging.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { pageOf } from "../http/schema.ts";
import { isoTime } from "../lib/time.ts";
import { Type } from "../lib/type.ts";
import type { AgentFinder } from "../people/agent-caller.ts";
import { callerOf } from "../people/caller.ts";
import { exportAudit, listAudit } from "./audit.ts";
import { AuditRecord, ExportAuditQuery, ListAuditQuery } from "./schema.ts";

const tags = ["Operations"];

const listAuditRoute = defineRoute({
  method: "GET",
  url: "/audit",
  operationId: "listAudit",
  summary: "List what happened",
  description:
    'The audit trails of all tasks and the security log in one list, newest first. Operators of a project get the entries of its tasks. The `Link` header with `rel="next"` is the address of the next page.',
  tags,
  credentials: SIGNED_IN,
  querystring: ListAuditQuery,
  answers: { 200: pageOf<AuditRecord>("AuditRecord", "One page.") },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request, reply) => {
    const { rows, next } = await listAudit(ctx, callerOf(request), request.query);
    if (next !== null) void reply.header("link", linkToNext("/api/audit", request.url, next));
    return rows;
  },
});

const TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson; charset=utf-8",
};

const exportAuditRoute = defineRoute({
  method: "GET",
  url: "/audit/export",
  operationId: "exportAudit",
  summary: "Export what happened",
  description:
    "Everything that `GET /api/audit` lists with the same filters, as a file. It is sent while it is read. If something fails in between, the connection is closed before the end of the response, so a complete response has everything. The export is a security event.",
  tags,
  credentials: SIGNED_IN,
  querystring: ExportAuditQuery,
  answers: { 200: Type.Unsafe<Readable>({ type: "string", description: "The file." }) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  produces: ["text/csv", "application/x-ndjson"],
  exposeHeadRoute: false,
  handle: async (ctx: { db: Db; agents: AgentFinder }, request, reply) => {
    const { format } = request.query;
    const parts = await exportAudit(ctx, callerOf(request), request.query);
    const day = isoTime(ctx.db.now()).slice(0, "2026-01-31".length);
    return (
      reply
        .headers({
          "content-type": TYPES[format],
          "content-disposition": `attachment; filename="audit-${day}.${format}"`,
          "cache-control": "no-store",
        })
        // One part at a time: the next is read when this one is on its way.
        .send(Readable.from(parts, { objectMode: false, highWaterMark: 1 }))
    );
  },
});

/** What happened to tasks, people, keys and settings, for operators. No route changes it. */
export const auditRoutes = mount<{ db: Db; agents: AgentFinder }>([listAuditRoute, exportAuditRoute]);

export const auditShapes = [AuditRecord];
