import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import {
  answer,
  houseOf,
  own,
  TEST_MS,
  testEachWay,
  tool,
  transportOf,
  type House,
  type Way,
} from "../test/support/mcp.ts";
import type { HeldRequest, HumanRequest } from "./requests.ts";
import { toTask, type McpTask } from "./tasks.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const DECLARED = { extensions: { [TASKS]: {} } };
const CLIENT_INFO = { name: "test", version: "1" };

type Reply = { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };

interface RawClient {
  client: Client;
  /** Sends a request as it is, with the capabilities of the client. */
  raw(method: string, params: object, capabilities?: unknown): Promise<Reply>;
  /** Calls `raw` and returns its error. */
  refused(method: string, params: object, capabilities?: unknown): Promise<NonNullable<Reply["error"]>>;
  /** Asks, and returns the handle. */
  begin(args: object): Promise<McpTask>;
  get(taskId: string): Promise<McpTask>;
  /** The notifications about tasks so far, and the next one. */
  told: McpTask[];
  next(): Promise<McpTask>;
  /** Listens to tasks. */
  listen(taskIds: readonly string[], more?: object): ReturnType<Client["listen"]>;
  /** What the server agreed to tell, stream by stream. */
  acknowledged: unknown[];
  /** The official client of the extension. */
  session(): ReturnType<typeof createTaskSessionFromClient>;
}

/** Connects the official client, and lets a test see what the extension adds: this client knows nothing of it. */
async function connectRaw(
  t: Pick<TestContext, "after">,
  way: Way,
  house: House,
  agent: string,
  token?: string,
): Promise<RawClient> {
  const transport: Transport = transportOf(way, house, agent, token);
  const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: "auto" }, capabilities: DECLARED });
  const told: McpTask[] = [];
  let wake = () => {};
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method !== "notifications/tasks") return;
    told.push(params as unknown as McpTask);
    wake();
  };
  await client.connect(transport);
  t.after(async () => client.close());
  const waiting = new Map<unknown, (reply: Reply) => void>();
  const forward = transport.onmessage;
  const acknowledged: unknown[] = [];
  const onmessage: Transport["onmessage"] = (message: JSONRPCMessage, extra) => {
    const { id, method, params } = message as { id?: unknown; method?: string; params?: { notifications?: object } };
    // The client itself knows nothing of the tasks in it.
    if (method === "notifications/subscriptions/acknowledged") acknowledged.push(params?.notifications);
    const resolve = waiting.get(id);
    if (resolve === undefined) forward?.(message, extra);
    else resolve(message as Reply);
  };
  Object.assign(transport, { onmessage });
  const send = async (request: object): Promise<Reply> => {
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<Reply>();
    waiting.set(id, resolve);
    await transport.send({ jsonrpc: "2.0", id, ...request } as JSONRPCMessage);
    return promise;
  };
  const raw: RawClient["raw"] = async (method, params, capabilities = DECLARED) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    return send({ method, params: { ...params, _meta: meta } });
  };
  const done = async (method: string, params: object) => {
    const { result, error } = await raw(method, params);
    assert.ok(result, JSON.stringify(error));
    return result as unknown as McpTask;
  };
  let seen = 0;
  return {
    client,
    raw,
    told,
    acknowledged,
    listen: async (taskIds, more) => client.listen({ taskIds, ...more } as Parameters<Client["listen"]>[0]),
    refused: async (...call) => {
      const { error, result } = await raw(...call);
      assert.ok(error, JSON.stringify(result));
      return error;
    },
    begin: async (args) => done("tools/call", { name: "ask_human", arguments: args }),
    get: async (taskId) => done("tasks/get", { taskId }),
    next: async () => {
      while (told.length === seen) await new Promise<void>((resolve) => (wake = resolve));
      return told[seen++]!;
    },
    session: () =>
      createTaskSessionFromClient(client, {
        endpointId: "test",
        rawDispatch: async (request) => {
          const { result, error } = await send(request as object);
          return error === undefined ? { kind: "result", result } : { kind: "error", error };
        },
        v2RequestFraming: {
          protocolVersion: "2026-07-28",
          clientInfo: CLIENT_INFO,
          clientCapabilities: DECLARED,
        },
      } as Parameters<typeof createTaskSessionFromClient>[1]),
  };
}

