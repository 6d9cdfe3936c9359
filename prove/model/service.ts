import { setImmediate as nextTurn } from "node:timers/promises";
import type { Dialect } from "../../src/db/database.ts";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { ADMIN_TOKEN, startTestService } from "../../test/support/service.ts";
import { bodyOf, type Request } from "./requests.ts";
import type { Action } from "./world.ts";

const DAY = 86_400_000;
const TABLES = [
  "delivery_attempts",
  "delivery_bodies",
  "delivery_origins",
  "deliveries",
  "audit_entries",
  "verification_attempts",
  "task_responses",
  "task_documents",
  "tasks",
] as const;
/** A valid id of no task. */
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
  /** Deletes everything, and sets the clock to noon of another day. @returns the time in epoch milliseconds */
  reset(): Promise<number>;
  advance(ms: number): void;
  send(action: Action, names: Names): Promise<Given>;
  /** Waits for the end of a task. */
  wait(id: string, signal: AbortSignal): Promise<Given>;
  /** Makes the due attempts, and the ones that follow, up to `turns` times. */
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

  async function call(method: string, path: string, body?: unknown, signal?: AbortSignal) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const given: Given = { status: response.status };
    const content = text === "" ? undefined : (JSON.parse(text) as unknown);
    if (response.status >= 400) given.code = (content as { error_code: string }).error_code;
    else if (content !== undefined) given.body = content;
    return { given, headers: response.headers };
  }

  async function create(key: string, request: Request): Promise<Given> {
    const { given, headers } = await call("POST", "/api/tasks", bodyOf(key, request, hooks));
    if (given.status !== 201) return given;
    return { ...given, replayed: headers.get("idempotent-replayed")!, mismatch: headers.get("idempotent-mismatch") };
  }

  /** Reads all pages, one after another. */
  async function walk(path: string): Promise<Given> {
    const rows: unknown[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const { given, headers } = await call("GET", next);
      if (given.status !== 200) return given;
      rows.push(...(given.body as unknown[]));
      next = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    }
    return { status: 200, body: rows };
  }

  async function deliveriesOf(id: string): Promise<string[]> {
    const { body } = await walk(`/api/admin/webhook-deliveries?task_id=${id}`);
    return (body as { id: string }[]).map((row) => row.id);
  }

  async function send(action: Action, names: Names): Promise<Given> {
    const id = "task" in action ? (names.get(`task ${action.task}`) ?? UNKNOWN) : "";
    switch (action.type) {
      case "create":
        return create(action.key, action.request);
      case "complete": {
        const { approved, email, channel } = action;
        const body = { response: { approved }, completed_by_email: email, completed_via_channel: channel };
        return (await call("POST", `/api/tasks/${id}/complete`, body)).given;
      }
      case "cancel":
        return (await call("POST", `/api/tasks/${id}/cancel`, action.reason === null ? undefined : action)).given;
      case "extend":
        return (await call("PATCH", `/api/tasks/${id}`, { timeout_seconds: action.timeout_seconds })).given;
      case "delete":
        return (await call("DELETE", `/api/tasks/${id}`)).given;
      case "read":
        return (await call("GET", `/api/tasks/${id}`)).given;
      case "poll":
        return (await call("GET", `/api/tasks/${id}/poll?timeout=0`)).given;
      case "audit":
        return (await call("GET", `/api/tasks/${id}/audit`)).given;
      case "list": {
        const query = new URLSearchParams({ limit: String(action.limit) });
        for (const [name, value] of Object.entries(action.filter))
          for (const one of [value].flat()) query.append(name, String(one));
        return walk(`/api/tasks?${query.toString()}`);
      }
      case "counts":
        return (await call("GET", "/api/tasks/counts")).given;
      case "stats":
        return (await call("GET", `/api/stats?window_days=${action.days}`)).given;
      case "deliveries": {
        const rows: unknown[] = [];
        for (const delivery of await deliveriesOf(id))
          rows.push((await call("GET", `/api/admin/webhook-deliveries/${delivery}`)).given.body);
        return { status: 200, body: rows };
      }
      case "redeliver": {
        const [delivery = UNKNOWN] = await deliveriesOf(id);
        const { given } = await call("POST", `/api/admin/webhook-deliveries/${delivery}/redeliver`);
        const { body: _, ...rest } = given;
        return rest;
      }
      case "redeliver all":
        return (await call("POST", "/api/admin/webhook-deliveries/redeliver", { status: action.status })).given;
      case "time out":
        return { status: 200, body: await timeOutDueTasks(ctx) };
    }
  }

  return {
    hooks,
    send,
    answerOf,
    advance: clock.advance,
    answer: (hook, status) => void answers.set(hook, status),
    wait: async (id, signal) =>
      (await call("GET", `/api/tasks/${id}/poll?timeout=${POLL_SECONDS}`, undefined, signal)).given,
    deliver: async (turns) => {
      const before = receiver.received.length;
      for (let turn = 0; turn < turns; turn++) {
        await ctx.deliveries.turn();
        await ctx.deliveries.settle();
      }
      return receiver.received.slice(before).map(({ path, body }) => ({
        hook: hookOf(path),
        body: JSON.parse(body) as object,
      }));
    },
    reset: async () => {
      answers.clear();
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
