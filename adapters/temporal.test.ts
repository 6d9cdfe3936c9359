import assert from "node:assert/strict";
import type { Server } from "node:http";
import { json } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeCallbackHandler } from "@human-task-service/client";
import { CancelledFailure, type ApplicationFailure } from "@temporalio/activity";
import { Client, Connection, type WorkflowFailedError } from "@temporalio/client";
import proto from "@temporalio/proto";
import { MockActivityEnvironment } from "@temporalio/testing";
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from "@temporalio/worker";
import { newConnection } from "../test/support/connections.ts";
import { freePort } from "../test/support/free-port.ts";
import { listen } from "../test/support/listen.ts";
import { openPage } from "../test/support/page-programs.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, WEBHOOK_KEY } from "../test/support/service.ts";
import { testWithCallbacks, type AskedService } from "./support/callbacks.ts";
import { startTemporal, type TemporalStandIn } from "./support/temporal.ts";
import { createHumanActivities, signalOnCallback, type OpenTask } from "./temporal.ts";

const logger = new DefaultLogger("ERROR");
Runtime.install({
  logger,
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: "ERROR", other: "ERROR" }) } },
});

const workflowsPath = fileURLToPath(new URL("fixtures/workflows.ts", import.meta.url));
/** Bundled once for all tests. */
const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });

interface Agent {
  temporal: TemporalStandIn;
  client: Client;
  start(workflow: string, ...args: unknown[]): Promise<Awaited<ReturnType<Client["workflow"]["start"]>>>;
  /** Stops the worker and starts another one. */
  restart(): Promise<void>;
}

const QUEUE = "agents";

interface Special extends Partial<WorkerOptions> {
  /** If false, the service gets no callback URL. */
  canCall?: boolean;
  /** If true, the service signals workflows itself. */
  canSignal?: boolean;
}

