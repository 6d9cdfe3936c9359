import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { APP_KEY, REPOSITORY, startGithub, type GithubEngine } from "../../../test/support/engines/github.ts";
import { attemptOnce, OUTCOME, probeOnce } from "../../../test/support/engines/attempt.ts";
import type { Turn } from "../../../test/support/engines/engine.ts";
import { attemptUntilSettled } from "../../../test/support/engines/until-settled.ts";
import type { Reply } from "../../../test/support/engines/stand-in.ts";
import type { Fields, Outcome } from "../kind.ts";
import { github } from "./github.ts";

const saying = (response: Fields): Outcome => ({ ...OUTCOME, response });
const ended = (status: Outcome["status"]): Outcome => ({ ...OUTCOME, status, response: null });

void test("an approval lets the deployment go, once", async (t) => {
  const engine = await startGithub(t);
  const run = await engine.wait();
  const resumed = await attemptOnce(t, github, engine, run, { outcome: saying({ decision: "approve", args: {} }) });
  assert.equal(resumed.meaning, "done");
  assert.equal(resumed.message, "GitHub answered 204: the deployment is approved.");
  assert.deepEqual(run.received, ["approved"]);
});

void test("only a clear yes approves a deployment; all else rejects it", async (t) => {
  const engine = await startGithub(t);
  const state = async (outcome: Outcome, entry: Fields = {}) => {
    const run = await engine.wait();
    await attemptOnce(t, github, engine, { entry: { ...run.entry, ...entry } }, { outcome });
    return run.received[0];
  };
  const yes: Fields[] = [
    { decision: "approve" },
    { decision: "approve", args: { ref: "main" }, message: "Ship it." },
    { approved: true },
    { approved: true, note: "fine" },
    { decisions: [{ decision: "approve" }, { decision: "approve" }] },
  ];
  const no: Fields[] = [
    { decision: "reject" },
    { decision: "respond", message: "Which version?" },
    { decision: "edit", args: { ref: "v2" } },
    { decision: "reject", approved: true },
    { decision: "Approve" },
    { approved: "true" },
    { approved: 1 },
    { approved: false },
    { decisions: [] },
    { decisions: [{ decision: "approve" }, { decision: "reject" }] },
    { decisions: "approve" },
    {},
  ];
  for (const response of yes) assert.equal(await state(saying(response)), "approved", JSON.stringify(response));
  for (const response of no) assert.equal(await state(saying(response)), "rejected", JSON.stringify(response));
  for (const status of ["timed_out", "cancelled", "verification_exhausted"] as const)
    assert.equal(await state(ended(status)), "rejected", status);

  assert.equal(await state({ ...ended("timed_out"), response: { approved: true } }), "rejected");

  const when = { approved_when: { verdict: "ship", by: { team: "ops" } } };
  assert.equal(await state(saying({ verdict: "ship", by: { team: "ops" }, note: "" }), when), "approved");
  assert.equal(await state(saying({ verdict: "ship", by: { team: "dev" } }), when), "rejected");
  assert.equal(await state(saying({ decision: "approve" }), when), "rejected");
  assert.equal(await state({ ...ended("timed_out"), response: null }, when), "rejected");
  assert.equal(await state(saying({ verdict: "ship" }), { approved_when: JSON.parse('{"__proto__":{}}') }), "rejected");
});

void test("the comment says what was decided and what the person wrote, but not who it was", async (t) => {
  const engine = await startGithub(t);
  const comment = async (outcome: Outcome) => {
    const run = await engine.wait();
    await attemptOnce(t, github, engine, run, { outcome });
    return run.comments()[0]!;
  };
  const mark = `Task ${OUTCOME.task_id}`;
  assert.equal(
    await comment(saying({ decision: "reject", message: " Not on a Friday. " })),
    `Rejected: a person did not approve.\n\nNot on a Friday.\n\n${mark}`,
  );
  assert.equal(await comment(ended("timed_out")), `Rejected: no one decided in time.\n\n${mark}`);
  assert.equal(await comment(ended("cancelled")), `Rejected: the question was withdrawn.\n\n${mark}`);
  assert.match(await comment(saying({ decision: "edit", args: {} })), /^Rejected: a person changed what was asked/);

  // GitHub takes 1024 characters. One at the cut has two halves.
  const long = await comment(saying({ decision: "approve", message: "x".repeat(954) + "😀".repeat(100) }));
  assert.ok(long.length <= 1024 && long.isWellFormed());
  assert.ok(long.endsWith(`…\n\n${mark}`));
});

void test("each attempt has a token for this repository, and only for what it needs", async (t) => {
  const engine = await startGithub(t);
  engine.settings.permissions["contents"] = "write";
  await attemptOnce(t, github, engine, await engine.wait());
  assert.deepEqual(engine.asked, [{ repositories: ["shop"], permissions: { actions: "read", deployments: "write" } }]);
});