/** Registers the same test for each transport and both databases, with the present revision of the protocol. */
function testTasks(
  name: string,
  run: (
    house: House,
    connect: (agent?: string, token?: string) => Promise<RawClient>,
    way: Way,
    t: Pick<TestContext, "after">,
  ) => Promise<void>,
): void {
  testEachWay(
    name,
    async ({ house, way, t }) => {
      const agent = `bot-${crypto.randomUUID()}`;
      await run(house, async (as = agent, token) => connectRaw(t, way, house, as, token), way, t);
    },
    { eras: ["auto"] },
  );
}

testTasks(
  "a client that takes tasks gets a handle at once, and the answer by it: the official client of the extension",
  async (house, connect) => {
    const { session } = await connect();
    await using tasks = session();
    const asked = { question: "Which colour?", assign_to: "dana@example.com" };
    const execution = await tasks.callTool("ask_human", asked);
    assert.equal(execution.kind, "task");
    const { taskId } = (execution as { handle: { taskId: string } }).handle;
    const stored = await house.service.call<{ status: string }>("GET", `/api/tasks/${taskId}`);
    assert.deepEqual([stored.status, stored.body.status], [200, "created"], "it is stored before the reply");

    const task = tasks.task(taskId as Parameters<typeof tasks.task>[0]);
    const { status, statusMessage, retentionMs } = await task.snapshot();
    assert.deepEqual([status, retentionMs], ["working", null]);
    assert.match(statusMessage!, new RegExp(`^Waiting for dana@example\\.com: http://.+/tasks/${taskId}$`));

    await answer(house, taskId, { answer: "Green." });
    const result = resultFromTaskOutcome(await task.result()) as {
      structuredContent: HumanRequest;
      content: { text: string }[];
    };
    assert.deepEqual(result.structuredContent.answer, { answer: "Green." });
    assert.match(result.content[0]!.text, /^Answered by dana@example\.com\./);
    await execution.detach();
  },
);

testTasks(
  "a handle is a task of the protocol, and nothing is lost for those who read it as a result",
  async (_house, connect) => {
    const { begin, get } = await connect();
    const { result, ...handle } = await begin({ question: "Ready?", wait_seconds: 50 });
    assert.equal(result, undefined);
    const { content, structuredContent, _meta, ...task } = handle as McpTask & Record<string, unknown>;
    const { taskId } = handle;
    assert.deepEqual(task, {
      resultType: "task",
      taskId,
      status: "working",
      statusMessage: `Waiting for a person: ${(structuredContent as HumanRequest).url}`,
      createdAt: task.createdAt,
      lastUpdatedAt: task.createdAt,
      ttlMs: null,
      pollIntervalMs: 5000,
    });
    assert.ok(_meta);
    assert.equal((structuredContent as HumanRequest).status, "pending");
    assert.match(JSON.stringify(content), /No answer yet/);
    assert.equal((await begin({ question: "Ready?" })).taskId, taskId, "the same question is asked once");
    const working = (await get(taskId)) as McpTask & { resultType: string };
    assert.deepEqual([working.resultType, working.status, working.result], ["complete", "working", undefined]);
  },
);

testTasks("a decision about an action comes by its handle, and means the same", async (house, connect) => {
  const { raw, get } = await connect();
  const call = { name: "approve_action", arguments: { name: "refund", args: { amount: 90 } } };
  const { result } = await raw("tools/call", call);
  const { taskId } = result as unknown as McpTask;
  await answer(house, taskId, { decision: "edit", args: { amount: 45 } });
  const task = await get(taskId);
  assert.equal(task.status, "completed");
  assert.equal(task.result?.resultType, "complete");
  const { answer: decided } = task.result.structuredContent as HumanRequest;
  assert.deepEqual((decided as { args: object }).args, { amount: 45 });
  assert.match(
    JSON.stringify(task.result.content),
    /Run the action now with exactly the args in the answer, not with yours/,
  );
});

