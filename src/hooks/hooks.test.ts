import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { decisionIn, PERMISSION_REQUEST, PRE_TOOL_USE, sendHook, untilHeld } from "../../test/support/hooks.ts";
import { actionTask } from "../../test/support/actions.ts";
import { postgres } from "../../test/support/postgres.ts";
import { startTestService, testOnBoth, type TestService } from "../../test/support/service.ts";
import { ServiceError } from "../errors.ts";
import { DAY, HOUR } from "../lib/time.ts";
import type { TaskRecord } from "../tasks/schema.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import { askAbout, holdFor } from "./ask.ts";
import { readCall } from "./call.ts";
import { removeOldQuestions } from "./questions.ts";

const AT_ONCE = { env: { SERVICE_HOOK_HOLD_SECONDS: "0" } };

/** The open tasks, the newest first. */
async function openTasks({ call }: TestService): Promise<TaskRecord[]> {
  const { body } = await call<TaskRecord[]>("GET", "/api/tasks?status=created");
  return Promise.all(body.map(async ({ id }) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body));
}

async function onlyTask(service: TestService): Promise<TaskRecord> {
  const tasks = await openTasks(service);
  assert.equal(tasks.length, 1);
  return tasks[0]!;
}

async function decide({ call }: TestService, { id }: { id: string }, response: object): Promise<void> {
  const { status, text } = await call("POST", `/api/tasks/${id}/complete`, { body: { response } });
  assert.equal(status, 200, text);
}

/** Sends a hook and lets a person decide about it while it is held. */
async function heldAndDecided(service: TestService, agent: TestAgent, body: object, response: object) {
  const held = sendHook(agent, body);
  await untilHeld(service, 1, held);
  const task = await onlyTask(service);
  await decide(service, task, response);
  const { status, body: answer } = await held;
  assert.equal(status, 200);
  return { task, answer };
}

testOnBoth("a call is held until a person decides, who sees the tool, its arguments and who asks", async (service) => {
  const agent = await newAgent(service, { name: "coder" });
  const { task, answer } = await heldAndDecided(service, agent, PRE_TOOL_USE, { decision: "approve" });
  assert.equal(task.task, "May Claude Code use Bash?");
  assert.deepEqual([task.action?.name, task.action?.args], ["Bash", { command: "npm test" }]);
  assert.deepEqual(task.action?.description?.split("\n"), [
    "Working directory: /home/user/my-project",
    "Session: abc123",
    "Permission mode: default",
  ]);
  assert.deepEqual(task.asked_by, { kind: "agent", id: agent.id, name: "coder" });
  assert.deepEqual(answer, {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "A person approved this call.",
    },
  });
  const permission = await heldAndDecided(service, agent, PERMISSION_REQUEST, { decision: "approve" });
  assert.deepEqual(permission.answer, {
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
});

testOnBoth("an agent that changes the request about its call gets no approval for the call", async (service) => {
  const agent = await newAgent(service);
  const held = sendHook(agent, { ...PRE_TOOL_USE, tool_input: { command: "rm -rf /" } });
  await untilHeld(service, 1, held);
  const { id, action } = await onlyTask(service);
  const revised = { name: action!.name, args: { command: "ls" }, allowed: action!.allowed };
  assert.equal((await agent.call("POST", `/api/tasks/${id}/revise`, { body: { action: revised } })).status, 200);
  await decide(service, { id }, { decision: "approve" });
  const { permissionDecision } = (await held).body.hookSpecificOutput as { permissionDecision: string };
  assert.equal(permissionDecision, "deny");
  // The same call again is another request.
  const again = sendHook(agent, { ...PRE_TOOL_USE, tool_input: { command: "rm -rf /" } });
  await untilHeld(service, 1, again);
  const next = await onlyTask(service);
  assert.notEqual(next.id, id);
  await decide(service, next, { decision: "reject" });
  await again;
});

testOnBoth("an edit runs with exactly the arguments that were approved", async (service) => {
  const agent = await newAgent(service);
  const input = { command: "rm -rf /", timeout: 1e21, list: [{ b: 1, a: null }], "": "empty", constructor: "x" };
  const args = { ...input, command: "rm -rf build" };
  const edit = { decision: "edit", args };
  const tool = await heldAndDecided(service, agent, { ...PRE_TOOL_USE, tool_input: input }, edit);
  assert.deepEqual(tool.answer.hookSpecificOutput, {
    hookEventName: "PreToolUse",
    permissionDecision: "allow",
    permissionDecisionReason: "A person changed and approved this call.",
    updatedInput: args,
  });
  const permission = await heldAndDecided(service, agent, { ...PERMISSION_REQUEST, tool_input: input }, edit);
  assert.deepEqual(permission.answer.hookSpecificOutput, {
    hookEventName: "PermissionRequest",
    decision: { behavior: "allow", updatedInput: args },
  });
});

testOnBoth("a rejection and a response are denials, with what the person said", async (service) => {
  const agent = await newAgent(service);
  for (const [response, reason] of [
    [{ decision: "reject" }, "A person rejected this call."],
    [{ decision: "reject", message: "Not on a Friday." }, "Not on a Friday."],
    [{ decision: "respond", message: "Use pnpm." }, "Use pnpm."],
  ] as const) {
    const { answer } = await heldAndDecided(service, agent, PRE_TOOL_USE, response);
    assert.deepEqual(answer.hookSpecificOutput, {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    });
    const permission = await heldAndDecided(service, agent, PERMISSION_REQUEST, response);
    assert.deepEqual(permission.answer.hookSpecificOutput, {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: reason },
    });
  }
});

