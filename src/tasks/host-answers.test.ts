import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { addUser, person } from "../../test/support/people.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Verify } from "../verifier/verify.ts";
import type { AuditEntryRecord, ListedTask, PollResult, TaskRecord } from "./schema.ts";

/*
 * Answers that the host of an agent hands in: those of the person who uses it. An agent without `host_answers` answers nothing;
 * with it, only its own tasks that are for no one in particular. (beyond: MCP as it is now)
 */

type Body = TaskRecord & { error_code: string; message: string };

const APPROVED = { response: { approved: true } };

async function ask({ call }: TestAgent, fields: object = {}): Promise<TaskRecord> {
  const { status, body, text } = await call<TaskRecord>("POST", "/api/tasks", { body: newTaskBody(fields) });
  assert.equal(status, 201, text);
  return body;
}

async function answer({ call }: Pick<TestAgent, "call">, id: string, body: object = APPROVED) {
  return call<Body>("POST", `/api/tasks/${id}/complete`, { body });
}

async function isRefused(agent: TestAgent, id: string, code: string, body?: object): Promise<string> {
  const { status, body: said, text } = await answer(agent, id, body);
  assert.deepEqual([status, said.error_code], [403, code], text);
  return said.message;
}

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;

testOnBoth(
  "an agent answers its own task only if operators trust its host, from the next request on",
  async (service) => {
    const agent = await newAgent(service);
    assert.equal(agent.host_answers, false);
    const { id, ...task } = await ask(agent);
    assert.ok(!("host_may_answer" in task), "nothing is said to agents without it");
    await isRefused(agent, id, "AGENT_SCOPE_MISSING");
    const trust = async (host_answers: boolean) =>
      service.call("PATCH", `/api/agents/${agent.id}`, { body: { host_answers } });
    await trust(true);
    const seen = async () => (await agent.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.host_may_answer;
    assert.equal(await seen(), true);
    await trust(false);
    await isRefused(agent, id, "AGENT_SCOPE_MISSING");
    await trust(true);
    assert.equal((await answer(agent, id)).body.status, "completed");
    assert.equal(await seen(), false);
  },
);

testOnBoth("the answer is recorded as that of the person at the host, and of no one by name", async (service) => {
  const agent = await newAgent(service, { name: "desk-bot", host_answers: true });
  const { id, host_may_answer } = await ask(agent, { callback_url: "http://127.0.0.1:9/" });
  assert.equal(host_may_answer, true);
  const named = { ...APPROVED, completed_by_email: "dana@example.com", completed_via_channel: "phone" };
  const { body } = await answer(agent, id, named);
  const decided_by = { kind: "agent", user_id: null, email: null, name: "desk-bot", channel: "mcp", at_host: true };
  assert.deepEqual(
    [body.completed_by_email, body.completed_by_user_id, body.completed_via_channel, body.decided_by],
    [null, null, "mcp", decided_by],
  );
  const { body: polled } = await agent.call<PollResult>("GET", `/api/tasks/${id}/poll?timeout=0`);
  const [listed] = (await service.call<ListedTask[]>("GET", `/api/tasks?q=${id}`)).body;
  const sent = await service.ctx.db.query.selectFrom("delivery_bodies").select("body").executeTakeFirstOrThrow();
  for (const shown of [polled, listed!, JSON.parse(sent.body) as PollResult])
    assert.deepEqual(shown.decided_by, decided_by);
  const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const last = trail.at(-1)!;
  assert.deepEqual(
    [last.action, last.agent_name, last.actor_email, last.channel, last.extra, last.decided_by],
    ["completed", "desk-bot", null, "mcp", { at_host: true, response_keys: ["approved"] }, decided_by],
  );
});

/** Tasks that need a person who is known, and what the refusal says. */
const REFUSED: Record<string, { body: (dana: string) => object; code?: string; says?: RegExp }> = {
  "assigned to a person": { body: (dana) => newTaskBody({ assign_to: { user_id: dana } }) },
  "assigned to an address outside": { body: () => newTaskBody({ assign_to: { email: "eve@example.org" } }) },
  "offered to several": { body: () => newTaskBody({ assign_to: { emails: ["dana@example.com", "eve@example.org"] } }) },
  "offered to a pool": { body: () => newTaskBody({ assign_to: { pool: "desk" } }) },
  "for a role that no one has": { body: () => newTaskBody({ assign_to: { role: "none" } }) },
  "told to a person": { body: () => newTaskBody({ notify: ["email:dana@example.com"] }) },
  "told to a room": { body: () => newTaskBody({ notify: ["slack:#approvals"] }) },
  "assigned by a step": {
    body: (dana) => newTaskBody({ escalation: [{ after: 60, do: "assign", to: { user_id: dana } }] }),
  },
  "offered by a step": { body: () => newTaskBody({ escalation: [{ after: 60, do: "offer", to: { pool: "desk" } }] }) },
  "told by a step": {
    body: () => newTaskBody({ escalation: [{ after: 60, do: "notify", to: ["email:dana@example.com"] }] }),
  },
  confidential: { body: () => newTaskBody({ redact_payload: true }), says: /confidential/ },
  "an action of high risk": { body: () => actionTask({ action: { risk: "high" } }), says: /risk/ },
  "several actions, one of high risk": { body: () => actionTask({ actions: [{}, { risk: "high" }] }), says: /risk/ },
  "for one approver": { body: () => actionTask({ approvals: { need: 1 } }), code: "NEEDS_A_PERSON" },
  "for several approvers": {
    body: () => actionTask({ approvals: { need: 2, exclude: ["asker"] } }),
    code: "NEEDS_A_PERSON",
  },
};

testOnBoth("the host answers no task that is for others, or needs a person who is known", async (service) => {
  const dana = await addUser(service, { email: "dana@example.com", pool: "desk" });
  const agent = await newAgent(service, { host_answers: true });
  for (const [what, { body, code = "HOST_MAY_NOT_ANSWER", says = /particular people/ }] of Object.entries(REFUSED)) {
    const asked = await agent.call<TaskRecord>("POST", "/api/tasks", { body: body(dana.id) });
    assert.deepEqual([asked.status, asked.body.host_may_answer], [201, false], `${what}: ${asked.text}`);
    const { id, action: one, actions: several } = asked.body;
    const decision = { decision: "approve" };
    const response = several ? { decisions: several.map(() => decision) } : one ? decision : APPROVED.response;
    const message = await isRefused(agent, id, code, { response, completed_by_email: "dana@example.com" });
    if (code === "HOST_MAY_NOT_ANSWER") assert.match(message, says, what);
    const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    assert.ok(
      trail.every(({ action: entry }) => !["completed", "approved"].includes(entry)),
      what,
    );
    assert.equal((await read(service, id)).status, "created", what);
  }
});

testOnBoth(
  "steps that only remind or raise name no one, and actions of normal risk are for anyone",
  async (service) => {
    const agent = await newAgent(service, { host_answers: true });
    const steps = await ask(agent, { escalation: [{ after: 60, do: "raise" }], notify: [], idempotency_key: "steps" });
    assert.equal((await answer(agent, steps.id)).status, 200);
    const { body: action } = await agent.call<TaskRecord>("POST", "/api/tasks", { body: actionTask() });
    const { body } = await answer(agent, action.id, { response: { decision: "approve" } });
    assert.deepEqual([body.status, body.completed_via_channel], ["completed", "mcp"]);
  },
);

testOnBoth("the host answers no task of another, also if its agent sees it", async (service) => {
  const other = await newAgent(service, { host_answers: true });
  const { id } = await ask(other);
  const mine = await service.create();
  await isRefused(await newAgent(service, { host_answers: true, scopes: ["ask", "read"] }), id, "AGENT_SCOPE_MISSING");
  await isRefused(await newAgent(service, { host_answers: true, scopes: ["read"] }), mine.id, "AGENT_SCOPE_MISSING");
  assert.equal((await answer(await newAgent(service, { host_answers: true }), id)).body.error_code, "TASK_NOT_FOUND");
  const { body } = await other.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.deepEqual([body.status, body.host_may_answer], ["created", true]);
});

testOnBoth(
  "a task that an operator assigns is that person's, and the host's again if it is no one's",
  async (service) => {
    const dana = await addUser(service);
    // Some people are known only in Slack.
    const mia = await addUser(service, { email: null, slack_team_id: "T1", slack_user_id: "U1" });
    const agent = await newAgent(service, { host_answers: true });
    const { id } = await ask(agent);
    const assign = async (user_id: string | null) =>
      service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id } });
    for (const user of [dana, mia]) {
      await assign(user.id);
      await isRefused(agent, id, "HOST_MAY_NOT_ANSWER");
    }
    await assign(null);
    assert.equal((await answer(agent, id)).status, 200);
  },
);

