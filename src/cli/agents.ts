import type { AgentRecord, NewAgentTokenRecord } from "../agents/schema.ts";
import { AGENT_SCOPES } from "../people/agent-caller.ts";
import { RECIPIENT_MODES, type RecipientPolicy } from "../people/recipient-policy.ts";
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
  hostAnswers?: boolean;
  expires?: string;
}

/** @throws UsageError */
export async function createAgent(given: CreateAgentOptions): Promise<OperatorCommand> {
  const name = need(given.name, "--name");
  const scopes = given.scopes?.split(",").map((scope) => oneOf(scope.trim(), AGENT_SCOPES, "--scopes"));
  const recipients = recipientsOf(given.recipients);
  const body = {
    name,
    ...(given.project !== undefined && { project: given.project }),
    ...(given.description !== undefined && { description: given.description }),
    ...(scopes !== undefined && { scopes }),
    ...recipients,
    ...(given.hostAnswers === true && { host_answers: true }),
  };
  const expires = daysOf(given.expires);
  return async (calls) => {
    const { id } = await calls.call<AgentRecord>("POST", "/api/agents", body);
    return tokenText(await newToken(calls, id, expires), `Agent id: ${id}.`);
  };
}

/** Returns the field of a body. Lists are for the API and the dashboard. @throws UsageError */
export function recipientsOf(mode: string | undefined): { recipients?: RecipientPolicy } {
  if (mode === undefined) return {};
  return { recipients: { mode: oneOf(mode, RECIPIENT_MODES.slice(0, 2), "--recipients") } };
}

/** Agents of several projects may have one name. */
export interface InProject {
  project?: string;
}

/** @throws UsageError */
export async function createToken(name: string, given: InProject & { expires?: string }): Promise<OperatorCommand> {
  const expires = daysOf(given.expires);
  return async (calls) => {
    const { id } = await findAgent(calls, name, given);
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
export async function revokeTokens(name: string, given: InProject & { token?: string }): Promise<OperatorCommand> {
  const { token } = given;
  return async (calls) => {
    const agent = await findAgent(calls, name, given);
    const ids = token === undefined ? agent.tokens.map(({ id }) => id) : [token];
    for (const id of ids) await calls.call("DELETE", `/api/agents/${agent.id}/tokens/${encodeURIComponent(id)}`);
    if (token !== undefined) return `${token} is revoked.`;
    return ids.length === 0
      ? `${agent.name} has no live tokens.`
      : `All tokens of ${agent.name} are revoked: ${ids.join(", ")}.`;
  };
}

export async function stopAgent(
  name: string,
  given: InProject & { cancelOpenTasks?: boolean },
): Promise<OperatorCommand> {
  return async (calls) => {
    const before = await findAgent(calls, name, given);
    const isCancelling = given.cancelOpenTasks === true;
    const change = { disabled: true, ...(isCancelling && { cancel_open_tasks: true }) };
    await calls.call<AgentRecord>("PATCH", `/api/agents/${before.id}`, change);
    const open = isCancelling
      ? "Its open tasks are cancelled."
      : `${before.open_tasks} of its tasks are still open. --cancel-open-tasks cancels them.`;
    return `${before.name} is stopped. ${open}`;
  };
}

export async function resumeAgent(name: string, given: InProject): Promise<OperatorCommand> {
  return async (calls) => {
    const agent = await findAgent(calls, name, given);
    await calls.call<AgentRecord>("PATCH", `/api/agents/${agent.id}`, { disabled: false });
    return `${agent.name} may go on.`;
  };
}

/** @throws Error in a sentence for the operator */
async function findAgent(calls: Calls, name: string, { project }: InProject): Promise<AgentRecord> {
  const known = (await everyAgent(calls)).filter((one) => one.name === name || one.id === name);
  const [agent, ...others] = known.filter((one) => project === undefined || one.project === project);
  if (agent === undefined)
    throw new Error(`There is no agent ${name}${project === undefined ? "" : ` in ${project}`}.`);
  if (others.length > 0) throw new Error(`Several projects have an agent ${name}. Add --project.`);
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
