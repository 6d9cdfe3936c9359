import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, post } from "../api.ts";
import type { components } from "../schemas.d.ts";

type Schemas = components["schemas"];
export type StoredRules = Schemas["HookRules"];
export type Rule = StoredRules["rules"][number];
export type Decision = Rule["decision"];
export type Call = Schemas["HookRulesPreview"]["calls"][number];

const RULES = "/api/hooks/rules";
/** Another operator may change the rules at any time. */
const LOOK_MS = 15_000;
/** While no call has come, the page waits for the first. Later, each look compares many calls with the rules. */
const LOOK_FOR_FIRST_MS = 3_000;
const LOOK_FOR_MORE_MS = 60_000;

/** @param project - a slug */
export function rulesPath(project: string): string {
  return `${RULES}?${new URLSearchParams({ project })}`;
}

/** The rules that decide about calls. */
export function rulesQuery(project: string) {
  return queryOptions({
    queryKey: ["hook-rules", project],
    queryFn: () => get<StoredRules>(rulesPath(project)),
    refetchInterval: LOOK_MS,
  });
}

/** The calls of the last week, the latest first, and what these rules would decide about each. */
export function previewQuery(project: string, rules: readonly Rule[]) {
  return queryOptions({
    queryKey: ["hook-calls", project, rules],
    queryFn: () => previewOf(project, rules),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.length === 0 ? LOOK_FOR_FIRST_MS : LOOK_FOR_MORE_MS),
  });
}

/** The service checks the rules, too. @throws ApiError, OfflineError */
export async function previewOf(project: string, rules: readonly Rule[]): Promise<readonly Call[]> {
  const path = `${RULES}/preview?${new URLSearchParams({ project })}`;
  return (await post<Schemas["HookRulesPreview"]>(path, { rules })).calls;
}