void test("an installation that the connection names is not looked up", async (t) => {
  const engine = await startGithub(t);
  const run = await engine.wait();
  const named = (installation_id: number) => ({
    connection: { ...engine.connection, address: { ...engine.connection.address, installation_id } },
  });
  const unknown = await attemptOnce(t, github, named(1), run);
  assert.deepEqual(
    [unknown.meaning, unknown.message],
    ["refused", "GitHub answered 404: the app has no such installation."],
  );
  assert.equal((await attemptOnce(t, github, named(4711), run)).meaning, "done");
});

void test("each answer to a review means what the page says", async (t) => {
  const engine = await startGithub(t);
  const reset = String(Math.ceil(Date.now() / 1000) + 120);
  const cases: [Reply, string, RegExp][] = [
    [{ status: 301, headers: { Location: "/repositories/1/" } }, "later", /has moved/],
    [{ status: 401 }, "refused", /401/],
    [{ status: 403, body: { message: "Resource not accessible by integration" } }, "refused", /403/],
    [{ status: 404 }, "gone", /no such workflow run/],
    [{ status: 403, headers: { "Retry-After": "30" } }, "later", /too many requests/],
    [{ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }, "later", /too many/],
    [{ status: 403, body: { message: "You have exceeded a secondary rate limit." } }, "later", /too many/],
    [{ status: 429 }, "later", /too many requests/],
    [{ status: 500 }, "later", /500/],
    [{ status: 503 }, "later", /503/],
  ];
  const waits: (number | undefined)[] = [];
  for (const [turn, meaning, message] of cases) {
    const run = await engine.wait();
    engine.script.push(turn);
    const resumed = await attemptOnce(t, github, engine, run);
    assert.equal(resumed.meaning, meaning, JSON.stringify(turn));
    assert.match(resumed.message, message);
    assert.deepEqual(run.received, []);
    if (turn.status === 403 || turn.status === 429) waits.push(resumed.wait_ms);
  }
  const [refused, asked, untilReset, secondary, tooMany] = waits;
  assert.equal(refused, undefined);
  assert.equal(asked, 30_000);
  assert.ok(untilReset! > 60_000 && untilReset! <= 121_000);
  assert.deepEqual([secondary, tooMany], [60_000, 60_000]);
});

void test("a limit that is reached while the token is made is waited for as well", async (t) => {
  const engine = await startGithub(t);
  engine.tokenScript.push({ status: 403, headers: { "Retry-After": "7" } });
  const { meaning, wait_ms } = await attemptOnce(t, github, engine, await engine.wait());
  assert.deepEqual([meaning, wait_ms], ["later", 7000]);
});

void test("a run without a pending request is decided already, has ended, or is asked later", async (t) => {
  const engine = await startGithub(t);
  const decided = await engine.wait();
  await attemptOnce(t, github, engine, decided);
  const again = await attemptOnce(t, github, engine, decided);
  assert.deepEqual(
    [again.meaning, again.message],
    ["done_already", "GitHub answered 422: it has this decision already."],
  );
  assert.deepEqual(decided.received, ["approved"]);

  // The decision of another task is not this one's.
  const other = await attemptOnce(t, github, engine, decided, { outcome: { ...OUTCOME, task_id: "tsk_other" } });
  assert.equal(other.meaning, "later");

  const cancelled = await engine.wait();
  cancelled.cancel();
  const gone = await attemptOnce(t, github, engine, cancelled);
  assert.deepEqual(
    [gone.meaning, gone.message],
    ["gone", "GitHub answered 422: no deployment waits, and the workflow run has ended."],
  );

  const bypassed = await engine.wait();
  bypassed.bypass();
  assert.equal((await attemptOnce(t, github, engine, bypassed)).meaning, "later");
  bypassed.cancel();
  assert.equal((await attemptOnce(t, github, engine, bypassed)).meaning, "gone");
});

