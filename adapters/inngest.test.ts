import assert from "node:assert/strict";
import type { Server } from "node:http";
import type { TestContext } from "node:test";
import { nodeCallbackHandler } from "@human-task-service/client";
import { Inngest } from "inngest";
import { serve } from "inngest/node";
import { z } from "zod";
import { newConnection } from "../test/support/connections.ts";
import { freePort } from "../test/support/free-port.ts";
import { listen } from "../test/support/listen.ts";
import { openPage } from "../test/support/page-programs.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, WEBHOOK_KEY } from "../test/support/service.ts";
import { createHuman, type ConnectedHuman, type Human, type Outcome, type RunContext } from "./inngest.ts";
import { testWithCallbacks, type AskedService } from "./support/callbacks.ts";
import { startInngest, type InngestStandIn, type Run } from "./support/inngest.ts";

const ANSWER = z.object({
  approved: z.boolean(),
  at: z.iso
    .date()
    .transform((text) => new Date(text))
    .optional(),
});

interface Program {
  inngest: InngestStandIn;
  start(data?: object): Run;
  /** Stops the server of the functions, and starts another one with the same functions, like a deploy. */
  deploy(): Promise<void>;
}

type Ask = (human: ConnectedHuman, context: RunContext) => Promise<unknown>;

/** Starts a program with one function, a server for it, and a server for callbacks. */
async function run(t: TestContext, { client }: AskedService, ask: Ask, checkpointing = false): Promise<Program> {
  let onCallback: Human["onCallback"];
  const callbackUrl = await listen(
    t,
    nodeCallbackHandler(PAYLOAD_KEY, (callback) => onCallback(callback)),
  );
  const make = (inngest: Inngest): ConnectedHuman => {
    const human = createHuman({ inngest, callbackUrl, client });
    ({ onCallback } = human);
    return human;
  };
  return serveFunction(t, make, ask, checkpointing);
}

/** Starts a program with one function and a server for it. The service wakes its runs by the connection `inngest`. */
async function runConnected(
  t: TestContext,
  { service, client }: AskedService,
  ask: Ask,
  checkpointing = false,
): Promise<Program> {
  const program = await serveFunction(t, () => createHuman({ connection: "inngest", client }), ask, checkpointing);
  await newConnection(service, { name: "inngest", kind: "inngest", ...program.inngest.connection });
  return program;
}

async function serveFunction(
  t: TestContext,
  createHuman: (inngest: Inngest) => ConnectedHuman,
  ask: Ask,
  checkpointing: boolean,
): Promise<Program> {
  const inngest = await startInngest(t);
  const make = async (): Promise<string> => {
    const sdk = new Inngest({ id: "shop", isDev: true, baseUrl: inngest.url, eventKey: "test", logger: QUIET });
    const human = createHuman(sdk);
    const fn = sdk.createFunction({ id: "fn", triggers: { event: "start" } }, async ({ step, runId }) =>
      ask(human, { step, runId }),
    );
    return listen(t, serve({ client: sdk, functions: [fn] }));
  };
  let app = await make();
  return {
    inngest,
    start: (data = {}) => inngest.start({ app: () => app, fnId: "shop-fn", event: "start", data, checkpointing }),
    deploy: async () => void (app = await make()),
  };
}

const QUIET = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

const question = (more: object = {}) => ({
  task: "Refund?",
  payload: { amount: 12.5 },
  responseSchema: ANSWER,
  timeoutSeconds: 600,
  ...more,
});

/** Returns the id of the task that a run waits for. */
async function waiting(run: Run): Promise<string> {
  await run.paused();
  return run.waits[0]!.taskId!;
}

/** Returns the id of the task whose signal a run waits for. */
async function waitingFor({ client }: AskedService, run: Run): Promise<string> {
  await run.paused();
  const { signal } = run.waits[0]!;
  for await (const { id, idempotency_key } of client.list()) if (idempotency_key === signal) return id;
  throw new Error(`No task has the key ${signal}.`);
}

