import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "./stand-in.ts";

/** What waits at an address in place of something that waits for its first request. */
export type State =
  /** It has not come to where it waits. */
  | "early"
  /** It waits at another place, with another address. */
  | "elsewhere"
  /** It has ended without the request. */
  | "over"
  | "failed"
  /** It takes the request from people who have signed in, and from no address alone. */
  | "protected";

export interface UrlEngine extends Engine {
  wait(state?: State): Promise<Waiting>;
  /** Returns an address of the same vendor that nothing was ever given. */
  unknown(): Waiting;
}

interface Place extends Waiting {
  state: State | "waits" | "running" | "done";
}

/** What one vendor does with requests for what it gave an address to. */
interface Vendor {
  /** Returns the path of a new address. */
  path(): string;
  /** @param place - undefined: no such address was given out */
  answer(request: Call, place: Place | undefined, goOn: (value: unknown) => void): Reply;
}

const KEY = "key of the stand-in";
const hash = (...parts: string[]) => createHmac("sha256", KEY).update(parts.join(" ")).digest("hex");

/** Default of `TASK_PAYLOAD_MAXIMUM_SIZE`, in bytes. */
const TRIGGER_BODY_BYTES = 3_145_728;

/**
 * Trigger.dev 4: https://trigger.dev/docs/management/waitpoints/complete-callback, and the route of its server
 * (`api.v1.waitpoints.tokens.$waitpointFriendlyId.callback.$hash.ts`): statuses, their order, a body that is not JSON is
 * `{}`, a completed token is a no-op with 200.
 */
const trigger: Vendor = {
  path: () => {
    const id = `waitpoint_${randomBytes(8).toString("hex")}`;
    return `/api/v1/waitpoints/tokens/${id}/callback/${hash(id)}`;
  },
  answer: ({ method, headers, parts, body }, place, goOn) => {
    if (method !== "POST") return { status: 405, headers: { Allow: "POST" }, body: { error: "Method not allowed" } };
    if (headers["content-length"] === undefined)
      return { status: 411, body: { error: "Content-Length header is required" } };
    if (Buffer.byteLength(body) > TRIGGER_BODY_BYTES) return { status: 413, body: { error: "Request body too large" } };
    if (place === undefined) return { status: 404, body: { error: "Waitpoint not found" } };
    if (parts[6] !== hash(parts[4]!)) return { status: 401, body: { error: "Invalid URL, hash doesn't match" } };
    if (place.state === "waits") goOn(jsonOf({ body }) ?? {});
    return { status: 200, body: { success: true } };
  },
};

/**
 * Restate 1.7: https://docs.restate.dev/develop/ts/external-events, and `crates/ingress-http/src/handler/awakeables.rs` with
 * `error.rs`: only POST, ids are only decoded, 202 whether something waits or not; the first one counts.
 */
const restate: Vendor = {
  path: () => `/restate/awakeables/sign_1${randomBytes(30).toString("base64url").slice(0, 38)}/resolve`,
  answer: ({ method, parts, body }, place, goOn) => {
    const error = (code: number, message: string): Reply => ({ status: code, body: { code, message } });
    if (parts[3] !== "resolve" && parts[3] !== "reject") return error(400, "bad path, expected either ...");
    if (method !== "POST") return error(405, "method not allowed");
    if (!/^(sign|prom)_1[\w-]{38}$/.test(parts[2]!)) return error(400, `bad awakeable id '${parts[2]}': ...`);
    if (place?.state === "waits") goOn(jsonOf({ body }));
    return { status: 202 };
  },
};

const notHere = (id: string) =>
  `The workflow for execution "${id}" does not contain a waiting webhook with a matching path/method.`;

/**
 * n8n 2: https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.wait, and `waiting-webhooks.ts` of its server:
 * 404 for executions that are unknown or wait at another node, 409 for those that run or have finished, 401 and 403 where
 * the node has an authentication. An execution that was resumed runs for a time, and then has finished.
 */
