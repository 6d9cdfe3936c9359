import type { TestContext } from "node:test";
import type { Engine, Turn, Waiting } from "./engine.ts";
import { startStandIn, type Reply } from "./stand-in.ts";

const ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
const TOKEN = "YQSn-xWAQiiEh9qM58wZNnyQS7FUdoqGIUAbrh7T";
const WORKFLOW = "refunds";
const NAME = /^[a-zA-Z0-9_][a-zA-Z0-9_-]*$/;

interface Event {
  payload: unknown;
  timestamp: string;
  type: string;
}

interface Wait {
  type: string;
  event: Event | null;
}

interface Instance {
  status: "running" | "complete" | "terminated" | "errored";
  /** Those of earlier steps, and the one that waits now. */
  waits: Wait[];
  /** The types of the waits that follow. */
  next: string[];
  /** Events that no wait has taken, by type, oldest first. */
  queue: Map<string, Event[]>;
  received: unknown[];
}

export interface CloudflareInstance extends Waiting {
  entry: { workflow: string; instance_id: string; event_type?: string };
  /** Ends the instance. */
  end(status: "terminated" | "errored"): void;
}

export interface CloudflareEngine extends Omit<Engine, "wait"> {
  connection: { address: Record<string, unknown>; secret: string };
  /** Begins an instance that waits for events of these types, one after another. @param event_type - of the entry */
  wait(types?: string[], event_type?: string): Promise<CloudflareInstance>;
  /** What becomes of the next requests for an instance. */
  lookScript: Turn[];
}

/**
 * Cloudflare Workflows, by these sources of November 2026:
 *
 * - Cloudflare API, Workflows, "Send event to instance" and "Get logs and status from instance", in cloudflare-typescript 7.3.0: paths, the
 *   envelope `{success, errors, result}`, steps of the type `waitForEvent` with `event_type` and an `output` that is text, `simple`.
 * - workers-sdk, packages/workflows-shared: events are queued by type, each goes to one wait, in order (`receiveEvent`, `waitForEvent`);
 *   names and types match one pattern, of at most 64 and 100 characters. `wrangler dev` accepts events for instances that have ended.
 * - Workflows, "Limits": a payload of an event has at most 1 MiB.
 * - What clients of the API report: 10200 and 10400 with 404, 10000 with 401 or 403, 9109 with 403, 6003 with 400, 7003 with 404; outputs in
 *   the details of an instance are cut after 1,024 characters.
 */
export async function startCloudflare(t: TestContext): Promise<CloudflareEngine> {
  const instances = new Map<string, Instance>();
  const lookScript: Turn[] = [];

  const { url, script, close } = await startStandIn(t, ({ method, parts, query, headers, body }) => {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (token === undefined) return fail(400, 6003, "Invalid request headers");
    if (token !== TOKEN) return fail(401, 10000, "Authentication error");
    const [accounts, account, workflows, workflow, list, id, events, type] = parts;
    if (accounts !== "accounts" || workflows !== "workflows") return fail(404, 7000, "No route for that URI");
    if (account !== ACCOUNT) return fail(404, 7003, "Could not route, perhaps your object identifier is invalid?");
    if (parts.length === 3 && method === "GET") return succeed([{ name: WORKFLOW, class_name: "Refunds" }]);
    if (workflow !== WORKFLOW) return fail(404, 10200, "workflows.api.error.workflow.not_found");
    if (list !== "instances") return fail(404, 7000, "No route for that URI");
    const instance = instances.get(id ?? "");
    if (parts.length === 6 && method === "GET")
      return {
        act: () => (instance ? succeed(detailsOf(instance, query.get("simple") === "true")) : notFound()),
        script: lookScript,
      };
    if (parts.length !== 8 || method !== "POST" || events !== "events") return fail(404, 7000, "No route for that URI");
    if (!/^application\/json\b/.test(headers["content-type"] ?? "")) return fail(400, 10001, "bad_request");
    return { act: () => (instance ? receive(instance, type!, body) : notFound()) };
  });

  function receive(instance: Instance, type: string, body: string): Reply {
    if (!NAME.test(type) || type.length > 100) return fail(400, 10002, "workflows.api.error.invalid_event_type");
    if (Buffer.byteLength(body) > 1024 * 1024) return fail(413, 10003, "workflows.api.error.payload_too_large");
    const event = { payload: JSON.parse(body) as unknown, timestamp: new Date().toISOString(), type };
    instance.queue.set(type, [...(instance.queue.get(type) ?? []), event]);
    if (instance.status === "running") goOn(instance);
    return succeed({ instanceId: "", timestamp: event.timestamp });
  }

  /** Gives queued events to the wait that is open, and to those that follow. */
  function goOn(instance: Instance): void {
    for (;;) {
      const open = instance.waits.at(-1)!;
      const event = instance.queue.get(open.type)?.shift();
      if (event === undefined) return;
      open.event = event;
      instance.received.push(event.payload);
      const next = instance.next.shift();
      if (next === undefined) {
        instance.status = "complete";
        return;
      }
      instance.waits.push({ type: next, event: null });
    }
  }

  let count = 0;
  return {
    connection: { address: { account_id: ACCOUNT, url }, secret: TOKEN },
    script,
    lookScript,
    async wait(types = ["approval"], event_type = types[0]!) {
      // As cron-triggered instances have it.
      const instance_id = `daily 0/5 #${count++}`;
      const [type, ...next] = types as [string, ...string[]];
      const instance: Instance = {
        status: "running",
        waits: [{ type, event: null }],
        next,
        queue: new Map(),
        received: [],
      };
      instances.set(instance_id, instance);
      return {
        entry: { workflow: WORKFLOW, instance_id, event_type },
        received: instance.received,
        end: (status) => (instance.status = status),
      };
    },
    close,
  };
}

function detailsOf({ status, waits }: Instance, isSimple: boolean): object {
  if (isSimple) return { status, step_count: waits.length };
  const steps = waits.map(({ type, event }, i) => ({
    name: `wait-${i + 1}`,
    type: "waitForEvent",
    event_type: type,
    finished: event !== null,
    error: null,
    ...(event && { output: cut(JSON.stringify(event)) }),
  }));
  return { status, steps, step_count: steps.length };
}

const cut = (text: string) => (text.length <= 1024 ? text : `${text.slice(0, 1024)}[truncated output]`);

const succeed = (result: unknown): Reply => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result },
});

const fail = (status: number, code: number, message: string): Reply => ({
  status,
  body: { success: false, errors: [{ code, message }], messages: [], result: null },
});

const notFound = () => fail(404, 10400, "workflows.api.error.instance.not_found");
