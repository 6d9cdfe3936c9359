import { TestMistake } from "./mistake.ts";
import { Refusal } from "./refusal.ts";
import { keyIn, parseBody, readCancellation, readCompletion, readCreation, readList, readPoll } from "./requests.ts";
import { isTerminal, outcomeOf, type Actor, type Found, type Tasks } from "./tasks.ts";

/** Resolves once the task has ended or is gone, or the time is over. */
export type Hold = (id: string, ms: number, signal: AbortSignal) => Promise<void>;

export interface RoutesOptions {
  baseUrl: string;
  token: string;
  tasks: Tasks;
  /** Creates the task of a body whose key is not bound. */
  create: (request: ReturnType<typeof readCreation>) => Found["record"];
  remove: Tasks["remove"];
  hold: Hold;
  /** What the test has said wrongly about a task. */
  mistakeOf: (id: string) => TestMistake | undefined;
}

/** Answers as the routes of the service do that the client calls. (spec: Endpoints, Tasks) */
export function createRoutes(options: RoutesOptions): (request: Request, signal: AbortSignal) => Promise<Response> {
  const { baseUrl, token, tasks } = options;
  let lastRequest = 0;

  return async (request, signal) => {
    const requestId = request.headers.get("x-request-id") ?? `req_${++lastRequest}`;
    try {
      const response = await answer(request, signal);
      response.headers.set("x-request-id", requestId);
      return response;
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof TestMistake)) throw error;
      return refuse(error, requestId);
    }
  };

  async function answer(request: Request, signal: AbortSignal): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url);
    const [, area, given, action = "", ...more] = pathname.split("/").slice(1);
    const id = decodeURIComponent(given ?? "");
    const route = `${request.method} ${area}${given === undefined ? "" : "/:id"}${action === "" ? "" : `/${action}`}`;
    const isKnown = pathname.startsWith("/api/") && more.length === 0;
    if (isKnown && route === "POST embed/:id") throw new Refusal("EMBED_NOT_CONFIGURED");
    if (isKnown && !(route in ALLOWED) && route.slice(route.indexOf(" ") + 1) in PATHS)
      throw new Refusal("METHOD_NOT_ALLOWED");
    if (!isKnown || !(route in ALLOWED)) throw new Refusal("NOT_FOUND");
    if (request.headers.get("authorization") !== `Bearer ${token}`) throw new Refusal("UNAUTHENTICATED");

    const mistake = options.mistakeOf(id);
    if (mistake !== undefined) throw mistake;
    const body = async () => parseBody(await request.text(), request.headers.get("content-type"));

    switch (route as keyof typeof ALLOWED) {
      case "POST tasks":
        return create(await body());
      case "GET tasks": {
        const { rows, next } = tasks.list(readList(query));
        if (next === null) return json(200, rows);
        query.delete("offset");
        query.set("cursor", next);
        return json(200, rows, { link: `</api/tasks?${query}>; rel="next"` });
      }
      case "GET tasks/:id":
        return json(200, tasks.get(id));
      case "GET tasks/:id/poll": {
        const seconds = readPoll(query);
        if (!isTerminal(tasks.get(id).status) && seconds > 0) await options.hold(id, seconds * 1000, signal);
        const mistake = options.mistakeOf(id);
        if (mistake !== undefined) throw mistake;
        return json(200, outcomeOf(tasks.get(id)));
      }
      case "GET tasks/:id/audit":
        return json(200, tasks.audit(id));
      case "POST tasks/:id/complete": {
        const { response, completed_by_email, completed_via_channel } = readCompletion(await body());
        const by: Actor = { type: "agent", email: completed_by_email ?? null };
        return json(200, tasks.answer(id, { response, by, via: completed_via_channel ?? null }));
      }
      case "POST tasks/:id/cancel": {
        const reason = readCancellation(await body());
        return json(200, tasks.cancel(id, { type: "agent", email: null }, reason));
      }
      case "DELETE tasks/:id":
        options.remove(id);
        return new Response(null, { status: 204 });
    }
  }

  /** The key is looked up before the rest is checked. */
  function create(body: unknown): Response {
    const bound = tasks.findByKey(keyIn(body), body);
    const { record, isReplay, isMismatch } = bound ?? {
      record: options.create(readCreation(body)),
      isReplay: false,
      isMismatch: false,
    };
    return json(201, record, {
      "idempotent-replayed": String(isReplay),
      ...(isMismatch && { "idempotent-mismatch": "true" }),
    });
  }

  function refuse(error: Refusal | TestMistake, request_id: string): Response {
    const [status, error_code, details] =
      error instanceof Refusal ? [error.status, error.code, error.details] : [400, "TEST_MISTAKE", []];
    const docs = `${baseUrl}/docs/troubleshooting#${error_code}`;
    const body = { error_code, message: error.message, docs, request_id, ...(details.length > 0 && { details }) };
    const headers = { "x-request-id": request_id, ...(status === 401 && { "www-authenticate": "Bearer" }) };
    return json(status, body, headers);
  }
}

const ALLOWED = {
  "POST tasks": true,
  "GET tasks": true,
  "GET tasks/:id": true,
  "GET tasks/:id/poll": true,
  "GET tasks/:id/audit": true,
  "POST tasks/:id/complete": true,
  "POST tasks/:id/cancel": true,
  "DELETE tasks/:id": true,
} as const;

const PATHS = Object.fromEntries(Object.keys(ALLOWED).map((route) => [route.slice(route.indexOf(" ") + 1), true]));

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}
