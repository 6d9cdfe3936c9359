import { setImmediate as nextTurn } from "node:timers/promises";
import { startCancelling } from "../../src/agents/cancel-tasks.ts";
import type { AgentRecord } from "../../src/agents/schema.ts";
import type { Dialect } from "../../src/db/database.ts";
import type { ProjectRecord } from "../../src/projects/schema.ts";
import { takeDueSteps } from "../../src/tasks/escalating.ts";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { EMBED_ENV, PARENT } from "../../test/support/embed.ts";
import { addUser, signedIn } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { ADMIN_TOKEN, startTestService, type TestService } from "../../test/support/service.ts";
import {
  ADMIN,
  AGENT_NAMES,
  AGENTS,
  PERSON,
  PERSON_EMAIL,
  PROJECTS,
  type AgentName,
  type Caller,
  type Speaker,
} from "./callers.ts";
import { bodyOf, payloadOf } from "./requests.ts";
import type { Action, ListFilter, OtherRoute } from "./world.ts";

const DAY = 86_400_000;
const TABLES = [
  "delivery_attempts",
  "delivery_bodies",
  "delivery_origins",
  "deliveries",
  "audit_entries",
  "verification_attempts",
  "task_comments",
  "task_versions",
  "task_labels",
  "task_snoozes",
  "task_texts",
  "task_responses",
  "task_documents",
  "tasks",
] as const;
/** A well-formed id that belongs to no task. */
const UNKNOWN = `tsk_${"0".repeat(26)}`;
/** A woken poll is answered at once; a poll that is not woken must not be answered earlier than this. */
const POLL_SECONDS = 60;

/** The service's answer as received. */
export interface Given {
  status: number;
  code?: string;
  replayed?: string;
  mismatch?: string | null;
  body?: unknown;
}

/** The id of each task, by its name. */
export type Names = ReadonlyMap<string, string>;

/** The service on a port; its clock and its receivers are controlled here. */
export interface Service {
  /**
   * Deletes all tasks, opens all agents and projects, and sets the clock to noon of another day.
   * @returns the time in epoch milliseconds
   */
  reset(): Promise<number>;
  advance(ms: number): void;
  send(action: Action, names: Names): Promise<Given>;
  /** Waits for the end of a task, or until it needs attention. */
  wait(by: Caller, task: { id: string; until: string }, signal: AbortSignal): Promise<Given>;
  /** Runs up to `turns` rounds of attempts: first the due ones, then those that become due. */
  deliver(turns: number): Promise<{ hook: string; body: object }[]>;
  /** Sets a receiver's answer from now on; null makes it close the connection. */
  answer(hook: string, status: number | null): void;
  answerOf(hook: string): number | null;
  /** The receiver of each URL. */
  hooks: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

export async function startService(dialect: Dialect): Promise<Service> {
  const answers = new Map<string, number | null>();
  const receiver = await startReceiver((response, { path }) => {
    const status = answerOf(hookOf(path));
    if (status === null) response.destroy();
    else response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
  });
  const hooks = new Map(["a", "b"].map((hook) => [hook, `${receiver.url}/${hook}`]));
  const hookOf = (path: string) => path.split("/").at(-1)!;
  const answerOf = (hook: string) => answers.get(hook) ?? (answers.has(hook) ? null : 200);

  const { service, stop } = await startTestService(dialect, {
    env: EMBED_ENV,
    deliveries: { random: () => 0 },
    verify: async (_config, { response }) => {
      // Other attempts may come first.
      for (let turns = 0; turns < 3; turns++) await nextTurn();
      const passed = response["approved"] === true;
      return { passed, reason: passed ? "fine" : "not approved" };
    },
  });
  const { app, ctx, clock } = service;
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const agents = await addAgents(service);
  const person = await addUser(service, { email: PERSON_EMAIL, is_operator: true });
  /** A person signs in for each call, because days may pass between two. */
  const credentialsOf = async (by: Speaker): Promise<Record<string, string>> =>
    by === PERSON
      ? { ...(await signedIn(service, person.id)) }
      : { authorization: `Bearer ${by === ADMIN ? ADMIN_TOKEN : agents[by].token}` };
  /** Replaces the ids of callers with their names. */
  const named = (text: string) =>
    AGENT_NAMES.reduce((all, name) => all.replaceAll(agents[name].id, name), text).replaceAll(person.id, PERSON);

  async function call(by: Speaker, method: string, path: string, body?: unknown, signal?: AbortSignal) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(await credentialsOf(by)),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = named(await response.text());
    const given: Given = { status: response.status };
    const content = text === "" ? undefined : (JSON.parse(text) as unknown);
    if (response.status >= 400) given.code = (content as { error_code: string }).error_code;
    else if (content !== undefined) given.body = content;
    return { given, headers: response.headers };
  }

