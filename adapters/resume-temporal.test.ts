import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { defaultPayloadConverter } from "@temporalio/client";
import proto from "@temporalio/proto";
import { temporal } from "../src/resume/kinds/temporal.ts";
import { OUTCOME } from "../test/support/engines/attempt.ts";

const {
  SignalWorkflowExecutionRequest,
  UpdateWorkflowExecutionRequest,
  RespondActivityTaskCompletedRequest,
  RespondActivityTaskCompletedByIdRequest,
} = proto.temporal.api.workflowservice.v1;

/** A message of the protocol, as the SDK has it. */
interface MessageType<Message> {
  fromObject(json: object): Message;
  toObject(message: Message, options: object): object;
}

interface Payloads {
  payloads?: proto.temporal.api.common.v1.IPayload[] | null;
}

const SERVICE = readFileSync(
  join(
    import.meta.dirname,
    "node_modules/@temporalio/core-bridge/sdk-core/crates/protos/protos/api_upstream",
    "temporal/api/workflowservice/v1/service.proto",
  ),
  "utf8",
);

/** Returns the paths that the HTTP API has for a method. (`google.api.http`) */
function pathsOf(method: string): RegExp[] {
  const [, definition] = new RegExp(`rpc ${method} ?\\(([^]*?)\\n    rpc `).exec(SERVICE)!;
  return Array.from(definition!.matchAll(/post: "(\/api\/v1\/[^"]+)"/g), ([, path]) => {
    const pattern = path!.replaceAll(/\{[^}]+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`);
  });
}

/** Returns the body of the only request of an attempt, which calls a method of the API. */
async function sentFor(method: string, address: Record<string, string>): Promise<object> {
  const bodies: string[] = [];
  const attempt = {
    id: "dlv_1",
    task_id: OUTCOME.task_id,
    address,
    connection: { address: { url: "http://127.0.0.1:7243", namespace: "default" }, secret: null },
    value: JSON.stringify(OUTCOME),
    outcome: OUTCOME,
    now: 0,
    wasCutOff: async () => false,
  };
  await temporal.resume(attempt, async ({ url, body }) => {
    const { pathname } = new URL(url);
    assert.ok(
      pathsOf(method).some((path) => path.test(pathname)),
      pathname,
    );
    bodies.push(String(body));
    return { status: 200, headers: {}, body: "{}" };
  });
  assert.equal(bodies.length, 1);
  return JSON.parse(bodies[0]!) as object;
}

/** Reads JSON as a message, and asserts that the message has all of it: other fields would be left out. */
function readAs<Message>(type: MessageType<Message>, json: object): Message {
  const message = type.fromObject(json);
  assert.deepEqual(type.toObject(message, { bytes: String, enums: String }), json);
  return message;
}

/** Returns the value that a worker with the default data converter would get. */
function valueOf(payloads: Payloads | null | undefined): unknown {
  assert.equal(payloads?.payloads?.length, 1);
  return defaultPayloadConverter.fromPayload(payloads.payloads[0]!);
}

const workflow_id = "publish";

// No server of Temporal can be installed from npm. Its SDK has the messages that the HTTP API reads.
void test("each request has a path and the fields of Temporal's own messages, and a worker reads the outcome from it", async () => {
  const signal = readAs(
    SignalWorkflowExecutionRequest,
    await sentFor("SignalWorkflowExecution", { workflow_id, run_id: "r", signal: "decided" }),
  );
  assert.deepEqual([valueOf(signal.input), signal.requestId, signal.workflowExecution?.runId], [OUTCOME, "dlv_1", "r"]);
  const update = readAs(
    UpdateWorkflowExecutionRequest,
    await sentFor("UpdateWorkflowExecution", { workflow_id, update: "decide" }),
  );
  assert.deepEqual([valueOf(update.request?.input?.args), update.request?.meta?.updateId], [OUTCOME, "dlv_1"]);
  const token = readAs(
    RespondActivityTaskCompletedRequest,
    await sentFor("RespondActivityTaskCompleted", { task_token: "dG9rZW4=" }),
  );
  assert.deepEqual([valueOf(token.result), Buffer.from(token.taskToken).toString()], [OUTCOME, "token"]);
  const activity = readAs(
    RespondActivityTaskCompletedByIdRequest,
    await sentFor("RespondActivityTaskCompletedById", { workflow_id, run_id: "r", activity_id: "5" }),
  );
  assert.deepEqual([valueOf(activity.result), activity.runId], [OUTCOME, "r"]);
});
