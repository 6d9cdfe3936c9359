/** Who asks for tasks during the crashes: the admin token, and agents of two projects. */
import type { AgentRecord, NewAgentTokenRecord } from "../../src/agents/schema.ts";
import type { ServiceProcess } from "../../test/support/processes.ts";
import { ADMIN_TOKEN } from "../../test/support/service.ts";

export const ADMIN = "admin";
const PROJECTS = ["refunds", "ships"] as const;
const DEFAULT_PROJECT = "default";
/** More than any run creates. */
const UNLIMITED = 1_000_000;

/** Agents without the scope `answer` get a refusal when they complete a task. */
const AGENTS = {
  "refund-bot": { project: "refunds", scopes: ["ask", "answer"] },
  "refund-helper": { project: "refunds", scopes: ["ask"] },
  "ship-bot": { project: "ships", scopes: ["ask", "answer"] },
  "ship-helper": { project: "ships", scopes: ["ask"] },
} as const;
export type AgentName = keyof typeof AGENTS;
export type CallerName = typeof ADMIN | AgentName;

export const AGENT_NAMES = Object.keys(AGENTS) as AgentName[];
const ASKERS: readonly CallerName[] = [ADMIN, ...AGENT_NAMES];

/** How many askers use each key. */
const ASKERS_OF_KEY = 3;

/** Returns the key number of task `n`, and its asker. Tasks that follow each other have the same key and different askers. */
export function placeOf(n: number): { keyNumber: number; asker: CallerName } {
  const keyNumber = Math.floor(n / ASKERS_OF_KEY);
  return { keyNumber, asker: ASKERS[(keyNumber + (n % ASKERS_OF_KEY)) % ASKERS.length]! };
}

/** Returns the projects that an asker may name; the first is that of a task whose request names none. */
export function projectsOf(asker: CallerName): readonly [string, ...string[]] {
  return asker === ADMIN ? [DEFAULT_PROJECT, ...PROJECTS] : [AGENTS[asker].project];
}

export function mayAnswer(caller: CallerName): boolean {
  return caller === ADMIN || (AGENTS[caller].scopes as readonly string[]).includes("answer");
}

/** The id and the token of each agent. */
export type Agents = Map<AgentName, { id: string; token: string }>;

/** Creates the projects, and the agents with a token each, which it adds to `agents`. */
export async function addAgents({ call }: ServiceProcess, agents: Agents): Promise<void> {
  const create = async <T>(path: string, fields: object): Promise<T> => {
    const { status, body } = await call<T>("POST", path, fields);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  for (const slug of PROJECTS) await create("/api/projects", { slug, name: slug });
  for (const name of AGENT_NAMES) {
    const limits = { max_open_tasks: UNLIMITED, max_tasks_per_minute: UNLIMITED };
    const { id } = await create<AgentRecord>("/api/agents", { name, ...AGENTS[name], ...limits });
    const { token } = await create<NewAgentTokenRecord>(`/api/agents/${id}/tokens`, {});
    agents.set(name, { id, token });
  }
}

export function tokenOf(agents: Agents, caller: CallerName): string {
  return caller === ADMIN ? ADMIN_TOKEN : agents.get(caller)!.token;
}