/** Asks, and says in which form it was answered. */
const refund: Ask = async (human, context) => {
  const outcome: Outcome<{ approved: boolean; at?: Date | undefined }> = await human.awaitHuman(
    context,
    "approve",
    question(),
  );
  if (outcome.status !== "completed") return outcome;
  return { approved: outcome.answer.approved, year: outcome.answer.at?.getUTCFullYear() };
};

for (const checkpointing of [false, true])
  testWithCallbacks(
    `a run that the service wakes itself waits over a deploy, and goes on once with the answer in its type${checkpointing ? ", with checkpointing" : ""}`,
    async (asked, t) => {
      const program = await runConnected(t, asked, refund, checkpointing);
      const begun = program.start();
      const taskId = await waitingFor(asked, begun);
      assert.deepEqual(begun.ran, ["approve"]);
      const { callback_url, resume, timeout_at } = await asked.client.get(taskId);
      const { connection, signal, status } = resume![0]!;
      assert.deepEqual(
        [callback_url, connection, signal, status],
        [null, "inngest", `inngest:${begun.id}/approve`, "waiting"],
      );
      // The wait lasts as long as the task, and a minute.
      assert.equal(Date.parse(begun.waits[0]!.timeout), Date.parse(timeout_at) + 60_000);
      await program.deploy();

      await asked.client.complete(taskId, { approved: true, at: "2026-01-31" });
      assert.deepEqual(await begun.ended(), { approved: true, year: 2026 });
      assert.deepEqual(await asked.attempts(taskId, 1), [200]);
      assert.equal((await asked.client.get(taskId)).resume![0]!.status, "done");
      assert.deepEqual([begun.ran, program.inngest.events], [["approve", "approve: read"], []]);
    },
  );

testWithCallbacks("an answer that comes before Inngest waits for its signal wakes the run later", async (asked, t) => {
  const program = await runConnected(t, asked, refund);
  const begun = program.start();
  begun.before = async (operations) => {
    if (!operations.some(({ op }) => op === "WaitForSignal")) return;
    begun.before = undefined;
    const task = (await asked.client.list().next()).value!;
    await asked.client.complete(task.id, { approved: true });
    assert.deepEqual(await asked.attempts(task.id, 1), [404]);
  };
  await waitingFor(asked, begun);
  await asked.later(31_000);
  assert.deepEqual(await begun.ended(), { approved: true });
});

testWithCallbacks(
  "a signal that cannot be sent comes later, and one whose answer is lost wakes once",
  async (asked, t) => {
    const program = await runConnected(t, asked, async (human, context) => [
      await refund(human, context),
      await refund(human, context),
    ]);
    const begun = program.start();
    const first = await waitingFor(asked, begun);
    program.inngest.isAway = true;
    await asked.client.complete(first, { approved: true });
    assert.deepEqual(await asked.attempts(first, 1), [503]);
    program.inngest.isAway = false;
    program.inngest.script.push("lost");
    await asked.later(31_000);
    assert.deepEqual(await asked.attempts(first, 2), [503, null]);

    // The run waits for its next question now.
    await begun.asked(2);
    const second = await waitingFor(asked, begun);
    await asked.later(61_000);
    assert.deepEqual(await asked.attempts(first, 3), [503, null, 404]);
    assert.equal((await asked.client.get(first)).resume![0]!.status, "done_already");
    assert.deepEqual([begun.waits.length, second === first], [1, false]);
    await asked.client.complete(second, { approved: false });
    assert.deepEqual(await begun.ended(), [{ approved: true }, { approved: false }]);
  },
);