async function start(
  t: TestContext,
  asked: AskedService,
  { canCall = true, canSignal = false, ...more }: Special = {},
): Promise<Agent> {
  const temporal = await startTemporal(t);
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  const connection = await NativeConnection.connect({ address: temporal.address });
  const callbackUrl = await listen(t, nodeCallbackHandler(PAYLOAD_KEY, signalOnCallback(client)));
  if (canSignal) await connect(t, asked, client);
  const activities = createHumanActivities({
    ...(canCall && { callbackUrl }),
    ...(canSignal && { connection: "temporal" }),
    client: asked.client,
  });
  const run = async (): Promise<() => Promise<void>> => {
    const worker = await Worker.create({
      connection,
      workflowBundle,
      activities,
      taskQueue: QUEUE,
      shutdownGraceTime: 0,
      ...more,
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  let stop = await run();
  let started = 0;
  stops.set(t, async () => {
    await stop();
    await connection.close();
    await client.connection.close();
  });
  return {
    temporal,
    client,
    start: async (workflow, ...args) =>
      client.workflow.start(workflow, { args, taskQueue: QUEUE, workflowId: `order/${++started}` }),
    restart: async () => {
      await stop();
      stop = await run();
    },
  };
}

/** Makes the connection `temporal`: to the HTTP API, which turns requests into the same messages as Temporal's gateway. */
async function connect(t: TestContext, { service }: AskedService, client: Client): Promise<void> {
  const { SignalWorkflowExecutionRequest: Signal, RespondActivityTaskCompletedByIdRequest: Completion } =
    proto.temporal.api.workflowservice.v1;
  const url = await listen(t, (request, response) => {
    void (async () => {
      const [, id, way, name] = /\/workflows\/([^/]+)\/(signal|activities)\/([^/]+)/.exec(request.url!)!;
      const body = (await json(request)) as { workflowExecution?: object };
      const workflowId = decodeURIComponent(id!);
      const common = { ...body, namespace: "default" };
      const workflowExecution = { ...body.workflowExecution, workflowId };
      const done =
        way === "signal"
          ? client.workflowService.signalWorkflowExecution(
              Signal.fromObject({ ...common, workflowExecution, signalName: name }),
            )
          : client.workflowService.respondActivityTaskCompletedById(
              Completion.fromObject({ ...common, workflowId, activityId: name }),
            );
      const [status, answer] = await done.then(
        () => [200, {}] as const,
        ({ code, details: message }: { code: number; details: string }) =>
          [code === 5 ? 404 : 403, { code, message, details: code === 5 ? [NOT_FOUND] : [] }] as const,
      );
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    })();
  });
  await newConnection(service, { name: "temporal", address: { url, namespace: "default" } });
}

const NOT_FOUND = { "@type": "type.googleapis.com/temporal.api.errordetails.v1.NotFoundFailure" };

const stops = new Map<TestContext, () => Promise<void>>();

/** Returns the ids of open tasks by their text, once there are `count`. */
async function openTasks({ client }: AskedService, count = 1): Promise<Record<string, string>> {
  for (;;) {
    const found: Record<string, string> = {};
    for await (const { id, task } of client.list({ status: "created" })) found[task] = id;
    if (Object.keys(found).length >= count) return found;
  }
}

/** Registers tests like `testWithCallbacks`, with an agent that ends before the service. */
function testWithAgent(
  name: string,
  run: (asked: AskedService, agent: Agent, t: TestContext) => Promise<void>,
  more?: Special,
): void {
  testWithCallbacks(name, async (asked, t) => {
    const agent = await start(t, asked, more);
    try {
      await run(asked, agent, t);
      assert.deepEqual(agent.temporal.problems, []);
    } finally {
      await stops.get(t)!();
    }
  });
}

testWithAgent("a workflow waits for a person over a restart of its worker, and goes on once", async (asked, agent) => {
  const handle = await agent.start("another", "Refund?");
  const taskId = (await openTasks(asked))["Refund?"]!;
  const { idempotency_key } = await asked.client.get(taskId);
  assert.match(idempotency_key, new RegExp(`^temporal:order%2F1/${handle.firstExecutionRunId}/[0-9a-f]{8}$`));
  await agent.temporal.idle("order/1");
  await agent.restart();

  await asked.client.complete(taskId, { approved: true, at: "2026-01-31" });
  await asked.redeliver(taskId);
  assert.deepEqual(await asked.attempts(taskId, 2), [204, 204]);
  await handle.signal("over");
  assert.equal(await handle.result(), "Refund? true 2026");
  // The workflow has ended. The next callback finds no workflow, and still succeeds.
  await asked.redeliver(taskId);
  assert.deepEqual(await asked.attempts(taskId, 3), [204, 204, 204]);
});

testWithAgent(
  "a workflow that the service signals itself goes on once, and no callback is sent",
  async (asked, agent) => {
    const handle = await agent.client.workflow.start("another", {
      args: ["Refund?"],
      taskQueue: QUEUE,
      workflowId: "w 1",
    });
    const taskId = (await openTasks(asked))["Refund?"]!;
    const { callback_url, resume } = await asked.client.get(taskId);
    const { connection, workflow_id, signal, status } = resume![0]!;
    assert.deepEqual(
      [callback_url, connection, workflow_id, signal, status],
      [null, "temporal", "w 1", "humanTaskEnded", "waiting"],
    );
    await agent.temporal.idle("w 1");
    await agent.restart();
    await asked.client.complete(taskId, { approved: true, at: "2026-01-31" });
    await asked.redeliver(taskId);
    assert.deepEqual(await asked.attempts(taskId, 2), [200, 200]);
    await handle.signal("over");
    assert.equal(await handle.result(), "Refund? true 2026");
    // The workflow has ended, so nothing waits for another signal.
    await asked.redeliver(taskId);
    assert.deepEqual(await asked.attempts(taskId, 3), [200, 200, 404]);
    assert.equal((await asked.client.get(taskId)).resume![0]!.status, "gone");
  },
  { canCall: false, canSignal: true },
);

testWithAgent(
  "a workflow that the service could not signal at first is signalled later",
  async (asked, agent) => {
    const handle = await agent.client.workflow.start("one", { args: ["Refund?"], taskQueue: QUEUE, workflowId: "w 1" });
    const taskId = (await openTasks(asked))["Refund?"]!;
    agent.temporal.isAway = true;
    await asked.client.complete(taskId, { approved: true });
    assert.deepEqual(await asked.attempts(taskId, 1), [403]);
    agent.temporal.isAway = false;
    await asked.later(31_000);
    assert.equal(await handle.result(), "Refund? true");
  },
  { canCall: false, canSignal: true },
);

/** Nothing is cached between the tasks of a workflow, so each one replays the history. */
const replaying = { maxCachedWorkflows: 0 };

testWithAgent(
  "answers find their question, however often a workflow is replayed, and what others signal answers nothing",
  async (asked, agent) => {
    const handle = await agent.start("two");
    const { left, right } = await openTasks(asked, 2);
    await agent.temporal.idle("order/1");
    await handle.signal("humanTaskEnded", left!);
    await handle.signal("humanTaskEnded", "tsk_of_another");
    await agent.temporal.idle("order/1");
    await asked.client.complete(right!, { approved: true });
    await asked.client.complete(left!, { approved: false });
    assert.deepEqual(await handle.result(), ["left false", "right true"]);
  },
  replaying,
);

testWithAgent("the answer to a question for a single value is the value", async (asked, agent) => {
  const handle = await agent.start("values");
  const tasks = await openTasks(asked, 2);
  await asked.client.complete(tasks["amount"]!, { value: 7 });
  await asked.client.complete(tasks["now"]!, { value: true });
  assert.equal(await handle.result(), "[7,true]");
});

testWithAgent("workflows side by side hear only of their own tasks", async (asked, agent) => {
  const [first, second] = [await agent.start("one", "first"), await agent.start("one", "second")];
  const tasks = await openTasks(asked, 2);
  await asked.client.complete(tasks["second"]!, { approved: true });
  assert.equal(await second.result(), "second true");
  await agent.temporal.idle("order/1");
  assert.deepEqual(Object.keys(await openTasks(asked)), ["first"]);
  await asked.client.cancel(tasks["first"]!);
  assert.equal(await first.result(), "cancelled");
});

testWithAgent("a callback that Temporal cannot take is refused, and comes again", async (asked, agent, t) => {
  t.mock.method(console, "error", () => {});
  const handle = await agent.start("one", "Refund?");
  const taskId = (await openTasks(asked))["Refund?"]!;
  agent.temporal.isAway = true;
  await asked.client.complete(taskId, { approved: true });
  assert.deepEqual(await asked.attempts(taskId, 1), [500]);
  agent.temporal.isAway = false;
  await asked.later(31_000);
  assert.equal(await handle.result(), "Refund? true");
  assert.deepEqual(await asked.attempts(taskId, 2), [500, 204]);
});

testWithAgent("when every callback is lost the answer is found at the end of the wait", async (asked, agent, t) => {
  t.mock.method(console, "error", () => {});
  agent.temporal.isAway = true;
  const handle = await agent.start("one", "Refund?");
  const taskId = (await openTasks(asked))["Refund?"]!;
  await agent.temporal.idle("order/1");
  await asked.client.complete(taskId, { approved: true });
  assert.deepEqual(await asked.attempts(taskId, 1), [500]);
  agent.temporal.fireTimers("order/1");
  assert.equal(await handle.result(), "Refund? true");
});

/** Asserts the lengths of waits for a task, in whole seconds, and some seconds less because time passes. */
function assertWaits(waits: readonly number[], expected: readonly number[]): void {
  const isEnough = (wait: number, i: number): boolean => wait <= expected[i]! && wait > expected[i]! - 60;
  assert.ok(waits.length === expected.length && waits.every(isEnough), `${waits.join(" and ")} seconds`);
}

testWithAgent("a workflow waits until the new deadline of its task", async (asked, agent) => {
  const handle = await agent.start("one", "Refund?");
  const taskId = (await openTasks(asked))["Refund?"]!;
  await agent.temporal.idle("order/1");
  await asked.client.extend(taskId, 3_600);
  agent.temporal.fireTimers("order/1");
  await agent.temporal.idle("order/1");
  const waits = agent.temporal
    .history("order/1")
    .events.flatMap(({ timerStartedEventAttributes: started }) =>
      started == null ? [] : Number(started.startToFireTimeout.seconds),
    );
  assertWaits(waits, [660, 3_660]);
  await asked.client.complete(taskId, { approved: true });
  assert.equal(await handle.result(), "Refund? true");
});

/** Of the activities that wait in the next test: how many began, and until when the first one is held. */
let waitActivities = { begun: 0, hold: Promise.resolve() };
/** Leaves the first activity that waits no time. */
const withoutTime: Special = {
  interceptors: {
    activity: [
      ({ info }) => ({
        inbound: {
          execute: async (input, next) => {
            if (info.activityType === "humanTaskWait" && ++waitActivities.begun === 1) {
              await waitActivities.hold;
              Object.assign(info, { startToCloseTimeoutMs: 1_000 });
            }
            return next(input);
          },
        },
      }),
    ],
  },
};

testWithAgent(
  "an activity that has no time left is started again, with time until the new deadline of its task",
  async (asked, agent) => {
    const extended = Promise.withResolvers<void>();
    waitActivities = { begun: 0, hold: extended.promise };
    const handle = await agent.start("one", "Refund?", { by: "activity" });
    const taskId = (await openTasks(asked))["Refund?"]!;
    await asked.client.extend(taskId, 3_600);
    extended.resolve();
    while (waitActivities.begun < 2) await new Promise((resolve) => setImmediate(resolve));
    const times = agent.temporal
      .history("order/1")
      .events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType.name === "humanTaskWait" ? Number(scheduled.startToCloseTimeout.seconds) : [],
      );
    assertWaits(times, [1_260, 4_260]);
    await asked.client.complete(taskId, { approved: true });
    assert.equal(await handle.result(), "Refund? true");
  },
  withoutTime,
);

testWithAgent("what ends without an answer is an outcome", async (asked, agent) => {
  const handle = await agent.start("one", "Refund?");
  await openTasks(asked);
  await agent.temporal.idle("order/1");
  await asked.later(601_000);
  assert.equal(await handle.result(), "timed_out");
});

for (const options of [{}, { by: "activity", activityOptions: { heartbeatTimeout: "1s" } }])
  testWithAgent(
    `a workflow that is cancelled withdraws its question${"by" in options ? ", by an activity as well" : ""}`,
    async (asked, agent) => {
      const handle = await agent.start("one", "Refund?", options);
      const taskId = (await openTasks(asked))["Refund?"]!;
      await ("by" in options ? agent.temporal.beaten("order/1") : agent.temporal.idle("order/1"));
      await handle.cancel();
      await assert.rejects(handle.result(), ({ cause }: WorkflowFailedError) => cause instanceof CancelledFailure);
      assert.equal((await asked.client.get(taskId)).status, "cancelled");
    },
  );

testWithAgent(
  "where the service cannot call, an activity waits, and goes on elsewhere when its worker ends",
  async (asked, agent) => {
    const handle = await agent.start("one", "Refund?", { by: "activity", activityOptions: { heartbeatTimeout: "1s" } });
    const taskId = (await openTasks(asked))["Refund?"]!;
    await agent.temporal.beaten("order/1");
    await agent.restart();
    await asked.client.complete(taskId, { approved: true });
    assert.equal(await handle.result(), "Refund? true");
  },
  { canCall: false },
);

testWithAgent("a question that the service refuses fails the workflow, with what is wrong", async (_asked, agent) => {
  const handle = await agent.start("refused");
  await assert.rejects(handle.result(), (error: WorkflowFailedError) => {
    const failure = error.cause?.cause as ApplicationFailure;
    assert.equal(failure.type, "VALIDATION_FAILED");
    assert.match(failure.message, /timeout_seconds/);
    return true;
  });
});

testWithAgent(
  "an id that has no room in the key of a question fails the workflow, and says so",
  async (_asked, agent) => {
    const args = { args: ["Refund?"], taskQueue: QUEUE, workflowId: "x".repeat(250) };
    const handle = await agent.client.workflow.start("one", args);
    await assert.rejects(handle.result(), ({ cause }: WorkflowFailedError) => {
      assert.equal((cause as ApplicationFailure).type, "RUN_ID_TOO_LONG");
      return true;
    });
  },
);

testWithCallbacks(
  "activities that are tried again find their task, heartbeat, and end when they are cancelled",
  async (asked) => {
    const { client } = asked;
    const activities = createHumanActivities({ client });
    const question = {
      task: "Refund?",
      responseSchema: { type: "object" },
      timeoutSeconds: 600,
      idempotencyKey: "temporal:w/r/1",
    };
    const create = async (): Promise<OpenTask> =>
      new MockActivityEnvironment().run(activities.humanTaskCreate, question);
    const [first, again] = [await create(), await create()];
    assert.equal(again.taskId, first.taskId);
    assert.ok(first.openMs > 590_000 && first.openMs <= 600_000, String(first.openMs));

    const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 30, startToCloseTimeoutMs: 1_200_000 });
    const beaten = new Promise((resolve) => environment.once("heartbeat", resolve));
    const waiting = environment.run(activities.humanTaskWait, first.taskId);
    await beaten;
    environment.cancel();
    await assert.rejects(waiting, CancelledFailure);

    // Its own time is almost over, and the task is open.
    const short = new MockActivityEnvironment({ startToCloseTimeoutMs: 1_000 });
    const { openMs }: OpenTask = await short.run(async (id: string) => {
      const read = await activities.humanTaskWait(id);
      return "openMs" in read ? read : assert.fail("The task is open.");
    }, first.taskId);
    assert.ok(openMs > 590_000 && openMs <= 600_000, String(openMs));

    await new MockActivityEnvironment().run(activities.humanTaskWithdraw, first.taskId);
    // A task that has ended needs no withdrawal.
    await new MockActivityEnvironment().run(activities.humanTaskWithdraw, first.taskId);
    assert.equal((await client.get(first.taskId)).status, "cancelled");
  },
);

