import { queryOptions, useQuery } from "@tanstack/react-query";
import { get } from "../api.ts";
import { inProject } from "../queries.ts";
import type { Scope } from "../queries.ts";
import type { components } from "../schemas.d.ts";

export type View = components["schemas"]["CountedView"];

/** The views that a person sees: their own, then those of their projects. */
export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: () => get<View[]>(inProject("/api/views")),
});

/** Returns the view that the address names; null if there is none, and while it loads. */
export function useShownView({ view }: Scope): View | null {
  const { data } = useQuery(viewsQuery);
  return data?.find(({ id }) => id === view) ?? null;
}
