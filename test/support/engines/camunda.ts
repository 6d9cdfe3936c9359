import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { startStandIn, type Call, type Reply, type Resuming } from "./stand-in.ts";

/*
 * Camunda 8.9. Each rule is from one of:
 *
 * [auth] docs.camunda.io, Orchestration Cluster REST API, "Authentication": none, Basic, or an access token of the client
 *   credentials grant, which SaaS gives for an audience.
 * [api] `zeebe/gateway-protocol/src/main/proto/v2/{user-tasks,jobs,messages,keys}.yaml` of github.com/camunda/camunda: paths,
 *   statuses, fields; no others are taken. Searches are eventually consistent.
 * [errors] `ErrorMapper` and `RestErrorMapper` there: NOT_FOUND is 404, ALREADY_EXISTS and INVALID_STATE are 409, each the title of a
 *   problem document.
 * [state] `UserTaskCommandPreconditionChecker` and `JobCommandPreconditionChecker` there: what ended is not found; what is in another
 *   state is INVALID_STATE.
 * [messages] docs.camunda.io, Components, Concepts, "Messages": buffering for the time to live, and uniqueness of name, correlation key
 *   and message id while a message is buffered; a message goes to one subscription of a process.
 */

const CLIENT = { client_id: "waiting-room", client_secret: "s3cret~client", audience: "zeebe.camunda.io" };
const USER = { username: "demo", password: "s3cret~user" };

type Auth = "oauth" | "basic" | "none";

interface Job {
  state: "CREATED" | "COMPLETED" | "CANCELED" | "FAILED";
  /** What searches say. */
  shown: string | null;
  received: unknown[];
}

interface Publication {
  name: string;
  correlationKey?: string;
  messageId?: string;
  timeToLive?: number;
  variables?: unknown;
}

interface Message extends Required<Omit<Publication, "timeToLive" | "variables">> {
  until: number;
  variables: unknown;
  isCorrelated: boolean;
}

export interface Camunda extends Engine {
  log: string[];
  /** Begins something of that sort. A process waits for its message only after `subscribe`. */
  waitFor(sort: "user_task" | "job" | "message"): Promise<Waiting>;
  /** The process reaches its message event. */
  subscribe(waiting: Waiting): void;
  /** What becomes of a user task or a job without the attempt. `isShown`: searches say so already. */
  end(waiting: Waiting, state: Job["state"], isShown: boolean): void;
  /** Searches show how everything is now. */
  catchUp(): void;
  /** How much later it is, in milliseconds. */
  elapse(ms: number): void;
  revokeTokens(): void;
  /** What the token endpoint answers next, in order. */
  tokenScript: Reply[];
}