testWithCallbacks(
  "the programs of docs/resume/temporal.md go on with the answer, by a signal and by an activity",
  async (asked, t) => {
    const page = openPage(t, "resume/temporal.md");
    page.check();
    const temporal = await startTemporal(t);
    Object.assign(process.env, {
      SERVICE_URL: asked.url,
      SERVICE_TOKEN: ADMIN_TOKEN,
      TEMPORAL_ADDRESS: temporal.address,
    });
    const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
    await connect(t, asked, client);
    const { worker, running } = (await page.run("worker.ts")) as { worker: Worker; running: Promise<void> };
    const started = page.run("start.ts");
    await asked.client.complete((await openTasks(asked))["Publish December?"]!, { approved: true });
    assert.equal((await started)["result"], "published");

    const { taskQueue } = worker.options;
    for (const workflow of ["publish", "publishByActivity"])
      for (const approved of [true, false]) {
        const workflowId = `${workflow}-${approved}`;
        const handle = await client.workflow.start(workflow, { args: [workflowId], taskQueue, workflowId });
        await asked.client.complete((await openTasks(asked))[`Publish ${workflowId}?`]!, { approved });
        assert.equal(await handle.result(), approved ? "published" : "kept");
      }
    // Without an answer, they get null.
    const handle = await client.workflow.start("publishByActivity", { args: ["x"], taskQueue, workflowId: "x" });
    await asked.client.cancel((await openTasks(asked))["Publish x?"]!);
    assert.equal(await handle.result(), "kept");
    assert.deepEqual(temporal.problems, []);
    worker.shutdown();
    await running;
    await client.connection.close();
  },
);

testWithCallbacks("the programs of docs/frameworks/temporal.md do what they say", async (asked, t) => {
  const page = openPage(t, "frameworks/temporal.md");
  page.check();
  const temporal = await startTemporal(t);
  const port = await freePort();
  Object.assign(process.env, {
    AGENT_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
    SERVICE_URL: asked.url,
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
    WEBHOOK_KEY,
    TEMPORAL_ADDRESS: temporal.address,
  });
  const { worker, running } = (await page.run("worker.ts")) as { worker: Worker; running: Promise<void> };
  const { server, temporal: client } = (await page.run("callbacks.ts")) as { server: Server; temporal: Client };
  await connect(t, asked, client);
  const handle = await client.workflow.start("refund", {
    args: ["Mia", 42.5],
    taskQueue: "agents",
    workflowId: "refund-1",
  });
  await asked.client.complete((await openTasks(asked))["Refund 42.5 EUR to Mia?"]!, { approved: true });
  assert.equal(await handle.result(), "Refunded 42.5 EUR to Mia.");
  worker.shutdown();
  await running;
  await client.connection.close();
  server.close();
  server.closeAllConnections();
});
