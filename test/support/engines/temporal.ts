import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "./stand-in.ts";

export type How = "signal" | "update" | "activity" | "token";

export interface TemporalEngine extends Engine {
  wait(how?: How): Promise<TemporalWaiting>;
  connection: NonNullable<Engine["connection"]>;
}

export interface TemporalWaiting extends Waiting {
  /** Ends the workflow. */
  close(): void;
  /** Updates are refused by its validator. */
  refuses: boolean;
  /** No worker runs, so updates are not accepted. */
  isIdle: boolean;
  /** The activity failed because its result was too large. */
  hasFailed: boolean;
}

const KEY = "key-of-an-operator";
const NAMESPACE = "default";
/** `rpc.MaxHTTPAPIRequestBytes` */
const BODY_BYTES = 4 * 1024 * 1024;
/** Default of `limit.blobSize.error` */
const BLOB_BYTES = 2 * 1024 * 1024;

type Body = Record<string, unknown>;

interface Workflow extends TemporalWaiting {
  id: string;
  runId: string;
  isClosed: boolean;
  /** Requests and updates that it knows. */
  known: Set<string>;
  isActivityOpen: boolean;
}

/** Fields of the requests, as JSON. Others are refused. (`request_response.proto`) */
const FIELDS: Record<string, readonly string[]> = {
  signal: [
    "namespace",
    "workflowExecution",
    "signalName",
    "input",
    "identity",
    "requestId",
    "control",
    "header",
    "links",
  ],
  update: ["namespace", "workflowExecution", "firstExecutionRunId", "waitPolicy", "request"],
  byId: ["namespace", "workflowId", "runId", "activityId", "result", "identity", "resourceId"],
  token: ["taskToken", "result", "identity", "namespace", "resourceId"],
};

const error = (status: number, code: number, message: string, details: unknown[] = []): Reply => ({
  status,
  body: { code, message, details },
});
const detail = (name: string) => ({ "@type": `type.googleapis.com/temporal.api.errordetails.v1.${name}` });
const notFound = (message: string) => error(404, 5, message, [detail("NotFoundFailure")]);
/** As grpc-gateway answers a path that it does not know. */
const NO_ROUTE = error(404, 5, "Not Found");

/**
 * The HTTP API of Temporal's server, for signals, updates, completions of activities and the description of a namespace.
 *
 * - Paths: `google.api.http` of `temporal/api/workflowservice/v1/service.proto`, as `@temporalio/core-bridge` 1.24 has it. With `isOld`, activities have
 *   the paths of earlier ones. They are decoded before they are split (grpc-gateway, `UnescapingModeLegacy`).
 * - Statuses: `runtime.HTTPStatusFromCode` of grpc-gateway, with the errors of the server: a wrong key is PermissionDenied
 *   (`common/authorization`), ended and unknown workflows are NotFound (`service/history/consts`).
 * - A signal whose `requestId` is known is dropped, also after the end of the workflow
 *   (`service/history/api/signalworkflow/api.go`). An update whose `updateId` is known is answered as the first one. An activity is
 *   completed once (comment of `RespondActivityTaskCompleted`).
 * - Limits: a body of 4 MiB, a payload of 2 MiB. A larger result is accepted, and fails its activity ("Complete result exceeds size
 *   limit", `service/frontend/workflow_handler.go`).
 * - A payload is JSON in Base64 with `encoding` json/plain. The shorthand is not here.
 */
