import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { TestContext } from "node:test";
import { nodeCallbackHandler } from "@human-task-service/client";
import { Mastra } from "@mastra/core/mastra";
import { SimpleAuth } from "@mastra/core/server";
import { InMemoryStore } from "@mastra/core/storage";
import { createStep, createWorkflow, type AnyWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { newConnection } from "../test/support/connections.ts";
import { freePort } from "../test/support/free-port.ts";
import { listen } from "../test/support/listen.ts";
import { openPage } from "../test/support/page-programs.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, WEBHOOK_KEY } from "../test/support/service.ts";
import { createApprovalStep, createHumanStep, resumeOnCallback } from "./mastra.ts";
import { testWithCallbacks, type AskedService } from "./support/callbacks.ts";
import { serveMastra, TOKENS } from "./support/mastra.ts";

const INPUT = z.object({ customer: z.string() });
const ANSWER = z.object({ approved: z.boolean(), by: z.string().default("nobody") });

interface Agent {
  mastra: Mastra;
  callbackUrl: string;
  /** Called when a callback arrives, before it is handled. */
  before: (() => Promise<void>) | undefined;
  /** Starts another process on the same storage, which receives the callbacks from now on. */
  restart(): Mastra;
}

/** @param make - the workflows; the first one has the name `main` */
async function start(t: TestContext, make: (callbackUrl: string) => AnyWorkflow[]): Promise<Agent> {
  const storage = new InMemoryStore();
  const callbackUrl = await listen(
    t,
    nodeCallbackHandler(PAYLOAD_KEY, async (callback) => {
      await agent.before?.();
      await resumeOnCallback(agent.mastra)(callback);
    }),
  );
  const create = (): Mastra => {
    const workflows = Object.fromEntries(make(callbackUrl).map((workflow) => [workflow.id, workflow]));
    return new Mastra({ workflows, storage, logger: false });
  };
  const agent: Agent = {
    mastra: create(),
    callbackUrl,
    before: undefined,
    restart: () => (agent.mastra = create()),
  };
  return agent;
}

interface ServedAgent extends Pick<Agent, "mastra"> {
  /** Stops the server, and starts another one on the same storage and port, which knows of no runs. */
  restart(): Promise<void>;
}

/** Starts a Mastra server, to which the service has the connection `mastra`. @param make - the workflows; the first one has the name `main` */
async function serve(t: TestContext, asked: AskedService, make: () => AnyWorkflow[]): Promise<ServedAgent> {
  const storage = new InMemoryStore();
  const auth = new SimpleAuth({ tokens: TOKENS });
  const port = await freePort();
  const create = (): Mastra => {
    const workflows = Object.fromEntries(make().map((workflow) => [workflow.id, workflow]));
    return new Mastra({ workflows, storage, logger: false, server: { auth } });
  };
  const mastra = create();
  let server = await serveMastra(t, mastra, port);
  await newConnection(asked.service, { name: "mastra", kind: "mastra", ...server.connection });
  const agent: ServedAgent = {
    mastra,
    restart: async () => {
      await server.stop();
      agent.mastra = create();
      server = await serveMastra(t, agent.mastra, port);
    },
  };
  return agent;
}

/** Returns what a task resumes, once nothing more is tried. */
async function resumed({ client }: AskedService, taskId: string) {
  for (;;) {
    const [entry] = (await client.get(taskId)).resume!;
    if (entry!.status !== "waiting" && entry!.status !== "pending") return entry!;
  }
}

/** Returns the ids of open tasks by their text. */
async function openTasks({ client }: AskedService): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { id, task } of client.list({ status: "created" })) found[task] = id;
  return found;
}

