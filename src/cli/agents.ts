import type { AgentRecord, NewAgentTokenRecord } from "../agents/schema.ts";
import { AGENT_SCOPES, RECIPIENT_MODES } from "../people/agent-caller.ts";
import { everything, type Calls } from "./calls.ts";
import { need, oneOf, UsageError } from "./options.ts";
import type { OperatorCommand } from "./people.ts";
import { table } from "./table.ts";

export interface CreateAgentOptions {
  name?: string;
  project?: string;
  description?: string;
  scopes?: string;
  recipients?: string;
  expires?: string;
}

/** @throws UsageError */
export async function createAgent(given: CreateAgentOptions): Promise<OperatorCommand> {
  const name = need(given.name, "--name");
  const scopes = given.scopes?.split(",").map((scope) => oneOf(scope.trim(), AGENT_SCOPES, "--scopes"));
  const mode =
    given.recipients === undefined ? null : oneOf(given.recipients, RECIPIENT_MODES.slice(0, 2), "--recipients");
  const body = {
    name,
    ...(given.project !== undefined && { project: given.project }),
    ...(given.description !== undefined && { description: given.description }),
    ...(scopes !== undefined && { scopes }),
    ...(mode !== null && { recipients: { mode } }),
  };
  const expires = daysOf(given.expires);
  return async (calls) => {
    const { id } = await calls.call<AgentRecord>("POST", "/api/agents", body);
    return tokenText(await newToken(calls, id, expires), `Agent id: ${id}.`);
  };
}

/** @throws UsageError */
export async function createToken(name: string, given: { expires?: string }): Promise<OperatorCommand> {
  const expires = daysOf(given.expires);
  return async (calls) => {
    const { id } = await findAgent(calls, name);
    const token = await newToken(calls, id, expires);
    return tokenText(token, `Token id: ${token.id}.`);
  };
}

export async function listAgents(): Promise<OperatorCommand> {
  return async (calls) =>
    table(
      ["project", "name", "scopes", "open tasks", "last used", "stopped", "tokens", "id"],
      (await everyAgent(calls)).map((agent) => [
        agent.project,
        agent.name,
        agent.scopes.join(", "),
        String(agent.open_tasks),
        agent.last_used_at,
        agent.disabled_at,
        agent.tokens.map(({ id, prefix }) => `${prefix}... (${id})`).join(", "),
        agent.id,
      ]),
    );
}

/** Revokes the tokens of an agent, or one of them. @param token - its id */
export async function revokeTokens(name: string, { token }: { token?: string }): Promise<OperatorCommand> {
  return async (calls) => {
    const agent = await findAgent(calls, name);
    const ids = token === undefined ? agent.tokens.map(({ id }) => id) : [token];
    for (const id of ids) await calls.call("DELETE", `/api/agents/${agent.id}/tokens/${encodeURIComponent(id)}`);
    if (token !== undefined) return `${token} is revoked.`;
    return ids.length === 0
      ? `${agent.name} has no live tokens.`
      : `All tokens of ${agent.name} are revoked: ${ids.join(", ")}.`;
  };
}

export async function stopAgent(name: string, given: { cancelOpenTasks?: boolean }): Promise<OperatorCommand> {
  return async (calls) => {
    const before = await findAgent(calls, name);
    const isCancelling = given.cancelOpenTasks === true;
    const change = { disabled: true, ...(isCancelling && { cancel_open_tasks: true }) };
    await calls.call<AgentRecord>("PATCH", `/api/agents/${before.id}`, change);
    const open = isCancelling
      ? "Its open tasks are cancelled."
      : `${before.open_tasks} of its tasks are still open. --cancel-open-tasks cancels them.`;
    return `${before.name} is stopped. ${open}`;
  };
}

export async function resumeAgent(name: string): Promise<OperatorCommand> {
  return async (calls) => {
    const agent = await findAgent(calls, name);
    await calls.call<AgentRecord>("PATCH", `/api/agents/${agent.id}`, { disabled: false });
    return `${agent.name} may go on.`;
  };
}

/** @throws Error in a sentence for the operator */
async function findAgent(calls: Calls, name: string): Promise<AgentRecord> {
  const [agent, ...others] = (await everyAgent(calls)).filter((one) => one.name === name || one.id === name);
  if (agent === undefined) throw new Error(`There is no agent ${name}.`);
  if (others.length > 0) throw new Error(`Several projects have an agent ${name}. Name it by its id.`);
  return agent;
}

function everyAgent(calls: Calls): Promise<AgentRecord[]> {
  return everything<AgentRecord>(calls, "/api/agents?");
}

function newToken(calls: Calls, id: string, expires_in_days: number | null): Promise<NewAgentTokenRecord> {
  return calls.call<NewAgentTokenRecord>("POST", `/api/agents/${id}/tokens`, { expires_in_days });
}

function tokenText({ token, expires_at }: NewAgentTokenRecord, about: string): string {
  const end = expires_at === null ? "It does not expire." : `It expires at ${expires_at}.`;
  return `${token}\n\n${about} The token is shown only once. ${end}`;
}

/** @throws UsageError */
function daysOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw new UsageError("--expires takes a number of days, 1 to 365.");
  return days;
}