testOnBoth("without a decision, Claude Code asks the person at the terminal", async (service) => {
  const agent = await newAgent(service);
  const ends: readonly (readonly [reason: string, end: (task: TaskRecord) => Promise<unknown>])[] = [
    ["The request was cancelled.", ({ id }) => service.call("POST", `/api/tasks/${id}/cancel`)],
    ["The request was cancelled.", ({ id }) => service.call("DELETE", `/api/tasks/${id}`)],
    [
      "No person decided in time.",
      async () => {
        service.clock.advance(1 * DAY);
        await timeOutDueTasks(service.ctx);
      },
    ],
  ];
  for (const [reason, end] of ends) {
    for (const [body, answer] of [
      [
        PRE_TOOL_USE,
        {
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "ask",
            permissionDecisionReason: reason,
          },
        },
      ],
      // This event has no `ask`. An answer without a decision shows the dialog.
      [PERMISSION_REQUEST, {}],
    ]) {
      const held = sendHook(agent, body!);
      await untilHeld(service, 1, held);
      await end(await onlyTask(service));
      assert.deepEqual((await held).body, answer);
    }
  }
});

testOnBoth(
  "past the hold a call is denied as pending, and the next identical one takes the answer once",
  async (service) => {
    const agent = await newAgent(service);
    const tool_input = { command: "npm test", timeout: 1 };
    const ask = async (changes: object = {}) => sendHook(agent, { ...PRE_TOOL_USE, tool_input, ...changes });
    const pending = await ask();
    assert.equal(pending.status, 200);
    assert.equal(decisionIn(pending.body), "deny");
    assert.match(String(pending.body.hookSpecificOutput?.["permissionDecisionReason"]), /^Pending, ask again/);
    assert.equal(decisionIn((await ask()).body), "deny");
    const task = await onlyTask(service);
    // Neither another tool nor other arguments are the same call.
    assert.equal(decisionIn((await ask({ tool_name: "Other" })).body), "deny");
    assert.equal(decisionIn((await ask({ tool_input: { command: "npm test" } })).body), "deny");
    assert.equal((await openTasks(service)).length, 3);

    await decide(service, task, { decision: "approve" });
    // The order of arguments does not matter, nor does the session.
    const same = { tool_input: { timeout: 1, command: "npm test" }, session_id: "another", cwd: "/tmp" };
    assert.equal(decisionIn((await ask({ tool_name: "Other" })).body), "deny");
    assert.equal(decisionIn((await ask(same)).body), "allow");
    assert.equal(decisionIn((await ask(same)).body), "deny");
    assert.equal((await openTasks(service)).length, 3);
  },
  AT_ONCE,
);

