import { Text } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";
import type { Answer, Attempt, Fields, Http, ResumeKind, Resumed } from "../kind.ts";
import { bodyOf, quoted, storable } from "../answer.ts";
import { bearer, headerProblem, partProblem, under } from "../requests.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/** Default limit of a payload, in bytes (`limit.blobSize.error`). A larger result would fail its activity. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;
/** An update is answered with the result of its handler. */
const KEPT_BYTES = 1024 * 1024;
const IDENTITY = "human-task-service";
const NOT_TEMPORAL = "The server answered 200, but not as Temporal does.";

const NAMED = ["signal", "update", "activity_id"] as const;

/**
 * A workflow of Temporal that waits for a signal or an update, or an activity that completes later, over the HTTP API of the
 * server. (`google.api.http` of `temporal/api/workflowservice/v1/service.proto`, `service/frontend/http_api_server.go`;
 * docs/resume/temporal.md)
 *
 * The server knows repetitions of signals by `requestId`, and looks at it before the state of the workflow
 * (`service/history/api/signalworkflow/api.go`); repetitions of updates by `updateId`. Those of activities it does not know.
 */
export const temporal: ResumeKind = {
  name: "temporal",
  title: "Temporal",
  connection: {
    address: Type.Object({
      url: Text({
        minLength: 1,
        maxLength: 2048,
        description: "Address of the HTTP API of the server, for example `http://localhost:7243`.",
      }),
      namespace: Text({ minLength: 1, maxLength: 255, description: "Namespace of the workflows." }),
    }),
    secret: "An API key, or a JWT that the server accepts. It is sent as a bearer token.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    probe: async ({ address, secret }, http) => {
      const answer = await http({
        method: "GET",
        url: namespaceUrl(address),
        headers: bearer(secret),
        keptBytes: KEPT_BYTES,
      });
      const { status } = answer;
      const { message, namespaceInfo } = bodyOf(answer);
      if (status === 200 && namespaceInfo === undefined) return { ok: false, detail: NOT_TEMPORAL };
      if (status === 200) return { ok: true, detail: `The namespace "${String(address["namespace"])}" is there.` };
      return { ok: false, detail: `Temporal answered ${status}${quoted(message)}` };
    },
  },
  address: Type.Object({
    workflow_id: Type.Optional(
      Text({ minLength: 1, maxLength: 1000, description: "Workflow that waits, or that runs the activity." }),
    ),
    run_id: Type.Optional(
      Text({ minLength: 1, maxLength: 255, description: "Run of the workflow. Default: the current one." }),
    ),
    signal: Type.Optional(Text({ minLength: 1, maxLength: 1000, description: "Name of the signal to send." })),
    update: Type.Optional(Text({ minLength: 1, maxLength: 1000, description: "Name of the update to send." })),
    activity_id: Type.Optional(Text({ minLength: 1, maxLength: 1000, description: "Activity to complete." })),
    task_token: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 8192,
        description: "Task token of an activity to complete, in Base64. It replaces `workflow_id` and `activity_id`.",
      }),
    ),
  }),
  secretFields: ["task_token"],
  checkAddress: (address) => {
    const token = address["task_token"] as string | undefined;
    const named = NAMED.filter((name) => address[name] !== undefined);
    if (named.length + (token === undefined ? 0 : 1) !== 1)
      return { path: "", message: "Give one of `signal`, `update`, `activity_id` and `task_token`." };
    if (token !== undefined) {
      const isEncoded = /^[\w+/-]+={0,2}$/.test(token);
      if (!isEncoded) return { path: "/task_token", message: "It must be Base64." };
      const other = ["workflow_id", "run_id"].find((name) => address[name] !== undefined);
      return other === undefined ? null : { path: `/${other}`, message: "A task token names the workflow itself." };
    }
    if (address["workflow_id"] === undefined) return { path: "/workflow_id", message: "It is missing." };
    for (const name of ["workflow_id", ...named]) {
      const text = address[name] as string;
      // The server decodes the path before it looks for its parts.
      const problem = text.includes("/") ? "The HTTP API of Temporal cannot name what has a slash." : partProblem(text);
      if (problem !== null) return { path: `/${name}`, message: problem };
    }
    return null;
  },
  resume: async (attempt, http) => {
    const { address, value } = attempt;
    const bytes = Buffer.byteLength(value);
    if (bytes > PAYLOAD_BYTES) {
      const message = `The outcome has ${bytes} bytes, and Temporal takes ${PAYLOAD_BYTES} at most. Nothing was sent.`;
      return { meaning: "gone", message, answer: null };
    }
    const send = address["signal"] !== undefined ? signal : address["update"] !== undefined ? update : completeActivity;
    const resumed = await send(attempt, http);
    return { ...resumed, answer: resumed.answer && storable(resumed.answer) };
  },
};

