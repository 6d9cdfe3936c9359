import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
} from "fastify";
import { agentRoutes, agentShapes } from "./agents/routes.ts";
import { projectRoutes, projectShapes } from "./projects/routes.ts";
import { calendarRoutes, calendarShapes } from "./calendars/routes.ts";
import { CHANNELS } from "./channels/registered.ts";
import { channelRoutes, channelShapes } from "./channels/routes.ts";
import type { Context } from "./context.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { deliveryRoutes, deliveryShapes } from "./deliveries/routes.ts";
import { embedPage } from "./embed/page.ts";
import { reviewRoutes, reviewShapes } from "./embed/review.ts";
import { embedRoutes, embedShapes } from "./embed/routes.ts";
import { ServiceError } from "./errors.ts";
import { deferUntilResponse } from "./deliveries/after-response.ts";
import { connectionRoutes, connectionShapes } from "./connections/routes.ts";
import { hookRoutes, hookShapes } from "./hooks/routes.ts";
import { subscriptionRoutes, subscriptionShapes } from "./subscriptions/routes.ts";
import { fileRoutes } from "./files/routes.ts";
import { acceptJson } from "./http/body.ts";
import { serveBuilt } from "./http/built.ts";
import { endConnections } from "./http/connections.ts";
import { docsRoutes, describeApi } from "./http/docs.ts";
import {
  answerErrors,
  createConnectionErrorHandler,
  createFrameworkErrorHandler,
  rejectUnroutable,
  safeHeaders,
} from "./http/error-response.ts";
import { refuseCrossSite } from "./http/same-origin.ts";
import { ErrorBodySchema } from "./http/schema.ts";
import { createSerializerCompiler } from "./http/serialization.ts";
import { notificationRoutes, notificationShapes } from "./notifications/routes.ts";
import { operationsRoutes } from "./operations/routes.ts";
import { securityEventRoutes, securityEventShapes } from "./operations/security-events.ts";
import { auditRoutes, auditShapes } from "./audit/routes.ts";
import { resealRoutes } from "./operations/reseal.ts";
import { settingsRoutes, settingsShapes } from "./operations/settings.ts";
import { createValidatorCompiler } from "./http/validation.ts";
import { mcpRoutes } from "./mcp-route/mcp.ts";
import { reviewMcpRoutes } from "./mcp-route/review.ts";
import { MINUTE, SECOND } from "./lib/time.ts";
import { onFirstUse } from "./lib/on-first-use.ts";
import { callerOf, type Caller } from "./people/caller.ts";
import { actorOf } from "./people/actor.ts";
import { requireConfirmed } from "./people/confirmation.ts";
import { requireUnlimited } from "./people/passkeys/requirement.ts";
import { requireTakenHere } from "./people/personal-tokens/scope.ts";
import { createIdentify } from "./people/identify.ts";
import { sourceOf } from "./people/rate-limits.ts";
import { peopleRoutes, peopleShapes } from "./people/routes.ts";
import { describeRequest, observeFailures } from "./security/observe.ts";
import { COMMAND_LINE, duringRequest } from "./security/request.ts";
import { templateRoutes, templateShapes } from "./templates/routes.ts";
import { taskRoutes, taskShapes } from "./tasks/routes.ts";
import { viewRoutes, viewShapes } from "./views/routes.ts";

/** How long the head and the body of a request may take to arrive; an answer may take longer (polls do). */
const ARRIVAL_MS = 30 * SECOND;
/** Longer than the usual idle limit of load balancers, so that it is never us who close a connection first. */
const KEEP_ALIVE_MS = 75 * SECOND;
const HEADER_BYTES = 16 * 1024;

/** What schemas of routes refer to by its `$id`. */
const SHAPES = [
  ErrorBodySchema,
  ...taskShapes(CHANNELS),
  ...agentShapes,
  ...projectShapes,
  ...calendarShapes,
  ...templateShapes,
  ...viewShapes,
  ...hookShapes,
  ...connectionShapes,
  ...subscriptionShapes,
  ...deliveryShapes,
  ...notificationShapes,
  ...peopleShapes,
  ...channelShapes,
  ...embedShapes,
  ...reviewShapes,
  ...settingsShapes,
  ...securityEventShapes,
  ...auditShapes,
];
/** Apps of one process share what is compiled: it is half of what making one costs, and tests make thousands. */
const compilers = onFirstUse(() => {
  const [validator, serializer] = [createValidatorCompiler(SHAPES), createSerializerCompiler(SHAPES)];
  return () => ({ validator, serializer });
});