testWithCallbacks("a run that the service wakes itself waits until the new deadline of its task", async (asked, t) => {
  const program = await runConnected(t, asked, refund);
  const begun = program.start();
  const taskId = await waitingFor(asked, begun);
  await asked.client.extend(taskId, 3_600);
  begun.expire();
  await begun.asked(2);
  const { timeout_at } = await asked.client.get(taskId);
  assert.equal(Date.parse(begun.waits[0]!.timeout), Date.parse(timeout_at) + 60_000);
  assert.deepEqual(begun.ran, ["approve", "approve: read"]);
  await asked.client.complete(taskId, { approved: true });
  assert.deepEqual(await begun.ended(), { approved: true });
});

testWithCallbacks("when every signal is lost the answer is found at the end of the wait", async (asked, t) => {
  const program = await runConnected(t, asked, refund);
  program.inngest.isAway = true;
  const begun = program.start();
  const taskId = await waitingFor(asked, begun);
  await asked.client.complete(taskId, { approved: false });
  assert.deepEqual(await asked.attempts(taskId, 1), [503]);
  begun.expire();
  assert.deepEqual(await begun.ended(), { approved: false });
});

testWithCallbacks("a signal that others send answers nothing, and wakes no other run", async (asked, t) => {
  const program = await runConnected(t, asked, refund);
  const [one, other] = [program.start(), program.start()];
  const [first, second] = [await waitingFor(asked, one), await waitingFor(asked, other)];
  const { url, connection } = program.inngest;
  const sent = await fetch(`${url}/v1/signals`, {
    method: "POST",
    headers: { authorization: `Bearer ${connection.secret}` },
    body: JSON.stringify({ signal: other.waits[0]!.signal, data: { response: { approved: true } } }),
  });
  assert.equal(sent.status, 200);
  await other.asked(2);
  assert.deepEqual([one.ran, other.ran], [["approve"], ["approve", "approve: read"]]);
  await asked.client.cancel(second);
  assert.equal(((await other.ended()) as Outcome<unknown>).status, "cancelled");
  assert.equal(one.waits.length, 1);
  await asked.later(601_000);
  const reason = `No one answered in time: see timeoutSeconds, notify and assignTo. (${first})`;
  assert.deepEqual(await one.ended(), { status: "timed_out", taskId: first, reason });
});

testWithCallbacks("a step of asking that is tried again after the answer needs no signal", async (asked, t) => {
  const { client } = asked;
  const isLost = [true];
  const flaky: AskedService = {
    ...asked,
    client: {
      ...client,
      ask: async (wanted) => {
        const created = await client.ask(wanted);
        // The task exists and is answered, but the agent did not get to know it.
        if (isLost.pop() === undefined) return created;
        await client.complete(created.id, { approved: true });
        throw new Error("the connection was lost");
      },
    },
  };
  const begun = (await runConnected(t, flaky, refund)).start();
  assert.deepEqual(await begun.ended(), { approved: true });
  assert.deepEqual(begun.ran, ["approve"]);
});

testWithCallbacks("a question for a connection that does not exist ends the run at once", async (asked, t) => {
  const make = () => createHuman({ connection: "nowhere", client: asked.client });
  const program = await serveFunction(t, make, refund, false);
  await assert.rejects(program.start().ended(), /\/resume\/0\/connection/);
});

for (const checkpointing of [false, true])
  testWithCallbacks(
    `a run waits for a person over a deploy, and goes on once with the answer in its type${checkpointing ? ", with checkpointing" : ""}`,
    async (asked, t) => {
      const program = await run(t, asked, refund, checkpointing);
      const begun = program.start();
      const taskId = await waiting(begun);
      assert.deepEqual(begun.ran, ["approve", "approve: look"]);
      const record = await asked.client.get(taskId);
      assert.equal(record.idempotency_key, `inngest:${begun.id}/approve`);
      // The wait lasts as long as the task, and a minute.
      assert.equal(Date.parse(begun.waits[0]!.timeout), Date.parse(record.timeout_at) + 60_000);
      await program.deploy();

      await asked.client.complete(taskId, { approved: true, at: "2026-01-31" });
      assert.deepEqual(await begun.ended(), { approved: true, year: 2026 });
      const steps = ["approve", "approve: look", "approve: read"];
      assert.deepEqual(begun.ran, steps);
      assert.deepEqual(
        program.inngest.events.map(({ data }) => data),
        [{ task_id: taskId }],
      );

      await asked.redeliver(taskId);
      assert.deepEqual(await asked.attempts(taskId, 2), [204, 204]);
      assert.equal(program.inngest.events.length, 1);
      assert.deepEqual(begun.ran, steps);
    },
  );

