import assert from "node:assert/strict";
import type { Server } from "node:http";
import type { TestContext } from "node:test";
import { nodeCallbackHandler } from "@human-task-service/client";
import { Inngest } from "inngest";
import { serve } from "inngest/node";
import { z } from "zod";
import { freePort } from "../test/support/free-port.ts";
import { listen } from "../test/support/listen.ts";
import { openPage } from "../test/support/page-programs.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, WEBHOOK_KEY } from "../test/support/service.ts";
import { createHuman, type Outcome, type RunContext } from "./inngest.ts";
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

type Ask = (human: ReturnType<typeof createHuman>, context: RunContext) => Promise<unknown>;

/** Starts a program with one function, a server for it, and a server for callbacks. */
async function run(t: TestContext, { client }: AskedService, ask: Ask, checkpointing = false): Promise<Program> {
  const inngest = await startInngest(t);
  const make = async (): Promise<string> => {
    const sdk = new Inngest({ id: "shop", isDev: true, baseUrl: inngest.url, eventKey: "test", logger: QUIET });
    const human = createHuman({ inngest: sdk, callbackUrl, client });
    const fn = sdk.createFunction({ id: "fn", triggers: { event: "start" } }, async ({ step, runId }) =>
      ask(human, { step, runId }),
    );
    onCallback = human.onCallback;
    return listen(t, serve({ client: sdk, functions: [fn] }));
  };
  let onCallback: ReturnType<typeof createHuman>["onCallback"];
  const callbackUrl = await listen(
    t,
    nodeCallbackHandler(PAYLOAD_KEY, (callback) => onCallback(callback)),
  );
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
  return run.waits[0]!.taskId;
}

for (const checkpointing of [false, true])
  testWithCallbacks(
    `a run waits for a person over a deploy, and goes on once with the answer in its type${checkpointing ? ", with checkpointing" : ""}`,
    async (asked, t) => {
      const ask: Ask = async (human, context) => {
        const outcome: Outcome<{ approved: boolean; at?: Date | undefined }> = await human.awaitHuman(
          context,
          "approve",
          question(),
        );
        if (outcome.status !== "completed") return outcome;
        return { approved: outcome.answer.approved, year: outcome.answer.at?.getUTCFullYear() };
      };
      const program = await run(t, asked, ask, checkpointing);
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

testWithCallbacks("the program of docs/frameworks/inngest.md does what it says", async (asked, t) => {
  const page = openPage(t, "frameworks/inngest.md");
  page.check();
  const inngest = await startInngest(t);
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
  const { server } = (await page.run("agent.ts")) as { server: Server };
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const begun = inngest.start({
    app: () => url,
    fnId: "shop-refund",
    event: "shop/refund.requested",
    data: { customer: "Mia", amount: 42.5 },
  });
  await asked.client.complete(await waiting(begun), { approved: true });
  assert.equal(await begun.ended(), "Refunded 42.5 EUR to Mia.");
});
