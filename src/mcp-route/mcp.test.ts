import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { newServiceKey } from "../../test/support/embed.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import { actionTask } from "../../test/support/actions.ts";
import { takeDueSteps } from "../tasks/escalating.ts";
import { timeOutDueTasks } from "../tasks/timeouts.ts";
import { MCP_PATH } from "./mcp.ts";

testOnBoth("only agents and the admin token call tools", async (service) => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const as = async (headers: object) => {
    const answer = await service.call<{ error_code?: string }>("POST", MCP_PATH, {
      body,
      token: null,
      headers: { accept: "application/json, text/event-stream", ...headers },
    });
    return `${answer.status} ${answer.body.error_code}`;
  };
  const stopped = await newAgent(service);
  await service.call("PATCH", `/api/agents/${stopped.id}`, { body: { disabled: true } });
  assert.equal(await as({ authorization: `Bearer ${stopped.token}` }), "401 AGENT_DISABLED");
  const operator = await person(service, { is_operator: true });
  const { key } = await newServiceKey(service);
  assert.equal(await as({}), "401 UNAUTHENTICATED");
  assert.equal(await as({ authorization: "Bearer wrong" }), "401 UNAUTHENTICATED");
  assert.equal(await as({ authorization: `Bearer ${key}` }), "403 FORBIDDEN");
  assert.equal(await as(operator.headers), "403 FORBIDDEN");
});

testOnBoth(
  "a page of another origin is refused even with the token, and a program without an origin is not",
  async (service) => {
    await service.app.listen({ port: 0, host: "127.0.0.1" });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const statusOf = async (origin: Record<string, string>) => {
      const headers = { accept: "application/json, text/event-stream", ...origin };
      return (await service.call("POST", MCP_PATH, { body, headers })).status;
    };
    for (const origin of ["http://evil.example", "null", "http://localhost:3000.evil.example"])
      assert.equal(await statusOf({ origin }), 403, origin);
    assert.equal(await statusOf({ origin: service.ctx.config.publicUrl }), 200);
    assert.equal(await statusOf({}), 200);
  },
);

testOnBoth("methods that MCP does not serve here are 405, and Allow names the one that it does", async (service) => {
  for (const method of ["GET", "DELETE", "PUT"] as const) {
    const { status, headers } = await service.call(method, MCP_PATH);
    assert.deepEqual([status, headers["allow"]], [405, "POST"], method);
  }
});

testOnBoth(
  "a model learns that no one answered, and what to do by the answer that it gave for that",
  async (service) => {
    await service.app.listen({ port: 0, host: "127.0.0.1" });
    const { token } = await newAgent(service);
    const call = async (name: string, args: object) => {
      const { text } = await service.call("POST", MCP_PATH, {
        token,
        headers: { accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      });
      return JSON.parse(/\{.*\}/s.exec(text)![0]) as {
        result: { content: { text: string }[]; structuredContent: Record<string, unknown> };
      };
    };
    const asked = actionTask({
      timeout_seconds: 60,
      idempotency_key: "mcp:1",
      escalation: [{ after: 10, do: "raise" }],
      on_timeout: { response: REJECT },
    });
    const { body } = await service.call<{ id: string }>("POST", "/api/tasks", { token, body: asked });
    const pending = await call("check_on_human", { request_id: body.id, wait_seconds: 0 });
    assert.equal("urgent" in pending.result.structuredContent, false);
    service.clock.advance(10_000);
    assert.equal(await takeDueSteps(service.ctx), 1);
    const urgent = await call("check_on_human", { request_id: body.id, wait_seconds: 0 });
    assert.equal(urgent.result.structuredContent["urgent"], true);
    assert.match(urgent.result.content[0]!.text, /^No answer yet\. People see it marked as urgent\. /);
    service.clock.advance(50_000);
    assert.equal(await timeOutDueTasks(service.ctx), 1);
    const { result } = await call("check_on_human", { request_id: body.id, wait_seconds: 0 });
    assert.equal(result.structuredContent["is_fallback"], true);
    assert.equal(result.structuredContent["answered_by"], null);
    assert.deepEqual(result.structuredContent["answer"], REJECT);
    assert.match(
      result.content[0]!.text,
      /^Do not run the action\. .*No one answered in time, so the answer that the request gave for that counts\.\n/,
    );
  },
);

const REJECT = { decision: "reject" };