testWithCallbacks("the answer to a question for a single value is the value", async (asked, t) => {
  const program = await run(t, asked, async (human, context) => {
    const { responseSchema: _, ...yesOrNo } = question();
    const outcome: Outcome<boolean> = await human.awaitHuman(context, "approve", yesOrNo);
    return outcome.status === "completed" ? { isApproved: outcome.answer } : outcome;
  });
  const begun = program.start();
  await asked.client.complete(await waiting(begun), { value: false });
  assert.deepEqual(await begun.ended(), { isApproved: false });
});

testWithCallbacks("an answer that comes before Inngest waits for it is not lost", async (asked, t) => {
  const program = await run(t, asked, (human, context) => human.awaitHuman(context, "approve", question()));
  const begun = program.start();
  begun.before = async (operations) => {
    if (!operations.some(({ op }) => op === "WaitForEvent")) return;
    begun.before = undefined;
    const task = (await asked.client.list().next()).value!;
    await asked.client.complete(task.id, { approved: true });
    assert.deepEqual(await asked.attempts(task.id, 1), [204]);
    assert.deepEqual([program.inngest.events.length, begun.waits.length], [1, 0]);
  };
  const outcome = (await begun.ended()) as Outcome<unknown>;
  assert.deepEqual(outcome.status === "completed" && outcome.answer, { approved: true });
  assert.deepEqual(begun.ran, ["approve", "approve: look", "approve: read"]);
});

testWithCallbacks("when every callback is lost the answer is found at the end of the wait", async (asked, t) => {
  const program = await run(t, asked, (human, context) => human.awaitHuman(context, "approve", question()));
  program.inngest.isAway = true;
  const begun = program.start();
  const taskId = await waiting(begun);
  await asked.client.complete(taskId, { approved: false });
  assert.deepEqual(await asked.attempts(taskId, 1), [500]);
  begun.expire();
  assert.deepEqual(await begun.ended(), { status: "completed", taskId, answer: { approved: false } });

  // The service retries, and the run no longer waits.
  program.inngest.isAway = false;
  await asked.later(31_000);
  assert.deepEqual(await asked.attempts(taskId, 2), [500, 204]);
});

testWithCallbacks("a run waits until the new deadline of its task", async (asked, t) => {
  const program = await run(t, asked, (human, context) => human.awaitHuman(context, "approve", question()));
  const begun = program.start();
  const taskId = await waiting(begun);
  await asked.client.extend(taskId, 3_600);
  begun.expire();
  await begun.asked(2);
  const { timeout_at } = await asked.client.get(taskId);
  assert.equal(Date.parse(begun.waits[0]!.timeout), Date.parse(timeout_at) + 60_000);
  await asked.client.complete(taskId, { approved: true });
  assert.deepEqual(await begun.ended(), { status: "completed", taskId, answer: { approved: true } });
});

testWithCallbacks("events of others wake nobody, and one that is too early answers nothing", async (asked, t) => {
  const program = await run(t, asked, (human, context) => human.awaitHuman(context, "approve", question()));
  const [one, other] = [program.start(), program.start()];
  const [first, second] = [await waiting(one), await waiting(other)];
  assert.notEqual(first, second);
  await asked.client.complete(first, { approved: true });
  await one.ended();
  assert.equal(other.waits.length, 1);

  const sent = JSON.stringify({ name: "human-task/ended", data: { task_id: second, response: { approved: true } } });
  await fetch(`${program.inngest.url}/e/test`, { method: "POST", body: sent });
  await other.asked(2);
  assert.deepEqual(other.ran, ["approve", "approve: look", "approve: read", "approve: look"]);
  await asked.client.cancel(second);
  assert.equal(((await other.ended()) as Outcome<unknown>).status, "cancelled");
});

