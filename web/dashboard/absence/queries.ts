import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, remove, request } from "../api.ts";
import { meQuery, queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";

type Schemas = components["schemas"];
/** When a person is away. */
export type Absence = Schemas["Absence"];
type Delegate = Schemas["Delegate"];

const pathOf = (user: string) => `/api/users/${encodeURIComponent(user)}`;

/** Who can stand in for a person; their present delegate comes first. @param q - part of the name or the email */
export function delegatesQuery(user: string, q: string) {
  return queryOptions({
    queryKey: ["users", "delegates-of", user, q],
    queryFn: () => get<Delegate[]>(`${pathOf(user)}/delegates?${new URLSearchParams({ q })}`),
    placeholderData: keepPreviousData,
  });
}

/** @throws ApiError, OfflineError */
export async function setAbsence(user: string, absence: Absence): Promise<void> {
  await request("PUT", `${pathOf(user)}/absence`, absence);
  await refresh();
}

/** @throws ApiError, OfflineError */
export async function endAbsence(user: string): Promise<void> {
  await remove(`${pathOf(user)}/absence`);
  await refresh();
}

async function refresh(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["users"] }),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
  ]);
}