void test("a key that is not the app's is refused, and nothing goes on", async (t) => {
  const engine = await startGithub(t);
  const run = await engine.wait();
  const other = {
    connection: { ...engine.connection, address: { ...engine.connection.address, app_id: "Iv23liOther" } },
  };
  assert.equal((await attemptOnce(t, github, other, run)).meaning, "refused");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const stolen = { ...engine.connection, secret: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
  const resumed = await attemptOnce(t, github, { connection: stolen }, run);
  assert.equal(resumed.meaning, "refused");
  assert.match(resumed.message, /does not accept the private key/);
  assert.deepEqual(run.received, []);
});

void test("what keeps the app out of a repository is asked for again, and said", async (t) => {
  const engine = await startGithub(t);
  const run = await engine.wait();
  const meaningAfter = async (change: (settings: GithubEngine["settings"]) => void) => {
    const before = structuredClone(engine.settings);
    change(engine.settings);
    const { meaning, message } = await attemptOnce(t, github, engine, run);
    Object.assign(engine.settings, before);
    return `${meaning}: ${message}`;
  };
  assert.match(await meaningAfter((s) => (s.isSuspended = true)), /^refused: .*suspended/);
  assert.match(await meaningAfter((s) => (s.repositories = [])), /^later: .*not installed in this repository/);
  assert.match(await meaningAfter((s) => delete s.permissions["deployments"]), /^later: .*lacks the permissions/);
  assert.match(await meaningAfter((s) => (s.tokenMs = 0)), /^refused: /);
  assert.deepEqual(run.received, []);
  assert.equal((await attemptOnce(t, github, engine, run)).meaning, "done");
});

void test("a token never appears in what is kept of an attempt", async (t) => {
  const engine = await startGithub(t);
  engine.tokenScript.push({ status: 201, body: { Token: "ghs_secret" } });
  const resumed = await attemptOnce(t, github, engine, await engine.wait());
  assert.equal(resumed.meaning, "later");
  assert.ok(!JSON.stringify(resumed).includes("ghs_secret"));
});

void test("a probe says what is wrong", async (t) => {
  const engine = await startGithub(t);
  const { address, secret } = engine.connection;
  const detail = async (change: Fields = {}, withSecret = secret) =>
    (await probeOnce(t, github, { address: { ...address, ...change }, secret: withSecret })).detail;

  assert.deepEqual(await probeOnce(t, github, { address, secret }), {
    ok: true,
    detail: "GitHub knows the app deploy-desk.",
  });
  assert.match(await detail({ app_id: "1" }), /401: it does not accept the private key/);
  assert.match(await detail({ url: `${String(address["url"])}/api/v3` }), /404: .*the url is wrong/);
  assert.match(await detail({ installation_id: 1 }), /no such installation/);
  assert.equal((await probeOnce(t, github, { address: { ...address, installation_id: 4711 }, secret })).ok, true);
  engine.settings.isSuspended = true;
  assert.match(await detail({ installation_id: 4711 }), /suspended/);
  engine.settings.events = [];
  assert.match(await detail(), /not subscribed/);
  assert.equal(
    (await probeOnce(t, github, { address, secret: APP_KEY })).ok,
    true,
    "without webhooks it needs no events",
  );
  engine.settings.permissions = { deployments: "write" };
  assert.match(await detail(), /Actions/);
  engine.settings.permissions = { deployments: "read", actions: "read" };
  assert.match(await detail(), /Deployments/);
});

void test("a secret is the private key, and after it the webhook secret", () => {
  const check = github.connection!.checkSecret!;
  for (const fine of [
    APP_KEY,
    `${APP_KEY}secret\n`,
    `\n${APP_KEY}\n\n  secret with spaces  \n\n`,
    APP_KEY.replaceAll("\n", "\r\n"),
  ])
    assert.equal(check(fine), null);
  assert.match(check("secret")!, /must begin with the private key/);
  assert.match(check(APP_KEY.replace("MII", "AAA"))!, /cannot be read/);
  assert.match(check(`${APP_KEY}one\ntwo`)!, /one line only/);
  const { createsTasks } = github.connection!;
  assert.equal(createsTasks!(`${APP_KEY}secret\n`), null);
  assert.match(createsTasks!(APP_KEY)!, /only if the secret has the webhook secret/);
});

void test("a repository is an owner and a name, and nothing that leads elsewhere", () => {
  const check = (repository: string) => github.checkAddress!({ repository, run_id: 1, environment: "x" });
  for (const fine of [REPOSITORY, "o/.github", "user_corp/a.b-c_d"]) assert.equal(check(fine), null);
  for (const bad of ["shop", "a/b/c", "a/..", "a/.", "../b", "a/b?x", "a/b#", "a b/c", "a/%2e%2e", ""])
    assert.equal(check(bad)?.path, "/repository", bad);
});

void test("a delivery that is repeated after crashes and errors reviews once", async (t) => {
  const engine = await startGithub(t);
  const turn = fc.oneof(
    fc.constant<Turn>("lost"),
    fc.constantFrom(401, 403, 429, 500, 502, 503).map((status): Turn => ({ status })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 6 }), fc.boolean(), async (script, approved) => {
      const run = await engine.wait();
      engine.script.push(...script);
      const last = (await attemptUntilSettled(t, github, engine, run, { outcome: saying({ approved }) })).at(-1);
      engine.script.length = 0;
      assert.ok(last === "done" || last === "done_already", last);
      assert.deepEqual(run.received, [approved ? "approved" : "rejected"]);
    }),
    { numRuns: 30 },
  );
});