function neverNeeded(): never {
  throw new Error("An app has its compilers before it has routes");
}

interface AppOptions {
  /** The command line calls the app within its own process. */
  isCommandLine?: boolean;
}

/** The whole HTTP surface. Opens no port, so that a test can call it. */
export async function createApp(ctx: Context, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = fastify(serverOptions(ctx));
  app.setValidatorCompiler(compilers().validator);
  app.setSerializerCompiler(compilers().serializer);
  answerErrors(app, ctx);
  acceptJson(app, ctx.largeBodies.parse);
  addRequestHooks(app, ctx, options);
  addClosingHooks(app, ctx);
  for (const shape of SHAPES) app.addSchema(shape);
  await mountRoutes(app, ctx);
  app.addHook("onListen", async () => void setImmediate(prepareCreations, app));
  return app;
}

/** Has the check of new tasks compiled, which takes some 30 ms of the event loop. Otherwise the first creation waits for it. */
function prepareCreations(app: FastifyInstance): void {
  app.validatorCompiler?.({ schema: { $ref: "CreateTask#" }, httpPart: "body", method: "POST", url: "/api/tasks" })({});
}

function serverOptions(ctx: Context): FastifyHttpOptions<Server> {
  // Lines of ours name the request where there is one; a logger for each request would be made for nothing.
  const logger: FastifyBaseLogger = Object.create(ctx.log) as FastifyBaseLogger;
  logger.child = () => logger;
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Otherwise Fastify loads compilers of its own, before it is given these.
    schemaController: { compilersFactory: { buildValidator: neverNeeded, buildSerializer: neverNeeded } },
    bodyLimit: ctx.config.limits.bodyBytes,
    requestTimeout: ARRIVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: ARRIVAL_MS,
      connectionsCheckingInterval: MINUTE / 12,
      requireHostHeader: false,
    },
    trustProxy: ctx.config.trustedProxies.length > 0 ? [...ctx.config.trustedProxies] : false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    // The caller's id if it can stand in a log line and a header, else a new one.
    genReqId: ({ headers }) => {
      const given = headers["x-request-id"];
      return typeof given === "string" && /^[\x20-\x7e]{1,128}$/.test(given) ? given : randomUUID();
    },
    forceCloseConnections: "idle",
    exposeHeadRoutes: true,
    return503OnClosing: false,
    frameworkErrors: createFrameworkErrorHandler(ctx),
    clientErrorHandler: createConnectionErrorHandler(ctx),
  };
}

function addRequestHooks(app: FastifyInstance, ctx: Context, { isCommandLine = false }: AppOptions): void {
  const identify = createIdentify(ctx);
  const headers = safeHeaders(ctx.config.publicUrl);
  app.decorateRequest("caller", null);
  // Hooks of every request call back: a promise each would cost more than what they do.
  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(headers).header("x-request-id", request.id);
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined || cookie !== undefined) void reply.header("cache-control", "no-store");
    rejectUnroutable(app, request, reply);
    refuseCrossSite(request, ctx.config.publicUrl);
    const { schema, config } = request.routeOptions;
    // Who asks is of no interest to the rest, which must answer without the database as well.
    if (schema?.security === undefined && config.resolveCaller !== true) return done();
    const caller = (config.authenticate ?? identify)(request);
    // Where the database is asked, the hook gives a promise instead.
    if (caller instanceof Promise)
      return (schema?.security === undefined ? orAnonymous(caller) : caller).then((known) =>
        admit(ctx, request, known),
      );
    admit(ctx, request, caller);
    return done();
  });
  // What a request owes the outside starts once it is answered. After the body was read, since reading it loses the thread.
  const observed = {
    log: ctx.log,
    security: ctx.security,
    actorOf: ({ caller }: FastifyRequest) => (isCommandLine ? COMMAND_LINE : actorOf(caller)),
    networkOf: ({ ip }: FastifyRequest) => sourceOf(ip),
  };
  app.addHook("preHandler", (request, reply, done) =>
    duringRequest(
      () => describeRequest(observed, request),
      () => deferUntilResponse(reply.raw, ctx.deliveries.release, done),
    ),
  );
  observeFailures(app, observed);
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    ctx.metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / SECOND);
    if (ctx.log.isLevelEnabled("debug"))
      ctx.log.debug(
        {
          request_id: request.id,
          ...traceOf(request),
          method: request.method,
          route,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
        },
        "answered",
      );
    done();
  });
}