/** Returns the stored run once it has this status. */
async function until({ mastra }: Pick<Agent, "mastra">, runId: string, status: string, workflowId = "main") {
  for (;;) {
    const state = await mastra.getWorkflowById(workflowId).getWorkflowRunById(runId);
    if (state?.status === status) return state;
    assert.notEqual(state?.status, "failed", state?.error?.message);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Says how the step of a question is resumed: by callbacks to a URL, or by the service itself. */
const asking = ({ client }: AskedService, callbackUrl: string | null, id = "approve") =>
  createHumanStep({
    id,
    inputSchema: INPUT,
    responseSchema: ANSWER,
    ...(callbackUrl === null ? { connection: "mastra" } : { callbackUrl }),
    client,
    ask: ({ inputData }) => ({ task: `${id} ${inputData.customer}?`, payload: inputData, timeoutSeconds: 600 }),
  });

/** Returns a step after an answer, which records the answers. */
const noting = (noted: string[]) =>
  createStep({
    id: "note",
    inputSchema: ANSWER,
    outputSchema: z.object({ text: z.string() }),
    execute: async ({ inputData: { approved, by } }) => {
      noted.push(by);
      return { text: `${approved ? "yes" : "no"}, said ${by}` };
    },
  });

const main = { id: "main", inputSchema: INPUT, outputSchema: z.any() };

testWithCallbacks("a run waits for a person over a restart, and goes on once with the answer", async (asked, t) => {
  const noted: string[] = [];
  const agent = await start(t, (url) => [createWorkflow(main).then(asking(asked, url)).then(noting(noted)).commit()]);
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "order/17" });
  const first = await run.start({ inputData: { customer: "Mia" } });
  assert.equal(first.status, "suspended");
  const taskId = (await openTasks(asked))["approve Mia?"]!;
  const { idempotency_key } = await asked.client.get(taskId);
  assert.match(idempotency_key, /^mastra:main\/order%2F17\/approve\/v1-[0-9a-f]{16}$/);
  agent.restart();

  await asked.client.complete(taskId, { approved: true });
  const { result } = await until(agent, "order/17", "success");
  assert.deepEqual(result, { text: "yes, said nobody" });
  await asked.redeliver(taskId);
  assert.deepEqual(await asked.attempts(taskId, 2), [204, 204]);
  assert.deepEqual(noted, ["nobody"]);
});

testWithCallbacks(
  "a run that the service resumes itself goes on once over a restart of its server, and no callback is sent",
  async (asked, t) => {
    const noted: string[] = [];
    const agent = await serve(t, asked, () => [
      createWorkflow(main).then(asking(asked, null)).then(noting(noted)).commit(),
    ]);
    const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "order/17" });
    assert.equal((await run.start({ inputData: { customer: "Mia" } })).status, "suspended");
    const taskId = (await openTasks(asked))["approve Mia?"]!;
    const { callback_url, resume } = await asked.client.get(taskId);
    const { connection, workflow_id, run_id, status } = resume![0]!;
    assert.deepEqual(
      [callback_url, connection, workflow_id, run_id, status],
      [null, "mastra", "main", "order/17", "waiting"],
    );
    await agent.restart();
    await asked.client.complete(taskId, { approved: true });
    assert.deepEqual((await until(agent, "order/17", "success")).result, { text: "yes, said nobody" });
    assert.equal((await resumed(asked, taskId)).status, "done");
    await asked.redeliver(taskId);
    assert.deepEqual(await asked.attempts(taskId, 2), [200, 200]);
    assert.equal((await resumed(asked, taskId)).status, "done_already");
    assert.deepEqual(noted, ["nobody"]);
  },
);

testWithCallbacks(
  "a decision about an action resumes its run, with the arguments that a person changed",
  async (asked, t) => {
    const argsSchema = z.object({ amount: z.number() });
    const agent = await serve(t, asked, () => {
      const allow = createApprovalStep({
        id: "allow",
        inputSchema: INPUT,
        action: "refund",
        argsSchema,
        allowed: ["approve", "edit", "reject"],
        connection: "mastra",
        client: asked.client,
        ask: () => ({ task: "Refund?", args: { amount: 90 }, editable: ["/amount"], timeoutSeconds: 600 }),
        onNoAnswer: ({ status }) => ({ decision: "reject", message: status }),
      });
      return [createWorkflow(main).then(allow).commit()];
    });
    const begin = async (runId: string) => {
      const run = await agent.mastra.getWorkflowById("main").createRun({ runId });
      await run.start({ inputData: { customer: "Mia" } });
      return (await openTasks(asked))["Refund?"]!;
    };
    await asked.client.complete(await begin("one"), { decision: "edit", args: { amount: 45 } });
    const { decision, args } = (await until(agent, "one", "success")).result as Record<string, unknown>;
    assert.deepEqual([decision, args], ["edit", { amount: 45 }]);
    // A task that no one answers resumes its run too.
    await asked.client.cancel(await begin("two"));
    assert.deepEqual((await until(agent, "two", "success")).result, { decision: "reject", message: "cancelled" });
  },
);

