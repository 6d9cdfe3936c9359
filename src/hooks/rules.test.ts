import assert from "node:assert/strict";
import { test } from "node:test";
import { createPatternHost } from "../../json-schema/pattern-worker-host.ts";
import { newAgent } from "../../test/support/agents.ts";
import { decisionIn, PERMISSION_REQUEST, PRE_TOOL_USE, sendHook } from "../../test/support/hooks.ts";
import { newProject } from "../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import type { JsonObject } from "../lib/json.ts";
import { checkedRules, matchesGlob, ruleOn, type Condition } from "./rules.ts";
import type { RulesRecord } from "./schema.ts";

const AT_ONCE = { env: { SERVICE_HOOK_HOLD_SECONDS: "0" } };

type Refused = RulesRecord & { error_code: string; details: { path: string }[] };

const set = ({ call }: Pick<TestService, "call">, rules: readonly object[], fields: object = {}, project = "default") =>
  call<Refused>("PUT", `/api/hooks/rules?project=${project}`, { body: { rules, ...fields } });

testOnBoth(
  "the first rule that fits decides: ask, allow or deny; without one, nothing is decided",
  async (service) => {
    const agent = await newAgent(service);
    const isCommand = (condition: object) => ({ "/command": condition });
    const stored = await set(service, [
      { tool: "Bash", arguments: isCommand({ glob: "rm *" }), decision: "deny" },
      { tool: "Bash", arguments: isCommand({ one_of: ["npm test", "rm -rf build"] }), decision: "allow" },
      { tool: "mcp__*__delete_*", decision: "ask" },
      { tool: "*", arguments: { "/secret": { equals: true } }, decision: "deny" },
    ]);
    assert.equal(stored.status, 200, stored.text);
    const cases: readonly (readonly [tool: string, input: object, decision: string])[] = [
      ["Bash", { command: "npm test" }, "allow"],
      ["Bash", { command: "rm -rf build" }, "deny"],
      ["Bash", { command: "ls" }, "nothing"],
      ["bash", { command: "npm test" }, "nothing"],
      ["mcp__crm__delete_user", {}, "deny"],
      ["Read", { secret: true }, "deny"],
      ["Read", {}, "nothing"],
    ];
    for (const [tool_name, tool_input, decision] of cases)
      for (const event of [PRE_TOOL_USE, PERMISSION_REQUEST]) {
        const { status, body } = await sendHook(agent, { ...event, tool_name, tool_input });
        assert.deepEqual([status, decisionIn(body)], [200, decision], JSON.stringify([tool_name, tool_input]));
      }
    // Only the call that asks has a task.
    const { body: tasks } = await service.call<{ task: string }[]>("GET", "/api/tasks");
    assert.deepEqual(
      tasks.map(({ task }) => task),
      ["May Claude Code use mcp__crm__delete_user?"],
    );
    const allowed = await sendHook(agent, PRE_TOOL_USE);
    assert.deepEqual(allowed.body.hookSpecificOutput, {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "A rule of the service allows this call.",
    });
    assert.deepEqual((await sendHook(agent, { ...PRE_TOOL_USE, tool_name: "Other" })).body, {});
  },
  AT_ONCE,
);

testOnBoth(
  "until rules are stored every call asks, and each project has its own",
  async (service) => {
    await newProject(service, "web");
    const [agent, other] = [await newAgent(service), await newAgent(service, { project: "web" })];
    const first = await service.call<RulesRecord>("GET", "/api/hooks/rules");
    assert.deepEqual(first.body, {
      project: "default",
      rules: [{ tool: "*", arguments: {}, decision: "ask", simulate: false }],
      version: 0,
      updated_at: null,
    });
    assert.equal((await set(service, [{ tool: "*", decision: "allow" }], {}, "web")).status, 200);
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "deny");
    assert.equal(decisionIn((await sendHook(other, PRE_TOOL_USE)).body), "allow");
    assert.equal((await set(service, [])).status, 200);
    assert.deepEqual((await sendHook(agent, PRE_TOOL_USE)).body, {});
    const { body } = await service.call<RulesRecord>("GET", "/api/hooks/rules");
    assert.deepEqual([body.rules, body.version, body.updated_at], [[], 1, "2026-01-31T12:00:00.000Z"]);
    await service.call("PATCH", "/api/projects/web", { body: { archived: true } });
    assert.equal((await set(service, [], {}, "web")).body.error_code, "PROJECT_ARCHIVED");
    assert.equal((await service.call("GET", "/api/hooks/rules?project=none")).status, 404);
  },
  AT_ONCE,
);

