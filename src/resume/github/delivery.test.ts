import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { APP_KEY, REPOSITORY, startGithub, type DeliveryOptions } from "../../../test/support/engines/github.ts";
import { attemptOnce, OUTCOME } from "../../../test/support/engines/attempt.ts";
import { github } from "../kinds/github.ts";
import { DELIVERY_MAX_BYTES, taskOfDelivery } from "./delivery.ts";

/** The fields of a payload that the cases change. */
interface Payload {
  environment?: unknown;
  deployment_callback_url?: string;
  repository?: Record<string, unknown>;
  sender?: Record<string, unknown>;
}

async function start(t: TestContext) {
  const engine = await startGithub(t);
  const run = await engine.wait();
  const read = (options: DeliveryOptions = {}, connection = engine.connection, of = run) => {
    const { headers, body } = engine.delivery(of, options);
    return taskOfDelivery("con_1", connection, { headers, body: Buffer.from(body) });
  };
  const keyOf = (options: DeliveryOptions = {}, of = run) => {
    const got = read(options, engine.connection, of);
    assert.ok(got.result === "task");
    return got.request.idempotency_key;
  };
  return { engine, run, read, keyOf };
}

void test("a deployment that asks becomes a task that a person can decide on", async (t) => {
  const { engine, run, read } = await start(t);
  const got = read();
  assert.ok(got.result === "task");
  const { action, idempotency_key, ...request } = got.request;
  assert.deepEqual(request, {
    task: "Deploy octo-org/shop to production?",
    timeout_seconds: 29 * 24 * 3600,
    resume: [{ connection: "con_1", ...run.entry }],
  });
  assert.match(idempotency_key, /^github-[0-9a-f]{64}$/);
  assert.deepEqual(action.args, {
    repository: REPOSITORY,
    environment: "production",
    ref: "main",
    commit: "c5b97d5ae6c19d5c5df71a34c7fbeeda2479ccbc",
    started_by: "octocat",
    event: "push",
    run: `https://github.com/${REPOSITORY}/actions/runs/${run.entry.run_id}`,
    pull_requests: [`https://github.com/${REPOSITORY}/pull/7`],
  });
  assert.deepEqual(action.allowed, ["approve", "reject"]);

  // What the task says is what lets the run go.
  const { connection: _, ...entry } = got.request.resume[0];
  await attemptOnce(t, github, engine, { entry }, { outcome: { ...OUTCOME, response: { decision: "approve" } } });
  assert.deepEqual(run.received, ["approved"]);
});

void test("without the right signature nothing is read", async (t) => {
  const { engine, run, read } = await start(t);
  assert.equal(read({ secret: "another" }).result, "unauthenticated");
  assert.equal(read({ secret: "another", event: "ping" }).result, "unauthenticated");
  assert.equal(read({}, { ...engine.connection, secret: APP_KEY }).result, "unauthenticated");

  const { headers, body } = engine.delivery(run);
  const given = (changed: Record<string, string | undefined>, bytes = body) =>
    taskOfDelivery("con_1", engine.connection, { headers: { ...headers, ...changed }, body: Buffer.from(bytes) })
      .result;
  assert.equal(given({}), "task");
  const signature = headers["x-hub-signature-256"]!;
  for (const wrong of [
    undefined,
    "",
    "sha256=",
    signature.slice(0, -1),
    signature.replace("sha256=", "sha1="),
    `${signature} `,
  ])
    assert.equal(given({ "x-hub-signature-256": wrong }), "unauthenticated", String(wrong));
  assert.equal(given({}, `${body} `), "unauthenticated");
});

void test("other events and actions are ignored", async (t) => {
  const { read } = await start(t);
  assert.equal(read({ event: "ping" }).result, "ignored");
  assert.equal(read({ event: "push" }).result, "ignored");
  assert.equal(read({ change: (payload) => (payload["action"] = "completed") }).result, "ignored");
});