testTasks("a task that is cancelled is withdrawn, and an answer is not", async (house, connect) => {
  const { begin, get, raw } = await connect();
  const { taskId } = await begin({ question: "Lunch?" });
  const { result } = await raw("tasks/cancel", { taskId });
  const { _meta, ...cancelled } = result!;
  assert.deepEqual(cancelled, { resultType: "complete" });
  assert.ok(_meta);
  assert.equal((await get(taskId)).status, "cancelled");
  const late = await house.service.call("POST", `/api/tasks/${taskId}/complete`, { response: { answer: "yes" } });
  assert.equal(late.status, 409);

  const answered = await begin({ question: "Dinner?" });
  await answer(house, answered.taskId, { answer: "yes" });
  assert.ok((await raw("tasks/cancel", { taskId: answered.taskId })).result);
  assert.equal((await get(answered.taskId)).status, "completed");
});

testTasks(
  "a task stays working while a person waits for the agent's reply, and says so, also to those who listen",
  async (house, connect) => {
    const { call } = house.service;
    const { body: agent } = await call<{ id: string }>("POST", "/api/agents", { name: `a-${crypto.randomUUID()}` });
    const { body: created } = await call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
    const { client, begin, get, listen, next } = await connect("unused", created.token);
    const { taskId } = await begin({ question: "Refund Mia?" });
    const ask = async (text: string) =>
      assert.equal((await call("POST", `/api/tasks/${taskId}/comments`, { text, kind: "question" })).status, 201);
    const stream = await listen([taskId]);
    await ask("Which card?");
    const told = await next();
    assert.equal(told.status, "working");
    assert.match(told.statusMessage!, /^A person asked the agent a question\. It calls check_on_human/);
    const state = await get(taskId);
    assert.deepEqual([state.status, state.statusMessage], ["working", told.statusMessage]);
    assert.equal("inputRequests" in state, false);
    assert.ok(state.lastUpdatedAt >= state.createdAt);

    const replied = await tool(client, "reply", { request_id: taskId, text: "4242." });
    assert.equal(replied.needs_reply, undefined);
    assert.match((await next()).statusMessage!, /^Waiting for a person: /);
    await ask("Since when?");
    assert.match((await next()).statusMessage!, /^A person asked the agent/);
    await answer(house, taskId, { answer: "yes" });
    assert.equal((await next()).status, "completed");
    await stream.closed;
  },
);

testTasks("what is sent to a task that asks for nothing is ignored", async (_house, connect) => {
  const { begin, get, raw } = await connect();
  const { taskId } = await begin({ question: "Anything?" });
  const inputResponses = { approval: { action: "accept", content: { answer: "yes" } } };
  assert.ok((await raw("tasks/update", { taskId, inputResponses })).result);
  assert.equal((await get(taskId)).status, "working");
});

testTasks("the handle of another agent is unknown, as one that never was", async (house, connect) => {
  const mine = await connect();
  const { taskId } = await mine.begin({ question: "Secret plan?" });
  const other = await connect(`other-${crypto.randomUUID()}`);
  for (const id of [taskId, "tsk_nothing", "../users", `${taskId}/poll`, "x".repeat(101), "", 7, null, [taskId]])
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const error = await other.refused(method, { taskId: id, inputResponses: {} });
      assert.equal(error.code, -32_602, `${method} ${JSON.stringify(id)}: ${error.message}`);
      assert.doesNotMatch(JSON.stringify(error), /Secret plan/);
    }
  assert.equal((await mine.get(taskId)).status, "working");
  await answer(house, taskId, { answer: "no" });
});

testTasks("a client that does not declare tasks gets results, and no task", async (_house, connect) => {
  const { begin, raw, refused } = await connect();
  const { taskId } = await begin({ question: "Whose?" });
  for (const extension of [undefined, null, true, "yes", []]) {
    const capabilities = extension === undefined ? {} : { extensions: { [TASKS]: extension } };
    const call = { name: "ask_human", arguments: { question: "Plain?", wait_seconds: 0 } };
    // The protocol allows only objects here, and the SDK refuses others.
    const { result, error } = await raw("tools/call", call, capabilities);
    if (result) assert.deepEqual([result["resultType"], result["taskId"]], ["complete", undefined]);
    else assert.equal(error!.code, -32_602);
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { code, data } = await refused(method, { taskId }, capabilities);
      if (extension !== undefined && code === -32_602) continue;
      assert.deepEqual(
        [code, data],
        [-32_021, { requiredCapabilities: DECLARED }],
        `${method} ${JSON.stringify(extension)}`,
      );
    }
  }
});