testOnBoth("an answer at the host must fit the form, and counts once", async (service) => {
  const agent = await newAgent(service, { host_answers: true });
  const { id } = await ask(agent);
  const wrong = await answer(agent, id, { response: { approved: "yes" } });
  assert.deepEqual([wrong.status, wrong.body.error_code], [422, "VALIDATION_FAILED"]);
  const all = await Promise.all([true, false, true].map((approved) => answer(agent, id, { response: { approved } })));
  const taken = all.filter(({ status }) => status === 200);
  assert.deepEqual([taken.length, all.filter(({ status }) => status === 409).length], [1, 2]);
});

testOnBoth("with the scope answer, it is the token that answers, as ever", async (service) => {
  const agent = await newAgent(service, { name: "desk", scopes: ["ask", "answer"], host_answers: true });
  const { id } = await ask(agent, { notify: ["email:dana@example.com"] });
  const { body } = await answer(agent, id, { ...APPROVED, completed_by_email: "dana@example.com" });
  const decided_by = { kind: "agent", user_id: null, email: null, name: "desk", channel: null };
  assert.deepEqual([body.completed_by_email, body.decided_by], ["dana@example.com", decided_by]);
});

testOnBoth("a list of agents says whose hosts are trusted, and the security log who changed it", async (service) => {
  const { call } = await person(service, { is_operator: true });
  const agent = await newAgent(service, { host_answers: true });
  for (const host_answers of [false, false, true])
    await call("PATCH", `/api/agents/${agent.id}`, { body: { host_answers } });
  for (const host_answers of ["yes", 1, {}])
    assert.equal((await service.call("PATCH", `/api/agents/${agent.id}`, { body: { host_answers } })).status, 400);
  const [listed] = (await service.call<{ host_answers: boolean }[]>("GET", "/api/agents")).body;
  assert.equal(listed!.host_answers, true);
  const { body } = await service.call<{ type: string; details: { fields?: string[] } }[]>(
    "GET",
    "/api/security-events",
  );
  // Refused changes say nothing of fields.
  const changes = body.filter(({ type, details }) => type === "agent_changed" && details.fields !== undefined);
  assert.deepEqual(
    changes.map(({ details }) => details.fields),
    [["host_answers"], ["host_answers"]],
  );
});

