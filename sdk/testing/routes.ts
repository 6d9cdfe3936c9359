import { ServiceError } from "../../src/errors.ts";
import { linkToNext } from "../../src/http/paging.ts";
import { actorOf, completerOf } from "../../src/tasks/attribution.ts";
import { isTerminal } from "../../src/tasks/lifecycle.ts";
import type { TaskRecord } from "../shapes.ts";
import { addComment, ASKER, listComments, listVersions, reviseTask } from "./conversation.ts";
import { listTasks } from "./list.ts";
import type { TestMistake } from "./mistake.ts";
import {
  keyIn,
  parseBody,
  readBatch,
  readCancellation,
  readComment,
  readCompletion,
  readCreation,
  readExtension,
  readList,
  readPoll,
  readRevising,
  type Creation,
} from "./requests.ts";
import {
  ADMIN,
  answerTask,
  cancelTask,
  extendTask,
  findByKey,
  getOutcome,
  getTask,
  readTrail,
  type Tasks,
} from "./tasks.ts";

/** Resolves once the task has ended or is deleted, or the time is over. Attentive ones also do once a question is asked. */
export type Hold = (id: string, ms: number, signal: AbortSignal, isAttentive: boolean) => Promise<void>;

export interface Routes {
  token: string;
  tasks: Tasks;
  /** Creates the task of a body with an unused key. */
  create: (creation: Creation) => TaskRecord;
  remove: (id: string) => void;
  hold: Hold;
  /** Returns the mistake in the test's rules for a task. */
  mistakeOf: (id: string) => TestMistake | undefined;
}

/** A request whose route is known. */
interface Call {
  id: string;
  request: Request;
  query: URLSearchParams;
  signal: AbortSignal;
  requestId: string;
}

/**
 * Answers like the routes of the service that the client calls. (spec: Endpoints, Tasks)
 * @throws ServiceError, TestMistake
 */
export async function answerRequest(
  routes: Routes,
  request: Request,
  signal: AbortSignal,
  requestId: string,
): Promise<Response> {
  const { route, id, query } = routeOf(request);
  if (request.headers.get("authorization") !== `Bearer ${routes.token}`) throw new ServiceError("UNAUTHENTICATED");
  requireNoMistake(routes, id);
  return HANDLERS[route](routes, { id, request, query, signal, requestId });
}

function requireNoMistake({ mistakeOf }: Routes, id: string): void {
  const mistake = mistakeOf(id);
  if (mistake !== undefined) throw mistake;
}

