import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { Logger } from "pino";
import type { Metrics } from "../http/metrics.ts";
import { overdueSeconds } from "../deliveries/claim.ts";
import { ServiceError } from "../errors.ts";
import { callerOf } from "../people/caller.ts";
import { errorBodyOf } from "../http/error-response.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS } from "../http/route.ts";
import { ErrorBodySchema } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { getSecurityTxtRoute } from "./security-txt.ts";

const NAME = "human-task-service";
const tags = ["Operations"];

const Health = Type.Object({
  status: Type.Unsafe<"ok" | "failing">({ type: "string", enum: ["ok", "failing"] }),
  version: Type.String(),
  database: Type.Optional(Type.Unsafe<"ok" | "failing">({ type: "string", enum: ["ok", "failing"] })),
  deliveries: Type.Optional(
    Type.Object({
      overdue_seconds: Type.Number({ description: "Delay of the oldest due delivery, in seconds." }),
    }),
  ),
});

/** An error as any other, with the part that fails. */
const Unhealthy = Type.Object(
  { ...ErrorBodySchema.properties, ...Health.properties },
  { description: "A component is failing. `DATABASE_UNAVAILABLE`" },
);

interface OperationsContext {
  config: Config;
  version: string;
  db: Db;
  log: Logger;
  metrics: Metrics;
}

const getHealthRoute = defineRoute({
  method: "GET",
  url: "/api/health",
  operationId: "getHealth",
  summary: "Readiness",
  description: "503 names the failing component. `live=1` checks only the process.",
  tags,
  querystring: Type.Object({
    live: Type.Optional(Type.Unsafe<"1">({ type: "string", enum: ["1"], description: "Does not query the database." })),
  }),
  answers: { 200: Health, 503: Unhealthy },
  errors: [...QUERY_ERRORS],
  handle: async (ctx: OperationsContext, request, reply) => {
    const { version } = ctx;
    if (request.query.live === "1") return { status: "ok" as const, version };
    try {
      await ctx.db.ping();
      const overdue_seconds = await overdueSeconds(ctx.db);
      return { status: "ok" as const, version, database: "ok" as const, deliveries: { overdue_seconds } };
    } catch (error) {
      ctx.log.warn({ err: error }, "The database does not answer");
      const failure = new ServiceError("DATABASE_UNAVAILABLE", { message: "The database does not answer." });
      return reply
        .code(503)
        .header("retry-after", 1)
        .send({ ...errorBodyOf(ctx, request, failure), status: "failing", version, database: "failing" });
    }
  },
});

const getVersionRoute = defineRoute({
  method: "GET",
  url: "/api/version",
  operationId: "getVersion",
  summary: "The running version",
  description: "The name and the release of the service. Deploys and clients check it.",
  tags,
  answers: { 200: Type.Object({ name: Type.String(), version: Type.String() }) },
  errors: [],
  handle: async (ctx: OperationsContext) => ({ name: NAME, version: ctx.version }),
});

const getMetricsRoute = defineRoute({
  method: "GET",
  url: "/metrics",
  operationId: "getMetrics",
  summary: "Metrics for Prometheus",
  description: "The metrics of this process, as Prometheus text. Needs the admin token.",
  tags,
  credentials: ["bearer"],
  answers: { 200: Type.Unsafe<string>({ type: "string", description: "Prometheus text format." }) },
  errors: [...READ_ERRORS],
  produces: ["text/plain"],
  handle: async (ctx: OperationsContext, request, reply) => {
    if (callerOf(request).kind !== "admin") throw new ServiceError("FORBIDDEN");
    const { registry } = ctx.metrics;
    return reply
      .type(registry.contentType)
      .serializer(String)
      .send(await registry.metrics());
  },
});

/** Is it up, what is it, how is it doing. (spec: Other) */
export const operationsRoutes = mount([getHealthRoute, getVersionRoute, getMetricsRoute, getSecurityTxtRoute]);