testTasks("the end of a task is pushed to those who listen, and only of their own tasks", async (house, connect) => {
  const { begin, listen, acknowledged, get, next, told } = await connect();
  const other = await connect(`other-${crypto.randomUUID()}`);
  const foreign = await other.begin({ question: "Theirs?" });
  const ended = await begin({ question: "Ended?" });
  await answer(house, ended.taskId, { answer: "yes" });
  const open = await begin({ question: "Open?" });

  const taskIds = [open.taskId, foreign.taskId, "tsk_nothing", ended.taskId, open.taskId];
  const stream = await listen(taskIds);
  assert.deepEqual(acknowledged, [{ taskIds: [open.taskId, ended.taskId] }]);
  const first = await next();
  assert.deepEqual([first.taskId, first.status], [ended.taskId, "completed"], "who listens too late is told at once");

  await answer(house, foreign.taskId, { answer: "no" });
  await answer(house, open.taskId, { answer: "green" });
  const { _meta, ...pushed } = (await next()) as McpTask & { _meta: Record<string, unknown> };
  assert.ok(_meta["io.modelcontextprotocol/subscriptionId"] !== undefined);
  const { _meta: _, resultType, ...read } = (await get(open.taskId)) as McpTask & Record<string, unknown>;
  assert.equal(resultType, "complete");
  assert.deepEqual(pushed, read, "it is what tasks/get returns");
  assert.equal(await stream.closed, "graceful", "there is nothing left to tell");
  assert.equal(told.length, 2);
});

testTasks(
  "a stream goes on if it is about something else too, and ends if nothing of it is known",
  async (house, connect) => {
    const { begin, listen, acknowledged, next } = await connect();
    const { taskId } = await begin({ question: "Open?" });
    const stream = await listen([taskId], { toolsListChanged: true });
    assert.deepEqual(acknowledged, [{ toolsListChanged: true, taskIds: [taskId] }]);
    await answer(house, taskId, { answer: "green" });
    assert.equal((await next()).taskId, taskId);
    const nothing = await listen(["tsk_nothing"]);
    assert.deepEqual(acknowledged[1], { taskIds: [] });
    assert.equal(await nothing.closed, "graceful");
    await stream.close();
    assert.equal(await stream.closed, "local");
  },
);

testTasks("a stream of tasks needs the extension, and a list of ids", async (_house, connect) => {
  const { refused } = await connect();
  const ask = async (taskIds: unknown, capabilities?: unknown) =>
    refused("subscriptions/listen", { notifications: { taskIds } }, capabilities);
  const missing = await ask(["tsk_nothing"], {});
  assert.deepEqual([missing.code, missing.data], [-32_021, { requiredCapabilities: DECLARED }]);
  for (const taskIds of ["tsk_1", [7], [null], [""], Array.from({ length: 201 }, (_, n) => `tsk_${n}`)])
    assert.equal((await ask(taskIds)).code, -32_602, JSON.stringify(taskIds).slice(0, 40));
});

void test("a stream without the token is an error", { timeout: TEST_MS }, async (t) => {
  const house = await houseOf("sqlite");
  const { refused } = await connectRaw(t, "standalone HTTP", house, "bot", "wrong");
  const { code, message } = await refused("subscriptions/listen", { notifications: { taskIds: ["tsk_1"] } });
  assert.equal(code, -32_603);
  assert.match(message, /UNAUTHENTICATED/);
});

testEachWay(
  "a client of an earlier revision sees no extension",
  async (desk) => {
    const client = await desk.connect();
    assert.equal(client.getServerCapabilities()?.extensions, undefined);
    const capabilities = { "io.modelcontextprotocol/clientCapabilities": DECLARED };
    const call = { name: "ask_human", arguments: { question: "Old?", wait_seconds: 0 }, _meta: capabilities };
    const result = await client.callTool(call);
    assert.equal(result["taskId"], undefined);
    assert.equal((result.structuredContent as HumanRequest).status, "pending");
  },
  { eras: ["legacy"] },
);

