import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError, get, request } from "./api.ts";
import type { AuditEntry, ListedTask, Me, Task, TaskCounts, TaskStatus } from "./api.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the service refuses, it refuses again.
      retry: (failures, error) => !(error instanceof ApiError && error.status < 500) && failures < 2,
    },
  },
});

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => get<Me>("/api/auth/me"), staleTime: 60_000 });

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: () => get<{ needs_setup: boolean }>("/api/setup/status"),
});

export const countsQuery = queryOptions({
  queryKey: ["tasks", "counts"],
  queryFn: () => get<TaskCounts>("/api/tasks/counts"),
});

/**
 * How many callbacks are given up, for the number beside Deliveries; more than a page of them is "50+". Those that are still
 * tried again are not in it: most of them arrive by themselves, and a number in red asks for somebody.
 */
export function abandonedQuery(origin?: string) {
  const query = new URLSearchParams({ status: "ABANDONED", limit: "50", ...(origin === undefined ? {} : { origin }) });
  return queryOptions({
    queryKey: ["deliveries", "abandoned", origin ?? null],
    queryFn: async () => {
      const { data, next } = await request<unknown[]>("GET", `/api/admin/webhook-deliveries?${query}`);
      return `${data.length}${next === null ? "" : "+"}`;
    },
    // A callback is tried for days before.
    refetchInterval: 60_000,
  });
}

/** What an inbox shows; all of it stands in the address. */
export interface Scope {
  readonly scope: "all" | "mine" | "unclaimed" | "done";
  readonly sort: "deadline" | "created";
  readonly q: string;
  readonly status: TaskStatus | null;
  /** The id of a user, or "none": nobody is assigned. */
  readonly assignee: string | null;
}

export function tasksQuery({ scope, sort, q, status, assignee }: Scope, me: Me) {
  const query = new URLSearchParams({ limit: "50", sort: scope === "done" ? "created" : sort });
  query.set("terminal", String(scope === "done"));
  if (scope === "mine" && me.user_id !== null) query.set("assigned_to", me.user_id);
  else if (scope === "unclaimed" || assignee === "none") query.set("unassigned", "true");
  else if (assignee !== null) query.set("assigned_to", assignee);
  if (status !== null) query.set("status", status);
  if (q !== "") query.set("q", q);
  return infiniteQueryOptions({
    queryKey: ["tasks", "list", scope, sort, q, status, assignee],
    queryFn: ({ pageParam }) => request<ListedTask[]>("GET", pageParam),
    initialPageParam: `/api/tasks?${query}`,
    getNextPageParam: (page) => page.next,
  });
}

export function taskQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "one", id],
    queryFn: () => get<Task>(`/api/tasks/${encodeURIComponent(id)}`),
  });
}

/** All that happened to a task, oldest first; for operators. Below "tasks": what changes a task adds to its trail. */
export function auditQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "audit", id],
    queryFn: () => get<AuditEntry[]>(`/api/tasks/${encodeURIComponent(id)}/audit`),
  });
}