testOnBoth("two people do not overwrite each other's rules", async (service) => {
  const rules = [{ tool: "Bash", decision: "ask" }];
  assert.equal((await set(service, rules, { version: 1 })).body.error_code, "HOOK_RULES_CHANGED");
  assert.equal((await set(service, rules, { version: 0 })).body.version, 1);
  assert.equal((await set(service, [], { version: 0 })).body.error_code, "HOOK_RULES_CHANGED");
  const both = await Promise.all([set(service, [], { version: 1 }), set(service, [], { version: 1 })]);
  assert.deepEqual(both.map(({ status }) => `${status}`).toSorted(), ["200", "409"]);
  // Without it, the last counts.
  assert.equal((await set(service, rules)).body.version, 3);
});

testOnBoth("a rule that cannot be meant is refused, with its place, and nothing is stored", async (service) => {
  const at = (condition: unknown, pointer = "/command") => ({
    tool: "Bash",
    arguments: { [pointer]: condition },
    decision: "allow",
  });
  const refused: readonly (readonly [rule: object, path: string])[] = [
    [{ tool: "Bash", decision: "perhaps" }, "/rules/0/decision"],
    [{ tool: "", decision: "ask" }, "/rules/0/tool"],
    [{ tool: "Bash", decision: "allow", argument: {} }, "/rules/0/argument"],
    [at({}, "command"), "/rules/0/arguments/command"],
    [at({}), "/rules/0/arguments/~1command"],
    [at("npm test"), "/rules/0/arguments/~1command"],
    [at({ constructor: 1 }), "/rules/0/arguments/~1command/constructor"],
    [at({ equal: 1 }), "/rules/0/arguments/~1command/equal"],
    [at({ one_of: [] }), "/rules/0/arguments/~1command/one_of"],
    [at({ one_of: Array.from({ length: 101 }, String) }), "/rules/0/arguments/~1command/one_of"],
    [at({ glob: "" }), "/rules/0/arguments/~1command/glob"],
    [at({ glob: "x".repeat(1001) }), "/rules/0/arguments/~1command/glob"],
    [at({ matches: "(" }), "/rules/0/arguments/~1command/matches"],
    [at({ matches: "(a)\\1" }), "/rules/0/arguments/~1command/matches"],
    [at({ matches: "a(?=b)c" }), "/rules/0/arguments/~1command/matches"],
    [at({ over: "1" }), "/rules/0/arguments/~1command/over"],
    [
      {
        tool: "Bash",
        arguments: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`/${i}`, { equals: 1 }])),
        decision: "allow",
      },
      "/rules/0/arguments",
    ],
    [at({ equals: "x".repeat(100_001) }), "/rules"],
  ];
  for (const [rule, path] of refused) {
    const { status, body } = await set(service, [rule]);
    assert.ok(status === 400 || status === 422, JSON.stringify(rule));
    assert.equal(body.details[0]!.path, path, JSON.stringify(body));
  }
  const many = Array.from({ length: 101 }, () => ({ tool: "Bash", decision: "ask" }));
  assert.equal((await set(service, many)).body.details[0]!.path, "/rules");
  assert.equal((await service.call<RulesRecord>("GET", "/api/hooks/rules")).body.version, 0);
});