for (const way of ["stdio", "the service"] as const)
  void test(`a service that is killed loses no handle (${way})`, { timeout: TEST_MS }, async (t) => {
    const { service, restart } = await own(t);
    const house = { service, standalone: "", end: async () => undefined };
    const before = await connectRaw(t, way, house, "bot");
    const { taskId } = await before.begin({ question: "Still there?" });
    await service.kill();
    const again = { ...house, service: await restart() };
    const after = way === "stdio" ? before : await connectRaw(t, way, again, "bot");
    assert.equal((await after.get(taskId)).status, "working");
    await answer(again, taskId, { answer: "yes" });
    assert.equal((await after.get(taskId)).status, "completed");
  });

void test("over stdio, listening outlives a crash of the service", { timeout: TEST_MS }, async (t) => {
  const { service, restart } = await own(t);
  const house = { service, standalone: "", end: async () => undefined };
  const { begin, listen, next } = await connectRaw(t, "stdio", house, "bot");
  const { taskId } = await begin({ question: "Still there?" });
  await listen([taskId]);
  await service.kill();
  await answer({ ...house, service: await restart() }, taskId, { answer: "yes" });
  assert.equal((await next()).taskId, taskId);
});

void test("a service that stops ends the streams, and stops", { timeout: TEST_MS }, async (t) => {
  const { service } = await own(t);
  const house = { service, standalone: "", end: async () => undefined };
  const { begin, listen, client } = await connectRaw(t, "the service", house, "bot");
  const { taskId } = await begin({ question: "Stop?" });
  const streams = [await listen([taskId]), await client.listen({ toolsListChanged: true })];
  const [code, ...ends] = await Promise.all([service.stop(), ...streams.map(async ({ closed }) => closed)]);
  assert.deepEqual([code, ...ends], [0, "graceful", "graceful"]);
});

void test("a stream ends with the token, and nothing is told by it", { timeout: TEST_MS }, async (t) => {
  const house = await houseOf("sqlite");
  const { call } = house.service;
  const { body: agent } = await call<{ id: string }>("POST", "/api/agents", { name: `a-${crypto.randomUUID()}` });
  const made = await call<{ id: string; token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
  const { begin, listen, told } = await connectRaw(t, "the service", house, "bot", made.body.token);
  const { taskId } = await begin({ question: "Stop?" });
  const { closed } = await listen([taskId]);
  assert.equal((await call("DELETE", `/api/agents/${agent.id}/tokens/${made.body.id}`)).status, 204);
  assert.equal(await closed, "remote");
  await answer(house, taskId, { answer: "yes" });
  assert.deepEqual(told, []);
});

void test("each status of a request is one of the protocol", () => {
  const request: HumanRequest = {
    request_id: "tsk_1",
    status: "pending",
    question: "?",
    action: null,
    answer: null,
    answered_by: null,
    url: "https://tasks.example.com/tasks/tsk_1",
    asked_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-02T00:00:00.000Z",
  };
  const held: HeldRequest = { request, waitingFor: "approvals (1 of 2)", updatedAt: "2026-01-01T01:00:00.000Z" };
  const statusOf = (status: HumanRequest["status"]) => {
    const task = toTask({ ...held, request: { ...request, status } });
    return [task.status, (task.result?.structuredContent as HumanRequest | undefined)?.status];
  };
  assert.deepEqual(statusOf("pending"), ["working", undefined]);
  assert.deepEqual(statusOf("completed"), ["completed", "completed"]);
  assert.deepEqual(statusOf("timed_out"), ["completed", "timed_out"]);
  assert.deepEqual(statusOf("verification_exhausted"), ["completed", "verification_exhausted"]);
  assert.deepEqual(statusOf("cancelled"), ["cancelled", undefined]);
  const { statusMessage, lastUpdatedAt } = toTask(held);
  assert.equal(statusMessage, "Waiting for approvals (1 of 2): https://tasks.example.com/tasks/tsk_1");
  assert.equal(lastUpdatedAt, "2026-01-01T01:00:00.000Z");
});

testTasks("several people who must approve are told of with the handle", async (_house, connect) => {
  const { raw, client } = await connect();
  const call = { name: "approve_action", arguments: { name: "refund", args: { amount: 91 }, approvals: { need: 2 } } };
  const { result } = await raw("tools/call", call);
  const { taskId, statusMessage } = result as unknown as McpTask;
  assert.match(statusMessage!, /^Waiting for approvals \(0 of 2\): http/);
  const { request_id } = await tool(client, "check_on_human", { request_id: taskId, wait_seconds: 0 });
  assert.equal(request_id, taskId);
});