async function signal(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address, id } = attempt;
  const answer = await post(
    attempt,
    http,
    ["workflows", text(address, "workflow_id"), "signal", text(address, "signal")],
    {
      workflowExecution: runOf(address),
      input: payloadsOf(attempt),
      requestId: id,
      identity: IDENTITY,
    },
  );
  return read(attempt, answer);
}

async function update(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address, id } = attempt;
  const answer = await post(
    attempt,
    http,
    ["workflows", text(address, "workflow_id"), "update", text(address, "update")],
    {
      workflowExecution: runOf(address),
      waitPolicy: { lifecycleStage: `${STAGE}ACCEPTED` },
      request: { meta: { updateId: id, identity: IDENTITY }, input: { args: payloadsOf(attempt) } },
    },
  );
  if (answer.status !== 200 || !isJson(answer)) return orDoneAlready(read(attempt, answer), attempt);
  const { outcome, stage } = bodyOf(answer) as { outcome?: { failure?: { message?: unknown } }; stage?: unknown };
  if (outcome?.failure !== undefined)
    return { meaning: "gone", message: `The workflow refused the update${quoted(outcome.failure.message)}`, answer };
  // The server gave up waiting. The same update goes on at the next attempt.
  if (stage === `${STAGE}UNSPECIFIED` || stage === `${STAGE}ADMITTED`)
    return { meaning: "later", message: "The workflow has not accepted the update yet. Does a worker run?", answer };
  return { meaning: "done", message: "The workflow accepted the update.", answer };
}

const STAGE = "UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_";

async function completeActivity(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address } = attempt;
  const done = { result: payloadsOf(attempt), identity: IDENTITY };
  const taskToken = address["task_token"];
  const names = { workflowId: address["workflow_id"], ...runOf(address), activityId: address["activity_id"] };
  const [path, body] =
    taskToken !== undefined
      ? [["activity-complete"], { taskToken, ...done }]
      : [
          ["workflows", text(address, "workflow_id"), "activities", text(address, "activity_id"), "complete"],
          { ...runOf(address), ...done },
        ];
  let answer = await post(attempt, http, path, body);
  // Earlier servers have other paths.
  if (isNoRoute(answer))
    answer = await (taskToken !== undefined
      ? post(attempt, http, ["activities", "complete"], body)
      : post(attempt, http, ["activities", "complete-by-id"], { ...names, ...done }));
  return orDoneAlready(read(attempt, answer), attempt);
}

async function post(attempt: Attempt, http: Http, path: string[], body: object): Promise<Answer> {
  const { address, secret } = attempt.connection!;
  return http({
    url: namespaceUrl(address, ...path),
    headers: { "Content-Type": "application/json", ...bearer(secret) },
    body: Buffer.from(JSON.stringify(body)),
    keptBytes: KEPT_BYTES,
  });
}

function namespaceUrl(address: Fields, ...path: string[]): string {
  return under(text(address, "url"), "api", "v1", "namespaces", text(address, "namespace"), ...path);
}

function read({ now }: Attempt, answer: Answer): Resumed {
  const { status } = answer;
  const { message, details } = bodyOf(answer);
  const said = `Temporal answered ${status}${quoted(message)}`;
  const isElsewhere = JSON.stringify(details ?? null).includes("NamespaceNotFound");
  return readStatus("Temporal", answer, now, {
    200: isJson(answer)
      ? { meaning: "done", message: "Temporal answered 200." }
      : { meaning: "later", message: NOT_TEMPORAL },
    400: { meaning: "gone", message: said },
    401: { meaning: "refused", message: said },
    403: { meaning: "refused", message: said },
    // The connection is wrong, and can be mended.
    404: { meaning: isElsewhere || isNoRoute(answer) ? "later" : "gone", message: said },
  });
}

/** Whether an answer begins as an object. The result of an update may be longer than what is kept. */
function isJson({ body }: Answer): boolean {
  return body.trimStart().startsWith("{");
}

/** Whether the server has no such path, in place of no such thing. (`runtime.DefaultRoutingErrorHandler` of grpc-gateway) */
function isNoRoute(answer: Answer): boolean {
  return answer.status === 404 && [undefined, "Not Found"].includes(bodyOf(answer)["message"] as string | undefined);
}

function runOf(address: Fields): { runId?: string } {
  const runId = address["run_id"] as string | undefined;
  return runId === undefined ? {} : { runId };
}

/**
 * Returns the only argument. It is written in full: the shorthand would turn an empty list into null, and read some objects
 * as messages of Temporal.
 */
function payloadsOf({ value }: Attempt): object {
  const metadata = { encoding: Buffer.from("json/plain").toString("base64") };
  return { payloads: [{ metadata, data: Buffer.from(value).toString("base64") }] };
}

const text = (fields: Fields, name: string) => fields[name] as string;