  async function create({ by, key, request }: Extract<Action, { type: "create" }>): Promise<Given> {
    const { given, headers } = await call(by, "POST", "/api/tasks", bodyOf(key, request, hooks));
    if (given.status !== 201) return given;
    return { ...given, replayed: headers.get("idempotent-replayed")!, mismatch: headers.get("idempotent-mismatch") };
  }

  function withReplay({ given, headers }: Awaited<ReturnType<typeof call>>): Given {
    return given.status >= 400 ? given : { ...given, replayed: headers.get("idempotent-replayed")! };
  }

  /** Reads all pages, one after another. */
  async function walk(by: Caller, path: string): Promise<Given> {
    const rows: unknown[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const { given, headers } = await call(by, "GET", next);
      if (given.status !== 200) return given;
      rows.push(...(given.body as unknown[]));
      next = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    }
    return { status: 200, body: rows };
  }

  async function deliveriesOf(id: string): Promise<string[]> {
    const { body } = await walk(ADMIN, `/api/admin/webhook-deliveries?task_id=${id}`);
    return (body as { id: string }[]).map((row) => row.id);
  }

  async function readDeliveries(by: Caller, id: string): Promise<Given> {
    const listed = await walk(by, `/api/admin/webhook-deliveries?task_id=${id}`);
    if (listed.status !== 200) return listed;
    const rows: unknown[] = [];
    for (const delivery of await deliveriesOf(id))
      rows.push((await call(by, "GET", `/api/admin/webhook-deliveries/${delivery}`)).given.body);
    return { status: 200, body: rows };
  }

  function listPath(filter: ListFilter, limit: number): string {
    const { agent, ...others } = filter;
    const query = new URLSearchParams({ limit: String(limit) });
    for (const [name, value] of Object.entries(others))
      for (const one of [value].flat()) query.append(name, String(one));
    if (agent !== undefined) query.append("agent", agent === "me" ? agent : agents[agent].id);
    return `/api/tasks?${query.toString()}`;
  }

  async function send(action: Action, names: Names): Promise<Given> {
    const id = "task" in action ? (names.get(`task ${action.task}`) ?? UNKNOWN) : "";
    const path = `/api/tasks/${id}`;
    switch (action.type) {
      case "create":
        return create(action);
      case "complete": {
        const { by, approved, email, channel, version } = action;
        const body = { response: { approved }, completed_by_email: email, completed_via_channel: channel, version };
        return (await call(by, "POST", `${path}/complete`, body)).given;
      }
      case "comment": {
        const { by, kind, text, replyTo, key } = action;
        const reply_to = replyTo === null ? null : names.get(`comment ${replyTo}`)!;
        return withReplay(await call(by, "POST", `${path}/comments`, { kind, text, reply_to, idempotency_key: key }));
      }
      case "revise": {
        const { by, amount, note, extend_seconds, version, key } = action;
        const body = { payload: payloadOf(amount), note, extend_seconds, version, idempotency_key: key };
        return withReplay(await call(by, "POST", `${path}/revise`, body));
      }
      case "comments":
        return walk(action.by, `${path}/comments`);
      case "versions":
        return (await call(action.by, "GET", `${path}/versions`)).given;
      case "cancel": {
        const { by, reason } = action;
        return (await call(by, "POST", `${path}/cancel`, reason === null ? undefined : { reason })).given;
      }
      case "extend":
        return (await call(action.by, "PATCH", path, { timeout_seconds: action.timeout_seconds })).given;
      case "delete":
        return (await call(action.by, "DELETE", path)).given;
      case "read":
        return (await call(action.by, "GET", path)).given;
      case "poll":
        return (await call(action.by, "GET", `${path}/poll?timeout=0`)).given;
      case "audit":
        return (await call(action.by, "GET", `${path}/audit`)).given;
      case "other route": {
        const [method, route, body] = otherRequest(action.route, id);
        return withoutBody((await call(action.by, method, route, body)).given);
      }
      case "list":
        return walk(action.by, listPath(action.filter, action.limit));
      case "counts":
        return (await call(action.by, "GET", `/api/tasks/counts${inProject(action.project, "?")}`)).given;
      case "stats": {
        const { by, days, project } = action;
        return (await call(by, "GET", `/api/stats?window_days=${days}${inProject(project, "&")}`)).given;
      }
      case "deliveries":
        return readDeliveries(action.by, id);
      case "redeliver": {
        const [delivery = UNKNOWN] = await deliveriesOf(id);
        return withoutBody(
          (await call(action.by, "POST", `/api/admin/webhook-deliveries/${delivery}/redeliver`)).given,
        );
      }
      case "redeliver all": {
        const { by, status } = action;
        return (await call(by, "POST", "/api/admin/webhook-deliveries/redeliver", { status })).given;
      }
      case "time out":
        return { status: 200, body: await timeOutDueTasks(ctx) };
      case "take steps":
        return { status: 200, body: await takeDueSteps(ctx) };
      case "stop": {
        const { by, agent, cancelsTasks } = action;
        const body = { disabled: true, ...(cancelsTasks && { cancel_open_tasks: true }) };
        return only(["disabled_at"], (await call(by, "PATCH", `/api/agents/${agents[agent].id}`, body)).given);
      }
      case "resume": {
        const { by, agent } = action;
        const { given } = await call(by, "PATCH", `/api/agents/${agents[agent].id}`, { disabled: false });
        return only(["disabled_at"], given);
      }
      case "read agent": {
        const { given } = await call(action.by, "GET", `/api/agents/${agents[action.agent].id}`);
        return only(["project", "scopes", "disabled_at", "open_tasks"], given);
      }
      case "sweep stopped agents":
        // The first look begins at once, and the end of the sweep waits for it.
        await startCancelling(ctx).stop();
        return { status: 200 };
      case "archive": {
        const { by, project, archived } = action;
        return only(["archived_at"], (await call(by, "PATCH", `/api/projects/${project}`, { archived })).given);
      }
      case "read project":
        return only(["archived_at"], (await call(action.by, "GET", `/api/projects/${action.project}`)).given);
    }
  }