testOnBoth("of calls that are held or come together, one takes the answer", async (service) => {
  const agent = await newAgent(service);
  const held = Array.from({ length: 10 }, () => sendHook(agent, PRE_TOOL_USE));
  await untilHeld(service, 10);
  await decide(service, await onlyTask(service), { decision: "approve" });
  const decisions = (await Promise.all(held)).map(({ body }) => decisionIn(body));
  assert.deepEqual(decisions.toSorted(), ["allow", ...Array<string>(9).fill("deny")]);
  assert.equal((await openTasks(service)).length, 0);
});

testOnBoth(
  "no other agent takes an answer, nor does another task with its key",
  async (service) => {
    const agent = await newAgent(service, { scopes: ["ask", "answer"] });
    const other = await newAgent(service);
    await sendHook(agent, PRE_TOOL_USE);
    const task = await onlyTask(service);
    await decide(service, task, { decision: "approve" });
    assert.equal(decisionIn((await sendHook(other, PRE_TOOL_USE)).body), "deny");
    assert.equal((await openTasks(service)).length, 1);

    // A deleted task frees its key.
    await service.call("DELETE", `/api/tasks/${task.id}`);
    const body = actionTask({ action: { name: "Bash", args: { amount: 1 } }, idempotency_key: task.idempotency_key });
    const forged = (await agent.call<TaskRecord>("POST", "/api/tasks", { body })).body;
    await decide(service, forged, { decision: "approve" });
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "deny");
    assert.equal((await openTasks(service)).length, 2);
  },
  AT_ONCE,
);

testOnBoth("a client that leaves loses nothing", async (service) => {
  const agent = await newAgent(service);
  const base = await service.app.listen({ host: "127.0.0.1", port: 0 });
  const leaving = new AbortController();
  const send = (signal?: AbortSignal) =>
    fetch(`${base}/api/hooks/claude-code`, {
      method: "POST",
      headers: { authorization: `Bearer ${agent.token}`, "content-type": "application/json" },
      body: JSON.stringify(PRE_TOOL_USE),
      ...(signal && { signal }),
    });
  const left = send(leaving.signal).catch(() => null);
  await untilHeld(service, 1);
  const task = await onlyTask(service);
  leaving.abort();
  await left;
  while (service.ctx.waiters.count() > 0) await turn();
  await decide(service, task, { decision: "approve" });
  const answer = await send();
  assert.equal(decisionIn((await answer.json()) as object), "allow");
});

testOnBoth("an answer that was taken for a client that had left is given back", async (service) => {
  const { ctx } = service;
  const agent = await newAgent(service);
  const caller = (await ctx.agents.find(agent.token)) as AgentCaller;
  const asked = await askAbout(ctx, caller, readCall(PRE_TOOL_USE));
  await decide(service, await onlyTask(service), { decision: "approve" });
  const leaving = new AbortController();
  assert.equal((await holdFor(ctx, caller, asked, 0, leaving.signal)).decision, "allow");
  const questions = async () => (await ctx.db.query.selectFrom("hook_questions").selectAll().execute()).length;
  assert.equal(await questions(), 0);
  leaving.abort();
  while ((await questions()) === 0) await turn();
  assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "allow");
  assert.equal((await openTasks(service)).length, 0);
});

