import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { get, patch, post, remove, request, type Agent } from "../api.ts";
import { inProject, queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";

type Schemas = components["schemas"];
export type { Agent } from "../api.ts";
export type AgentToken = Agent["tokens"][number];
export type NewAgentToken = Schemas["NewAgentToken"];
/** The fields of the form. */
export type AgentFields = Pick<
  Agent,
  "name" | "description" | "scopes" | "host_answers" | "recipients" | "max_open_tasks" | "max_tasks_per_minute"
> & {
  /** Only of a new agent, if there are several projects. */
  project?: string;
};

export const agentsQuery = infiniteQueryOptions({
  queryKey: ["agents", "pages"],
  queryFn: ({ pageParam }) => request<Agent[]>("GET", inProject(pageParam)),
  initialPageParam: "/api/agents?limit=50",
  getNextPageParam: (page) => page.next,
  // Agents call the service at any time, and the page says when.
  refetchInterval: 30_000,
});

/** One agent with its current number of open tasks. Never cached. */
export function agentQuery(id: string) {
  return queryOptions({
    queryKey: ["agents", "one", id],
    queryFn: () => get<Agent>(`/api/agents/${id}`),
    gcTime: 0,
  });
}

async function refreshAgents(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["agents"] });
}

/** @throws ApiError, OfflineError */
export async function addAgent(fields: Partial<AgentFields>): Promise<Agent> {
  const agent = await post<Agent>("/api/agents", fields);
  await refreshAgents();
  return agent;
}

/** @throws ApiError, OfflineError */
export async function changeAgent(id: string, fields: Partial<AgentFields>): Promise<Agent> {
  const agent = await patch<Agent>(`/api/agents/${id}`, fields);
  await refreshAgents();
  return agent;
}

/** Stops an agent, and cancels its open tasks if asked to. @throws ApiError, OfflineError */
export async function stopAgent(id: string, cancel_open_tasks: boolean): Promise<void> {
  await patch(`/api/agents/${id}`, { disabled: true, ...(cancel_open_tasks && { cancel_open_tasks }) });
  await Promise.all([refreshAgents(), queryClient.invalidateQueries({ queryKey: ["tasks"] })]);
}

/** Lets a stopped agent go on. @throws ApiError, OfflineError */
export async function resumeAgent(id: string): Promise<void> {
  await patch(`/api/agents/${id}`, { disabled: false });
  await refreshAgents();
}

/** @throws ApiError, OfflineError */
export async function deleteAgent(id: string): Promise<void> {
  await remove(`/api/agents/${id}`);
  await refreshAgents();
}

/** @param expires_in_days - null: the token does not expire @throws ApiError, OfflineError */
export async function addToken(id: string, expires_in_days: number | null): Promise<NewAgentToken> {
  const token = await post<NewAgentToken>(`/api/agents/${id}/tokens`, { expires_in_days });
  await refreshAgents();
  return token;
}

/** @throws ApiError, OfflineError */
export async function revokeToken(id: string, token_id: string): Promise<void> {
  await remove(`/api/agents/${id}/tokens/${token_id}`);
  await refreshAgents();
}