export async function startCamunda(t: TestContext, auth: Auth = "oauth", expiresIn = 3600): Promise<Camunda> {
  const things = new Map<string, Job>();
  const messages: Message[] = [];
  const subscriptions: { name: string; correlationKey: string; received: unknown[] }[] = [];
  const tokenScript: Reply[] = [];
  let tokens = new Set<string>();
  let keys = 2251799813685248;
  let now = 0;

  const standIn = await startStandIn(t, (call) => {
    if (call.path === "/oauth/token") return giveToken(call);
    const path = /^\/v2(\/.*)$/.exec(call.path)?.[1];
    if (path === undefined) return { status: 404, body: { status: 404, error: "Not Found", path: call.path } };
    if (!isAuthenticated(call.headers.authorization)) return problem(401, "Unauthorized");
    const isJson = /^application\/json\b/.test(call.headers["content-type"] ?? "");
    if (call.method === "GET" && path === "/topology") return { status: 200, body: { brokers: [], clusterSize: 1 } };
    if (call.method === "POST" && !isJson) return problem(415, "Unsupported Media Type");
    const [, collection, key] = /^\/(user-tasks|jobs)\/([^/]+)\/completion$/.exec(path) ?? [];
    if (call.method === "POST" && key !== undefined) return complete(`${collection}/${key}`, key, call.body);
    const searched = /^\/(user-tasks|jobs)\/search$/.exec(path)?.[1];
    if (call.method === "POST" && searched !== undefined) return search(searched, call.body);
    if (call.method === "POST" && path === "/messages/publication") return publish(call.body);
    return problem(404, "Not Found", `No static resource ${path.slice(1)}.`);
  });

  /** [auth] */
  function giveToken({ method, headers, body }: Call): Reply {
    const scripted = tokenScript.shift();
    if (scripted !== undefined) return scripted;
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const form = new URLSearchParams(body);
    if (method !== "POST" || !isForm) return { status: 405 };
    if (form.get("grant_type") !== "client_credentials")
      return { status: 400, body: { error: "unsupported_grant_type" } };
    for (const [name, value] of Object.entries(CLIENT))
      if (form.get(name) !== value) return { status: 401, body: { error: "access_denied", error_description: name } };
    const access_token = `token-${tokens.size}-${keys++}`;
    tokens.add(access_token);
    return { status: 200, body: { access_token, token_type: "Bearer", expires_in: expiresIn, scope: "zeebe" } };
  }

  function isAuthenticated(given: string | undefined): boolean {
    if (auth === "none") return true;
    if (auth === "oauth") return tokens.has(given?.replace(/^Bearer /, "") ?? "");
    return given === `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString("base64")}`;
  }

  /** [api] [state] */
  function complete(id: string, key: string, body: string): Reply | Resuming {
    if (!/^-?[0-9]{1,19}$/.test(key)) return problem(400, "Bad Request", "The provided key is no number.");
    const given = read(body, ["variables", "action", "result"]);
    if (given === null) return problem(400, "Bad Request", "Request property cannot be parsed");
    return {
      act: () => {
        const thing = things.get(id);
        if (thing === undefined || thing.state === "COMPLETED" || thing.state === "CANCELED")
          return problem(404, "NOT_FOUND", `Expected to complete ${id}, but no such thing was found`);
        if (thing.state !== "CREATED") return problem(409, "INVALID_STATE", `it is in state '${thing.state}'`);
        thing.state = "COMPLETED";
        thing.received.push(given["variables"]);
        return { status: 204 };
      },
    };
  }

  /** [api] */
  function search(collection: string, body: string): Reply {
    const field = collection === "jobs" ? "jobKey" : "userTaskKey";
    const filter = read(body, ["filter", "sort", "page"])?.["filter"] as Record<string, unknown> | undefined;
    if (typeof filter?.[field] !== "string" || Object.keys(filter).length !== 1) return problem(400, "Bad Request");
    const shown = things.get(`${collection}/${filter[field]}`)?.shown ?? null;
    const items = shown === null ? [] : [{ [field]: filter[field], state: shown }];
    return { status: 200, body: { items, page: { totalItems: items.length } } };
  }

  /** [messages] */
  function publish(body: string): Reply | Resuming {
    const given = read(body, ["name", "correlationKey", "timeToLive", "messageId", "variables", "tenantId"]);
    if (given === null || typeof given["name"] !== "string")
      return problem(400, "INVALID_ARGUMENT", "No name provided");
    return {
      act: () => {
        const {
          name,
          correlationKey = "",
          messageId = "",
          timeToLive = 0,
          variables,
        } = given as unknown as Publication;
        const isBuffered = messages.some(
          (one) =>
            messageId !== "" &&
            one.until > now &&
            one.name === name &&
            one.correlationKey === correlationKey &&
            one.messageId === messageId,
        );
        if (isBuffered) return problem(409, "ALREADY_EXISTS", "a message with that id was already published");
        messages.push({ name, correlationKey, messageId, until: now + timeToLive, variables, isCorrelated: false });
        correlate();
        return { status: 200, body: { messageKey: String(keys++), tenantId: "<default>" } };
      },
    };
  }

  function correlate(): void {
    for (const message of messages) {
      const index = subscriptions.findIndex(
        ({ name, correlationKey }) => name === message.name && correlationKey === message.correlationKey,
      );
      if (message.isCorrelated || index === -1) continue;
      message.isCorrelated = true;
      subscriptions.splice(index, 1)[0]!.received.push(message.variables);
    }
  }

  const idOf = ({ entry }: Waiting) =>
    entry["job_key"] === undefined
      ? `user-tasks/${entry["user_task_key"] as string}`
      : `jobs/${entry["job_key"] as string}`;
  const subscribe = ({ entry, received }: Waiting) => {
    subscriptions.push({
      name: entry["message_name"] as string,
      correlationKey: entry["correlation_key"] as string,
      received,
    });
    correlate();
  };
  const waitFor: Camunda["waitFor"] = async (sort) => {
    const key = String(keys++);
    const received: unknown[] = [];
    if (sort === "message")
      return { entry: { message_name: "Refund decided", correlation_key: `refund ${key}` }, received };
    things.set(`${sort === "job" ? "jobs" : "user-tasks"}/${key}`, { state: "CREATED", shown: "CREATED", received });
    return { entry: { [`${sort}_key`]: key }, received };
  };
  const address = {
    oauth: { ...CLIENT, client_secret: undefined, token_url: `${standIn.url}/oauth/token` },
    basic: { username: USER.username },
    none: {},
  }[auth];
  return {
    ...standIn,
    connection: {
      address: JSON.parse(JSON.stringify({ url: standIn.url, ...address })) as Record<string, unknown>,
      secret: { oauth: CLIENT.client_secret, basic: USER.password, none: null }[auth],
    },
    tokenScript,
    waitFor,
    wait: () => waitFor("user_task"),
    subscribe,
    end: (waiting, state, isShown) => {
      const thing = things.get(idOf(waiting))!;
      thing.state = state;
      if (isShown) thing.shown = state;
    },
    catchUp: () => {
      for (const thing of things.values()) thing.shown = thing.state;
    },
    elapse: (ms) => {
      now += ms;
    },
    revokeTokens: () => {
      tokens = new Set();
    },
  };
}

/** [errors] */
function problem(status: number, title: string, detail = title): Reply {
  const headers = { "Content-Type": "application/problem+json" };
  return { status, headers, body: { type: "about:blank", title, status, detail, instance: "/v2" } };
}

/** Returns null if the body is no object of these fields, or its variables are no object. */
function read(body: string, fields: readonly string[]): Record<string, unknown> | null {
  try {
    const value = JSON.parse(body) as Record<string, unknown>;
    const { variables = {} } = value;
    const areKnown = Object.keys(value).every((name) => fields.includes(name));
    return areKnown && typeof variables === "object" && variables !== null && !Array.isArray(variables) ? value : null;
  } catch {
    return null;
  }
}
