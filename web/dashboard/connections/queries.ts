import { queryOptions } from "@tanstack/react-query";
import { get, request, type Agent } from "../api.ts";
import { queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";

type Schemas = components["schemas"];
export type Connection = Schemas["Connection"];
/** A kind of engine, with what a connection to it needs. */
export type Kind = Schemas["ConnectionKind"];
export type Probed = Schemas["ConnectionProbe"];

export const CONNECTIONS = "/api/connections";

/** Sorted by project and name. */
export const connectionsQuery = queryOptions({
  queryKey: ["connections", "list"],
  queryFn: () => get<Connection[]>(CONNECTIONS),
});

/** A release of the service has its kinds. */
export const kindsQuery = queryOptions({
  queryKey: ["connections", "kinds"],
  queryFn: () => get<Kind[]>(`${CONNECTIONS}/kinds`),
  staleTime: Infinity,
});

export async function refreshConnections(): Promise<void> {
  await queryClient.invalidateQueries(connectionsQuery);
}

/** All agents of a project. @param project - a slug */
export function agentsOfQuery(project: string) {
  return queryOptions({
    queryKey: ["agents", "of", project],
    queryFn: async () => {
      const agents: Agent[] = [];
      let path: string | null = `/api/agents?${new URLSearchParams({ project, limit: "200" })}`;
      while (path !== null) {
        const page: { data: Agent[]; next: string | null } = await request<Agent[]>("GET", path);
        agents.push(...page.data);
        path = page.next;
      }
      return agents;
    },
  });
}
