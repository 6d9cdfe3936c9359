import assert from "node:assert/strict";
import { test } from "node:test";
import { newAgent } from "../../test/support/agents.ts";
import { PRE_TOOL_USE, sendHook } from "../../test/support/hooks.ts";
import { newProject } from "../../test/support/projects.ts";
import { MANY_REQUESTS_MS, testOnBoth, type TestService } from "../../test/support/service.ts";
import { DAY } from "../lib/time.ts";
import { removeOldCalls } from "./calls.ts";
import { keptArguments } from "./kept-arguments.ts";
import type { PreviewRecord } from "./schema.ts";

const AT_ONCE = { env: { SERVICE_HOOK_HOLD_SECONDS: "0" } };

const preview = async ({ call }: TestService, body: object = {}, project = "default") =>
  (await call<PreviewRecord>("POST", `/api/hooks/rules/preview?project=${project}`, { body })).body;
const setRules = async ({ call }: TestService, rules: readonly object[]) =>
  call("PUT", "/api/hooks/rules", { body: { rules } });

testOnBoth(
  "rules are tried on the calls of the last week before they are stored",
  async (service) => {
    await newProject(service, "web");
    const agent = await newAgent(service, { name: "coder" });
    await setRules(service, [
      { tool: "Bash", decision: "ask", simulate: true },
      { tool: "Bash", arguments: { "/command": { glob: "npm *" } }, decision: "allow" },
    ]);
    const bash = async (command: string) => sendHook(agent, { ...PRE_TOOL_USE, tool_input: { command } });
    await bash("npm test");
    service.clock.advance(1000);
    await bash("ls");
    service.clock.advance(1000);
    await bash("npm test");
    const rules = [{ tool: "Bash", arguments: { "/command": { equals: "ls" } }, decision: "deny" }];
    const { project, calls } = await preview(service, { rules });
    assert.equal(project, "default");
    const kept = { tool: "Bash", is_cut: false, agent: "coder" };
    assert.deepEqual(calls, [
      {
        ...kept,
        arguments: { command: "npm test" },
        count: 2,
        last_at: "2026-01-31T12:00:02.000Z",
        was: { decision: "allow", simulated: "ask" },
        would: { decision: null, rule: null, simulated: null, simulated_rule: null },
      },
      {
        ...kept,
        arguments: { command: "ls" },
        count: 1,
        last_at: "2026-01-31T12:00:01.000Z",
        was: { decision: null, simulated: "ask" },
        would: { decision: "deny", rule: 0, simulated: null, simulated_rule: null },
      },
    ]);
    // Without rules, those that are stored.
    assert.deepEqual(
      (await preview(service)).calls.map(({ would }) => would),
      [
        { decision: "allow", rule: 1, simulated: "ask", simulated_rule: 0 },
        { decision: null, rule: null, simulated: "ask", simulated_rule: 0 },
      ],
    );
    assert.deepEqual((await preview(service, {}, "web")).calls, []);
    const wrong = await service.call("POST", "/api/hooks/rules/preview", { body: { rules: [{ tool: "Bash" }] } });
    assert.ok(wrong.status === 400 || wrong.status === 422);
    service.clock.advance(7 * DAY);
    assert.deepEqual((await preview(service)).calls, []);
  },
  AT_ONCE,
);

testOnBoth(
  "calls are kept for a week, and of a project only so many",
  async (service) => {
    const { ctx, clock } = service;
    const agent = await newAgent(service);
    await setRules(service, []);
    const send = async (i: number) => sendHook(agent, { ...PRE_TOOL_USE, tool_input: { i } });
    for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => send(i + j)));
    const rows = async () => ctx.db.query.selectFrom("hook_calls").select(["arguments", "count"]).execute();
    assert.equal((await rows()).length, 1000);
    clock.advance(1000);
    // There is no room for another one, but those that are there count.
    await send(1000);
    await send(0);
    assert.deepEqual([(await rows()).length, (await rows()).filter(({ count }) => count === 2).length], [1000, 1]);
    await removeOldCalls(ctx.db);
    const left = await rows();
    assert.equal(left.length, 500);
    assert.ok(left.some(({ arguments: args }) => args === '{"i":0}'));
    clock.advance(7 * DAY);
    await removeOldCalls(ctx.db);
    assert.deepEqual(await rows(), []);
  },
  { ...AT_ONCE, limitMs: MANY_REQUESTS_MS },
);

void test("of arguments, no long texts are kept, and nothing that looks like a secret", () => {
  const kept = (input: object) => keptArguments(input as Record<string, unknown>);
  const plain = { command: "git push origin main", n: 1, list: [true, null], deep: { a: "b" } };
  assert.deepEqual(kept(plain), { args: plain, isCut: false });
  for (const [input, args] of [
    [
      { password: "x", apiKey: { a: 1 }, github_token: 1 },
      { password: "[hidden]", apiKey: "[hidden]", github_token: "[hidden]" },
    ],
    [{ c: "curl -H 'Authorization: Bearer abc.def'" }, { c: "curl -H 'Authorization: Bearer [hidden]'" }],
    [{ c: "mysql --password hunter2 -u me" }, { c: "mysql --password [hidden] -u me" }],
    [{ c: "TOKEN=abc npm publish" }, { c: "TOKEN=[hidden] npm publish" }],
    [{ c: "git clone https://me:pw@example.com/a" }, { c: "git clone https://[hidden]@example.com/a" }],
    [{ c: "echo ghp_0123456789abcdef" }, { c: "echo [hidden]" }],
    [{ c: "x".repeat(301) }, { c: "x".repeat(300) }],
    [{ c: `${"x".repeat(295)} ghp_0123456789abcdef` }, { c: `${"x".repeat(295)} [hid` }],
    [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, { a: { b: { c: { d: { e: "[hidden]" } } } } }],
    [{ list: Array.from({ length: 31 }, () => 0) }, { list: Array.from({ length: 30 }, () => 0) }],
    [Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, "x".repeat(300)])), {}],
  ] as const)
    assert.deepEqual(kept(input), { args, isCut: true });
});