void test("GitHub's redelivery is the same task, and a run that is started again is another", async (t) => {
  const { engine, run, keyOf } = await start(t);
  const deployment = (id: number | undefined) => ({
    change: (payload: Record<string, unknown>) => void ((payload["deployment"] as Record<string, unknown>)["id"] = id),
  });
  assert.equal(keyOf(), keyOf());
  assert.equal(keyOf(deployment(1)), keyOf(deployment(1)));
  assert.notEqual(keyOf(deployment(1)), keyOf(deployment(2)));
  assert.notEqual(keyOf(), keyOf({ change: (payload) => (payload["environment"] = "staging") }));
  assert.notEqual(keyOf({}, run), keyOf({}, await engine.wait()));
  // Without a deployment in it, the same bytes are the same request.
  const without = (event: string) => ({
    change: (payload: Record<string, unknown>) => Object.assign(payload, { deployment: null, event }),
  });
  assert.equal(keyOf(without("push")), keyOf(without("push")));
  assert.notEqual(keyOf(without("push")), keyOf(without("schedule")));
});

void test("approving is slow on purpose where the environment is production", async (t) => {
  const { engine, read } = await start(t);
  const risk = async (environment: string, production_environment?: boolean) => {
    const change = (payload: Record<string, unknown>) =>
      Object.assign(payload["deployment"] as object, { production_environment });
    const got = read({ change }, engine.connection, await engine.wait(environment));
    return got.result === "task" && got.request.action.risk;
  };
  for (const name of ["production", "Production", "prod", "eu-prod", "prod_eu", "live"])
    assert.equal(await risk(name), "high", name);
  for (const name of ["staging", "product-tests", "reproduce", "delivery"])
    assert.equal(await risk(name), "normal", name);
  assert.equal(await risk("staging", true), "high");
});

void test("a delivery that is not as documented is invalid, and says which field", async (t) => {
  const { read } = await start(t);
  const cases: [(payload: Payload) => void, RegExp][] = [
    [(p) => delete p.environment, /^environment/],
    [(p) => (p.environment = "x".repeat(256)), /^environment/],
    [(p) => (p.environment = "a\0b"), /^environment/],
    [(p) => (p.environment = 1), /^environment/],
    [(p) => delete p.repository, /^repository/],
    [(p) => (p.repository!["full_name"] = "a/.."), /full_name|callback/],
    [(p) => (p.repository!["full_name"] = "octo-org/other"), /^deployment_callback_url/],
    [(p) => (p.repository!["html_url"] = "javascript:alert(1)"), /^repository.html_url/],
    [(p) => delete p.sender, /^sender/],
    [(p) => (p.sender!["login"] = ""), /^login/],
    [(p) => delete p.deployment_callback_url, /^deployment_callback_url/],
    [
      (p) => (p.deployment_callback_url = p.deployment_callback_url!.replace("127.0.0.1", "127.0.0.2")),
      /^deployment_callback_url/,
    ],
    [
      (p) => (p.deployment_callback_url = p.deployment_callback_url!.replace(/runs\/\d+/, "runs/12x")),
      /^deployment_callback_url/,
    ],
    [
      (p) => (p.deployment_callback_url = p.deployment_callback_url!.replace(/runs\/\d+/, "runs/9999999999999999")),
      /^deployment_callback_url/,
    ],
  ];
  for (const [change, message] of cases) {
    const got = read({ change });
    assert.ok(got.result === "invalid", `${message}: ${got.result}`);
    assert.match(got.message, message);
  }
  const large = read({ change: (payload) => (payload["padding"] = "x".repeat(DELIVERY_MAX_BYTES)) });
  assert.deepEqual(large, { result: "invalid", message: "The body is too large." });
});

void test("whatever GitHub sends, reading it ends in an answer", async (t) => {
  const { read } = await start(t);
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom(
            "environment",
            "event",
            "ref",
            "sha",
            "deployment",
            "pull_requests",
            "repository",
            "sender",
            "deployment_callback_url",
          ),
          fc.jsonValue(),
        ),
      ),
      (changes) => {
        const got = read({ change: (payload) => Object.assign(payload, Object.fromEntries(changes)) });
        assert.ok(got.result === "task" || got.result === "invalid");
      },
    ),
  );
});