testOnBoth("while the database does not answer, a call is pending, and its answer stays", async (service) => {
  const { ctx } = service;
  const agent = await newAgent(service);
  const caller = (await ctx.agents.find(agent.token)) as AgentCaller;
  const asked = await askAbout(ctx, caller, readCall(PRE_TOOL_USE));
  await decide(service, await onlyTask(service), { decision: "approve" });
  for (const code of ["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"] as const) {
    const failing = async () => Promise.reject(new ServiceError(code));
    const there = new AbortController().signal;
    const verdict = await holdFor({ ...ctx, db: { ...ctx.db, writeOne: failing } }, caller, asked, 0, there);
    assert.equal(verdict.decision, "deny");
    assert.match(verdict.reason, /^Pending, ask again: the service could not reach its database/);
  }
  assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "allow");
});

void test("of calls in several processes, one takes the answer", async (t) => {
  const database = await (await postgres()).createDatabase();
  const env = { SERVICE_DATABASE_URL: database.url };
  const started = [await startTestService("postgres", { env }), await startTestService("postgres", { env })];
  t.after(async () => {
    for (const { stop } of started) await stop();
    await database.drop();
  });
  const [first, second] = [started[0]!.service, started[1]!.service];
  const agent = await newAgent(first);
  const there = {
    call: ((...args) => second.call(args[0], args[1], { token: agent.token, ...args[2] })) as typeof agent.call,
  };
  const held = [agent, there, agent, there].map((one) => sendHook(one, PRE_TOOL_USE));
  await untilHeld(first, 2);
  await untilHeld(second, 2);
  await decide(first, await onlyTask(second), { decision: "approve" });
  const decisions = (await Promise.all(held)).map(({ body }) => decisionIn(body));
  assert.deepEqual(decisions.toSorted(), ["allow", "deny", "deny", "deny"]);

  const later = sendHook(agent, PRE_TOOL_USE);
  await untilHeld(first, 1, later);
  const task = await onlyTask(first);
  first.ctx.waiters.stop();
  assert.equal(decisionIn((await later).body), "deny");
  // Calls that come after the answer was taken ask again, and would be held.
  second.ctx.waiters.stop();
  await decide(first, task, { decision: "approve" });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => sendHook([agent, there][i % 2]!, PRE_TOOL_USE)),
  );
  assert.deepEqual(
    answers.map(({ body }) => decisionIn(body)).filter((decision) => decision === "allow"),
    ["allow"],
  );
});

testOnBoth("a service that stops answers held calls, and the answer is taken later", async (service) => {
  const agent = await newAgent(service);
  const held = sendHook(agent, PRE_TOOL_USE);
  await untilHeld(service, 1, held);
  service.ctx.waiters.stop();
  assert.match(String((await held).body.hookSpecificOutput?.["permissionDecisionReason"]), /^Pending, ask again/);
  await decide(service, await onlyTask(service), { decision: "approve" });
  assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "allow");
});

testOnBoth("a held call of an agent that is stopped does not run", async (service) => {
  const agent = await newAgent(service);
  const held = sendHook(agent, PRE_TOOL_USE);
  await untilHeld(service, 1, held);
  await service.call("PATCH", `/api/agents/${agent.id}`, { body: { disabled: true } });
  const { status, body } = await held;
  assert.deepEqual([status, decisionIn(body)], [200, "deny"]);
  assert.equal((await sendHook(agent, PRE_TOOL_USE)).body.error_code, "AGENT_DISABLED");
});