const n8n: Vendor = {
  path: () => `/webhook-waiting/${Math.floor(Math.random() * 1e9)}/approval`,
  answer: ({ method, parts, body }, place, goOn) => {
    const id = parts[1]!;
    const error = (code: number, message: string): Reply => ({ status: code, body: { code, message } });
    if (place === undefined) return error(404, `The execution "${id}" does not exist.`);
    switch (place.state) {
      case "waits":
        break;
      case "elsewhere":
        return error(404, notHere(id));
      case "early":
        return error(409, `The execution "${id}" is running already.`);
      case "running":
        place.state = "done";
        return error(409, `The execution "${id}" is running already.`);
      case "failed":
        return error(409, `The execution "${id}" has finished with error.`);
      case "over":
      case "done":
        return error(409, `The execution "${id} has finished already.`);
      case "protected":
        return { status: 403, body: "Authorization data is wrong!" };
    }
    if (method !== "POST") return error(404, notHere(id));
    goOn(jsonOf({ body }));
    place.state = "running";
    return { status: 200, body: { message: "Workflow was started" } };
  },
};

/**
 * Windmill: https://www.windmill.dev/docs/flows/flow_approval, and `resume_suspended_job` of `backend/windmill-api` with
 * `error.rs`: 201, and 500 with a sentence for a wrong signature, a flow that has ended and a second request.
 */
const windmill: Vendor = {
  path: () => {
    const [job, resumeId] = [randomUUID(), String(Math.floor(Math.random() * 2 ** 32))];
    return `/api/w/demo/jobs_u/resume/${job}/${resumeId}/${hash(job, resumeId)}`;
  },
  answer: ({ method, parts, body }, place, goOn) => {
    const [, , , , , job, resumeId, secret] = parts;
    const error = (message: string): Reply => ({ status: 500, body: message });
    if (method !== "POST" && method !== "GET") return { status: 405 };
    if (secret !== hash(job!, resumeId!)) return error("Invalid signature");
    if (place === undefined || place.state === "over")
      return error(`job not found or parent flow not in queue: ${job}`);
    if (place.state === "protected")
      return { status: 401, body: "Not authorized: Only logged in users can approve this flow step" };
    if (place.state === "done") return error("resume request already sent");
    goOn(jsonOf({ body }));
    return { status: 201 };
  },
};

/**
 * Vercel Workflow 4.8 (`workflow`, `@workflow/core`): docs/foundations/hooks.mdx and docs/api-reference/workflow/create-webhook.mdx of
 * the package; `createWebhookBundle` of `@workflow/builders` answers 404 for every error. A webhook takes requests until its
 * workflow gives it up; a workflow that awaits it once reads the first.
 */
const vercel: Vendor = {
  path: () => `/.well-known/workflow/v1/webhook/${randomBytes(15).toString("base64url")}`,
  answer: ({ body }, place, goOn) => {
    if (place === undefined || place.state === "early" || place.state === "over") return { status: 404 };
    if (place.state === "done") {
      place.state = "over";
      return { status: 202 };
    }
    goOn(jsonOf({ body }));
    return { status: 202 };
  },
};

export const VENDORS = { "Trigger.dev": trigger, Restate: restate, n8n, Windmill: windmill, "Vercel Workflow": vercel };

/**
 * A server that gives out addresses as a vendor does, and keeps to its rules. Where those rules come from stands at each
 * vendor.
 */
export async function startUrl(t: TestContext, vendor: keyof typeof VENDORS = "Trigger.dev"): Promise<UrlEngine> {
  const { path: newPath, answer } = VENDORS[vendor];
  /** What was given an address, by its path without its signature. */
  const places = new Map<string, Place>();
  const keyOf = (parts: readonly string[]) => parts.filter((part) => !/^[0-9a-f]{64}$/.test(part)).join("/");
  const server = await startStandIn(t, (call) => {
    const place = places.get(keyOf(call.parts));
    const goOn = (value: unknown) => {
      place!.received.push(value);
      place!.state = "done";
    };
    return { act: () => answer(call, place, goOn) };
  });
  const create = (path: string, state: Place["state"]): Place => ({
    entry: { url: server.url + path },
    received: [],
    state,
  });
  return {
    ...server,
    connection: null,
    wait: async (state) => {
      const path = newPath();
      const place = create(path, state ?? "waits");
      places.set(keyOf(path.slice(1).split("/")), place);
      return place;
    },
    unknown: () => create(newPath(), "over"),
  };
}