  async function openAll(): Promise<void> {
    const { body: known } = await service.call<AgentRecord[]>("GET", "/api/agents");
    for (const { id, disabled_at } of known)
      if (disabled_at !== null) await service.call("PATCH", `/api/agents/${id}`, { body: { disabled: false } });
    const { body: projects } = await service.call<ProjectRecord[]>("GET", "/api/projects");
    for (const { slug, archived_at } of projects)
      if (archived_at !== null) await service.call("PATCH", `/api/projects/${slug}`, { body: { archived: false } });
  }

  return {
    hooks,
    send,
    answerOf,
    advance: clock.advance,
    answer: (hook, status) => void answers.set(hook, status),
    wait: async (by, { id, until }, signal) =>
      (await call(by, "GET", `/api/tasks/${id}/poll?timeout=${POLL_SECONDS}&until=${until}`, undefined, signal)).given,
    deliver: async (turns) => {
      const before = receiver.received.length;
      for (let turn = 0; turn < turns; turn++) {
        await ctx.deliveries.turn();
        await ctx.deliveries.settle();
      }
      return receiver.received.slice(before).map(({ path, body }) => ({
        hook: hookOf(path),
        body: JSON.parse(named(body)) as object,
      }));
    },
    reset: async () => {
      answers.clear();
      await openAll();
      await ctx.db.write(async ({ query }) => {
        for (const table of TABLES) await query.deleteFrom(table as "tasks").execute();
      });
      const noon = (Math.floor(clock.now() / DAY) + 2) * DAY + DAY / 2;
      clock.advance(noon - clock.now());
      return clock.now();
    },
    stop: async () => {
      await stop();
      await receiver.close();
    },
  };
}

/** Creates the projects, and the agents with a token each. */
async function addAgents(service: TestService): Promise<Record<AgentName, TestAgent>> {
  for (const slug of PROJECTS) await newProject(service, slug);
  const agents: Partial<Record<AgentName, TestAgent>> = {};
  for (const name of AGENT_NAMES) agents[name] = await newAgent(service, { name, ...AGENTS[name] });
  return agents as Record<AgentName, TestAgent>;
}

function otherRequest(route: OtherRoute, id: string): [method: string, path: string, body?: object] {
  const path = `/api/tasks/${id}`;
  switch (route) {
    case "attempts":
      return ["GET", `${path}/attempts`];
    case "claim":
      return ["POST", `${path}/claim`, {}];
    case "release":
      return ["POST", `${path}/release`];
    case "assign":
      return ["POST", `${path}/assign`, { email: "dana@example.com" }];
    case "embed":
      return ["POST", "/api/embed/tokens", { task_id: id, parent_origin: PARENT, sub: "customer-17" }];
  }
}

function inProject(project: string | null, before: string): string {
  return project === null ? "" : `${before}project=${project}`;
}

/** Keeps some fields of the body: those that the model predicts. */
function only(fields: readonly string[], given: Given): Given {
  if (given.body === undefined) return given;
  const body = given.body as Record<string, unknown>;
  return { ...given, body: Object.fromEntries(fields.map((name) => [name, body[name]])) };
}

function withoutBody(given: Given): Given {
  const { body: _, ...rest } = given;
  return rest;
}
