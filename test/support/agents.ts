import assert from "node:assert/strict";
import type { AgentRecord, NewAgentTokenRecord } from "../../src/agents/schema.ts";
import type { TestService } from "./service.ts";

export interface TestAgent extends AgentRecord {
  token: string;
  token_id: string;
  /** Calls the service with the agent's token. */
  call: TestService["call"];
}

let agents = 0;

/** Adds an agent with a token. @param fields - of the agent @param token - of its token */
export async function newAgent(service: TestService, fields: object = {}, token: object = {}): Promise<TestAgent> {
  const agent = await service.call<AgentRecord>("POST", "/api/agents", {
    body: { name: `agent-${++agents}`, ...fields },
  });
  assert.equal(agent.status, 201, agent.text);
  const made = await service.call<NewAgentTokenRecord>("POST", `/api/agents/${agent.body.id}/tokens`, { body: token });
  assert.equal(made.status, 201, made.text);
  return {
    ...agent.body,
    token: made.body.token,
    token_id: made.body.id,
    call: (method, path, options) => service.call(method, path, { token: made.body.token, ...options }),
  };
}