testOnBoth(
  "no body is a way around people: what cannot be asked about is denied with status 200",
  async (service) => {
    const agent = await newAgent(service);
    const deep = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;
    const withInput = (json: string) => JSON.stringify({ ...PRE_TOOL_USE, tool_input: 0 }).replace(":0}", `:${json}}`);
    // The event is not known.
    for (const raw of [withInput(deep), withInput('{"__proto__":1}'), withInput("{"), withInput('"\u{0}"')]) {
      const { status, body } = await agent.call("POST", "/api/hooks/claude-code", { raw });
      assert.deepEqual([status, body["decision"]], [200, "block"], raw.slice(0, 50));
    }
    const long = await agent.call("POST", "/api/hooks/claude-code", { raw: withInput(`"${"x".repeat(1_100_000)}"`) });
    assert.deepEqual([long.status, long.body["decision"]], [200, "block"]);
    for (const changes of [
      { tool_name: "" },
      { tool_name: "x".repeat(201) },
      { tool_name: "Ba\u{202e}sh" },
      { tool_name: "Ba\nsh" },
      { tool_name: "Ba\u{0}sh" },
      { tool_name: 7 },
      { tool_name: undefined },
      { tool_input: [] },
      { tool_input: undefined },
    ])
      for (const event of [PRE_TOOL_USE, PERMISSION_REQUEST]) {
        const { status, body } = await sendHook(agent, { ...event, ...changes });
        assert.deepEqual([status, decisionIn(body)], [200, "deny"], JSON.stringify(changes));
      }
    assert.equal((await openTasks(service)).length, 0);
    // Other events have nothing to decide, and a denial would keep Claude Code from stopping.
    for (const hook_event_name of ["Stop", "constructor", undefined, null]) {
      const { status, body } = await sendHook(agent, { ...PRE_TOOL_USE, hook_event_name });
      assert.ok([400, 422].includes(status), `${status} ${body.error_code}`);
    }
    // Facts are shown, whatever they are.
    const odd = { cwd: `/a\n\u{202e}${"b".repeat(9000)}`, session_id: { a: 1 }, permission_mode: "\u{0}" };
    await sendHook(agent, { ...PRE_TOOL_USE, ...odd });
    const { action } = await onlyTask(service);
    const lines = action!.description!.split("\n");
    assert.deepEqual([lines.length, lines[0]!.length], [2, "Working directory: ".length + 500]);
    assert.ok(lines[0]!.startsWith("Working directory: /a\u{fffd}\u{fffd}b"));
  },
  AT_ONCE,
);

testOnBoth("limits and archived projects deny, too", async (service) => {
  await service.call("POST", "/api/projects", { body: { slug: "old", name: "Old" } });
  const agent = await newAgent(service, { project: "old", max_open_tasks: 1 });
  const held = sendHook(agent, PRE_TOOL_USE);
  await untilHeld(service, 1, held);
  const limited = await sendHook(agent, PERMISSION_REQUEST);
  assert.deepEqual([limited.status, decisionIn(limited.body)], [200, "deny"]);
  // Identical calls wait for the task that is there.
  const second = sendHook(agent, PRE_TOOL_USE);
  await untilHeld(service, 2, second);
  await service.call("PATCH", "/api/projects/old", { body: { archived: true } });
  const archived = await sendHook(agent, PERMISSION_REQUEST);
  assert.deepEqual([archived.status, decisionIn(archived.body)], [200, "deny"]);
  service.ctx.waiters.stop();
  await Promise.all([held, second]);
});

testOnBoth(
  "an answer that no call takes is forgotten after a day, and removed in the background",
  async (service) => {
    const { ctx, clock } = service;
    const agent = await newAgent(service);
    await sendHook(agent, PRE_TOOL_USE);
    await decide(service, await onlyTask(service), { decision: "approve" });
    clock.advance(1 * DAY);
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "deny");
    const next = await onlyTask(service);
    await decide(service, next, { decision: "approve" });
    clock.advance(1 * DAY - 1);
    assert.equal(decisionIn((await sendHook(agent, PRE_TOOL_USE)).body), "allow");

    await sendHook(agent, PRE_TOOL_USE);
    const count = async () => (await ctx.db.query.selectFrom("hook_questions").select("call_hash").execute()).length;
    clock.advance(31 * DAY);
    await removeOldQuestions(ctx.db);
    assert.equal(await count(), 1);
    clock.advance(1 * DAY + HOUR);
    await removeOldQuestions(ctx.db);
    assert.equal(await count(), 0);
  },
  AT_ONCE,
);
