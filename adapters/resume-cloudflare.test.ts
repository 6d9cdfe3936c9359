import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { Miniflare } from "miniflare";
import type { Connection } from "../src/resume/kind.ts";
import { cloudflare } from "../src/resume/kinds/cloudflare.ts";
import { attemptOnce, OUTCOME } from "../test/support/engines/attempt.ts";
import { until } from "../test/support/guide.ts";
import { listen } from "../test/support/listen.ts";

const ACCOUNT = "account";

/** A workflow that waits for two events, one after another, whose types are its parameters. */
const WORKER = `
import { WorkflowEntrypoint } from "cloudflare:workers";
export class Approvals extends WorkflowEntrypoint {
  async run({ payload }, step) {
    const first = await step.waitForEvent("first", { type: payload[0], timeout: "1 hour" });
    const second = await step.waitForEvent("second", { type: payload[1], timeout: "1 hour" });
    return [first.payload, second.payload];
  }
}
export default {
  async fetch(request, env) {
    const instance = await env.APPROVALS.create({ params: await request.json() });
    return new Response(instance.id);
  },
};
`;

interface Details {
  status: string;
  output: unknown;
  steps: { finished: boolean }[];
}

/** Runs the engine of Cloudflare Workflows on this machine, with the copy of its API that developers have. */
async function start(t: TestContext) {
  const miniflare = new Miniflare({
    modules: true,
    script: WORKER,
    compatibilityDate: "2026-07-01",
    // It would be asked for over the network.
    cf: false,
    workflows: { APPROVALS: { name: "approvals", className: "Approvals" } },
    unsafeLocalExplorer: true,
    host: "127.0.0.1",
    port: 0,
  });
  t.after(() => miniflare.dispose());
  const api = new URL("cdn-cgi/explorer/api", await miniflare.ready).href;

  // The copy has the paths of the API without the account, and asks for no token.
  const url = await listen(t, async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "" } = request;
    const answer = await fetch(api + path.replace(`/accounts/${ACCOUNT}/`, "/"), {
      method,
      headers: { "Content-Type": "application/json" },
      ...(method === "POST" && { body: await buffer(request) }),
    });
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(await answer.text());
  });
  const connection: Connection = { address: { account_id: ACCOUNT, url }, secret: "token" };

  return {
    connection,
    /** Begins an instance. @returns its id */
    begin: async (types: [string, string]) => {
      const response = await miniflare.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify(types) });
      return response.text();
    },
    /** Waits until so many steps have got their events. */
    got: (id: string, count: number) =>
      until(`event ${count} of the instance`, async () => {
        const { result } = (await (await fetch(`${api}/workflows/approvals/instances/${id}`)).json()) as {
          result: Details;
        };
        return result.steps.filter(({ finished }) => finished).length === count ? result : null;
      }),
  };
}

void test("a real instance goes on once with each outcome, also when attempts are repeated", async (t) => {
  const { connection, begin, got } = await start(t);
  const instance_id = await begin(["approval", "approval"]);
  const waiting = { entry: { workflow: "approvals", instance_id, event_type: "approval" } };
  const attempt = async (task_id: string, wasCutOff: boolean) =>
    (await attemptOnce(t, cloudflare, { connection }, waiting, { outcome: { ...OUTCOME, task_id }, wasCutOff }))
      .meaning;

  assert.equal(await attempt("tsk_1", false), "done");
  await got(instance_id, 1);
  // Sent again, the event would answer the second wait.
  assert.equal(await attempt("tsk_1", true), "done_already");
  assert.equal(await attempt("tsk_2", true), "done");
  const { status, output } = await got(instance_id, 2);
  assert.equal(status, "complete");
  assert.deepEqual(output, [
    { ...OUTCOME, task_id: "tsk_1" },
    { ...OUTCOME, task_id: "tsk_2" },
  ]);
  assert.equal(await attempt("tsk_3", false), "gone");
});

void test("a real instance that waits for the id of a task takes no harm from a repeated event", async (t) => {
  const { connection, begin, got } = await start(t);
  const instance_id = await begin([OUTCOME.task_id, "other"]);
  const waiting = { entry: { workflow: "approvals", instance_id } };
  for (let i = 0; i < 3; i++) assert.equal((await attemptOnce(t, cloudflare, { connection }, waiting)).meaning, "done");
  const { status } = await got(instance_id, 1);
  assert.equal(status, "running");
});

void test("workflows and instances that do not exist are gone", async (t) => {
  const { connection, begin } = await start(t);
  const instance_id = await begin(["approval", "approval"]);
  for (const entry of [
    { workflow: "approvals", instance_id: "none" },
    { workflow: "none", instance_id },
  ])
    assert.equal((await attemptOnce(t, cloudflare, { connection }, { entry })).meaning, "gone");
});