/** What happens while the verifier is asked, and its verdict. */
let during: () => Promise<unknown> = async () => {};
let passed = true;
const verify: Verify = async () => {
  await during();
  return { passed, reason: "Looked at." };
};
const VERIFIED = { verifier_config: { provider: "openai", instructions: "Is there a receipt?", max_attempts: 3 } };

testOnBoth(
  "the verifier checks an answer at the host, and it counts only if the host is still trusted then",
  async (service) => {
    const agent = await newAgent(service, { host_answers: true });
    const set = async (fields: object) => service.call("PATCH", `/api/agents/${agent.id}`, { body: fields });
    const { id } = await ask(agent, VERIFIED);
    passed = false;
    assert.equal((await answer(agent, id)).body.status, "rejected");
    const { body: trail } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    assert.equal(trail.at(-1)!.extra!["at_host"], true);
    passed = true;
    during = async () => set({ host_answers: false });
    await isRefused(agent, id, "AGENT_SCOPE_MISSING");
    // The name of a person is the word of a token that may name them, and that is no longer so.
    await set({ scopes: ["ask", "answer"], host_answers: true });
    during = async () => set({ scopes: ["ask"] });
    const named = await answer(agent, id, { ...APPROVED, completed_by_email: "dana@example.com" });
    assert.deepEqual([named.status, named.body.error_code], [409, "TASK_CHANGED"]);
    during = async () => {};
    const { body } = await answer(agent, id);
    assert.deepEqual([body.status, body.decided_by?.at_host], ["completed", true]);
  },
  { verify },
);