testWithCallbacks("what ends without an answer is an outcome with a reason", async (asked, t) => {
  const program = await run(t, asked, (human, context) => human.awaitHuman(context, "approve", question()));
  const begun = program.start();
  const taskId = await waiting(begun);
  await asked.later(601_000);
  const reason = `No one answered in time: see timeoutSeconds, notify and assignTo. (${taskId})`;
  assert.deepEqual(await begun.ended(), { status: "timed_out", taskId, reason });
});

testWithCallbacks("a loop asks each time, and a step that is tried again finds its question", async (asked, t) => {
  let failures = 0;
  const { client } = asked;
  const flaky: AskedService = {
    ...asked,
    client: {
      ...client,
      ask: async (wanted) => {
        const created = await client.ask(wanted);
        // The task exists, but the agent did not get the answer.
        if (failures++ === 0) throw new Error("the connection was lost");
        return created;
      },
    },
  };
  const program = await run(t, flaky, async (human, context) => {
    const answers: unknown[] = [];
    for (let turn = 0; turn < 2; turn++) answers.push(await human.awaitHuman(context, "approve", question()));
    return answers.map((outcome) => (outcome as { answer?: unknown }).answer);
  });
  const begun = program.start();
  const first = await waiting(begun);
  await client.complete(first, { approved: true });
  await begun.asked(2);
  const second = await waiting(begun);
  assert.notEqual(second, first);
  await client.complete(second, { approved: false });
  assert.deepEqual(await begun.ended(), [{ approved: true }, { approved: false }]);
  const keys: string[] = [];
  for await (const { idempotency_key } of client.list()) keys.push(idempotency_key);
  assert.deepEqual(keys.toSorted(), [`inngest:${begun.id}/approve`, `inngest:${begun.id}/approve%3A1`]);
});

testWithCallbacks("a question that the service refuses ends the run at once, with what is wrong", async (asked, t) => {
  let tries = 0;
  const { client } = asked;
  const counting: AskedService = {
    ...asked,
    client: {
      ...client,
      ask: async (wanted) => {
        tries++;
        return client.ask(wanted);
      },
    },
  };
  const program = await run(t, counting, (human, context) =>
    human.awaitHuman(context, "approve", question({ timeoutSeconds: 5 })),
  );
  await assert.rejects(program.start().ended(), /timeout_seconds[^]*60/);
  assert.equal(tries, 1);
});

testWithCallbacks("the programs of docs/frameworks/inngest.md do what they say", async (asked, t) => {
  const page = openPage(t, "frameworks/inngest.md");
  page.check();
  const inngest = await startInngest(t);
  await newConnection(asked.service, { name: "inngest", kind: "inngest", ...inngest.connection });
  const start = async (file: string, options: { fnId: string; event: string; data: object }): Promise<Run> => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    Object.assign(process.env, {
      AGENT_URL: url,
      PORT: String(port),
      SERVICE_URL: asked.url,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      WEBHOOK_KEY,
      INNGEST_DEV: inngest.url,
    });
    const { server } = (await page.run(file)) as { server: Server };
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return inngest.start({ app: () => url, ...options });
  };

  const refund = await start("agent.ts", {
    fnId: "shop-refund",
    event: "shop/refund.requested",
    data: { customer: "Mia", amount: 42.5 },
  });
  await asked.client.complete(await waitingFor(asked, refund), { approved: true });
  assert.equal(await refund.ended(), "Refunded 42.5 EUR to Mia.");

  const publish = await start("callbacks.ts", { fnId: "shop-publish", event: "shop/newsletter.written", data: {} });
  await asked.client.complete(await waiting(publish), { value: true });
  assert.equal(await publish.ended(), "Published.");
});
