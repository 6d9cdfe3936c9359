import { infiniteQueryOptions, QueryClient, queryOptions } from "@tanstack/react-query";
import { followChoice } from "./language.ts";
import { ApiError, get, request, type Answer } from "./api.ts";
import { confirmOptions } from "./passkey.ts";
import { localOf, utcOf } from "../../form/plan/times.ts";
import { readPreferences } from "./ui/preferences.ts";
import type {
  Agent,
  AuditEntry,
  Comment,
  ConfirmationWays,
  ListedTask,
  Me,
  RefusedAnswer,
  SetupStatus,
  Task,
  TaskCounts,
  TaskStatus,
  User,
  Version,
} from "./api.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // A refused request would be refused again.
      retry: (failures, error) => !(error instanceof ApiError && error.status < 500) && failures < 2,
    },
  },
});

/** Returns the path, limited to the project that the person has chosen. */
export function inProject(path: string): string {
  const { project } = readPreferences();
  // The path of a next page has it.
  if (project === null || path.includes("project=")) return path;
  return `${path}${path.includes("?") ? "&" : "?"}project=${encodeURIComponent(project)}`;
}

async function readMe(): Promise<Me> {
  const me = await get<Me>("/api/auth/me");
  if (me.authenticated) followChoice(me.language);
  return me;
}

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: readMe, staleTime: 60_000 });

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: () => get<SetupStatus>("/api/setup/status"),
});

/** Whether a person may use a password, if they have one. */
export function mayUsePassword(
  { password }: SetupStatus["sign_in"],
  { is_operator }: Pick<Me, "is_operator">,
): boolean {
  return password === "everyone" || (password === "operators" && is_operator);
}

/** How the person can confirm that it is them, and how on this page. Always asked again: another page may have changed it. */
export const confirmationWaysQuery = queryOptions({
  queryKey: ["confirmation-ways"],
  queryFn: async () => {
    const { ways: all } = await get<ConfirmationWays>("/api/auth/confirm");
    const isPasskeyHere = all.includes("passkey") && (await confirmOptions()) !== null;
    return { all, here: all.filter((way) => way !== "passkey" || isPasskeyHere) };
  },
  staleTime: 0,
  gcTime: 0,
});

export const countsQuery = queryOptions({
  queryKey: ["tasks", "counts"],
  queryFn: () => get<TaskCounts>(inProject("/api/tasks/counts")),
});

/** The people tasks can be filtered by and assigned to. */
export const activeUsersQuery = queryOptions({
  queryKey: ["users", "active"],
  queryFn: () => get<User[]>("/api/users?active=true&limit=200"),
  staleTime: 60_000,
});

/** The agents tasks can be filtered by. */
export const agentNamesQuery = queryOptions({
  queryKey: ["agents", "names"],
  queryFn: () => get<Agent[]>(inProject("/api/agents?limit=200")),
  staleTime: 60_000,
});

export function nameOf(user: Pick<User, "display_name" | "email" | "id">): string {
  return user.display_name ?? user.email ?? user.id;
}

/**
 * The number of failed deliveries, shown beside Deliveries. More than one page is "50+". Those that are still retried
 * do not count, because most of them arrive later.
 */
export function abandonedQuery(origin?: string) {
  const query = new URLSearchParams({ status: "ABANDONED", limit: "50", ...(origin === undefined ? {} : { origin }) });
  return queryOptions({
    queryKey: ["deliveries", "abandoned", origin ?? null],
    queryFn: async () => {
      const { data, next } = await request<unknown[]>("GET", inProject(`/api/admin/webhook-deliveries?${query}`));
      return `${data.length}${next === null ? "" : "+"}`;
    },
    // Most fail only after days, so this rarely changes.
    refetchInterval: 60_000,
  });
}

/** The filters of an inbox. The address contains all of them. */
export interface Scope {
  readonly scope: "all" | "mine" | "unclaimed" | "done";
  readonly sort: "deadline" | "created";
  readonly q: string;
  readonly status: TaskStatus | null;
  /** The id of a user, or "none" for unassigned tasks. */
  readonly assignee: string | null;
  /** The id of the agent that asked. */
  readonly agent: string | null;
  readonly label: string | null;
  readonly priority: ListedTask["priority"] | null;
  /** Of closed tasks: the label of what was decided. */
  readonly decision: string | null;
  /** The id of the user who answered. */
  readonly by: string | null;
  readonly channel: string | null;
  /** How many days ago they ended at most, today included. */
  readonly range: "1" | "7" | "30" | null;
  /** The slug of the only project; null: as the person has chosen for all pages. */
  readonly project: string | null;
  /** The id of the saved view that it was opened with. */
  readonly view: string | null;
  /** Of closed tasks: the first and the last day (UTC) on which they ended. */
  readonly from: string | null;
  readonly to: string | null;
  /** Of closed tasks: how the form judges what was decided. */
  readonly tone: "ok" | "bad" | null;
  /** Of closed tasks: whether the answer changed what was proposed. */
  readonly edited: "true" | "false" | null;
  /** `true`: tasks whose verifier rejected an answer. */
  readonly refused: "true" | null;
  /** What all of them ask. */
  readonly question: string | null;
  /** Of open tasks: the hours since their creation, at least and at most, such as `1-4` and `168-`. */
  readonly age: string | null;
}