testWithCallbacks("a step without a connection and a callback URL is refused", async ({ client }) => {
  assert.throws(
    () =>
      createHumanStep({
        id: "approve",
        inputSchema: INPUT,
        responseSchema: ANSWER,
        client,
        ask: () => ({ task: "Refund?", timeoutSeconds: 600 }),
      }),
    { name: "TypeError", message: 'Nothing would resume the step "approve". Give it a connection or a callbackUrl.' },
  );
});

testWithCallbacks("a run goes on over a restart with the arguments that a person changed", async (asked, t) => {
  const ran: unknown[] = [];
  const argsSchema = z.object({ to: z.string(), amount: z.number(), due: z.iso.date().optional() });
  const agent = await start(t, (callbackUrl) => {
    const allow = createApprovalStep({
      id: "allow",
      inputSchema: INPUT,
      action: "refund",
      argsSchema,
      allowed: ["approve", "edit", "reject"],
      callbackUrl,
      client: asked.client,
      ask: ({ inputData: { customer } }) => ({
        task: `Refund ${customer}?`,
        args: { to: customer, amount: 90 },
        editable: ["/amount"],
        timeoutSeconds: 600,
      }),
      onNoAnswer: ({ status }) => ({ decision: "reject", message: status }),
    });
    const refund = createStep({
      id: "refund",
      inputSchema: z.object({ decision: z.string(), args: argsSchema.optional(), message: z.string().optional() }),
      outputSchema: z.object({ refunded: z.number(), message: z.string().optional() }),
      execute: async ({ inputData: { args, message } }) => {
        ran.push(args);
        return { refunded: args?.amount ?? 0, message };
      },
    });
    return [createWorkflow(main).then(allow).then(refund).commit()];
  });
  const begin = async (customer: string) => {
    const run = await agent.mastra.getWorkflowById("main").createRun({ runId: customer });
    assert.equal((await run.start({ inputData: { customer } })).status, "suspended");
    return (await openTasks(asked))[`Refund ${customer}?`]!;
  };
  const edited = await begin("Mia");
  const { action } = await asked.client.get(edited);
  const { name, args, allowed, editable } = action!;
  assert.deepEqual(
    [name, args, allowed, editable],
    ["refund", { to: "Mia", amount: 90 }, ["approve", "edit", "reject"], ["/amount"]],
  );
  agent.restart();
  await asked.client.complete(edited, { decision: "edit", args: { to: "Mia", amount: 45 }, message: "Half." });
  const { result } = await until(agent, "Mia", "success");
  assert.deepEqual([result, ran], [{ refunded: 45, message: "Half." }, [{ to: "Mia", amount: 45 }]]);

  await asked.client.complete(await begin("Lee"), { decision: "reject", message: "No." });
  assert.deepEqual((await until(agent, "Lee", "success")).result, { refunded: 0, message: "No." });
  await asked.client.cancel(await begin("Kim"));
  assert.deepEqual((await until(agent, "Kim", "success")).result, { refunded: 0, message: "cancelled" });
});

testWithCallbacks("a step asks about the action of each item on its own", async (asked, t) => {
  const agent = await start(t, (callbackUrl) => {
    const allow = createApprovalStep({
      id: "allow",
      inputSchema: z.object({ amount: z.number() }),
      action: "refund",
      argsSchema: z.object({ amount: z.number() }),
      callbackUrl,
      client: asked.client,
      ask: ({ inputData }) => ({ args: inputData, timeoutSeconds: 600 }),
    });
    const list = { ...main, inputSchema: z.array(z.object({ amount: z.number() })) };
    return [createWorkflow(list).foreach(allow, { concurrency: 2 }).commit()];
  });
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "all" });
  await run.start({ inputData: [{ amount: 1 }, { amount: 2 }] });
  const asks = [];
  for await (const { id, action } of asked.client.list({ status: "created" })) asks.push([id, action?.name]);
  assert.deepEqual(
    asks.map(([, name]) => name),
    ["refund", "refund"],
  );
});