export async function startTemporal(t: TestContext, { isOld = false } = {}): Promise<TemporalEngine> {
  const workflows = new Map<string, Workflow>();
  const tokens = new Map<string, Workflow>();

  function handle(request: Call): Reply {
    if (request.headers.authorization !== `Bearer ${KEY}`) return error(403, 7, "Request unauthorized.");
    const [api, version, namespaces, namespace, ...rest] = request.parts.join("/").split("/");
    if (api !== "api" || version !== "v1" || namespaces !== "namespaces" || namespace === undefined) return NO_ROUTE;
    const known = () =>
      namespace === NAMESPACE
        ? null
        : error(404, 5, `Namespace ${namespace} is not found.`, [{ ...detail("NamespaceNotFoundFailure"), namespace }]);
    if (request.method === "GET" && rest.length === 0) return known() ?? { status: 200, body: { namespaceInfo: {} } };
    const action = actionOf(request.method, rest);
    if (action === null) return NO_ROUTE;
    if (Buffer.byteLength(request.body) > BODY_BYTES) return error(400, 3, "http: request body too large");
    const body = jsonOf(request) as Body | undefined;
    if (typeof body !== "object") return error(400, 3, "proto: syntax error");
    const unknown = Object.keys(body).find((name) => !FIELDS[action.fields]!.includes(name));
    if (unknown !== undefined) return error(400, 3, `proto: unknown field "${unknown}"`);
    return known() ?? action.run(body);
  }

  function actionOf(method: string, path: string[]): { fields: string; run(body: Body): Reply } | null {
    if (method !== "POST") return null;
    const [first, second, third, fourth, fifth] = path;
    const [length] = [path.length];
    if (first === "workflows" && third === "signal" && length === 4)
      return { fields: "signal", run: (body) => signal(workflowOf(second!, body), body) };
    if (first === "workflows" && third === "update" && length === 4)
      return { fields: "update", run: (body) => update(workflowOf(second!, body), body) };
    if (!isOld && first === "workflows" && third === "activities" && fifth === "complete" && length === 5)
      return { fields: "byId", run: (body) => complete(workflowOf(second!, body), fourth, body) };
    if (!isOld && first === "activity-complete" && length === 1) return { fields: "token", run: byToken };
    if (isOld && first === "activities" && second === "complete" && length === 2)
      return { fields: "token", run: byToken };
    if (isOld && first === "activities" && second === "complete-by-id" && length === 2)
      return {
        fields: "byId",
        run: (body) => complete(workflowOf(body["workflowId"], body), body["activityId"], body),
      };
    return null;
  }

  /** Finds a workflow by its id, and its run if the request names one. */
  function workflowOf(id: unknown, body: Body): Workflow | null {
    const runId = (body["workflowExecution"] as Body | undefined)?.["runId"] ?? body["runId"];
    const workflow = workflows.get(String(id));
    return workflow === undefined || (runId !== undefined && runId !== workflow.runId) ? null : workflow;
  }

  function signal(workflow: Workflow | null, body: Body): Reply {
    if (workflow === null) return notFound("workflow not found for ID");
    const { requestId } = body as { requestId?: string };
    if (requestId !== undefined && workflow.known.has(requestId)) return { status: 200, body: {} };
    if (workflow.isClosed) return notFound("workflow execution already completed");
    const payload = readPayload(body["input"]);
    if ("reply" in payload) return payload.reply;
    if (payload.bytes > BLOB_BYTES) return error(400, 3, "Blob data size exceeds limit.");
    if (requestId !== undefined) workflow.known.add(requestId);
    workflow.received.push(payload.value);
    return { status: 200, body: {} };
  }

  function update(workflow: Workflow | null, body: Body): Reply {
    if (workflow === null) return notFound("workflow not found for ID");
    const { meta, input } = body["request"] as { meta: { updateId: string }; input: Body };
    const { lifecycleStage } = body["waitPolicy"] as { lifecycleStage: string };
    if (!/^UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_(ACCEPTED|COMPLETED)$/.test(lifecycleStage))
      return error(400, 3, "wait policy is not supported");
    const at = (stage: string, more: object = {}): Reply => ({
      status: 200,
      body: {
        updateRef: { workflowExecution: { workflowId: workflow.id, runId: workflow.runId }, updateId: meta.updateId },
        ...more,
        stage: `UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_${stage}`,
      },
    });
    if (workflow.known.has(meta.updateId)) return at("ACCEPTED");
    if (workflow.isClosed) return notFound("workflow execution already completed");
    const payload = readPayload(input["args"]);
    if ("reply" in payload) return payload.reply;
    if (payload.bytes > BLOB_BYTES) return error(400, 3, "Blob data size exceeds limit.");
    if (workflow.isIdle) return at("UNSPECIFIED");
    if (workflow.refuses) return at("COMPLETED", { outcome: { failure: { message: "The amount is too high." } } });
    workflow.known.add(meta.updateId);
    workflow.received.push(payload.value);
    return at("ACCEPTED");
  }

  function byToken(body: Body): Reply {
    const workflow = tokens.get(String(body["taskToken"]));
    return complete(workflow ?? null, "approval", body);
  }

  function complete(workflow: Workflow | null, activityId: unknown, body: Body): Reply {
    if (workflow === null || activityId !== "approval" || !workflow.isActivityOpen || workflow.isClosed)
      return notFound("invalid activityID or activity already timed out or invoking workflow is completed");
    const payload = readPayload(body["result"]);
    if ("reply" in payload) return payload.reply;
    workflow.isActivityOpen = false;
    if (payload.bytes > BLOB_BYTES) workflow.hasFailed = true;
    else workflow.received.push(payload.value);
    return { status: 200, body: {} };
  }

  const server = await startStandIn(t, (call) => (call.method === "POST" ? { act: () => handle(call) } : handle(call)));
  let begun = 0;
  return {
    ...server,
    connection: { address: { url: server.url, namespace: NAMESPACE }, secret: KEY },
    wait: async (how = "signal") => {
      const id = `publish newsletter ${++begun}: 100% & ä?`;
      const token = Buffer.from(randomUUID()).toString("base64");
      const ways: Record<How, Record<string, unknown>> = {
        signal: { workflow_id: id, signal: "decided" },
        update: { workflow_id: id, update: "decide" },
        activity: { workflow_id: id, activity_id: "approval" },
        token: { task_token: token },
      };
      const workflow: Workflow = {
        id,
        runId: randomUUID(),
        entry: ways[how],
        received: [],
        known: new Set(),
        isClosed: false,
        isActivityOpen: true,
        refuses: false,
        isIdle: false,
        hasFailed: false,
        close: () => void (workflow.isClosed = true),
      };
      workflows.set(id, workflow);
      tokens.set(token, workflow);
      return workflow;
    },
  };
}

/** Reads the only payload of `{payloads: [...]}`. */
function readPayload(payloads: unknown): { value: unknown; bytes: number } | { reply: Reply } {
  const [payload, ...others] = (payloads as { payloads?: Body[] } | undefined)?.payloads ?? [];
  const { metadata, data } = (payload ?? {}) as { metadata?: { encoding?: string }; data?: string };
  if (data === undefined || others.length > 0) return { reply: error(400, 3, "one payload is expected here") };
  if (Buffer.from(metadata?.encoding ?? "", "base64").toString() !== "json/plain")
    return { reply: error(400, 3, "a worker cannot decode this payload") };
  const bytes = Buffer.from(data, "base64");
  return { value: JSON.parse(bytes.toString()), bytes: bytes.length };
}