/** Filters that other pages lead to. The inbox offers no choice of them. */
export const LED_TO = ["from", "to", "tone", "edited", "refused", "question", "age"] as const;

const HOUR_MS = 3_600_000;

/** The query of an inbox for the API, without how much of each task is wanted. */
export function listParameters(search: Scope, me: Me): URLSearchParams {
  const { scope, sort, q, status, assignee, agent, label, priority } = search;
  const query = new URLSearchParams({ sort: scope === "done" ? "ended" : sort });
  query.set("terminal", String(scope === "done"));
  if (scope === "mine" && me.user_id !== null) query.set("assigned_to", me.user_id);
  else if (scope === "unclaimed" || assignee === "none") query.set("unassigned", "true");
  else if (assignee !== null) query.set("assigned_to", assignee);
  if (status !== null) query.set("status", status);
  if (agent !== null) query.set("agent", agent);
  if (label !== null) query.set("label", label);
  if (priority !== null) query.set("priority", priority);
  if (q !== "") query.set("q", q);
  if (search.project !== null) query.set("project", search.project);
  if (search.question !== null) query.set("question", search.question);
  if (search.refused !== null) query.set("refused", search.refused);
  if (scope !== "done" && search.age !== null) {
    const [from, to] = search.age
      .split("-")
      .map((hours) => new Date(Date.now() - Number(hours) * HOUR_MS).toISOString());
    if (!search.age.startsWith("0-")) query.set("created_before", from!);
    if (!search.age.endsWith("-")) query.set("created_after", to!);
  }
  if (scope === "done") {
    const { decision, by, channel, range, from, to, tone, edited } = search;
    if (from !== null) query.set("ended_after", `${from}T00:00:00Z`);
    if (to !== null) query.set("ended_before", new Date(Date.parse(to) + 24 * HOUR_MS).toISOString());
    if (tone !== null) query.set("tone", tone);
    if (edited !== null) query.set("edited", edited);
    if (decision !== null) query.set("decision", decision);
    if (by !== null) query.set("completed_by", by);
    if (channel !== null) query.set("channel", channel);
    if (range !== null) query.set("ended_after", firstOf(Number(range), me));
  }
  return query;
}

/** Returns when the first of the last days began for this person; today is the last. */
function firstOf(days: number, { time_zone }: Me): string {
  const zone = time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = new Date(localOf(new Date().toISOString(), zone)!.slice(0, 10));
  day.setUTCDate(day.getUTCDate() - days + 1);
  const midnight = utcOf(`${day.toISOString().slice(0, 10)}T00:00`, zone);
  // Where the clocks skip midnight, the day begins an hour later.
  return midnight === null || midnight === "skipped" ? day.toISOString() : midnight;
}

export function tasksQuery(list: Scope, me: Me) {
  return infiniteQueryOptions({
    queryKey: ["tasks", "list", list],
    queryFn: ({ pageParam }) => request<ListedTask[]>("GET", inProject(pageParam)),
    // Every change of a task reloads the list, so it is requested without the documents.
    initialPageParam: `/api/tasks?view=summary&limit=50&${listParameters(list, me)}`,
    getNextPageParam: (page) => page.next,
  });
}

export function taskQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "one", id],
    // A task that is passed before it has loaded is not needed any more.
    queryFn: async ({ signal }) =>
      (await request<Task>("GET", `/api/tasks/${encodeURIComponent(id)}`, undefined, signal)).data,
  });
}

/** The audit trail of a task, oldest first; for operators. Its key is below "tasks" because every change adds to it. */
/** What people and the asker said about a task, oldest first. */
export function commentsQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "comments", id],
    queryFn: async () => {
      const all: Comment[] = [];
      for (let path: string | null = `/api/tasks/${encodeURIComponent(id)}/comments?limit=200`; path !== null;) {
        const { data, next }: Answer<Comment[]> = await request("GET", path);
        all.push(...data);
        path = next;
      }
      return all;
    },
  });
}

/** What a task asks and asked before, oldest first. @param version - the current one, so that each new one is loaded */
export function versionsQuery(id: string, version: number) {
  return queryOptions({
    queryKey: ["tasks", "versions", id, version],
    queryFn: () => get<Version[]>(`/api/tasks/${encodeURIComponent(id)}/versions`),
  });
}

/** The answers that the verifier rejected. @param count - of them, so that each new one is loaded */
export function refusedAnswersQuery(id: string, count: number) {
  return queryOptions({
    queryKey: ["tasks", "attempts", id, count],
    queryFn: () => get<RefusedAnswer[]>(`/api/tasks/${encodeURIComponent(id)}/attempts`),
  });
}

export function auditQuery(id: string) {
  return queryOptions({
    queryKey: ["tasks", "audit", id],
    queryFn: () => get<AuditEntry[]>(`/api/tasks/${encodeURIComponent(id)}/audit`),
  });
}