testWithCallbacks("a step that asks for a single value gives the value", async (asked, t) => {
  const given: boolean[] = [];
  const agent = await start(t, (callbackUrl) => {
    const flag = createHumanStep({
      id: "flag",
      inputSchema: INPUT,
      responseSchema: z.boolean(),
      callbackUrl,
      client: asked.client,
      ask: () => ({ task: "Flag?", timeoutSeconds: 600 }),
    });
    const keep = createStep({
      id: "keep",
      inputSchema: z.boolean(),
      outputSchema: z.object({ isFlagged: z.boolean() }),
      execute: async ({ inputData }) => {
        given.push(inputData);
        return { isFlagged: inputData };
      },
    });
    return [createWorkflow(main).then(flag).then(keep).commit()];
  });
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "order/18" });
  await run.start({ inputData: { customer: "Mia" } });
  await asked.client.complete((await openTasks(asked))["Flag?"]!, { value: false });
  const { result } = await until(agent, "order/18", "success");
  assert.deepEqual([result, given], [{ isFlagged: false }, [false]]);
});

testWithCallbacks("a callback that is too early is refused, and the next one resumes", async (asked, t) => {
  let taskId = "";
  const answer = async () => {
    taskId = (await openTasks(asked))["approve Mia?"]!;
    await asked.client.complete(taskId, { approved: false, by: "Dana" });
    assert.deepEqual(await asked.attempts(taskId, 1), [500]);
  };
  const quick: AskedService = {
    ...asked,
    client: {
      ...asked.client,
      ask: async (question) => {
        const created = await asked.client.ask(question);
        await answer();
        return created;
      },
    },
  };
  const agent = await start(t, (url) => [createWorkflow(main).then(asking(quick, url)).commit()]);
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
  assert.equal((await run.start({ inputData: { customer: "Mia" } })).status, "suspended");
  await asked.later(31_000);
  assert.deepEqual((await until(agent, "r", "success")).result, { approved: false, by: "Dana" });
  assert.deepEqual(await asked.attempts(taskId, 2), [500, 204]);
});

testWithCallbacks("an answer that is there before its run waits resumes it a little later", async (asked, t) => {
  let taskId = "";
  const quick: AskedService = {
    ...asked,
    client: {
      ...asked.client,
      ask: async (question) => {
        const created = await asked.client.ask(question);
        taskId = created.id;
        await asked.client.complete(taskId, { approved: false, by: "Dana" });
        await asked.attempts(taskId, 1);
        return created;
      },
    },
  };
  const agent = await serve(t, asked, () => [createWorkflow(main).then(asking(quick, null)).commit()]);
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
  assert.equal((await run.start({ inputData: { customer: "Mia" } })).status, "suspended");
  assert.equal((await asked.client.get(taskId)).resume![0]!.status, "pending");
  await asked.later(31_000);
  assert.deepEqual((await until(agent, "r", "success")).result, { approved: false, by: "Dana" });
  assert.equal((await resumed(asked, taskId)).status, "done");
});

testWithCallbacks("resuming by hand answers nothing, and makes up for a lost callback", async (asked, t) => {
  const agent = await start(t, (url) => [createWorkflow(main).then(asking(asked, url)).commit()]);
  agent.before = async () => {
    throw new Error("lost");
  };
  const workflow = agent.mastra.getWorkflowById("main");
  const run = await workflow.createRun({ runId: "r" });
  await run.start({ inputData: { customer: "Mia" } });
  const forged = { step: "approve", resumeData: { approved: true, by: "nobody who may" } };
  assert.equal((await run.resume(forged)).status, "suspended");
  const taskId = (await openTasks(asked))["approve Mia?"]!;
  await asked.client.complete(taskId, { approved: false, by: "Dana" });
  assert.deepEqual(await asked.attempts(taskId, 1), [500]);
  const resumed = await (await workflow.createRun({ runId: "r" })).resume({ step: "approve", resumeData: {} });
  assert.deepEqual(resumed.status === "success" && resumed.result, { approved: false, by: "Dana" });
  // A late callback finds nothing to do.
  agent.before = undefined;
  await asked.later(31_000);
  assert.deepEqual(await asked.attempts(taskId, 2), [500, 204]);
});