/** Returns the id of the trace that the caller says the request belongs to. (W3C Trace Context) */
function traceOf({ headers: { traceparent } }: FastifyRequest): { trace_id?: string } {
  const [, trace_id] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(traceparent)) ?? [];
  return trace_id === undefined ? {} : { trace_id };
}

/** A public route answers also if the token of the request is not valid. */
function orAnonymous(caller: Promise<Caller | null>): Promise<Caller | null> {
  return caller.catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 401) return null;
    throw error;
  });
}

function addClosingHooks(app: FastifyInstance, ctx: Context): void {
  // Whoever waits is answered with the current state.
  const connections = endConnections(app.server);
  app.addHook("preClose", async () => {
    connections.begin();
    ctx.waiters.stop();
    ctx.events.stop();
    ctx.previews.stop();
  });
  app.addHook("onClose", async () => connections.done());
}

async function mountRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  await describeApi(app, ctx);
  await app.register(docsRoutes);
  await app.register(operationsRoutes, { ctx });
  await app.register(settingsRoutes, { ctx });
  await app.register(securityEventRoutes, { ctx, prefix: "/api" });
  await app.register(auditRoutes, { ctx, prefix: "/api" });
  await app.register(resealRoutes, { ctx });
  await app.register(taskRoutes, { ctx, prefix: "/api" });
  await app.register(fileRoutes, { ctx, prefix: "/api" });
  await app.register(agentRoutes, { ctx, prefix: "/api" });
  await app.register(projectRoutes, { ctx, prefix: "/api" });
  await app.register(calendarRoutes, { ctx, prefix: "/api" });
  await app.register(templateRoutes, { ctx, prefix: "/api" });
  await app.register(viewRoutes, { ctx, prefix: "/api" });
  await app.register(hookRoutes, { ctx, prefix: "/api" });
  await app.register(connectionRoutes, { ctx, prefix: "/api" });
  await app.register(subscriptionRoutes, { ctx, prefix: "/api" });
  await app.register(notificationRoutes, { ctx, prefix: "/api" });
  await app.register(deliveryRoutes, { ctx, prefix: "/api/admin" });
  await app.register(peopleRoutes, { ctx, prefix: "/api" });
  // What pages beside the dashboard are drawn with.
  const light = await serveBuilt(app, "light", "/light/");
  await app.register(embedRoutes, { ctx: { ctx, isBuilt: light !== null }, prefix: "/api/embed" });
  await app.register(reviewRoutes, { ctx: { ctx, isBuilt: light !== null }, prefix: "/api" });
  await app.register(channelRoutes, { ctx, head: light, prefix: "/api/channels" });
  await app.register(embedPage, { ctx });
  await app.register(mcpRoutes, { ctx });
  await app.register(reviewMcpRoutes, { ctx });
  await app.register(dashboardRoutes);
}

/**
 * Notes who asks. What a route declares is enforced, and before a byte of the body is read.
 * @throws ServiceError UNAUTHENTICATED, FORBIDDEN, PASSKEY_REQUIRED, CONFIRMATION_REQUIRED
 */
function admit({ db }: Context, request: FastifyRequest, caller: Caller | null): void {
  request.caller = caller;
  const { schema, config } = request.routeOptions;
  if (caller !== null) requireUnlimited(caller, config);
  if (schema?.security === undefined) return;
  const known = callerOf(request);
  requireTakenHere(known, config);
  if (config.needsConfirmation === true) requireConfirmed(known, db.now());
}