const HANDLERS = {
  "POST tasks": async ({ tasks, create }: Routes, { request }: Call) => {
    const body = await bodyOf(request);
    // The key is looked up before the rest is checked.
    const bound = findByKey(tasks, keyIn(body), body);
    return json(201, bound?.record ?? create(readCreation(body)), {
      "idempotent-replayed": String(bound !== null),
      ...(bound?.isMismatch === true && { "idempotent-mismatch": "true" }),
    });
  },
  "POST tasks/batch": async ({ tasks, create }: Routes, { request, requestId }: Call) => {
    const { origin } = new URL(request.url);
    const results: unknown[] = [];
    for (const body of readBatch(await bodyOf(request))) {
      try {
        const bound = findByKey(tasks, keyIn(body), body);
        const task = bound?.record ?? create(readCreation(body));
        results.push({ status: bound ? 200 : 201, id: task.id, task, ...(bound && { mismatch: bound.isMismatch }) });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        results.push({ status: error.status, error: await refusal(error, origin, requestId).json() });
      }
    }
    return json(200, { results });
  },
  "GET tasks": async ({ tasks }: Routes, { request, query }: Call) => {
    const { rows, next } = listTasks(tasks, readList(query));
    return json(200, rows, next === null ? {} : { link: linkToNext("/api/tasks", request.url, next) });
  },
  "GET tasks/:id": async ({ tasks }: Routes, { id }: Call) => json(200, getTask(tasks, id)),
  "GET tasks/:id/poll": async (routes: Routes, { id, query, signal }: Call) => {
    const { seconds, until } = readPoll(query);
    const isAttentive = until === "attention";
    const { status, waiting_on } = getTask(routes.tasks, id);
    const isOver = isTerminal(status) || (isAttentive && waiting_on === "agent");
    if (!isOver && seconds > 0) await routes.hold(id, seconds * 1000, signal, isAttentive);
    requireNoMistake(routes, id);
    return json(200, getOutcome(routes.tasks, id));
  },
  "GET tasks/:id/audit": async ({ tasks }: Routes, { id }: Call) => json(200, readTrail(tasks, id)),
  "POST tasks/:id/complete": async ({ tasks }: Routes, { id, request }: Call) => {
    const body = readCompletion(await bodyOf(request));
    const by = completerOf(ADMIN, body);
    const answer = { response: body.response, by, version: body.version ?? null };
    return json(200, answerTask(tasks, id, answer, actorOf(ADMIN, by.email)));
  },
  "GET tasks/:id/comments": async ({ tasks }: Routes, { id }: Call) => json(200, listComments(tasks, id)),
  "POST tasks/:id/comments": async ({ tasks }: Routes, { id, request }: Call) => {
    const { comment, isReplay } = addComment(tasks, id, ASKER, readComment(await bodyOf(request)));
    return json(201, comment, { "idempotent-replayed": String(isReplay) });
  },
  "POST tasks/:id/revise": async ({ tasks }: Routes, { id, request }: Call) => {
    const { task, isReplay } = reviseTask(tasks, id, readRevising(await bodyOf(request)));
    return json(200, task, { "idempotent-replayed": String(isReplay) });
  },
  "GET tasks/:id/versions": async ({ tasks }: Routes, { id }: Call) => json(200, listVersions(tasks, id)),
  "POST tasks/:id/cancel": async ({ tasks }: Routes, { id, request }: Call) =>
    json(200, cancelTask(tasks, id, actorOf(ADMIN), readCancellation(await bodyOf(request)))),
  "PATCH tasks/:id": async ({ tasks }: Routes, { id, request }: Call) =>
    json(200, extendTask(tasks, id, actorOf(ADMIN), readExtension(await bodyOf(request)))),
  "DELETE tasks/:id": async ({ remove }: Routes, { id }: Call) => {
    remove(id);
    return new Response(null, { status: 204 });
  },
} as const;

type Route = keyof typeof HANDLERS;

/** The paths of these routes, for any method. */
const PATHS: ReadonlySet<string> = new Set(Object.keys(HANDLERS).map(pathIn));

function pathIn(route: string): string {
  return route.slice(route.indexOf(" ") + 1);
}

/** @throws ServiceError NOT_FOUND, METHOD_NOT_ALLOWED, EMBED_NOT_CONFIGURED */
function routeOf({ method, url }: Request): { route: Route; id: string; query: URLSearchParams } {
  const { pathname, searchParams: query } = new URL(url);
  const [, area, given, action = "", ...more] = pathname.split("/").slice(1);
  const route = `${method} ${area}${given === undefined ? "" : "/:id"}${action === "" ? "" : `/${action}`}`;
  if (route === "POST tasks/:id" && given === "batch") return { route: "POST tasks/batch", id: "", query };
  if (!pathname.startsWith("/api/") || more.length > 0) throw new ServiceError("NOT_FOUND");
  if (route === "POST embed/:id") throw new ServiceError("EMBED_NOT_CONFIGURED");
  if (!isRoute(route)) throw new ServiceError(PATHS.has(pathIn(route)) ? "METHOD_NOT_ALLOWED" : "NOT_FOUND");
  return { route, id: decodeURIComponent(given ?? ""), query };
}

function isRoute(route: string): route is Route {
  return Object.hasOwn(HANDLERS, route);
}

async function bodyOf(request: Request): Promise<unknown> {
  return parseBody(await request.text(), request.headers.get("content-type"));
}

/** Returns the answer to a refused request. (spec: Errors) */
export function refusal(error: ServiceError | TestMistake, baseUrl: string, request_id: string): Response {
  const isOfService = error instanceof ServiceError;
  const [status, error_code] = isOfService ? [error.status, error.code] : [400, "TEST_MISTAKE"];
  const details = (isOfService ? error.details : undefined) ?? [];
  const docs = `${baseUrl}/docs/troubleshooting#${error_code}`;
  const { version } = error as { version?: number };
  const body = {
    error_code,
    message: error.message,
    docs,
    request_id,
    ...(details.length > 0 && { details }),
    ...(version !== undefined && { version }),
  };
  return json(status, body, status === 401 ? { "www-authenticate": "Bearer" } : {});
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}