testWithCallbacks(
  "answers find their step among parallel ones, the items of a foreach and nested workflows, in any order",
  async (asked, t) => {
    const agent = await start(t, (url) => {
      const inner = createWorkflow({ ...main, id: "inner" })
        .then(asking(asked, url, "nested"))
        .commit();
      const many = createWorkflow({ ...main, id: "many" })
        .map(async () => [{ customer: "Lee" }, { customer: "Ada" }])
        .foreach(asking(asked, url, "each"), { concurrency: 2 })
        .commit();
      const workflow = createWorkflow(main)
        .parallel([asking(asked, url, "left"), asking(asked, url, "right")])
        .map(async ({ getInitData }) => getInitData<AnyWorkflow>() as { customer: string })
        .then(inner as never)
        .map(async () => [{ customer: "Mia" }, { customer: "Zoe" }])
        .foreach(asking(asked, url, "item"), { concurrency: 2 })
        .map(async () => ({ customer: "many" }))
        .then(many as never)
        .commit();
      // Nested workflows may be registered as well, or not.
      return [workflow, inner];
    });
    const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
    await run.start({ inputData: { customer: "Mia" } });
    const order = ["right Mia?", "left Mia?", "nested Mia?", "item Zoe?", "item Mia?", "each Ada?", "each Lee?"];
    const all: string[] = [];
    for (const task of order) {
      await until(agent, "r", "suspended");
      const taskId = (await openTasks(asked))[task];
      assert.ok(taskId !== undefined, task);
      all.push(taskId);
      await asked.client.complete(taskId, { approved: true, by: task });
      assert.deepEqual(await asked.attempts(taskId, 1), [204], task);
    }
    const { result } = await until(agent, "r", "success");
    assert.deepEqual(result, [
      { approved: true, by: "each Lee?" },
      { approved: true, by: "each Ada?" },
    ]);
    assert.equal(all.length, 7);
  },
);

testWithCallbacks(
  "the service finds the step of each answer among parallel ones, items and nested workflows, in any order",
  async (asked, t) => {
    const agent = await serve(t, asked, () => {
      const inner = createWorkflow({ ...main, id: "inner" })
        .parallel([asking(asked, null, "nested"), asking(asked, null, "beside")])
        .commit();
      const workflow = createWorkflow(main)
        .parallel([asking(asked, null, "left"), asking(asked, null, "right")])
        .map(async ({ getInitData }) => getInitData<AnyWorkflow>() as { customer: string })
        .then(inner as never)
        .map(async () => [{ customer: "Mia" }, { customer: "Zoe" }])
        .foreach(asking(asked, null, "item"), { concurrency: 2 })
        .commit();
      // Nested workflows may be registered as well, or not.
      return [workflow, inner];
    });
    const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
    await run.start({ inputData: { customer: "Mia" } });
    for (const task of ["right Mia?", "left Mia?", "beside Mia?", "nested Mia?", "item Zoe?", "item Mia?"]) {
      await until(agent, "r", "suspended");
      const taskId = (await openTasks(asked))[task];
      assert.ok(taskId !== undefined, task);
      await asked.client.complete(taskId, { approved: true, by: task });
      assert.deepEqual([task, (await resumed(asked, taskId)).status], [task, "done"]);
    }
    const { result } = await until(agent, "r", "success");
    assert.deepEqual(result, [
      { approved: true, by: "item Mia?" },
      { approved: true, by: "item Zoe?" },
    ]);
  },
);

testWithCallbacks("a workflow that no server would find asks nothing", async (asked, t) => {
  const agent = await serve(t, asked, () => [
    createWorkflow(main)
      .map(async () => [{ customer: "Mia" }])
      .foreach(
        createWorkflow({ ...main, id: "inner" })
          .then(asking(asked, null))
          .commit() as never,
      )
      .commit(),
  ]);
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
  const failed = await run.start({ inputData: { customer: "Mia" } });
  assert.equal(failed.status, "failed");
  assert.match(failed.error.message, /^No workflow that is registered with Mastra has the run /);
  assert.deepEqual(await openTasks(asked), {});
});

