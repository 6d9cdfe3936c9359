import { infiniteQueryOptions } from "@tanstack/react-query";
import type { components } from "../schemas.d.ts";
import { request } from "../api.ts";
import { inProject } from "../queries.ts";

export type AuditRecord = components["schemas"]["AuditRecord"];

/** What the page shows. Days as YYYY-MM-DD, the last one included. */
export interface AuditFilter {
  readonly kind?: AuditRecord["kind"] | undefined;
  readonly what?: string | undefined;
  /** Email or id. */
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the address of what matches. @param path - of the list, or of the export */
export function auditPath(
  path: string,
  { from, until, ...filter }: AuditFilter,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  if (from !== undefined) query.set("from", startOfDay(from, 0));
  if (until !== undefined) query.set("until", startOfDay(until, 1));
  return inProject(`${path}?${query}`);
}

/** @param later - days */
function startOfDay(day: string, later: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

/** Newest first. */
export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit", filter],
    queryFn: ({ pageParam }) => request<AuditRecord[]>("GET", pageParam),
    initialPageParam: auditPath("/api/audit", filter, { limit: "50" }),
    getNextPageParam: (page) => page.next,
    // The newest are what is looked for.
    staleTime: 0,
  });
}
