import assert from "node:assert/strict";
import { relative } from "node:path";
import type { TestContext } from "node:test";
import { newConnection } from "../test/support/connections.ts";
import { openPage } from "../test/support/page-programs.ts";
import { ADMIN_TOKEN } from "../test/support/service.ts";
import { testAgent, type Surroundings } from "./support/agents.ts";
import { startLangGraphServer, type LangGraphServer } from "./support/langgraph-server.ts";

const GRAPHS = { refund: "fixtures/langgraph-human.mjs:refund", both: "fixtures/langgraph-human.mjs:both" };

/** Starts LangGraph's own server, whose graphs ask the service, and makes the connection `langgraph` to it. */
async function start(t: TestContext, around: Surroundings, graphs: Record<string, string>): Promise<LangGraphServer> {
  const env = { SERVICE_URL: around.url, SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN };
  const server = await startLangGraphServer(t, graphs, env);
  await newConnection(around.service, { name: "langgraph", kind: "langgraph", ...server.connection });
  return server;
}

testAgent(
  "a graph on a LangGraph server is continued by the service itself, and other interrupts of its node wait",
  async (around, t) => {
    const server = await start(t, around, GRAPHS);
    const thread = await server.begin("refund");
    const { id } = await around.question();
    const { callback_url, resume } = await around.client.get(id);
    const { connection, thread_id, continue: isContinued, status } = resume![0]!;
    assert.deepEqual(
      [callback_url, connection, thread_id, isContinued, status],
      [null, "langgraph", thread, true, "waiting"],
    );

    await around.answer(id, { value: true });
    await around.callBack();
    assert.deepEqual(await around.attempts(id), { count: 1, last: 200 });
    const { values, tasks } = await server.settled(thread);
    assert.deepEqual([values.answers, tasks[0]!.interrupts.map(({ value }) => value)], [[], ["Which account?"]]);
    const runs = await server.runs(thread);

    const [delivery] = (await around.service.call<{ id: string }[]>("GET", `${DELIVERIES}?task_id=${id}`)).body;
    await around.service.call("POST", `${DELIVERIES}/${delivery!.id}/redeliver`);
    await around.callBack();
    assert.equal((await around.client.get(id)).resume![0]!.status, "done_already");
    assert.equal(await server.runs(thread), runs);

    await server.run(thread, "refund", { command: { resume: "DE12" } });
    const over = await server.state(thread);
    assert.deepEqual([over.values.answers, over.tasks], [[true, "DE12"], []]);
    assert.equal((await around.questions()).length, 1);
  },
);

const DELIVERIES = "/api/admin/webhook-deliveries";

testAgent("two questions of one thread that are answered together both reach it", async (around, t) => {
  const server = await start(t, around, GRAPHS);
  const thread = await server.begin("both");
  const asked = await around.questions();
  for (const { id, task } of asked) await around.answer(id, { value: task === "Left?" });
  const statuses = async () =>
    Promise.all(asked.map(async ({ id }) => (await around.client.get(id)).resume![0]!.status));
  await around.callBack();
  while ((await statuses()).includes("pending")) {
    await server.settled(thread);
    await around.pass(3_600);
    await around.callBack();
  }
  for (const status of await statuses()) assert.ok(["done", "done_already"].includes(status), status);
  const { values, tasks } = await server.settled(thread);
  assert.deepEqual([values.answers, tasks], [[{ left: true }, { right: false }], []]);
});

testAgent("a thread goes on as well when no one answers, or the question is withdrawn", async (around, t) => {
  const server = await start(t, around, GRAPHS);
  const thread = await server.begin("both");
  const [first, second] = await around.questions();
  await around.client.cancel(first!.id);
  await around.callBack();
  await server.settled(thread);
  assert.equal((await around.client.get(second!.id)).status, "created");
  await around.pass(600);
  await around.callBack();
  const { values, tasks } = await server.settled(thread);
  const said = values.answers.map((answer) => Object.values(answer as object)[0] as string);
  assert.deepEqual([said.toSorted(), tasks], [["cancelled", "timed_out"], []]);
});

testAgent("the graph of docs/frameworks/langgraph.md for a LangGraph server does what it says", async (around, t) => {
  const page = openPage(t, "frameworks/langgraph.md");
  const file = relative(import.meta.dirname, page.path("graph.ts"));
  const server = await start(t, around, { refund: `${file}:graph` });
  const thread = await server.begin("refund", { amount: 42.5 });
  await around.answer((await around.question()).id, { approved: true });
  await around.callBack();
  const { values } = (await server.settled(thread)) as { values: { outcome?: string } };
  assert.equal(values.outcome, "42.5 EUR were refunded.");
});