testWithCallbacks("what ends without an answer is what the step says then, or fails the run", async (asked, t) => {
  const agent = await start(t, (url) => {
    const kind = createHumanStep({
      id: "approve",
      inputSchema: INPUT,
      responseSchema: ANSWER,
      callbackUrl: url,
      client: asked.client,
      ask: () => ({ task: "kind?", timeoutSeconds: 600 }),
      onNoAnswer: ({ status }) => ({ approved: false, by: status }),
    });
    return [
      createWorkflow(main).then(asking(asked, url)).commit(),
      createWorkflow({ ...main, id: "kind" })
        .then(kind)
        .commit(),
    ];
  });
  const [strict, kind] = await Promise.all(
    ["main", "kind"].map(async (id) => agent.mastra.getWorkflowById(id).createRun({ runId: "r" })),
  );
  await strict!.start({ inputData: { customer: "Mia" } });
  await kind!.start({ inputData: { customer: "Mia" } });
  await asked.client.cancel((await openTasks(asked))["approve Mia?"]!);
  assert.match((await until(agent, "r", "failed")).error!.message, /The task was cancelled/);
  await asked.later(601_000);
  const { result } = await until(agent, "r", "success", "kind");
  assert.deepEqual(result, { approved: false, by: "timed_out" });
});

testWithCallbacks("a step that is tried again finds its question", async (asked, t) => {
  let failures = 0;
  const flaky: AskedService = {
    ...asked,
    client: {
      ...asked.client,
      ask: async (question) => {
        const created = await asked.client.ask(question);
        if (failures++ === 0) throw new Error("the connection was lost");
        return created;
      },
    },
  };
  const agent = await start(t, (url) => [
    createWorkflow({ ...main, retryConfig: { attempts: 2, delay: 0 } })
      .then(asking(flaky, url))
      .commit(),
  ]);
  const run = await agent.mastra.getWorkflowById("main").createRun({ runId: "r" });
  assert.equal((await run.start({ inputData: { customer: "Mia" } })).status, "suspended");
  assert.equal(failures, 2);
  assert.deepEqual(Object.keys(await openTasks(asked)), ["approve Mia?"]);
});

testWithCallbacks("the program of docs/frameworks/mastra.md does what it says, with its server", async (asked, t) => {
  const page = openPage(t, "frameworks/mastra.md");
  page.check();
  const said = t.mock.method(console, "log", () => {});
  const port = await freePort();
  Object.assign(process.env, {
    MASTRA_TOKEN: "a-token",
    PORT: String(port),
    SERVICE_URL: asked.url,
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
  });
  const address = { url: `http://127.0.0.1:${port}` };
  await newConnection(asked.service, { name: "mastra", kind: "mastra", address, secret: "a-token" });
  const { refund, mastra } = (await page.run("agent.ts")) as { refund: AnyWorkflow; mastra: Mastra };
  const { server } = (await page.run("server.ts")) as { server: Server };
  await until({ mastra }, await askForRefund(asked, t, refund, server), "success", "refund");
  assert.deepEqual(said.mock.calls.at(-1)?.arguments, ["Refunded 42.5 EUR to Mia."]);
});

testWithCallbacks("the program of docs/frameworks/mastra.md does what it says, with callbacks", async (asked, t) => {
  const page = openPage(t, "frameworks/mastra.md");
  const said = t.mock.method(console, "log", () => {});
  const port = await freePort();
  const agent = page.path("agent.ts");
  const program = readFileSync(agent, "utf8").replace(
    'connection: "mastra"',
    `callbackUrl: "http://127.0.0.1:${port}"`,
  );
  writeFileSync(agent, program);
  Object.assign(process.env, {
    MASTRA_TOKEN: "a-token",
    PORT: String(port),
    SERVICE_URL: asked.url,
    SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
    WEBHOOK_KEY,
  });
  const { refund, mastra } = (await page.run("agent.ts")) as { refund: AnyWorkflow; mastra: Mastra };
  const { server } = (await page.run("callbacks.ts")) as { server: Server };
  await until({ mastra }, await askForRefund(asked, t, refund, server), "success", "refund");
  assert.deepEqual(said.mock.calls.at(-1)?.arguments, ["Refunded 42.5 EUR to Mia."]);
});

/** Starts a run of the page, and answers its question. @returns its id */
async function askForRefund(asked: AskedService, t: TestContext, refund: AnyWorkflow, server: Server): Promise<string> {
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  if (!server.listening) await once(server, "listening");
  const run = await refund.createRun();
  await run.start({ inputData: { customer: "Mia", amount: 42.5 } });
  await asked.client.complete((await openTasks(asked))["Refund 42.5 EUR to Mia?"]!, { approved: true });
  return run.runId;
}
