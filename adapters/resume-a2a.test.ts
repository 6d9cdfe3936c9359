import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { AgentCard as OldCard, Task as OldTask } from "@a2a-js/sdk-v0_3";
import * as old from "@a2a-js/sdk-v0_3/server";
import { jsonRpcHandler as oldJsonRpcHandler, UserBuilder as OldUsers } from "@a2a-js/sdk-v0_3/server/express";
import { AgentCard, TaskState, type Task } from "@a2a-js/sdk-v1";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, type AgentExecutor } from "@a2a-js/sdk-v1/server";
import { jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk-v1/server/express";
import express, { type RequestHandler } from "express";
import { a2a } from "../src/resume/kinds/a2a.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../test/support/engines/attempt.ts";
import { listen } from "../test/support/listen.ts";

/*
 * The kind resumes agents that the official library serves. Each agent waits for input after its first message. It waits again after
 * the second, and is done after the third, so that a repetition would be seen.
 */

const SECRET = "s3cret-of-the-agent";

interface Agent {
  url: string;
  /** The data parts that the agent got. */
  received: unknown[];
  /** Sends the first message. @returns the id of the task, which waits for input */
  begin(): Promise<string>;
  post(path: string, body: object): Promise<Record<string, unknown>>;
}

async function start(
  t: TestContext,
  received: unknown[],
  mount: (app: ReturnType<typeof express>) => void,
  begin: (post: Agent["post"]) => Promise<unknown>,
): Promise<Agent> {
  const app = express();
  const authenticate: RequestHandler = (request, response, next) => {
    if (request.headers.authorization === `Bearer ${SECRET}`) next();
    else response.status(401).set("WWW-Authenticate", "Bearer").end();
  };
  app.use(authenticate);
  mount(app);
  const url = `${await listen(t, app)}/a2a`;
  const post: Agent["post"] = async (path, body) => {
    const headers = {
      "Content-Type": "application/json",
      Authorization: `Bearer ${SECRET}`,
      "A2A-Version": "method" in body && body.method === "message/send" ? "0.3" : "1.0",
    };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, unknown>;
  };
  return { url, received, post, begin: async () => (await begin(post)) as string };
}

function startNew(t: TestContext, binding: "JSONRPC" | "HTTP+JSON"): Promise<Agent> {
  const received: unknown[] = [];
  const agent: AgentExecutor = {
    execute: async ({ taskId, contextId, task, userMessage }, bus) => {
      for (const { content } of userMessage.parts) if (content?.$case === "data") received.push(content.value);
      const before = task?.history ?? [];
      const state = before.length > 2 ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_INPUT_REQUIRED;
      const history = before.length > 0 ? before : [userMessage];
      const status = { state, message: undefined, timestamp: new Date().toISOString() };
      bus.publish(AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history, metadata: {} }));
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const card = AgentCard.fromJSON({
    name: "asks",
    version: "1.0.0",
    capabilities: {},
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["text/plain"],
    supportedInterfaces: [{ url: "http://127.0.0.1/a2a", protocolBinding: binding, protocolVersion: "1.0" }],
  });
  const options = {
    requestHandler: new DefaultRequestHandler(card, new InMemoryTaskStore(), agent),
    userBuilder: UserBuilder.noAuthentication,
  };
  const message = { messageId: "first", role: "ROLE_USER", parts: [{ text: "Refund Mia" }] };
  return start(
    t,
    received,
    (app) => app.use("/a2a", binding === "JSONRPC" ? jsonRpcHandler(options) : restHandler(options)),
    async (post) => {
      const answer =
        binding === "JSONRPC"
          ? ((await post("", { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }))[
              "result"
            ] as object)
          : await post("/message:send", { message });
      return (answer as { task: Task }).task.id;
    },
  );
}

function startOld(t: TestContext): Promise<Agent> {
  const received: unknown[] = [];
  const agent: old.AgentExecutor = {
    execute: async ({ taskId, contextId, task, userMessage }, bus) => {
      for (const part of userMessage.parts) if (part.kind === "data") received.push(part.data);
      const before = task?.history ?? [];
      const state = before.length > 2 ? "completed" : "input-required";
      const history = before.length > 0 ? before : [userMessage];
      bus.publish({ kind: "task", id: taskId, contextId, status: { state }, history } satisfies OldTask);
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const card = { name: "asks", url: "http://127.0.0.1/a2a", protocolVersion: "0.3.0", capabilities: {} } as OldCard;
  const requestHandler = new old.DefaultRequestHandler(card, new old.InMemoryTaskStore(), agent);
  const message = { kind: "message", messageId: "first", role: "user", parts: [{ kind: "text", text: "Refund Mia" }] };
  return start(
    t,
    received,
    (app) => app.use("/a2a", oldJsonRpcHandler({ requestHandler, userBuilder: OldUsers.noAuthentication })),
    async (post) => {
      const answer = await post("", { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } });
      return (answer["result"] as OldTask).id;
    },
  );
}

const AGENTS = [
  { version: "1.0", binding: "JSONRPC", serve: (t: TestContext) => startNew(t, "JSONRPC") },
  { version: "1.0", binding: "HTTP+JSON", serve: (t: TestContext) => startNew(t, "HTTP+JSON") },
  { version: "0.3", binding: "JSONRPC", serve: startOld },
];

for (const { version, binding, serve } of AGENTS)
  void test(`an agent of @a2a-js/sdk that speaks ${version} as ${binding} is resumed, once for each delivery`, async (t) => {
    const { url, received, begin } = await serve(t);
    const connection = { address: { url, version, binding }, secret: SECRET };
    const { ok, detail } = await probeOnce(t, a2a, connection);
    assert.equal(ok, true, detail);
    const waiting = { entry: { task_id: await begin() } };
    const attempt = async (id: string, secret = SECRET) =>
      (await attemptOnce(t, a2a, { connection: { ...connection, secret } }, waiting, { id })).meaning;
    assert.equal(await attempt("dlv_1", "another"), "refused");
    assert.equal(await attempt("dlv_1"), "done");
    assert.equal(await attempt("dlv_1"), "done_already");
    assert.deepEqual(received, [OUTCOME]);
    assert.equal(await attempt("dlv_2"), "done");
    assert.equal(await attempt("dlv_3"), "done_already");
    assert.deepEqual(received, [OUTCOME, OUTCOME]);
    const unknown = { entry: { task_id: "none" } };
    // The handlers of 1.0.1 do not know the error of their own request handler, and say that they failed.
    assert.equal((await attemptOnce(t, a2a, { connection }, unknown)).meaning, version === "0.3" ? "gone" : "later");
  });

void test("a connection with the wrong version says so", async (t) => {
  for (const { version, binding, serve } of AGENTS) {
    if (binding !== "JSONRPC") continue;
    const { url } = await serve(t);
    const other = version === "1.0" ? "0.3" : "1.0";
    const probed = await probeOnce(t, a2a, { address: { url, version: other, binding }, secret: SECRET });
    assert.deepEqual(probed, { ok: false, detail: `The agent does not speak version ${other} at this url.` });
  }
});