void test("conditions: what holds, and for which values", async (t) => {
  const schemas = createPatternHost();
  t.after(() => schemas.close());
  const cases: readonly (readonly [condition: Condition, holds: readonly unknown[], not: readonly unknown[]])[] = [
    [{ equals: "a" }, ["a"], ["A", "ab", null, ["a"]]],
    [{ equals: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, { a: [1], b: 1 }]],
    [{ equals: null }, [null], [0, "", {}]],
    [{ one_of: [1, "1"] }, [1, "1"], [2, "2", true]],
    [{ glob: "git *" }, ["git push", "git \n"], ["git", "xgit push", ["git push"], 1]],
    [{ matches: "^(?:ls|pwd)$" }, ["ls", "pwd"], ["ls -l", "ls\n", 1, null]],
    [{ matches: "rm" }, ["rm", "a rm b"], ["r m"]],
    [{ over: 5 }, [5.1, 6], [5, "6", null]],
    [{ over: 5, under: 7 }, [6], [5, 7]],
    [{ glob: "a*", matches: "z$" }, ["az"], ["a", "z"]],
  ];
  const decisionOn = async (condition: Condition, input: JsonObject, pointer = "/x") =>
    (
      await ruleOn(schemas, checkedRules([{ tool: "*", arguments: { [pointer]: condition }, decision: "allow" }]), {
        tool: "T",
        input,
      })
    ).decision;
  for (const [condition, holds, not] of cases) {
    for (const x of holds) assert.equal(await decisionOn(condition, { x }), "allow", JSON.stringify([condition, x]));
    for (const x of not) assert.equal(await decisionOn(condition, { x }), null, JSON.stringify([condition, x]));
    assert.equal(await decisionOn(condition, {}), null);
  }
  // Pointers lead to members and items, and to nothing that was not written.
  assert.equal(await decisionOn({ equals: 2 }, { a: [1, { "b/c": 2 }] }, "/a/1/b~1c"), "allow");
  assert.equal(await decisionOn({ equals: 2 }, { a: [1, 1] }, "/a/length"), null);
  assert.equal(await decisionOn({ equals: {} }, {}, "/__proto__"), null);
  assert.equal(await decisionOn({ equals: "x" }, { constructor: "x" }, "/constructor"), "allow");
  assert.equal(await decisionOn({ equals: { a: 1 } }, { a: 1 }, ""), "allow");
});

void test("a glob fits the whole text", () => {
  for (const [glob, fits, not] of [
    ["*", ["", "a", "a/b\n"], []],
    ["Bash", ["Bash"], ["bash", "Bash2", "", "Bas"]],
    ["mcp__*", ["mcp__", "mcp__a"], ["mcp_", "xmcp__a"]],
    ["a*b*c", ["abc", "a1b2c", "abbcc"], ["ab", "ac", "abcd"]],
    ["a*a", ["aa", "aba"], ["a"]],
    ["*.env", [".env", "/a/.env"], [".env.local"]],
    ["a**b", ["ab", "a*b"], ["a"]],
    ["a.c", ["a.c"], ["abc"]],
  ] as const) {
    for (const text of fits) assert.ok(matchesGlob(glob, text), `${glob} ${text}`);
    for (const text of not) assert.ok(!matchesGlob(glob, text), `${glob} ${text}`);
  }
});

void test("a simulated rule decides nothing, and a pattern that takes too long asks", async (t) => {
  const schemas = createPatternHost();
  t.after(() => schemas.close());
  const rules = checkedRules([
    { tool: "Bash", decision: "deny", simulate: true },
    { tool: "*", decision: "ask", simulate: true },
    { tool: "Bash", arguments: { "/command": { matches: "^a" } }, decision: "allow" },
  ]);
  const call = (tool: string, command: string) => ruleOn(schemas, rules, { tool, input: { command } });
  assert.deepEqual(await call("Bash", "a"), { decision: "allow", rule: 2, simulated: { rule: 0, decision: "deny" } });
  assert.deepEqual(await call("Bash", "b"), { decision: null, rule: null, simulated: { rule: 0, decision: "deny" } });
  assert.deepEqual(await call("Read", "a"), { decision: null, rule: null, simulated: { rule: 1, decision: "ask" } });
  const refusing = { ...schemas, validate: async () => ({ status: "refused", code: "pattern_too_slow", message: "" }) };
  const ruling = await ruleOn(refusing as unknown as typeof schemas, rules, { tool: "Bash", input: { command: "a" } });
  assert.equal(ruling.decision, "ask");
});
